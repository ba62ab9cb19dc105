// The functions of compare.wgsl where the adapter keeps subnormal numbers. It may assume that comparisons meet no NaN.

fn less_f(a: vec4<f32>, b: vec4<f32>) -> vec4<bool> {
    return (a < b) & !is_nan_f(a) & !is_nan_f(b);
}

fn less_equal_f(a: vec4<f32>, b: vec4<f32>) -> vec4<bool> {
    return (a <= b) & !is_nan_f(a) & !is_nan_f(b);
}

fn equal_f(a: vec4<f32>, b: vec4<f32>) -> vec4<bool> {
    return (a == b) & !is_nan_f(a) & !is_nan_f(b);
}

fn floor_f(x: vec4<f32>) -> vec4<f32> {
    return floor(x);
}

fn ceil_f(x: vec4<f32>) -> vec4<f32> {
    return ceil(x);
}
