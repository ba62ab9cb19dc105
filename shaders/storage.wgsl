// Storage bits to values and back. Conversions are integer code, so that subnormals and the bits of a NaN survive on
// every adapter.

// The halves of two words.
fn unpack_halves(w: vec2<u32>) -> vec4<u32> {
    return vec4<u32>(w.x & 0xffffu, w.x >> 16u, w.y & 0xffffu, w.y >> 16u);
}

// The bytes of a word.
fn unpack_bytes(w: u32) -> vec4<u32> {
    return (vec4<u32>(w) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(0xffu);
}

// Of four words with elements of `per` to a word each, the bits of those past the first `left` elements.
fn bits_past(left: u32, per: u32) -> vec4<u32> {
    let before = vec4<u32>(0u, per, 2u * per, 3u * per);
    let own = min(max(vec4<u32>(left), before) - before, vec4<u32>(per));
    let bits = own * vec4<u32>(32u / per);
    return select(vec4<u32>(0xffffffffu) << (bits & vec4<u32>(31u)), vec4<u32>(0u), own == vec4<u32>(per));
}

fn select_bits(no: vec4<u32>, yes: vec4<u32>, mask: vec4<u32>) -> vec4<u32> {
    return (no & ~mask) | (yes & mask);
}

// The two halves of a word, and its first two bytes.
fn two_halves(w: u32) -> vec2<u32> {
    return vec2<u32>(w & 0xffffu, w >> 16u);
}

fn two_bytes(w: u32) -> vec2<u32> {
    return vec2<u32>(w & 0xffu, (w >> 8u) & 0xffu);
}

// Two words of four halves, each below 2^16.
fn pack_halves(r: vec4<u32>) -> vec2<u32> {
    return vec2<u32>(r.x | (r.y << 16u), r.z | (r.w << 16u));
}

// A word of four bytes, each below 2^8.
fn pack_bytes(r: vec4<u32>) -> u32 {
    return r.x | (r.y << 8u) | (r.z << 16u) | (r.w << 24u);
}

// f16 bits widened to f32. A subnormal's mantissa is a whole number of 2^-24, which f32 holds as a normal number.
fn decode_f16(r: vec4<u32>) -> vec4<f32> {
    let sign = (r & vec4<u32>(0x8000u)) << vec4<u32>(16u);
    let magnitude = r & vec4<u32>(0x7fffu);
    let normal = (magnitude << vec4<u32>(13u)) + vec4<u32>(0x38000000u);
    let special = (magnitude << vec4<u32>(13u)) | vec4<u32>(0x7f800000u);
    let small = bitcast<vec4<u32>>(vec4<f32>(magnitude) * vec4<f32>(5.9604645e-8));
    let finite = select(normal, small, magnitude < vec4<u32>(0x400u));
    return bitcast<vec4<f32>>(sign | select(finite, special, magnitude >= vec4<u32>(0x7c00u)));
}

// f32 rounded to f16 bits, to nearest even; from 65520 on it is infinity; a NaN keeps its sign and upper payload.
fn encode_f16(x: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(x);
    let sign = (bits >> vec4<u32>(16u)) & vec4<u32>(0x8000u);
    let magnitude = bits & vec4<u32>(0x7fffffffu);
    let odd = (magnitude >> vec4<u32>(13u)) & vec4<u32>(1u);
    let normal = (magnitude + vec4<u32>(0xc8000fffu) + odd) >> vec4<u32>(13u);
    // Below 2^-14: adding 0.5 aligns the mantissa to multiples of 2^-24 and rounds it to nearest even.
    let aligned = bitcast<vec4<f32>>(min(magnitude, vec4<u32>(0x38800000u))) + vec4<f32>(0.5);
    let small = bitcast<vec4<u32>>(aligned) - vec4<u32>(0x3f000000u);
    let payload = (magnitude >> vec4<u32>(13u)) & vec4<u32>(0x3ffu);
    let nan = vec4<u32>(0x7c00u) | select(payload, vec4<u32>(0x200u), payload == vec4<u32>(0u));
    var r = select(normal, small, magnitude < vec4<u32>(0x38800000u));
    r = select(r, vec4<u32>(0x7c00u), magnitude >= vec4<u32>(0x477ff000u));
    r = select(r, nan, magnitude > vec4<u32>(0x7f800000u));
    return sign | r;
}

// f32 rounded to bf16 bits, to nearest even; a NaN keeps its sign and upper payload.
fn encode_bf16(x: vec4<f32>) -> vec4<u32> {
    let bits = bitcast<vec4<u32>>(x);
    let odd = (bits >> vec4<u32>(16u)) & vec4<u32>(1u);
    let rounded = (bits + vec4<u32>(0x7fffu) + odd) >> vec4<u32>(16u);
    let payload = (bits >> vec4<u32>(16u)) & vec4<u32>(0x7fu);
    let nan = ((bits >> vec4<u32>(16u)) & vec4<u32>(0xff80u)) | select(payload, vec4<u32>(0x40u), payload == vec4<u32>(0u));
    return select(rounded, nan, (bits & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u));
}

// Whole numbers rounded once, to nearest even. Some drivers convert the upper half of the range otherwise: its numbers are
// halved with a sticky last bit, and doubled in their bits, where no compiler merges them with a sum.
fn u32_to_f32(x: vec4<u32>) -> vec4<f32> {
    let upper = x >> vec4<u32>(31u);
    let lower_half = vec4<f32>(bitcast<vec4<i32>>((x >> upper) | (x & upper)));
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(lower_half) + (upper << vec4<u32>(23u)));
}

// Floats truncated towards zero and kept between two bounds that f32 holds; NaN becomes 0.
fn f32_to_i32(x: vec4<f32>, low: f32, high: f32) -> vec4<i32> {
    let kept = clamp(x, vec4<f32>(low), vec4<f32>(high));
    return vec4<i32>(select(kept, vec4<f32>(0.0), is_nan_f(x)));
}

fn f32_to_u32(x: vec4<f32>, high: f32) -> vec4<u32> {
    let kept = clamp(x, vec4<f32>(0.0), vec4<f32>(high));
    return vec4<u32>(select(kept, vec4<f32>(0.0), is_nan_f(x)));
}

// As above with the whole range of i32, whose upper bound f32 does not hold: 2147483520 is the last float below it.
fn f32_to_i32_full(x: vec4<f32>) -> vec4<i32> {
    let kept = f32_to_i32(x, -2147483648.0, 2147483520.0);
    return select(kept, vec4<i32>(2147483647i), (x >= vec4<f32>(2147483648.0)) & !is_nan_f(x));
}

fn f32_to_u32_full(x: vec4<f32>) -> vec4<u32> {
    let kept = f32_to_u32(x, 4294967040.0);
    return select(kept, vec4<u32>(0xffffffffu), (x >= vec4<f32>(4294967296.0)) & !is_nan_f(x));
}
