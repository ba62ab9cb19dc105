//! Random operands, and the check of a result against the reference.

use zerostride::{DType, Error, HostTensor, Layout, Result, f16, reference};
use zerostride_bench::workload::{Case, Needs, Operand};

/// Elements of a result that are compared where there are more.
const SAMPLE: usize = 1 << 14;
/// Elements of operands up to which all rows are compared.
const ALL_ROWS: usize = 1 << 20;
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
/// value that the operand may have.
fn bits(operand: &Operand, k: usize, i: usize) -> u64 {
    let r = mix((k as u64) << 40 | i as u64);
    let float = (r >> 40) as f32 / 16_777_216.0 + 0.5;
    match (operand.dtype, operand.below) {
        (DType::Bool, _) => r >> 63,
        (DType::F32, _) => u64::from(float.to_bits()),
        (DType::F64, _) => ((r >> 11) as f64 / 9_007_199_254_740_992.0 + 0.5).to_bits(),
        (DType::F16, _) => u64::from(f16::from_f32(float).to_bits()),
        (_, Some(end)) => r % end,
        _ => r,
    }
}

/// The bytes of operand `k`, by all processors: those of a GPU's workloads are some GiB.
pub fn bytes(operand: &Operand, k: usize) -> Vec<u8> {
    let size = operand.dtype.size();
    let len = operand.elements();
    let mut out = vec![0; len * size];
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let part = len.div_ceil(threads).max(1 << 16);
    std::thread::scope(|scope| {
        for (n, bytes) in out.chunks_mut(part * size).enumerate() {
            scope.spawn(move || {
                for (i, element) in bytes.chunks_exact_mut(size).enumerate() {
                    let bits = bits(operand, k, n * part + i);
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

/// Places that are compared: all of a few, else both ends, `ends` each, and random places between, `count` in all.
fn places(len: usize, count: usize, ends: usize) -> Vec<usize> {
    if len <= count {
        return (0..len).collect();
    }
    let inner = (0..count - 2 * ends).map(|i| mix(0xc4ec << 40 | i as u64) as usize % len);
    (0..ends).chain(len - ends..len).chain(inner).collect()
}

/// Rows of the result that are compared where its elements need rows: all if the operands are small.
fn rows(case: &Case, rows: usize, sampled: usize) -> Vec<usize> {
    let elements: usize = case.operands.iter().map(Operand::elements).sum();
    match elements <= ALL_ROWS {
        true => (0..rows).collect(),
        false => places(rows, sampled, 1),
    }
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
    let places = match case.needs {
        Needs::Row { sampled, .. } => {
            let row = elements / extents[0].max(1);
            let rows = rows(case, extents[0], sampled);
            rows.iter().flat_map(|r| r * row..(r + 1) * row).collect()
        }
        Needs::Place | Needs::All => places(elements, SAMPLE, 64),
    };
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
        let width = operand.dtype.size();
        let gather = |flat: usize| bits(operand, k, flat).to_le_bytes().into_iter().take(width);
        let (extents, bytes) = match case.needs {
            Needs::Place => {
                let layout = operand.layout()?;
                let at = |&flat: &usize| gather(offset(&layout, extents, flat));
                (vec![places.len()], places.iter().flat_map(at).collect())
            }
            Needs::Row { operands, sampled } if k < operands => {
                let rows = rows(case, operand.extents[0], sampled);
                let row = operand.elements() / operand.extents[0].max(1);
                let mut extents = operand.extents.clone();
                extents[0] = rows.len();
                let places = rows.iter().flat_map(|r| r * row..(r + 1) * row);
                (extents, places.flat_map(gather).collect())
            }
            Needs::Row { .. } | Needs::All => (operand.extents.clone(), bytes(operand, k)),
        };
        operands.push(HostTensor::new(operand.dtype, extents, bytes)?);
    }
    let all = reference::run(&case.expr, &operands)?.bytes;
    Ok(match case.needs {
        Needs::Place | Needs::Row { .. } => all,
        Needs::All => {
            let at = |&place: &usize| &all[place * size..(place + 1) * size];
            places.iter().flat_map(at).copied().collect()
        }
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
        (DType::F64, bytes) => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
        (DType::F16, &[a, b]) => Some(f64::from(f16::from_le_bytes([a, b]))),
        _ => None,
    }
}

fn shown(dtype: DType, bytes: &[u8]) -> String {
    float(dtype, bytes).map_or_else(|| format!("{bytes:02x?}"), |x| format!("{x:?}"))
}

#[cfg(test)]
mod tests {
    use zerostride::Expr;

    use super::*;

    /// Sums of rows of a table, whose elements need so much.
    fn sums(extents: [usize; 2], needs: Needs) -> Case {
        let sum = Expr::slot(0).sum(zerostride::Axes::new([1]));
        Case {
            needs,
            ..Case::new(vec![Operand::new(DType::F32, &extents)], sum)
        }
    }

    #[test]
    fn places_are_all_of_a_few_else_both_ends_and_others() {
        assert_eq!(places(3, 8, 1), [0, 1, 2]);
        let some = places(1000, 8, 2);
        assert_eq!((some.len(), &some[..4]), (8, &[0, 1, 998, 999][..]));
        assert!(some.iter().all(|&place| place < 1000));
    }

    #[test]
    fn references_of_sampled_rows_are_those_of_all_rows() {
        let extents = [1 << 10, 1 << 11];
        let row = Needs::Row {
            operands: 1,
            sampled: 16,
        };
        let (some, all) = (sums(extents, row), sums(extents, Needs::All));
        let places = rows(&some, extents[0], 16);
        assert_eq!(places.len(), 16);
        let of = |case| expected(case, &extents[..1], &places, 4).unwrap();
        assert_eq!(of(&some), of(&all));
    }

    #[test]
    fn a_wrong_row_among_sampled_ones_is_found() {
        let row = Needs::Row {
            operands: 1,
            sampled: 16,
        };
        let case = sums([1 << 10, 1 << 11], row);
        let all: Vec<usize> = (0..1 << 10).collect();
        let whole = sums([1 << 10, 1 << 11], Needs::All);
        let mut found = expected(&whole, &[1 << 10], &all, 4).unwrap();
        let judged = |found: &[u8]| check("sums", &case, &[1 << 10], DType::F32, found);
        assert_eq!(judged(&found).unwrap().compared, 16);
        found[..4].copy_from_slice(&7.0f32.to_le_bytes());
        assert!(judged(&found).is_err());
    }

    #[test]
    fn indices_lie_below_their_end() {
        let indices = Operand::new(DType::I32, &[1000]).below(7);
        let bytes = bytes(&indices, 1);
        let all = bytes
            .chunks_exact(4)
            .map(bytemuck::pod_read_unaligned::<i32>);
        assert!(all.clone().all(|i| (0..7).contains(&i)) && all.max() == Some(6));
    }
}
