//! Elementwise steps behind a matrix product: its kernel computes them where it stores.

use std::collections::BTreeSet;

use super::body::Body;
use super::checks::max_inputs;
use super::mapped::{Candidates, Input, Mapped, Output, Work};
use super::operand::{Access, Arg, Source, Target};
use super::pass::Pass;
use super::planner::Planner;
use super::product::{CONTRACT, ContractHeader, ROWS};
use super::schedule::Load;
use super::store::Store;
use super::table::with_axes;
use crate::error::Result;
use crate::layout::Layout;

/// Which passes read and write what, by their numbers.
struct Uses {
    /// The passes that read each temporary, once for each time.
    readers: Vec<Vec<usize>>,
    /// The passes that write outputs that a caller has named, in order.
    named: Vec<usize>,
}

impl Uses {
    fn new(planner: &Planner<'_>, named: usize) -> Self {
        let mut readers = vec![Vec::new(); planner.temporaries.len()];
        for (n, pass) in planner.passes.iter().enumerate() {
            pass.reads().for_each(|t| readers[t].push(n));
        }
        let is_named = |(_, pass): &(usize, &Pass)| {
            let group = pass.window.map(|w| planner.groups[w.group].target);
            matches!(group.unwrap_or(pass.output.target), Target::Output(k) if k < named)
        };
        let passes = planner.passes.iter().enumerate();
        Self {
            readers,
            named: passes.filter(is_named).map(|(n, _)| n).collect(),
        }
    }

    /// Whether a pass from the first to the last of these writes a named output.
    fn writes_named(&self, first: usize, last: usize) -> bool {
        let next = self.named.partition_point(|&n| n < first);
        self.named.get(next).is_some_and(|&n| n <= last)
    }
}

impl Planner<'_> {
    /// Gives products the steps of the one pass that reads each, if it does so element by element. An
    /// output that a caller has named, one of the first `named`, keeps its pass: its buffer may be a
    /// factor's.
    pub(super) fn join_epilogues(&mut self, named: usize) -> Result<()> {
        let uses = Uses::new(self, named);
        let (mut joined, mut temporaries) = (BTreeSet::new(), BTreeSet::new());
        for p in 0..self.passes.len() {
            let Target::Temporary(t) = self.passes[p].output.target else {
                continue;
            };
            if let Some((reader, pass)) = self.with_epilogue(p, t, &uses)? {
                self.passes[reader] = pass;
                joined.insert(p);
                temporaries.insert(t);
            }
        }
        self.sources.cuts.retain(|_, t| !temporaries.contains(t));
        remove(&mut self.passes, &joined);
        remove(&mut self.computed, &joined);
        Ok(())
    }

    /// The product of pass `p`, which writes temporary `t`, with the steps of its one reader, and the number of that.
    fn with_epilogue(&self, p: usize, t: usize, uses: &Uses) -> Result<Option<(usize, Pass)>> {
        let product = &self.passes[p];
        let is_whole = |pass: &Pass| pass.window.is_none();
        let is_alone = product.steps.is_empty() && is_whole(product);
        // Where a schedule is named, elementwise passes have it.
        if !product.work.multiplies() || !is_alone || self.options.schedule.is_some() {
            return Ok(None);
        }
        let [reader] = uses.readers[t][..] else {
            return Ok(None);
        };
        let steps = &self.passes[reader];
        let is_elementwise = matches!(steps.work, Work::Map(_)) && is_whole(steps);
        // Nothing that the product reads may be written before it.
        if !is_elementwise || uses.writes_named(p, reader) {
            return Ok(None);
        }
        let pass = self.joined(product, steps, Source::Temporary(t))?;
        Ok(pass.map(|pass| (reader, pass)))
    }

    /// A product and steps on its elements as one pass; none if the steps see it or write their results in another
    /// order, or if the limits allow no such pass.
    fn joined(&self, product: &Pass, steps: &Pass, own: Source) -> Result<Option<Pass>> {
        let limits = self.limits();
        let axes = &product.extents[..product.extents.len() - 1];
        let row_major = Layout::contiguous(axes.to_vec())?;
        let in_order =
            |layout: &Layout| along(layout, axes).as_deref() == Some(row_major.strides());
        let result = &steps.output.layout;
        let mut seen = steps.inputs.iter().filter(|x| x.source == own);
        if !in_order(result) || !seen.all(|x| in_order(&x.layout) && x.layout.offset() == 0) {
            return Ok(None);
        }
        let mut inputs = product.inputs.clone();
        let mut args = Vec::with_capacity(steps.inputs.len());
        for input in &steps.inputs {
            if input.source == own {
                args.push(Arg::Fold(0));
                continue;
            }
            let Some(input) = at_elements(input, axes) else {
                return Ok(None);
            };
            args.push(Arg::Input(inputs.len()));
            inputs.push(input);
        }
        let body = Body {
            scalars: steps.scalars.clone(),
            steps: steps.steps.clone(),
            result: Some(steps.result),
            folds: product.folds.clone(),
            ..Body::default()
        }
        .with_inputs(&args);
        let bound = inputs.iter().filter(|x| x.access != Access::Numbers);
        let len = result.len();
        let turns = product.turns + ROWS * body.turns(limits);
        if bound.count() > max_inputs(limits)
            || len > limits.elements(body.is_dense())
            || turns > limits.profile().turns
        {
            return Ok(None);
        }
        let [rows, columns] = [2, 1].map(|k| axes[axes.len() - k]);
        let output = Output {
            store: match steps.output.dtype.size() {
                1 | 2 => Store::Shared { quads: true },
                _ => Store::Words { shift: 0 },
            },
            offset: place(result, steps.output.range.start, steps.output.dtype.size()),
            per_word: 1,
            ..steps.output.clone()
        };
        let header = ContractHeader::of([rows, columns], output.offset, limits);
        let mapped = Mapped {
            inputs,
            output,
            extents: product.extents.clone(),
            work: Work::Own(&CONTRACT),
            candidates: Candidates::NONE,
            grid: product.grid,
            turns,
        };
        let table = with_axes(&mapped, header.words());
        Pass::new(mapped, table, steps.shape.clone(), body, self.options).map(Some)
    }
}

/// Removes the elements at these places.
fn remove<T>(all: &mut Vec<T>, places: &BTreeSet<usize>) {
    let mut place = 0..;
    all.retain(|_| !place.next().is_some_and(|n| places.contains(&n)));
}

/// The strides of a layout along these axes, if each stands for one of its own, or for several that are one in memory.
fn along(layout: &Layout, axes: &[usize]) -> Option<Vec<isize>> {
    let own = layout.shape().extents().iter().zip(layout.strides());
    let mut own = own.filter(|(extent, _)| **extent > 1);
    let mut strides = Vec::with_capacity(axes.len());
    for &axis in axes {
        let (mut len, mut stride) = (1, 0);
        while len < axis {
            let (&extent, &next) = own.next()?;
            if len > 1 && stride != next * extent.cast_signed() {
                return None;
            }
            (len, stride) = (len * extent, next);
        }
        if len > axis {
            return None;
        }
        strides.push(stride);
    }
    own.next().is_none().then_some(strides)
}

/// Where the first element of a layout lies in a binding that begins at a byte; below it, as sums of 32 bits
/// wrap.
fn place(layout: &Layout, start: u64, size: usize) -> u32 {
    layout.offset().wrapping_sub(start as usize / size) as u32
}

/// An input of steps as their product reads it: at the batch, row and column of an element.
fn at_elements(input: &Input, axes: &[usize]) -> Option<Input> {
    let mut strides = along(&input.layout, axes)?;
    strides.push(0);
    Some(Input {
        strides,
        load: Load::GATHER,
        offset: place(&input.layout, input.range.start, input.dtype.size()),
        per_word: 1,
        ..input.clone()
    })
}
