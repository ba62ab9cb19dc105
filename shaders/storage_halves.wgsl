// Halves by the adapter's own conversions, in place of the functions of storage.wgsl: a probe has found them to give the
// same bits for all numbers, and a NaN for a NaN. Bits of a NaN are moved by integers, on a way of their own that data
// without one never takes.

// f16 bits widened to f32; a NaN gives a NaN.
fn decode_f16_number(r: vec4<u32>) -> vec4<f32> {
    return vec4<f32>(unpack2x16float(r.x).x, unpack2x16float(r.y).x, unpack2x16float(r.z).x, unpack2x16float(r.w).x);
}

// f32 rounded to the words of f16 bits, to nearest even; from 65520 on it is infinity; a NaN gives a NaN.
fn pack_f16_number(x: vec4<f32>) -> vec2<u32> {
    return vec2<u32>(pack2x16float(x.xy), pack2x16float(x.zw));
}

// f32 rounded to f16 bits in the same way.
fn encode_f16_number(x: vec4<f32>) -> vec4<u32> {
    return unpack_halves(pack_f16_number(x));
}

// Whether a half is a NaN: its magnitude is above that of infinity, 0x7c00.
fn has_nan_f16(r: vec4<u32>) -> bool {
    let w = pack_halves(r);
    let above = (w & vec2<u32>(0x7fff7fffu)) + vec2<u32>(0x03ff03ffu);
    return ((above.x | above.y) & 0x80008000u) != 0u;
}

// f16 bits widened to f32; a NaN keeps its bits.
fn decode_f16(r: vec4<u32>) -> vec4<f32> {
    var x = decode_f16_number(r);
    if has_nan_f16(r) {
        let magnitude = r & vec4<u32>(0x7fffu);
        let nan = ((r & vec4<u32>(0x8000u)) << vec4<u32>(16u)) | (magnitude << vec4<u32>(13u)) | vec4<u32>(0x7f800000u);
        x = bitcast<vec4<f32>>(select(bitcast<vec4<u32>>(x), nan, magnitude > vec4<u32>(0x7c00u)));
    }
    return x;
}

// f32 rounded to f16 bits, to nearest even; from 65520 on it is infinity; a NaN keeps its sign and upper payload.
fn encode_f16(x: vec4<f32>) -> vec4<u32> {
    var r = encode_f16_number(x);
    if has_nan_f16(r) {
        let bits = bitcast<vec4<u32>>(x);
        let payload = (bits >> vec4<u32>(13u)) & vec4<u32>(0x3ffu);
        let nan = ((bits >> vec4<u32>(16u)) & vec4<u32>(0x8000u)) | vec4<u32>(0x7c00u)
            | select(payload, vec4<u32>(0x200u), payload == vec4<u32>(0u));
        r = select(r, nan, (bits & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
    }
    return r;
}
