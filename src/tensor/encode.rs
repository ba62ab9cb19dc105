//! Recording of plans into the caller's encoder or compute pass.

use std::sync::Arc;

use super::Tensor;
use super::eval::buffers;
use crate::device::{Buffer, Context, Operands};
use crate::error::{Error, Result};
use crate::plan::{Plan, Room};

impl Context {
    /// Records a plan into the caller's encoder: `inputs` and `outputs` must match the plan's slots
    /// (see [`Tensor::slot`]). If an output is an input's own elements, it is computed in place.
    ///
    /// Submits nothing but recorded work of this context that an operand depends on. wgpu reports
    /// further errors when the encoder is finished, and panics on an encoder of another device.
    ///
    /// # Errors
    /// - [`Error::Argument`] for a number of operands other than the plan's, or a plan for limits that
    ///   the adapter does not have
    /// - [`Error::Buffer`] if an operand does not match its slot in the plan
    /// - [`Error::Overlap`] if an output overlaps an input and is not computed in place, as over a factor of a
    ///   matrix product, unless steps after the product compute it and its slot was given to [`Plan::many`]
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::TooManyElements`], [`Error::BufferTooLarge`] for more elements than can be
    ///   counted or allocated
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn encode(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        plan: &Plan,
        inputs: &[&Tensor],
        outputs: &[&Tensor],
    ) -> Result<()> {
        let checked = self.checked(plan, inputs, outputs)?;
        self.recorder().encode(encoder, plan, operands(&checked))
    }

    /// Like [`encode`](Self::encode), but records into the caller's compute pass: a pass costs a
    /// driver more than a dispatch does. Sets the pipeline, bind group 0 and the immediates of the
    /// pass; the caller must set them again before its next dispatch.
    ///
    /// ```
    /// # use zerostride::{Context, DType, Expr, Plan, wgpu};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [4])?;
    /// let [y, z] = [context.empty(DType::F32, [4])?, context.empty(DType::F32, [4])?];
    /// let double = Plan::new(&(Expr::slot(0) * 2.0), &[x.slot()], &context.options())?;
    /// let mut encoder = context.device().create_command_encoder(&Default::default());
    /// let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    /// context.encode_in_pass(&mut pass, &double, &[&x], &[&y])?;
    /// context.encode_in_pass(&mut pass, &double, &[&y], &[&z])?;
    /// drop(pass);
    /// context.queue().submit([encoder.finish()]);
    /// assert_eq!(z.read_blocking::<f32>()?, [4.0, 8.0, 12.0, 16.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Those of [`encode`](Self::encode); and [`Error::Buffer`] for an input elsewhere in an
    /// output's buffer: such an input must be copied first, which a compute pass cannot do.
    pub fn encode_in_pass(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        plan: &Plan,
        inputs: &[&Tensor],
        outputs: &[&Tensor],
    ) -> Result<()> {
        let checked = self.checked(plan, inputs, outputs)?;
        self.recorder()
            .encode_in_pass(pass, plan, operands(&checked))
    }

    /// The buffers of operands, which must match the plan's slots.
    fn checked(
        &self,
        plan: &Plan,
        inputs: &[&Tensor],
        outputs: &[&Tensor],
    ) -> Result<[Vec<Arc<Buffer>>; 2]> {
        self.check_inputs(plan, inputs)?;
        self.check_outputs(plan, outputs)?;
        Ok([inputs, outputs].map(buffers))
    }

    pub(super) fn check_outputs(&self, plan: &Plan, outputs: &[&Tensor]) -> Result<()> {
        self.check_operands("output", &plan.outputs, outputs)?;
        for (k, (slot, tensor)) in plan.outputs.iter().zip(outputs).enumerate() {
            if slot.room == Room::Padding
                && tensor.slot().room != Room::Padding
                && tensor.len() % slot.quad() != 0
            {
                let reason = "the plan writes past its last element, where other bytes lie; plan with its Tensor::slot";
                return Err(Error::buffer(format!("output {k}"), reason));
            }
        }
        Ok(())
    }
}

fn operands([inputs, outputs]: &[Vec<Arc<Buffer>>; 2]) -> Operands<'_> {
    Operands {
        inputs,
        outputs,
        numbers: &[],
    }
}
