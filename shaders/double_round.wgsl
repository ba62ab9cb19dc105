// Rounding to whole numbers and exact remainders on vec4<f64>.

fn double_floor(x: vec4<f64>) -> vec4<f64> {
  return double_copy_sign(floor(x), x);
}

fn double_ceil(x: vec4<f64>) -> vec4<f64> {
  return double_copy_sign(ceil(x), x);
}

// Not by trunc, which llvmpipe does not compute of doubles from 2^24 on where the CPU's vectors have 256 bits.
fn double_trunc(x: vec4<f64>) -> vec4<f64> {
  return double_copy_sign(floor(abs(x)), x);
}

// The nearest whole number, halves to even. |x| minus its floor is exact.
fn double_round(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let f = floor(ax);
  let d = ax - f;
  let half = vec4<f64>(0.5lf);
  let odd = floor(f * 0.5lf) < f * 0.5lf;
  let up = (d > half) | ((d == half) & odd);
  return double_copy_sign(f + select(vec4<f64>(0.0lf), vec4<f64>(1.0lf), up), x);
}

// The nearest whole number, halves away from 0.
fn double_round_away(x: vec4<f64>) -> vec4<f64> {
  let ax = abs(x);
  let f = floor(ax);
  let up = (ax - f) >= vec4<f64>(0.5lf);
  return double_copy_sign(f + select(vec4<f64>(0.0lf), vec4<f64>(1.0lf), up), x);
}

// A magnitude below 2^53 as a double: both casts, the product and the sum are exact in any order, contracted or not. A
// constant that bits brought in must not meet a second one: a compiler that takes floats for real numbers gathers them.
fn double_whole(v: vec4<u64>) -> vec4<f64> {
  let high = vec4<f64>(vec4<u32>(v >> vec4<u32>(32u)));
  return high * 4294967296.0lf + vec4<f64>(vec4<u32>(v & vec4<u64>(0xfffffffflu)));
}

// The bits of a positive number v with the exponent field replaced so that the significand is normalised, and what the
// exponent field would be. Subnormal v goes through 2^52 + its significand.
struct double_parts {
  m: vec4<u64>,
  e: vec4<f64>,
}

// The significand of the positive finite number with the bits u, as a whole number in [2^52, 2^53), and its exponent field;
// one below 1 where u is subnormal and the significand is shifted.
fn double_take_apart(u: vec4<u64>) -> double_parts {
  let leading = vec4<u64>(0x0010000000000000lu);
  let tiny = u < leading;
  let v = select(u, bitcast<vec4<u64>>(double_whole(u)), tiny);
  let e = vec4<i32>(vec4<u32>(v >> vec4<u32>(52u))) - select(vec4<i32>(0), vec4<i32>(1074), tiny);
  return double_parts((v & vec4<u64>(0x000ffffffffffffflu)) | leading, vec4<f64>(e));
}

// C fmod, exact: the significand of a, shifted left by the difference of the exponents, modulo the significand of b, 49 bits
// a step. The quotient of a step is estimated in doubles, and off by at most one; the rest is taken modulo 2^64.
// NaN for b = 0, an infinite a or a NaN; the sign is that of a.
fn double_fmod(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
  let ua = double_magnitude(a);
  let ub = double_magnitude(b);
  let inf = vec4<u64>(0x7ff0000000000000lu);
  let none = vec4<u64>(0lu);
  let bad = (ua >= inf) | (ub > inf) | (ub == none);
  let less = ua < ub;
  let sa = double_take_apart(ua);
  let sb = double_take_apart(ub);
  let inverse = 1.0lf / double_whole(sb.m);
  var r = sa.m - select(none, sb.m, sa.m >= sb.m);
  var d = select(max(sa.e - sb.e, vec4<f64>(0.0lf)), vec4<f64>(0.0lf), bad | less);
  for (var i = 0; i < 43; i++) {
    if (all(d <= vec4<f64>(0.0lf))) {
      break;
    }
    let k = min(d, vec4<f64>(49.0lf));
    let shifted = double_whole(r) * double_power2(k);
    let q = bitcast<vec4<u64>>(shifted * inverse + 4503599627370496.0lf) - vec4<u64>(0x4330000000000000lu);
    let rest = (r << vec4<u32>(k)) - q * sb.m;
    r = rest + select(none, sb.m, rest >= vec4<u64>(0x8000000000000000lu));
    d = d - k;
  }
  let found = bitcast<vec4<u64>>(double_scale_down(double_whole(r), sb.e - 1075.0lf));
  let bits = select(found, ua, less) | (bitcast<vec4<u64>>(a) ^ ua);
  return bitcast<vec4<f64>>(select(bits, vec4<u64>(0x7ff8000000000000lu), bad));
}

// true where r is a number but 0 and its sign is not that of b.
fn double_signs_differ(r: vec4<f64>, b: vec4<f64>) -> vec4<bool> {
  let other = (bitcast<vec4<u64>>(r) ^ bitcast<vec4<u64>>(b)) >= vec4<u64>(0x8000000000000000lu);
  return other & ((double_magnitude(r) - vec4<u64>(1lu)) < vec4<u64>(0x7ff0000000000000lu));
}

// Remainder with the divisor's sign; a zero has the divisor's sign.
fn double_floor_mod(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
  let r = double_fmod(a, b);
  let zero = bitcast<vec4<f64>>(bitcast<vec4<u64>>(b) & vec4<u64>(0x8000000000000000lu));
  return select(select(r, r + b, double_signs_differ(r, b)), zero, double_magnitude(r) == vec4<u64>(0lu));
}

// Python's float floor division: (a - r) / b with the exact remainder r, less 1 where r has not the divisor's sign, to the
// nearest whole number. Division by 0 as it is; an infinite dividend gives NaN; a zero has the quotient's sign.
fn double_floor_div(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
  let r = double_fmod(a, b);
  let one = vec4<f64>(1.0lf);
  let none = vec4<f64>(0.0lf);
  let q = (a - r) / b - select(none, one, double_signs_differ(r, b));
  let f = floor(q);
  let whole = f + select(none, one, (q - f) > vec4<f64>(0.5lf));
  let sign = (bitcast<vec4<u64>>(a) ^ bitcast<vec4<u64>>(b)) & vec4<u64>(0x8000000000000000lu);
  let v = select(whole, bitcast<vec4<f64>>(sign), double_magnitude(whole) == vec4<u64>(0lu));
  return select(select(v, r, double_is_nan(r)), a / b, double_magnitude(b) == vec4<u64>(0lu));
}
