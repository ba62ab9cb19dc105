//! How much traffic kernels may have.

/// What a plan's traffic allows at least, in percent of the rate of a copy.
pub const LEAST: f64 = 95.0;
/// The same if an input is transposed.
pub const LEAST_TRANSPOSED: f64 = 90.0;

/// A workload, or a line of shapes, that may be below.
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
    at("x + y; x=i64[2048,4096] y=i64[4096]", 87.8, "a quad of 32 bytes: half of each sector at a time"),
    at("x + y; x=i64[2048,4096] y=i64[2048,1]", 88.4, "a quad of 32 bytes: half of each sector at a time"),
    at("-x.T; x=i64[4096,2048]", 88.4, "a quad of 32 bytes: half of each sector at a time"),
    at("-x[:, ::2]; x=f32[4096,8192]", 66.7, "every second element: all sectors are read"),
    at("-x[::2]; x=f32[33554432]", 66.6, "every second element: all sectors are read"),
];
