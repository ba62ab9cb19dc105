//! The key of a kernel: everything in a pass that the kernel's source depends on.

use crate::dtype::DType;
use crate::plan::{
    Access, Accuracy, Arg, Arithmetic, FoldStep, Input, LaneLoad, Lanes, Load, MAX_UNROLLED, Pass,
    QUAD, Step, Store, Work, on_whole_words, unrolled, word_type,
};

/// The most calls that one dispatch computes: its source grows with them.
const MOST_CALLS: u32 = 8;

/// The properties of an input that a kernel's source depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyInput {
    pub dtype: DType,
    /// Elements per word if it is read by words, else 1.
    pub per_word: u32,
    pub load: Load,
    pub access: Access,
    /// Whether its base offset is nonzero: in quads for a misaligned load, else in elements.
    pub offset: bool,
    /// Whether it is the output's own elements, read through the output's binding.
    pub in_place: bool,
    /// The axes it moves along, bit k for the k-th from the innermost, if its address is computed
    /// from coordinates.
    pub axes: u16,
    /// Whether it is loaded element by element, with unit stride along the innermost axis.
    pub unit_stride: bool,
}

impl KeyInput {
    /// What a kernel's text depends on of an input.
    fn new(pass: &Pass, input: &Input, dtype: DType, in_place: bool) -> Self {
        let schedule = pass.work.schedule();
        // Through the output's binding an input is read as the output is written.
        let load = match (in_place, pass.output.store) {
            (false, _) => input.load,
            (true, Store::Wide) => Load::LINEAR,
            (true, Store::Words { .. } | Store::Shared { .. }) => Load::GATHER,
        };
        let strides = input.strides.iter().rev().take(MAX_UNROLLED);
        let moves = strides.enumerate().filter(|(_, s)| **s != 0);
        let axes = moves.fold(0, |axes, (k, _)| axes | 1 << k);
        let by_coordinates = !in_place && schedule.is_some_and(|s| load.by_coordinates(s));
        let axes = match by_coordinates && pass.extents.len() <= MAX_UNROLLED {
            true => axes,
            false => 0,
        };
        // Of a shifted input's offset the elements within a quad are known.
        let known = match load.lanes {
            LaneLoad::Vector { misaligned } => u32::from(misaligned),
            _ => 0,
        };
        let offset = input.offset != known;
        let by_element = matches!(load.lanes, LaneLoad::Periodic(_) | LaneLoad::Gather);
        let asks = !in_place && schedule.is_some_and(|s| s.lanes != Lanes::Column);
        let unit_stride = asks && by_element && input.strides.last() == Some(&1);
        Self {
            dtype,
            per_word: input.per_word,
            load,
            access: input.access,
            offset,
            in_place,
            axes,
            unit_stride,
        }
    }

    /// The type that it is read by.
    pub fn unit(&self) -> DType {
        word_type(self.dtype, self.per_word)
    }
}

/// Whether a step has another form where accuracy may be given up.
fn has_fast_form(step: &Step) -> bool {
    step.op
        .form(step.operand)
        .is_some_and(|form| form.fast.is_some())
}

/// Whether a step is written alike for a signed integer and for the unsigned one of its size: on
/// pairs of words, or on whole words of several.
fn has_no_sign(step: &Step, whole_words: bool) -> bool {
    let [one, other] = [step.operand, unsigned(step.operand)].map(|d| step.op.form(d));
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    let is_one_word = |d: &DType| matches!(d, DType::I8 | DType::I16 | DType::I32);
    match whole_words {
        true => one.packed == other.packed,
        false => {
            (one.read, one.wgsl, one.fast) == (other.read, other.wgsl, other.fast)
                && ![step.operand, step.dtype].iter().any(is_one_word)
        }
    }
}

/// The unsigned integer of a signed one's size; any other type as it is.
fn unsigned(dtype: DType) -> DType {
    match dtype.is_signed() && !dtype.is_float() {
        true => bits_of(dtype),
        false => dtype,
    }
}

/// The unsigned integer of an element's size.
fn bits_of(dtype: DType) -> DType {
    match dtype.size() {
        1 => DType::U8,
        2 => DType::U16,
        4 => DType::U32,
        _ => DType::U64,
    }
}

/// Everything that a kernel's source, and so its pipeline, depends on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KernelKey {
    pub inputs: Vec<KeyInput>,
    pub scalars: Vec<DType>,
    pub steps: Vec<Step>,
    pub folds: Vec<FoldStep>,
    pub result: Arg,
    /// The type that the output is written by: the elements', or words if the kernel works on
    /// those.
    pub output: DType,
    /// Elements per word if it works on words, else 1.
    pub per_word: u32,
    pub store: Store,
    /// Whether the output's first element is not at the binding's start.
    pub output_offset: bool,
    pub work: Work,
    /// The canonical rank the kernel is unrolled for; `None` loops.
    pub rank: Option<usize>,
    pub accuracy: Accuracy,
    /// Whether 64-bit elements are computed with the adapter's own 64-bit types.
    pub native: bool,
    /// Whether integers compute doubles.
    pub soft: bool,
    /// The properties of the adapter's floats that the kernel relies on.
    pub floats: Arithmetic,
    /// Whether the scalars are immediate data, not a uniform.
    pub immediate: bool,
    /// Calls that a dispatch computes, each on buffers of its own, one along z of the grid.
    pub calls: u32,
}

impl KernelKey {
    /// The key of a pass. `in_place`: which inputs are the output's own elements.
    pub fn new(pass: &Pass, in_place: &[bool]) -> Self {
        // Elements that are only moved have no type but their size's.
        let schedule = pass.work.schedule();
        let moves = pass.steps.is_empty() && schedule.is_some();
        let whole_words = on_whole_words(&pass.steps, pass.output.per_word);
        // Others that are written alike for both have no sign.
        let has_no_sign =
            schedule.is_some() && pass.steps.iter().all(|s| has_no_sign(s, whole_words));
        let typed = |dtype: DType| match (moves, has_no_sign) {
            (true, _) => bits_of(dtype),
            (false, true) => unsigned(dtype),
            (false, false) => dtype,
        };
        let step = |step: &Step| Step {
            operand: typed(step.operand),
            dtype: typed(step.dtype),
            ..step.clone()
        };
        let inputs = pass.inputs.iter().enumerate().map(|(i, input)| {
            let in_place = in_place.get(i).copied().unwrap_or(false);
            let dtype = typed(input.dtype);
            KeyInput::new(pass, input, dtype, in_place)
        });
        Self {
            inputs: inputs.collect(),
            scalars: pass
                .scalars
                .iter()
                .map(|s| match whole_words {
                    true => word_type(typed(s.dtype), pass.output.per_word),
                    false => typed(s.dtype),
                })
                .collect(),
            steps: pass.steps.iter().map(step).collect(),
            folds: pass.folds.clone(),
            result: pass.result,
            output: word_type(typed(pass.output.dtype), pass.output.per_word),
            per_word: pass.output.per_word,
            // By how much is a word of the table.
            store: match pass.output.store {
                Store::Words { shift } => Store::Words {
                    shift: shift.min(1),
                },
                store @ (Store::Wide | Store::Shared { .. }) => store,
            },
            output_offset: pass.output.offset != 0,
            work: pass.work,
            rank: match schedule {
                _ if pass.work.fold().is_some() => Some(pass.extents.len()),
                Some(s) if s.lanes == Lanes::Line => Some(1),
                _ => unrolled(pass.extents.len()),
            },
            accuracy: match pass.steps.iter().any(has_fast_form) {
                true => pass.accuracy,
                false => Accuracy::Precise,
            },
            native: pass.native,
            soft: pass.soft,
            floats: pass.floats,
            immediate: pass.immediate,
            calls: 1,
        }
    }

    /// The key of the kernel that computes as many calls of this one at once as an adapter has
    /// bindings for; `None` if that is one.
    pub fn grouped(&self, max_storage_buffers: u32) -> Option<Self> {
        let inputs = u32::try_from(self.inputs.len()).ok()?;
        let calls = MOST_CALLS.min(max_storage_buffers / (inputs + 1));
        let schedule = self.work.schedule().filter(|_| self.store == Store::Wide)?;
        let is_separate = |input: &KeyInput| !input.in_place && input.access == Access::Plain;
        let separate = self.inputs.iter().all(is_separate);
        (separate && calls > 1).then(|| Self {
            calls,
            work: Work::Map(schedule.narrow()),
            ..self.clone()
        })
    }

    /// Whether it works on words, but its steps on the elements of each part of them in turn.
    pub fn in_parts(&self) -> bool {
        self.per_word > 1 && !on_whole_words(&self.steps, self.per_word)
    }

    /// The type of a value.
    pub fn dtype(&self, arg: Arg) -> DType {
        match arg {
            Arg::Input(i) => self.inputs[i].dtype,
            Arg::Scalar(k) => self.scalars[k],
            Arg::Step(j) => self.steps[j].dtype,
            Arg::Fold(k) => self.folds[k].dtype,
            Arg::Position => DType::U32,
        }
    }

    /// Bytes of input `i`'s unit of addresses: a word if it is mapped as words, else an element.
    pub fn addressed_size(&self, i: usize) -> usize {
        let input = &self.inputs[i];
        let in_pieces = matches!(input.load.lanes, LaneLoad::Straddling | LaneLoad::Unaligned);
        // Words that end within a row are made of elements that are addressed by themselves.
        match in_pieces && self.unit() as usize > QUAD {
            true => input.dtype.size(),
            false => input.unit().size(),
        }
    }

    /// Elements that an invocation loads and stores at a time.
    pub fn unit(&self) -> u32 {
        self.work.schedule().map_or(QUAD as u32, |s| s.unit)
    }

    /// Whether indices are divided by 64-bit integers.
    pub fn divides_wide(&self) -> bool {
        self.work.schedule().is_some_and(|s| s.wide_division)
    }

    /// Rows of four words that the scalars take, a word or two each.
    pub fn scalar_rows(&self) -> usize {
        self.scalar_word(self.scalars.len()).div_ceil(4)
    }

    /// The first word of scalar `k`.
    pub fn scalar_word(&self, k: usize) -> usize {
        self.scalars[..k].iter().map(|d| d.size().div_ceil(4)).sum()
    }
}
