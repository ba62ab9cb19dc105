//! What passes read and write: buffers, steps and the operands of both.

use std::ops::RangeInclusive;

use super::slot::Slot;
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::op::Op;
use crate::shape::Shape;
use crate::view::Map;

/// Where a binding's bytes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Source {
    Slot(usize),
    Temporary(usize),
    /// No buffer: each element is the number of its position, as u32.
    Numbers,
}

impl Source {
    /// What errors call it.
    pub fn name_in_errors(self) -> String {
        match self {
            Self::Slot(s) => format!("input {s}"),
            Self::Temporary(_) => "an intermediate result".into(),
            Self::Numbers => "numbers".into(),
        }
    }
}

/// Where a pass writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    Output(usize),
    Temporary(usize),
}

impl Target {
    /// What errors call it.
    pub fn name_in_errors(self) -> String {
        match self {
            Self::Output(k) => format!("output {k}"),
            Self::Temporary(_) => "an intermediate result".into(),
        }
    }
}

/// An input of a pass before it is mapped: its buffer, and where its elements lie in it on the axes
/// of the pass.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub source: Source,
    pub slot: Slot,
    /// Where its elements lie if the layout leads beyond them too.
    pub within: Option<Within>,
}

/// The elements of an operand whose layout leads beyond them. What is read there is not used, and
/// addresses are kept within the binding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Within {
    /// Positions that the layout counts before the buffer's first element.
    pub before: usize,
    /// The positions of the lowest and of the highest element.
    pub low: usize,
    pub high: usize,
}

impl Operand {
    /// One whose layout leads to its elements alone.
    pub fn new(source: Source, slot: Slot) -> Self {
        Self {
            source,
            slot,
            within: None,
        }
    }

    /// One whose elements are seen through a map. `held`: the positions that its buffer has.
    pub fn seen(
        source: Source,
        slot: Slot,
        held: Option<RangeInclusive<usize>>,
        map: &Map,
    ) -> Self {
        let (own, layout) = (&slot.layout, slot.layout.through(map));
        let Some(held) = held.filter(|_| !own.is_empty() && !layout.is_empty()) else {
            return Self::new(source, slot.with_layout(layout));
        };
        let mut ends = [own.offset().cast_signed(); 2];
        let mut is_beyond = false;
        let axes = map.axes.iter().zip(own.shape().extents());
        for ((axis, &extent), &stride) in axes.zip(own.strides()) {
            let (least, most) = axis.reach(&map.shape);
            let last = extent.cast_signed() - 1;
            is_beyond |= least < 0 || most > last;
            let along = [least.clamp(0, last), most.clamp(0, last)].map(|i| i * stride);
            ends[0] += along[0].min(along[1]);
            ends[1] += along[0].max(along[1]);
        }
        let spans = layout.strides().iter().zip(layout.shape().extents());
        let spans = spans.map(|(&stride, &extent)| stride * (extent.cast_signed() - 1));
        let [mut least, mut most] = [layout.offset().cast_signed(); 2];
        for span in spans {
            least += span.min(0);
            most += span.max(0);
        }
        let [first, last] = [*held.start(), *held.end()].map(usize::cast_signed);
        if !is_beyond && first <= least && most <= last {
            return Self::new(source, slot.with_layout(layout));
        }
        let ends = ends.map(|end| end.clamp(first, last));
        let before = least.min(0).unsigned_abs();
        let [low, high] = ends.map(|end| before.wrapping_add_signed(end));
        Self {
            source,
            slot: slot.with_layout(layout.moved_down(0usize.wrapping_sub(before))),
            within: Some(Within { before, low, high }),
        }
    }

    /// Other elements of the same buffer.
    pub fn with_layout(&self, layout: Layout) -> Self {
        Self {
            slot: self.slot.clone().with_layout(layout),
            ..self.clone()
        }
    }

    /// The number of each index along some axes of a shape, in row-major order of them, as u32, seen
    /// through a map.
    pub fn numbers(shape: &Shape, axes: &[usize], map: &Map) -> Result<Self> {
        let slot = Slot::padded(DType::U32, Layout::numbered(shape, axes)?);
        let held = slot.layout.reach();
        Ok(Self::seen(Source::Numbers, slot, held, map))
    }

    /// Positions that its elements take, if it is seen beyond them.
    pub fn taken(&self) -> Option<usize> {
        match (self.source, self.within) {
            (Source::Numbers, _) => Some(0),
            (_, within) => within.map(|w| w.high - w.low + 1),
        }
    }

    /// Where its elements lie in its buffer. What is seen beyond them may lie before the first.
    pub fn placed(&self) -> Layout {
        let before = self.within.map_or(0, |within| within.before);
        self.slot.layout.moved_down(before)
    }

    /// How its elements are reached.
    pub fn access(&self) -> Access {
        match (self.source, self.within) {
            (Source::Numbers, _) => Access::Numbers,
            (_, Some(_)) => Access::Kept,
            (_, None) => Access::Plain,
        }
    }
}

/// How the elements of an input are reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    /// At their addresses.
    Plain,
    /// At addresses that may lie beyond the binding, and are kept within it.
    Kept,
    /// Not at all: they are their addresses.
    Numbers,
}

/// The output of a pass before it is mapped.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub target: Target,
    pub slot: Slot,
}

/// An operand of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Arg {
    Input(usize),
    Scalar(usize),
    Step(usize),
    /// The folded value of this number.
    Fold(usize),
    /// The number of an element along the reduced axes, as u32.
    Position,
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

/// A buffer for results of passes that later passes read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Temporary {
    pub dtype: DType,
    pub len: usize,
}
