// Whether the adapter rounds quotients of normal numbers once: its own beside those that integers put right, of any digits and
// of exponents that stay normal; by a divisor that a compiler knows; and reciprocals.

// Numbers from 2^-60 to 2^60 of either sign, others for each seed.
fn some_floats(seed: vec4<u32>) -> vec4<f32> {
    var v = seed * vec4<u32>(0x9e3779b1u);
    v = (v ^ (v >> vec4<u32>(15u))) * vec4<u32>(0x85ebca77u);
    v = (v ^ (v >> vec4<u32>(13u))) * vec4<u32>(0xc2b2ae3du);
    v = v ^ (v >> vec4<u32>(16u));
    let exponent = vec4<u32>(67u) + ((v >> vec4<u32>(23u)) & vec4<u32>(0xffu)) * vec4<u32>(15u) / vec4<u32>(32u);
    return bitcast<vec4<f32>>((v & vec4<u32>(0x807fffffu)) | (exponent << vec4<u32>(23u)));
}

fn same_bits(x: vec4<f32>, y: vec4<f32>) -> bool {
    return all(bitcast<vec4<u32>>(x) == bitcast<vec4<u32>>(y));
}

fn quotients_agree(n: u32) -> bool {
    let seed = vec4<u32>(8u * n) + vec4<u32>(0u, 1u, 2u, 3u);
    let x = some_floats(seed);
    let y = some_floats(seed + vec4<u32>(4u));
    let third = vec4<f32>(3.0);
    let one = vec4<f32>(1.0);
    return same_bits(x / y, nearest_quotient(x, y, significand_f(x) / significand_f(y)))
        && same_bits(x / third, nearest_quotient(x, third, significand_f(x) / significand_f(third)))
        && same_bits(one / y, nearest_quotient(one, y, significand_f(one) / significand_f(y)));
}
