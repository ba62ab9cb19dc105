// Two f32 rounded to halves, to nearest even, as an adapter does whose conversions are exact; of a NaN the upper payload.
fn hostile_pack(v: vec2<f32>) -> u32 {
    return hostile_half(v.x) | (hostile_half(v.y) << 16u);
}

fn hostile_half(x: f32) -> u32 {
    let bits = bitcast<u32>(x);
    let sign = (bits >> 16u) & 0x8000u;
    let magnitude = bits & 0x7fffffffu;
    if magnitude > 0x7f800000u {
        let payload = (bits >> 13u) & 0x3ffu;
        return sign | 0x7c00u | select(payload, 0x200u, payload == 0u);
    }
    if magnitude >= 0x477ff000u {
        return sign | 0x7c00u;
    }
    if magnitude < 0x38800000u {
        // Whole numbers of 2^-24, the last digit of 0.5.
        return sign | (bitcast<u32>(bitcast<f32>(magnitude) + 0.5) - 0x3f000000u);
    }
    return sign | ((magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13u) & 1u)) >> 13u);
}

// Two halves as f32.
fn hostile_unpack(w: u32) -> vec2<f32> {
    return vec2<f32>(hostile_float(w & 0xffffu), hostile_float(w >> 16u));
}

fn hostile_float(half: u32) -> f32 {
    let sign = (half & 0x8000u) << 16u;
    let magnitude = half & 0x7fffu;
    var bits = (magnitude << 13u) + 0x38000000u;
    if magnitude < 0x400u {
        bits = bitcast<u32>(f32(magnitude) * 5.9604645e-8);
    }
    if magnitude >= 0x7c00u {
        bits = 0x7f800000u | ((magnitude & 0x3ffu) << 13u);
    }
    return bitcast<f32>(sign | bits);
}
