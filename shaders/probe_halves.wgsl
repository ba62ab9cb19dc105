// Whether the adapter's own conversions of halves give the bits of storage.wgsl, whose functions stand beside them.

// Halves with this number times four and the next three, of all 65,536, and the f32 numbers around them: those between
// two halves, and the next below and above of all. Whether numbers agree, and whether what arithmetic makes does.
fn halves_agree(n: u32) -> vec2<bool> {
    let h = vec4<u32>(4u * n) + vec4<u32>(0u, 1u, 2u, 3u);
    let bits = bitcast<vec4<u32>>(decode_f16(h));
    let magnitude = h & vec4<u32>(0x7fffu);
    let upper = vec4<f32>(unpack2x16float(h.x << 16u).y, unpack2x16float(h.y << 16u).y,
        unpack2x16float(h.z << 16u).y, unpack2x16float(h.w << 16u).y);
    let number = decode_f16_number(h);
    var agree = is_same_f32(number, bits) & is_same_f32(upper, bits);
    // Of a NaN arithmetic makes the same bits.
    let made = bitcast<vec4<u32>>(bitcast<vec4<f32>>(bits) * given.one);
    agree &= bitcast<vec4<u32>>(number * given.one) == made;
    // Halfway to the half above; of subnormal halves that is a whole number of 2^-25.
    let tiny = bitcast<vec4<u32>>(vec4<f32>(2u * magnitude + vec4<u32>(1u)) * vec4<f32>(2.9802322e-8));
    let sign = (h & vec4<u32>(0x8000u)) << vec4<u32>(16u);
    let middle = select(bits + vec4<u32>(0x1000u), sign | tiny, magnitude < vec4<u32>(0x400u));
    var nans = vec4<bool>(true);
    for (var k = 0u; k < 13u; k++) {
        var near = select(bits, middle, k % 6u > 2u) + vec4<u32>(k % 3u) - vec4<u32>(1u);
        near = select(near, near.yxwz, k > 5u);
        near = select(near, made, k == 12u);
        let v = bitcast<vec4<f32>>(near);
        let wanted = encode_f16(v);
        let r = encode_f16_number(v);
        let infinity = vec4<u32>(0x7c00u);
        let nan = vec4<u32>(0x7fffu);
        agree &= (r == wanted) | (((r & nan) > infinity) & ((wanted & nan) > infinity));
        // Between two steps nothing is left out.
        agree &= is_same_f32(decode_f16_number(r), bitcast<vec4<u32>>(decode_f16_number(wanted)));
        nans &= (r == wanted) | vec4<bool>(k < 12u);
    }
    return vec2<bool>(all(agree), all(agree & nans));
}

// Whether floats have these bits, or are NaN as these are.
fn is_same_f32(x: vec4<f32>, wanted: vec4<u32>) -> vec4<bool> {
    let bits = bitcast<vec4<u32>>(x);
    let infinity = vec4<u32>(0x7f800000u);
    let nan = vec4<u32>(0x7fffffffu);
    return (bits == wanted) | (((bits & nan) > infinity) & ((wanted & nan) > infinity));
}
