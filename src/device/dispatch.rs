//! Encoding a plan: pipelines, bind groups and dispatches.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::buffer::Buffer;
use super::context::{Context, Inner};
use super::pipeline::Pipeline;
use super::prepared::{Fixed, Prepared, Resource, Scalars, Way};
use super::recorder::Recorder;
use crate::error::{Error, Result};
use crate::kernel::{KernelKey, Role};
use crate::plan::{Input, Pass, Plan, PlanId, Source, Target};

/// An input copied out of a buffer that the plan also writes: wgpu does not let one dispatch read
/// and write a buffer through two bindings, even at ranges that do not meet.
struct Moved {
    slot: usize,
    to: Arc<Buffer>,
    range: (u64, u64),
}

/// A plan ready to be recorded, and the buffers it needs beside the caller's.
struct Ready {
    dispatches: Vec<Prepared>,
    moved: Vec<Moved>,
    temporaries: Vec<Arc<Buffer>>,
}

impl Ready {
    /// Says that a batch, which is locked, uses these buffers.
    fn used(
        &self,
        recorder: &Recorder,
        inputs: &[Arc<Buffer>],
        outputs: &[Arc<Buffer>],
        batch: u64,
    ) {
        for buffer in inputs.iter().chain(outputs).chain(&self.temporaries) {
            recorder.used(buffer, batch);
        }
    }
}

impl Context {
    /// Records a plan into this context's batch. The outputs are new buffers, or those of inputs
    /// that the plan may overwrite.
    pub(crate) fn record(
        &self,
        plan: &Plan,
        inputs: &[Arc<Buffer>],
        outputs: &[Arc<Buffer>],
    ) -> Result<()> {
        let inner: &Inner = &self.0;
        let settled = inner.recorder.submitted();
        let mut ready = self.prepare(plan, inputs, outputs, false)?;
        let mut batch = inner.recorder.lock();
        if let Some(call) = ready.dispatches.first() {
            self.make_way(&mut batch, call);
        }
        let first = inner
            .recorder
            .begin(inputs.iter().map(|b| &**b), settled, batch.number);
        let mut number = batch.number;
        let mut failed = Ok(());
        let mut full = false;
        for dispatch in std::mem::take(&mut ready.dispatches) {
            if full {
                // The device need not wait for the last window.
                ready.used(&inner.recorder, inputs, outputs, batch.number);
                drop(batch);
                self.submit_if_free()?;
                batch = inner.recorder.lock();
            }
            // Another thread's calls may wait by now.
            self.make_way(&mut batch, &dispatch);
            full = batch.count(dispatch.bytes);
            number = batch.number;
            failed = self.add(&mut batch, dispatch);
        }
        // Of the batch that was open when the last dispatch was added: where that failed, its
        // results are refused.
        ready.used(&inner.recorder, inputs, outputs, number);
        for buffer in outputs.iter().chain(&ready.temporaries) {
            buffer.begun.store(first, Ordering::Relaxed);
            buffer.written.store(number, Ordering::Relaxed);
        }
        drop(batch);
        failed.map_err(|error| self.lost_or(error))?;
        if full { self.submit_if_free() } else { Ok(()) }
    }

    /// Records a plan into the caller's encoder. Work of this context that an input waits for is
    /// submitted first.
    pub(crate) fn encode_into(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        plan: &Plan,
        inputs: &[Arc<Buffer>],
        outputs: &[Arc<Buffer>],
    ) -> Result<()> {
        let ready = self.prepare(plan, inputs, outputs, true)?;
        if inputs
            .iter()
            .chain(outputs)
            .any(|b| self.0.recorder.is_pending(b))
        {
            self.flush()?;
            // It may have waited for the refusal of a batch of another thread's.
            self.0.recorder.check(inputs.iter().map(|b| &**b))?;
        }
        // When the caller submits is unknown: nothing that the encoder uses may be reused.
        let moved = ready.moved.iter().map(|m| &m.to);
        inputs
            .iter()
            .chain(outputs)
            .chain(&ready.temporaries)
            .chain(moved)
            .for_each(|b| b.export());
        for moved in &ready.moved {
            let (start, size) = moved.range;
            encoder.copy_buffer_to_buffer(&inputs[moved.slot].raw, start, &moved.to.raw, 0, size);
        }
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("zerostride"),
            ..Default::default()
        });
        for dispatch in &ready.dispatches {
            // Work for another encoder never waits.
            if let Way::Alone(bind_group) = &dispatch.way {
                dispatch.record(&mut pass, bind_group);
            }
        }
        Ok(())
    }

    /// Checks buffers and makes everything that a recording needs. `foreign`: it goes to the
    /// caller's encoder, which may be submitted before this context's batch, so no buffer of that
    /// batch may be reused.
    fn prepare(
        &self,
        plan: &Plan,
        inputs: &[Arc<Buffer>],
        outputs: &[Arc<Buffer>],
        foreign: bool,
    ) -> Result<Ready> {
        self.check()?;
        self.0.recorder.check(inputs.iter().map(|b| &**b))?;
        self.check_limits(plan)?;
        let moved = if foreign {
            self.aliases(plan, inputs, outputs)?
        } else {
            Vec::new()
        };
        let temporaries: Vec<Arc<Buffer>> = plan
            .temporaries
            .iter()
            .map(|t| {
                Ok(Arc::new(
                    self.allocate(t.len as u64 * t.dtype.size() as u64, foreign)?,
                ))
            })
            .collect::<Result<_>>()?;
        let mut dispatches = Vec::with_capacity(plan.passes.len());
        for (n, pass) in plan
            .passes
            .iter()
            .enumerate()
            .filter(|(_, p)| !p.shape.is_empty())
        {
            let from = |input: &Input| match input.source {
                Source::Slot(i) => moved
                    .iter()
                    .find(|m| m.slot == i)
                    .map_or((&inputs[i], 0), |m| (&m.to, m.range.0)),
                Source::Temporary(t) => (&temporaries[t], 0),
            };
            let to = match pass.output.target {
                Target::Output(k) => &outputs[k],
                Target::Temporary(t) => &temporaries[t],
            };
            dispatches.push(self.dispatch((plan.id, n), pass, &from, to, foreign)?);
        }
        Ok(Ready {
            dispatches,
            moved,
            temporaries,
        })
    }

    /// Whether a plan's limits are the adapter's.
    pub(super) fn check_limits(&self, plan: &Plan) -> Result<()> {
        if plan.limits.fit(&self.0.plan_limits) {
            return Ok(());
        }
        let reason =
            "it was made for limits that this adapter does not have; plan with Context::options";
        Err(Error::argument("plan", reason))
    }

    /// Which inputs share a buffer with an output: the same view is computed in place, ranges that
    /// do not meet are copied out first, and a partial overlap is an error.
    fn aliases(
        &self,
        plan: &Plan,
        inputs: &[Arc<Buffer>],
        outputs: &[Arc<Buffer>],
    ) -> Result<Vec<Moved>> {
        let mut moved: Vec<Moved> = Vec::new();
        for (k, (output, written)) in outputs.iter().zip(&plan.outputs).enumerate() {
            for (i, (input, read)) in inputs.iter().zip(&plan.slots).enumerate() {
                if input.raw != output.raw || moved.iter().any(|m| m.slot == i) {
                    continue;
                }
                let (Some(r), Some(w)) = (read.layout.reach(), written.layout.reach()) else {
                    continue;
                };
                let (from, to) = (
                    bytes(&r, read.dtype.size()),
                    bytes(&w, written.dtype.size()),
                );
                if from.end <= to.start || to.end <= from.start {
                    if !input.raw.usage().contains(wgpu::BufferUsages::COPY_SRC) {
                        let reason = format!(
                            "output {k} is in the same buffer, so it is copied first, and the buffer lacks usage COPY_SRC"
                        );
                        return Err(Error::Buffer {
                            operand: format!("input {i}"),
                            reason,
                        });
                    }
                    // A binding of the plan begins at a multiple of its alignment.
                    let align = u64::from(plan.limits.offset_alignment).max(256);
                    let start = from.start / align * align;
                    let end = from.end.next_multiple_of(16).min(input.bytes / 4 * 4);
                    let to = Arc::new(self.allocate(end - start, true)?);
                    moved.push(Moved {
                        slot: i,
                        to,
                        range: (start, end - start),
                    });
                    continue;
                }
                if !plan.may_overwrite(i, k) {
                    return Err(Error::Overlap {
                        input: i,
                        output: k,
                    });
                }
            }
        }
        for (k, (a, written)) in outputs.iter().zip(&plan.outputs).enumerate() {
            for (b, other) in outputs[..k].iter().zip(&plan.outputs) {
                let (Some(x), Some(y)) = (written.layout.reach(), other.layout.reach()) else {
                    continue;
                };
                let (x, y) = (
                    bytes(&x, written.dtype.size()),
                    bytes(&y, other.dtype.size()),
                );
                // Two outputs never share a word: each is written by its own dispatch, but words
                // are read and merged.
                if a.raw == b.raw
                    && x.start / 4 < y.end.div_ceil(4)
                    && y.start / 4 < x.end.div_ceil(4)
                {
                    let reason =
                        "its elements are another output's too, or share a word with them".into();
                    return Err(Error::Buffer {
                        operand: format!("output {k}"),
                        reason,
                    });
                }
            }
        }
        Ok(moved)
    }

    /// The pipeline and the uniforms of a pass.
    fn fixed(
        &self,
        (plan, number): (PlanId, usize),
        pass: &Pass,
        in_place: &[bool],
    ) -> Result<Arc<Fixed>> {
        let inner: &Inner = &self.0;
        let bits = in_place
            .iter()
            .enumerate()
            .fold(0, |bits, (i, &same)| bits | u64::from(same) << i);
        inner.fixed.get(&(plan, number, bits), || {
            let key = KernelKey::new(pass, in_place);
            let pipeline = inner
                .pipelines
                .get(&key, || self.compile_kernel(&key).map(Arc::new))?;
            let table = (self.uniform(&pass.table)?, pass.table.len() as u64 * 4);
            let words = pass.scalar_words();
            let scalars = match words.len() {
                0 => Scalars::None,
                _ if pass.immediate => Scalars::Immediate(words),
                len => Scalars::Uniform(self.uniform(&words)?, len as u64 * 4),
            };
            Ok(Arc::new(Fixed {
                pipeline,
                table,
                scalars,
            }))
        })
    }

    /// One dispatch. `from` gives an input's buffer and the byte of the planned one that it begins
    /// with; `foreign`: it goes to the caller's encoder.
    fn dispatch<'a>(
        &self,
        number: (PlanId, usize),
        pass: &Pass,
        from: &dyn Fn(&Input) -> (&'a Arc<Buffer>, u64),
        to: &Arc<Buffer>,
        foreign: bool,
    ) -> Result<Prepared> {
        let in_place: Vec<bool> = pass
            .inputs
            .iter()
            .map(|x| from(x).0.raw == to.raw)
            .collect();
        let fixed = self.fixed(number, pass, &in_place)?;
        let pipeline = &fixed.pipeline;
        let mut resources = Vec::with_capacity(pipeline.roles.len());
        // Bind groups are kept, and calls wait for one another, on buffers of this crate alone.
        let mut own = !foreign;
        for role in &pipeline.roles {
            let (buffer, start, size) = match *role {
                Role::Table => (fixed.table.0.clone(), 0, fixed.table.1),
                Role::Scalars => {
                    let Scalars::Uniform(buffer, size) = &fixed.scalars else {
                        return Err(Error::argument(
                            "plan",
                            "its kernel takes numbers, and it has none",
                        ));
                    };
                    (buffer.clone(), 0, *size)
                }
                Role::Input { i, .. } => {
                    let input = &pass.inputs[i];
                    let (buffer, begin) = from(input);
                    own &= buffer.is_own();
                    (
                        buffer.raw.clone(),
                        input.range.start - begin,
                        input.range.size,
                    )
                }
                Role::Output { .. } => {
                    own &= to.is_own();
                    (
                        to.raw.clone(),
                        pass.output.range.start,
                        pass.output.range.size,
                    )
                }
            };
            resources.push((buffer, start, size));
        }
        let grouped = if own {
            self.grouped(pipeline, pass, &resources)
        } else {
            None
        };
        let way = match grouped {
            Some(grouped) => Way::Grouped(grouped),
            None if own => Way::Alone(
                self.bound(pipeline, &resources)
                    .map_err(|e| self.lost_or(e))?,
            ),
            None => Way::Alone(
                self.bind_group(pipeline, &resources)
                    .map_err(|e| self.lost_or(e))?,
            ),
        };
        Ok(Prepared {
            fixed,
            resources,
            grid: pass.grid,
            bytes: pass.bytes_moved(),
            way,
        })
    }

    /// A bind group of this crate's buffers, kept for the next time.
    pub(super) fn bound(
        &self,
        pipeline: &Pipeline,
        resources: &[Resource],
    ) -> Result<wgpu::BindGroup> {
        let key = (pipeline.number, resources.to_vec());
        self.0
            .bind_groups
            .get(&key, || self.bind_group(pipeline, resources))
    }

    fn bind_group(&self, pipeline: &Pipeline, resources: &[Resource]) -> Result<wgpu::BindGroup> {
        let entries: Vec<_> = (0..)
            .zip(resources)
            .map(|(binding, (buffer, offset, size))| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: *offset,
                    size: std::num::NonZeroU64::new(*size),
                }),
            })
            .collect();
        let descriptor = wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.layout,
            entries: &entries,
        };
        self.caught("create_bind_group", || {
            self.0.device.create_bind_group(&descriptor)
        })
    }
}

/// The bytes from the first to the last element of a reach.
fn bytes(reach: &std::ops::RangeInclusive<usize>, size: usize) -> std::ops::Range<u64> {
    (reach.start() * size) as u64..((reach.end() + 1) * size) as u64
}

#[cfg(all(test, feature = "noop"))]
mod tests {
    use super::*;

    /// Buffers of uniforms, bind groups and pipelines that a hundred expressions with a number each
    /// leave behind.
    fn kept(features: wgpu::Features, max_immediate_size: u32) -> [usize; 3] {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
            required_features: features,
            required_limits: wgpu::Limits {
                max_immediate_size,
                ..Default::default()
            },
            ..Default::default()
        });
        let context = Context::from_wgpu(&device, &queue);
        let x = context.tensor(&[1.0f32; 12], [3, 4]).unwrap();
        for k in 0..100u8 {
            let y = x.expr() * 0.5 + (f32::from(k) + 0.25);
            assert_eq!(y.eval().unwrap().shape().extents(), [3, 4]);
        }
        [
            context.0.uniforms.len(),
            context.0.bind_groups.len(),
            context.0.pipelines.len(),
        ]
    }

    #[test]
    fn a_plan_that_was_compiled_compiles_nothing_when_it_runs() {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let context = Context::from_wgpu(&device, &queue);
        // More operands than a kernel has bindings, so that there are several.
        let sum = crate::Expr::sum_of(&(0..40).map(crate::Expr::slot).collect::<Vec<_>>());
        let plan = crate::Expr::slot(40) * sum;
        let tensors: Vec<_> = (0..41)
            .map(|_| context.tensor(&[1.0f32; 4], [4]).unwrap())
            .collect();
        let slots: Vec<_> = tensors.iter().map(crate::Tensor::slot).collect();
        let plan = crate::Plan::new(&plan, &slots, &context.options()).unwrap();
        context.compile(&plan).unwrap();
        let compiled = context.pipelines_compiled();
        assert!(compiled >= 2 && plan.passes() > 4, "{compiled} of {plan}");
        context
            .run(&plan, &tensors.iter().collect::<Vec<_>>())
            .unwrap();
        context.compile(&plan).unwrap();
        assert_eq!(context.pipelines_compiled(), compiled);
    }

    #[test]
    fn a_new_number_makes_no_gpu_object_where_shaders_have_immediate_data() {
        // Small results take turns in sixteen buffers.
        assert_eq!(kept(wgpu::Features::IMMEDIATES, 128), [1, 16, 1]);
        // Elsewhere, or where the numbers do not fit, each is a uniform buffer of 16 bytes with its
        // bind group.
        assert_eq!(kept(wgpu::Features::empty(), 0), [101, 100, 1]);
        assert_eq!(kept(wgpu::Features::IMMEDIATES, 8), [101, 100, 1]);
    }
}
