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
    if slot.dtype != dtype {
        return fail(format!(
            "it is {}, the expression gives {dtype}",
            slot.dtype
        ));
    }
    if slot.layout.shape() != shape {
        return fail(format!(
            "it has shape {}, the expression gives {shape}",
            slot.layout.shape()
        ));
    }
    if !slot.layout.is_contiguous() {
        return fail(format!(
            "its strides {:?} are not row-major; write to a contiguous tensor",
            slot.layout.strides()
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
    let too_many = graph.nodes.iter().find_map(|node| match node.kind {
        GraphKind::Step(op) if node.args.len() > max_inputs => Some((op, node.args.len())),
        _ => None,
    });
    match too_many {
        Some((op, count)) => {
            let reason = format!(
                "max_storage_buffers is {}; {count} operands and the result take {}",
                max_inputs + 1,
                count + 1
            );
            Err(Error::argument(op.name(), reason))
        }
        None => Ok(()),
    }
}
