// Trigonometric functions and their inverses on vec4<f64>.

// An angle modulo 2 pi: q pi/2 + h + l with |h| <= pi/4 and an integer q.
struct double_angle {
  h: vec4<f64>,
  l: vec4<f64>,
  q: vec4<f64>,
}

// High 64 bits of m * v for m < 2^53, through 32 bit halves.
fn double_mul_high(m: vec4<u64>, v: vec4<u64>) -> vec4<u64> {
  let low = vec4<u64>(0xfffffffflu);
  let sh = vec4<u32>(32u);
  let ml = m & low;
  let mh = m >> sh;
  let vl = v & low;
  let vh = v >> sh;
  let t = ml * vh + ((ml * vl) >> sh);
  let w = mh * vl + (t & low);
  return mh * vh + (t >> sh) + (w >> sh);
}

// The 64 bits that start `shift` bits into the pair (a, b).
fn double_bit_window(a: vec4<u64>, b: vec4<u64>, shift: vec4<u32>) -> vec4<u64> {
  return (a << shift) | ((b >> vec4<u32>(1u)) >> (vec4<u32>(63u) - shift));
}

// Four words in a row.
struct double_words {
  a: vec4<u64>,
  b: vec4<u64>,
  c: vec4<u64>,
  d: vec4<u64>,
}

// The words that start one further where `open`.
fn double_next_word(w: double_words, open: vec4<bool>, next: u64) -> double_words {
  let d = select(w.d, vec4<u64>(next), open);
  return double_words(select(w.a, w.b, open), select(w.b, w.c, open), select(w.c, w.d, open), d);
}

// Payne-Hanek reduction for finite ax >= 2^19: a 192 bit window of 2/pi that starts just above the bits that matter modulo
// 4 is multiplied by the significand in integers; the fraction keeps 126 bits and is multiplied by pi/2 in two parts.
fn double_trig_reduce_large(ax: vec4<f64>) -> double_angle {
  let u = bitcast<vec4<u64>>(ax);
  let m = (u & vec4<u64>(0x000ffffffffffffflu)) | vec4<u64>(0x0010000000000000lu);
  let position = min(max(vec4<u32>(u >> vec4<u32>(52u)), vec4<u32>(1042u)), vec4<u32>(2046u)) - vec4<u32>(1013u);
  let k = position >> vec4<u32>(6u);
  let shift = position & vec4<u32>(63u);
  // 64 zero bits, then the bits of 2/pi.
  let first = vec4<u64>(0xa2f9836e4e441529lu);
  var w = double_words(vec4<u64>(0lu), first, vec4<u64>(0xfc2757d1f534ddc0lu), vec4<u64>(0xdb6295993c439041lu));
  w = double_next_word(w, k > vec4<u32>(0u), 0xfe5163abdebbc561lu);
  w = double_next_word(w, k > vec4<u32>(1u), 0xb7246e3a424dd2e0lu);
  w = double_next_word(w, k > vec4<u32>(2u), 0x06492eea09d1921clu);
  w = double_next_word(w, k > vec4<u32>(3u), 0xfe1deb1cb129a73elu);
  w = double_next_word(w, k > vec4<u32>(4u), 0xe88235f52ebb4484lu);
  w = double_next_word(w, k > vec4<u32>(5u), 0xe99c7026b45f7e41lu);
  w = double_next_word(w, k > vec4<u32>(6u), 0x3991d639835339f4lu);
  w = double_next_word(w, k > vec4<u32>(7u), 0x9c845f8bbdf9283blu);
  w = double_next_word(w, k > vec4<u32>(8u), 0x1ff897ffde05980flu);
  w = double_next_word(w, k > vec4<u32>(9u), 0xef2f118b5a0a6d1flu);
  w = double_next_word(w, k > vec4<u32>(10u), 0x6d367ecf27cb09b7lu);
  w = double_next_word(w, k > vec4<u32>(11u), 0x4f463f669e5fea2dlu);
  w = double_next_word(w, k > vec4<u32>(12u), 0x7527bac7ebe5f17blu);
  w = double_next_word(w, k > vec4<u32>(13u), 0x3d0739f78a5292ealu);
  w = double_next_word(w, k > vec4<u32>(14u), 0x6bfb5fb11f8d5d08lu);
  w = double_next_word(w, k > vec4<u32>(15u), 0x56033046fc7b6bablu);
  let v0 = double_bit_window(w.a, w.b, shift);
  let v1 = double_bit_window(w.b, w.c, shift);
  let v2 = double_bit_window(w.c, w.d, shift);
  let p1 = m * v1 + double_mul_high(m, v2);
  let carry = select(vec4<u64>(0lu), vec4<u64>(1lu), p1 < m * v1);
  let p0 = m * v0 + double_mul_high(m, v1) + carry;
  let f0 = (p0 << vec4<u32>(2u)) | (p1 >> vec4<u32>(62u));
  let f1 = p1 << vec4<u32>(2u);
  let negative = f0 >= vec4<u64>(0x8000000000000000lu);
  let g0 = select(f0, ~f0, negative);
  let g1 = select(f1, ~f1, negative);
  // The fraction in parts of 42, 52 and 34 bits after the point.
  let t0 = double_whole(g0 >> vec4<u32>(22u)) * 2.2737367544323206e-13lf;
  let t1 = double_whole(((g0 & vec4<u64>(0x3ffffflu)) << vec4<u32>(30u)) | (g1 >> vec4<u32>(34u))) * 5.048709793414476e-29lf;
  let t2 = double_whole(g1 & vec4<u64>(0x3fffffffflu)) * 2.938735877055719e-39lf;
  let q = vec4<f64>(vec4<u32>(p0 >> vec4<u32>(62u)) + select(vec4<u32>(0u), vec4<u32>(1u), negative));
  let zero = double_zero_bits(q);
  let b = double_hold(t1 + t2, zero);
  let yh = double_high(t0 + b);
  let yl = (double_hold(t0 - yh, zero) + b) + (t2 - double_hold(b - t1, zero));
  let high = yh * 1.5707963109016418lf;
  let low = yh * 1.5893254773528196e-08lf + yl * 1.5707963267948966lf;
  let sum = double_hold(high + low, zero);
  let rest = low - double_hold(sum - high, zero);
  let sign = select(vec4<f64>(1.0lf), vec4<f64>(-1.0lf), negative);
  return double_angle(sum * sign, rest * sign, q);
}

// Argument reduction for ax >= 0. Up to 2^19 by subtracting q times pi/2 in four parts, three of 33 bits with exact
// products; beyond by double_trig_reduce_large, only where some lane needs it. An infinity or NaN gives unspecified numbers.
fn double_trig_reduce(ax: vec4<f64>) -> double_angle {
  let q = floor(min(ax, vec4<f64>(524288.0lf)) * 0.6366197723675814lf + 0.5lf);
  let zero = double_zero_bits(q);
  let t = q * 6.077100506303966e-11lf;
  let v = q * 2.0222662487111665e-21lf;
  let s = double_hold(ax - q * 1.5707963267341256lf, zero);
  let a = double_hold(s - t, zero);
  let b = double_hold(a - v, zero);
  let w = q * 8.4784276603689e-32lf - double_hold(double_hold(a - b, zero) - v, zero);
  let c = w - double_hold(double_hold(s - a, zero) - t, zero);
  let r = double_hold(b - c, zero);
  let rl = double_hold(b - r, zero) - c;
  let large = ax > vec4<f64>(524288.0lf);
  if (any(large)) {
    let p = double_trig_reduce_large(ax);
    return double_angle(select(r, p.h, large), select(rl, p.l, large), select(q, p.q, large));
  }
  return double_angle(r, rl, q);
}

// sin(r + rl) - r for |r| <= pi/4, odd polynomial of degree 13, approximation error 2^-58.
fn double_sin_rest(r: vec4<f64>, rl: vec4<f64>, z: vec4<f64>) -> vec4<f64> {
  var p = z * 1.589689904026313e-10lf - 2.5050760080695922e-08lf;
  p = p * z + 2.7557313706103713e-06lf;
  p = p * z - 0.00019841269829855702lf;
  p = p * z + 0.008333333333322488lf;
  p = p * z - 0.16666666666666632lf;
  return r * z * p + rl * (1.0lf - z * 0.5lf);
}

// cos(r + rl) - 1 + z/2 for |r| <= pi/4, even polynomial of degree 14, approximation error 2^-63.
fn double_cos_rest(r: vec4<f64>, rl: vec4<f64>, z: vec4<f64>) -> vec4<f64> {
  var p = z * -1.1359924542912112e-11lf + 2.0875729121530076e-09lf;
  p = p * z - 2.7557314400080346e-07lf;
  p = p * z + 2.480158728966913e-05lf;
  p = p * z - 0.0013888888888874472lf;
  p = p * z + 0.0416666666666666lf;
  return z * z * p - r * rl;
}

// Sine and cosine of r + rl as two part sums; `zero` for double_hold.
fn double_sin_pair(t: double_angle) -> double_pair {
  return double_pair(t.h, double_sin_rest(t.h, t.l, t.h * t.h));
}

fn double_cos_pair(t: double_angle) -> double_pair {
  let zero = double_zero_bits(t.q);
  let z = t.h * t.h;
  let half = z * 0.5lf;
  let w = double_hold(1.0lf - half, zero);
  return double_pair(w, double_hold(double_hold(1.0lf - w, zero) - half, zero) + double_cos_rest(t.h, t.l, z));
}

// The low bits of a whole number, those of q + 1.5 * 2^52.
fn double_quadrant(q: vec4<f64>) -> vec4<u64> {
  return bitcast<vec4<u64>>(q + 6755399441055744.0lf);
}

// sin(|x| + k pi/2) with the sign bit `flip` applied; NaN for an infinity or NaN.
fn double_sin_shifted(x: vec4<f64>, k: u64, flip: vec4<u64>) -> vec4<f64> {
  let t = double_trig_reduce(abs(x));
  let q = double_quadrant(t.q) + vec4<u64>(k);
  let odd = (q & vec4<u64>(1lu)) == vec4<u64>(1lu);
  let s = double_sin_pair(t);
  let c = double_cos_pair(t);
  let v = select(s.h, c.h, odd) + select(s.l, c.l, odd);
  let r = bitcast<vec4<u64>>(v) ^ ((q & vec4<u64>(2lu)) << vec4<u32>(62u)) ^ flip;
  let bad = double_magnitude(x) >= vec4<u64>(0x7ff0000000000000lu);
  return bitcast<vec4<f64>>(select(r, vec4<u64>(0x7ff8000000000000lu), bad));
}

// Sine over the whole range: reduction of |x| modulo pi/2, then the sine or cosine polynomial. Error below 0.8 ulp.
fn double_sin(x: vec4<f64>) -> vec4<f64> {
  return double_sin_shifted(x, 0lu, bitcast<vec4<u64>>(x) & vec4<u64>(0x8000000000000000lu));
}

// Cosine over the whole range, as the sine a quarter turn on. Error below 0.8 ulp.
fn double_cos(x: vec4<f64>) -> vec4<f64> {
  return double_sin_shifted(x, 1lu, vec4<u64>(0lu));
}

// Tangent over the whole range: sine by cosine, or for an odd multiple of pi/2 cosine by negative sine, each as a two part
// sum; the residual of the quotient is exact. Below 2^-27 the result is x. Error below 1.2 ulp.
fn double_tan(x: vec4<f64>) -> vec4<f64> {
  let t = double_trig_reduce(abs(x));
  let zero = double_zero_bits(t.q);
  let q = double_quadrant(t.q);
  let odd = (q & vec4<u64>(1lu)) == vec4<u64>(1lu);
  let s = double_sin_pair(t);
  let c = double_cos_pair(t);
  let sh = double_hold(s.h + s.l, zero);
  let sl = double_hold(s.h - sh, zero) + s.l;
  let ch = double_hold(c.h + c.l, zero);
  let cl = double_hold(c.h - ch, zero) + c.l;
  let d = select(ch, sh, odd);
  let v = select(sh, ch, odd) / d;
  let vh = double_high(v);
  let dh = double_high(d);
  let dl = double_hold(d - dh, zero);
  let left = double_hold(select(sh, ch, odd) - vh * dh, zero) - vh * dl;
  let rest = double_hold(left - (v - vh) * d, zero) + (select(sl, cl, odd) - v * select(cl, sl, odd));
  let r = bitcast<vec4<u64>>(v + rest / d) ^ ((q & vec4<u64>(1lu)) << vec4<u32>(63u));
  let u = bitcast<vec4<u64>>(x);
  let a = double_magnitude(x);
  let near = select(r ^ (u & vec4<u64>(0x8000000000000000lu)), u, a < vec4<u64>(0x3e40000000000000lu));
  return bitcast<vec4<f64>>(select(near, vec4<u64>(0x7ff8000000000000lu), a >= vec4<u64>(0x7ff0000000000000lu)));
}

// asin(s) / s - 1 for z = s^2 <= 1/4; error 2^-59.7.
fn double_asin_poly(z: vec4<f64>) -> vec4<f64> {
  var p = z * 0.03274700170400113lf - 0.02118201800552891lf;
  p = p * z + 0.02183185064049972lf;
  p = p * z + 0.0036574482676623517lf;
  p = p * z + 0.010792599345182974lf;
  p = p * z + 0.011396825512401615lf;
  p = p * z + 0.013981060886503947lf;
  p = p * z + 0.017351593193494115lf;
  p = p * z + 0.022372215970697055lf;
  p = p * z + 0.030381942674844342lf;
  p = p * z + 0.0446428571752702lf;
  p = p * z + 0.07499999999970125lf;
  p = p * z + 0.16666666666666763lf;
  return p * z;
}

// asin(sqrt(z)) as a two part sum for z in [0, 1/4], the first part of 26 bits.
fn double_asin_root(z: vec4<f64>) -> double_pair {
  let s = sqrt(z);
  let h = double_high(s);
  let d = s + h;
  let rest = (z - h * h) / select(d, vec4<f64>(1.0lf), d == vec4<f64>(0.0lf));
  return double_pair(h, rest + s * double_asin_poly(z));
}

// Arc sine: x + x^3 P(x^2) up to 1/2 in magnitude, beyond pi/2 - 2 asin(sqrt((1 - |x|) / 2)). NaN beyond 1.
// Error below 0.7 ulp.
fn double_asin(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let zero = double_zero_bits(floor(ax));
  let a = double_asin_root(max(0.5lf - ax * 0.5lf, vec4<f64>(0.0lf)));
  let far = (1.5707963267948966lf - (a.h + a.h)) - double_hold((a.l + a.l) - 6.123233995736766e-17lf, zero);
  let small = x + double_hold(x * double_asin_poly(min(x * x, vec4<f64>(0.25lf))), zero);
  let r = bitcast<vec4<u64>>(select(small, double_copy_sign(far, x), ax > vec4<f64>(0.5lf)));
  let bad = double_magnitude(x) > vec4<u64>(0x3ff0000000000000lu);
  return bitcast<vec4<f64>>(select(r, vec4<u64>(0x7ff8000000000000lu), bad));
}

// Arc cosine: pi/2 - asin x up to 1/2 in magnitude, 2 asin(sqrt((1 - x) / 2)) above, pi - 2 asin(sqrt((1 + x) / 2)) below.
// NaN beyond 1. Error below 0.8 ulp.
fn double_acos(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let zero = double_zero_bits(floor(ax));
  let a = double_asin_root(max(0.5lf - ax * 0.5lf, vec4<f64>(0.0lf)));
  let above = (a.h + a.h) + (a.l + a.l);
  let below = (3.141592653589793lf - (a.h + a.h)) - double_hold((a.l + a.l) - 1.2246467991473532e-16lf, zero);
  let rest = double_hold(x * double_asin_poly(min(x * x, vec4<f64>(0.25lf))) - 6.123233995736766e-17lf, zero);
  let near = 1.5707963267948966lf - (x + rest);
  let far = select(above, below, x < vec4<f64>(0.0lf));
  let r = bitcast<vec4<u64>>(select(near, far, ax > vec4<f64>(0.5lf)));
  let bad = double_magnitude(x) > vec4<u64>(0x3ff0000000000000lu);
  return bitcast<vec4<f64>>(select(r, vec4<u64>(0x7ff8000000000000lu), bad));
}

// r with the sign bit of x put in; r is non-negative or has the sign of x already.
fn double_copy_sign(r: vec4<f64>, x: vec4<f64>) -> vec4<f64> {
  return bitcast<vec4<f64>>(bitcast<vec4<u64>>(r) | (bitcast<vec4<u64>>(x) & vec4<u64>(0x8000000000000000lu)));
}

// atan: with c of 0, 1/2, 1, 3/2 or infinity near |x|, atan |x| = atan c + atan t, t = (|x| - c) / (1 + c |x|) of at most
// 7/16, and an odd polynomial of degree 23 in t. Error below 0.9 ulp.
fn double_atan(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let a = ax > vec4<f64>(0.4375lf);
  let b = ax > vec4<f64>(0.6875lf);
  let d = ax > vec4<f64>(1.1875lf);
  let far = ax > vec4<f64>(2.4375lf);
  let c = select(vec4<f64>(0.0lf), select(vec4<f64>(0.5lf), select(vec4<f64>(1.0lf), vec4<f64>(1.5lf), d), b), a);
  let t = select(ax - c, vec4<f64>(-1.0lf), far) / select(ax * c + 1.0lf, ax, far);
  let h1 = select(vec4<f64>(0.7853981633974483lf), vec4<f64>(0.982793723247329lf), d);
  let l1 = select(vec4<f64>(3.061616997868383e-17lf), vec4<f64>(1.3903311031230998e-17lf), d);
  let h2 = select(vec4<f64>(0.4636476090008061lf), select(h1, vec4<f64>(1.5707963267948966lf), far), b);
  let l2 = select(vec4<f64>(2.2698777452961687e-17lf), select(l1, vec4<f64>(6.123233995736766e-17lf), far), b);
  let z = t * t;
  var p = z * -0.016257599013563242lf + 0.03650519456972313lf;
  p = p * z - 0.04975825264452404lf;
  p = p * z + 0.058333353767913425lf;
  p = p * z - 0.0666104093370507lf;
  p = p * z + 0.07691873377222087lf;
  p = p * z - 0.09090886972611005lf;
  p = p * z + 0.11111110399613099lf;
  p = p * z - 0.14285714272375458lf;
  p = p * z + 0.19999999999875076lf;
  p = p * z - 0.33333333333332926lf;
  let v = t * z * p;
  let r = select(t + v, h2 + (t + (v + l2)), a);
  return select(double_copy_sign(r, x), x, double_is_nan(x));
}

// The angle of the point (x, y), as precise_atan2 has it. Error below 2.5 ulp.
fn double_atan2(y: vec4<f64>, x: vec4<f64>) -> vec4<f64> {
  let inf = vec4<u64>(0x7ff0000000000000lu);
  let ux = bitcast<vec4<u64>>(x);
  let uy = bitcast<vec4<u64>>(y);
  let mx = double_magnitude(x);
  let my = double_magnitude(y);
  let steep = my > mx;
  let hi = select(mx, my, steep);
  let lo = select(my, mx, steep);
  let scale = select(select(vec4<f64>(1.0lf), vec4<f64>(18014398509481984.0lf), hi < vec4<u64>(0x0600000000000000lu)),
    vec4<f64>(0.25lf), hi >= vec4<u64>(0x7fd0000000000000lu));
  let q = (bitcast<vec4<f64>>(lo) * scale) / (bitcast<vec4<f64>>(hi) * scale);
  let even = select(q, select(vec4<f64>(1.0lf), vec4<f64>(0.0lf), hi == vec4<u64>(0lu)), lo == hi);
  let r = double_atan(select(even, vec4<f64>(0.0lf), (hi == inf) & (lo != inf)));
  let left = ux >= vec4<u64>(0x8000000000000000lu);
  let half = vec4<f64>(1.5707963267948966lf);
  let base = select(select(vec4<f64>(0.0lf), half, steep), select(vec4<f64>(3.141592653589793lf), half, steep), left);
  let rest = select(vec4<f64>(6.123233995736766e-17lf), select(vec4<f64>(0.0lf), vec4<f64>(1.2246467991473532e-16lf), left),
    !steep);
  let v = base + (select(r, -r, steep != left) + rest);
  let angle = bitcast<vec4<u64>>(v) | (uy & vec4<u64>(0x8000000000000000lu));
  return bitcast<vec4<f64>>(select(angle, vec4<u64>(0x7ff8000000000000lu), hi > inf));
}
