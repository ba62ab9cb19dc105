// Doubles by integers alone, for adapters whose shaders have no 64-bit floats: one element as its words (low, high). Sums,
// products, quotients and roots are rounded once, to nearest even, with subnormal numbers, infinities and NaNs of IEEE 754;
// no compiler may rewrite integers. The functions of soft_functions.wgsl are made of these.

// 64-bit integers as (low, high); they wrap.

fn whole_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = a.x + b.x;
    return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

fn whole_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}

fn whole_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return (a.y < b.y) | ((a.y == b.y) & (a.x < b.x));
}

// Signed numbers in order.
fn whole_less_signed(a: vec2<u32>, b: vec2<u32>) -> bool {
    return whole_less(a ^ vec2<u32>(0u, 0x80000000u), b ^ vec2<u32>(0u, 0x80000000u));
}

fn whole_max_signed(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(a, b, whole_less_signed(a, b));
}

fn whole_equal(a: vec2<u32>, b: vec2<u32>) -> bool {
    return ((a.x ^ b.x) | (a.y ^ b.y)) == 0u;
}

// Shifts by 0 to 63.
fn whole_shl(a: vec2<u32>, n: u32) -> vec2<u32> {
    let s = n & 31u;
    let near = vec2<u32>(a.x << s, (a.y << s) | ((a.x >> 1u) >> (31u - s)));
    return select(near, vec2<u32>(0u, near.x), n >= 32u);
}

fn whole_shr(a: vec2<u32>, n: u32) -> vec2<u32> {
    let s = n & 31u;
    let near = vec2<u32>((a.x >> s) | ((a.y << 1u) << (31u - s)), a.y >> s);
    return select(near, vec2<u32>(near.y, 0u), n >= 32u);
}

// Of a signed number.
fn whole_shr_signed(a: vec2<u32>, n: u32) -> vec2<u32> {
    let s = n & 31u;
    let high = bitcast<u32>(bitcast<i32>(a.y) >> s);
    let near = vec2<u32>((a.x >> s) | ((a.y << 1u) << (31u - s)), high);
    return select(near, vec2<u32>(high, bitcast<u32>(bitcast<i32>(a.y) >> 31u)), n >= 32u);
}

// The zeros above the first bit; 64 of 0.
fn whole_zeros(a: vec2<u32>) -> u32 {
    return select(countLeadingZeros(a.y), 32u + countLeadingZeros(a.x), a.y == 0u);
}

// The product of two words, from 16-bit halves.
fn whole_of_words(a: u32, b: u32) -> vec2<u32> {
    let low = (a & 0xffffu) * (b & 0xffffu);
    let mid = (a >> 16u) * (b & 0xffffu) + (low >> 16u);
    let cross = (a & 0xffffu) * (b >> 16u) + (mid & 0xffffu);
    return vec2<u32>((cross << 16u) | (low & 0xffffu), (a >> 16u) * (b >> 16u) + (mid >> 16u) + (cross >> 16u));
}

fn whole_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let low = whole_of_words(a.x, b.x);
    return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}

// Doubles by their bits.

fn soft_magnitude(x: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(x.x, x.y & 0x7fffffffu);
}

fn soft_is_nan(x: vec2<u32>) -> bool {
    return ((x.y & 0x7fffffffu) | min(x.x, 1u)) > 0x7ff00000u;
}

fn soft_is_zero(x: vec2<u32>) -> bool {
    return (x.x | (x.y << 1u)) == 0u;
}

fn soft_neg(x: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(x.x, x.y ^ 0x80000000u);
}

// Numbers in unsigned order: negative ones inverted, positive ones above them, one for both zeros.
fn soft_order(x: vec2<u32>) -> vec2<u32> {
    let ordered = select(x ^ vec2<u32>(0u, 0x80000000u), ~x, x.y >= 0x80000000u);
    return select(ordered, vec2<u32>(0u, 0x80000000u), soft_is_zero(x));
}

fn soft_less(a: vec2<u32>, b: vec2<u32>) -> bool {
    return whole_less(soft_order(a), soft_order(b)) & !soft_is_nan(a) & !soft_is_nan(b);
}

fn soft_less_equal(a: vec2<u32>, b: vec2<u32>) -> bool {
    return !whole_less(soft_order(b), soft_order(a)) & !soft_is_nan(a) & !soft_is_nan(b);
}

fn soft_equal(a: vec2<u32>, b: vec2<u32>) -> bool {
    return whole_equal(soft_order(a), soft_order(b)) & !soft_is_nan(a) & !soft_is_nan(b);
}

fn soft_min(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, soft_less(a, b));
}

fn soft_max(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return select(b, a, soft_less(b, a));
}

// The whole number below; the bits behind the point are cut, and a negative number that loses some gets one more.
fn soft_floor(x: vec2<u32>) -> vec2<u32> {
    let field = (x.y >> 20u) & 0x7ffu;
    let mask = whole_shl(vec2<u32>(0xffffffffu, 0xffffffffu), 1075u - clamp(field, 1023u, 1075u));
    let kept = x & mask;
    let below = (x.y >= 0x80000000u) & !soft_is_zero(x);
    let large = select(kept, whole_sub(kept, mask), below & !whole_equal(kept, x));
    let small = vec2<u32>(0u, select(x.y & 0x80000000u, 0xbff00000u, below));
    let quiet = vec2<u32>(0u, select(0u, 0x80000u, soft_is_nan(x)));
    return select(large | quiet, small, field < 1023u);
}

fn soft_ceil(x: vec2<u32>) -> vec2<u32> {
    return soft_neg(soft_floor(soft_neg(x)));
}

// A significand whose first bit is bit 52, and the exponent field that it has with it; less than 1 of a subnormal number.
struct SoftParts {
    m: vec2<u32>,
    e: i32,
}

fn soft_significand(x: vec2<u32>) -> vec2<u32> {
    return vec2<u32>(x.x, (x.y & 0xfffffu) | (min((x.y >> 20u) & 0x7ffu, 1u) << 20u));
}

fn soft_parts(x: vec2<u32>) -> SoftParts {
    let whole = soft_significand(x);
    let zeros = whole_zeros(whole) - 11u;
    return SoftParts(whole_shl(whole, zeros), i32(max((x.y >> 20u) & 0x7ffu, 1u)) - i32(zeros));
}

// Shifted right; a last bit says whether one was lost. 63 bits and more leave that alone, or one beside it.
fn soft_shift(m: vec2<u32>, n: u32) -> vec2<u32> {
    let k = min(n, 63u);
    let s = k & 31u;
    let far = k >= 32u;
    let near = select(m, vec2<u32>(m.y, 0u), far);
    let lost = ((near.x << 1u) << (31u - s)) | select(0u, m.x, far);
    return vec2<u32>((near.x >> s) | ((near.y << 1u) << (31u - s)) | min(lost, 1u), near.y >> s);
}

// A double of a sign bit, an exponent field less 1 and a significand whose first bit is bit 62, rounded to nearest even. That
// bit adds one to the exponent by itself.
fn soft_rounded(sign: u32, exponent: u32, m: vec2<u32>) -> vec2<u32> {
    let rounded = whole_add(m, vec2<u32>(0x1ffu + ((m.x >> 10u) & 1u), 0u));
    let high = (rounded.y >> 10u) + (exponent << 20u);
    let finite = vec2<u32>((rounded.x >> 10u) | (rounded.y << 22u), sign | high);
    return select(finite, vec2<u32>(0u, sign | 0x7ff00000u), high >= 0x7ff00000u);
}

// The same of a whole exponent field, where a small one makes a subnormal number. The first bit is bit 62 or, with `further`
// of 1, bit 63.
fn soft_pack(sign: u32, exponent: i32, m: vec2<u32>, further: u32) -> vec2<u32> {
    let shifted = soft_shift(m, u32(max(1 - exponent, 0)) + further);
    return soft_rounded(sign, u32(clamp(exponent, 1, 2047) - 1), shifted);
}

// What an operation makes of operands of which one is a NaN, the first if both are; and of others a NaN.
fn soft_nan(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let known = select(select(vec2<u32>(0u, 0xfff00000u), b, soft_is_nan(b)), a, soft_is_nan(a));
    return known | vec2<u32>(0u, 0x80000u);
}

fn soft_add(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let swap = whole_less(soft_magnitude(a), soft_magnitude(b));
    let x = select(a, b, swap);
    let y = select(b, a, swap);
    let sign = x.y & 0x80000000u;
    let differ = (x.y ^ y.y) >= 0x80000000u;
    let ex = max((x.y >> 20u) & 0x7ffu, 1u);
    let ey = max((y.y >> 20u) & 0x7ffu, 1u);
    // The first bit of the larger one is bit 61. A difference is a sum with what is inverted, and 1.
    let mx = whole_shl(soft_significand(x), 9u);
    let moved = soft_shift(whole_shl(soft_significand(y), 9u), ex - ey);
    let inverts = select(0u, 0xffffffffu, differ);
    let m = whole_add(mx | vec2<u32>(inverts & 1u, 0u), moved ^ vec2<u32>(inverts, inverts));
    // A subnormal sum is exact: it keeps zeros before its first bit.
    let none = (m.x | m.y) == 0u;
    let zeros = select(min(whole_zeros(m) - 1u, ex), ex, none);
    var sum = soft_rounded(select(sign, 0u, none & differ), ex - zeros, whole_shl(m, zeros & 63u));
    if ex == 0x7ffu {
        let invalid = soft_is_nan(x) | (differ & (ey == 0x7ffu));
        sum = select(x, soft_nan(a, b), invalid);
    }
    return sum;
}

fn soft_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return soft_add(a, select(soft_neg(b), b, soft_is_nan(b)));
}

// The upper 64 of the 106 bits of a product; a last bit says whether one was lost. Each factor has four digits of 14 bits,
// so that sums of products fit a word.
fn soft_product(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let a0 = a.x & 0x3fffu;
    let a1 = (a.x >> 14u) & 0x3fffu;
    let a2 = (a.x >> 28u) | ((a.y & 0x3ffu) << 4u);
    let a3 = a.y >> 10u;
    let b0 = b.x & 0x3fffu;
    let b1 = (b.x >> 14u) & 0x3fffu;
    let b2 = (b.x >> 28u) | ((b.y & 0x3ffu) << 4u);
    let b3 = b.y >> 10u;
    let c0 = a0 * b0;
    let c1 = a0 * b1 + a1 * b0 + (c0 >> 14u);
    let c2 = a0 * b2 + a1 * b1 + a2 * b0 + (c1 >> 14u);
    let c3 = a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0 + (c2 >> 14u);
    let c4 = a1 * b3 + a2 * b2 + a3 * b1 + (c3 >> 14u);
    let c5 = a2 * b3 + a3 * b2 + (c4 >> 14u);
    let c6 = a3 * b3 + (c5 >> 14u);
    let lost = min((c0 | c1 | c2) & 0x3fffu, 1u);
    return vec2<u32>((c3 & 0x3fffu) | ((c4 & 0x3fffu) << 14u) | (c5 << 28u) | lost, ((c5 & 0x3fffu) >> 4u) | (c6 << 10u));
}

fn soft_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    // The product of two subnormal numbers is next to 0, so that one has its first bit where it should be.
    let swap = (a.y & 0x7ff00000u) == 0u;
    let x = select(a, b, swap);
    let y = soft_parts(select(b, a, swap));
    let sign = (a.y ^ b.y) & 0x80000000u;
    let whole = soft_product(soft_significand(x), y.m);
    let two = whole.y >> 31u;
    let zero = whole.y == 0u;
    let e = select(i32(((x.y >> 20u) & 0x7ffu) + two) + y.e - 1023, -1023, zero);
    var product = soft_pack(sign, e, whole, two);
    if max(a.y & 0x7fffffffu, b.y & 0x7fffffffu) >= 0x7ff00000u {
        let invalid = soft_is_nan(a) | soft_is_nan(b) | zero;
        product = select(vec2<u32>(0u, sign | 0x7ff00000u), soft_nan(a, b), invalid);
    }
    return product;
}

// Ten bits of the quotient a turn: an estimate by the divisor's upper word, rounded up, is right or one too small.
fn soft_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let x = soft_parts(a);
    let y = soft_parts(b);
    let d = y.m;
    let less = whole_less(x.m, d);
    // Between 0 and the divisor: what is left behind the first bit.
    var r = whole_sub(whole_shl(x.m, select(0u, 1u, less)), d);
    var q = vec2<u32>(1u, 0u);
    let near = max(d.y, 1u) + 1u;
    for (var i = 0u; i < 6u; i++) {
        r = whole_shl(r, 10u);
        let digit = r.y / near;
        let low = digit * (d.x & 0xffffu);
        let high = digit * (d.x >> 16u) + (low >> 16u);
        r = whole_sub(r, vec2<u32>((high << 16u) | (low & 0xffffu), digit * d.y + (high >> 16u)));
        let more = !whole_less(r, d);
        r = select(r, whole_sub(r, d), more);
        q = whole_add(whole_shl(q, 10u), vec2<u32>(digit + select(0u, 1u, more), 0u));
    }
    let m = whole_shl(q, 2u) | vec2<u32>(min(r.x | r.y, 1u), 0u);
    let sign = (a.y ^ b.y) & 0x80000000u;
    let infinite = (a.y & 0x7fffffffu) >= 0x7ff00000u;
    let far = (b.y & 0x7fffffffu) >= 0x7ff00000u;
    let none = (a.x | (a.y << 1u)) == 0u;
    let by_none = (b.x | (b.y << 1u)) == 0u;
    var quotient = soft_pack(sign, x.e - y.e + 1023 - select(0, 1, less), m, 0u);
    if infinite | far | none | by_none {
        let known = vec2<u32>(0u, sign | select(0u, 0x7ff00000u, infinite | by_none));
        let invalid = soft_is_nan(a) | soft_is_nan(b) | (infinite & far) | (none & by_none);
        quotient = select(known, soft_nan(a, b), invalid);
    }
    return quotient;
}

// A root so far, twice it, and what is left of the number.
struct SoftRoot {
    q: vec2<u32>,
    twice: vec2<u32>,
    left: vec2<u32>,
}

// One more bit, r, which is added where the square still fits.
fn soft_root_bit(s: SoftRoot, r: vec2<u32>) -> SoftRoot {
    let t = whole_add(s.twice, r);
    let fits = !whole_less(s.left, t);
    let left = select(s.left, whole_sub(s.left, t), fits);
    return SoftRoot(select(s.q, s.q | r, fits), select(s.twice, whole_add(t, r), fits), whole_add(left, left));
}

// Two bits of the root a turn, behind the first, which is 1.
fn soft_sqrt(x: vec2<u32>) -> vec2<u32> {
    let p = soft_parts(x);
    let odd = u32(p.e + 1024) & 1u;
    // Between 1 and 4, with 54 bits behind the point.
    let number = whole_sub(whole_shl(p.m, 3u - odd), vec2<u32>(0u, 0x400000u));
    var s = SoftRoot(vec2<u32>(0u, 0x400000u), vec2<u32>(0u, 0x800000u), whole_add(number, number));
    var r = vec2<u32>(0u, 0x200000u);
    for (var i = 0u; i < 27u; i++) {
        s = soft_root_bit(s, r);
        s = soft_root_bit(s, whole_shr(r, 1u));
        r = whole_shr(r, 2u);
    }
    let m = whole_shl(s.q, 8u) | vec2<u32>(min(s.left.x | s.left.y, 1u), 0u);
    let root = soft_pack(0u, ((p.e - 1023 - i32(1u - odd)) >> 1u) + 1023, m, 0u);
    let known = soft_is_zero(x) | whole_equal(x, vec2<u32>(0u, 0x7ff00000u));
    let invalid = soft_is_nan(x) | ((x.y >= 0x80000000u) & !known);
    return select(select(root, x, known), soft_nan(x, x), invalid);
}

fn soft_from_u32(x: u32) -> vec2<u32> {
    let zeros = countLeadingZeros(x);
    let m = x << (zeros & 31u);
    return select(vec2<u32>(m << 21u, ((1053u - zeros) << 20u) + (m >> 11u)), vec2<u32>(0u, 0u), x == 0u);
}

fn soft_from_i32(x: i32) -> vec2<u32> {
    let found = soft_from_u32(u32(abs(x)));
    return vec2<u32>(found.x, found.y | (u32(x) & 0x80000000u));
}

// Truncated, of numbers from 0 to 2^32.
fn soft_to_u32(x: vec2<u32>) -> u32 {
    let p = soft_parts(x);
    return select(whole_shl(p.m, 11u).y >> u32(clamp(1054 - p.e, 0, 31)), 0u, p.e < 1023);
}

// An integer below 2^53.
fn soft_from_whole(x: vec2<u32>) -> vec2<u32> {
    let zeros = whole_zeros(x);
    let m = whole_shr(whole_shl(x, zeros & 63u), 11u);
    return select(vec2<u32>(m.x, m.y + ((1085u - zeros) << 20u)), vec2<u32>(0u, 0u), zeros == 64u);
}

// n 2^52 for an integer n below 2^11 in magnitude: what adds n to an exponent field.
fn soft_exponent(n: vec2<u32>) -> vec2<u32> {
    let size = soft_to_u32(soft_magnitude(n)) << 20u;
    return vec2<u32>(0u, select(size, 0u - size, n.y >= 0x80000000u));
}
