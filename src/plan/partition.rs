//! Parts of an expression that are computed apart: by other devices, by other processes, or one
//! after another.

use std::ops::Range;

use super::Plan;
use super::boxes::Window;
use super::options::Options;
use super::planner::{Planner, graph};
use super::reads::reads;
use super::slot::Slot;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Expr, Graph, GraphKind, GraphNode, Scalar};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::view::Map;

/// An expression that is computed in parts. The parts need nothing of each other, and their
/// elements one after another are the whole result, bit for bit.
///
/// ```
/// use zerostride::Partition;
/// use zerostride::{DType, Expr, Options, Slot};
///
/// let slots = [Slot::new(DType::F32, [1000, 64])?, Slot::new(DType::F32, [64])?];
/// let sum = Expr::slot(0).add(&Expr::slot(1));
/// let partition = Partition::new(&sum, &slots, &Options::default())?;
/// let part = partition.part(1, 4)?;
/// // The second quarter: rows 250 to 500 of the first input, all of the second.
/// assert_eq!(part.elements, 16_000..32_000);
/// assert_eq!(part.inputs, [16_000..32_000, 0..64]);
/// # Ok::<(), zerostride::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Partition {
    pub(super) graph: Graph,
    pub(super) slots: Vec<Slot>,
    pub(super) options: Options,
}

/// One part of a [`Partition`]: a box with one index along outer axes, a range along one, and all
/// of the inner ones.
#[derive(Clone, Debug)]
pub struct Part {
    /// The elements it computes, by their number in row-major order of the whole result.
    pub elements: Range<usize>,
    /// Its shape: the result's rank, smaller extents.
    pub shape: Shape,
    /// What it needs of each input: positions in elements from the start of the input's buffer (or
    /// file), empty if it needs nothing. The elements that [`plan`](Self::plan) takes as that
    /// input are these and no others.
    pub inputs: Vec<Range<usize>>,
    /// The plan. Each of its inputs is one axis of the elements of that range; its output has the
    /// part's shape.
    pub plan: Plan,
}

impl Partition {
    /// Prepares one expression whose leaves are the numbers of `slots`.
    ///
    /// # Errors
    /// [`Error::Argument`] for a slot that is not there, or a literal outside its type;
    /// [`Error::Arity`], [`Error::DType`] and [`Error::MixedDTypes`] for operands
    /// that an operator does not take; [`Error::Extents`], [`Error::Rank`] and [`Error::Axis`] for
    /// shapes that a rule does not align; [`Error::View`]; [`Error::TooManyElements`]. All of these
    /// may be in an [`Error::At`] with the column of the text.
    pub fn new(expr: &Expr<usize>, slots: &[Slot], options: &Options) -> Result<Self> {
        let graph = graph(std::slice::from_ref(expr), slots, options)?;
        Ok(Self {
            graph,
            slots: slots.to_vec(),
            options: *options,
        })
    }

    /// The shape of the whole result.
    pub fn shape(&self) -> &Shape {
        &self.root().shape
    }

    /// The element type of the result.
    pub fn dtype(&self) -> DType {
        self.root().dtype
    }

    fn root(&self) -> &GraphNode {
        &self.graph.nodes[self.graph.roots[0]]
    }

    /// Part `k` of `n`, counted from 0. Where the outermost axis has at least `n` indices the parts
    /// are ranges of it that differ by one index at most; else its indices are dealt to parts,
    /// which share an index along inner axes. With more parts than elements some are empty.
    ///
    /// # Errors
    /// [`Error::Argument`] if there is no such part; [`Error::TooLarge`], [`Error::Buffer`] and
    /// [`Error::TooManyElements`] as [`Plan::new`] has them.
    pub fn part(&self, k: usize, n: usize) -> Result<Part> {
        if k >= n {
            return Err(no_part(k, n));
        }
        self.part_of(&self.share(k, n), &vec![false; self.slots.len()])
    }

    /// The box of part `k` of `n`.
    pub(super) fn share(&self, k: usize, n: usize) -> Window {
        if self.shape().rank() == 0 && k > 0 {
            // A single element belongs to the first part.
            return Window {
                start: vec![1],
                extents: vec![0],
            };
        }
        share(self.shape().extents(), k, n)
    }

    /// All `n` parts, in order.
    ///
    /// # Errors
    /// [`Error::Argument`] for no parts at all; [`Error::TooLarge`], [`Error::Buffer`] and
    /// [`Error::TooManyElements`] as [`Plan::new`] has them.
    pub fn parts(&self, n: usize) -> Result<Vec<Part>> {
        if n == 0 {
            return Err(Error::argument("parts", "a result has at least 1 part"));
        }
        (0..n).map(|k| self.part(k, n)).collect()
    }

    /// The part that is a window. Inputs that are kept `whole` are needed as a whole, whatever the
    /// window reaches.
    pub(crate) fn part_of(&self, window: &Window, whole: &[bool]) -> Result<Part> {
        let shape = Shape::from(window.extents.clone());
        let first = match self.shape().rank() {
            0 => window.start.first().copied().unwrap_or(0),
            _ => window.first(self.shape().extents()),
        };
        let empty = shape.is_empty();
        let graph = if empty {
            self.nothing(&shape)
        } else {
            self.graph.restricted(&window.start, &window.extents)
        };
        let layouts: Vec<Layout> = self.slots.iter().map(|s| s.layout.clone()).collect();
        let mut inputs = vec![0..0; self.slots.len()];
        for read in reads(&graph, &self.slots, &layouts)? {
            join(&mut inputs[read.slot], &read.layout, read.span);
        }
        for i in (0..inputs.len()).filter(|&i| whole[i] && !empty) {
            join(&mut inputs[i], &self.slots[i].layout, 0);
        }
        let flat = |(slot, range): (&Slot, &Range<usize>)| Slot::new(slot.dtype, [range.len()]);
        let slots = self.slots.iter().zip(&inputs).map(flat);
        let slots: Vec<Slot> = slots.collect::<Result<_>>()?;
        let of_inputs = layouts.iter().zip(&inputs);
        let layouts = of_inputs.map(|(l, range)| l.moved_down(range.start));
        let layouts: Vec<Layout> = layouts.collect();
        let plan = Planner::new(&graph, &slots, &layouts, &self.options, &[])?.plan(&[])?;
        Ok(Part {
            elements: first..first + shape.len()?,
            shape,
            inputs,
            plan,
        })
    }

    /// A result without elements.
    fn nothing(&self, shape: &Shape) -> Graph {
        let map = Map::new(shape.clone(), Vec::new());
        let number = GraphKind::Scalar(Scalar::of_bits(self.dtype(), 0));
        let zero = GraphNode::new(number, self.dtype(), Shape::scalar(), Vec::new());
        let args = vec![(0, map)];
        Graph {
            nodes: vec![
                zero,
                GraphNode::new(GraphKind::Alias, self.dtype(), shape.clone(), args),
            ],
            roots: vec![1],
            ..Graph::default()
        }
    }
}

impl Part {
    /// The range of bytes of a whole input that this part's plan takes.
    pub fn bytes(&self, input: usize, dtype: DType) -> Range<usize> {
        let Range { start, end } = self.inputs[input];
        start * dtype.size()..end * dtype.size()
    }
}

pub(super) fn no_part(k: usize, n: usize) -> Error {
    let reason = format!("part {k} of {n} does not exist; parts are counted from 0");
    Error::argument("part", reason)
}

/// Widens a range so that it holds what a layout reaches, and so many elements more.
fn join(range: &mut Range<usize>, layout: &Layout, span: usize) {
    if let Some(reach) = layout.reach() {
        let (low, high) = (*reach.start(), *reach.end() + span + 1);
        *range = if range.start == range.end {
            low..high
        } else {
            range.start.min(low)..range.end.max(high)
        };
    }
}

/// The box of part `k` of `n`.
fn share(extents: &[usize], mut k: usize, mut n: usize) -> Window {
    let mut window = Window::whole(extents);
    let scaled = |a: usize, b: usize, c: usize| (a as u128 * b as u128 / c as u128) as usize;
    for (axis, &extent) in extents.iter().enumerate() {
        if n <= extent || axis + 1 == extents.len() || extent == 0 {
            let (start, end) = (scaled(extent, k, n), scaled(extent, k + 1, n));
            (window.start[axis], window.extents[axis]) = (start, end - start);
            return window;
        }
        // Index `i` has the parts from `ceil(i * n / extent)` on.
        let index = scaled(k, extent, n);
        let first = |i: usize| (i as u128 * n as u128).div_ceil(extent as u128) as usize;
        (window.start[axis], window.extents[axis]) = (index, 1);
        (k, n) = (k - first(index), first(index + 1) - first(index));
    }
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn parts_are_neighbours_and_cover_the_result(
            extents in prop::collection::vec(0usize..9, 0..4), n in 1usize..40,
        ) {
            let len: usize = extents.iter().product();
            let mut at = 0;
            for k in 0..n {
                let window = share(&extents, k, n);
                let part: usize = window.extents.iter().product();
                if extents.is_empty() {
                    continue;
                }
                if part > 0 {
                    prop_assert_eq!(window.first(&extents), at);
                }
                at += part;
            }
            prop_assert!(extents.is_empty() || at == len);
        }
    }

    #[test]
    fn few_rows_are_shared_along_the_inner_axis() {
        let lens: Vec<usize> = (0..16)
            .map(|k| share(&[3, 1000], k, 16).extents[1])
            .collect();
        assert_eq!(lens.iter().sum::<usize>(), 3000);
        assert!(lens.iter().all(|l| (166..=200).contains(l)), "{lens:?}");
    }
}
