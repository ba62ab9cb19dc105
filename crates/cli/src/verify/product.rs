//! The range of a matrix product, from the ranges of its factors.
//!
//! The sum of `k` products is off by at most `k u / (1 - k u)` times the sum of their magnitudes,
//! in any order of additions, fused or not; `u` is half a unit in the last place of 1 in the type
//! of the sums. (N. J. Higham, Accuracy and Stability of Numerical Algorithms, section 3.1.)

use zerostride::inspect::StepInfo;
use zerostride::{DType, Expr, HostTensor, reference};

use super::place::{Place, bits, ends, place};
use super::range::{Range, everything, with_ends};
use crate::failure::Failure;

/// The lowest and the highest value that a factor's element may have.
type Span<T> = (T, T);

/// The places of the ends of an element; `None` for NaN.
type Ends = Option<(i64, i64)>;

/// The range of a product of matrices `[.., M, K]` and `[.., K, N]`.
pub fn product(step: &StepInfo, factors: &[Range]) -> Result<Range, Failure> {
    let values: Vec<HostTensor> = factors.iter().map(|x| x.value.clone()).collect();
    // Narrow factors are widened as they are multiplied.
    let [a, b] = [0, 1].map(|k| Expr::slot(k).cast(step.dtype));
    let value = reference::run(&a.matmul(b), &values)?;
    let is_exact = factors.iter().all(|x| x.ends.is_none());
    if step.dtype.is_int() && is_exact {
        return Ok(Range { value, ends: None });
    }
    let ends = match step.dtype.is_int() {
        true => {
            let [a, b] = [integers(&factors[0]), integers(&factors[1])];
            sums(factors, &a, &b, |row| of_integers(step.dtype, row))
        }
        false => {
            let [a, b] = [floats(&factors[0])?, floats(&factors[1])?];
            sums(factors, &a, &b, |row| of_floats(step.dtype, row))
        }
    };
    with_ends(value, &ends)
}

/// Applies a function to the pairs that are multiplied for each element of the result.
fn sums<T: Copy>(
    factors: &[Range],
    a: &[T],
    b: &[T],
    of: impl Fn(&mut dyn Iterator<Item = (T, T)>) -> Ends,
) -> Vec<Ends> {
    let extents = |k: usize| factors[k].value.layout.shape().extents();
    let [.., rows, depth] = *extents(0) else {
        return Vec::new();
    };
    let columns = extents(1).last().copied().unwrap_or(1);
    let element = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        // The batches before this one have as many rows of the second factor.
        let first = row / rows * depth;
        of(&mut (0..depth).map(|k| (a[row * depth + k], b[(first + k) * columns + column])))
    };
    let count = a.len() / depth * columns;
    (0..count).map(element).collect()
}

/// The ends of a factor's elements as numbers; NaN for a NaN.
fn floats(factor: &Range) -> Result<Vec<Span<f64>>, Failure> {
    let wide = Expr::slot(0).cast(DType::F64);
    let [low, high] = [factor.low(), factor.high()];
    let low = reference::run(&wide, std::slice::from_ref(low))?;
    let high = reference::run(&wide, std::slice::from_ref(high))?;
    let numbers = bits(&low).zip(bits(&high));
    Ok(numbers
        .map(|(low, high)| (f64::from_bits(low), f64::from_bits(high)))
        .collect())
}

/// The ends of a factor's elements as numbers.
fn integers(factor: &Range) -> Vec<Span<i128>> {
    let dtype = factor.value.dtype;
    let ends = factor.places().map(Option::unwrap_or_default);
    ends.map(|(low, high)| (number(dtype, low), number(dtype, high)))
        .collect()
}

/// The whole number at a place.
fn number(dtype: DType, at: i64) -> i128 {
    match dtype {
        DType::U64 => i128::from(at) + (1 << 63),
        _ => i128::from(at),
    }
}

/// The ends of a sum of products of integers: those of the type if it may wrap.
fn of_integers(dtype: DType, pairs: &mut dyn Iterator<Item = (Span<i128>, Span<i128>)>) -> Ends {
    let all = everything(dtype);
    let mut sum = Some((0i128, 0i128));
    for (x, y) in pairs {
        let corners = [(x.0, y.0), (x.0, y.1), (x.1, y.0), (x.1, y.1)];
        let term = corners
            .into_iter()
            .try_fold((i128::MAX, i128::MIN), |(low, high), (x, y)| {
                let product = x.checked_mul(y)?;
                Some((low.min(product), high.max(product)))
            });
        sum = sum
            .zip(term)
            .and_then(|(sum, term)| Some((sum.0.checked_add(term.0)?, sum.1.checked_add(term.1)?)));
    }
    let at = |sum: i128| {
        let inside = number(dtype, all.0) <= sum && sum <= number(dtype, all.1);
        inside.then(|| (sum - number(dtype, 0)) as i64)
    };
    sum.and_then(|(low, high)| at(low).zip(at(high)))
        .or(Some(all))
}

/// The ends of a sum of products of floats: those of the type if one may overflow, or may be NaN
/// or infinite on only some adapters.
fn of_floats(dtype: DType, pairs: &mut dyn Iterator<Item = (Span<f64>, Span<f64>)>) -> Ends {
    let (mut low, mut high, mut size) = (0.0, 0.0, 0.0);
    let (mut count, mut nonzero) = (0.0, 0.0);
    let [mut is_nan, mut is_any, mut up, mut down] = [false; 4];
    for (x, y) in pairs {
        let corners = [x.0 * y.0, x.0 * y.1, x.1 * y.0, x.1 * y.1];
        let is_exact = x.0 == x.1 && y.0 == y.1;
        let missing = x.0.is_nan() || y.0.is_nan();
        count += 1.0;
        match corners.iter().all(|product| product.is_finite()) {
            true => {
                low += corners.into_iter().fold(f64::INFINITY, f64::min);
                high += corners.into_iter().fold(f64::NEG_INFINITY, f64::max);
                size += corners
                    .into_iter()
                    .fold(0.0, |size: f64, x| size.max(x.abs()));
                nonzero += f64::from((x != (0.0, 0.0) && y != (0.0, 0.0)) as u8);
            }
            false if missing || is_exact && corners[0].is_nan() => is_nan = true,
            // Two finite ones may overflow.
            false if is_exact && (x.0.is_infinite() || y.0.is_infinite()) => match corners[0] > 0.0
            {
                true => up = true,
                false => down = true,
            },
            false => is_any = true,
        }
    }
    let (infinity, normal) = ends(dtype)?;
    // Half a unit in the last place of 1, the largest and the smallest normal number.
    let (half, largest, smallest) = match dtype {
        DType::F64 => (f64::EPSILON / 2.0, f64::MAX, f64::MIN_POSITIVE),
        _ => {
            let single = [f32::EPSILON / 2.0, f32::MAX, f32::MIN_POSITIVE].map(f64::from);
            (single[0], single[1], single[2])
        }
    };
    debug_assert_eq!(at(dtype, smallest), Some(normal));
    let gamma = |half: f64| count * half / (1.0 - count * half);
    // Of the adapter's sum, and of the ones here.
    let relative = (gamma(half) + gamma(f64::EPSILON / 2.0)) * (1.0 + 1e-6);
    // A product or a sum may be flushed to 0, or rounded to a subnormal number.
    let off = relative * size + 2.0 * nonzero * smallest;
    let fits = count * half < 0.5 && size + off <= largest;
    Some(match (is_nan || up && down, up, down) {
        (true, ..) => return None,
        _ if is_any || !fits => everything(dtype),
        (_, true, _) => (infinity, infinity),
        (_, _, true) => (-infinity, -infinity),
        _ if nonzero == 0.0 => (0, 0),
        _ => (above(dtype, low - off)?, -above(dtype, -(high + off))?),
    })
}

/// The place of the lowest float that is not below a number.
fn above(dtype: DType, x: f64) -> Option<i64> {
    let rounded = match dtype {
        DType::F64 => x,
        _ => f64::from(x as f32),
    };
    at(dtype, x).map(|at| at + i64::from(rounded < x))
}

/// The place of the float nearest to a number.
fn at(dtype: DType, x: f64) -> Option<i64> {
    let bits = match dtype {
        DType::F64 => x.to_bits(),
        _ => u64::from((x as f32).to_bits()),
    };
    match place(dtype, bits) {
        Place::At(at) => Some(at),
        Place::Nan => None,
    }
}
