//! What a plan cannot do: outputs that do not fit, and more operands than a pass can bind.

use super::limits::Limits;
use super::slot::Slot;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Graph, GraphKind};
use crate::shape::Shape;

/// Inputs a pass may have, so that its uniform table stays small on every adapter.
const MAX_INPUTS: usize = 32;

/// Checks that an output can take a result of this type and shape.
pub(super) fn check_output(k: usize, slot: &Slot, dtype: DType, shape: &Shape) -> Result<()> {
    let fail = |reason: String| Err(Error::buffer(format!("output {k}"), reason));
    let (has, layout) = (slot.dtype, &slot.layout);
    if has != dtype {
        return fail(format!("it is {has}, the expression gives {dtype}"));
    }
    let has = layout.shape();
    if has != shape {
        return fail(format!("it has shape {has}, the expression gives {shape}"));
    }
    if !layout.is_contiguous() {
        let has = layout.strides();
        return fail(format!(
            "its strides {has:?} are not row-major; write to a contiguous tensor"
        ));
    }
    Ok(())
}

/// The inputs that a pass may have.
pub(super) fn max_inputs(limits: &Limits) -> usize {
    (limits.max_storage_buffers as usize - 1).min(MAX_INPUTS)
}

/// Checks that a pass can bind the operands of each step; those of a row of the table it can.
pub(super) fn check_operands(graph: &Graph, max_inputs: usize) -> Result<()> {
    for node in &graph.nodes {
        let count = node.args.len();
        if let GraphKind::Step(op) = node.kind
            && count > max_inputs
        {
            let (most, taken) = (max_inputs + 1, count + 1);
            let reason = format!(
                "max_storage_buffers is {most}; {count} operands and the result take {taken}"
            );
            return Err(Error::argument(op.name(), reason));
        }
    }
    Ok(())
}
