//! Recording a plan: into the context's own batch, or into an encoder of the caller's.

use std::sync::Arc;

use super::allocator::Allocator;
use super::buffer::Buffer;
use super::dispatch::{Dispatch, Group, Issue};
use super::history::first_writer;
use super::operands::{Copied, Operands};
use super::pass_resources::{PassResources, Passes, Scalars};
use super::pending_calls::small_grid;
use super::pipeline::{BufferRange, Pipeline};
use super::pool::FirstUse;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};
use crate::kernel::Role;
use crate::plan::{Input, Pass, Plan, PlanId, Source, Target};

/// Makes dispatches of plans and records them.
#[derive(Debug)]
pub(crate) struct Recorder {
    pub(super) allocator: Arc<Allocator>,
    pub(super) passes: Passes,
}

/// A plan ready to be recorded, and the buffers it needs beside the caller's.
struct Ready {
    dispatches: Vec<Dispatch>,
    copies: Vec<Copy>,
    temporaries: Vec<Arc<Buffer>>,
}

/// A copy of an input.
struct Copy {
    of: Copied,
    to: Arc<Buffer>,
}

/// Where a pass reads and writes.
struct Bound<'a> {
    operands: Operands<'a>,
    copies: &'a [Copy],
    temporaries: &'a [Arc<Buffer>],
}

impl Bound<'_> {
    /// An input's buffer, and the byte of the planned one that it begins with; `None` of numbers.
    fn input(&self, input: &Input) -> Option<(&Arc<Buffer>, u64)> {
        Some(match input.source {
            Source::Numbers => return None,
            Source::Slot(i) => self
                .copies
                .iter()
                .find(|copy| copy.of.slot == i)
                .map_or((&self.operands.inputs[i], 0), |copy| {
                    (&copy.to, copy.of.start)
                }),
            Source::Temporary(t) => (&self.temporaries[t], 0),
        })
    }

    fn output(&self, pass: &Pass) -> &Arc<Buffer> {
        match pass.output.target {
            Target::Output(k) => &self.operands.outputs[k],
            Target::Temporary(t) => &self.temporaries[t],
        }
    }
}

impl Ready {
    /// Records the dispatches into a pass of the caller's.
    fn record(&self, pass: &mut wgpu::ComputePass<'_>) {
        for dispatch in &self.dispatches {
            // Work for another encoder never waits.
            if let Issue::Direct(bind_group) = &dispatch.issue {
                dispatch.record(pass, bind_group);
            }
        }
    }
}

impl Recorder {
    /// Records a plan into the open batch. The outputs are new buffers, or those of inputs that the
    /// plan may overwrite.
    pub fn record(&self, plan: &Plan, operands: Operands<'_>) -> Result<()> {
        let Allocator { gpu, queue, .. } = &*self.allocator;
        let unlocked = &mut gpu.enter()?;
        let submitted = queue.history.submitted_up_to();
        let ready = self.prepare(unlocked, plan, operands, FirstUse::Batch)?;
        let used = || operands.all().chain(&ready.temporaries);
        let mut batch = queue.open(unlocked);
        if let Some(first) = ready.dispatches.first() {
            batch.flush_calls_unlike(first);
        }
        let inputs = operands.inputs.iter().map(|b| &**b);
        let first = first_writer(inputs, submitted, batch.number());
        let mut number = batch.number();
        let mut failed = Ok(());
        let mut full = false;
        for dispatch in ready.dispatches {
            if full {
                // The device need not wait for the last window.
                used().for_each(|b| batch.mark_used(b));
                drop(batch);
                queue.submit_if_free(unlocked)?;
                batch = queue.open(unlocked);
            }
            // Another thread's calls may wait by now.
            batch.flush_calls_unlike(&dispatch);
            full = batch.count(dispatch.bytes);
            number = batch.number();
            failed = batch.add(dispatch);
        }
        // `number`, not the open batch: if adding the last dispatch failed, it is the failed one.
        used().for_each(|b| batch.mark_used_by(b, number));
        for buffer in operands.outputs.iter().chain(&ready.temporaries) {
            buffer.written_by(first..=number);
        }
        drop(batch);
        failed.map_err(|error| gpu.lost_or(unlocked, error))?;
        if full {
            queue.submit_if_free(unlocked)
        } else {
            Ok(())
        }
    }

    /// Records a plan into the caller's encoder. Work of this context that an operand waits for is
    /// submitted first.
    pub fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        plan: &Plan,
        operands: Operands<'_>,
    ) -> Result<()> {
        let mut unlocked = self.allocator.gpu.enter()?;
        let ready = self.prepare_outside(&mut unlocked, plan, operands)?;
        for Copy { of, to } in &ready.copies {
            let from = &operands.inputs[of.slot].raw;
            encoder.copy_buffer_to_buffer(from, of.start, &to.raw, 0, of.size);
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("zerostride"),
            ..Default::default()
        });
        ready.record(&mut pass);
        Ok(())
    }

    /// Records a plan into the caller's compute pass; else as [`encode`](Self::encode).
    pub fn encode_in_pass(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        plan: &Plan,
        operands: Operands<'_>,
    ) -> Result<()> {
        let mut unlocked = self.allocator.gpu.enter()?;
        if let Some(input) = operands.copied_inputs(plan)?.first() {
            let reason = "it is in the buffer of an output, so it is copied first, which no compute pass can do; \
                          record into the encoder, by `encode`";
            return Err(Error::buffer(format!("input {}", input.slot), reason));
        }
        let ready = self.prepare_outside(&mut unlocked, plan, operands)?;
        ready.record(pass);
        Ok(())
    }

    /// Everything that a recording of the caller's needs. Work of this context that an operand waits
    /// for is submitted.
    fn prepare_outside(
        &self,
        unlocked: &mut Unlocked,
        plan: &Plan,
        operands: Operands<'_>,
    ) -> Result<Ready> {
        let Allocator { gpu, queue, .. } = &*self.allocator;
        let ready = self.prepare(unlocked, plan, operands, FirstUse::Outside)?;
        if operands.all().any(|b| queue.history.is_pending(b)) {
            gpu.check(unlocked)?;
            queue.submit(unlocked)?;
            // Another thread may have submitted a batch of it, which failed.
            queue.history.check(operands.inputs.iter().map(|b| &**b))?;
        }
        // When the caller submits is unknown: nothing that the encoder uses may be reused.
        let copies = ready.copies.iter().map(|copy| &copy.to);
        let all = operands.all().chain(&ready.temporaries);
        all.chain(copies).for_each(|b| b.export());
        Ok(ready)
    }

    /// Checks buffers and makes everything that a recording needs.
    fn prepare(
        &self,
        unlocked: &mut Unlocked,
        plan: &Plan,
        operands: Operands<'_>,
        first_use: FirstUse,
    ) -> Result<Ready> {
        let Allocator { gpu, queue, .. } = &*self.allocator;
        queue.history.check(operands.inputs.iter().map(|b| &**b))?;
        gpu.check_plan(plan)?;
        let copied = match first_use {
            FirstUse::Batch => Vec::new(),
            FirstUse::Outside => operands.copied_inputs(plan)?,
        };
        let mut allocate = |bytes| {
            let buffer = self.allocator.allocate(unlocked, bytes, first_use);
            buffer.map(Arc::new)
        };
        let mut copies = Vec::with_capacity(copied.len());
        for of in copied {
            let to = allocate(of.size)?;
            copies.push(Copy { of, to });
        }
        let mut temporaries = Vec::with_capacity(plan.temporaries.len());
        for temporary in &plan.temporaries {
            let bytes = temporary.len as u64 * temporary.dtype.size() as u64;
            temporaries.push(allocate(bytes)?);
        }
        let bound = Bound {
            operands,
            copies: &copies,
            temporaries: &temporaries,
        };
        let mut dispatches = Vec::with_capacity(plan.passes.len());
        for (n, pass) in plan.passes.iter().enumerate() {
            if !pass.shape.is_empty() {
                let number = (plan.id, n);
                dispatches.push(self.dispatch(unlocked, number, pass, &bound, first_use)?);
            }
        }
        Ok(Ready {
            dispatches,
            copies,
            temporaries,
        })
    }

    /// One dispatch, the pass of a plan with this number.
    fn dispatch(
        &self,
        unlocked: &Unlocked,
        number: (PlanId, usize),
        pass: &Pass,
        bound: &Bound<'_>,
        first_use: FirstUse,
    ) -> Result<Dispatch> {
        let Allocator { gpu, memory, .. } = &*self.allocator;
        let to = bound.output(pass);
        let is_output = |input: &Input| {
            let found = bound.input(input);
            found.is_some_and(|(buffer, _)| buffer.raw == to.raw)
        };
        let in_place: Vec<bool> = pass.inputs.iter().map(is_output).collect();
        let resources = self.passes.get(unlocked, number, pass, &in_place)?;
        let numbers = bound.operands.numbers;
        let given = match pass.has_given() && !numbers.is_empty() {
            true => {
                let words = pass.words_with(numbers)?;
                Some(self.passes.scalars(unlocked, pass, words)?)
            }
            false => None,
        };
        let scalars = given.as_ref().unwrap_or(&resources.scalars);
        let bindings = bindings(&resources, scalars, pass, bound)?;
        // Bind groups are kept, and calls wait for one another, on buffers of this crate alone.
        let mut inputs = pass.inputs.iter().filter_map(|input| bound.input(input));
        let is_own = first_use == FirstUse::Batch
            && to.is_own()
            && inputs.all(|(buffer, _)| buffer.is_own());
        let pipeline = &resources.pipeline;
        let group = is_own
            .then(|| self.group(pipeline, pass, &bindings))
            .flatten();
        let bind_group = || {
            let made = if is_own {
                memory.bind_group(gpu, pipeline, &bindings)
            } else {
                pipeline.bind_group(gpu, &bindings)
            };
            made.map_err(|error| gpu.lost_or(unlocked, error))
        };
        let issue = match group {
            Some(group) => Issue::Grouped(group),
            None => Issue::Direct(bind_group()?),
        };
        Ok(Dispatch {
            bindings,
            grid: pass.grid,
            bytes: pass.bytes_moved(),
            issue,
            resources,
            given,
        })
    }

    /// The kernel that computes several calls of this one, if they are small and many.
    fn group(&self, pipeline: &Pipeline, pass: &Pass, bindings: &[BufferRange]) -> Option<Group> {
        let grid = small_grid(pass, bindings)?;
        let pipeline = self.passes.kernels.group(pipeline)?;
        Some(Group { pipeline, grid })
    }
}

/// What the bindings of a kernel show, in their order.
fn bindings(
    resources: &PassResources,
    scalars: &Scalars,
    pass: &Pass,
    bound: &Bound<'_>,
) -> Result<Vec<BufferRange>> {
    let each = |role: &Role| match *role {
        Role::Table => Ok(resources.table.clone()),
        Role::Scalars => match scalars {
            Scalars::Uniform(range) => Ok(range.clone()),
            Scalars::None | Scalars::Immediate(_) => Err(Error::argument(
                "plan",
                "its kernel takes numbers, and it has none",
            )),
        },
        Role::Input { i, .. } => {
            let input = &pass.inputs[i];
            let (buffer, begin) = bound.input(input).ok_or_else(|| {
                Error::argument("plan", "numbers have no buffer, and a kernel binds one")
            })?;
            Ok(BufferRange {
                buffer: buffer.raw.clone(),
                offset: input.range.start - begin,
                size: input.range.size,
            })
        }
        Role::Output { .. } => Ok(BufferRange {
            buffer: bound.output(pass).raw.clone(),
            offset: pass.output.range.start,
            size: pass.output.range.size,
        }),
    };
    resources.pipeline.roles.iter().map(each).collect()
}
