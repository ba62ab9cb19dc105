//! Random operands, and the check of a result against the reference.

use zerostride::{DType, Error, HostTensor, Layout, Result, f16, reference};
use zerostride_bench::workload::Case;

/// Elements of a result that are compared where there are more.
const SAMPLE: usize = 1 << 14;
/// The byte that outputs are filled with before they are checked.
pub const POISON: u8 = 0xcd;

/// A well mixed number (splitmix64).
fn mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The storage bits of element `i` of operand `k`: floats lie in [0.5, 1.5), integers take any
/// value.
fn bits(dtype: DType, k: usize, i: usize) -> u64 {
    let r = mix((k as u64) << 40 | i as u64);
    let float = (r >> 40) as f32 / 16_777_216.0 + 0.5;
    match dtype {
        DType::Bool => r >> 63,
        DType::F32 => u64::from(float.to_bits()),
        DType::F16 => u64::from(f16::from_f32(float).to_bits()),
        _ => r,
    }
}

/// The bytes of operand `k`, by all processors: those of a GPU's workloads are some GiB.
pub fn bytes(dtype: DType, k: usize, len: usize) -> Vec<u8> {
    let size = dtype.size();
    let mut out = vec![0; len * size];
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let part = len.div_ceil(threads).max(1 << 16);
    std::thread::scope(|scope| {
        for (n, bytes) in out.chunks_mut(part * size).enumerate() {
            scope.spawn(move || {
                for (i, element) in bytes.chunks_exact_mut(size).enumerate() {
                    let bits = bits(dtype, k, n * part + i);
                    element.copy_from_slice(&bits.to_le_bytes()[..size]);
                }
            });
        }
    });
    out
}

/// What a check has looked at.
#[derive(Clone, Copy, Debug)]
pub struct Checked {
    /// Elements compared with the reference.
    pub compared: usize,
    /// Elements of the result.
    pub elements: usize,
}

/// Places in the result that are compared: all of a small one, else both ends and random places
/// between.
fn places(len: usize) -> Vec<usize> {
    if len <= SAMPLE {
        return (0..len).collect();
    }
    let ends = (0..64).chain(len - 64..len);
    let inner = (0..SAMPLE - 128).map(|i| mix(0xc4ec << 40 | i as u64) as usize % len);
    ends.chain(inner).collect()
}

/// Where the element at a flat place of the output lies in an operand that NumPy's rule aligns with
/// it.
fn offset(layout: &Layout, extents: &[usize], flat: usize) -> usize {
    let skip = extents.len() - layout.shape().rank();
    let mut rest = flat;
    let mut at = layout.offset();
    for axis in (0..extents.len()).rev() {
        let index = rest % extents[axis];
        rest /= extents[axis];
        if axis >= skip {
            // A broadcast axis has stride 0.
            at = at.wrapping_add_signed(layout.strides()[axis - skip] * index.cast_signed());
        }
    }
    at
}

/// Compares a result with the reference, which computes the same places from the operands' elements
/// there. No element of the result may still be poison.
pub fn check(
    what: &str,
    case: &Case,
    extents: &[usize],
    dtype: DType,
    found: &[u8],
) -> Result<Checked> {
    let fail = |reason: String| {
        Err(Error::Argument {
            op: what.into(),
            reason,
        })
    };
    let size = dtype.size();
    let elements: usize = extents.iter().product();
    if size > 1
        && let Some(i) = found
            .chunks_exact(size)
            .position(|e| e.iter().all(|&b| b == POISON))
    {
        return fail(format!("element {i} was not written"));
    }
    let places = places(elements);
    let expected = expected(case, extents, &places, size)?;
    for (&place, want) in places.iter().zip(expected.chunks_exact(size)) {
        let Some(got) = found.get(place * size..(place + 1) * size) else {
            return fail(format!("the result ends before element {place}"));
        };
        let near = match (float(dtype, got), float(dtype, want)) {
            (Some(a), Some(b)) => (a - b).abs() <= tolerance(case, dtype) * b.abs().max(1.0),
            _ => got == want,
        };
        if !near {
            return fail(format!(
                "element {place} is {}, not {}",
                shown(dtype, got),
                shown(dtype, want)
            ));
        }
    }
    Ok(Checked {
        compared: places.len(),
        elements,
    })
}

/// The bytes of the reference at these places of the result.
fn expected(case: &Case, extents: &[usize], places: &[usize], size: usize) -> Result<Vec<u8>> {
    let mut operands = Vec::with_capacity(case.operands.len());
    for (k, operand) in case.operands.iter().enumerate() {
        let (extents, bytes) = if case.is_pointwise {
            let layout = operand.layout()?;
            let width = operand.dtype.size();
            let gather = |&flat: &usize| {
                let bits = bits(operand.dtype, k, offset(&layout, extents, flat)).to_le_bytes();
                bits.into_iter().take(width)
            };
            (vec![places.len()], places.iter().flat_map(gather).collect())
        } else {
            let bytes = bytes(operand.dtype, k, operand.elements());
            (operand.extents.clone(), bytes)
        };
        operands.push(HostTensor::new(operand.dtype, extents, bytes)?);
    }
    let all = reference::run(&case.expr, &operands)?.bytes;
    Ok(if case.is_pointwise {
        all
    } else {
        let at = |&place: &usize| &all[place * size..(place + 1) * size];
        places.iter().flat_map(at).copied().collect()
    })
}

fn tolerance(case: &Case, dtype: DType) -> f64 {
    if dtype == DType::F16 {
        case.tolerance.max(1e-3)
    } else {
        case.tolerance
    }
}

fn float(dtype: DType, bytes: &[u8]) -> Option<f64> {
    match (dtype, bytes) {
        (DType::F32, &[a, b, c, d]) => Some(f64::from(f32::from_le_bytes([a, b, c, d]))),
        (DType::F16, &[a, b]) => Some(f64::from(f16::from_le_bytes([a, b]))),
        _ => None,
    }
}

fn shown(dtype: DType, bytes: &[u8]) -> String {
    float(dtype, bytes).map_or_else(|| format!("{bytes:02x?}"), |x| format!("{x:?}"))
}
