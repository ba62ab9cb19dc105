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
    return whole_less(vec2<u32>(0u, 0x7ff00000u), soft_magnitude(x));
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

// A significand whose first bit is bit 63, and the exponent field that it has with it; less than 1 of a subnormal number.
struct SoftParts {
    m: vec2<u32>,
    e: i32,
}

fn soft_parts(x: vec2<u32>) -> SoftParts {
    let field = (x.y >> 20u) & 0x7ffu;
    let whole = vec2<u32>(x.x, (x.y & 0xfffffu) | select(0u, 0x100000u, field > 0u));
    let zeros = whole_zeros(whole);
    return SoftParts(whole_shl(whole, zeros & 63u), i32(max(field, 1u) + 11u) - i32(zeros));
}

// Shifted right; a last bit says whether one was lost. 63 bits and more leave that alone, or one beside it.
fn soft_shift(m: vec2<u32>, n: u32) -> vec2<u32> {
    let k = min(n, 63u);
    let kept = whole_shr(m, k);
    return vec2<u32>(kept.x | select(1u, 0u, whole_equal(whole_shl(kept, k), m)), kept.y);
}

// A double of a sign bit, an exponent field and a significand whose first bit is bit 63, rounded to nearest even.
fn soft_pack(sign: u32, exponent: i32, m: vec2<u32>) -> vec2<u32> {
    let s = soft_shift(m, u32(max(1 - exponent, 0)));
    let low = s.x & 0x7ffu;
    let kept = vec2<u32>((s.x >> 11u) | (s.y << 21u), s.y >> 11u);
    let up = (low > 0x400u) | ((low == 0x400u) & ((kept.x & 1u) == 1u));
    let rounded = whole_add(kept, vec2<u32>(select(0u, 1u, up), 0u));
    // The first bit adds one to the exponent by itself.
    let high = rounded.y + (u32(clamp(exponent, 1, 2047) - 1) << 20u);
    return select(vec2<u32>(rounded.x, sign | high), vec2<u32>(0u, sign | 0x7ff00000u), high >= 0x7ff00000u);
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
    let fx = (x.y >> 20u) & 0x7ffu;
    let fy = (y.y >> 20u) & 0x7ffu;
    // The first bit of the larger one is bit 62.
    let mx = whole_shl(vec2<u32>(x.x, (x.y & 0xfffffu) | select(0u, 0x100000u, fx > 0u)), 10u);
    let my = whole_shl(vec2<u32>(y.x, (y.y & 0xfffffu) | select(0u, 0x100000u, fy > 0u)), 10u);
    let moved = soft_shift(my, max(fx, 1u) - max(fy, 1u));
    let differ = (x.y ^ y.y) >= 0x80000000u;
    let m = select(whole_add(mx, moved), whole_sub(mx, moved), differ);
    let zeros = whole_zeros(m);
    let sum = soft_pack(x.y & 0x80000000u, i32(max(fx, 1u) + 1u) - i32(zeros), whole_shl(m, zeros & 63u));
    let none = vec2<u32>(0u, select(x.y & 0x80000000u, 0u, differ));
    let finite = select(sum, none, zeros == 64u);
    let invalid = soft_is_nan(x) | (differ & (fy == 0x7ffu));
    return select(select(finite, x, fx == 0x7ffu), soft_nan(a, b), invalid);
}

fn soft_sub(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    return soft_add(a, select(soft_neg(b), b, soft_is_nan(b)));
}

fn soft_mul(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let x = soft_parts(a);
    let y = soft_parts(b);
    let low = whole_of_words(x.m.x, y.m.x);
    let t = whole_add(whole_of_words(x.m.x, y.m.y), vec2<u32>(low.y, 0u));
    let u = whole_add(whole_of_words(x.m.y, y.m.x), vec2<u32>(t.x, 0u));
    let high = whole_add(whole_of_words(x.m.y, y.m.y), whole_add(vec2<u32>(t.y, 0u), vec2<u32>(u.y, 0u)));
    let sticky = select(0u, 1u, (low.x | u.x) != 0u);
    let two = high.y >> 31u;
    let m = whole_shl(high, 1u - two) | vec2<u32>(sticky, 0u);
    let sign = (a.y ^ b.y) & 0x80000000u;
    let product = soft_pack(sign, x.e + y.e - 1023 + i32(two), m);
    let zero = soft_is_zero(a) | soft_is_zero(b);
    let finite = select(product, vec2<u32>(0u, sign), zero);
    let far = max(a.y & 0x7fffffffu, b.y & 0x7fffffffu) >= 0x7ff00000u;
    let invalid = soft_is_nan(a) | soft_is_nan(b) | (far & zero);
    return select(select(finite, vec2<u32>(0u, sign | 0x7ff00000u), far), soft_nan(a, b), invalid);
}

// Ten bits of the quotient a turn: an estimate by the divisor's upper word, rounded up, is right or one too small.
fn soft_div(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
    let x = soft_parts(a);
    let y = soft_parts(b);
    let d = whole_shr(y.m, 11u);
    let less = whole_less(x.m, y.m);
    // Between 0 and the divisor: what is left behind the first bit.
    var r = whole_sub(whole_shr(x.m, select(11u, 10u, less)), d);
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
    let m = whole_shl(q, 3u) | vec2<u32>(select(1u, 0u, (r.x | r.y) == 0u), 0u);
    let sign = (a.y ^ b.y) & 0x80000000u;
    let quotient = soft_pack(sign, x.e - y.e + 1023 - select(0, 1, less), m);
    let infinite = (a.y & 0x7fffffffu) >= 0x7ff00000u;
    let far = (b.y & 0x7fffffffu) >= 0x7ff00000u;
    let finite = select(quotient, vec2<u32>(0u, sign), soft_is_zero(a) | far);
    let invalid = soft_is_nan(a) | soft_is_nan(b) | (infinite & far) | (soft_is_zero(a) & soft_is_zero(b));
    return select(select(finite, vec2<u32>(0u, sign | 0x7ff00000u), infinite | soft_is_zero(b)), soft_nan(a, b), invalid);
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
    let number = whole_sub(whole_shr(p.m, 8u + odd), vec2<u32>(0u, 0x400000u));
    var s = SoftRoot(vec2<u32>(0u, 0x400000u), vec2<u32>(0u, 0x800000u), whole_add(number, number));
    var r = vec2<u32>(0u, 0x200000u);
    for (var i = 0u; i < 27u; i++) {
        s = soft_root_bit(s, r);
        s = soft_root_bit(s, whole_shr(r, 1u));
        r = whole_shr(r, 2u);
    }
    let m = whole_shl(s.q, 9u) | vec2<u32>(select(1u, 0u, (s.left.x | s.left.y) == 0u), 0u);
    let root = soft_pack(0u, ((p.e - 1023 - i32(1u - odd)) >> 1u) + 1023, m);
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
    return select(p.m.y >> u32(clamp(1054 - p.e, 0, 31)), 0u, p.e < 1023);
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
