//! The run: one thread reads, the device computes, this thread uploads and writes.

use std::ops::Range;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;

use super::file::Output;
use super::schedule::Schedule;
use super::{Progress, Report, Stream};
use crate::device::{Context, PendingRead};
use crate::error::{Error, Result};
use crate::plan::Part;
use crate::tensor::Tensor;

/// A window whose inputs were read: `None` for one that is as in the window before.
struct Loaded {
    part: Part,
    inputs: Vec<Option<Vec<u8>>>,
}

/// A window that is being computed.
struct Computing {
    elements: Range<usize>,
    read: PendingRead,
}

pub(super) fn run(
    stream: &Stream<'_>,
    context: &Context,
    schedule: &Schedule,
    out: &Output,
) -> Result<Report> {
    let size = stream.partition.dtype().size();
    let total: usize = schedule
        .windows
        .iter()
        .map(|w| w.extents.iter().product::<usize>() * size)
        .sum();
    let mut report = Report {
        windows: schedule.windows.len(),
        read: 0,
        written: 0,
    };
    std::thread::scope(|scope| {
        // Nothing is kept between the two: the next window is read while this one is uploaded and
        // computed.
        let (send, loaded) = sync_channel::<Result<Loaded>>(0);
        scope.spawn(move || {
            let mut before = Vec::new();
            for window in &schedule.windows {
                let next = stream.load(window, schedule, &mut before);
                let failed = next.is_err();
                // Nobody listens if the run has failed.
                if send.send(next).is_err() || failed {
                    return;
                }
            }
        });
        let mut tensors: Vec<Option<Tensor>> = vec![None; stream.inputs.len()];
        let mut computing: Option<Computing> = None;
        let finish = |done: Computing, report: &mut Report| -> Result<()> {
            let at = (done.elements.start * size) as u64;
            context.finish_read(&done.read, |bytes| out.write(at, bytes))??;
            report.written += (done.elements.len() * size) as u64;
            if let Some(call) = stream.progress {
                call(Progress {
                    written: report.written,
                    total: total as u64,
                });
            }
            Ok(())
        };
        for next in &loaded {
            let Loaded { part, inputs } = next?;
            stream.check()?;
            for (i, bytes) in inputs.into_iter().enumerate() {
                let Some(bytes) = bytes else { continue };
                report.read += bytes.len() as u64;
                // Freed first, so that the buffer serves again.
                tensors[i] = None;
                let dtype = stream.inputs[i].dtype();
                tensors[i] =
                    Some(context.tensor_from_bytes(dtype, [part.inputs[i].len()], &bytes)?);
            }
            let given: Vec<&Tensor> = tensors.iter().flatten().collect();
            let result = context.run(&part.plan, &given)?.swap_remove(0);
            let read = result.start_read()?;
            let before = computing.replace(Computing {
                elements: part.elements,
                read,
            });
            drop(result);
            if let Some(done) = before {
                finish(done, &mut report)?;
            }
        }
        computing.map_or(Ok(()), |done| finish(done, &mut report))?;
        stream.check()
    })?;
    Ok(report)
}

impl Stream<'_> {
    /// Whether to go on.
    fn check(&self) -> Result<()> {
        match self.stop {
            Some(flag) if flag.load(Ordering::Relaxed) => {
                Err(Error::Interrupted { what: "stream" })
            }
            _ => Ok(()),
        }
    }

    /// Plans a window and reads its inputs. `before` are the ranges that the device has.
    fn load(
        &self,
        window: &crate::plan::Window,
        schedule: &Schedule,
        before: &mut Vec<Range<usize>>,
    ) -> Result<Loaded> {
        self.check()?;
        let part = self.partition.part_of(window, &schedule.kept)?;
        let mut inputs = Vec::with_capacity(part.inputs.len());
        for (i, range) in part.inputs.iter().enumerate() {
            if before.get(i) == Some(range) {
                inputs.push(None);
                continue;
            }
            let bytes = part.bytes(i, self.inputs[i].dtype()).len();
            let mut read = Vec::new();
            read.try_reserve_exact(bytes)
                .map_err(|_| Error::OutOfMemory {
                    what: "a window".into(),
                    bytes: bytes as u64,
                })?;
            read.resize(bytes, 0);
            self.inputs[i].read(range.clone(), &mut read)?;
            inputs.push(Some(read));
        }
        before.clone_from(&part.inputs);
        Ok(Loaded { part, inputs })
    }
}
