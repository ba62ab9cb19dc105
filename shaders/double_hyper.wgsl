// Hyperbolic functions, their inverses and the logistic function on vec4<f64>.

// tanh: with t = e^(2|x|) - 1, t / (t + 2) below 1 and 1 - 2 / (t + 2) above, the sign put back. Error below 2.8 ulp.
fn double_tanh(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let t = double_expm1(min(ax + ax, vec4<f64>(44.0lf)));
  let far = ax > vec4<f64>(0.55lf);
  let v = select(t, vec4<f64>(2.0lf), far) / (t + 2.0lf);
  return select(double_copy_sign(select(v, 1.0lf - v, far), x), x, double_is_nan(x));
}

// Logistic function: e = e^-|x|, then 1 / (1 + e) for x >= 0 and e / (1 + e) below. Error below 2.6 ulp.
fn double_sigmoid(x: vec4<f64>) -> vec4<f64> {
  let e = double_exp_clamped(-abs(x));
  let r = select(vec4<f64>(1.0lf), e, x < vec4<f64>(0.0lf)) / (e + 1.0lf);
  return select(r, x, double_is_nan(x));
}

// e^x / 2 for x in [0, 712]; infinity above 710.48. Error below 1.1 ulp.
fn double_half_exp(x: vec4<f64>) -> vec4<f64> {
  let e = double_exp_parts(min(x, vec4<f64>(712.0lf)), vec4<f64>(0.0lf));
  return double_scale(e.h, e.l - 1.0lf);
}

// sinh: x + x^3 P(x^2) below 1, otherwise h - 1 / (4 h) with h = e^|x| / 2. Error below 1.7 ulp.
fn double_sinh(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let z = min(ax * ax, vec4<f64>(1.0lf));
  var p = z * 7.775675119191809e-13lf + 1.6056687446784204e-10lf;
  p = p * z + 2.505213067325407e-08lf;
  p = p * z + 2.7557319108489863e-06lf;
  p = p * z + 0.00019841269841589247lf;
  p = p * z + 0.008333333333332915lf;
  p = p * z + 0.16666666666666669lf;
  let h = double_half_exp(ax);
  let r = select(h - 0.25lf / h, ax + ax * z * p, ax < vec4<f64>(1.0lf));
  return select(double_copy_sign(r, x), x, double_is_nan(x));
}

// cosh: h + 1 / (4 h) with h = e^|x| / 2. Error below 1.6 ulp.
fn double_cosh(x: vec4<f64>) -> vec4<f64> {
  let h = double_half_exp(abs(x));
  return select(h + 0.25lf / h, x, double_is_nan(x));
}

// asinh: log(1 + v) with v = |x| + x^2 / (1 + sqrt(1 + x^2)); log|x| + log 2 above 2^54; x below 2^-28.
// Error below 1.9 ulp.
fn double_asinh(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let big = ax > vec4<f64>(18014398509481984.0lf);
  let s = select(ax, vec4<f64>(0.0lf), big) * ax;
  let v = ax + s / (sqrt(s + 1.0lf) + 1.0lf);
  let r = double_log1p_finite(v) + select(vec4<f64>(0.0lf), vec4<f64>(0.6931471805599453lf), big);
  let a = double_magnitude(x) - vec4<u64>(0x3e30000000000000lu);
  return select(x, double_copy_sign(r, x), a < vec4<u64>(0x41c0000000000000lu));
}

// acosh: log(1 + t + sqrt(t (t + 2))) with t = x - 1; log x + log 2 above 2^54; NaN below 1. Error below 2.8 ulp.
fn double_acosh(x: vec4<f64>) -> vec4<f64> {
  let u = bitcast<vec4<u64>>(x);
  let big = x > vec4<f64>(18014398509481984.0lf);
  let t = max(x - 1.0lf, vec4<f64>(0.0lf));
  let s = sqrt(select(t, vec4<f64>(0.0lf), big) * (t + 2.0lf));
  let r = double_log1p_finite(t + s) + select(vec4<f64>(0.0lf), vec4<f64>(0.6931471805599453lf), big);
  let special = select(vec4<u64>(0x7ff8000000000000lu), u, u == vec4<u64>(0x7ff0000000000000lu));
  let ordinary = (u - vec4<u64>(0x3ff0000000000000lu)) < vec4<u64>(0x4000000000000000lu);
  return bitcast<vec4<f64>>(select(special, bitcast<vec4<u64>>(r), ordinary));
}

// atanh: log(1 + v) / 2 with v = 2 |x| / (1 - |x|) = 2 |x| + 2 x^2 / (1 - |x|); x below 2^-28; infinity at 1 and NaN above.
// Error below 1.9 ulp.
fn double_atanh(x: vec4<f64>) -> vec4<f64> {
  let u = bitcast<vec4<u64>>(x);
  let au = double_magnitude(x);
  let one = vec4<u64>(0x3ff0000000000000lu);
  let ax = min(abs(x), vec4<f64>(0.9999999999999999lf));
  let v = (ax + ax) + (ax + ax) * (ax / (1.0lf - ax));
  let r = double_copy_sign(double_log1p_finite(v) * 0.5lf, x);
  let infinite = (u ^ au) | vec4<u64>(0x7ff0000000000000lu);
  let special = select(vec4<u64>(0x7ff8000000000000lu), infinite, au == one);
  let near = select(bitcast<vec4<u64>>(r), u, au < vec4<u64>(0x3e30000000000000lu));
  return bitcast<vec4<f64>>(select(near, special, au >= one));
}
