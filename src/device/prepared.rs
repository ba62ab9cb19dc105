//! A dispatch with everything it needs, before it is recorded.

use std::sync::Arc;

use super::group::Grouped;
use super::pipeline::Pipeline;

/// What a pass needs whatever its buffers are.
#[derive(Debug)]
pub(crate) struct Fixed {
    pub pipeline: Arc<Pipeline>,
    pub table: (wgpu::Buffer, u64),
    pub scalars: Scalars,
}

impl Fixed {
    fn is_like(&self, other: &Self) -> bool {
        let same = self.pipeline.number == other.pipeline.number;
        same && self.table == other.table && self.scalars == other.scalars
    }
}

/// Where the numbers of a pass are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Scalars {
    None,
    Uniform(wgpu::Buffer, u64),
    Immediate(Vec<u32>),
}

/// What a binding shows: a buffer, from a byte on, this many bytes.
pub(super) type Resource = (wgpu::Buffer, u64, u64);

/// A dispatch with everything it needs.
#[derive(Debug)]
pub(super) struct Prepared {
    pub fixed: Arc<Fixed>,
    /// In the order of the kernel's bindings: uniforms, inputs, output.
    pub resources: Vec<Resource>,
    pub grid: [u32; 3],
    pub bytes: u64,
    pub way: Way,
}

/// How a dispatch comes into a batch.
#[derive(Debug)]
pub(super) enum Way {
    /// By itself.
    Alone(wgpu::BindGroup),
    /// With others of its kind, by this kernel, where they are enough.
    Grouped(Grouped),
}

impl Prepared {
    /// The bindings that hold uniforms, which come first.
    pub fn uniforms(&self) -> usize {
        1 + usize::from(matches!(self.fixed.scalars, Scalars::Uniform(..)))
    }

    /// What it reads, and what it writes.
    pub fn operands(&self) -> (&[Resource], &Resource) {
        let last = self.resources.len() - 1;
        (
            &self.resources[self.uniforms()..last],
            &self.resources[last],
        )
    }

    /// Whether another one differs by its buffers alone.
    pub fn is_like(&self, other: &Self) -> bool {
        let (a, b) = (&self.fixed, &other.fixed);
        self.grid == other.grid && (Arc::ptr_eq(a, b) || a.is_like(b))
    }

    /// Records it by itself.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, bind_group: &wgpu::BindGroup) {
        self.record_by(&self.fixed.pipeline, bind_group, self.grid, pass);
    }

    /// Records a kernel with its numbers.
    pub fn record_by(
        &self,
        pipeline: &Pipeline,
        bind_group: &wgpu::BindGroup,
        [x, y, z]: [u32; 3],
        pass: &mut wgpu::ComputePass<'_>,
    ) {
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, bind_group, &[]);
        if let Scalars::Immediate(words) = &self.fixed.scalars {
            pass.set_immediates(0, bytemuck::cast_slice(words));
        }
        pass.dispatch_workgroups(x, y, z);
    }
}
