// 64-bit integers as pairs of 32-bit words, four at a time: exact on adapters without 64-bit integers. Signed ones are
// two's complement.

struct Pair {
    lo: vec4<u32>,
    hi: vec4<u32>,
}

// Two vec4 of (lo, hi, lo, hi).
fn unpack_pairs(a: vec4<u32>, b: vec4<u32>) -> Pair {
    return Pair(vec4<u32>(a.x, a.z, b.x, b.z), vec4<u32>(a.y, a.w, b.y, b.w));
}

// The words (lo, hi, lo, hi) of the first two elements, and of the others.
fn first_pair(r: Pair) -> vec4<u32> {
    return vec4<u32>(r.lo.x, r.hi.x, r.lo.y, r.hi.y);
}

fn second_pair(r: Pair) -> vec4<u32> {
    return vec4<u32>(r.lo.z, r.hi.z, r.lo.w, r.hi.w);
}

// Four elements of (lo, hi).
fn join_pairs(x: vec2<u32>, y: vec2<u32>, z: vec2<u32>, w: vec2<u32>) -> Pair {
    return Pair(vec4<u32>(x.x, y.x, z.x, w.x), vec4<u32>(x.y, y.y, z.y, w.y));
}

// One element in all four lanes.
fn splat_pair(x: vec2<u32>) -> Pair {
    return Pair(vec4<u32>(x.x), vec4<u32>(x.y));
}

fn small_64(lo: u32) -> Pair {
    return Pair(vec4<u32>(lo), vec4<u32>(0u));
}

fn select_64(no: Pair, yes: Pair, c: vec4<bool>) -> Pair {
    return Pair(select(no.lo, yes.lo, c), select(no.hi, yes.hi, c));
}

fn one_where(c: vec4<bool>) -> vec4<u32> {
    return select(vec4<u32>(0u), vec4<u32>(1u), c);
}

fn add_64(a: Pair, b: Pair) -> Pair {
    let lo = a.lo + b.lo;
    return Pair(lo, a.hi + b.hi + one_where(lo < a.lo));
}

fn sub_64(a: Pair, b: Pair) -> Pair {
    return Pair(a.lo - b.lo, a.hi - b.hi - one_where(a.lo < b.lo));
}

fn neg_64(a: Pair) -> Pair {
    return sub_64(small_64(0u), a);
}

fn and_64(a: Pair, b: Pair) -> Pair {
    return Pair(a.lo & b.lo, a.hi & b.hi);
}

fn or_64(a: Pair, b: Pair) -> Pair {
    return Pair(a.lo | b.lo, a.hi | b.hi);
}

fn xor_64(a: Pair, b: Pair) -> Pair {
    return Pair(a.lo ^ b.lo, a.hi ^ b.hi);
}

fn not_64(a: Pair) -> Pair {
    return Pair(~a.lo, ~a.hi);
}

fn equal_64(a: Pair, b: Pair) -> vec4<bool> {
    return (a.lo == b.lo) & (a.hi == b.hi);
}

fn less_u64(a: Pair, b: Pair) -> vec4<bool> {
    return (a.hi < b.hi) | ((a.hi == b.hi) & (a.lo < b.lo));
}

// Two's complement order is unsigned order with the sign bit flipped.
fn flip_64(a: Pair) -> Pair {
    return Pair(a.lo, a.hi ^ vec4<u32>(0x80000000u));
}

fn less_i64(a: Pair, b: Pair) -> vec4<bool> {
    return less_u64(flip_64(a), flip_64(b));
}

fn negative_64(a: Pair) -> vec4<bool> {
    return a.hi >= vec4<u32>(0x80000000u);
}

fn zero_64(a: Pair) -> vec4<bool> {
    return (a.lo | a.hi) == vec4<u32>(0u);
}

fn abs_64(a: Pair) -> Pair {
    return select_64(a, neg_64(a), negative_64(a));
}

// -1, 0 or 1.
fn sign_i64(a: Pair) -> Pair {
    let n = select(vec4<u32>(0u), vec4<u32>(0xffffffffu), negative_64(a));
    return Pair(n | one_where(!zero_64(a)), n);
}

fn clip_u64(x: Pair, lo: Pair, hi: Pair) -> Pair {
    let low = select_64(lo, x, less_u64(lo, x));
    return select_64(hi, low, less_u64(low, hi));
}

fn clip_i64(x: Pair, lo: Pair, hi: Pair) -> Pair {
    let low = select_64(lo, x, less_i64(lo, x));
    return select_64(hi, low, less_i64(low, hi));
}

// The whole product of two words, from 16-bit halves.
fn mul_words(a: vec4<u32>, b: vec4<u32>) -> Pair {
    let half = vec4<u32>(16u);
    let mask = vec4<u32>(0xffffu);
    let low = (a & mask) * (b & mask);
    let mid = (a >> half) * (b & mask) + (low >> half);
    let cross = (a & mask) * (b >> half) + (mid & mask);
    return Pair((cross << half) | (low & mask), (a >> half) * (b >> half) + (mid >> half) + (cross >> half));
}

fn mul_64(a: Pair, b: Pair) -> Pair {
    let low = mul_words(a.lo, b.lo);
    return Pair(low.lo, low.hi + a.lo * b.hi + a.hi * b.lo);
}

struct Divided {
    quotient: Pair,
    rest: Pair,
}

// Long division, one bit a round; where every operand fits 32 bits, one division. A divisor of 0 gives 0 and 0.
fn divide_u64(a: Pair, b: Pair) -> Divided {
    var q = small_64(0u);
    var r = small_64(0u);
    let none = zero_64(b);
    if all((a.hi | b.hi) == vec4<u32>(0u)) {
        let d = select(b.lo, vec4<u32>(1u), none);
        q.lo = a.lo / d;
        r.lo = a.lo - q.lo * d;
    } else {
        let one = vec4<u32>(1u);
        let top = vec4<u32>(31u);
        var left = a;
        for (var i = 0u; i < 64u; i++) {
            // No bit leaves it at the top: it has as many as there were turns.
            r = Pair((r.lo << one) | (left.hi >> top), (r.hi << one) | (r.lo >> top));
            left = Pair(left.lo << one, (left.hi << one) | (left.lo >> top));
            let fits = !less_u64(r, b);
            r = select_64(r, sub_64(r, b), fits);
            q = Pair((q.lo << one) | one_where(fits), (q.hi << one) | (q.lo >> top));
        }
    }
    return Divided(select_64(q, small_64(0u), none), select_64(r, small_64(0u), none));
}

fn div_u64(a: Pair, b: Pair) -> Pair {
    return divide_u64(a, b).quotient;
}

fn rem_u64(a: Pair, b: Pair) -> Pair {
    return divide_u64(a, b).rest;
}

// Truncating: the quotient is negative where the signs differ, the rest has the dividend's sign.
fn divide_i64(a: Pair, b: Pair) -> Divided {
    let d = divide_u64(abs_64(a), abs_64(b));
    let differ = negative_64(xor_64(a, b));
    return Divided(
        select_64(d.quotient, neg_64(d.quotient), differ),
        select_64(d.rest, neg_64(d.rest), negative_64(a)),
    );
}

fn div_i64(a: Pair, b: Pair) -> Pair {
    return divide_i64(a, b).quotient;
}

fn rem_i64(a: Pair, b: Pair) -> Pair {
    return divide_i64(a, b).rest;
}

// Where truncating is not rounding down: there is a rest, and its sign is not the divisor's.
fn rounds_up_i64(rest: Pair, b: Pair) -> vec4<bool> {
    return !zero_64(rest) & negative_64(xor_64(rest, b));
}

fn floor_div_i64(a: Pair, b: Pair) -> Pair {
    let d = divide_i64(a, b);
    return select_64(d.quotient, sub_64(d.quotient, small_64(1u)), rounds_up_i64(d.rest, b));
}

fn floor_mod_i64(a: Pair, b: Pair) -> Pair {
    let r = rem_i64(a, b);
    return select_64(r, add_64(r, b), rounds_up_i64(r, b));
}

// Power by squaring; wraps.
fn pow_u64(a: Pair, b: Pair) -> Pair {
    let one = vec4<u32>(1u);
    var base = a;
    var left = b;
    var power = small_64(1u);
    for (var i = 0u; i < 64u; i++) {
        power = select_64(power, mul_64(power, base), (left.lo & one) == one);
        base = mul_64(base, base);
        left = Pair((left.lo >> one) | (left.hi << vec4<u32>(31u)), left.hi >> one);
        if all(zero_64(left)) { break; }
    }
    return power;
}

// A negative exponent gives the truncated quotient, which only 1 and -1 have unequal to 0.
fn pow_i64(a: Pair, b: Pair) -> Pair {
    let below = negative_64(b);
    let power = pow_u64(a, select_64(b, small_64(0u), below));
    let minus = equal_64(a, neg_64(small_64(1u)));
    let odd = (b.lo & vec4<u32>(1u)) == vec4<u32>(1u);
    let one = Pair(one_where(equal_64(a, small_64(1u)) | (minus & !odd)), vec4<u32>(0u));
    return select_64(power, select_64(one, neg_64(small_64(1u)), minus & odd), below);
}

fn from_i32(x: vec4<i32>) -> Pair {
    return Pair(bitcast<vec4<u32>>(x), bitcast<vec4<u32>>(x >> vec4<u32>(31u)));
}

// A magnitude rounded to f32, to nearest even: the upper 32 significant bits with a sticky last one, then a power of two in
// its bits.
fn u64_to_f32(x: Pair) -> vec4<f32> {
    let n = vec4<u32>(32u) - countLeadingZeros(x.hi);
    let whole = n == vec4<u32>(32u);
    let up = (vec4<u32>(32u) - n) & vec4<u32>(31u);
    let down = n & vec4<u32>(31u);
    let top = select((x.hi << up) | (x.lo >> down), x.hi, whole);
    let lost = select(x.lo << up, x.lo, whole);
    let sticky = top | one_where((lost != vec4<u32>(0u)) & (n > vec4<u32>(0u)));
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(u32_to_f32(sticky)) + (n << vec4<u32>(23u)));
}

fn i64_to_f32(x: Pair) -> vec4<f32> {
    let magnitude = u64_to_f32(abs_64(x));
    return select(magnitude, -magnitude, negative_64(x));
}

// The whole part of a float's magnitude, for magnitudes below 2^64.
fn f32_magnitude_64(x: vec4<f32>) -> Pair {
    let bits = bitcast<vec4<u32>>(x);
    let exponent = (bits >> vec4<u32>(23u)) & vec4<u32>(0xffu);
    let mantissa = (bits & vec4<u32>(0x7fffffu)) | vec4<u32>(0x800000u);
    // The mantissa is shifted left by exponent - 150, or right by its opposite.
    let left = min(max(exponent, vec4<u32>(150u)) - vec4<u32>(150u), vec4<u32>(40u));
    let right = vec4<u32>(150u) - min(exponent, vec4<u32>(150u));
    let far = left >= vec4<u32>(32u);
    let s = left & vec4<u32>(31u);
    let carried = select(mantissa >> ((vec4<u32>(32u) - s) & vec4<u32>(31u)), vec4<u32>(0u), s == vec4<u32>(0u));
    let big = Pair(select(mantissa << s, vec4<u32>(0u), far), select(carried, mantissa << s, far));
    let small = select(mantissa >> min(right, vec4<u32>(31u)), vec4<u32>(0u), right > vec4<u32>(24u));
    let inside = exponent >= vec4<u32>(150u);
    return Pair(select(small, big.lo, inside), select(vec4<u32>(0u), big.hi, inside));
}

// Truncated and kept in range; NaN becomes 0.
fn f32_to_u64(x: vec4<f32>) -> Pair {
    let bits = bitcast<vec4<u32>>(x);
    let magnitude = bits & vec4<u32>(0x7fffffffu);
    let none = (bits >= vec4<u32>(0x80000000u)) | (magnitude > vec4<u32>(0x7f800000u));
    let most = magnitude >= vec4<u32>(0x5f800000u);
    let kept = select_64(f32_magnitude_64(x), not_64(small_64(0u)), most);
    return select_64(kept, small_64(0u), none);
}

fn f32_to_i64(x: vec4<f32>) -> Pair {
    let bits = bitcast<vec4<u32>>(x);
    let magnitude = bits & vec4<u32>(0x7fffffffu);
    let below = bits >= vec4<u32>(0x80000000u);
    let whole = f32_magnitude_64(x);
    let most = flip_64(not_64(small_64(0u)));
    let limit = select_64(most, not_64(most), below);
    let kept = select_64(select_64(whole, neg_64(whole), below), limit, magnitude >= vec4<u32>(0x5f000000u));
    return select_64(kept, small_64(0u), magnitude > vec4<u32>(0x7f800000u));
}

// Shifts; amounts of 64 and more move every bit out.
fn shl_64(a: Pair, b: Pair) -> Pair {
    let n = select(b.lo, vec4<u32>(64u), (b.hi != vec4<u32>(0u)) | (b.lo > vec4<u32>(63u)));
    let s = n & vec4<u32>(31u);
    let carried = select(a.lo >> ((vec4<u32>(32u) - s) & vec4<u32>(31u)), vec4<u32>(0u), s == vec4<u32>(0u));
    let near = Pair(a.lo << s, (a.hi << s) | carried);
    let words = select_64(near, Pair(vec4<u32>(0u), a.lo << s), n > vec4<u32>(31u));
    return select_64(words, small_64(0u), n > vec4<u32>(63u));
}

// The words shifted down, with `fill` from above.
fn shift_down(a: Pair, b: Pair, fill: vec4<u32>) -> Pair {
    let n = select(b.lo, vec4<u32>(64u), (b.hi != vec4<u32>(0u)) | (b.lo > vec4<u32>(63u)));
    let s = n & vec4<u32>(31u);
    let none = s == vec4<u32>(0u);
    let up = (vec4<u32>(32u) - s) & vec4<u32>(31u);
    let top = (a.hi >> s) | select(fill << up, vec4<u32>(0u), none);
    let near = Pair((a.lo >> s) | select(a.hi << up, vec4<u32>(0u), none), top);
    let words = select_64(near, Pair(top, fill), n > vec4<u32>(31u));
    return select_64(words, Pair(fill, fill), n > vec4<u32>(63u));
}

fn shr_u64(a: Pair, b: Pair) -> Pair {
    return shift_down(a, b, vec4<u32>(0u));
}

fn shr_i64(a: Pair, b: Pair) -> Pair {
    return shift_down(a, b, select(vec4<u32>(0u), vec4<u32>(0xffffffffu), negative_64(a)));
}
