// Functions of math_*.wgsl where `fma` rounds once: the rounding error of a product is one more step. What a compiler may
// not move is written as `fma` with float_one, which costs what the sum does.

// x - n ln 2 for an integer n below 2^9 in magnitude: ln 2 in two parts, the first of 24 bits.
fn math_reduce_ln2(x: vec4<f32>, n: vec4<f32>) -> vec4<f32> {
  return fma(n, vec4<f32>(1.9046542e-9), fma(n, vec4<f32>(-0.6931472), x));
}

// 1 that no compiler knows: a sum written as a product by it and a sum is computed as it stands.
fn float_one() -> vec4<f32> {
  return vec4<f32>(bitcast<f32>(table.zero | 0x3f800000u));
}

// The same of -0: a product with it added is rounded.
fn float_minus_zero() -> vec4<f32> {
  return vec4<f32>(bitcast<f32>(table.zero | 0x80000000u));
}

// log2 of m from sqrt(1/2) to sqrt(2) as a sum (high, low), relative error about 2^-34: s + sl = (m - 1) / (m + 1),
// z + zl its square, and log2 m = (s + sl) (C + (z + zl) c3 + z^2 R(z)), C and c3 in two parts.
fn math_log2_parts(m: vec4<f32>) -> mat2x4<f32> {
  let one = float_one();
  let f = m - 1.0;
  let recip = 1.0 / (m + 1.0);
  let s = f * recip;
  let sl = fma(-s, f, fma(vec4<f32>(-2.0), s, f)) * recip;
  let z = s * s;
  let zl = fma(s + s, sl, fma(s, s, -z));
  let q = fma(z, vec4<f32>(0.9617967), vec4<f32>(2.88539));
  let r = fma(z, fma(z, vec4<f32>(0.3378676), vec4<f32>(0.4118477)), vec4<f32>(0.5770802));
  let ql = fma(fma(z, vec4<f32>(0.9617967), fma(-q, one, vec4<f32>(2.88539))), one,
    fma(zl, vec4<f32>(0.9617967), fma(z, fma(z, r, vec4<f32>(-7.0284618e-9)), vec4<f32>(3.851926e-8))));
  let high = s * q;
  let low = fma(fma(s, q, -high), one, fma(sl, q, s * ql));
  return mat2x4<f32>(high, low);
}

// Logarithm to base 2, as in math_exp_log.wgsl. Error below 1.2 ulp.
fn precise_log2(x: vec4<f32>) -> vec4<f32> {
  let s = math_log_split(x);
  let one = float_one();
  let f = s[0] - 1.0;
  let z = f * f;
  let w = f * z * math_log_poly(f) - 0.5 * z;
  let h = f * 1.442695;
  let y = fma(w, vec4<f32>(1.442695), fma(f, vec4<f32>(1.925963e-8), fma(f, vec4<f32>(1.442695), -h)));
  let sum = fma(s[1], one, h);
  return math_log_special(x, fma(sum, one, fma(fma(fma(-sum, one, s[1]), one, h), one, y)));
}

// x^y, as in math_pow.wgsl. Four positive normal x whose powers are normal numbers have no special cases: 2^n goes into the
// exponent field. Error below 1.3 ulp, measured on random pairs.
fn precise_pow(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
  var u = bitcast<vec4<u32>>(x);
  let are_usual = all((u - vec4<u32>(0x00800000u)) < vec4<u32>(0x7f000000u));
  if !are_usual {
    // The integer of a subnormal x is x times 2^149.
    u &= vec4<u32>(0x7fffffffu);
    let scaled = bitcast<vec4<u32>>(vec4<f32>(bitcast<vec4<i32>>(u))) - vec4<u32>(149u << 23u);
    u = select(u, scaled, (u - vec4<u32>(1u)) < vec4<u32>(0x007fffffu));
  }
  let split = math_split(u);
  let e = split[1];
  let one = float_one();
  let l = math_log2_parts(split[0]);
  let high = fma(e, one, l[0]);
  let low = fma(fma(fma(-high, one, e), one, l[0]), one, l[1]);
  let p = y * high;
  // The nearest whole number, also in the last bits of the sum.
  let sum = fma(p, one, vec4<f32>(12582912.0));
  let n = fma(sum, one, vec4<f32>(-12582912.0));
  let power = math_exp2_poly(fma(fma(p, one, -n), one, fma(y, low, fma(y, high, -p))));
  if are_usual && all(abs(p) < vec4<f32>(125.0)) {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(power) + (bitcast<vec4<u32>>(sum) << vec4<u32>(23u)));
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
