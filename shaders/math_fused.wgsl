// Functions of math_*.wgsl where `fma` rounds once: the rounding error of a product is one more step. A product whose error
// is computed goes through math_hold, so that no compiler leaves it unrounded in a sum.

// x - n ln 2 for an integer n below 2^9 in magnitude: ln 2 in two parts, the first of 24 bits.
fn math_reduce_ln2(x: vec4<f32>, n: vec4<f32>) -> vec4<f32> {
  return fma(n, vec4<f32>(1.9046542e-9), fma(n, vec4<f32>(-0.6931472), x));
}

// log2 of m from sqrt(1/2) to sqrt(2) as a sum (high, low), relative error below 2^-38: s + sl = (m - 1) / (m + 1), and
// log m = (2/3) (s + sl) (3 + s^2 + s^4 R(s^2)).
fn math_log2_parts(m: vec4<f32>, zero: vec4<u32>) -> mat2x4<f32> {
  let f = m - 1.0;
  let d = math_hold(m + 1.0, zero);
  let recip = 1.0 / d;
  let s = f * recip;
  let sl = fma(-s, m - math_hold(d - 1.0, zero), fma(-s, d, f)) * recip;
  let z = math_hold(s * s, zero);
  let r = fma(z * z, fma(fma(z, vec4<f32>(0.3513021), vec4<f32>(0.42820618)), z, vec4<f32>(0.6000023)),
    fma(s, s, -z) + 2.0 * s * sl);
  let th = math_hold(z + 3.0, zero);
  let tl = (z - math_hold(th - 3.0, zero)) + r;
  let u = s * th;
  let v = fma(s, th, -u) + fma(sl, th, tl * s);
  let high = math_hold(u * 0.9617967, zero);
  let low = fma(u, vec4<f32>(0.9617967), -high) + fma(u, vec4<f32>(-7.0284618e-9), v * 0.9617967);
  return mat2x4<f32>(high, low);
}

// Logarithm to base 2, as in math_exp_log.wgsl. Error below 1.2 ulp.
fn precise_log2(x: vec4<f32>) -> vec4<f32> {
  let s = math_log_split(x);
  let f = s[0] - 1.0;
  let z = f * f;
  let w = f * z * math_log_poly(f) - 0.5 * z;
  let zero = math_zero_bits(s[1]);
  let h = math_hold(f * 1.442695, zero);
  let y = fma(w, vec4<f32>(1.442695), fma(f, vec4<f32>(1.442695), -h) + f * 1.925963e-8);
  let sum = math_hold(s[1] + h, zero);
  return math_log_special(x, sum + (math_hold(h - math_hold(sum - s[1], zero), zero) + y));
}

// x^y, as in math_pow.wgsl. Four positive finite x whose powers are normal numbers have no special cases: 2^n goes into the
// exponent field. Error below 1.3 ulp, measured on random pairs.
fn precise_pow(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
  let split = math_log_split(abs(x));
  let e = split[1];
  let zero = math_zero_bits(e);
  let l = math_log2_parts(split[0], zero);
  let high = math_hold(e + l[0], zero);
  let low = (l[0] - math_hold(high - e, zero)) + l[1];
  let ph = math_hold(y * high, zero);
  let pl = fma(y, low, fma(y, high, -ph));
  let p = ph + pl;
  let n = round(p);
  let power = math_exp2_poly(math_hold(ph - n, math_zero_bits(n)) + pl);
  // |p| below 126.
  let normal = (bitcast<vec4<u32>>(p) & vec4<u32>(0x7fffffffu)) < vec4<u32>(0x42fc0000u);
  if all(((bitcast<vec4<u32>>(x) - vec4<u32>(1u)) < vec4<u32>(0x7f7fffffu)) & normal) {
    return bitcast<vec4<f32>>(bitcast<vec4<i32>>(power) + (vec4<i32>(n) << vec4<u32>(23u)));
  }
  return math_pow_special(x, y, high, p, math_scale_pow2(power, math_whole(n)));
}

// x^y with its special cases: `magnitude` is 2^p unless |p| is 152 or more, and `high` has the sign of log2 |x|.
fn math_pow_special(x: vec4<f32>, y: vec4<f32>, high: vec4<f32>, p: vec4<f32>, magnitude: vec4<f32>) -> vec4<f32> {
  let ix = bitcast<vec4<i32>>(x);
  let iy = bitcast<vec4<i32>>(y);
  let ax = ix & vec4<i32>(0x7fffffff);
  let ay = iy & vec4<i32>(0x7fffffff);
  let inf = vec4<i32>(0x7f800000);
  let one = vec4<i32>(0x3f800000);
  // |p| of at least 152, infinite or NaN.
  let far = (bitcast<vec4<i32>>(p) & vec4<i32>(0x7fffffff)) >= vec4<i32>(0x43180000);
  let saturated = select(inf, vec4<i32>(0), (bitcast<vec4<i32>>(high) ^ iy) < vec4<i32>(0));
  var r = select(bitcast<vec4<i32>>(magnitude), saturated, far | (ax == vec4<i32>(0)) | (ax >= inf));
  // Below 1 none is whole, also where the adapter takes a subnormal one for 0.
  let fy = abs(y);
  let whole = (floor(fy) == fy) & (ay >= one);
  let half = fy * 0.5;
  let odd = whole & (floor(half) < half);
  let negative = ix < vec4<i32>(0);
  r = r | select(vec4<i32>(0), vec4<i32>(-2147483647 - 1), negative & odd);
  let bad = negative & !whole & (ax != vec4<i32>(0)) & (ax < inf);
  r = select(r, vec4<i32>(0x7fc00000), bad | (ax > inf) | (ay > inf));
  let unit = (ix == one) | (ay == vec4<i32>(0)) | ((ax == one) & (ay == inf));
  return bitcast<vec4<f32>>(select(r, one, unit));
}
