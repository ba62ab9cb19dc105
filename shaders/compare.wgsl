// Comparisons of floats by integers, exact also where an adapter takes subnormal numbers for 0. Where it keeps them,
// the functions of compare_native.wgsl take the place of these.

// Integers in the order of the floats; one for both zeros.
fn order_f(x: vec4<f32>) -> vec4<i32> {
    let bits = bitcast<vec4<i32>>(x);
    let magnitude = bits & vec4<i32>(0x7fffffff);
    return select(magnitude, -magnitude, bits < vec4<i32>(0));
}

fn less_f(a: vec4<f32>, b: vec4<f32>) -> vec4<bool> {
    return (order_f(a) < order_f(b)) & !is_nan_f(a) & !is_nan_f(b);
}

fn less_equal_f(a: vec4<f32>, b: vec4<f32>) -> vec4<bool> {
    return (order_f(a) <= order_f(b)) & !is_nan_f(a) & !is_nan_f(b);
}

fn equal_f(a: vec4<f32>, b: vec4<f32>) -> vec4<bool> {
    return (order_f(a) == order_f(b)) & !is_nan_f(a);
}

// The whole number below, -1 for a negative subnormal number; the sign of a zero is not defined.
fn floor_f(x: vec4<f32>) -> vec4<f32> {
    let tiny = (bitcast<vec4<u32>>(x) - vec4<u32>(0x80000001u)) < vec4<u32>(0x007fffffu);
    return select(floor(x), vec4<f32>(-1.0), tiny);
}

// The whole number above, 1 for a positive subnormal number; the sign of a zero is not defined.
fn ceil_f(x: vec4<f32>) -> vec4<f32> {
    let tiny = (bitcast<vec4<u32>>(x) - vec4<u32>(1u)) < vec4<u32>(0x007fffffu);
    return select(ceil(x), vec4<f32>(1.0), tiny);
}
