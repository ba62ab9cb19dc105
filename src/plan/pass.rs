//! A pass: one dispatch with everything that is known of it before a device is touched.

use super::arithmetic::Arithmetic;
use super::body::Body;
use super::fold::FoldStep;
use super::mapped::{Candidates, Input, Mapped, Output, Work};
use super::merges::Merges;
use super::operand::{Access, Arg, Source, Step};
use super::options::{Accuracy, Options};
use super::schedule::Spread;
use super::windowed::{Place, Role};
use super::words::on_whole_words;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Literal, Scalar};
use crate::layout::Layout;
use crate::shape::Shape;

/// One dispatch.
#[derive(Clone, Debug)]
pub(crate) struct Pass {
    pub shape: Shape,
    pub inputs: Vec<Input>,
    pub scalars: Vec<Scalar>,
    pub steps: Vec<Step>,
    pub folds: Vec<FoldStep>,
    /// The axes of what it folds that are reduced.
    pub reduced: Vec<usize>,
    pub result: Arg,
    pub output: Output,
    /// Canonical extents, outermost first, the last in units of the output's.
    pub extents: Vec<usize>,
    pub work: Work,
    pub candidates: Candidates,
    /// Workgroups along x, y, z.
    pub grid: [u32; 3],
    /// Turns of loops that an invocation takes at most.
    pub turns: usize,
    /// The uniform table.
    pub table: Vec<u32>,
    pub accuracy: Accuracy,
    /// Whether 64-bit elements are computed with the adapter's own 64-bit types.
    pub native: bool,
    /// Whether integers compute doubles.
    pub soft: bool,
    /// What it makes use of that is known of the adapter's floats.
    pub floats: Arithmetic,
    /// Whether its scalars are immediate data, not a uniform.
    pub immediate: bool,
    /// The window of a larger result that it works for.
    pub window: Option<Place>,
}

impl Pass {
    pub(super) fn new(
        mapped: Mapped,
        table: Vec<u32>,
        shape: Shape,
        body: Body,
        options: &Options,
    ) -> Result<Self> {
        let result = body
            .result
            .ok_or_else(|| Error::argument("plan", "the expression has no result"))?;
        let limits = &options.limits;
        let is_half = |x: &Input| x.dtype == DType::F16;
        let half_factors = mapped.work.multiplies() && mapped.inputs[..2].iter().any(is_half);
        let wide_fold = body.folds.iter().any(|fold| fold.dtype.size() == 8);
        let wide = wide_fold || body.steps.iter().any(Step::is_wide);
        let doubles = body.steps.iter().any(|s| s.op.needs_f64(s.operand))
            || body
                .folds
                .iter()
                .any(|fold| fold.op.row().needs_f64(fold.dtype))
            || mapped.work.multiplies() && body.folds.iter().any(|fold| fold.dtype == DType::F64);
        let soft = doubles && !limits.float64;
        let mut floats = limits
            .arithmetic
            .used_by(&body.steps, &body.folds, half_factors);
        if soft {
            floats.doubles = Merges::UNKNOWN;
        }
        let mut pass = Self {
            shape,
            inputs: mapped.inputs,
            floats,
            scalars: body.scalars,
            steps: body.steps,
            folds: body.folds,
            reduced: body.reduced,
            result,
            output: mapped.output,
            extents: mapped.extents,
            work: mapped.work,
            candidates: mapped.candidates,
            grid: mapped.grid,
            turns: mapped.turns,
            table,
            accuracy: options.accuracy,
            native: limits.int64 && wide,
            soft,
            immediate: false,
            window: None,
        };
        let bytes = pass.scalar_words().len() * 4;
        pass.immediate = (1..=limits.max_immediates as usize).contains(&bytes);
        Ok(pass)
    }

    /// The elements of the result `whole` of its group that this pass writes, or all of `whole` if
    /// it belongs to none; `None` for a pass that gathers.
    pub(crate) fn output_layout(&self, whole: &Layout) -> Option<Layout> {
        match self.window {
            None => Some(whole.clone()),
            Some(Place {
                role: Role::Gather, ..
            }) => None,
            Some(place) => {
                let own = &self.output.layout;
                let first = whole.offset() + place.first;
                Layout::new(own.shape().clone(), own.strides().to_vec(), first).ok()
            }
        }
    }

    /// The temporaries it reads.
    pub(super) fn reads(&self) -> impl Iterator<Item = usize> + '_ {
        self.inputs.iter().filter_map(|i| match i.source {
            Source::Temporary(t) => Some(t),
            Source::Slot(_) | Source::Numbers => None,
        })
    }

    /// The words of its scalars: one or two each, in whole rows of four. A narrow one fills its
    /// word if the steps work on whole words.
    pub fn scalar_words(&self) -> Vec<u32> {
        self.words_of(&self.scalars)
    }

    /// The same if a run's numbers are these.
    pub fn words_with(&self, numbers: &[Literal]) -> Result<Vec<u32>> {
        Ok(self.words_of(&self.given_scalars(numbers)?))
    }

    fn words_of(&self, scalars: &[Scalar]) -> Vec<u32> {
        let per_word = match on_whole_words(&self.steps, self.output.per_word) {
            true => self.output.per_word,
            false => 1,
        };
        let each = |s: &Scalar| {
            let low = s.bits as u32;
            let low = (1..per_word).fold(low, |word, k| word | low << (k * u32::BITS / per_word));
            [low, (s.bits >> 32) as u32]
                .into_iter()
                .take(s.dtype.size().div_ceil(4))
        };
        let mut words: Vec<u32> = scalars.iter().flat_map(each).collect();
        words.resize(words.len().next_multiple_of(4), 0);
        words
    }

    /// Bytes of distinct elements read, and of elements written.
    pub fn bytes_moved(&self) -> u64 {
        let distinct = |input: &Input| {
            if input.source == Source::Numbers {
                return 0;
            }
            let extents = input.layout.shape().extents().iter();
            let walked = extents
                .zip(input.layout.strides())
                .filter(|(_, s)| **s != 0);
            let elements: u64 = walked.map(|(e, _)| *e as u64).product();
            let walked = elements * input.dtype.size() as u64;
            match input.access {
                Access::Kept => walked.min(input.range.size),
                Access::Plain | Access::Numbers => walked,
            }
        };
        if self.shape.is_empty() {
            return 0;
        }
        let elements: u64 = self.shape.extents().iter().map(|&e| e as u64).product();
        let written = elements * self.output.dtype.size() as u64;
        self.inputs.iter().map(distinct).sum::<u64>() + written
    }

    /// Workgroups along x and y if they are [narrow](Schedule::narrow); `None` if a grid of
    /// two axes does not do.
    pub fn narrow_grid(&self) -> Option<[u32; 2]> {
        let schedule = self.work.schedule()?.narrow();
        if schedule.spread != Spread::Consecutive {
            return (self.grid[2] == 1).then_some([self.grid[0], self.grid[1]]);
        }
        let shift = self.output.store.shift() as usize;
        let [x, y] = schedule.workgroups(&self.extents, shift);
        Some([x as u32, y as u32])
    }
}
