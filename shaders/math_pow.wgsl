// Powers and roots on vec4<f32>.

// Rounds towards zero to 12 significant bits, so that the product of two such numbers is exact.
fn math_high12(x: vec4<f32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) & vec4<u32>(0xfffff000u));
}

// Rounds towards zero to 11 significant bits.
fn math_high11(x: vec4<f32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) & vec4<u32>(0xffffe000u));
}

// log2 of positive finite x as a sum (high, low), high of at most 12 bits, relative error about 2^-34. At 0 high is some
// negative number, at infinity some positive one.
// x = m 2^e, s = (m - 1) / (m + 1) as a two part quotient, log m = (2/3) s (3 + s^2 + s^4 R(s^2)); all leading
// products are of numbers with at most 12 bits, so they are exact with or without contraction.
fn math_log2_pair(x: vec4<f32>) -> mat2x4<f32> {
  let split = math_log_split(x);
  let m = split[0];
  let f = m - 1.0;
  let mh = math_high11(m);
  let recip = 1.0 / (m + 1.0);
  let s = f * recip;
  let sh = math_high11(s);
  let e = split[1];
  let zero = math_zero_bits(e);
  let sl = (math_hold(f - sh * (mh + 1.0), zero) - sh * (m - mh)) * recip;
  let z = s * s;
  let sh2 = sh * sh;
  let r = z * z * ((z * 0.3513021 + 0.42820618) * z + 0.6000023) + sl * (sh + s);
  let th = math_high12((sh2 + 3.0) + r);
  let tl = r - (math_hold(th - 3.0, zero) - sh2);
  let u = sh * th;
  let v = sl * th + tl * s;
  let ph = math_high12(u + v);
  let pl = v - math_hold(ph - u, zero);
  let zh = ph * 0.9616699;
  let zl = ph * 1.2677205e-4 + pl * 0.9617967;
  let high = math_high12((e + zh) + zl);
  return mat2x4<f32>(high, zl - math_hold(math_hold(high - e, zero) - zh, zero));
}

// x^y with the C99 special cases: 1 for y = 0 and for x = 1 even with a NaN, signed zero and infinity for odd integer y,
// NaN for a negative finite base with a non-integer exponent. The magnitude is 2^(y log2 |x|), with the product of y and the
// two part logarithm kept in two parts; where that leaves f32, and for zero and infinite x, the sign of the product tells
// whether it is 0 or infinite.
// Error below 1.3 ulp, measured on random pairs (1.5 with a divide of 2.5 ulp).
fn precise_pow(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> {
  // Magnitudes are compared as signed integers, which more adapters have in one instruction.
  let ix = bitcast<vec4<i32>>(x);
  let iy = bitcast<vec4<i32>>(y);
  let ax = ix & vec4<i32>(0x7fffffff);
  let ay = iy & vec4<i32>(0x7fffffff);
  let inf = vec4<i32>(0x7f800000);
  let one = vec4<i32>(0x3f800000);
  let l = math_log2_pair(bitcast<vec4<f32>>(ax));
  let yh = math_high12(y);
  let ph = yh * l[0];
  let pl = (y - yh) * l[0] + y * l[1];
  let p = ph + pl;
  let n = round(p);
  let f = math_hold(ph - n, math_zero_bits(n)) + pl;
  let magnitude = math_scale_pow2(math_exp2_poly(f), math_whole(n));
  // |p| of at least 152, infinite or NaN.
  let far = (bitcast<vec4<i32>>(p) & vec4<i32>(0x7fffffff)) >= vec4<i32>(0x43180000);
  let saturated = select(inf, vec4<i32>(0), (bitcast<vec4<i32>>(l[0]) ^ iy) < vec4<i32>(0));
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

// Cube root: a third of the exponent field, to 3.5 %, then three Newton steps on the magnitude, which squares the error each
// time. The integer of a subnormal x is x times 2^149. Error below 1.7 ulp (2.5 with a divide of 2.5 ulp).
fn precise_cbrt(x: vec4<f32>) -> vec4<f32> {
  let u = bitcast<vec4<u32>>(x);
  let mx = u & vec4<u32>(0x7fffffffu);
  let tiny = mx < vec4<u32>(0x00800000u);
  let a = select(bitcast<vec4<f32>>(mx), vec4<f32>(mx) * 2.0, tiny);
  var r = bitcast<vec4<f32>>(bitcast<vec4<u32>>(a) / vec4<u32>(3u) + vec4<u32>(0x2a5119f2u));
  r = r - (r - a / (r * r)) * 0.33333334;
  r = r - (r - a / (r * r)) * 0.33333334;
  r = r - (r - a / (r * r)) * 0.33333334;
  r = r * select(vec4<f32>(1.0), vec4<f32>(8.881784e-16), tiny);
  let root = bitcast<vec4<u32>>(r) | (u & vec4<u32>(0x80000000u));
  return bitcast<vec4<f32>>(select(root, u, (mx == vec4<u32>(0u)) | (mx >= vec4<u32>(0x7f800000u))));
}

// Root of a sum of two squares. Both are scaled by a power of 2 where a square that counts would leave the range; the integer
// of a subnormal number is that number times 2^149. Infinite beside an infinity, be the other a NaN. Error below 1.5 ulp.
fn precise_hypot(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let inf = vec4<u32>(0x7f800000u);
  let ma = bitcast<vec4<u32>>(a) & vec4<u32>(0x7fffffffu);
  let mb = bitcast<vec4<u32>>(b) & vec4<u32>(0x7fffffffu);
  let hi = max(ma, mb);
  let large = hi >= vec4<u32>(0x5f000000u);
  let small = hi < vec4<u32>(0x26800000u);
  let scale = select(select(vec4<f32>(1.0), vec4<f32>(1.2379401e27), small), vec4<f32>(1.3552527e-20), large);
  let back = select(select(vec4<f32>(1.0), vec4<f32>(8.077936e-28), small), vec4<f32>(73786976294838206464.0), large);
  let normal = vec4<u32>(0x00800000u);
  let sa = select(bitcast<vec4<f32>>(ma) * scale, vec4<f32>(ma) * 1.7347235e-18, small & (ma < normal));
  let sb = select(bitcast<vec4<f32>>(mb) * scale, vec4<f32>(mb) * 1.7347235e-18, small & (mb < normal));
  let r = bitcast<vec4<u32>>(precise_sqrt(sa * sa + sb * sb) * back);
  let known = select(select(r, vec4<u32>(0x7fc00000u), hi > inf), inf, (ma == inf) | (mb == inf));
  return bitcast<vec4<f32>>(known);
}
