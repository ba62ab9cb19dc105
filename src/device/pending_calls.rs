//! Calls of one kernel on small tensors that wait to be computed by one dispatch, since a dispatch
//! of a few elements costs much more than its elements do.

use super::dispatch::{Dispatch, Group, Issue};
use super::gpu::Gpu;
use super::memory::Memory;
use super::pipeline::BufferRange;
use crate::error::Result;
use crate::plan::Pass;

/// Workgroups up to which a call is small.
const SMALL: u32 = 16;
/// Bytes up to which a buffer is small. Bind groups that are kept may outlive larger ones of calls
/// that waited.
const SMALL_BYTES: u64 = 64 << 10;

/// The workgroups along x and y of a call of this pass, if it is small enough to wait for others.
pub(super) fn small_grid(pass: &Pass, bindings: &[BufferRange]) -> Option<[u32; 2]> {
    let is_small = bindings
        .iter()
        .all(|range| range.buffer.size() <= SMALL_BYTES);
    pass.narrow_grid()
        .filter(|[x, y]| is_small && x.saturating_mul(*y) <= SMALL)
}

/// Calls that wait: alike but for their buffers, and none of them writes a buffer of another.
#[derive(Debug)]
pub(super) struct PendingCalls {
    /// What computes them once they are enough.
    group: Group,
    pub calls: Vec<Dispatch>,
}

impl PendingCalls {
    /// No call yet of this kind.
    pub fn new(group: Group) -> Self {
        Self {
            group,
            calls: Vec::new(),
        }
    }

    /// Whether a dispatch can be computed together with those that wait.
    pub fn admit(&self, dispatch: &Dispatch) -> bool {
        matches!(dispatch.issue, Issue::Grouped(_))
            && self.calls.iter().all(|call| call.can_join(dispatch))
    }

    /// Adds one that was [admitted](Self::admit); whether they are enough now.
    pub fn push(&mut self, call: Dispatch) -> bool {
        self.calls.push(call);
        self.is_full()
    }

    /// Whether one dispatch computes all of them.
    fn is_full(&self) -> bool {
        self.calls.len() >= self.group.pipeline.calls as usize
    }

    /// The bind groups to record them with: one for all if they are enough, else one for each.
    pub fn bind_groups(&self, gpu: &Gpu, memory: &Memory) -> Result<Vec<wgpu::BindGroup>> {
        let [first, ..] = self.calls.as_slice() else {
            return Ok(Vec::new());
        };
        if self.is_full() {
            let operands = self.calls.iter().flat_map(Dispatch::operands);
            let bindings: Vec<BufferRange> =
                first.uniforms().iter().chain(operands).cloned().collect();
            let bind_group = memory.bind_group(gpu, &self.group.pipeline, &bindings)?;
            return Ok(vec![bind_group]);
        }
        let each =
            |call: &Dispatch| memory.bind_group(gpu, &call.resources.pipeline, &call.bindings);
        self.calls.iter().map(each).collect()
    }

    /// Records them with these [bind groups](Self::bind_groups).
    pub fn record(&self, bind_groups: &[wgpu::BindGroup], pass: &mut wgpu::ComputePass<'_>) {
        if let (true, [first, ..], [all]) = (self.is_full(), self.calls.as_slice(), bind_groups) {
            let Group { pipeline, grid } = &self.group;
            let grid = [grid[0], grid[1], pipeline.calls];
            first.record_with(pipeline, all, grid, pass);
            return;
        }
        for (call, bind_group) in self.calls.iter().zip(bind_groups) {
            call.record(pass, bind_group);
        }
    }
}
