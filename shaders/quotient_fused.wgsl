// Quotients on adapters where a remainder by `fma` puts them right: each takes the place of the function of its name in ops.wgsl.

// A number of which no compiler knows how it was made: `fma(x, y, x)` may become `x * (y + 1)`.
fn quotient_hold(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) | vec4<u32>(table.zero));
}

// The reciprocal is off by half an ulp at most, and a 2^-18 of that where it is nearly halfway between two numbers. So
// `near` is off by less than an ulp before it is rounded: it is one of the two numbers about a quotient that is nearly halfway
// between them. Its remainder is exact then, and decides right between them: a quotient is 2^-25 ulp or more off halfway, and
// more than what half a remainder times the error of the reciprocal is, but where the divisor is just below a power of 2. Of
// (2^24 - k) / 2^23 with a small k the reciprocal is 1/2 and k / 2^25, and a little more: it is rounded right by its digits.
fn rounded_quotient(x: vec4<u32>, y: vec4<u32>) -> Quotient {
    let digits = vec4<u32>(0x007fffffu);
    let one = vec4<u32>(0x3f800000u);
    let a = bitcast<vec4<f32>>((x & digits) | one);
    let b = bitcast<vec4<f32>>((y & digits) | one);
    let guess = vec4<f32>(1.0) / b;
    let error = quotient_hold(fma(-b, guess, vec4<f32>(1.0)));
    let closer = bitcast<vec4<u32>>(fma(error, guess, quotient_hold(guess)));
    let k = vec4<u32>(0x00800000u) - (y & digits);
    let of_k = vec4<u32>(0x3f000000u) + ((k + vec4<u32>(1u)) >> vec4<u32>(1u));
    let reciprocal = quotient_hold(bitcast<vec4<f32>>(select(closer, of_k, k < vec4<u32>(64u))));
    let near = quotient_hold(a * reciprocal);
    let rest = quotient_hold(fma(-b, near, a));
    let quotient = fma(rest, reciprocal, near);
    return Quotient(bitcast<vec4<u32>>(quotient), bitcast<vec4<i32>>(fma(-b, quotient_hold(quotient), a)));
}
