// Trigonometric functions and their inverses on vec4<f32>.

// High 32 bits of m * v for m < 2^24, through 16 bit halves.
fn math_mul_high24(m: vec4<u32>, v: vec4<u32>) -> vec4<u32> {
  let low = vec4<u32>(0xffffu);
  let sh = vec4<u32>(16u);
  let ml = m & low;
  let mh = m >> sh;
  let vl = v & low;
  let vh = v >> sh;
  let t = ml * vh + ((ml * vl) >> sh);
  let w = mh * vl + (t & low);
  return mh * vh + (t >> sh) + (w >> sh);
}

// The 32 bits of 2/pi that start `shift` bits into the pair (a, b).
fn math_bit_window(a: vec4<u32>, b: vec4<u32>, shift: vec4<u32>) -> vec4<u32> {
  return (a << shift) | ((b >> vec4<u32>(1u)) >> (vec4<u32>(31u) - shift));
}

// Picks one of five words by k = 0..4.
fn math_pick_word(w: vec4<u32>, k: vec4<u32>, b: u32, c: u32, d: u32, e: u32) -> vec4<u32> {
  let low = select(w, vec4<u32>(b), k == vec4<u32>(1u));
  let mid = select(low, vec4<u32>(c), k == vec4<u32>(2u));
  let top = select(mid, vec4<u32>(d), k == vec4<u32>(3u));
  return select(top, vec4<u32>(e), k == vec4<u32>(4u));
}

// Payne-Hanek reduction for finite ax >= 2^12: returns (r, rl, q) with ax = (q + 4 j) pi/2 + r + rl and |r| <= pi/4.
// A 96 bit window of 2/pi that starts just above the bits that matter modulo 4 is multiplied by the significand in
// integers; the fraction keeps 62 bits, is normalised to 32 and multiplied by pi/2 with an exact leading product.
fn math_trig_reduce_large(ax: vec4<f32>) -> mat3x4<f32> {
  let u = bitcast<vec4<u32>>(ax);
  let m = (u & vec4<u32>(0x007fffffu)) | vec4<u32>(0x00800000u);
  let position = min(max(u >> vec4<u32>(23u), vec4<u32>(139u)), vec4<u32>(254u)) - vec4<u32>(120u);
  let k = position >> vec4<u32>(5u);
  let shift = position & vec4<u32>(31u);
  let w0 = math_pick_word(vec4<u32>(0u), k, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u);
  let w1 = math_pick_word(vec4<u32>(0xa2f9836eu), k, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u);
  let w2 = math_pick_word(vec4<u32>(0x4e441529u), k, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u);
  let w3 = math_pick_word(vec4<u32>(0xfc2757d1u), k, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
  let v0 = math_bit_window(w0, w1, shift);
  let v1 = math_bit_window(w1, w2, shift);
  let v2 = math_bit_window(w2, w3, shift);
  let mid = m * v1;
  let p1 = mid + math_mul_high24(m, v2);
  let carry = select(vec4<u32>(0u), vec4<u32>(1u), p1 < mid);
  let p0 = m * v0 + math_mul_high24(m, v1) + carry;
  let f0 = (p0 << vec4<u32>(2u)) | (p1 >> vec4<u32>(30u));
  let f1 = p1 << vec4<u32>(2u);
  let negative = f0 >= vec4<u32>(0x80000000u);
  let g0 = select(f0, ~f0, negative);
  let g1 = select(f1, ~f1, negative);
  let lz = min(max(countLeadingZeros(g0), vec4<u32>(1u)), vec4<u32>(31u));
  let n = (g0 << lz) | (g1 >> (vec4<u32>(32u) - lz));
  let a = vec4<f32>(bitcast<vec4<i32>>(n >> vec4<u32>(20u)));
  let b = vec4<f32>(bitcast<vec4<i32>>(n & vec4<u32>(0xfffffu))) * 9.536743e-7;
  let high = a * 1.5703125;
  let low = a * 4.838268e-4 + b * 1.5707964;
  let q = vec4<f32>(bitcast<vec4<i32>>((p0 >> vec4<u32>(30u)) + select(vec4<u32>(0u), vec4<u32>(1u), negative)));
  let zero = math_zero_bits(q);
  let sum = math_hold(high + low, zero);
  let rest = low - math_hold(sum - high, zero);
  let scale = (vec4<u32>(115u) - lz) << vec4<u32>(23u);
  let factor = bitcast<vec4<f32>>(scale | select(vec4<u32>(0u), vec4<u32>(0x80000000u), negative));
  return mat3x4<f32>(sum * factor, rest * factor, q);
}

// Argument reduction for ax >= 0: returns (r, rl, q) with ax = q pi/2 + r + rl modulo 2 pi, |r| <= pi/4.
// Up to 6400 by subtracting q times pi/2 in four parts, three of 12 bits with exact products; beyond by
// math_trig_reduce_large, only where some lane needs it. An infinity or NaN gives unspecified numbers.
fn math_trig_reduce(ax: vec4<f32>) -> mat3x4<f32> {
  let q = round(min(ax, vec4<f32>(6400.0)) * 0.63661975);
  let t = q * 7.5495336e-8;
  let w = q * 2.563344e-12;
  let zero = math_zero_bits(q);
  let s = math_hold(math_hold(ax - q * 1.5703125, zero) - q * 4.837513e-4, zero);
  let a = math_hold(s - t, zero);
  let r = math_hold(a - w, zero);
  let rl = math_hold(math_hold(a - r, zero) - w, zero) + math_hold(math_hold(s - a, zero) - t, zero);
  let large = ax > vec4<f32>(6400.0);
  if (any(large)) {
    let p = math_trig_reduce_large(ax);
    return mat3x4<f32>(select(r, p[0], large), select(rl, p[1], large), select(q, p[2], large));
  }
  return mat3x4<f32>(r, rl, q);
}

// sin(r + rl) for |r| <= pi/4, odd polynomial of degree 7, approximation error 2^-27.9.
fn math_sin_poly(r: vec4<f32>, rl: vec4<f32>) -> vec4<f32> {
  let z = r * r;
  let p = (z * -1.9518104e-4 + 0.008332188) * z - 0.16666655;
  return r + (r * z * p + rl);
}

// cos(r + rl) for |r| <= pi/4 (`zero` for math_hold), even polynomial of degree 8, approximation error 2^-33.
fn math_cos_poly(r: vec4<f32>, rl: vec4<f32>, zero: vec4<u32>) -> vec4<f32> {
  let z = r * r;
  let p = (z * 2.4432558e-5 - 0.0013887311) * z + 0.041666646;
  return math_hold(1.0 - 0.5 * z, zero) + math_hold(z * z * p - r * rl, zero);
}

// sin(|x| + k pi/2) with the sign bit `flip` applied; NaN for an infinity or NaN.
fn math_sin_shifted(x: vec4<f32>, k: i32, flip: vec4<u32>) -> vec4<f32> {
  let t = math_trig_reduce(abs(x));
  let q = bitcast<vec4<u32>>(vec4<i32>(t[2]) + vec4<i32>(k));
  let odd = (q & vec4<u32>(1u)) == vec4<u32>(1u);
  let v = select(math_sin_poly(t[0], t[1]), math_cos_poly(t[0], t[1], math_zero_bits(t[2])), odd);
  let r = bitcast<vec4<u32>>(v) ^ ((q & vec4<u32>(2u)) << vec4<u32>(30u)) ^ flip;
  let bad = (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x7f800000u);
  return bitcast<vec4<f32>>(select(r, vec4<u32>(0x7fc00000u), bad));
}

// Sine over the whole range: reduction of |x| modulo pi/2, then the sine or cosine polynomial. Error below 1.3 ulp.
fn precise_sin(x: vec4<f32>) -> vec4<f32> {
  return math_sin_shifted(x, 0, bitcast<vec4<u32>>(x) & vec4<u32>(0x80000000u));
}

// Cosine over the whole range, as the sine a quarter turn on. Error below 1.3 ulp.
fn precise_cos(x: vec4<f32>) -> vec4<f32> {
  return math_sin_shifted(x, 1, vec4<u32>(0u));
}

// Tangent over the whole range: tan(r + rl) as a two part sum, and for an odd multiple of pi/2 its negative reciprocal
// with a quotient of 12 bits and an exact residual. Error below 1.3 ulp.
fn precise_tan(x: vec4<f32>) -> vec4<f32> {
  let t = math_trig_reduce(abs(x));
  let r = t[0];
  let z = r * r;
  var p = z * 0.004373155 + 9.747695e-5;
  p = p * z + 0.010827911;
  p = p * z + 0.021286087;
  p = p * z + 0.054058924;
  p = p * z + 0.13332675;
  p = p * z + 0.3333335;
  let y = r * z * p + (t[1] + t[1] * (z * 1.5));
  let zero = math_zero_bits(t[2]);
  let th = math_hold(r + y, zero);
  let mask = vec4<u32>(0xfffff000u);
  let hh = bitcast<vec4<f32>>(bitcast<vec4<u32>>(th) & mask);
  let hl = math_hold(th - hh, zero) + math_hold(y - math_hold(th - r, zero), zero);
  let c = -1.0 / th;
  let ch = bitcast<vec4<f32>>(bitcast<vec4<u32>>(c) & mask);
  let cot = ch + c * (math_hold(ch * hh + 1.0, zero) + ch * hl);
  let odd = (vec4<i32>(t[2]) & vec4<i32>(1)) == vec4<i32>(1);
  let u = bitcast<vec4<u32>>(x);
  let v = bitcast<vec4<u32>>(select(th, cot, odd)) ^ (u & vec4<u32>(0x80000000u));
  let bad = (u & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x7f800000u);
  return bitcast<vec4<f32>>(select(v, vec4<u32>(0x7fc00000u), bad));
}

// (asin(x) - x) / x^3 as a polynomial in z = x^2 <= 1/4, error 2^-27.6 relative to asin(x).
fn math_asin_poly(z: vec4<f32>) -> vec4<f32> {
  var p = z * 0.04221556 + 0.024150576;
  p = p * z + 0.045476228;
  p = p * z + 0.07495251;
  return p * z + 0.16666754;
}

// Square root of z as a sum (high, low) with high of 12 bits; the error of the builtin is corrected.
fn math_sqrt_pair(z: vec4<f32>) -> mat2x4<f32> {
  let s = sqrt(z);
  let h = bitcast<vec4<f32>>(bitcast<vec4<u32>>(s) & vec4<u32>(0xfffff000u));
  return mat2x4<f32>(h, (z - h * h) / max(s + h, vec4<f32>(1e-30)));
}

// asin: polynomial below 1/2, otherwise pi/2 - 2 asin(sqrt((1 - |x|) / 2)) with the root in two parts.
// Error below 0.9 ulp.
fn precise_asin(x: vec4<f32>) -> vec4<f32> {
  let u = bitcast<vec4<u32>>(x);
  let ax = abs(x);
  let near = ax < vec4<f32>(0.5);
  let z = select(max((1.0 - ax) * 0.5, vec4<f32>(0.0)), ax * ax, near);
  let p = z * math_asin_poly(z);
  let s = math_sqrt_pair(z);
  let t = ((s[0] + s[1]) * p + s[1]) * 2.0 + 4.371139e-8;
  let far = 0.7853982 - (t - math_hold(0.7853982 - 2.0 * s[0], math_zero_bits(round(ax))));
  let r = bitcast<vec4<u32>>(select(far, ax + ax * p, near)) | (u & vec4<u32>(0x80000000u));
  let bad = (u & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x3f800000u);
  return bitcast<vec4<f32>>(select(r, vec4<u32>(0x7fc00000u), bad));
}

// acos: pi/2 - asin(x) below 1/2 in magnitude, 2 asin(sqrt((1 - x) / 2)) above, pi minus that of -x below.
// Error below 0.9 ulp.
fn precise_acos(x: vec4<f32>) -> vec4<f32> {
  let u = bitcast<vec4<u32>>(x);
  let ax = abs(x);
  let near = ax < vec4<f32>(0.5);
  let z = select(max((1.0 - ax) * 0.5, vec4<f32>(0.0)), ax * ax, near);
  let p = z * math_asin_poly(z);
  let s = math_sqrt_pair(z);
  let t = (s[0] + s[1]) * p + s[1];
  let above = (s[0] + t) * 2.0;
  let below = 3.1415927 - ((s[0] + (t + 4.371139e-8)) * 2.0);
  let middle = 1.5707964 - (x + (x * p + 4.371139e-8));
  let r = bitcast<vec4<u32>>(select(select(above, below, x < vec4<f32>(0.0)), middle, near));
  let bad = (u & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x3f800000u);
  return bitcast<vec4<f32>>(select(r, vec4<u32>(0x7fc00000u), bad));
}

// atan: odd polynomial of degree 19 on [0, 1], pi/2 - atan(1 / |x|) above 1.
// Error below 1.4 ulp (2.5 with a divide of 2.5 ulp).
fn precise_atan(x: vec4<f32>) -> vec4<f32> {
  let ax = abs(x);
  let far = ax > vec4<f32>(1.0);
  let w = select(ax, 1.0 / ax, far);
  let z = w * w;
  var p = z * -0.0017827628 + 0.010868533;
  p = p * z - 0.031096842;
  p = p * z + 0.057881333;
  p = p * z - 0.083993055;
  p = p * z + 0.109508805;
  p = p * z - 0.14264016;
  p = p * z + 0.1999853;
  p = p * z - 0.333333;
  let t = w * z * p;
  let r = select(w + t, 1.5707964 - (w + (t + 4.371139e-8)), far);
  return select(math_copy_sign(r, x), x, math_is_nan(x));
}

// The angle of the point (x, y): atan of the smaller magnitude by the larger, taken from the axis that is nearer. Both are
// scaled so that neither is subnormal, nor the divisor too large for a division; the integer of a subnormal number is that
// number times 2^149. A quotient of equal magnitudes is 1, of zeros 0. Error below 2.5 ulp (4 with a divide of 2.5 ulp).
fn precise_atan2(y: vec4<f32>, x: vec4<f32>) -> vec4<f32> {
  let inf = vec4<u32>(0x7f800000u);
  let ux = bitcast<vec4<u32>>(x);
  let uy = bitcast<vec4<u32>>(y);
  let mx = ux & vec4<u32>(0x7fffffffu);
  let my = uy & vec4<u32>(0x7fffffffu);
  let hi = max(mx, my);
  let lo = min(mx, my);
  let scale = select(vec4<f32>(0.25), vec4<f32>(16777216.0), hi < vec4<u32>(0x5f800000u));
  let normal = vec4<u32>(0x00800000u);
  let above = select(bitcast<vec4<f32>>(lo) * scale, vec4<f32>(lo) * 2.3509887e-38, lo < normal);
  let below = select(bitcast<vec4<f32>>(hi) * scale, vec4<f32>(hi) * 2.3509887e-38, hi < normal);
  let q = above / below;
  let even = select(q, select(vec4<f32>(1.0), vec4<f32>(0.0), hi == vec4<u32>(0u)), lo == hi);
  let r = precise_atan(select(even, vec4<f32>(0.0), (hi == inf) & (lo != inf)));
  let steep = my > mx;
  let left = ux >= vec4<u32>(0x80000000u);
  let half = vec4<f32>(1.5707964);
  let base = select(select(vec4<f32>(0.0), half, steep), select(vec4<f32>(3.1415927), half, steep), left);
  let rest = select(vec4<f32>(-4.371139e-8), select(vec4<f32>(0.0), vec4<f32>(-8.742278e-8), left), !steep);
  let v = base + (select(r, -r, steep != left) + rest);
  let angle = bitcast<vec4<u32>>(v) | (uy & vec4<u32>(0x80000000u));
  return bitcast<vec4<f32>>(select(angle, vec4<u32>(0x7fc00000u), hi > inf));
}
