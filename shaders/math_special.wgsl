// Error function, activation functions and floating-point remainder on vec4<f32>.

// erf: x (1 + P(x^2)) below 0.85, otherwise 1 - e^Q(|x|) with Q approximating log erfc on [0.85, 4].
// Error below 1.7 ulp (2.6 where the compiler merges the last two constants of the polynomial).
fn precise_erf(x: vec4<f32>) -> vec4<f32> {
  let ax = abs(x);
  let z = x * x;
  var p = z * -6.3485187e-4 + 0.0050577037;
  p = p * z - 0.026807288;
  p = p * z + 0.11282865;
  p = p * z - 0.3761259;
  p = p * z + 0.12837917;
  let w = min(ax, vec4<f32>(4.0));
  var q = w * 2.0368205e-4 - 0.003117897;
  q = q * w + 0.02251919;
  q = q * w - 0.10452614;
  q = q * w - 0.6365188;
  q = q * w - 1.128061;
  q = q * w - 1.0452155e-4;
  let far = math_copy_sign(1.0 - math_exp_middle(q), x);
  let r = select(far, x * (p + 1.0), ax < vec4<f32>(0.85));
  return select(r, x, math_is_nan(x));
}

// log(1 + e^x) = max(x, 0) + log(1 + e^-|x|). Error below 1.8 ulp.
fn precise_softplus(x: vec4<f32>) -> vec4<f32> {
  let e = math_exp_clamped(-abs(x));
  let l = select(math_log1p_finite(e), e, e < vec4<f32>(2.9802322e-8));
  return select(max(x, vec4<f32>(0.0)) + l, x, math_is_nan(x));
}

// Significand and exponent of e^(a + b) for a in [-127, 0] and |b| below 2^-3: returns (y, n) with y * 2^n.
fn math_exp_parts(a: vec4<f32>, b: vec4<f32>) -> mat2x4<f32> {
  let n = round((a + b) * 1.442695);
  let r = math_hold(a - n * 0.693359375, math_zero_bits(n)) + (n * 2.1219444e-4 + b);
  return mat2x4<f32>(math_exp_poly(r), n);
}

// v * 2^n for normal v and n in [-189, 0], rounded once if the result is subnormal.
fn math_scale_down(v: vec4<f32>, n: vec4<f32>) -> vec4<f32> {
  let k = math_whole(n);
  let h = k >> vec4<u32>(1u);
  let a = bitcast<vec4<f32>>((h + vec4<i32>(127)) << vec4<u32>(23u));
  let b = bitcast<vec4<f32>>((k - h + vec4<i32>(127)) << vec4<u32>(23u));
  return math_hold(v * a, math_zero_bits(n)) * b;
}

// x (1 + erf(x / sqrt 2)) / 2. Below 0.7 in magnitude x/2 (1 + x Q(x^2)). Beyond, g = |x| erfc(|x| / sqrt 2) / 2 is
// e^(-x^2/2) F(t) with F a polynomial in t = (|x| - 4) / (|x| + 4), and the result is x - g or -g. The exponent and
// 1 / (|x| + 4) are formed in two parts and the power of two is applied last, so the far negative tail keeps its
// relative accuracy down to the subnormals. Error below 3.2 ulp.
fn precise_gelu(x: vec4<f32>) -> vec4<f32> {
  let ax = min(abs(x), vec4<f32>(15.0));
  let s = ax * ax;
  let near = ((((s * 2.5578658e-4 - 0.0024120656) * s + 0.0199601) * s - 0.13298213) * s + 0.7978846) * x + 1.0;
  let h = bitcast<vec4<f32>>(bitcast<vec4<u32>>(ax) & vec4<u32>(0xfffff000u));
  let l = ax - h;
  let q = 1.0 / (ax + 4.0);
  let qh = bitcast<vec4<f32>>(bitcast<vec4<u32>>(q) & vec4<u32>(0xffff8000u));
  let e = math_exp_parts(-0.5 * (h * h), -0.5 * (l * (ax + h)));
  let ql = q * (math_hold(1.0 - qh * (h + 4.0), math_zero_bits(e[1])) - qh * l);
  let t = (1.0 - 8.0 * qh) - 8.0 * ql;
  var p = t * 7.734314e-4 - 9.5999404e-4;
  p = p * t - 0.0054746717;
  p = p * t + 0.02643735;
  p = p * t - 0.06306659;
  p = p * t + 0.100307;
  p = p * t - 0.11037959;
  p = p * t + 0.07369425;
  p = p * t + 0.37764257;
  let g = math_scale_down(e[0] * p, e[1]);
  let r = select(max(x, vec4<f32>(0.0)) - g, x * 0.5 * near, ax < vec4<f32>(0.7));
  let keep = math_is_nan(x) | (x > vec4<f32>(15.0));
  return select(math_copy_sign(r, x), x, keep);
}

// x / (1 + e^-2u) with 2u = 2 sqrt(2/pi) (x + 0.044715 x^3), the tanh form of gelu. 2|u| is formed as a two part sum
// through products of 12 bit numbers, and for negative x the power of two is applied last.
// Error below 3.5 ulp (about 5 with a divide of 2.5 ulp).
fn precise_gelu_tanh(x: vec4<f32>) -> vec4<f32> {
  let mask = vec4<u32>(0xfffff000u);
  let ax = min(abs(x), vec4<f32>(11.0));
  let h = bitcast<vec4<f32>>(bitcast<vec4<u32>>(ax) & mask);
  let l = ax - h;
  let z = h * h;
  let zh = bitcast<vec4<f32>>(bitcast<vec4<u32>>(z) & mask);
  let zero = math_zero_bits(round(ax));
  let zl = math_hold(z - zh, zero) + l * (ax + h);
  let c = zh * 0.0713501;
  let g = bitcast<vec4<f32>>(bitcast<vec4<u32>>(c + 1.5957692) & mask);
  let gl = math_hold(math_hold(1.5957031 - g, zero) + c, zero) + (zl * 0.0713501 + ((zh + zl) * 4.7186163e-6 + 6.59966e-5));
  let e = math_exp_parts(-(h * g), -(l * g + ax * gl));
  let negative = bitcast<vec4<u32>>(x) >= vec4<u32>(0x80000000u);
  let q = select(ax, ax * e[0], negative) / (math_scale_down(e[0], e[1]) + 1.0);
  let r = select(q, -math_scale_down(q, e[1]), negative);
  return select(r, x, math_is_nan(x) | (x > vec4<f32>(11.0)));
}

// x tanh(log(1 + e^x)) with t = e^x = y 2^n and d = t^2 + 2 t + 2: x (1 - 2 / d) for x >= 0, x t (1 - t (t + 1) / d)
// below, where the factor 2^n is applied last, so the far negative tail keeps its relative accuracy.
// Error below 3.6 ulp (about 5 with a divide of 2.5 ulp).
fn precise_mish(x: vec4<f32>) -> vec4<f32> {
  let c = min(max(x, vec4<f32>(-112.0)), vec4<f32>(20.0));
  let e = math_exp_parts(c, vec4<f32>(0.0));
  let t = math_scale_down(e[0], e[1]);
  let m = t * (t + 1.0);
  let negative = x < vec4<f32>(0.0);
  let v = select(c, c * e[0], negative);
  let w = v * (1.0 - select(vec4<f32>(2.0), m, negative) / (m + (t + 2.0)));
  let r = math_scale_down(w, select(vec4<f32>(0.0), e[1], negative));
  return select(r, x, math_is_nan(x) | (x > vec4<f32>(20.0)));
}

// C fmodf, exact: the significand of a, shifted left by the difference of the exponents, modulo the significand of b in
// integers, 20 bits a step with a float estimate of the quotient that is off by at most one.
// NaN for b = 0, an infinite a or a NaN; the sign is that of a.
fn precise_fmod(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
  let sign = bitcast<vec4<u32>>(a) & vec4<u32>(0x80000000u);
  let inf = vec4<u32>(0x7f800000u);
  let leading = vec4<u32>(0x00800000u);
  let ua = bitcast<vec4<u32>>(a) ^ sign;
  let ub = bitcast<vec4<u32>>(b) & vec4<u32>(0x7fffffffu);
  let va = select(ua, bitcast<vec4<u32>>(vec4<f32>(bitcast<vec4<i32>>(ua))), ua < leading);
  let vb = select(ub, bitcast<vec4<u32>>(vec4<f32>(bitcast<vec4<i32>>(ub))), ub < leading);
  let ea = bitcast<vec4<i32>>(va >> vec4<u32>(23u)) - select(vec4<i32>(0), vec4<i32>(149), ua < leading);
  let eb = bitcast<vec4<i32>>(vb >> vec4<u32>(23u)) - select(vec4<i32>(0), vec4<i32>(149), ub < leading);
  let mb = (vb & vec4<u32>(0x007fffffu)) | leading;
  let inverse = 1.0 / vec4<f32>(bitcast<vec4<i32>>(mb));
  let bad = (ua >= inf) | (ub > inf) | (ub == vec4<u32>(0u));
  let less = ua < ub;
  var r = (va & vec4<u32>(0x007fffffu)) | leading;
  var d = select(max(ea - eb, vec4<i32>(0)), vec4<i32>(0), bad | less);
  for (var i = 0; i < 15; i++) {
    let k = bitcast<vec4<u32>>(min(d, vec4<i32>(20)));
    let power = bitcast<vec4<f32>>((k + vec4<u32>(127u)) << vec4<u32>(23u));
    let q = vec4<i32>(vec4<f32>(bitcast<vec4<i32>>(r)) * power * inverse);
    var s = (r << k) - bitcast<vec4<u32>>(q) * mb;
    s = s + select(vec4<u32>(0u), mb, s >= vec4<u32>(0x80000000u));
    r = s - select(vec4<u32>(0u), mb, s >= mb);
    d = d - bitcast<vec4<i32>>(k);
    if (all(d <= vec4<i32>(0))) {
      break;
    }
  }
  let f = bitcast<vec4<u32>>(vec4<f32>(bitcast<vec4<i32>>(r)));
  let target_exponent = bitcast<vec4<i32>>(f >> vec4<u32>(23u)) + eb - vec4<i32>(150);
  let normal = f + (bitcast<vec4<u32>>(eb - vec4<i32>(150)) << vec4<u32>(23u));
  let up = r << bitcast<vec4<u32>>(min(max(eb - vec4<i32>(1), vec4<i32>(0)), vec4<i32>(31)));
  let small = up >> bitcast<vec4<u32>>(min(max(vec4<i32>(1) - eb, vec4<i32>(0)), vec4<i32>(31)));
  var bits = select(small, normal, target_exponent > vec4<i32>(0));
  bits = select(select(bits, vec4<u32>(0u), r == vec4<u32>(0u)), ua, less) | sign;
  return bitcast<vec4<f32>>(select(bits, vec4<u32>(0x7fc00000u), bad));
}
