//! How much traffic kernels may have.

/// What a plan's traffic allows at least, in percent of the rate of a copy.
pub const LEAST: f64 = 95.0;
/// The same if an input is transposed.
pub const LEAST_TRANSPOSED: f64 = 90.0;

/// A workload, with all its passes or one by its number (the first is #0), or a line of shapes, that may be below.
pub struct Exception {
    pub name: &'static str,
    /// What it reached: it may only rise.
    pub floor: f64,
    pub reason: &'static str,
}

const fn at(name: &'static str, floor: f64, reason: &'static str) -> Exception {
    Exception {
        name,
        floor,
        reason,
    }
}

/// All exceptions. A line that is needed no more has to go.
#[rustfmt::skip]
pub const EXCEPTIONS: &[Exception] = &[
    at("sum_short", 90.6, "16 elements a row: lookups of lines, as many as by hand"),
    at("cumsum_rows", 88.4, "an invocation's 16 elements are four quads apart: each sector is asked for by four loads"),
    at("join_rows", 88.4, "of each piece as much is read as of the result: what is not chosen comes from the L2"),
    at("norm_gradient", 75.0, "rows of two arrays are more words than an invocation holds: they are read again, from the L2"),
    at("gram", 22.1, "16 columns are 256 products of elements a row, whose factors come from the L2 16 times"),
    at("matmul", 17.3, "a product: arithmetic limits it, and tiles of 64 x 64 read each factor once a tile"),
    at("matmul_odd", 16.3, "a product: arithmetic limits it, and tiles of 64 x 64 read each factor once a tile"),
    at("matmul_tall", 28.7, "a product: arithmetic limits it, and tiles of 64 x 64 read each factor once a tile"),
    at("x * y; x=f32[256,1,4096] y=f32[1,16,4096]", 94.2, "4 x 4 rows an invocation: each of x is read by 4 workgroups, from the L2"),
    at("-x[:, ::2]; x=f32[4096,8192]", 66.7, "every second element: all sectors are read"),
    at("-x[::2]; x=f32[33554432]", 66.6, "every second element: all sectors are read"),
];
