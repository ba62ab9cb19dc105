//! The cases of `shaders/probe_sums.wgsl` and their results by IEEE 754, in f32 and f64.

#[cfg(not(target_family = "wasm"))]
use super::rounded;

/// Rows of four numbers that each case is computed of.
pub(super) const ROWS: usize = 9;
/// Cases of a row.
pub(super) const COUNT: usize = 33;

/// The numbers and cases of a type of floats, with what they need of it:
/// - `LONG`, 1 and half the digits, whose square has more digits than there are; `SQUARE`, nearly that;
/// - `LARGE`, which takes in 1, and `LITTLE`, which 1 takes in; `EVERY`, from which on not every whole number is one;
/// - `MOST`, nearly the largest; `HUGE` and `FAR`, whose squares are infinite, and `NEAR`, the inverse of `FAR`; `SMALL`,
///   whose square is nearly 0;
/// - `WHOLE`, 1.5 times the first number whose neighbours are whole; `WHOLE` times `SHIFT` takes in `WHOLE`'s last digits.
macro_rules! cases {
    ($name:ident, $float:ident, $($constant:ident = $value:expr,)*) => {
        pub(super) mod $name {
            use crate::kernel::probe::cases::{COUNT, ROWS};

            $(pub const $constant: $float = $value;)*
            const INF: $float = $float::INFINITY;
            const NAN: $float = $float::NAN;

            /// Three operands of each row: products that are not exact, sums that lose digits, infinities,
            /// overflow, signs of zeros, and what two constants cancel.
            pub const NUMBERS: [[[$float; 4]; 3]; ROWS] = [
                [[LONG, 1.1, -3.3, 0.1], [LONG, 1.3, 7.7, 0.3], [-SQUARE, 0.7, 25.41, -0.03]],
                [[0.2, LONG, -1.7, 123.456], [0.7, -LONG, 1.9, 0.011], [-0.14, SQUARE, 3.23, -1.358]],
                [[1.0, LITTLE, 5.0, 0.1], [LARGE, 1.0, LARGE, 0.2], [-LARGE, -1.0, 3.0, 0.3]],
                [[LARGE, -LARGE, LARGE, EVERY], [1.0, 3.0, -LARGE, 1.0], [-LARGE, LARGE, 1.0, 1.0]],
                [[INF, -INF, NAN, 1.0], [1.0, INF, 2.0, INF], [0.0, -INF, NAN, -INF]],
                [[MOST, -MOST, FAR, NEAR], [MOST, MOST, FAR, NEAR], [-MOST, 2.0, NEAR, FAR]],
                [[0.0, -0.0, 0.0, 1.0], [0.0, 0.0, -0.0, 1.0], [-0.0, -0.0, 0.0, -1.0]],
                [[-1.0, -4.0, 2.5, HUGE], [0.0, -0.0, 2.5, HUGE], [1.0, INF, -2.5, -HUGE]],
                [
                    [WHOLE + 3.0, WHOLE, WHOLE + 5.0, WHOLE + 1000.0],
                    [WHOLE + 1.0, WHOLE + 3.0, WHOLE, WHOLE + 7.0],
                    [1.0, 2.0, WHOLE, 3.0],
                ],
            ];

            pub type Case = fn($float, $float, $float) -> $float;

            /// What the cases are, by their numbers in the shader.
            pub const CASES: [Case; COUNT] = [
                |x, y, z| x * y + z,
                |x, y, z| z - x * y,
                |x, y, z| x * y - z,
                |x, y, z| -(x * y) + z,
                |x, y, z| if z < x { z + y } else { x * y + y },
                |x, y, z| least(x * y, x) + z,
                |x, y, _| (x * y + x) * y + x,
                |x, y, z| (x * y * z - x) * y,
                |x, y, z| z * y + z * x,
                |x, _, _| x - x,
                |x, y, _| (x + y) - y,
                |x, y, _| (x + y) - x,
                |x, y, _| y + (x - y),
                |x, y, z| ((x + y) + z) + x,
                |x, y, z| x + (y + (z + x)),
                |x, y, _| -x + (x + y),
                |x, y, _| -(x - y),
                |x, y, _| (x + y) - (y + x),
                |x, y, z| (if x < y { x } else { y } + z) - z,
                |x, y, z| (x * z + y * z) - (x + y) * z,
                |x, y, z| (x * y) * z,
                |x, y, z| x * (z * y),
                |x, _, _| 1.0 / (1.0 / (x * SMALL * SMALL)),
                |x, _, _| x / x,
                |x, y, _| (x / y) * y,
                |x, _, _| x.sqrt() * x.sqrt(),
                |x, _, _| (x * x).sqrt(),
                |x, _, _| x * 0.0,
                |x, _, _| x * 0.0,
                |x, y, _| $float::from(x + y > y) + ((x + y) - (x + y)),
                |x, y, _| $float::from(x - y == 0.0) + ((x - y) - (x - y)),
                |x, _, _| (1.0 - x) - 1.0,
                |x, y, _| (x - WHOLE) * SHIFT + (y - WHOLE),
            ];

            fn least(a: $float, b: $float) -> $float {
                if a < b { a } else { b }
            }

            /// The bits of lane `i` of case `k` of a row.
            pub fn wanted(row: usize, k: usize, i: usize) -> u64 {
                let [x, y, z] = NUMBERS[row];
                CASES[k](x[i], y[i], z[i]).to_bits().into()
            }
        }
    };
}

cases! { singles, f32,
    LONG = 1.000_244_1, SQUARE = 1.000_488_3, LARGE = 1e8, LITTLE = 1e-8, EVERY = 16_777_216.0, MOST = 3e38,
    HUGE = 1e20, FAR = 1e30, NEAR = 1e-30, SMALL = 1e-20, WHOLE = 12_582_912.0, SHIFT = 4096.0,
}

#[cfg(not(target_family = "wasm"))]
cases! { doubles, f64,
    LONG = 1.0 + f64::EPSILON * 33_554_432.0, SQUARE = 1.0 + f64::EPSILON * 67_108_864.0, LARGE = 1e16, LITTLE = 1e-17,
    EVERY = 9_007_199_254_740_992.0, MOST = 1.7e308, HUGE = 1e160, FAR = 1e200, NEAR = 1e-200, SMALL = 1e-160,
    WHOLE = 6_755_399_441_055_744.0, SHIFT = 4_294_967_296.0,
}

/// What the hints of `shaders/probe.wgsl` are: three of sums, one of a product, two of `fma`.
#[expect(clippy::eq_op, reason = "terms that cancel are what they are about")]
const HINTS: [singles::Case; 6] = [
    |x, _, _| x - x,
    |x, y, _| y + (x - y),
    |x, y, z| z * y + z * x,
    |x, y, z| x * y + z,
    f32::mul_add,
    |x, y, _| x.mul_add(y, -(x * y)),
];

/// The operands of all rows.
pub(super) fn operands() -> impl Iterator<Item = [u32; 4]> {
    (0..3).flat_map(|k| singles::NUMBERS.map(|row| row[k].map(f32::to_bits)))
}

#[cfg(not(target_family = "wasm"))]
/// The same of doubles: of four numbers the low words, then the high ones.
pub(super) fn double_operands() -> impl Iterator<Item = [u32; 4]> {
    (0..3).flat_map(|k| {
        doubles::NUMBERS
            .into_iter()
            .flat_map(move |row| halves(row[k]))
    })
}

#[cfg(not(target_family = "wasm"))]
/// The operands of single operations, the first ones before the second ones.
pub(super) fn single_operands() -> impl Iterator<Item = [u32; 4]> {
    let row = |row: usize, k: usize| halves([0, 1, 2, 3].map(|i| rounded::pair(4 * row + i)[k]));
    (0..2).flat_map(move |k| (0..rounded::ROWS).flat_map(move |n| row(n, k)))
}

#[cfg(not(target_family = "wasm"))]
/// The low words of four doubles, and the high ones.
pub(super) fn halves(numbers: [f64; 4]) -> [[u32; 4]; 2] {
    [0, 32].map(|shift| numbers.map(|x| (x.to_bits() >> shift) as u32))
}

/// Cases of products that are added; those behind are of sums and zeros.
const PRODUCTS: usize = 8;
/// Cases with a quotient or a root, which need not be exact.
const INEXACT: std::ops::Range<usize> = 22..27;

/// Cases with a zero that a compiler sees.
const ZEROS: std::ops::Range<usize> = 27..29;

/// What a compiler does to the cases, for one way of writing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    pub keeps_order: bool,
    pub rounds_products: bool,
}

impl Ways {
    /// From the bits of all cases of all rows; `None` if there are not as many. `fused`: they are
    /// written by `fma`; zeros made of integers have a barrier of their own then.
    pub fn of_cases(words: &[u32], fused: bool) -> Option<Self> {
        Some(Self::new(
            &Right::new(singles::wanted, [ROWS, COUNT], 1, words)?,
            fused,
        ))
    }

    #[cfg(not(target_family = "wasm"))]
    /// The same of doubles, which nothing writes by `fma`.
    pub fn of_doubles(words: &[u32]) -> Option<Self> {
        Some(Self::new(
            &Right::new(doubles::wanted, [ROWS, COUNT], 2, words)?,
            false,
        ))
    }

    fn new(right: &Right<'_>, fused: bool) -> Self {
        Self {
            keeps_order: (PRODUCTS..COUNT)
                .filter(|k| !(fused && ZEROS.contains(k)))
                .all(|k| right.is(k, INEXACT.contains(&k))),
            rounds_products: (0..PRODUCTS).all(|k| right.is(k, false)),
        }
    }
}

/// What the hints say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hints {
    pub ways: Ways,
    /// `fma` rounds once.
    pub fuses: bool,
}

impl Hints {
    /// Hints of a row.
    pub const COUNT: usize = HINTS.len();

    /// From the bits of all hints of all rows; `None` if there are not as many.
    pub fn new(words: &[u32]) -> Option<Self> {
        let right = Right::new(hint, [ROWS, Self::COUNT], 1, words)?;
        Some(Self {
            ways: Ways {
                keeps_order: (0..3).all(|k| right.is(k, false)),
                rounds_products: right.is(3, false),
            },
            fuses: right.is(4, false) && right.is(5, false),
        })
    }
}

fn hint(row: usize, k: usize, i: usize) -> u64 {
    let [x, y, z] = singles::NUMBERS[row];
    HINTS[k](x[i], y[i], z[i]).to_bits().into()
}

/// The bits of lane `i` of case `k` of a row.
type Wanted = fn(usize, usize, usize) -> u64;

/// The bits that a device gave for cases, row by row.
struct Right<'a> {
    wanted: Wanted,
    rows: usize,
    cases: usize,
    words: &'a [u32],
    /// Words of a number.
    size: usize,
}

impl<'a> Right<'a> {
    /// `size`: words of a number.
    fn new(
        wanted: Wanted,
        [rows, cases]: [usize; 2],
        size: usize,
        words: &'a [u32],
    ) -> Option<Self> {
        let right = Self {
            wanted,
            rows,
            cases,
            words,
            size,
        };
        (words.len() == 4 * size * rows * cases).then_some(right)
    }

    /// Whether a case is what it should be in all rows, of `inexact` ones the kind of number.
    fn is(&self, k: usize, inexact: bool) -> bool {
        (0..self.rows).all(|row| {
            (0..4).all(|i| {
                let found = self.found(row, k, i);
                let wanted = (self.wanted)(row, k, i);
                let [of_found, of_wanted] = [found, wanted].map(|bits| self.kind(bits));
                match inexact {
                    true => of_found == of_wanted,
                    false => {
                        found == wanted || of_found == NOT_A_NUMBER && of_wanted == NOT_A_NUMBER
                    }
                }
            })
        })
    }

    fn found(&self, row: usize, k: usize, i: usize) -> u64 {
        let first = 4 * self.size * (row * self.cases + k) + i;
        let words = (0..self.size).rev().map(|n| self.words[first + 4 * n]);
        words.fold(0, |bits, word| bits << 32 | u64::from(word))
    }

    /// Whether a number is 0, infinite, NaN.
    fn kind(&self, bits: u64) -> [bool; 3] {
        let x = match self.size {
            1 => f32::from_bits(bits as u32).into(),
            _ => f64::from_bits(bits),
        };
        [x == 0.0, x.is_infinite(), x.is_nan()]
    }
}

const NOT_A_NUMBER: [bool; 3] = [false, false, true];

/// Whether an adapter rounds each single operation on doubles once, by its bits; `None` if there are not as many.
#[cfg(not(target_family = "wasm"))]
pub(super) fn rounds_doubles(words: &[u32]) -> Option<bool> {
    let right = Right::new(rounded::wanted, [rounded::ROWS, rounded::COUNT], 2, words)?;
    Some((0..rounded::COUNT).all(|k| right.is(k, false)))
}

#[cfg(test)]
fn right(wanted: Wanted, [rows, cases]: [usize; 2]) -> Vec<u64> {
    let each = |row| (0..cases).flat_map(move |k| (0..4).map(move |i| wanted(row, k, i)));
    (0..rows).flat_map(each).collect()
}

#[cfg(test)]
impl Ways {
    /// The bits of all cases by IEEE 754.
    pub fn right() -> Vec<u32> {
        right(singles::wanted, [ROWS, COUNT])
            .into_iter()
            .map(|bits| bits as u32)
            .collect()
    }

    /// The same of doubles, and the bits of all single operations.
    pub fn right_doubles() -> Vec<u32> {
        let cases = right(doubles::wanted, [ROWS, COUNT]);
        let single = right(rounded::wanted, [rounded::ROWS, rounded::COUNT]);
        let all = [cases, single].concat();
        let rows = all.chunks_exact(4).flat_map(|four| {
            let low = four.iter().map(|&bits| bits as u32);
            low.chain(four.iter().map(|bits| (bits >> 32) as u32))
                .collect::<Vec<_>>()
        });
        rows.collect()
    }
}

#[cfg(test)]
impl Hints {
    /// The bits of all hints by IEEE 754.
    pub fn right() -> Vec<u32> {
        right(hint, [ROWS, Self::COUNT])
            .into_iter()
            .map(|bits| bits as u32)
            .collect()
    }
}
