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
    at("softmax_257", 51.4, "rows that are no whole quads are written word by word: four stores of a lane in each sector"),
    at("softmax_257 #1", 51.4, "as softmax_257"),
    at("layer_norm_257", 50.6, "rows that are no whole quads are written word by word: four stores of a lane in each sector"),
    at("norm_gradient", 75.0, "two operands and a third along the row do not fit registers: each is read from the caches again"),
    at("-x[:, ::2]; x=f32[4096,8192]", 66.7, "every second element: all sectors are read"),
    at("-x[::2]; x=f32[33554432]", 66.6, "every second element: all sectors are read"),
];
