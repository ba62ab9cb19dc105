// Power function on vec4<f64>.

// Rounds towards zero to 24 significant bits.
fn double_high24(x: vec4<f64>) -> vec4<f64> {
  return bitcast<vec4<f64>>(bitcast<vec4<u64>>(x) & vec4<u64>(0xffffffffe0000000lu));
}

// log2 of positive finite x as a sum (h, l), h of at most 26 bits, relative error about 2^-65.
// x = m 2^e, s = (m - 1) / (m + 1) as a two part quotient, log m = (2/3) s (3 + s^2 + 3 s^4 P(s^2)); all leading
// products are of numbers with at most 26 bits, so they are exact with or without contraction.
fn double_log2_pair(x: vec4<f64>) -> double_pair {
  let split = double_log_split(x);
  let m = split.h;
  let e = split.l;
  let zero = double_zero_bits(e);
  let f = m - 1.0lf;
  let mh = double_high24(m);
  let recip = 1.0lf / (m + 1.0lf);
  let s = f * recip;
  let sh = double_high(s);
  let sl = (double_hold(f - sh * (mh + 1.0lf), zero) - sh * (m - mh)) * recip;
  let z = s * s;
  let sh2 = sh * sh;
  let r = z * z * double_log_poly(z) * 3.0lf + sl * (sh + s);
  let th = double_high((sh2 + 3.0lf) + r);
  let tl = r - (double_hold(th - 3.0lf, zero) - sh2);
  let u = sh * th;
  let v = sl * th + tl * s;
  let ph = double_high(u + v);
  let pl = v - double_hold(ph - u, zero);
  let zh = ph * 0.9617966860532761lf;
  let zl = ph * 7.872699542894897e-09lf + pl * 0.9617966939259756lf;
  let h = double_high((e + zh) + zl);
  return double_pair(h, zl - double_hold(double_hold(h - e, zero) - zh, zero));
}

// |x|^y without special cases: 2^(y log2 |x|) with the product of y and the two part logarithm kept in two parts.
fn double_pow_magnitude(ax: vec4<f64>, y: vec4<f64>) -> vec4<f64> {
  let g = double_log2_pair(ax);
  let limit = vec4<f64>(18446744073709551616.0lf);
  let yc = min(max(y, -limit), limit);
  let yh = double_high(yc);
  let ph = yh * g.h;
  let pl = (yc - yh) * g.h + yc * g.l;
  let n = floor(min(max(ph + pl, vec4<f64>(-1080.0lf)), vec4<f64>(1028.0lf)) + 0.5lf);
  let zero = double_zero_bits(n);
  let r = min(max(double_hold(ph - n, zero) + pl, vec4<f64>(-1.0lf)), vec4<f64>(1.0lf)) * 0.6931471805599453lf;
  return double_scale(double_hold(r + r * r * double_exp_poly(r), zero) + 1.0lf, n);
}

// x^y with the C99 special cases: 1 for y = 0 and for x = 1 even with a NaN, signed zero and infinity for odd integer y,
// NaN for a negative finite base with a non-integer exponent. Magnitude by double_pow_magnitude.
// Error below 2 ulp, the most for results near 2^1000 and 2^-1000.
fn double_pow(x: vec4<f64>, y: vec4<f64>) -> vec4<f64> {
  let ux = bitcast<vec4<u64>>(x);
  let uy = bitcast<vec4<u64>>(y);
  let ax = double_magnitude(x);
  let ay = double_magnitude(y);
  let inf = vec4<u64>(0x7ff0000000000000lu);
  let one = vec4<u64>(0x3ff0000000000000lu);
  let fy = abs(y);
  let integral = (floor(fy) == fy) & (ay >= one);
  let half = fy * 0.5lf;
  let odd = integral & (floor(half) < half);
  let saturated = select(vec4<u64>(0lu), inf, (ax > one) == (uy < vec4<u64>(0x8000000000000000lu)));
  let special = (ax == vec4<u64>(0lu)) | (ax >= inf) | (ay == inf);
  var r = select(bitcast<vec4<u64>>(double_pow_magnitude(bitcast<vec4<f64>>(ax), y)), saturated, special);
  let negative = ux >= vec4<u64>(0x8000000000000000lu);
  r = r | select(vec4<u64>(0lu), vec4<u64>(0x8000000000000000lu), negative & odd);
  let bad = negative & !integral & (ax > vec4<u64>(0lu)) & (ax < inf);
  r = select(r, vec4<u64>(0x7ff8000000000000lu), bad | (ax > inf) | (ay > inf));
  let unit = (ux == one) | (ay == vec4<u64>(0lu)) | ((ax == one) & (ay == inf));
  return bitcast<vec4<f64>>(select(r, one, unit));
}
