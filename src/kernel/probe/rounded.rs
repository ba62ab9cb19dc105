//! Single operations on doubles, and their results by IEEE 754. If an adapter rounds one otherwise, integers compute f64.

/// Rows of four pairs of operands.
pub(super) const ROWS: usize = 64;

/// The operations, by their numbers in the shader.
const OPERATIONS: [fn(f64, f64) -> f64; COUNT] = [
    |x, y| x + y,
    |x, y| x - y,
    |x, y| x * y,
    |x, y| x / y,
    |x, _| x.abs().sqrt(),
    |_, y| 1.0 / y,
    |x, _| x / 3.0,
    |x, y| f64::from(x < y),
];
/// How many there are.
pub(super) const COUNT: usize = 8;

/// The bits of lane `i` of operation `k` of a row.
pub(super) fn wanted(row: usize, k: usize, i: usize) -> u64 {
    let [x, y] = pair(4 * row + i);
    OPERATIONS[k](x, y).to_bits()
}

/// Operands: of any exponents, of exponents nearby, nearly equal ones, near 1, subnormal ones, and at the ends.
pub(super) fn pair(n: usize) -> [f64; 2] {
    const DIGITS: u64 = (1 << 52) - 1;
    const SIGN: u64 = 1 << 63;
    let [a, b] = [2 * n, 2 * n + 1].map(|seed| mixed(seed as u64));
    let bits = match n % 6 {
        0 => [a, b],
        1 => [a, (a & !DIGITS).wrapping_add((b >> 58) << 52) | b & DIGITS],
        2 => [a, (a ^ b & SIGN).wrapping_add(b & 7)],
        3 => [a, b].map(|x| 1.0f64.to_bits() | x & DIGITS),
        4 => [a & (SIGN | DIGITS), b & (SIGN | DIGITS | 1 << 61)],
        // Zeros, ends of the subnormal and of the normal numbers, infinities, NaNs.
        _ => [a, b].map(|x| {
            x & SIGN
                | [0, 1, 1023, 2046, 2047][x as usize % 5] << 52
                | [0, 1, DIGITS][x as usize % 3]
        }),
    };
    bits.map(f64::from_bits)
}

/// 64 bits of which each depends on all of a number's.
fn mixed(n: u64) -> u64 {
    let x = (n + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ x >> 31
}
