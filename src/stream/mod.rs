//! Expressions over arrays that are larger than the device's or the machine's memory, from file to
//! file.
//!
//! The result is cut into windows, each a run of it in row-major order. While one is computed, the
//! inputs of the next are read by position and the elements of the one before are written by
//! position. An input that every window reads alike is uploaded once, and so are small ones. The
//! output is complete or absent: it is written to a temporary file beside the target, which is
//! renamed at the end and removed if anything fails.
//!
//! # What the memory bound covers
//! All elements that a run holds at a time, on the host and on the device together (on an
//! integrated or software adapter both are the machine's memory): two windows with what is read for
//! them, wgpu's staging memory, the device's buffers and what is read back, intermediate results,
//! and the inputs that stay on the device. It does not cover the program, the driver and its
//! kernels, and inputs that the caller already holds in memory.
//!
//! # Reductions
//! A reduction whose rows fit is computed with the window that needs them. A larger one (of
//! columns, of everything) is computed before the result, piece by piece, by reading its operand
//! once more; its result is an input of the steps after it. Results of more than an eighth of the
//! memory are kept in a temporary file beside the output. Files of operands may have any order.
//!
//! # What can be streamed
//! Inputs whose elements lie in files in the order of the result's outer axes: C order if the
//! expression permutes nothing. An input in another order would be read over and over, which is an
//! error unless it is small enough to stay on the device.
//!
//! ```no_run
//! use zerostride::npy::NpyFile;
//! use zerostride::stream::{Input, Stream};
//! use zerostride::{Context, Expr};
//!
//! # fn main() -> zerostride::Result<()> {
//! let context = Context::request_blocking()?;
//! let [x, y] = [NpyFile::open("x.npy", None)?, NpyFile::open("y.npy", None)?];
//! let inputs: [&dyn Input; 2] = [&x, &y];
//! let sum = Expr::slot(0) + Expr::slot(1);
//! // At most 64 MiB of elements are in memory at a time.
//! let stream = Stream::new(&sum, &inputs, &context.options())?.memory(64 << 20);
//! let report = stream.run(&context, "sum.npy")?;
//! println!("{} bytes written in {} windows", report.written, report.windows);
//! # Ok(())
//! # }
//! ```

mod bounds;
mod file;
mod fit;
mod input;
mod lanes;
mod marks;
mod phase;
mod phases;
mod reads;
mod report;
mod run;
mod schedule;
mod search;
mod shared;
mod store;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use crate::device::Context;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::expr::Expr;
use crate::plan::{Options, Partition, Slot};

use bounds::Bounds;
pub use input::Input;
pub use marks::{MissingParts, missing_parts, parts_file};
use report::Caller;
pub use report::{Progress, Report};
use run::Run;
pub use schedule::Schedule;
use shared::SharedReduction;
use store::Store;

/// An expression with the inputs it is computed from, ready to run.
pub struct Stream<'a> {
    partition: Partition,
    inputs: Vec<&'a dyn Input>,
    memory: u64,
    part: Option<(usize, usize)>,
    caller: Caller<'a>,
}

impl<'a> Stream<'a> {
    /// The default bound on the bytes that a run may hold.
    pub const MEMORY: u64 = 512 << 20;

    /// A stream of an expression whose leaves are indices into `inputs`.
    ///
    /// # Errors
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`], [`Error::View`] for shapes that do
    ///   not align under a rule or fit a view
    /// - [`Error::Argument`], [`Error::Arity`] for arguments of an operator that do not fit
    /// - [`Error::TooManyElements`] for a result with too many elements to count
    /// - [`Error::Io`], [`Error::Format`] from an input that gives no layout
    pub fn new(expr: &Expr<usize>, inputs: &[&'a dyn Input], options: &Options) -> Result<Self> {
        let slot = |input: &&dyn Input| {
            let layout = input.layout()?;
            let end = layout.reach().map_or(0, |r| r.end() + 1);
            let bytes = (end as u64).saturating_mul(input.dtype().size() as u64);
            let bytes = bytes.saturating_add(64);
            Ok(Slot::wrapped(input.dtype(), layout, bytes))
        };
        let slots: Vec<Slot> = inputs.iter().map(slot).collect::<Result<_>>()?;
        let partition = Partition::new(expr, &slots, options)?;
        Ok(Self {
            partition,
            inputs: inputs.to_vec(),
            memory: Self::MEMORY,
            part: None,
            caller: Caller::default(),
        })
    }

    /// Bounds the bytes that a run may hold; see the [module's documentation](self).
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.memory = bytes;
        self
    }

    /// Computes only part `k` of `n`, counted from 0. A run creates the output file if it does not
    /// exist, and writes the elements of its part only, so that several processes may write parts
    /// in any order, and repeat one that was stopped. The file has its name and length from the
    /// start; it is complete when every part is. Until then a small file beside it, with `.parts`
    /// appended to its name, records which parts are written: [`Report::missing`] and
    /// [`missing_parts`] return those that are not.
    ///
    /// If the result depends on one reduction alone, and has fewer elements than parts or each part
    /// would read far more than its share, the parts divide the reduction's elements: each writes a
    /// partial result to a file beside the output, with `.lanes` appended to its name. The run that
    /// finds all parts written computes the output from them and removes that file.
    ///
    /// Parts may be written again until all are written; a part that is run after that begins anew.
    /// Parts of another expression, other shapes or another number of parts are refused.
    #[must_use]
    pub fn part(mut self, k: usize, n: usize) -> Self {
        self.part = Some((k, n));
        self
    }

    /// Calls this function after each window and each piece of a reduction.
    #[must_use]
    pub fn progress(mut self, call: &'a (dyn Fn(Progress) + Sync)) -> Self {
        self.caller.progress = Some(call);
        self
    }

    /// Ends the run with [`Error::Interrupted`] when this flag is set.
    #[must_use]
    pub fn stop(mut self, flag: &'a AtomicBool) -> Self {
        self.caller.stop = Some(flag);
        self
    }

    /// Returns how a run would cut the result.
    ///
    /// # Errors
    /// - [`Error::Argument`] if the memory does not suffice, an input lies in another order than
    ///   the result, a large computed value is reshaped, or the part does not exist
    /// - [`Error::TooLarge`] if a window needs a larger binding than the adapter has
    pub fn schedule(&self, context: &Context) -> Result<Schedule> {
        self.scheduled(&self.partition, &self.inputs, self.part, context)
    }

    /// Computes the expression and writes it to a `.npy` file, or, if its name ends in `.raw` or
    /// `.bin`, the elements alone: little-endian, in row-major order.
    ///
    /// # Errors
    /// Unless it is for a [`part`](Self::part) of the result, an earlier file of this name stays as
    /// it was.
    /// - [`Error::Argument`] if the memory does not suffice, an input lies in another order than
    ///   the result, a large computed value is reshaped, or the part does not exist
    /// - [`Error::TooLarge`] if a window needs a larger binding than the adapter has
    /// - [`Error::Interrupted`] if the [`stop`](Self::stop) flag is set
    /// - [`Error::Io`], [`Error::Format`] if an input cannot be read or the output not be written
    /// - [`Error::OutOfMemory`], [`Error::BufferTooLarge`], [`Error::Kernel`], [`Error::Wgpu`],
    ///   [`Error::DeviceLost`] from the device
    pub fn run(&self, context: &Context, path: impl AsRef<Path>) -> Result<Report> {
        let path = path.as_ref();
        let schedule = self.schedule(context)?;
        if let Some(shared) = &schedule.shared {
            return self.run_share(context, &schedule, shared, path);
        }
        self.run_windows(context, &schedule, self.inputs.clone(), path, self.part)
    }

    /// Computes the windows of a result from these inputs.
    fn run_windows<'b>(
        &'b self,
        context: &'b Context,
        schedule: &Schedule,
        inputs: Vec<&'b dyn Input>,
        path: &Path,
        part: Option<(usize, usize)>,
    ) -> Result<Report> {
        let (dtype, shape) = (schedule.partition.dtype(), schedule.partition.shape());
        let mut run = Run::new(self.caller, context, inputs, schedule);
        let (out, marks) = match part {
            None => (file::OutputFile::whole(path, dtype, shape)?, None),
            Some((k, n)) => {
                // Of the expression as it is: how much memory a part has is its own affair.
                let fingerprint = shared::fingerprint(&self.partition);
                let (out, marks) = file::OutputFile::joined(path, dtype, shape, n, fingerprint)?;
                marks.mark(k, false)?;
                (out, Some((k, marks)))
            }
        };
        let before = run.before(&schedule.phases, path)?;
        run.windows(schedule, &before, &out)?;
        out.finish()?;
        let mut report = run.report;
        if let Some((k, marks)) = marks {
            marks.mark(k, true)?;
            let missing = marks.missing()?;
            if missing.is_empty() {
                marks.remove()?;
            }
            report.missing = Some(missing);
        }
        Ok(report)
    }

    /// Computes a part of a reduction, and the result if it is the last.
    fn run_share(
        &self,
        context: &Context,
        schedule: &Schedule,
        shared: &SharedReduction,
        path: &Path,
    ) -> Result<Report> {
        let marks = shared.marks(path)?;
        let mut file = Store::shared(shared.dtype, &shared.lanes, &marks)?;
        marks.mark(shared.part, false)?;
        let mut run = Run::new(self.caller, context, self.inputs.clone(), schedule);
        if let Some((last, before)) = schedule.phases.split_last() {
            let before = run.before(before, path)?;
            run.share(last, shared, &before, &mut file)?;
        }
        marks.mark(shared.part, true)?;
        let mut report = run.report;
        let missing = marks.missing()?;
        if missing.is_empty() {
            let mut inputs = self.inputs.clone();
            inputs.push(&file);
            let schedule = self.scheduled(&shared.joined, &inputs, None, context)?;
            let joined = self.run_windows(context, &schedule, inputs, path, None)?;
            report.windows += joined.windows;
            report.pieces += joined.pieces;
            report.read += joined.read;
            report.written += joined.written;
            marks.remove()?;
        }
        report.missing = Some(missing);
        report.is_shared = true;
        Ok(report)
    }

    fn scheduled(
        &self,
        partition: &Partition,
        inputs: &[&dyn Input],
        part: Option<(usize, usize)>,
        context: &Context,
    ) -> Result<Schedule> {
        let names: Vec<String> = inputs.iter().map(|input| input.name()).collect();
        let bounds = Bounds {
            part,
            memory: self.memory,
            largest_buffer: context.device().limits().max_buffer_size,
        };
        Schedule::new(partition, &names, bounds)
    }
}
