//! Inputs and outputs of a caller's that share a buffer.

use std::ops::Range;
use std::sync::Arc;

use super::buffer::Buffer;
use crate::error::{Error, Result};
use crate::expr::Literal;
use crate::plan::{Plan, Slot};

/// The buffers of a plan's inputs and outputs.
#[derive(Clone, Copy)]
pub(crate) struct Operands<'a> {
    pub inputs: &'a [Arc<Buffer>],
    pub outputs: &'a [Arc<Buffer>],
    /// In the place of those that the plan was made with, or none.
    pub numbers: &'a [Literal],
}

/// An input that is copied out of its buffer first.
pub(super) struct Copied {
    pub slot: usize,
    /// The first of the bytes of its buffer that are copied, and how many they are.
    pub start: u64,
    pub size: u64,
}

impl<'a> Operands<'a> {
    /// Inputs, then outputs.
    pub fn all(self) -> impl Iterator<Item = &'a Arc<Buffer>> {
        self.inputs.iter().chain(self.outputs)
    }

    /// The inputs to copy before the plan runs: wgpu does not let one dispatch read and write a
    /// buffer through two bindings, even at ranges that do not meet. The same view is computed in
    /// place.
    ///
    /// # Errors
    /// [`Error::Overlap`] for a partial overlap; [`Error::Buffer`] for two outputs that share a
    /// word, and for an input to copy whose buffer lacks usage `COPY_SRC`.
    pub(super) fn copied_inputs(self, plan: &Plan) -> Result<Vec<Copied>> {
        let mut copied: Vec<Copied> = Vec::new();
        for (k, (output, written)) in self.outputs.iter().zip(&plan.outputs).enumerate() {
            for (i, (input, read)) in self.inputs.iter().zip(&plan.slots).enumerate() {
                if input.raw != output.raw || copied.iter().any(|c| c.slot == i) {
                    continue;
                }
                let (Some(from), Some(to)) = (bytes(read), bytes(written)) else {
                    continue;
                };
                if from.end <= to.start || to.end <= from.start {
                    if !input.raw.usage().contains(wgpu::BufferUsages::COPY_SRC) {
                        let reason = format!(
                            "output {k} is in the same buffer, so it is copied first, and the buffer lacks usage COPY_SRC"
                        );
                        return Err(Error::buffer(format!("input {i}"), reason));
                    }
                    // A binding of the plan begins at a multiple of its alignment.
                    let align = u64::from(plan.limits.offset_alignment).max(256);
                    let start = from.start / align * align;
                    let end = from.end.next_multiple_of(16).min(input.bytes / 4 * 4);
                    copied.push(Copied {
                        slot: i,
                        start,
                        size: end - start,
                    });
                } else if !plan.may_overwrite(i, k) {
                    return Err(Error::Overlap {
                        input: i,
                        output: k,
                    });
                }
            }
        }
        self.check_outputs(plan)?;
        Ok(copied)
    }

    /// Two outputs never share a word: each is written by its own dispatch, but words are read and
    /// merged.
    fn check_outputs(self, plan: &Plan) -> Result<()> {
        for (k, (a, written)) in self.outputs.iter().zip(&plan.outputs).enumerate() {
            for (b, other) in self.outputs[..k].iter().zip(&plan.outputs) {
                let (Some(x), Some(y)) = (bytes(written), bytes(other)) else {
                    continue;
                };
                if a.raw == b.raw
                    && x.start / 4 < y.end.div_ceil(4)
                    && y.start / 4 < x.end.div_ceil(4)
                {
                    let reason = "its elements are another output's too, or share a word with them";
                    return Err(Error::buffer(format!("output {k}"), reason));
                }
            }
        }
        Ok(())
    }
}

/// The bytes from the lowest to the highest element of a slot; `None` if it has none.
fn bytes(slot: &Slot) -> Option<Range<u64>> {
    let (reach, size) = (slot.layout.reach()?, slot.dtype.size());
    Some((reach.start() * size) as u64..((reach.end() + 1) * size) as u64)
}
