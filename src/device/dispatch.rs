//! A dispatch with everything it needs, before it is recorded.

use std::sync::Arc;

use super::pass_resources::{PassResources, Scalars};
use super::pipeline::{BufferRange, Pipeline};

/// A dispatch with everything it needs.
#[derive(Debug)]
pub(super) struct Dispatch {
    pub resources: Arc<PassResources>,
    /// The numbers of this run, if they are not the plan's.
    pub given: Option<Scalars>,
    /// In the order of the kernel's bindings: uniforms, inputs, output.
    pub bindings: Vec<BufferRange>,
    pub grid: [u32; 3],
    /// Bytes that it reads and writes.
    pub bytes: u64,
    pub issue: Issue,
}

/// How a dispatch is issued.
#[derive(Debug)]
pub(super) enum Issue {
    /// By itself.
    Direct(wgpu::BindGroup),
    /// With other calls of its kind, if there are enough of them.
    Grouped(Group),
}

/// The kernel that computes several calls, and its workgroups for each along x and y.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub pipeline: Arc<Pipeline>,
    pub grid: [u32; 2],
}

impl Dispatch {
    /// The bindings that hold uniforms.
    pub fn uniforms(&self) -> &[BufferRange] {
        &self.bindings[..self.resources.uniforms()]
    }

    /// The bindings of inputs and output.
    pub fn operands(&self) -> &[BufferRange] {
        &self.bindings[self.resources.uniforms()..]
    }

    /// Where its numbers are.
    fn scalars(&self) -> &Scalars {
        self.given.as_ref().unwrap_or(&self.resources.scalars)
    }

    /// Whether two of them are the same kernel on the same words, and neither writes a buffer that
    /// the other one touches.
    pub fn can_join(&self, other: &Self) -> bool {
        let (own, others) = (&self.resources, &other.resources);
        self.grid == other.grid
            && own.pipeline.number == others.pipeline.number
            && own.table == others.table
            && self.scalars() == other.scalars()
            && !self.writes_what(other.operands())
            && !other.writes_what(self.operands())
    }

    fn writes_what(&self, touched: &[BufferRange]) -> bool {
        let [.., output] = self.operands() else {
            return false;
        };
        touched.iter().any(|range| range.buffer == output.buffer)
    }

    /// Records it by itself.
    pub fn record(&self, pass: &mut wgpu::ComputePass<'_>, bind_group: &wgpu::BindGroup) {
        self.record_with(&self.resources.pipeline, bind_group, self.grid, pass);
    }

    /// Records a kernel with its numbers.
    pub fn record_with(
        &self,
        pipeline: &Pipeline,
        bind_group: &wgpu::BindGroup,
        [x, y, z]: [u32; 3],
        pass: &mut wgpu::ComputePass<'_>,
    ) {
        pass.set_pipeline(&pipeline.pipeline);
        pass.set_bind_group(0, bind_group, &[]);
        if let Scalars::Immediate(words) = self.scalars() {
            pass.set_immediates(0, bytemuck::cast_slice(words));
        }
        pass.dispatch_workgroups(x, y, z);
    }
}
