//! The GPUs that plans are made for if none is there.

use zerostride::inspect::FloatFact;
use zerostride::{Arithmetic, Limits};

/// What a desktop GPU has under Vulkan.
const DESKTOP: Limits = Limits::WEBGPU
    .with_max_binding((1 << 31) - 16)
    .with_max_storage_buffers(32)
    .with_offset_alignment(32)
    .with_max_invocations(1024)
    .with_max_workgroup_height(256)
    .with_max_immediates(128);

/// What a GPU has that decides about kernels, and no fake driver can be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gpu {
    /// Whether its driver gives shaders 64-bit integers.
    pub int64: bool,
    /// Whether its driver gives shaders 64-bit floats.
    pub float64: bool,
    /// Whether `fma` rounds once.
    pub fused: bool,
}

impl Gpu {
    /// The limits that plans for it are made with: a line for each thing that the context probes.
    pub const fn limits(self) -> Limits {
        DESKTOP
            .with_int64(self.int64)
            .with_float64(self.int64 && self.float64)
            // Mesa's drivers flush subnormal numbers unless a shader asks them not to. Real GPUs
            // convert halves in one instruction, keep the order of what is added, and may round a
            // product and a sum of it once. Where `fma` rounds once, it puts quotients right.
            .with_arithmetic(
                Arithmetic::UNKNOWN
                    .with(FloatFact::Halves, true)
                    .with(FloatFact::Order, true)
                    .with(FloatFact::FusedQuotients, self.fused)
                    .with(FloatFact::Fma, self.fused),
            )
    }
}
