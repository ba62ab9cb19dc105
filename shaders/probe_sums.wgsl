// What a compiler makes of floats: the host knows what each case is. `$` stands for the way in which sums, differences
// and products are written, so that the probe sees each case in both; for doubles each `32` becomes a `64`. The tail defines
// SMALL, whose square is nearly 0, and two constants: WHOLE, 1.5 times the first number whose neighbours are whole, and SHIFT.

fn case$(k: u32, x: vec4<f32>, y: vec4<f32>, z: vec4<f32>, one: vec4<f32>) -> vec4<f32> {
    // Products that are added: each is to be rounded first.
    switch k {
        case 0u: { let t = times$(x, y); return plus$(t, z); }
        case 1u: { return minus$(z, times$(y, x)); }
        case 2u: { let t = times$(x, y); return minus$(t, z); }
        case 3u: { let t = times$(x, y); return plus$(minus_bits(t), z); }
        case 4u: { let t = times$(x, y); return plus$(select(t, z, z < x), y); }
        case 5u: { let t = times$(x, y); return plus$(min(t, x), z); }
        case 6u: { return plus$(times$(plus$(times$(x, y), x), y), x); }
        case 7u: { let t = times$(x, y); return times$(minus$(times$(t, z), x), y); }
        // Terms that cancel, sums in another order, and zeros that a compiler sees: each step is to be computed.
        case 8u: { return plus$(times$(z, y), times$(z, x)); }
        case 9u: { return minus$(x, x); }
        case 10u: { let s = plus$(x, y); return minus$(s, y); }
        case 11u: { let s = plus$(x, y); return minus$(s, x); }
        case 12u: { return plus$(y, minus$(x, y)); }
        case 13u: { let s = plus$(x, y); return plus$(plus$(s, z), x); }
        case 14u: { return plus$(x, plus$(y, plus$(z, x))); }
        case 15u: { let s = plus$(x, y); return plus$(minus_bits(x), s); }
        case 16u: { return minus_bits(minus$(x, y)); }
        case 17u: { let s = plus$(x, y); return minus$(s, plus$(y, x)); }
        case 18u: { let least = select(y, x, x < y); return minus$(plus$(least, z), z); }
        case 19u: { let s = plus$(x, y); return minus$(plus$(times$(x, z), times$(y, z)), times$(s, z)); }
        case 20u: { return times$(times$(x, y), z); }
        case 21u: { return times$(x, times$(z, y)); }
        case 22u: { let tiny = times$(times$(x, vec4<f32>(SMALL)), vec4<f32>(SMALL)); return one / (one / tiny); }
        case 23u: { return x / x; }
        case 24u: { return times$(x / y, y); }
        case 25u: { return times$(sqrt(x), sqrt(x)); }
        case 26u: { return sqrt(times$(x, x)); }
        case 27u: { let whole = bitcast<vec4<i32>>(y); return times$(x, vec4<f32>(whole - whole)); }
        case 28u: { let whole = bitcast<vec4<i32>>(y); return times$(x, bitcast<vec4<f32>>(whole ^ whole)); }
        case 29u: { let s = plus$(x, y); return plus$(select(vec4<f32>(0.0), one, s > y), minus$(s, s)); }
        case 30u: { let d = minus$(x, y); return plus$(select(vec4<f32>(0.0), one, d == vec4<f32>(0.0)), minus$(d, d)); }
        case 31u: { return minus$(minus$(one, x), one); }
        // Two constants, which meet where a compiler gathers them.
        case 32u: { return plus$(times$(minus$(x, vec4<f32>(WHOLE)), vec4<f32>(SHIFT)), minus$(y, vec4<f32>(WHOLE))); }
        default: { return vec4<f32>(0.0); }
    }
}
