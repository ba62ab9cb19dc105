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

const HALVES: &str = "halves are converted by integer code; by hand unpack2x16float does it";
const BARRIERS: &str = "an optimisation barrier behind each step, for compilers that reassociate";

/// All exceptions. A ceiling is what was measured: it may only fall, and a line that is needed no
/// more has to go.
#[rustfmt::skip]
pub const EXCEPTIONS: &[Exception] = &[
    amd("outer_add", 1.137, "index arithmetic of the rows"),
    amd("nchw_bias", 1.535, "the channel is found for each quad; by hand once a workgroup"),
    amd("both5d_mul", 1.162, "index arithmetic of five axes"),
    amd("pow_to_builtin", 8.787, "the kernel by hand calls the adapter's pow, which is less accurate"),
    amd("norm", 2.286, BARRIERS),
    amd("transpose_add", 1.211, "index arithmetic of four rows"),
    amd("f16_same_add", 35.536, HALVES),
    amd("f16_row_add", 34.218, HALVES),
    amd("i64_same_add", 1.75, "two quads an invocation; by hand four"),
    amd("odd_row_add", 1.384, "straddling quads: each loads two elements of the row"),
    amd("odd_col_add", 2.723, "straddling quads: the row of each lane"),
    amd("odd_bias", 1.444, "straddling quads: the channel of each lane"),
    amd("odd_transpose_add", 1.678, "straddling quads: each lane gathers"),
    amd("seven_add", 1.7, BARRIERS),
    amd("sum_8", 1.749, BARRIERS),
    amd("chain_8", 1.847, BARRIERS),
    amd("chain_32", 2.595, BARRIERS),
    amd("sum/f16_same", 8.886, HALVES),
    amd("sum/f16_row", 11.155, HALVES),
    amd("sum/f16_col", 10.452, HALVES),
    amd("sum/f16_scalar", 10.375, HALVES),
];
