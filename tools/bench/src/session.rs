//! The workloads of a run: all are verified, then all are timed, so that no reference is computed between two timings
//! while a GPU's clocks fall.

use zerostride::{Error, Result};
use zerostride_bench::workload::{Kind, Workload};

use super::args::Args;
use super::print::print;
use super::report::{self, Row};
use super::stream::{Bench, Verified};

/// A run of workloads.
pub struct Session<'a> {
    pub bench: Bench<'a>,
    pub args: &'a Args,
    /// Characters of the longest name.
    pub width: usize,
    /// log2 of the number of elements of workloads that name none.
    pub default: u32,
}

/// What comes of a workload before it is timed.
enum Ready {
    Verified(Box<Verified>),
    /// Its results are verified while it is timed: they are small.
    Small,
}

impl Session<'_> {
    /// Prints what stands above the rows.
    pub fn head(&self) -> Result<()> {
        let args = self.args;
        if args.json {
            return Ok(());
        }
        let info = self.bench.context.adapter_info();
        let default = self.default;
        let size = match args.growth {
            true => format!("2^{default} elements where no name says another number"),
            false => format!("2^{default} elements"),
        };
        let named = |name| format!("; schedule {name}");
        let schedule = args.schedule.map(named).unwrap_or_default();
        print(&format!(
            "{}, {} {}, {:?}; {size}; {} clock{schedule}\n",
            info.name,
            info.driver,
            info.driver_info,
            info.backend,
            self.bench.timer.name()
        ))?;
        print(&report::head(
            self.width,
            if args.broadcasts {
                "to same"
            } else {
                "to hand"
            },
        ))
    }

    /// Verifies all workloads, then times those that were right, and prints a line for each as it comes. The rows, and the
    /// names of those that failed.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; those of printing.
    pub fn all(&self, chosen: &[Workload]) -> Result<(Vec<Row>, Vec<String>)> {
        let context = self.bench.context;
        let mut wrong = Vec::new();
        let mut ready = Vec::with_capacity(chosen.len());
        for workload in chosen {
            let one = match workload.kind {
                Kind::Stream => self
                    .bench
                    .verify(workload, self.log2(workload))
                    .map(|verified| Ready::Verified(Box::new(verified))),
                Kind::Calls(_) | Kind::Runs(_) | Kind::Cold => Ok(Ready::Small),
            };
            // What a workload leaves in the pool is of no use to the next.
            context.trim();
            match one {
                Ok(one) => ready.push((workload, one)),
                Err(e) => self.failed(workload, e, &mut wrong)?,
            }
        }
        let mut rows = Vec::new();
        for (workload, one) in ready {
            let row = self.timed(workload, &one);
            context.trim();
            match row {
                Ok(row) => {
                    print(&if self.args.json {
                        row.json(context).to_string()
                    } else {
                        row.line(self.width)
                    })?;
                    rows.push(row);
                }
                Err(e) => self.failed(workload, e, &mut wrong)?,
            }
        }
        Ok((rows, wrong))
    }

    fn log2(&self, workload: &Workload) -> u32 {
        workload.log2.unwrap_or(self.default)
    }

    fn timed(&self, workload: &Workload, ready: &Ready) -> Result<Row> {
        let info = self.bench.context.adapter_info();
        match (ready, workload.kind) {
            (Ready::Verified(verified), _) => self.bench.stream(verified),
            (Ready::Small, Kind::Cold) => {
                let adapter = format!("{} ({:?}", info.name, info.backend);
                self.bench.cold(workload, &adapter)
            }
            (Ready::Small, _) => self.bench.small(workload),
        }
    }

    /// Prints the line of a workload that was not timed. It failed unless the adapter or this version cannot run it.
    fn failed(&self, workload: &Workload, error: Error, wrong: &mut Vec<String>) -> Result<()> {
        match error {
            Error::DeviceLost { .. } => return Err(error),
            Error::Unsupported { .. }
            | Error::TooLarge { .. }
            | Error::BufferTooLarge { .. }
            | Error::OutOfMemory { .. } => {}
            _ => wrong.push(workload.name.clone()),
        }
        let (name, log2) = (&workload.name, self.log2(workload));
        print(&if self.args.json {
            let schedule = self.args.schedule;
            report::failure(self.bench.context, name, log2, schedule, &error).to_string()
        } else {
            format!("{name:<width$} not measured: {error}", width = self.width)
        })
    }
}
