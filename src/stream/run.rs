//! The run: one thread reads, the device computes, this thread uploads and writes.

use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::mpsc::sync_channel;

use super::file::Output;
use super::held::{Held, zeros};
use super::lanes::Lanes;
use super::phase::{Phase, Place};
use super::schedule::Schedule;
use super::{Input, Progress, Report, Stream};
use crate::device::{Context, PendingRead};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::plan::{FileBox, Plan, Window, chunk};
use crate::tensor::Tensor;

/// What a plan is run on next: `None` for an input that is as before.
struct Loaded<T> {
    of: T,
    plan: Plan,
    inputs: Vec<Option<Vec<u8>>>,
}

/// A window that is being computed.
struct Computing {
    elements: Range<usize>,
    read: PendingRead,
}

/// What is known while a run goes on.
pub(super) struct Run<'a> {
    stream: &'a Stream<'a>,
    context: &'a Context,
    report: Report,
    progress: Progress,
}

impl<'a> Run<'a> {
    pub fn new(stream: &'a Stream<'a>, context: &'a Context, schedule: &Schedule) -> Self {
        let size = schedule.partition.dtype().size();
        let elements = |w: &Window| w.extents.iter().product::<usize>();
        let total: usize = schedule.windows.iter().map(|w| elements(w) * size).sum();
        Self {
            stream,
            context,
            report: Report {
                windows: schedule.windows.len(),
                pieces: schedule.pieces(),
                read: 0,
                written: 0,
            },
            progress: Progress {
                written: 0,
                total: total as u64,
                done: 0,
                steps: schedule.pieces() + schedule.windows.len(),
            },
        }
    }

    pub fn report(&self) -> Report {
        self.report
    }

    fn step(&mut self, written: usize) {
        self.report.written += written as u64;
        self.progress.written = self.report.written;
        self.progress.done += 1;
        if let Some(call) = self.stream.progress {
            call(self.progress);
        }
    }

    /// Computes what comes before the result. Large results go to files beside `path`.
    pub fn before(&mut self, schedule: &Schedule, path: &Path) -> Result<Vec<Held>> {
        let mut results = Vec::with_capacity(schedule.phases.len());
        for phase in &schedule.phases {
            let found = self.phase(phase, &results, path)?;
            results.push(found);
        }
        Ok(results)
    }

    /// Computes a reduction.
    fn phase(&mut self, phase: &Phase, before: &[Held], path: &Path) -> Result<Held> {
        let (stream, context) = (self.stream, self.context);
        let given = all(stream, before);
        let inputs: Vec<Option<&dyn Input>> = phase
            .pieces
            .inputs
            .iter()
            .map(|i| i.map(|i| given[i]))
            .collect();
        let kept = phase.kept();
        let size = phase.pieces.dtype.size();
        let beside = phase.is_on_disk.then_some(path);
        let mut result = Held::new(phase.pieces.dtype, &kept, beside)?;
        let mut lanes: Option<Lanes<'_>> = None;
        // Read after each piece, so that no more than one waits for the device.
        let marker = context.tensor_from_bytes(DType::U32, [1], &[0; 4])?;
        let mut waiting: Option<PendingRead> = None;
        let load = |place: Place| {
            let Place { rows, elements, .. } = &place;
            let piece = phase
                .pieces
                .piece(rows, elements, phase.levels, Some(phase.across))?;
            Ok((place, piece.plan, piece.boxes))
        };
        let mut places = phase.places();
        self.each(
            &inputs,
            move || places.next().map(load),
            |run, place, found| {
                let rows: usize = place.rows.extents.iter().product();
                let finished = match phase.has_whole_rows() {
                    true => Some(found),
                    false => {
                        let lanes = lanes.get_or_insert_with(|| {
                            Lanes::new(context, phase, &stream.options, rows)
                        });
                        lanes.push(&found, place.elements.start / chunk(phase.levels))?;
                        None
                    }
                };
                let finished = match lanes.take_if(|_| place.is_last) {
                    Some(lanes) => Some(lanes.finish()?),
                    None => finished,
                };
                let read = match finished {
                    Some(rows_found) => {
                        let at = place.rows.first(kept.extents()) * size;
                        let pending = rows_found.start_read()?;
                        context.finish_read(&pending, |bytes| result.write(at, bytes))??;
                        None
                    }
                    None => Some(marker.start_read()?),
                };
                if let Some(read) = std::mem::replace(&mut waiting, read) {
                    context.finish_read(&read, |_| ())?;
                }
                run.step(0);
                Ok(())
            },
        )?;
        Ok(result)
    }

    /// Computes the windows of the result.
    pub fn windows(&mut self, schedule: &Schedule, before: &[Held], out: &Output) -> Result<()> {
        let context = self.context;
        let inputs: Vec<Option<&dyn Input>> =
            all(self.stream, before).into_iter().map(Some).collect();
        let size = schedule.partition.dtype().size();
        let mut computing: Option<Computing> = None;
        let finish = |run: &mut Self, done: Computing| -> Result<()> {
            let at = (done.elements.start * size) as u64;
            context.finish_read(&done.read, |bytes| out.write(at, bytes))??;
            run.step(done.elements.len() * size);
            Ok(())
        };
        let load = |window: &Window| {
            let part = schedule.partition.part_of(window, &schedule.kept)?;
            let boxes = part.inputs.into_iter().map(FileBox::range).collect();
            Ok((part.elements, part.plan, boxes))
        };
        let mut windows = schedule.windows.iter();
        self.each(
            &inputs,
            move || windows.next().map(load),
            |run, elements, found| {
                let read = found.start_read()?;
                drop(found);
                match computing.replace(Computing { elements, read }) {
                    Some(done) => finish(run, done),
                    None => Ok(()),
                }
            },
        )?;
        computing.map_or(Ok(()), |done| finish(self, done))?;
        self.stream.check()
    }

    /// Runs plan after plan, each on what it needs of the inputs, while the next is read for.
    fn each<T: Send>(
        &mut self,
        inputs: &[Option<&dyn Input>],
        mut next: impl FnMut() -> Option<Result<(T, Plan, Vec<FileBox>)>> + Send,
        mut then: impl FnMut(&mut Self, T, Tensor) -> Result<()>,
    ) -> Result<()> {
        let (stream, context) = (self.stream, self.context);
        std::thread::scope(|scope| {
            // Nothing is kept between the two: the next window is read while this one is uploaded
            // and computed.
            let (send, loaded) = sync_channel::<Result<Loaded<T>>>(0);
            scope.spawn(move || {
                let mut before = Vec::new();
                while let Some(found) = next() {
                    let next = found.and_then(|(of, plan, boxes)| {
                        stream.check()?;
                        let inputs = load(inputs, &boxes, &before)?;
                        before = boxes;
                        Ok(Loaded { of, plan, inputs })
                    });
                    let failed = next.is_err();
                    // Nobody listens if the run has failed.
                    if send.send(next).is_err() || failed {
                        return;
                    }
                }
            });
            let mut tensors: Vec<Option<Tensor>> = vec![None; inputs.len()];
            for next in &loaded {
                let Loaded { of, plan, inputs } = next?;
                stream.check()?;
                for (i, bytes) in inputs.into_iter().enumerate() {
                    let Some(bytes) = bytes else { continue };
                    self.report.read += bytes.len() as u64;
                    // Freed first, so that the buffer serves again.
                    tensors[i] = None;
                    let dtype = plan.slots[i].dtype;
                    let len = bytes.len() / dtype.size();
                    tensors[i] = Some(context.tensor_from_bytes(dtype, [len], &bytes)?);
                }
                let given: Vec<&Tensor> = tensors.iter().flatten().collect();
                let result = context.run(&plan, &given)?.swap_remove(0);
                then(self, of, result)?;
            }
            stream.check()
        })
    }
}

/// The inputs of a stream and the results of earlier phases.
fn all<'a>(stream: &Stream<'a>, before: &'a [Held]) -> Vec<&'a dyn Input> {
    let results = before.iter().map(|result| result as &dyn Input);
    stream.inputs.iter().copied().chain(results).collect()
}

/// Reads what is needed of each input; `None` of one of which the same was read `before`. An input
/// that is none has its elements' numbers.
fn load(
    inputs: &[Option<&dyn Input>],
    boxes: &[FileBox],
    before: &[FileBox],
) -> Result<Vec<Option<Vec<u8>>>> {
    let mut loaded = Vec::with_capacity(boxes.len());
    for (i, of) in boxes.iter().enumerate() {
        if before.get(i) == Some(of) {
            loaded.push(None);
            continue;
        }
        let size = inputs[i].map_or(4, |input| input.dtype().size());
        let mut read = zeros(of.len() * size, "a window")?;
        let mut rest = &mut read[..];
        for range in of.ranges() {
            let (own, behind) = rest.split_at_mut(range.len() * size);
            rest = behind;
            match inputs[i] {
                Some(input) => input.read(range, own)?,
                None => {
                    for (n, own) in range.zip(own.chunks_exact_mut(4)) {
                        own.copy_from_slice(&(n as u32).to_le_bytes());
                    }
                }
            }
        }
        loaded.push(Some(read));
    }
    Ok(loaded)
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
}
