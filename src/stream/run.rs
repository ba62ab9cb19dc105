//! The run: one thread reads, the device computes, this thread uploads and writes.

use std::ops::Range;
use std::path::Path;
use std::sync::mpsc::sync_channel;

use super::file::OutputFile;
use super::input::Input;
use super::lanes::HeldLanes;
use super::phase::{Phase, PiecePlace};
use super::report::{Caller, Progress, Report};
use super::schedule::Schedule;
use super::shared::SharedReduction;
use super::store::{Store, zeros};
use crate::device::{Context, PendingRead};
use crate::dtype::DType;
use crate::error::Result;
use crate::plan::{FileBox, Options, Plan, Window, chunk};
use crate::tensor::Tensor;

/// A plan, what it is of, and the elements that it runs on next; `None` for an input that stays the
/// same.
type Loaded<T> = (T, Plan, Vec<Option<Vec<u8>>>);

/// A window that is being computed: its elements, and the read of them.
type Computing = (Range<usize>, PendingRead);

/// Takes the bytes computed for rows: results, or the lanes of the chunk of this number.
type Write<'a> = &'a mut dyn FnMut(&Window, usize, &[u8]) -> Result<()>;

/// The state of a run.
pub(super) struct Run<'a> {
    caller: Caller<'a>,
    options: Options,
    context: &'a Context,
    /// The inputs, without results of reductions.
    inputs: Vec<&'a dyn Input>,
    pub report: Report,
    progress: Progress,
}

impl<'a> Run<'a> {
    pub fn new(
        caller: Caller<'a>,
        context: &'a Context,
        inputs: Vec<&'a dyn Input>,
        schedule: &Schedule,
    ) -> Self {
        let size = schedule.partition.dtype().size();
        let elements = |w: &Window| w.extents.iter().product::<usize>();
        let total: usize = schedule.windows.iter().map(|w| elements(w) * size).sum();
        Self {
            caller,
            options: *schedule.partition.options(),
            context,
            inputs,
            report: Report {
                windows: schedule.windows.len(),
                pieces: schedule.pieces(),
                ..Report::default()
            },
            progress: Progress {
                written: 0,
                total: total as u64,
                done: 0,
                steps: schedule.pieces() + schedule.windows.len(),
            },
        }
    }

    fn step(&mut self, written: usize) {
        self.report.written += written as u64;
        self.progress.written = self.report.written;
        self.progress.done += 1;
        if let Some(call) = self.caller.progress {
            call(self.progress);
        }
    }

    /// Computes the reductions before the result. Large ones go to files beside `path`.
    pub fn before(&mut self, phases: &[Phase], path: &Path) -> Result<Vec<Store<'static>>> {
        let mut results = Vec::with_capacity(phases.len());
        for phase in phases {
            let kept = phase.pieces.kept();
            let beside = phase.is_on_disk.then_some(path);
            let mut result = Store::new(phase.pieces.dtype, &kept, beside)?;
            self.phase(phase, &results, &mut |rows, _, bytes| {
                result.write(rows.first(kept.extents()), bytes)
            })?;
            results.push(result);
        }
        Ok(results)
    }

    /// Computes a part of a reduction: the lanes of its chunks.
    pub fn share(
        &mut self,
        phase: &Phase,
        shared: &SharedReduction,
        before: &[Store<'_>],
        out: &mut Store<'_>,
    ) -> Result<()> {
        let kept = phase.pieces.kept();
        let all = kept.len()?;
        let lanes = shared.lanes.extents().last().copied().unwrap_or(1);
        let mut written = 0;
        self.phase(phase, before, &mut |rows, chunk, bytes| {
            written += bytes.len() as u64;
            let row = (shared.first_chunk() + chunk) * all + rows.first(kept.extents());
            out.write(row * lanes, bytes)
        })?;
        self.report.written += written;
        Ok(())
    }

    /// Computes a reduction.
    fn phase(&mut self, phase: &Phase, before: &[Store<'_>], write: Write<'_>) -> Result<()> {
        let (options, context, transfers) = (self.options, self.context, self.context.transfers());
        let given = self.given(before);
        let own = phase.pieces.inputs.iter();
        let inputs: Vec<Option<&dyn Input>> = own.map(|i| i.map(|i| given[i])).collect();
        let mut lanes: Option<HeldLanes<'_>> = None;
        let mut chunks = 0;
        // Read after each piece, so that no more than one waits for the device.
        let marker = context.tensor_from_bytes(DType::U32, [1], &[0; 4])?;
        let mut waiting: Option<PendingRead> = None;
        let load = |place: PiecePlace| {
            let PiecePlace { rows, elements, .. } = &place;
            let across = Some(phase.across);
            let piece = phase.pieces.piece(rows, elements, phase.levels, across)?;
            Ok((place, piece.plan, piece.boxes))
        };
        let mut places = phase.places();
        let next = move || places.next().map(load);
        self.each(&inputs, next, |run, place, found| {
            let mut finished = Vec::new();
            match phase.levels {
                None => finished.push(found),
                Some(levels) => {
                    let rows: usize = place.rows.extents.iter().product();
                    let lanes =
                        lanes.get_or_insert_with(|| HeldLanes::new(context, phase, &options, rows));
                    lanes.push(&found, place.elements.start / chunk(levels))?;
                    if place.is_last {
                        finished.extend(lanes.finish()?);
                    }
                    finished.extend(lanes.take_left()?);
                }
            }
            if finished.is_empty() {
                let read = marker.start_read()?;
                if let Some(read) = waiting.replace(read) {
                    transfers.finish_read(&read, |_| ())?;
                }
            }
            for found in finished {
                let read = found.start_read()?;
                transfers.finish_read(&read, |bytes| write(&place.rows, chunks, bytes))??;
                chunks += 1;
            }
            if place.is_last {
                (lanes, chunks) = (None, 0);
            }
            run.step(0);
            Ok(())
        })
    }

    /// The inputs and the results of reductions.
    fn given<'b>(&self, before: &'b [Store<'_>]) -> Vec<&'b dyn Input>
    where
        'a: 'b,
    {
        let results = before.iter().map(|result| result as &dyn Input);
        self.inputs.iter().copied().chain(results).collect()
    }

    /// Computes the windows of the result.
    pub fn windows(
        &mut self,
        schedule: &Schedule,
        before: &[Store<'_>],
        out: &OutputFile,
    ) -> Result<()> {
        let transfers = self.context.transfers();
        let given = self.given(before).into_iter();
        let inputs: Vec<Option<&dyn Input>> = given.map(Some).collect();
        let size = schedule.partition.dtype().size();
        let mut computing: Option<Computing> = None;
        let finish = |run: &mut Self, (elements, read): Computing| -> Result<()> {
            let at = (elements.start * size) as u64;
            transfers.finish_read(&read, |bytes| out.write(at, bytes))??;
            run.step(elements.len() * size);
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
                match computing.replace((elements, read)) {
                    Some(done) => finish(run, done),
                    None => Ok(()),
                }
            },
        )?;
        computing.map_or(Ok(()), |done| finish(self, done))?;
        self.caller.check()
    }

    /// Runs plan after plan, each on the elements that it needs, while those of the next are read.
    fn each<T: Send>(
        &mut self,
        inputs: &[Option<&dyn Input>],
        mut next: impl FnMut() -> Option<Result<(T, Plan, Vec<FileBox>)>> + Send,
        mut then: impl FnMut(&mut Self, T, Tensor) -> Result<()>,
    ) -> Result<()> {
        let (caller, context) = (self.caller, self.context);
        std::thread::scope(|scope| {
            // Nothing is kept between the two: the next window is read while this one is uploaded
            // and computed.
            let (send, loaded) = sync_channel::<Result<Loaded<T>>>(0);
            scope.spawn(move || {
                let mut before = Vec::new();
                while let Some(found) = next() {
                    let next = found.and_then(|(of, plan, boxes)| {
                        caller.check()?;
                        let inputs = load(inputs, &boxes, &before)?;
                        before = boxes;
                        Ok((of, plan, inputs))
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
                let (of, plan, inputs) = next?;
                caller.check()?;
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
            caller.check()
        })
    }
}

/// Reads the needed elements of each input; `None` if the same were read `before`. An input that is
/// `None` has its elements' numbers.
fn load(
    inputs: &[Option<&dyn Input>],
    boxes: &[FileBox],
    before: &[FileBox],
) -> Result<Vec<Option<Vec<u8>>>> {
    let each = |(i, of): (usize, &FileBox)| {
        if before.get(i) == Some(of) {
            return Ok(None);
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
        Ok(Some(read))
    };
    boxes.iter().enumerate().map(each).collect()
}
