// Quotients on adapters where remainders by `fma` put them right: each takes the place of the function of its name in ops.wgsl.

// A number of which no compiler knows how it was made: `fma(x, y, x)` may become `x * (y + 1)`.
fn quotient_hold(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) | vec4<u32>(table.zero));
}

// Of the second quotient, which is the number before the exact one or behind it, the remainder is exact, and the third is rounded
// right: the exact one is at least 2^-25 ulp off halfway between two numbers, and the reciprocal off by half an ulp, and 2^-19
// of that where it is itself nearly halfway. That is too much below a power of 2: of (2^24 - k) / 2^23 with a small k the
// reciprocal is 1/2 and k / 2^25, and a little more.
fn rounded_quotient(x: vec4<u32>, y: vec4<u32>) -> Quotient {
    let digits = vec4<u32>(0x007fffffu);
    let one = vec4<u32>(0x3f800000u);
    let a = bitcast<vec4<f32>>((x & digits) | one);
    let b = bitcast<vec4<f32>>((y & digits) | one);
    let near = vec4<f32>(1.0) / b;
    let error = quotient_hold(fma(-b, near, vec4<f32>(1.0)));
    let closer = bitcast<vec4<u32>>(fma(error, near, quotient_hold(near)));
    let k = digits + vec4<u32>(1u) - (y & digits);
    let of_k = vec4<u32>(0x3f000000u) + ((k + vec4<u32>(1u)) >> vec4<u32>(1u));
    let reciprocal = quotient_hold(bitcast<vec4<f32>>(select(closer, of_k, k < vec4<u32>(64u))));
    let first = quotient_hold(a * reciprocal);
    let left = quotient_hold(fma(-b, first, a));
    let second = quotient_hold(fma(left, reciprocal, first));
    let rest = quotient_hold(fma(-b, second, a));
    let third = fma(rest, reciprocal, second);
    return Quotient(bitcast<vec4<u32>>(third), bitcast<vec4<i32>>(fma(-b, quotient_hold(third), a)));
}
