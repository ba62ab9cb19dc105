//! What a test found beside what it expected.

use zerostride::{DType, Error, Expr, HostTensor, Options, reference};

use super::{context, on_context};

/// The distance of two floats of a type in units in the last place; 0 for two NaN, infinite for
/// one.
pub fn ulps(dtype: DType, a: u64, b: u64) -> f64 {
    let (bits, infinity) = match dtype {
        DType::F16 => (16, 0x7c00u64),
        DType::Bf16 => (16, 0x7f80),
        DType::F64 => (64, 0x7ff0_0000_0000_0000),
        _ => (32, 0x7f80_0000),
    };
    let sign = 1u64 << (bits - 1);
    let (ma, mb) = (a & (sign - 1), b & (sign - 1));
    if ma > infinity || mb > infinity {
        return if ma > infinity && mb > infinity {
            0.0
        } else {
            f64::INFINITY
        };
    }
    let line = |x: u64, m: u64| {
        if x & sign != 0 {
            -i128::from(m)
        } else {
            i128::from(m)
        }
    };
    (line(a, ma) - line(b, mb)).unsigned_abs() as f64
}

/// The storage bits of a tensor's elements, which lie in row-major order.
pub fn elements(t: &HostTensor) -> Vec<u64> {
    let size = t.dtype.size();
    t.bytes
        .chunks_exact(size)
        .map(|c| c.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b)))
        .collect()
}

/// Whether storage bits are a float that adapters which flush subnormals give as zero.
fn flushable(dtype: DType, bits: u64) -> bool {
    let magnitude = match dtype {
        DType::F32 => bits & 0x7fff_ffff,
        DType::Bf16 => (bits & 0x7fff) << 16,
        _ => return false,
    };
    magnitude < 0x0080_0000
}

/// Compares an adapter's result with the reference's: floats within `bound` ULP, everything else in
/// bits. A bound of 0 asks for the sign of zeros too; the bits of a NaN are free, and where the
/// reference has a subnormal f32 or bf16 any subnormal or zero will do.
pub fn compare(
    what: &str,
    found: &HostTensor,
    expected: &HostTensor,
    bound: f64,
) -> std::result::Result<(), String> {
    if found.dtype != expected.dtype || found.layout.shape() != expected.layout.shape() {
        return Err(format!(
            "{what}: {}{} instead of {}{}",
            found.dtype,
            found.layout.shape(),
            expected.dtype,
            expected.layout.shape()
        ));
    }
    let dtype = found.dtype;
    let off = |a: u64, b: u64| {
        if a == b
            || (flushable(dtype, a) && flushable(dtype, b) && b << (64 - 8 * dtype.size() + 1) != 0)
        {
            return 0.0;
        }
        match dtype.is_float() {
            true if bound == 0.0
                && ulps(dtype, a, b) == 0.0
                && (a ^ b) >> (8 * dtype.size() - 1) != 0 =>
            {
                if is_nan(dtype, a) {
                    0.0
                } else {
                    0.5
                }
            }
            true => ulps(dtype, a, b),
            false => f64::INFINITY,
        }
    };
    let differences: Vec<_> = elements(found)
        .into_iter()
        .zip(elements(expected))
        .enumerate()
        .map(|(i, (a, b))| (i, a, b, off(a, b)))
        .filter(|(.., off)| *off > bound)
        .collect();
    let Some((i, a, b, first)) = differences.first() else {
        return Ok(());
    };
    let worst = differences.iter().map(|(.., off)| *off).fold(0.0, f64::max);
    Err(format!(
        "{what}: {} of {} elements differ, worst {worst} ULP (bound {bound}); element {i} is {a:#x}, the reference has \
         {b:#x} ({first} ULP)",
        differences.len(),
        found.layout.len(),
    ))
}

fn is_nan(dtype: DType, bits: u64) -> bool {
    ulps(dtype, bits, bits ^ (1 << (8 * dtype.size() - 1))) == 0.0
        && ulps(dtype, bits, 0) == f64::INFINITY
}

/// Runs both sides and compares them.
pub fn check(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    bound: f64,
) -> std::result::Result<(), String> {
    check_with(what, expr, inputs, bound, &context().options())
}

/// ULP that a softmax may be off: `exp` 1.2 in the numerator and as much in the sum, a ULP of which may be two of the
/// result's, and a quotient 2.5; roundings of the sum differ where its terms do.
pub const SOFTMAX: f64 = 8.0;

/// Runs both sides and compares them, the plan made with options of the test's.
pub fn check_with(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    bound: f64,
    options: &Options,
) -> std::result::Result<(), String> {
    let expected = reference::run(expr, inputs).map_err(|e| format!("{what}: reference: {e}"))?;
    let found =
        on_context(&context(), expr, inputs, options).map_err(|e: Error| format!("{what}: {e}"))?;
    compare(what, &found, &expected, bound)
}

/// Fails with the reports of a table of cases: all are counted, the first are shown.
pub fn all(reports: impl IntoIterator<Item = std::result::Result<(), String>>) {
    const SHOWN: usize = 24;
    let failures: Vec<String> = reports
        .into_iter()
        .filter_map(std::result::Result::err)
        .collect();
    let shown = failures
        .iter()
        .take(SHOWN)
        .cloned()
        .collect::<Vec<_>>()
        .join("\n");
    assert!(
        failures.is_empty(),
        "{} failures, the first of them:\n{shown}",
        failures.len()
    );
}
