//! A pass: one dispatch with everything that is known of it before a device is touched.

use super::lower::Body;
use super::mapping::{Access, Mapped, Mapping, Store};
use super::window::Place;
use super::{Accuracy, Options, table};
use crate::dtype::{Class, DType};
use crate::expr::Scalar;
use crate::layout::Layout;
use crate::op::Op;
use crate::shape::Shape;

/// Where a binding's bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Source {
    Slot(usize),
    Temporary(usize),
}

/// Where a pass writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Output(usize),
    Temporary(usize),
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arg {
    Input(usize),
    Scalar(usize),
    Step(usize),
}

/// One operator of a pass.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Step {
    pub op: Op,
    pub args: Vec<Arg>,
    /// The type of its data operands.
    pub operand: DType,
    /// The type of its result.
    pub dtype: DType,
}

impl Step {
    /// Whether it computes with 64-bit elements.
    pub(super) fn is_wide(&self) -> bool {
        self.operand.size() == 8 || self.dtype.size() == 8
    }
}

/// The bytes of a buffer that a binding covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Range {
    pub start: u64,
    pub size: u64,
}

/// An input of a pass.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub source: Source,
    pub dtype: DType,
    /// On the axes of the pass, before canonicalisation.
    pub layout: Layout,
    /// Along the canonical axes, in units of `lanes` elements.
    pub strides: Vec<isize>,
    pub access: Access,
    pub range: Range,
    /// Of the element at index 0, in such units from the binding's start.
    pub offset: u32,
    /// Elements addressed at once: those of a word where a pass works on words, else 1.
    pub per_word: u32,
}

/// The output of a pass.
#[derive(Clone, Debug)]
pub(crate) struct Output {
    pub target: Target,
    pub dtype: DType,
    pub store: Store,
    pub range: Range,
    /// Of its first element, in units of `lanes` elements from the binding's start.
    pub offset: u32,
    /// Elements addressed at once.
    pub per_word: u32,
    /// Of a matrix product, how its rows lie in the output.
    pub rows: Option<Rows>,
}

/// How the rows that a matrix product computes lie in its output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rows {
    /// Elements from one row to the next.
    pub pitch: u32,
    /// Whether the products are added to what is there.
    pub adds: bool,
}

/// One dispatch.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub shape: Shape,
    pub inputs: Vec<Input>,
    pub scalars: Vec<Scalar>,
    pub steps: Vec<Step>,
    pub result: Arg,
    pub output: Output,
    /// Canonical extents, outermost first, the last in units of the output's.
    pub extents: Vec<usize>,
    pub mapping: Mapping,
    /// Workgroups along x, y, z.
    pub grid: [u32; 3],
    /// The uniform table.
    pub table: Vec<u32>,
    pub accuracy: Accuracy,
    /// Whether 64-bit elements are computed with the adapter's own 64-bit types.
    pub native: bool,
    /// Whether floats are compared as such, since the adapter keeps subnormal numbers.
    pub subnormals: bool,
    /// Whether its scalars are immediate data, not a uniform.
    pub immediate: bool,
    /// The window of a larger result that it works for.
    pub window: Option<Place>,
}

/// A buffer for results of passes that later passes read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Temporary {
    pub dtype: DType,
    pub len: usize,
}

impl Pass {
    pub(super) fn new(
        mapped: Mapped,
        shape: Shape,
        body: Body,
        result: Arg,
        options: &Options,
        native: bool,
    ) -> Self {
        let table = table::words(&mapped);
        let subnormals =
            options.limits.subnormals && body.steps.iter().any(|s| s.operand.class() == Class::F32);
        let mut pass = Self {
            shape,
            inputs: mapped.inputs,
            scalars: body.scalars,
            steps: body.steps,
            result,
            output: mapped.output,
            extents: mapped.extents,
            mapping: mapped.mapping,
            grid: mapped.grid,
            table,
            accuracy: options.accuracy,
            native,
            subnormals,
            immediate: false,
            window: None,
        };
        let bytes = pass.scalar_words().len() * 4;
        pass.immediate = (1..=options.limits.max_immediates as usize).contains(&bytes);
        pass
    }

    /// The words of its scalars: one or two each, in whole rows of four. A narrow one fills its
    /// word where the pass works on words.
    pub fn scalar_words(&self) -> Vec<u32> {
        let per_word = self.output.per_word;
        let each = |s: &Scalar| {
            let low = s.bits as u32;
            let low = (1..per_word).fold(low, |word, k| word | low << (k * u32::BITS / per_word));
            [low, (s.bits >> 32) as u32]
                .into_iter()
                .take(s.dtype.size().div_ceil(4))
        };
        let mut words: Vec<u32> = self.scalars.iter().flat_map(each).collect();
        words.resize(words.len().next_multiple_of(4), 0);
        words
    }

    /// Bytes of distinct elements read, and of elements written.
    pub fn bytes_moved(&self) -> u64 {
        let distinct = |input: &Input| {
            let walked = input
                .layout
                .shape()
                .extents()
                .iter()
                .zip(input.layout.strides())
                .filter(|(_, s)| **s != 0);
            walked.map(|(e, _)| *e as u64).product::<u64>() * input.dtype.size() as u64
        };
        if self.shape.is_empty() {
            return 0;
        }
        let written = self
            .shape
            .extents()
            .iter()
            .map(|&e| e as u64)
            .product::<u64>()
            * self.output.dtype.size() as u64;
        self.inputs.iter().map(distinct).sum::<u64>() + written
    }
}
