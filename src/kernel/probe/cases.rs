//! The cases of `shaders/probe_sums.wgsl` and what each is by IEEE 754.

/// Rows of four numbers that each case is computed of.
pub(super) const ROWS: usize = 8;
/// Cases of a row.
pub(super) const COUNT: usize = CASES.len();

const INF: f32 = f32::INFINITY;
const NAN: f32 = f32::NAN;
/// 1 + 2^-12, whose square has more bits than a float.
const LONG: f32 = 1.000_244_1;

/// Three operands of each row: products that are not exact, sums that lose digits, infinities,
/// overflow, and signs of zeros.
const NUMBERS: [[[f32; 4]; 3]; ROWS] = [
    [
        [LONG, 1.1, -3.3, 0.1],
        [LONG, 1.3, 7.7, 0.3],
        [-1.000_488_3, 0.7, 25.41, -0.03],
    ],
    [
        [0.2, LONG, -1.7, 123.456],
        [0.7, -LONG, 1.9, 0.011],
        [-0.14, 1.000_488_3, 3.23, -1.358],
    ],
    [
        [1.0, 1e-8, 5.0, 0.1],
        [1e8, 1.0, 1e8, 0.2],
        [-1e8, -1.0, 3.0, 0.3],
    ],
    [
        [1e8, -1e8, 1e8, 16_777_216.0],
        [1.0, 3.0, -1e8, 1.0],
        [-1e8, 1e8, 1.0, 1.0],
    ],
    [
        [INF, -INF, NAN, 1.0],
        [1.0, INF, 2.0, INF],
        [0.0, -INF, NAN, -INF],
    ],
    [
        [3e38, -3e38, 1e30, 1e-30],
        [3e38, 3e38, 1e30, 1e-30],
        [-3e38, 2.0, 1e-30, 1e30],
    ],
    [
        [0.0, -0.0, 0.0, 1.0],
        [0.0, 0.0, -0.0, 1.0],
        [-0.0, -0.0, 0.0, -1.0],
    ],
    [
        [-1.0, -4.0, 2.5, 1e20],
        [0.0, -0.0, 2.5, 1e20],
        [1.0, INF, -2.5, -1e20],
    ],
];

type Case = fn(f32, f32, f32) -> f32;

/// What the cases are, by their numbers in the shader.
#[expect(clippy::eq_op, reason = "terms that cancel are what they are about")]
const CASES: [Case; 32] = [
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
    |x, _, _| 1.0 / (1.0 / (x * 1e-20 * 1e-20)),
    |x, _, _| x / x,
    |x, y, _| (x / y) * y,
    |x, _, _| x.sqrt() * x.sqrt(),
    |x, _, _| (x * x).sqrt(),
    |x, _, _| x * 0.0,
    |x, _, _| x * 0.0,
    |x, y, _| f32::from(x + y > y) + ((x + y) - (x + y)),
    |x, y, _| f32::from(x - y == 0.0) + ((x - y) - (x - y)),
    |x, _, _| (1.0 - x) - 1.0,
];

/// What the hints of `shaders/probe.wgsl` are: three of sums, one of a product, two of `fma`.
#[expect(clippy::eq_op, reason = "terms that cancel are what they are about")]
const HINTS: [Case; 6] = [
    |x, _, _| x - x,
    |x, y, _| y + (x - y),
    |x, y, z| z * y + z * x,
    |x, y, z| x * y + z,
    f32::mul_add,
    |x, y, _| x.mul_add(y, -(x * y)),
];

fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

/// The operands of all rows.
pub(super) fn operands() -> impl Iterator<Item = [u32; 4]> {
    (0..3).flat_map(|k| NUMBERS.map(|row| row[k].map(f32::to_bits)))
}

/// Cases of products that are added; those behind are of sums and zeros.
const PRODUCTS: usize = 8;
/// Cases with a quotient or a root, which need not be exact.
const INEXACT: std::ops::Range<usize> = 22..27;

/// Cases with a zero that a compiler sees.
const ZEROS: std::ops::Range<usize> = 27..29;

/// What a compiler makes of cases, in one way of writing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ways {
    pub keeps_order: bool,
    pub rounds_products: bool,
}

impl Ways {
    /// From the bits of all cases of all rows; `None` if there are not as many. `fused`: they are
    /// written by `fma`; zeros made of integers have a barrier of their own then.
    pub fn of_cases(words: &[u32], fused: bool) -> Option<Self> {
        let right = Right::new(&CASES, words)?;
        Some(Self {
            keeps_order: (PRODUCTS..COUNT)
                .filter(|k| !(fused && ZEROS.contains(k)))
                .all(|k| right.is(k, INEXACT.contains(&k))),
            rounds_products: (0..PRODUCTS).all(|k| right.is(k, false)),
        })
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
        let right = Right::new(&HINTS, words)?;
        Some(Self {
            ways: Ways {
                keeps_order: (0..3).all(|k| right.is(k, false)),
                rounds_products: right.is(3, false),
            },
            fuses: right.is(4, false) && right.is(5, false),
        })
    }
}

/// The bits that a device gave for cases, row by row.
struct Right<'a> {
    cases: &'a [Case],
    words: &'a [u32],
}

impl<'a> Right<'a> {
    fn new(cases: &'a [Case], words: &'a [u32]) -> Option<Self> {
        (words.len() == 4 * ROWS * cases.len()).then_some(Self { cases, words })
    }

    /// Whether a case is what it should be in all rows, of `inexact` ones the kind of number.
    fn is(&self, k: usize, inexact: bool) -> bool {
        NUMBERS.iter().enumerate().all(|(row, [x, y, z])| {
            (0..4).all(|i| {
                let found = f32::from_bits(self.words[4 * (row * self.cases.len() + k) + i]);
                let wanted = self.cases[k](x[i], y[i], z[i]);
                if inexact {
                    kind(found) == kind(wanted)
                } else {
                    found.to_bits() == wanted.to_bits() || found.is_nan() && wanted.is_nan()
                }
            })
        })
    }
}

/// Whether a number is 0, infinite, NaN.
fn kind(x: f32) -> [bool; 3] {
    [x == 0.0, x.is_infinite(), x.is_nan()]
}

#[cfg(test)]
fn right(cases: &[Case]) -> Vec<u32> {
    let rows = NUMBERS.iter().flat_map(|[x, y, z]| {
        let bits = |case: &Case| [0, 1, 2, 3].map(|i| case(x[i], y[i], z[i]).to_bits());
        cases.iter().flat_map(bits).collect::<Vec<_>>()
    });
    rows.collect()
}

#[cfg(test)]
impl Ways {
    /// The bits of all cases by IEEE 754.
    pub fn right() -> Vec<u32> {
        right(&CASES)
    }
}

#[cfg(test)]
impl Hints {
    /// The bits of all hints by IEEE 754.
    pub fn right() -> Vec<u32> {
        right(&HINTS)
    }
}
