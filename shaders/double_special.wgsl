// Error function and activation functions on vec4<f64>.

// erf(x) - x for |x| <= 0.86, odd polynomial of degree 23; error 2^-56 relative to erf.
fn double_erf_rest(x: vec4<f64>) -> vec4<f64> {
  let z = x * x;
  var p = z * -1.517485421433861e-09lf + 1.6784633887115804e-08lf;
  p = p * z - 1.6759625462680762e-07lf;
  p = p * z + 1.6503613888654083e-06lf;
  p = p * z - 1.4928306416576276e-05lf;
  p = p * z + 0.00012055441134520159lf;
  p = p * z - 0.0008548329838786726lf;
  p = p * z + 0.0052239776710393225lf;
  p = p * z - 0.026866170649437703lf;
  p = p * z + 0.11283791670976002lf;
  p = p * z - 0.3761263890318415lf;
  return x * (p * z + 0.1283791670955126lf);
}

// Significand and exponent of g = a erfc(a / sqrt 2) / 2 for a in [0.69, 40]: (y, n) with y * 2^n. g is e^(-a^2/2) F(t) with
// F a polynomial of degree 21 in t = (a - c) / (a + c), c = 4.375, error 2^-55.5 relative. The exponent and 1 / (a + c) are
// formed in two parts.
fn double_normal_tail(a: vec4<f64>) -> double_pair {
  let h = double_high(a);
  let l = a - h;
  let e = double_exp_parts((h * h) * -0.5lf, (l * (a + h)) * -0.5lf);
  let q = 1.0lf / (a + 4.375lf);
  let qh = double_high24(q);
  let zero = double_zero_bits(e.l);
  let ql = q * (double_hold(1.0lf - qh * (h + 4.375lf), zero) - qh * l);
  let t = double_hold(1.0lf - qh * 8.75lf, zero) - ql * 8.75lf;
  var p = t * -5.375568519821896e-09lf + 4.850635967253034e-10lf;
  p = p * t + 4.3272190213452024e-08lf;
  p = p * t + 1.2814944122633431e-08lf;
  p = p * t - 2.3871695266784214e-07lf;
  p = p * t - 1.67483389567563e-07lf;
  p = p * t + 1.2811978425918153e-06lf;
  p = p * t + 1.2020394470857398e-06lf;
  p = p * t - 7.697812397531707e-06lf;
  p = p * t - 5.8291834162546105e-06lf;
  p = p * t + 5.37063710309169e-05lf;
  p = p * t - 3.181165229000843e-06lf;
  p = p * t - 0.0003953281297974539lf;
  p = p * t + 0.0007030490925061761lf;
  p = p * t + 0.0017710896761110365lf;
  p = p * t - 0.012425507508389125lf;
  p = p * t + 0.035953550803807646lf;
  p = p * t - 0.06940128509750317lf;
  p = p * t + 0.09783313218330553lf;
  p = p * t - 0.10012691708895141lf;
  p = p * t + 0.06426160671395158lf;
  p = p * t + 0.3807297633100089lf;
  return double_pair(e.h * p, e.l);
}

// erf: x (1 + P(x^2)) below 0.85, otherwise 1 - erfc. Error below 1.9 ulp.
fn double_erf(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let a = min(max(ax, vec4<f64>(0.84lf)), vec4<f64>(6.0lf)) * 1.4142135623730951lf;
  let g = double_normal_tail(a);
  let far = 1.0lf - double_scale_down(g.h, g.l + 1.0lf) / a;
  let near = x + double_hold(double_erf_rest(x), double_zero_bits(g.l));
  let r = select(double_copy_sign(far, x), near, ax < vec4<f64>(0.85lf));
  return select(r, x, double_is_nan(x));
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|). Error below 1.8 ulp.
fn double_softplus(x: vec4<f64>) -> vec4<f64> {
  let e = double_exp_clamped(-abs(x));
  let v = select(double_log1p_finite(e), e, e < vec4<f64>(5.551115123125783e-17lf));
  return select(max(x, vec4<f64>(0.0lf)) + v, x, double_is_nan(x));
}

// x (1 + erf(x / sqrt 2)) / 2: below 0.7 in magnitude by the polynomial of erf, beyond by double_normal_tail as |x| - g or
// -g; the power of two is applied last, so the far negative tail keeps its relative accuracy down to the subnormals.
// Error below 3.1 ulp.
fn double_gelu(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let g = double_normal_tail(min(max(ax, vec4<f64>(0.69lf)), vec4<f64>(40.0lf)));
  let far = max(x, vec4<f64>(0.0lf)) - double_scale_down(g.h, g.l);
  let v = min(max(x, vec4<f64>(-0.7lf)), vec4<f64>(0.7lf)) * 0.7071067811865476lf;
  let near = x * (0.5lf + (v + double_hold(double_erf_rest(v), double_zero_bits(g.l))) * 0.5lf);
  let r = select(far, near, ax < vec4<f64>(0.7lf));
  let keep = double_is_nan(x) | (x > vec4<f64>(40.0lf));
  return select(double_copy_sign(r, x), x, keep);
}

// x / (1 + e^-2u) with 2u = 2 sqrt(2/pi) (x + 0.044715 x^3), the tanh form of gelu. 2|u| is formed as a two part sum
// through products of 26 bit numbers, and for negative x the power of two is applied last. Error below 3.5 ulp.
fn double_gelu_tanh(x: vec4<f64>) -> vec4<f64> {
  let ax = min(abs(x), vec4<f64>(22.5lf));
  let h = double_high(ax);
  let l = ax - h;
  let z = h * h;
  let zh = double_high(z);
  let zero = double_zero_bits(floor(ax));
  let zl = double_hold(z - zh, zero) + l * (ax + h);
  let c = zh * 0.071354815736413lf;
  let g = double_high(c + 1.5957691216057308lf);
  let small = zl * 0.071354815736413lf + ((zh + zl) * 5.361872467621785e-10lf + 1.426396435433791e-08lf);
  let gl = double_hold(double_hold(1.5957691073417664lf - g, zero) + c, zero) + small;
  let e = double_exp_parts(-(h * g), -(l * g + ax * gl));
  let negative = bitcast<vec4<u64>>(x) >= vec4<u64>(0x8000000000000000lu);
  let q = select(ax, ax * e.h, negative) / (double_scale_down(e.h, e.l) + 1.0lf);
  let r = select(q, -double_scale_down(q, e.l), negative);
  return select(r, x, double_is_nan(x) | (x > vec4<f64>(22.5lf)));
}

// x tanh(log(1 + e^x)) with t = e^x = y 2^n, m = t (t + 1) and d = t^2 + 2 t + 2: x (1 - 2 / d) for x >= 0, x t (1 - m / d)
// below, where the factor 2^n is applied last, so the far negative tail keeps its relative accuracy. Error below 3.5 ulp.
fn double_mish(x: vec4<f64>) -> vec4<f64> {
  let c = min(max(x, vec4<f64>(-770.0lf)), vec4<f64>(40.0lf));
  let e = double_exp_parts(c, vec4<f64>(0.0lf));
  let negative = x < vec4<f64>(0.0lf);
  let none = vec4<f64>(0.0lf);
  let t = double_scale_down(e.h, e.l);
  let m = t * (t + 1.0lf);
  let v = select(c, c * e.h, negative);
  let w = v * (1.0lf - select(vec4<f64>(2.0lf), m, negative) / (m + (t + 2.0lf)));
  let r = double_scale_down(w, select(none, e.l, negative));
  return select(r, x, double_is_nan(x) | (x > vec4<f64>(40.0lf)));
}

// x / (1 + |x|); an infinity gives 1 of its sign. Error below 1.6 ulp.
fn double_softsign(x: vec4<f64>) -> vec4<f64> {
  let one = double_copy_sign(vec4<f64>(1.0lf), x);
  return select(x / (abs(x) + 1.0lf), one, double_magnitude(x) == vec4<u64>(0x7ff0000000000000lu));
}

// x * max(0, min(1, x / 6 + 0.5)). Error below 2 ulp.
fn double_hard_swish(x: vec4<f64>) -> vec4<f64> {
  let low = select(x * (x + 3.0lf) / 6.0lf, -vec4<f64>(0.0lf), x <= vec4<f64>(-3.0lf));
  return select(low, x, x >= vec4<f64>(3.0lf));
}

// x * sigmoid(z); 0 with the sign of x where z is -inf. The power of two of e^-|z| is applied in two halves around its
// significand, so that nothing overflows and no factor is subnormal before the product is. Error below 3.3 ulp.
fn double_swish(x: vec4<f64>, z: vec4<f64>) -> vec4<f64> {
  let e = double_exp_parts(max(-abs(z), vec4<f64>(-1465.0lf)), vec4<f64>(0.0lf));
  let t = double_scale_down(e.h, max(e.l, vec4<f64>(-1100.0lf)));
  let v = x / (t + 1.0lf);
  let n = floor(e.l * 0.5lf);
  let low = double_scale_down(double_scale_down(v, n) * e.h, e.l - n);
  let zero = bitcast<vec4<u64>>(x) & vec4<u64>(0x8000000000000000lu);
  let nowhere = (bitcast<vec4<u64>>(z) == vec4<u64>(0xfff0000000000000lu)) & !double_is_nan(x);
  let r = select(select(v, low, z < vec4<f64>(0.0lf)), bitcast<vec4<f64>>(zero), nowhere);
  return select(r, z, double_is_nan(z));
}
