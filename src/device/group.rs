//! Calls of one kernel on small tensors that wait to be computed by one dispatch, since a dispatch
//! of a few elements costs much more than its elements do.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use super::context::Context;

use super::pipeline::Pipeline;
use super::prepared::{Prepared, Resource, Way};
use super::recorder::Batch;
use crate::error::Result;
use crate::kernel::KernelKey;
use crate::plan::Pass;

/// Small dispatches of a kernel after which its calls wait for one another: the kernel that
/// computes several must be compiled first.
const USES: u32 = 256;
/// Workgroups up to which a call is small.
const SMALL: u32 = 16;

/// Bytes up to which a buffer is small. Bind groups that are kept may outlive larger ones of calls
/// that waited.
const SMALL_BYTES: u64 = 64 << 10;

/// The kernel that computes several calls of another at once.
#[derive(Debug)]
pub(crate) struct Group {
    key: KernelKey,
    /// Small dispatches of the other one so far.
    uses: AtomicU32,
    /// The kernel, once it was compiled; `None` where the device refuses it, so that each call
    /// stays by itself.
    made: OnceLock<Option<Arc<Pipeline>>>,
}

impl Group {
    pub fn new(key: KernelKey) -> Self {
        Self {
            key,
            uses: AtomicU32::new(0),
            made: OnceLock::new(),
        }
    }
}

/// The kernel that computes several calls, and its workgroups for each along x and y.
#[derive(Clone, Debug)]
pub(super) struct Grouped {
    pipeline: Arc<Pipeline>,
    grid: [u32; 2],
}

impl Grouped {
    /// Calls that a dispatch computes.
    fn calls(&self) -> usize {
        self.pipeline.calls as usize
    }
}

/// Calls that wait: alike but for their buffers, and none of them writes a buffer of another.
#[derive(Debug)]
pub(super) struct Waiting {
    /// What computes them once they are enough.
    grouped: Grouped,
    calls: Vec<Prepared>,
}

impl Waiting {
    /// Whether a call can be computed together with those that wait.
    fn takes(&self, call: &Prepared) -> bool {
        let [first, ..] = self.calls.as_slice() else {
            return true;
        };
        let (inputs, output) = call.operands();
        let apart = |other: &Prepared| {
            let (read, written) = other.operands();
            written.0 != output.0
                && read.iter().all(|input| input.0 != output.0)
                && inputs.iter().all(|input| input.0 != written.0)
        };
        first.is_like(call) && self.calls.iter().all(apart)
    }
}

impl Context {
    /// The kernel that computes several calls of this one, where its dispatches are small and many.
    pub(super) fn grouped(
        &self,
        pipeline: &Pipeline,
        pass: &Pass,
        resources: &[Resource],
    ) -> Option<Grouped> {
        let group = pipeline.group.as_ref()?;
        let grid = pass
            .narrow_grid()
            .filter(|[x, y]| x.saturating_mul(*y) <= SMALL)?;
        if resources
            .iter()
            .any(|(buffer, ..)| buffer.size() > SMALL_BYTES)
        {
            return None;
        }
        if group.uses.load(Ordering::Relaxed) < USES {
            group.uses.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        let made = group
            .made
            .get_or_init(|| self.compile_kernel(&group.key).map(Arc::new).ok());
        made.clone().map(|pipeline| Grouped { pipeline, grid })
    }

    /// Records what waits, if a dispatch cannot wait with it. Where that fails the results of those
    /// calls are refused, whoever reads them; it is no error of this one.
    pub(super) fn make_way(&self, batch: &mut Batch, call: &Prepared) {
        let takes = |waiting: &Waiting| matches!(call.way, Way::Grouped(_)) && waiting.takes(call);
        if batch
            .waiting
            .as_ref()
            .is_some_and(|waiting| !takes(waiting))
        {
            let _ = self.close(batch);
        }
    }

    /// Adds a dispatch that [way was made](Self::make_way) for to a batch, or lets it wait for
    /// others of its kind.
    pub(super) fn add(&self, batch: &mut Batch, call: Prepared) -> Result<()> {
        let grouped = match &call.way {
            Way::Alone(bind_group) => {
                call.record(batch.pass(&self.0.device), bind_group);
                return Ok(());
            }
            Way::Grouped(grouped) => grouped.clone(),
        };
        let waiting = batch.waiting.get_or_insert_with(|| Waiting {
            grouped,
            calls: Vec::new(),
        });
        waiting.calls.push(call);
        if waiting.calls.len() >= waiting.grouped.calls() {
            self.close(batch)
        } else {
            Ok(())
        }
    }

    /// Records what waits, before anything else is recorded or the batch is submitted.
    ///
    /// # Errors
    /// Those of bind groups; all results of the batch so far are refused then, and what follows is
    /// another batch's.
    pub(super) fn close(&self, batch: &mut Batch) -> Result<()> {
        let Some(waiting) = batch.waiting.take() else {
            return Ok(());
        };
        let closed = self.record_waiting(&waiting, batch);
        if let Err(error) = &closed {
            self.0.recorder.refuse(batch.number, error);
            batch.number += 1;
        }
        closed
    }

    fn record_waiting(&self, waiting: &Waiting, batch: &mut Batch) -> Result<()> {
        let Waiting { grouped, calls } = waiting;
        let [first, ..] = calls.as_slice() else {
            return Ok(());
        };
        if calls.len() < grouped.calls() {
            for call in calls {
                let bind_group = self.bound(&call.fixed.pipeline, &call.resources)?;
                call.record(batch.pass(&self.0.device), &bind_group);
            }
            return Ok(());
        }
        let operands = calls
            .iter()
            .flat_map(|call| &call.resources[call.uniforms()..]);
        let resources: Vec<Resource> = first.resources[..first.uniforms()]
            .iter()
            .chain(operands)
            .cloned()
            .collect();
        let bind_group = self.bound(&grouped.pipeline, &resources)?;
        let [x, y] = grouped.grid;
        let grid = [x, y, grouped.pipeline.calls];
        first.record_by(
            &grouped.pipeline,
            &bind_group,
            grid,
            batch.pass(&self.0.device),
        );
        Ok(())
    }
}

#[cfg(all(test, feature = "noop"))]
mod tests {
    use super::*;
    use crate::Tensor;

    #[test]
    fn small_calls_in_a_steady_state_make_no_gpu_object() {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let context = Context::from_wgpu(&device, &queue);
        let [a, b] = [[3, 4], [1, 4]].map(|shape| context.empty(crate::DType::F32, shape).unwrap());
        let objects = || {
            [
                context.0.bind_groups.len(),
                context.0.pipelines.len(),
                context.0.uniforms.len(),
            ]
        };
        let run = |calls: u32| (0..calls).for_each(|_| drop(a.add(&b).unwrap()));
        run(USES);
        assert_eq!(context.pipelines_compiled(), 1, "few calls take one kernel");
        run(1000);
        let (warm, kept) = (objects(), context.pooled_bytes());
        // The other kernel computes two calls with the eight bindings that are asked for.
        assert_eq!(context.pipelines_compiled(), 2);
        for _ in 0..20 {
            run(1000);
            assert_eq!((objects(), context.pooled_bytes()), (warm, kept));
        }
    }

    #[test]
    fn calls_that_wait_are_counted_and_recorded_by_a_flush() {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let context = Context::from_wgpu(&device, &queue);
        let x = context.empty(crate::DType::F32, [5]).unwrap();
        let waiting = || {
            context
                .0
                .recorder
                .lock()
                .waiting
                .as_ref()
                .map_or(0, |w| w.calls.len())
        };
        let mut results: Vec<Tensor> = (0..USES).map(|_| x.neg().unwrap()).collect();
        context.flush().unwrap();
        assert_eq!(waiting(), 0);
        results.push(x.neg().unwrap());
        results.push(x.neg().unwrap());
        assert_eq!(waiting(), 2);
        // One that reads what another will write cannot be computed with it.
        results.push(results[results.len() - 1].neg().unwrap());
        assert_eq!(waiting(), 1);
        // Another kernel.
        results.push(x.abs().unwrap());
        assert_eq!(waiting(), 0);
        results.push(x.neg().unwrap());
        assert_eq!(waiting(), 1);
        context.flush().unwrap();
        assert_eq!(waiting(), 0);
    }
}
