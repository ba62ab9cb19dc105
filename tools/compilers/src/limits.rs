//! What kernels may cost at most.

/// The figure of time of a plan's kernels over that of the kernel by hand.
pub const RATIO: f64 = 1.1;
/// Instructions of a lane for each byte that a sum reads and writes: an H200 issues about 7 while
/// its memory moves a byte.
pub const INSTRUCTIONS_A_BYTE: f64 = 3.5;

/// A workload that may cost more.
pub struct Exception {
    pub vendor: &'static str,
    pub workload: &'static str,
    /// The ratio, or the instructions a byte of a sum, that it may have.
    pub ceiling: f64,
    pub reason: &'static str,
}

const fn amd(workload: &'static str, ceiling: f64, reason: &'static str) -> Exception {
    Exception {
        vendor: "amd",
        workload,
        ceiling,
        reason,
    }
}

const ROUNDED: &str = "by hand the compiler rounds a product and a sum once: fewer instructions, other bits (see the line `_rounded`)";

/// All exceptions. A ceiling is what was measured: it may only fall, and a line that is needed no
/// more has to go.
#[rustfmt::skip]
pub const EXCEPTIONS: &[Exception] = &[
    amd("pow_to_builtin", 7.492, "the kernel by hand calls the adapter's pow, which is less accurate"),
    amd("norm", 1.409, ROUNDED),
    amd("norm_rounded", 1.132, "by hand rows come in fours; one that asks for each row whether it is there takes as many cycles as the plan's"),
    amd("odd_col_add", 1.199, "by hand the device keeps loads within their buffers; with a bound of its own for the next row that takes 110 of the plan's 121 cycles"),
    amd("odd_transpose_add", 1.755, "through workgroup memory, for whole sectors, and tiles at the edges in a branch; by hand each lane gathers, and the device keeps loads within their buffers"),
    amd("chain_8", 1.164, ROUNDED),
    amd("chain_32", 1.383, ROUNDED),
];
