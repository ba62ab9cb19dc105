// Doubles by their bits: what needs no arithmetic.

fn magnitude_f64(x: Pair) -> Pair {
    return Pair(x.lo, x.hi & vec4<u32>(0x7fffffffu));
}

fn is_nan_f64(x: Pair) -> vec4<bool> {
    return less_u64(Pair(vec4<u32>(0u), vec4<u32>(0x7ff00000u)), magnitude_f64(x));
}

fn is_inf_f64(x: Pair) -> vec4<bool> {
    return equal_64(magnitude_f64(x), Pair(vec4<u32>(0u), vec4<u32>(0x7ff00000u)));
}

fn zero_f64(x: Pair) -> vec4<bool> {
    return zero_64(magnitude_f64(x));
}

fn neg_f64(x: Pair) -> Pair {
    return Pair(x.lo, x.hi ^ vec4<u32>(0x80000000u));
}

fn equal_f64(a: Pair, b: Pair) -> vec4<bool> {
    return (equal_64(a, b) | (zero_f64(a) & zero_f64(b))) & !is_nan_f64(a) & !is_nan_f64(b);
}

// Numbers in unsigned order: negative ones inverted, positive ones above them.
fn ordered_f64(x: Pair) -> Pair {
    return select_64(flip_64(x), not_64(x), negative_64(x));
}

fn less_f64(a: Pair, b: Pair) -> vec4<bool> {
    let below = less_u64(ordered_f64(a), ordered_f64(b)) & !(zero_f64(a) & zero_f64(b));
    return below & !is_nan_f64(a) & !is_nan_f64(b);
}

fn max_f64(a: Pair, b: Pair) -> Pair {
    return select_64(b, a, less_f64(b, a) | is_nan_f64(a));
}

fn min_f64(a: Pair, b: Pair) -> Pair {
    return select_64(b, a, less_f64(a, b) | is_nan_f64(a));
}

fn clip_f64(x: Pair, lo: Pair, hi: Pair) -> Pair {
    let low = select_64(lo, x, less_f64(lo, x) | is_nan_f64(x));
    return select_64(hi, low, less_f64(low, hi) | is_nan_f64(low));
}

// -1, 0 or 1; a zero and a NaN stay what they are.
fn sign_f64(x: Pair) -> Pair {
    let one = Pair(vec4<u32>(0u), (x.hi & vec4<u32>(0x80000000u)) | vec4<u32>(0x3ff00000u));
    return select_64(select_64(one, small_64(0u), zero_f64(x)), x, is_nan_f64(x));
}

fn relu_f64(x: Pair) -> Pair {
    return select_64(x, small_64(0u), negative_64(x) & !is_nan_f64(x));
}

// An f32 widened, exactly; a NaN keeps its payload.
fn f32_to_f64(x: vec4<f32>) -> Pair {
    let bits = bitcast<vec4<u32>>(x);
    let sign = bits & vec4<u32>(0x80000000u);
    let magnitude = bits & vec4<u32>(0x7fffffffu);
    let zeros = countLeadingZeros(magnitude);
    // A subnormal is shifted until its first bit is the implicit one.
    let shift = select(vec4<u32>(0u), (zeros - vec4<u32>(8u)) & vec4<u32>(31u), magnitude < vec4<u32>(0x800000u));
    let mantissa = (magnitude << shift) & vec4<u32>(0x7fffffu);
    let exponent = max(magnitude >> vec4<u32>(23u), vec4<u32>(1u)) - shift + vec4<u32>(896u);
    let special = magnitude >= vec4<u32>(0x7f800000u);
    let wide = select(exponent, vec4<u32>(2047u), special);
    let found = Pair(mantissa << vec4<u32>(29u), sign | (wide << vec4<u32>(20u)) | (mantissa >> vec4<u32>(3u)));
    return select_64(found, Pair(vec4<u32>(0u), sign), magnitude == vec4<u32>(0u));
}

// A double's first 25 significant bits and a sticky one, as an f32 rounded to odd: rounding that again to fewer bits, or
// to nearest, gives what one rounding would.
fn f64_to_f32_bits(x: Pair, odd: bool) -> vec4<u32> {
    let sign = x.hi & vec4<u32>(0x80000000u);
    let exponent = (x.hi >> vec4<u32>(20u)) & vec4<u32>(0x7ffu);
    let fraction = (x.hi & vec4<u32>(0xfffffu)) | select(vec4<u32>(0u), vec4<u32>(0x100000u), exponent > vec4<u32>(0u));
    // 29 bits of mantissa: 24 of f32, guard bits, and a sticky last one.
    let top = (fraction << vec4<u32>(8u)) | (x.lo >> vec4<u32>(24u)) | one_where((x.lo & vec4<u32>(0xffffffu)) != vec4<u32>(0u));
    // Below the normal range of f32 the mantissa moves right.
    let under = vec4<u32>(897u) - min(exponent, vec4<u32>(897u));
    let moved = min(under, vec4<u32>(31u));
    let lost = (top & ((vec4<u32>(1u) << moved) - vec4<u32>(1u))) != vec4<u32>(0u);
    let m = (top >> moved) | one_where(lost);
    let low = m & vec4<u32>(0x1fu);
    let kept = m >> vec4<u32>(5u);
    let tie = vec4<u32>(16u);
    let up = one_where((low > tie) | ((low == tie) & ((kept & vec4<u32>(1u)) == vec4<u32>(1u))));
    let rounded = select(kept + up, kept | one_where(low != vec4<u32>(0u)), vec4<bool>(odd));
    // The implicit bit adds one to the exponent by itself.
    let biased = (max(exponent, vec4<u32>(897u)) - vec4<u32>(897u)) << vec4<u32>(23u);
    let finite = biased + rounded;
    let most = select(vec4<u32>(0x7f800000u), vec4<u32>(0x7f7fffffu), vec4<bool>(odd));
    let inside = select(finite, most, (exponent >= vec4<u32>(1151u)) | (finite >= vec4<u32>(0x7f800000u)));
    let payload = ((x.hi & vec4<u32>(0xfffffu)) << vec4<u32>(3u)) | (x.lo >> vec4<u32>(29u));
    let nan = vec4<u32>(0x7f800000u) | select(payload, vec4<u32>(0x400000u), payload == vec4<u32>(0u));
    let special = select(vec4<u32>(0x7f800000u), nan, is_nan_f64(x));
    return sign | select(inside, special, exponent == vec4<u32>(0x7ffu));
}

fn f64_to_f32(x: Pair) -> vec4<f32> {
    return bitcast<vec4<f32>>(f64_to_f32_bits(x, false));
}

fn f64_to_f32_odd(x: Pair) -> vec4<f32> {
    return bitcast<vec4<f32>>(f64_to_f32_bits(x, true));
}

// A whole magnitude as a double, rounded to nearest even.
fn u64_to_f64(x: Pair) -> Pair {
    let high = countLeadingZeros(x.hi);
    let zeros = select(high, vec4<u32>(32u) + countLeadingZeros(x.lo), x.hi == vec4<u32>(0u));
    let n = shift_left_64(x, zeros);
    // The first bit is now bit 63; 11 bits are lost.
    let low = n.lo & vec4<u32>(0x7ffu);
    let kept = Pair((n.lo >> vec4<u32>(11u)) | (n.hi << vec4<u32>(21u)), n.hi >> vec4<u32>(11u));
    let tie = vec4<u32>(0x400u);
    let up = one_where((low > tie) | ((low == tie) & ((kept.lo & vec4<u32>(1u)) == vec4<u32>(1u))));
    let rounded = add_64(kept, Pair(up, vec4<u32>(0u)));
    let exponent = (vec4<u32>(1085u) - zeros) << vec4<u32>(20u);
    return select_64(Pair(rounded.lo, rounded.hi + exponent), small_64(0u), zero_64(x));
}

fn i64_to_f64(x: Pair) -> Pair {
    let magnitude = u64_to_f64(abs_64(x));
    return select_64(magnitude, neg_f64(magnitude), negative_64(x));
}

// Shifted left by 0 to 63; 64 and more give 0.
fn shift_left_64(x: Pair, n: vec4<u32>) -> Pair {
    let s = n & vec4<u32>(31u);
    let carried = select(x.lo >> ((vec4<u32>(32u) - s) & vec4<u32>(31u)), vec4<u32>(0u), s == vec4<u32>(0u));
    let near = Pair(x.lo << s, (x.hi << s) | carried);
    let far = Pair(vec4<u32>(0u), x.lo << s);
    return select_64(select_64(near, far, n >= vec4<u32>(32u)), small_64(0u), n >= vec4<u32>(64u));
}

fn shift_right_64(x: Pair, n: vec4<u32>) -> Pair {
    let s = n & vec4<u32>(31u);
    let carried = select(x.hi << ((vec4<u32>(32u) - s) & vec4<u32>(31u)), vec4<u32>(0u), s == vec4<u32>(0u));
    let near = Pair((x.lo >> s) | carried, x.hi >> s);
    let far = Pair(x.hi >> s, vec4<u32>(0u));
    return select_64(select_64(near, far, n >= vec4<u32>(32u)), small_64(0u), n >= vec4<u32>(64u));
}

// The whole part of a magnitude below 2^64.
fn f64_magnitude_64(x: Pair) -> Pair {
    let exponent = (x.hi >> vec4<u32>(20u)) & vec4<u32>(0x7ffu);
    let mantissa = Pair(x.lo, (x.hi & vec4<u32>(0xfffffu)) | vec4<u32>(0x100000u));
    let left = min(max(exponent, vec4<u32>(1075u)) - vec4<u32>(1075u), vec4<u32>(11u));
    let right = vec4<u32>(1075u) - min(exponent, vec4<u32>(1075u));
    return shift_right_64(shift_left_64(mantissa, left), right);
}

// Truncated and kept in range; NaN becomes 0.
fn f64_to_u64(x: Pair) -> Pair {
    let none = negative_64(x) | is_nan_f64(x);
    let most = x.hi >= vec4<u32>(0x43f00000u);
    return select_64(select_64(f64_magnitude_64(x), not_64(small_64(0u)), most), small_64(0u), none);
}

fn f64_to_i64(x: Pair) -> Pair {
    let below = negative_64(x);
    let whole = f64_magnitude_64(x);
    let most = flip_64(not_64(small_64(0u)));
    let limit = select_64(most, not_64(most), below);
    let far = (x.hi & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x43e00000u);
    let kept = select_64(select_64(whole, neg_64(whole), below), limit, far);
    return select_64(kept, small_64(0u), is_nan_f64(x));
}

// A signed number kept within the range of a narrower type, whose lowest value's magnitude is `low` and highest `high`.
fn narrow_i64(x: Pair, low: u32, high: u32) -> vec4<i32> {
    let most = less_i64(small_64(high), x);
    let least = less_i64(x, neg_64(small_64(low)));
    let kept = select(x.lo, vec4<u32>(high), most);
    return bitcast<vec4<i32>>(select(kept, vec4<u32>(0u) - vec4<u32>(low), least));
}

fn narrow_u64(x: Pair, high: u32) -> vec4<u32> {
    return select(x.lo, vec4<u32>(high), less_u64(small_64(high), x));
}
