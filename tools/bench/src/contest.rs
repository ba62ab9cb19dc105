//! Contestants in turn, round by round, with a meter of the clocks between the rounds.

use std::cell::Cell;
use std::time::{Duration, Instant};

use zerostride::{Context, DType, Result, Tensor, wgpu};
use zerostride_bench::catalog;

use super::clocks::{self, Best, Clocks, Profile};
use super::device::{Raw, Timer};
use super::report::Times;

/// How long a workload is timed beyond the least number of runs, and the most runs.
const PATIENCE: (Duration, usize) = (Duration::from_millis(500), 99);
/// How long the best clock must not have risen before a workload is warm.
const SETTLED: Duration = Duration::from_millis(500);
/// Nanoseconds that a submission of a warm-up takes about.
const LOAD: f64 = 5e6;
/// How many times the least number of runs is made where the clocks are low in some.
const AGAIN: usize = 2;

/// Who takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// The plan.
    Plan,
    /// The adapter's copy.
    Copy,
    /// The copy by a kernel.
    CopyKernel,
    /// A dispatch that does nothing.
    Empty,
    /// The kernel by hand.
    Handwritten,
    /// The sum of two tensors of the result's shape.
    Same,
}

/// Records a dispatch of input set `usize` among others.
type Dispatch<'a> = Box<dyn FnMut(&mut wgpu::ComputePass<'_>, usize) -> Result<()> + 'a>;
/// Records commands on input set `usize`.
type Commands<'a> = Box<dyn FnMut(&mut wgpu::CommandEncoder, usize) + 'a>;

/// How a contestant's work on an input set is recorded.
pub enum Work<'a> {
    /// Dispatches: all of a run are in one compute pass.
    Dispatch(Dispatch<'a>),
    /// Commands outside of passes.
    Commands(Commands<'a>),
}

impl Work<'_> {
    /// Records a run on these input sets.
    pub fn record(
        &mut self,
        encoder: &mut wgpu::CommandEncoder,
        sets: &mut dyn Iterator<Item = usize>,
    ) -> Result<()> {
        match self {
            Self::Commands(record) => sets.for_each(|set| record(encoder, set)),
            Self::Dispatch(record) => {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                for set in sets {
                    record(&mut pass, set)?;
                }
            }
        }
        Ok(())
    }
}

/// What contestants are timed with.
pub struct Arena<'a> {
    timer: &'a Timer,
    profile: Profile,
    meter: Small,
    empty: Small,
    best: Cell<Best>,
}

/// A kernel of one workgroup, and what it writes.
struct Small {
    raw: Raw,
    bindings: Vec<wgpu::BindGroup>,
    _output: Tensor,
}

impl Small {
    fn new(context: &Context, kernel: &zerostride_bench::workload::Kernel) -> Result<Self> {
        let raw = Raw::new(context, kernel, None)?;
        let output = context.empty(DType::F32, [32])?;
        let bindings = raw.bind(context, &[(output.buffer()?, 128)])?;
        Ok(Self {
            raw,
            bindings,
            _output: output,
        })
    }
}

/// The times of contestants by round, and the clocks of the rounds.
pub struct Outcome {
    times: Vec<(Who, Times)>,
    /// If they were metered.
    pub clocks: Option<Clocks>,
}

impl Outcome {
    /// The times of one of them, if it took part.
    pub fn of(&self, who: Who) -> Option<Times> {
        let found = self.times.iter().find(|(other, _)| *other == who);
        found.map(|(_, times)| times.clone())
    }
}

impl<'a> Arena<'a> {
    pub fn new(context: &Context, timer: &'a Timer, profile: Profile) -> Result<Self> {
        Ok(Self {
            timer,
            profile,
            meter: Small::new(context, &catalog::meter())?,
            empty: Small::new(context, &catalog::empty())?,
            best: Cell::default(),
        })
    }

    /// An empty dispatch.
    pub fn empty(&self) -> Work<'_> {
        Work::Dispatch(Box::new(|pass, _| {
            self.empty.raw.dispatch(pass, &self.empty.bindings);
            Ok(())
        }))
    }

    /// The clock now, if it is metered.
    fn meter(&self, meters: &mut Vec<f64>) -> Result<()> {
        if self.profile.meters {
            let time = self.timer.time(&mut |encoder| {
                self.meter.raw.record(encoder, &self.meter.bindings, 1);
                Ok(())
            })?;
            let mhz = clocks::mhz(time);
            meters.push(mhz);
            self.best.set(self.best.get().and(mhz));
        }
        Ok(())
    }

    /// Nanoseconds of a run of so many repeats, divided by them.
    fn time(&self, work: &mut Work<'_>, round: usize, sets: usize, repeats: usize) -> Result<f64> {
        let places = (0..repeats).map(|k| (round * repeats + k) % sets);
        let total = self
            .timer
            .time(&mut |encoder| work.record(encoder, &mut places.clone()))?;
        Ok(total / repeats as f64)
    }

    /// Times the contestants in turn, each round beginning with another, so that none runs twice in
    /// a row. The first rounds only warm the device.
    pub fn alternate(
        &self,
        contestants: &mut [(Who, Work<'_>)],
        sets: usize,
        repeats: usize,
        runs: usize,
    ) -> Result<Outcome> {
        let count = contestants.len();
        let (start, mut round, mut meters) = (Instant::now(), 0, Vec::new());
        // A GPU that waits for its host between short submissions stays at low clocks.
        let (mut loads, mut risen, mut best) = (vec![repeats; count], start, self.best.get());
        loop {
            let (elapsed, profile) = (start.elapsed(), self.profile);
            let is_steady = risen.elapsed() >= SETTLED && self.best.get().is_steady(&meters);
            if profile.is_warm(elapsed, round, sets, is_steady) {
                break;
            }
            for ((_, work), load) in contestants.iter_mut().zip(&mut loads) {
                let time = self.time(work, round, sets, *load)?;
                *load = ((LOAD / time) as usize).min(256).max(repeats);
            }
            self.meter(&mut meters)?;
            if self.best.get().has_risen(best) {
                (risen, best) = (Instant::now(), self.best.get());
            }
            round += 1;
        }
        let mut times = vec![Vec::new(); count];
        let (start, mut round, mut meters) = (Instant::now(), 0, Vec::new());
        self.meter(&mut meters)?;
        loop {
            let rounds = clocks::of_rounds(&meters);
            let dropped = rounds
                .iter()
                .filter(|&&r| !self.best.get().counts(r))
                .count();
            let is_enough = round >= runs && (round - dropped >= runs || round >= AGAIN * runs);
            let is_patient = start.elapsed() < PATIENCE.0 && round < PATIENCE.1;
            if is_enough && !is_patient {
                break;
            }
            for c in (0..count).map(|c| (round + c) % count) {
                times[c].push(self.time(&mut contestants[c].1, round, sets, repeats)?);
            }
            self.meter(&mut meters)?;
            round += 1;
        }
        let judged = self
            .profile
            .meters
            .then(|| Clocks::new(&clocks::of_rounds(&meters), self.best.get()));
        let kept = |mut times: Vec<f64>| {
            let mut counts = judged.iter().flat_map(|(_, counts)| counts);
            times.retain(|_| counts.next() != Some(&false));
            times
        };
        let names = contestants.iter().map(|(who, _)| *who);
        Ok(Outcome {
            times: names
                .zip(times)
                .map(|(who, times)| (who, Times::new(kept(times))))
                .collect(),
            clocks: judged.map(|(clocks, _)| clocks),
        })
    }
}
