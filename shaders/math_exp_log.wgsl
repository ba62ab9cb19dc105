// Exponentials, logarithms and square root on vec4<f32>. In all math_*.wgsl an error is the worst over every f32 argument,
// in units in the last place (ulp), and holds whether or not the driver contracts a*b+c: error-free steps use operands of
// few bits, so their products are exact. Infinities, NaNs and signed zeros are as in C99. On an adapter that flushes
// subnormals, normal results keep the bounds and subnormal results may be zero.

// v itself. `zero` holds zero bits that no compiler can prove to be zero (low bits of the float of a small integer), so
// the value is opaque to algebraic rewriting: compilers that treat float addition as associative (Mesa, Metal) cannot
// merge the terms on the two sides of it.
fn math_hold(v: vec4<f32>, zero: vec4<u32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | zero);
}

// Zero bits for math_hold out of a float n that is an integer below 2^12 in magnitude.
fn math_zero_bits(n: vec4<f32>) -> vec4<u32> {
  return bitcast<vec4<u32>>(n) & vec4<u32>(0x7ffu);
}

// The integer n below 2^22 in magnitude, out of its bits: a conversion would be clamped first.
fn math_whole(n: vec4<f32>) -> vec4<i32> {
  return bitcast<vec4<i32>>(n + 12582912.0) - vec4<i32>(0x4b400000);
}

// x - n ln 2 for an integer n below 2^9 in magnitude: ln 2 in two parts, the first of 9 bits, so n times it is exact.
fn math_reduce_ln2(x: vec4<f32>, n: vec4<f32>) -> vec4<f32> {
  return math_hold(x - n * 0.693359375, math_zero_bits(n)) + n * 2.1219444e-4;
}

// y * 2^n for |y| in [0.5, 2] and n in [-152, 152]: half of n goes into the exponent field of y, the other half
// into one multiplication, so overflow gives infinity and a subnormal result is rounded once.
fn math_scale_pow2(y: vec4<f32>, n: vec4<i32>) -> vec4<f32> {
  let h = n >> vec4<u32>(1u);
  let a = bitcast<vec4<f32>>(bitcast<vec4<i32>>(y) + ((n - h) << vec4<u32>(23u)));
  return a * bitcast<vec4<f32>>((h + vec4<i32>(127)) << vec4<u32>(23u));
}

// true where x is a NaN, decided on the bits.
fn math_is_nan(x: vec4<f32>) -> vec4<bool> {
  return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
}

// e^r for |r| <= 0.3467, minimax polynomial of degree 6 with 1 and r exact; approximation error 2^-28.2 relative.
fn math_exp_poly(r: vec4<f32>) -> vec4<f32> {
  var p = r * 0.0013820734 + 0.008368677;
  p = p * r + 0.041668266;
  p = p * r + 0.16666521;
  p = p * r + 0.49999994;
  p = p * r + 1.0;
  return p * r + 1.0;
}

// e^x with x clamped to [-104, 89]: n = round(x / ln 2), r = x - n ln 2, polynomial in r, scaling
// by 2^n. A NaN gives an unspecified number. Error below 1.2 ulp.
fn math_exp_clamped(x: vec4<f32>) -> vec4<f32> {
  let c = min(max(x, vec4<f32>(-104.0)), vec4<f32>(89.0));
  let n = round(c * 1.442695);
  let r = math_reduce_ln2(c, n);
  return math_scale_pow2(math_exp_poly(r), math_whole(n));
}

// e^x for |x| <= 87, where the result is normal: as math_exp_clamped with 2^n added to the exponent field.
// Error below 1.2 ulp.
fn math_exp_middle(x: vec4<f32>) -> vec4<f32> {
  let n = round(x * 1.442695);
  let r = math_reduce_ln2(x, n);
  return bitcast<vec4<f32>>(bitcast<vec4<i32>>(math_exp_poly(r)) + (vec4<i32>(n) << vec4<u32>(23u)));
}

// e^x. Reduction by multiples of ln 2 and a polynomial (math_exp_clamped). Error below 1.2 ulp, subnormal results included.
fn precise_exp(x: vec4<f32>) -> vec4<f32> {
  return select(math_exp_clamped(x), x, math_is_nan(x));
}

// Splits a positive normal number with the bits u into m * 2^e with m in [sqrt(1/2), sqrt(2)) and returns (m, e). Above its
// significand u may have any integer.
fn math_split(u: vec4<u32>) -> mat2x4<f32> {
  let w = u - vec4<u32>(0x3f3504f3u);
  let e = vec4<f32>(bitcast<vec4<i32>>(w) >> vec4<u32>(23u));
  return mat2x4<f32>(bitcast<vec4<f32>>((w & vec4<u32>(0x007fffffu)) + vec4<u32>(0x3f3504f3u)), e);
}

// The same of positive x. Subnormal x is normalised by an integer to float conversion of its significand. Other arguments
// give unspecified numbers.
fn math_log_split(x: vec4<f32>) -> mat2x4<f32> {
  let u = bitcast<vec4<u32>>(x);
  let tiny = u < vec4<u32>(0x00800000u);
  let v = select(u, bitcast<vec4<u32>>(vec4<f32>(bitcast<vec4<i32>>(u))), tiny);
  let split = math_split(v);
  return mat2x4<f32>(split[0], split[1] - select(vec4<f32>(0.0), vec4<f32>(149.0), tiny));
}

// Puts the special values of a logarithm in place of r: -inf at 0, inf at inf, NaN at negative numbers and NaN.
fn math_log_special(x: vec4<f32>, r: vec4<f32>) -> vec4<f32> {
  let u = bitcast<vec4<u32>>(x);
  var s = select(vec4<u32>(0x7fc00000u), u, u == vec4<u32>(0x7f800000u));
  s = select(s, vec4<u32>(0xff800000u), (u << vec4<u32>(1u)) == vec4<u32>(0u));
  let ordinary = (u - vec4<u32>(1u)) < vec4<u32>(0x7f7fffffu);
  return bitcast<vec4<f32>>(select(s, bitcast<vec4<u32>>(r), ordinary));
}

// (log(1 + f) - f + f^2/2) / f^3 on [sqrt(1/2) - 1, sqrt(2) - 1]; error 2^-30.2 relative to log(1 + f).
fn math_log_poly(f: vec4<f32>) -> vec4<f32> {
  var p = f * 0.06749857 - 0.11671176;
  p = p * f + 0.118838735;
  p = p * f - 0.124061145;
  p = p * f + 0.14220311;
  p = p * f - 0.16667992;
  p = p * f + 0.20002073;
  p = p * f - 0.2500001;
  return p * f + 0.33333313;
}

// Natural logarithm: x = (1 + f) 2^e, log x = e ln 2 + f - f^2/2 + f^3 P(f), small terms first. Error below 0.9 ulp.
fn precise_log(x: vec4<f32>) -> vec4<f32> {
  let s = math_log_split(x);
  let f = s[0] - 1.0;
  let z = f * f;
  let y = (f * z * math_log_poly(f) - s[1] * 2.1219444e-4) - 0.5 * z;
  return math_log_special(x, (f + y) + s[1] * 0.693359375);
}

// 2^f for |f| <= 1/2, minimax polynomial of degree 6, approximation error 2^-28.3 relative.
fn math_exp2_poly(f: vec4<f32>) -> vec4<f32> {
  var p = f * 1.5327819e-4 + 0.0013390997;
  p = p * f + 0.009618503;
  p = p * f + 0.055503596;
  p = p * f + 0.24022648;
  p = p * f + 0.6931472;
  return p * f + 1.0;
}

// 2^x: n = round(x), polynomial in x - n (exact), scaling by 2^n. Error below 1.1 ulp, subnormal results included.
fn precise_exp2(x: vec4<f32>) -> vec4<f32> {
  let c = min(max(x, vec4<f32>(-151.0)), vec4<f32>(129.0));
  let n = round(c);
  let r = math_scale_pow2(math_exp2_poly(c - n), math_whole(n));
  return select(r, x, math_is_nan(x));
}

// true where |x| is below the number with the bits `least`, or infinite, or NaN (one unsigned range check).
fn math_is_outside(x: vec4<f32>, least: u32) -> vec4<bool> {
  let lo = vec4<u32>(least);
  return ((bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) - lo) >= (vec4<u32>(0x7f800000u) - lo);
}

// e^x - 1: x = n ln 2 + r + rl, e^r - 1 = r + q, result 2 ((u - 1/2) + u r + u q) with u = 2^(n-1).
// Below 2^-25 the result is x. Error below 1.4 ulp.
fn precise_expm1(x: vec4<f32>) -> vec4<f32> {
  let c = min(max(x, vec4<f32>(-26.0)), vec4<f32>(89.0));
  let n = round(c * 1.442695);
  let zero = math_zero_bits(n);
  let a = math_hold(c - n * 0.693359375, zero);
  let b = n * 2.1219444e-4;
  let r = math_hold(a + b, zero);
  let rl = math_hold(a - r, zero) + b;
  var p = r * 0.0013820734 + 0.008368677;
  p = p * r + 0.041668266;
  p = p * r + 0.16666521;
  p = p * r + 0.49999994;
  let q = r * r * p + rl;
  let u = bitcast<vec4<f32>>((vec4<i32>(n) + vec4<i32>(126)) << vec4<u32>(23u));
  let v = (math_hold(u - 0.5, zero) + u * r) + u * q;
  return select(v + v, x, math_is_nan(x) | (abs(x) < vec4<f32>(2.9802322e-8)));
}

// log(1 + x) for -1 < x < inf: u = 1 + x rounded, c its rounding error, u = (1 + f) 2^e, and c 2^-e / (1 + f) is added
// to the series of log(1 + f). Error below 1 ulp for |x| >= 2^-25; x = -0 gives +0.
fn math_log1p_finite(x: vec4<f32>) -> vec4<f32> {
  let u = x + 1.0;
  let s = math_log_split(u);
  let scale = vec4<i32>(0x3f800000) + (bitcast<vec4<i32>>(s[0]) - bitcast<vec4<i32>>(u));
  let e = s[1];
  let zero = math_zero_bits(e);
  let uh = math_hold(u, zero);
  let one = vec4<f32>(1.0);
  let big = x > one;
  let c = select(x, one, big) - math_hold(uh - select(one, x, big), zero);
  let d = c * bitcast<vec4<f32>>(max(scale, vec4<i32>(0)));
  let f = s[0] - 1.0;
  let z = f * f;
  let t = d * ((1.0 - f) + z) - e * 2.1219444e-4;
  let y = math_hold((f * z * math_log_poly(f) + t) - 0.5 * z, zero);
  return (f + y) + e * 0.693359375;
}

// log(1 + x), see math_log1p_finite; below 2^-25 the result is x. Error below 1 ulp.
fn precise_log1p(x: vec4<f32>) -> vec4<f32> {
  let r = math_log_special(x + 1.0, math_log1p_finite(x));
  return select(r, x, abs(x) < vec4<f32>(2.9802322e-8));
}

// log2(e), log10(e) and log10(2), each as a number of 12 bits and the rest.
const MATH_LOG2E_H: f32 = 1.4423828;
const MATH_LOG2E_L: f32 = 3.122284e-4;
const MATH_LOG10E_H: f32 = 0.4342041;
const MATH_LOG10E_L: f32 = 9.038034e-5;
const MATH_LOG102_H: f32 = 0.3010254;
const MATH_LOG102_L: f32 = 4.605039e-6;

// Logarithm to base 2: x = (1 + f) 2^e, f = fh + fl, and fh times the leading 12 bits of log2(e) is exact.
// Error below 1.2 ulp.
fn precise_log2(x: vec4<f32>) -> vec4<f32> {
  let s = math_log_split(x);
  let f = s[0] - 1.0;
  let zero = math_zero_bits(s[1]);
  let z = f * f;
  let w = f * z * math_log_poly(f) - 0.5 * z;
  let fh = bitcast<vec4<f32>>(bitcast<vec4<u32>>(f) & vec4<u32>(0xfffff000u));
  let fl = math_hold(f - fh, zero);
  let y = (fl * MATH_LOG2E_H + f * MATH_LOG2E_L) + w * 1.442695;
  return math_log_special(x, math_hold(s[1] + fh * MATH_LOG2E_H, zero) + math_hold(y, zero));
}

// Logarithm to base 10: as precise_log2, with e log10(2) in two parts of which the first product is exact.
// Error below 1.6 ulp.
fn precise_log10(x: vec4<f32>) -> vec4<f32> {
  let s = math_log_split(x);
  let f = s[0] - 1.0;
  let zero = math_zero_bits(s[1]);
  let e = s[1];
  let z = f * f;
  let w = f * z * math_log_poly(f) - 0.5 * z;
  let fh = bitcast<vec4<f32>>(bitcast<vec4<u32>>(f) & vec4<u32>(0xfffff000u));
  let fl = math_hold(f - fh, zero);
  let y = ((fl * MATH_LOG10E_H + f * MATH_LOG10E_L) + w * 0.4342945) + e * MATH_LOG102_L;
  return math_log_special(x, math_hold(e * MATH_LOG102_H + fh * MATH_LOG10E_H, zero) + math_hold(y, zero));
}

// Square root: x = m 4^h with m in [1/2, 2), one correction of the builtin with an exact residual, so the error of the
// builtin does not matter; h goes back into the exponent field. Subnormal x is normalised on its bits.
// Correctly rounded where the builtin is.
fn precise_sqrt(x: vec4<f32>) -> vec4<f32> {
  let u = bitcast<vec4<u32>>(x);
  let tiny = u < vec4<u32>(0x00800000u);
  let v = select(u, bitcast<vec4<u32>>(vec4<f32>(bitcast<vec4<i32>>(u)) * 2.0), tiny);
  let m = bitcast<vec4<f32>>((v & vec4<u32>(0x00ffffffu)) + vec4<u32>(0x3f000000u));
  let h = bitcast<vec4<i32>>(v >> vec4<u32>(24u)) - select(vec4<i32>(63), vec4<i32>(138), tiny);
  let s = sqrt(m);
  let sh = bitcast<vec4<f32>>(bitcast<vec4<u32>>(s) & vec4<u32>(0xfffff000u));
  let sl = s - sh;
  // Held, since a factor that came into a sum, or out of two products, would round the exact ones. The sign of x is 0 where the
  // root is used.
  let none = u & vec4<u32>(0x80000000u);
  let d = math_hold(math_hold((m - sh * sh) - (sh + sh) * sl, none) - sl * sl, none);
  // A little less than half of d / s, so that the root just below 1, which is almost between two floats, stays there.
  let r = bitcast<vec4<i32>>(s + d * 0.49999997 / s) + (h << vec4<u32>(23u));
  let ordinary = (u - vec4<u32>(1u)) < vec4<u32>(0x7f7fffffu);
  let keep = ((u << vec4<u32>(1u)) == vec4<u32>(0u)) | (u == vec4<u32>(0x7f800000u));
  return bitcast<vec4<f32>>(select(select(vec4<u32>(0x7fc00000u), u, keep), bitcast<vec4<u32>>(r), ordinary));
}
