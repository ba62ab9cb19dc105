// Whether the adapter rounds quotients once, or `fma` does: its own beside those that integers put right, of normal numbers, zeros, infinities
// and NaNs; by a divisor that a compiler knows; and reciprocals. Quotients below normal numbers are not asked for: an adapter may
// flush them as it flushes other results.

// Normal numbers of either sign, others for each seed, and one in eight at an end of its kind.
fn some_floats(seed: vec4<u32>) -> vec4<f32> {
    var v = seed * vec4<u32>(0x9e3779b1u);
    v = (v ^ (v >> vec4<u32>(15u))) * vec4<u32>(0x85ebca77u);
    v = (v ^ (v >> vec4<u32>(13u))) * vec4<u32>(0xc2b2ae3du);
    v = v ^ (v >> vec4<u32>(16u));
    let exponent = vec4<u32>(1u) + ((v >> vec4<u32>(23u)) & vec4<u32>(0xffu)) * vec4<u32>(127u) / vec4<u32>(128u);
    let normal = (v & vec4<u32>(0x7fffffu)) | (exponent << vec4<u32>(23u));
    // 0, 2^-126, the largest below 2, 2^126 and its neighbour, the largest, infinity, NaN.
    var ends = array<u32, 8>(0u, 0x800000u, 0x3fffffffu, 0x7e800000u, 0x7e800001u, 0x7f7fffffu, 0x7f800000u, 0x7fc00000u);
    let k = v & vec4<u32>(7u);
    let end = vec4<u32>(ends[k.x], ends[k.y], ends[k.z], ends[k.w]);
    let chosen = select(normal, end, ((v >> vec4<u32>(20u)) & vec4<u32>(7u)) == vec4<u32>(0u));
    return bitcast<vec4<f32>>(chosen | (v & vec4<u32>(0x80000000u)));
}

fn is_as(found: vec4<f32>, wanted: vec4<f32>) -> bool {
    let bits = bitcast<vec4<u32>>(found);
    let right = bitcast<vec4<u32>>(wanted);
    let size = right & vec4<u32>(0x7fffffffu);
    let nans = (min(size, bits & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
    // What rounds to the smallest normal number may come from below.
    let small = (size != vec4<u32>(0u)) & (size <= vec4<u32>(0x800000u));
    return all((bits == right) | nans | small);
}

fn quotients_agree(n: u32) -> bool {
    let seed = vec4<u32>(8u * n) + vec4<u32>(0u, 1u, 2u, 3u);
    let x = some_floats(seed);
    let y = some_floats(seed + vec4<u32>(4u));
    let third = vec4<f32>(3.0);
    let one = vec4<f32>(1.0);
    return is_as(x / y, rounded_div(x, y)) && is_as(x / third, rounded_div(x, third))
        && is_as(one / y, rounded_div(one, y));
}

// Numbers of which each quotient is that of a remainder by `fma`: with exponents from -16 to 15.
fn near_one(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>((bitcast<vec4<u32>>(x) & vec4<u32>(0x8fffffffu)) + vec4<u32>(0x37800000u));
}

// Whether a remainder by `fma` gives the same quotients, also of divisors just below a power of 2.
fn fused_quotients_agree(n: u32) -> bool {
    let seed = vec4<u32>(8u * n) + vec4<u32>(0u, 1u, 2u, 3u);
    let x = near_one(some_floats(seed));
    let y = near_one(some_floats(seed + vec4<u32>(4u)));
    let digits = vec4<u32>(0x007fffffu);
    let one = vec4<u32>(0x00800000u);
    let x_digits = (bitcast<vec4<u32>>(x) & digits) | one;
    let y_digits = (bitcast<vec4<u32>>(y) & digits) | one;
    let below = bitcast<vec4<f32>>(bitcast<vec4<u32>>(y) | vec4<u32>(0x007fff00u));
    return all(probed_quotient(x_digits, y_digits).bits == rounded_quotient(x_digits, y_digits).bits)
        && all(bitcast<vec4<u32>>(probed_div(x, y)) == bitcast<vec4<u32>>(rounded_div(x, y)))
        && all(bitcast<vec4<u32>>(probed_div(x, below)) == bitcast<vec4<u32>>(rounded_div(x, below)));
}
