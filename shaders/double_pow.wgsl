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

// Cube root, as precise_cbrt has it, with four Newton steps. Error below 1.7 ulp.
fn double_cbrt(x: vec4<f64>) -> vec4<f64> {
  let u = bitcast<vec4<u64>>(x);
  let mx = double_magnitude(x);
  let tiny = mx < vec4<u64>(0x0010000000000000lu);
  let a = bitcast<vec4<f64>>(mx) * select(vec4<f64>(1.0lf), vec4<f64>(18014398509481984.0lf), tiny);
  let third = vec4<u32>(bitcast<vec4<u64>>(a) >> vec4<u32>(32u)) / vec4<u32>(3u) + vec4<u32>(715094163u);
  var r = bitcast<vec4<f64>>(vec4<u64>(third) << vec4<u32>(32u));
  for (var k = 0u; k < 4u; k = k + 1u) {
    r = r - (r - a / (r * r)) * 0.3333333333333333lf;
  }
  r = r * select(vec4<f64>(1.0lf), vec4<f64>(3.814697265625e-06lf), tiny);
  let root = bitcast<vec4<u64>>(r) | (u & vec4<u64>(0x8000000000000000lu));
  return bitcast<vec4<f64>>(select(root, u, (mx == vec4<u64>(0lu)) | (mx >= vec4<u64>(0x7ff0000000000000lu))));
}

// Root of a sum of two squares, as precise_hypot has it. Error below 1.5 ulp.
fn double_hypot(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
  let inf = vec4<u64>(0x7ff0000000000000lu);
  let ma = double_magnitude(a);
  let mb = double_magnitude(b);
  let hi = select(ma, mb, mb > ma);
  let large = hi >= vec4<u64>(0x5fe0000000000000lu);
  let small = hi < vec4<u64>(0x21f0000000000000lu);
  let scale = select(select(vec4<f64>(1.0lf), vec4<f64>(4.149515568880993e+180lf), small), vec4<f64>(1.8645851828000517e-155lf), large);
  let back = select(select(vec4<f64>(1.0lf), vec4<f64>(2.409919865102884e-181lf), small), vec4<f64>(5.363123171977039e+154lf), large);
  let sa = bitcast<vec4<f64>>(ma) * scale;
  let sb = bitcast<vec4<f64>>(mb) * scale;
  let r = bitcast<vec4<u64>>(sqrt(sa * sa + sb * sb) * back);
  let known = select(select(r, vec4<u64>(0x7ff8000000000000lu), hi > inf), inf, (ma == inf) | (mb == inf));
  return bitcast<vec4<f64>>(known);
}
