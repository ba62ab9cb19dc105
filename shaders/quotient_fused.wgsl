// Quotients on adapters where a remainder by `fma` puts them right: each takes the place of the function of its name in ops.wgsl.

// A number of which no compiler knows how it was made: `fma(x, y, x)` may become `x * (y + 1)`.
fn quotient_hold(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) | vec4<u32>(table.zero));
}

// The reciprocal of a normal number, off by half an ulp at most, and a 2^-18 of that where it is nearly halfway between two
// numbers. Of (2^24 - k) / 2^23 with a small k it is 1/2 and k / 2^25, and a little more: it is rounded right by its digits.
fn rounded_reciprocal(bits: vec4<u32>) -> vec4<f32> {
    let b = bitcast<vec4<f32>>(bits);
    let guess = vec4<f32>(1.0) / b;
    let error = quotient_hold(fma(-b, guess, vec4<f32>(1.0)));
    let closer = fma(error, guess, quotient_hold(guess));
    let digits = bits & vec4<u32>(0x007fffffu);
    let k = vec4<u32>(0x00800000u) - digits;
    let of_k = vec4<u32>(0x7e800000u) - (bits - digits) + ((k + vec4<u32>(1u)) >> vec4<u32>(1u));
    return quotient_hold(select(closer, bitcast<vec4<f32>>(of_k), k < vec4<u32>(64u)));
}

// `near` is off by less than an ulp before it is rounded: it is one of the two numbers about a quotient that is nearly halfway
// between them. Its remainder is exact then, and decides right between them: a quotient is 2^-25 ulp or more off halfway, and
// more than what half a remainder times the error of the reciprocal is, but where the divisor is just below a power of 2, whose
// reciprocal is rounded right. That holds where all of these are normal numbers.
fn fused_quotient(a: vec4<f32>, b: vec4<f32>, reciprocal: vec4<f32>) -> vec4<f32> {
    let near = quotient_hold(a * reciprocal);
    let rest = quotient_hold(fma(-b, near, a));
    return fma(rest, reciprocal, near);
}

fn rounded_quotient(x: vec4<u32>, y: vec4<u32>) -> Quotient {
    let digits = vec4<u32>(0x007fffffu);
    let one = vec4<u32>(0x3f800000u);
    let a = bitcast<vec4<f32>>((x & digits) | one);
    let b = bitcast<vec4<f32>>((y & digits) | one);
    let quotient = fused_quotient(a, b, rounded_reciprocal((y & digits) | one));
    return Quotient(bitcast<vec4<u32>>(quotient), bitcast<vec4<i32>>(fma(-b, quotient_hold(quotient), a)));
}

// Dividends from 2^-78 up to 2^62, and 0, and divisors from 2^-62 up to 2^46 are divided as they are. What depends on the divisor
// alone comes first, so that compilers compute a row's once.
fn rounded_div(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let bits_a = bitcast<vec4<u32>>(a) & vec4<u32>(0x7fffffffu);
    let bits_b = bitcast<vec4<u32>>(b) & vec4<u32>(0x7fffffffu);
    let reciprocal = rounded_reciprocal(bits_b);
    let is_usual = (bits_a - vec4<u32>(0x18800000u) < vec4<u32>(0x46000000u)) | (bits_a == vec4<u32>(0u));
    if !(all(is_usual) && all(bits_b - vec4<u32>(0x20800000u) < vec4<u32>(0x36000000u))) {
        return divided_by_digits(a, b);
    }
    let quotient = bitcast<vec4<u32>>(fused_quotient(bitcast<vec4<f32>>(bits_a), bitcast<vec4<f32>>(bits_b), reciprocal));
    let sign = (bitcast<vec4<u32>>(a) ^ bitcast<vec4<u32>>(b)) & vec4<u32>(0x80000000u);
    return bitcast<vec4<f32>>(quotient | sign);
}
