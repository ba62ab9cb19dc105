// Hyperbolic functions, their inverses and the logistic function on vec4<f32>.

// r with the sign bit of x put in; r is non-negative or has the sign of x already.
fn math_copy_sign(r: vec4<f32>, x: vec4<f32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(r) | (bitcast<vec4<u32>>(x) & vec4<u32>(0x80000000u)));
}

// tanh: x + x^3 P(x^2) below 0.625, otherwise 1 - 2 / (e^(2|x|) + 1), with the sign put back.
// Error below 1.4 ulp (2.4 with a divide of 2.5 ulp).
fn precise_tanh(x: vec4<f32>) -> vec4<f32> {
  let ax = abs(x);
  let t = ax * ax;
  var p = t * -0.0056922967 + 0.020628167;
  p = p * t - 0.053736515;
  p = p * t + 0.13331406;
  p = p * t - 0.3333328;
  let near = ax + ax * t * p;
  let e = math_exp_middle(min(ax + ax, vec4<f32>(40.0)));
  let r = select(1.0 - 2.0 / (e + 1.0), near, ax < vec4<f32>(0.625));
  return select(math_copy_sign(r, x), x, math_is_nan(x));
}

// Logistic function: e = e^-|x|, then 1 / (1 + e) for x >= 0 and e / (1 + e) below.
// Error below 2.5 ulp (4.5 with a divide of 2.5 ulp).
fn precise_sigmoid(x: vec4<f32>) -> vec4<f32> {
  let e = math_exp_clamped(-abs(x));
  let r = select(vec4<f32>(1.0), e, x < vec4<f32>(0.0)) / (e + 1.0);
  return select(r, x, math_is_nan(x));
}

// e^x / 2 for x in [0, 91]; infinity above 89.42. Error below 1.2 ulp.
fn math_half_exp(x: vec4<f32>) -> vec4<f32> {
  let c = min(x, vec4<f32>(91.0));
  let n = round(c * 1.442695);
  let r = math_reduce_ln2(c, n);
  return math_scale_pow2(math_exp_poly(r), math_whole(n) - vec4<i32>(1));
}

// sinh: x + x^3 P(x^2) below 1, otherwise h - 1 / (4 h) with h = e^|x| / 2. Error below 1.7 ulp.
fn precise_sinh(x: vec4<f32>) -> vec4<f32> {
  let ax = abs(x);
  let z = ax * ax;
  let p = ((z * 2.7822673e-6 + 1.9842891e-4) * z + 0.0083333105) * z + 0.16666667;
  let h = math_half_exp(ax);
  let r = select(h - 0.25 / h, ax + ax * z * p, ax < vec4<f32>(1.0));
  return select(math_copy_sign(r, x), x, math_is_nan(x));
}

// cosh: h + 1 / (4 h) with h = e^|x| / 2. Error below 1.7 ulp.
fn precise_cosh(x: vec4<f32>) -> vec4<f32> {
  let h = math_half_exp(abs(x));
  return select(h + 0.25 / h, x, math_is_nan(x));
}

// asinh: log(1 + v) with v = |x| + x^2 / (1 + sqrt(1 + x^2)); log|x| + log 2 above 2^26; x below 2^-13.
// Error below 1.8 ulp (2.6 with a divide and a root of 2.5 ulp).
fn precise_asinh(x: vec4<f32>) -> vec4<f32> {
  let ax = abs(x);
  let big = ax > vec4<f32>(67108864.0);
  let s = ax * ax;
  let v = ax + select(s / (sqrt(s + 1.0) + 1.0), vec4<f32>(0.0), big);
  let r = math_log1p_finite(v) + select(vec4<f32>(0.0), vec4<f32>(0.6931472), big);
  return select(math_copy_sign(r, x), x, math_is_outside(x, 0x39000000u));
}

// acosh: log(1 + t + sqrt(t (t + 2))) with t = x - 1; log x + log 2 above 2^26; NaN below 1.
// Error below 2.5 ulp.
fn precise_acosh(x: vec4<f32>) -> vec4<f32> {
  let u = bitcast<vec4<u32>>(x);
  let big = x > vec4<f32>(67108864.0);
  let t = max(x - 1.0, vec4<f32>(0.0));
  let s = math_sqrt_pair(select(t * (t + 2.0), vec4<f32>(0.0), big));
  let v = t + (s[0] + s[1]);
  let r = math_log1p_finite(v) + select(vec4<f32>(0.0), vec4<f32>(0.6931472), big);
  let special = select(vec4<u32>(0x7fc00000u), u, u == vec4<u32>(0x7f800000u));
  let ordinary = (u - vec4<u32>(0x3f800000u)) < vec4<u32>(0x40000000u);
  return bitcast<vec4<f32>>(select(special, bitcast<vec4<u32>>(r), ordinary));
}

// atanh: log(1 + v) / 2 with v = 2 |x| / (1 - |x|) = 2 |x| + 2 x^2 / (1 - |x|); x below 2^-13; infinity at 1 and NaN above.
// Error below 1.8 ulp (2.6 with a divide of 2.5 ulp).
fn precise_atanh(x: vec4<f32>) -> vec4<f32> {
  let u = bitcast<vec4<u32>>(x);
  let au = u & vec4<u32>(0x7fffffffu);
  let ax = min(abs(x), vec4<f32>(0.99999994));
  let v = (ax + ax) + (ax + ax) * (ax / (1.0 - ax));
  let r = math_copy_sign(math_log1p_finite(v) * 0.5, x);
  let sign = u & vec4<u32>(0x80000000u);
  let special = select(vec4<u32>(0x7fc00000u), sign | vec4<u32>(0x7f800000u), au == vec4<u32>(0x3f800000u));
  let near = select(bitcast<vec4<u32>>(r), u, au < vec4<u32>(0x39000000u));
  return bitcast<vec4<f32>>(select(near, special, au >= vec4<u32>(0x3f800000u)));
}
