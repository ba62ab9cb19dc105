// Exponentials and logarithms on vec4<f64>, for adapters with 64-bit types. In all of these files errors are in units in
// the last place (ulp), and hold whether or not the driver contracts a*b+c: error-free steps use operands of few bits, so
// their products are exact. No builtin but sqrt, floor and the like is used, for drivers have no others of f64. Infinities,
// NaNs and signed zeros are as in C99. A bound is above the worst of some two million arguments, hard ones among them.

// A two part sum, or a significand and an exponent.
struct double_pair {
  h: vec4<f64>,
  l: vec4<f64>,
}

// ln 2 as a number of 36 bits, whose products with numbers below 2^17 are exact, and the rest.
const DOUBLE_LN2_H: f64 = 0.6931471805582987lf;
const DOUBLE_LN2_L: f64 = 1.6465949582897082e-12lf;

// v itself, opaque to algebraic rewriting; see math_hold.
fn double_hold(v: vec4<f64>, zero: vec4<u64>) -> vec4<f64> {
  return bitcast<vec4<f64>>(bitcast<vec4<u64>>(v) | zero);
}

// Zero bits for double_hold out of a number n that is an integer below 2^21 in magnitude.
fn double_zero_bits(n: vec4<f64>) -> vec4<u64> {
  return bitcast<vec4<u64>>(n) & vec4<u64>(0x7ffffffflu);
}

// Rounds towards zero to 26 significant bits, so that the product of two such numbers is exact.
fn double_high(x: vec4<f64>) -> vec4<f64> {
  return bitcast<vec4<f64>>(bitcast<vec4<u64>>(x) & vec4<u64>(0xfffffffff8000000lu));
}

// The bits of |x|.
fn double_magnitude(x: vec4<f64>) -> vec4<u64> {
  return bitcast<vec4<u64>>(x) & vec4<u64>(0x7ffffffffffffffflu);
}

// true where x is a NaN, decided on the bits.
fn double_is_nan(x: vec4<f64>) -> vec4<bool> {
  return double_magnitude(x) > vec4<u64>(0x7ff0000000000000lu);
}

// n 2^52 for an integer n below 2^11 in magnitude, from the low bits of n + 1.5 * 2^52: what adds n to an exponent field.
fn double_exponent(n: vec4<f64>) -> vec4<u64> {
  return bitcast<vec4<u64>>(n + 6755399441055744.0lf) << vec4<u32>(52u);
}

// 2^n for an integer n in [-1022, 1023].
fn double_power2(n: vec4<f64>) -> vec4<f64> {
  return bitcast<vec4<f64>>(double_exponent(n) + vec4<u64>(0x3ff0000000000000lu));
}

// y * 2^n for |y| in [0.5, 2] and n in [-1080, 1030]: half of n goes into the exponent field of y, the other half
// into one multiplication, so overflow gives infinity and a subnormal result is rounded once.
fn double_scale(y: vec4<f64>, n: vec4<f64>) -> vec4<f64> {
  let k = floor(n * 0.5lf);
  return bitcast<vec4<f64>>(bitcast<vec4<u64>>(y) + double_exponent(n - k)) * double_power2(k);
}

// v * 2^n for normal v and an integer n in [-2044, 2046], rounded once if the result is subnormal.
fn double_scale_down(v: vec4<f64>, n: vec4<f64>) -> vec4<f64> {
  let k = floor(n * 0.5lf);
  return double_hold(v * double_power2(k), double_zero_bits(n)) * double_power2(n - k);
}

// (e^r - 1 - r) / r^2 for |r| <= 0.3467, minimax polynomial; with it the error of e^r is 2^-57.8 relative.
fn double_exp_poly(r: vec4<f64>) -> vec4<f64> {
  var p = r * 2.502031218785735e-08lf + 2.7630760112860453e-07lf;
  p = p * r + 2.755753017144234e-06lf;
  p = p * r + 2.4801491738749897e-05lf;
  p = p * r + 0.0001984126956061179lf;
  p = p * r + 0.0013888888944863975lf;
  p = p * r + 0.008333333333473716lf;
  p = p * r + 0.0416666666665258lf;
  p = p * r + 0.16666666666666438lf;
  return p * r + 0.5000000000000011lf;
}

// Significand and exponent of e^(a + b) for |a| below 1500 and |b| below 2^-3: (y, n) with y * 2^n.
fn double_exp_parts(a: vec4<f64>, b: vec4<f64>) -> double_pair {
  let n = floor((a + b) * 1.4426950408889634lf + 0.5lf);
  let zero = double_zero_bits(n);
  let r = double_hold(a - n * DOUBLE_LN2_H, zero) + (b - n * DOUBLE_LN2_L);
  return double_pair(double_hold(r + r * r * double_exp_poly(r), zero) + 1.0lf, n);
}

// e^x with x clamped to [-746, 710]. A NaN gives an unspecified number. Error below 1.1 ulp.
fn double_exp_clamped(x: vec4<f64>) -> vec4<f64> {
  let e = double_exp_parts(min(max(x, vec4<f64>(-746.0lf)), vec4<f64>(710.0lf)), vec4<f64>(0.0lf));
  return double_scale(e.h, e.l);
}

// e^x: n = round(x / ln 2), polynomial in x - n ln 2, scaling by 2^n. Error below 1.1 ulp, subnormal results included.
fn double_exp(x: vec4<f64>) -> vec4<f64> {
  return select(double_exp_clamped(x), x, double_is_nan(x));
}

// 2^x: n = round(x), e^((x - n) ln 2), scaling by 2^n. Error below 1.1 ulp, subnormal results included.
fn double_exp2(x: vec4<f64>) -> vec4<f64> {
  let c = min(max(x, vec4<f64>(-1076.0lf)), vec4<f64>(1025.0lf));
  let n = floor(c + 0.5lf);
  let f = c - n;
  let r = f * 0.6931471805599453lf;
  let t = double_hold(r + (r * r * double_exp_poly(r) + f * 2.3190468138462996e-17lf), double_zero_bits(n));
  return select(double_scale(t + 1.0lf, n), x, double_is_nan(x));
}

// e^x - 1: x = n ln 2 + r + rl, e^r - 1 = r + q, result 2 ((u - 1/2) + u r + u q) with u = 2^(n-1).
// Below 2^-54 the result is x. Error below 1.5 ulp.
fn double_expm1(x: vec4<f64>) -> vec4<f64> {
  let c = min(max(x, vec4<f64>(-40.0lf)), vec4<f64>(710.0lf));
  let n = floor(c * 1.4426950408889634lf + 0.5lf);
  let zero = double_zero_bits(n);
  let a = double_hold(c - n * DOUBLE_LN2_H, zero);
  let b = n * DOUBLE_LN2_L;
  let r = double_hold(a - b, zero);
  let rl = double_hold(a - r, zero) - b;
  let q = r * r * double_exp_poly(r) + rl;
  let u = double_power2(n - 1.0lf);
  let v = (double_hold(u - 0.5lf, zero) + u * r) + u * q;
  let keep = double_is_nan(x) | (double_magnitude(x) < vec4<u64>(0x3c90000000000000lu));
  return select(v + v, x, keep);
}

// Splits positive x into m * 2^e with m in [sqrt(1/2), sqrt(2)) and returns (m, e). Subnormal x is normalised through
// 2^52 + its significand. Other arguments give unspecified numbers.
fn double_log_split(x: vec4<f64>) -> double_pair {
  let u = bitcast<vec4<u64>>(x);
  let tiny = u < vec4<u64>(0x0010000000000000lu);
  let whole = bitcast<vec4<f64>>(u | vec4<u64>(0x4330000000000000lu)) - 4503599627370496.0lf;
  let w = select(u, bitcast<vec4<u64>>(whole), tiny) - vec4<u64>(0x3fe6a09e667f3bcdlu);
  let k = vec4<i32>(bitcast<vec4<i64>>(w) >> vec4<u32>(52u)) - select(vec4<i32>(0), vec4<i32>(1074), tiny);
  let m = bitcast<vec4<f64>>((w & vec4<u64>(0x000ffffffffffffflu)) + vec4<u64>(0x3fe6a09e667f3bcdlu));
  return double_pair(m, vec4<f64>(k));
}

// Puts the special values of a logarithm in place of r: -inf at 0, inf at inf, NaN at negative numbers and NaN.
fn double_log_special(x: vec4<f64>, r: vec4<f64>) -> vec4<f64> {
  let u = bitcast<vec4<u64>>(x);
  var s = select(vec4<u64>(0x7ff8000000000000lu), u, u == vec4<u64>(0x7ff0000000000000lu));
  s = select(s, vec4<u64>(0xfff0000000000000lu), double_magnitude(x) == vec4<u64>(0lu));
  let ordinary = (u - vec4<u64>(1lu)) < vec4<u64>(0x7feffffffffffffflu);
  return bitcast<vec4<f64>>(select(s, bitcast<vec4<u64>>(r), ordinary));
}

// (atanh(s) / s - 1 - z/3) / z^2 for z = s^2 <= 0.02945; error 2^-66 relative to atanh(s) / s.
fn double_log_poly(z: vec4<f64>) -> vec4<f64> {
  var p = z * 0.06598090991061595lf + 0.06628419238457567lf;
  p = p * z + 0.07693378116650958lf;
  p = p * z + 0.09090892197727173lf;
  p = p * z + 0.1111111125977356lf;
  p = p * z + 0.14285714285050988lf;
  return p * z + 0.20000000000001125lf;
}

// log(1 + f) - f + f^2/2 for 1 + f in [sqrt(1/2), sqrt(2)): with s = f / (2 + f) it is s (f^2/2 + R),
// R = 2 (atanh(s) / s - 1).
fn double_log_rest(f: vec4<f64>) -> vec4<f64> {
  let s = f / (f + 2.0lf);
  let z = s * s;
  return s * (f * f * 0.5lf + z * (z * double_log_poly(z) * 2.0lf + 0.6666666666666666lf));
}

// Natural logarithm: x = (1 + f) 2^e, log x = e ln 2 + f - f^2/2 + the rest, small terms first. Error below 0.9 ulp.
fn double_log(x: vec4<f64>) -> vec4<f64> {
  let s = double_log_split(x);
  let f = s.h - 1.0lf;
  let y = (double_log_rest(f) + s.l * DOUBLE_LN2_L) - f * f * 0.5lf;
  return double_log_special(x, (f + y) + s.l * DOUBLE_LN2_H);
}

// log(1 + x) for -1 < x < inf: u = 1 + x rounded, c its rounding error, u = (1 + f) 2^e, and c 2^-e / (1 + f) is added
// to the series of log(1 + f). Error below 1 ulp for |x| >= 2^-54; x = -0 gives +0.
fn double_log1p_finite(x: vec4<f64>) -> vec4<f64> {
  let u = x + 1.0lf;
  let s = double_log_split(u);
  let e = s.l;
  let zero = double_zero_bits(e);
  let uh = double_hold(u, zero);
  let one = vec4<f64>(1.0lf);
  let big = x > one;
  let c = select(x, one, big) - double_hold(uh - select(one, x, big), zero);
  let scale = vec4<i64>(0x3ff0000000000000li) + (bitcast<vec4<i64>>(s.h) - bitcast<vec4<i64>>(u));
  let d = c * bitcast<vec4<f64>>(max(scale, vec4<i64>(0li)));
  let f = s.h - 1.0lf;
  let t = double_log_rest(f) + (d * ((1.0lf - f) + f * f) + e * DOUBLE_LN2_L);
  let y = double_hold(t - f * f * 0.5lf, zero);
  return (f + y) + e * DOUBLE_LN2_H;
}

// log(1 + x), see double_log1p_finite; below 2^-54 the result is x. Error below 1 ulp.
fn double_log1p(x: vec4<f64>) -> vec4<f64> {
  let r = double_log_special(x + 1.0lf, double_log1p_finite(x));
  return select(r, x, double_magnitude(x) < vec4<u64>(0x3c90000000000000lu));
}

// log(x) / log(base) given 1 / log(base) as kh + kl with kh of 26 bits, and log(2) / log(base) as eh + el with eh of 42
// bits: f - f^2/2 is cut to 26 bits, so that the leading products are exact.
fn double_log_based(x: vec4<f64>, kh: f64, kl: f64, eh: f64, el: f64) -> vec4<f64> {
  let s = double_log_split(x);
  let zero = double_zero_bits(s.l);
  let f = s.h - 1.0lf;
  let g = f * f * 0.5lf;
  let h = double_high(f - g);
  let l = (double_hold(f - h, zero) - g) + double_log_rest(f);
  let a = s.l * eh;
  let b = h * kh;
  let w = double_hold(a + b, zero);
  let y = (l * kh + (h + l) * kl) + s.l * el;
  return double_log_special(x, w + (y + double_hold(double_hold(a - w, zero) + b, zero)));
}

// Logarithm to base 2. Error below 0.9 ulp.
fn double_log2(x: vec4<f64>) -> vec4<f64> {
  return double_log_based(x, 1.4426950216293335lf, 1.9259629911266175e-08lf, 1.0lf, 0.0lf);
}

// Logarithm to base 10. Error below 0.8 ulp.
fn double_log10(x: vec4<f64>) -> vec4<f64> {
  return double_log_based(x, 0.4342944771051407lf, 4.798111141615973e-09lf, 0.30102999566383914lf, 1.42050232272661e-13lf);
}
