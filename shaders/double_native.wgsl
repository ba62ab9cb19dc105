// Doubles of adapters that have them, from and to pairs of words; and what needs no series.

fn native_f64(a: Pair) -> vec4<f64> {
    return bitcast<vec4<f64>>(vec4<u64>(a.lo) | (vec4<u64>(a.hi) << vec4<u32>(32u)));
}

fn pair_f64(v: vec4<f64>) -> Pair {
    let bits = bitcast<vec4<u64>>(v);
    return Pair(vec4<u32>(bits), vec4<u32>(bits >> vec4<u32>(32u)));
}

// Arithmetic, as the operators' rows name it. shaders/soft_functions.wgsl has all of these for adapters without doubles.

fn double_add(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
    return a + b;
}

fn double_sub(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
    return a - b;
}

fn double_mul(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
    return a * b;
}

fn double_div(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
    return a / b;
}

fn double_reciprocal(x: vec4<f64>) -> vec4<f64> {
    return 1.0lf / x;
}

fn double_sqrt(x: vec4<f64>) -> vec4<f64> {
    return sqrt(x);
}

fn double_leaky(x: vec4<f64>, slope: vec4<f64>) -> vec4<f64> {
    return select(x, slope * x, x < vec4<f64>(0.0lf));
}

fn double_elu(x: vec4<f64>, alpha: vec4<f64>) -> vec4<f64> {
    return select(x, alpha * double_expm1(x), x < vec4<f64>(0.0lf));
}

fn double_selu(x: vec4<f64>, alpha: vec4<f64>, gamma: vec4<f64>) -> vec4<f64> {
    return gamma * double_elu(x, alpha);
}

fn double_celu(x: vec4<f64>, alpha: vec4<f64>) -> vec4<f64> {
    return select(x, alpha * double_expm1(x / alpha), x < vec4<f64>(0.0lf));
}

fn double_silu(x: vec4<f64>, alpha: vec4<f64>) -> vec4<f64> {
    return double_swish(x, alpha * x);
}

// alpha * x + beta kept between 0 and 1; NaN stays NaN.
fn double_hard_sigmoid(x: vec4<f64>, alpha: vec4<f64>, beta: vec4<f64>) -> vec4<f64> {
    let v = alpha * x + beta;
    let low = select(v, vec4<f64>(0.0lf), v < vec4<f64>(0.0lf));
    return select(low, vec4<f64>(1.0lf), low > vec4<f64>(1.0lf));
}

// x above alpha, else 0; NaN stays NaN.
fn double_threshold(x: vec4<f64>, alpha: vec4<f64>) -> vec4<f64> {
    return select(vec4<f64>(0.0lf), x, (x > alpha) | is_nan_f64(pair_f64(x)));
}
