//! Words for elements: a pass whose operands all have elements of one byte, or all of two, is mapped
//! as one of 32-bit words, so that an invocation loads and stores 16 bytes at once. Its steps work on
//! whole words (SWAR) if all of them can, else on the elements of each part of the words in turn.

use super::body::Body;
use super::canonical::Canonical;
use super::mapped::Mapped;
use super::operand::{Access, Destination, Operand, Step};
use super::slot::{QUAD, Room, Slot, elements_a_word};
use crate::dtype::DType;
use crate::layout::Layout;
use crate::shape::Shape;

/// A pass with words for elements.
pub(super) struct Words {
    pub inputs: Vec<Operand>,
    pub to: Destination,
    /// Elements per word of the output.
    pub per_word: u32,
}

impl Words {
    /// The pass on words, or `None` if some element would cross lanes.
    pub fn new(body: &Body, to: &Destination) -> Option<Self> {
        let slot = &to.slot;
        let (size, per_word) = (slot.dtype.size(), elements_a_word(slot.dtype));
        let fits = |x: &Operand| x.slot.dtype.size() == size && x.access() == Access::Plain;
        if per_word == 1 || !body.inputs.iter().all(fits) || slot.layout.is_empty() {
            return None;
        }
        let layouts: Vec<&Layout> = body.inputs.iter().map(|x| &x.slot.layout).collect();
        let Canonical {
            mut extents,
            strides,
        } = Canonical::new(slot.layout.shape(), &layouts);
        let n = per_word as usize;
        let inner = extents.pop()?;
        // Rows of whole quads are better than words of other rows.
        let rows =
            !extents.is_empty() && inner.is_multiple_of(QUAD) && !(inner / n).is_multiple_of(QUAD);
        // What follows the last element of a single row may be overwritten.
        let whole = inner.is_multiple_of(n) || (extents.is_empty() && slot.room == Room::Padding);
        if inner == 1 || rows || !whole || !slot.layout.offset().is_multiple_of(n) {
            return None;
        }
        extents.push(inner.div_ceil(n));
        let mut inputs = Vec::with_capacity(body.inputs.len());
        for (operand, strides) in body.inputs.iter().zip(strides) {
            let words = in_words(&operand.slot, &extents, strides, per_word)?;
            inputs.push(Operand::new(operand.source, words));
        }
        let shape = Shape::from(extents);
        let layout =
            Layout::new(shape.clone(), shape.row_major(), slot.layout.offset() / n).ok()?;
        let slot = Slot {
            dtype: word_type(slot.dtype, per_word),
            layout,
            room: slot.room,
        };
        Some(Self {
            inputs,
            to: Destination::new(to.target, slot),
            per_word,
        })
    }

    /// Gives the mapped pass its elements' types and layouts back.
    pub fn restore(self, mapped: &mut Mapped, inputs: &[Operand], slot: &Slot) {
        for (input, operand) in mapped.inputs.iter_mut().zip(inputs) {
            // One that is broadcast to all lanes of a word is an element.
            input.per_word = match input.dtype == operand.slot.dtype {
                true => 1,
                false => self.per_word,
            };
            input.dtype = operand.slot.dtype;
            input.layout = operand.slot.layout.clone();
        }
        (mapped.output.dtype, mapped.output.per_word) = (slot.dtype, self.per_word);
        mapped.output.layout = slot.layout.clone();
    }
}

/// Parts of a word of so many elements that steps work on in turn.
pub(super) fn parts(steps: &[Step], per_word: u32) -> u32 {
    match on_whole_words(steps, per_word) {
        true => 1,
        false => per_word,
    }
}

/// Whether steps work on whole words of so many elements.
pub(crate) fn on_whole_words(steps: &[Step], per_word: u32) -> bool {
    let fills = |dtype: DType| elements_a_word(dtype) == per_word;
    let whole = |s: &Step| s.op.works_on_words(s.operand) && fills(s.operand) && fills(s.dtype);
    per_word > 1 && steps.iter().all(whole)
}

/// An input as words over these extents, or as the element that all lanes of a word are; `None` if
/// one would cross lanes.
fn in_words(
    slot: &Slot,
    extents: &[usize],
    mut strides: Vec<isize>,
    per_word: u32,
) -> Option<Slot> {
    let n = per_word as usize;
    let signed = n.cast_signed();
    let offset = slot.layout.offset();
    let (last, outer) = strides.split_last_mut()?;
    let own = match *last {
        0 => 1,
        1 if offset.is_multiple_of(n) && outer.iter().all(|s| s % signed == 0) => {
            outer.iter_mut().for_each(|s| *s /= signed);
            per_word
        }
        _ => return None,
    };
    Some(Slot {
        dtype: word_type(slot.dtype, own),
        layout: Layout::new(extents.to_vec(), strides, offset / own as usize).ok()?,
        room: slot.room,
    })
}

/// The type that a word of so many elements is addressed as, or the element alone.
pub(crate) fn word_type(dtype: DType, per_word: u32) -> DType {
    if per_word > 1 { DType::U32 } else { dtype }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::expr::Expr;
    use crate::plan::{Limits, Options, Plan};

    /// Elements per word of the one pass of a plan for CPUs, where no schedule makes words.
    fn per_word(expr: &Expr<usize>, slots: &[Slot]) -> u32 {
        let limits = Limits::default().with_software(true);
        let options = Options::default().with_limits(limits);
        let plan = Plan::new(expr, slots, &options).unwrap();
        plan.audit().unwrap();
        assert_eq!(
            plan.to_string().contains("elements a word "),
            plan.passes[0].output.per_word > 1
        );
        plan.passes[0].output.per_word
    }

    fn slot(dtype: DType, shape: &[usize]) -> Slot {
        Slot::new(dtype, shape).unwrap()
    }

    #[test]
    fn passes_of_narrow_elements_work_on_words_where_no_element_crosses_lanes() {
        let sum = Expr::slot(0).add(Expr::slot(1));
        let two =
            |dtype, a: &[usize], b: &[usize]| per_word(&sum, &[slot(dtype, a), slot(dtype, b)]);
        assert_eq!(two(DType::U8, &[5, 8], &[5, 8]), 4);
        assert_eq!(two(DType::I8, &[5, 7], &[5, 7]), 4, "one row of 35");
        assert_eq!(two(DType::U8, &[5, 32], &[32]), 4);
        assert_eq!(two(DType::U8, &[5, 32], &[5, 1]), 4);
        assert_eq!(
            two(DType::U8, &[5, 20], &[5, 1]),
            1,
            "rows of 5 quads, not of 5 words"
        );
        assert_eq!(two(DType::I16, &[5, 6], &[5, 1]), 2);
        assert_eq!(two(DType::U8, &[5, 7], &[7]), 1, "rows begin inside words");
        assert_eq!(two(DType::U8, &[1], &[1]), 1);
        assert_eq!(two(DType::U32, &[8], &[8]), 1);
        assert_eq!(two(DType::F16, &[8], &[8]), 2);
        assert_eq!(two(DType::F16, &[6, 4], &[4]), 1, "rows of a quad");
    }

    #[test]
    fn steps_that_know_single_elements_work_on_parts_of_words() {
        let x = Expr::slot(0);
        let bytes = [slot(DType::U8, &[64])];
        let whole = |expr: &Expr<usize>, slots: &[Slot]| {
            let plan = Plan::new(expr, slots, &Options::default()).unwrap();
            on_whole_words(&plan.passes[0].steps, per_word(expr, slots))
        };
        assert!(whole(&x.add(x.bit_xor(&x)), &bytes));
        assert_eq!(per_word(&x.add(x.mul(&x)), &bytes), 4);
        assert!(!whole(&x.add(x.mul(&x)), &bytes));
        assert!(whole(&x.equal(&x), &bytes));
        let halves = [slot(DType::F16, &[64])];
        assert!(whole(&x.neg(), &halves) && !whole(&x.add(&x), &halves));
        assert_eq!(
            per_word(&x.equal(&x), &[slot(DType::U16, &[64])]),
            1,
            "the result is narrower"
        );
        assert_eq!(
            per_word(
                &x.slice([crate::Index::Range(None, None, -1)]).neg(),
                &bytes
            ),
            1
        );
    }

    #[test]
    fn bytes_of_others_behind_the_output_are_left() {
        let layout = |len: usize| Layout::contiguous([len]).unwrap();
        let plan = |len: usize| {
            let slots = [Slot::wrapped(DType::U8, layout(len), 1 << 10)];
            Plan::many(&[Expr::slot(0).neg()], &slots, &slots, &Options::default())
                .unwrap()
                .passes[0]
                .output
                .per_word
        };
        assert_eq!((plan(64), plan(63)), (4, 1));
    }

    #[test]
    fn numbers_fill_their_words() {
        let sum = Expr::slot(0).add(Expr::scalar(crate::Scalar::of(DType::I8, -3.0)));
        let plan = Plan::new(&sum, &[slot(DType::I8, &[9])], &Options::default()).unwrap();
        assert_eq!(plan.passes[0].scalar_words()[0], 0xfdfd_fdfd);
    }
}
