var<workgroup> shared_floats: array<vec4<f32>, 128>;
@compute @workgroup_size(128)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let number = (group.z * groups.y + group.y) * groups.x + group.x;
    let row = number * 2u + (index >> 6u);
    let thread = index & 63u;
    let inside = row < table.rows;
    let row0 = min(row, table.rows - 1u);
    let at0 = row0;
    let base0 = 0u + at0 * table.axes[0].strides[0].x;
    let base1 = 0u + at0 * table.axes[0].strides[0].y;
    let p0_0 = 0u * 64u + thread;
    let q0_0 = p0_0;
    let x0_0_0 = in0[(base0 >> 2u) + q0_0];
    let p1_0 = 1u * 64u + thread;
    let q1_0 = p1_0;
    let x0_1_0 = in0[(base0 >> 2u) + q1_0];
    let p2_0 = 2u * 64u + thread;
    let q2_0 = p2_0;
    let x0_2_0 = in0[(base0 >> 2u) + q2_0];
    var a0_1_0 = neutral0();
    a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_0_0));
    a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_1_0));
    a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_2_0));
    workgroupBarrier();
    shared_floats[index] = a0_1_0;
    workgroupBarrier();
    if thread < 8u {
        var l0_0 = shared_floats[index + 0u];
        var l0_1 = shared_floats[index + 8u];
        var l0_2 = shared_floats[index + 16u];
        var l0_3 = shared_floats[index + 24u];
        var l0_4 = shared_floats[index + 32u];
        var l0_5 = shared_floats[index + 40u];
        var l0_6 = shared_floats[index + 48u];
        var l0_7 = shared_floats[index + 56u];
        l0_0 = fold0(l0_0, l0_4);
        l0_1 = fold0(l0_1, l0_5);
        l0_2 = fold0(l0_2, l0_6);
        l0_3 = fold0(l0_3, l0_7);
        l0_0 = fold0(l0_0, l0_2);
        l0_1 = fold0(l0_1, l0_3);
        l0_0 = fold0(l0_0, l0_1);
        shared_floats[index] = l0_0;
    }
    workgroupBarrier();
    if thread < 1u {
        var l0_0 = shared_floats[index + 0u];
        var l0_1 = shared_floats[index + 1u];
        var l0_2 = shared_floats[index + 2u];
        var l0_3 = shared_floats[index + 3u];
        var l0_4 = shared_floats[index + 4u];
        var l0_5 = shared_floats[index + 5u];
        var l0_6 = shared_floats[index + 6u];
        var l0_7 = shared_floats[index + 7u];
        l0_0 = fold0(l0_0, l0_4);
        l0_1 = fold0(l0_1, l0_5);
        l0_2 = fold0(l0_2, l0_6);
        l0_3 = fold0(l0_3, l0_7);
        l0_0 = fold0(l0_0, l0_2);
        l0_1 = fold0(l0_1, l0_3);
        l0_0 = fold0(l0_0, l0_1);
        shared_floats[index] = l0_0;
    }
    workgroupBarrier();
    let t0 = shared_floats[index - thread];
    let h0 = fold0(t0, t0.zwxy);
    let f0 = fold0(h0.xxxx, h0.yyyy);
    let f0_bits = bitcast<vec4<u32>>(f0);
    var a1_1_0 = neutral1();
    let v1_0_0 = term1(x0_0_0, f0_bits);
    a1_1_0 = fold1(a1_1_0, bitcast<vec4<f32>>(v1_0_0));
    let v1_1_0 = term1(x0_1_0, f0_bits);
    a1_1_0 = fold1(a1_1_0, bitcast<vec4<f32>>(v1_1_0));
    let v1_2_0 = term1(x0_2_0, f0_bits);
    a1_1_0 = fold1(a1_1_0, bitcast<vec4<f32>>(v1_2_0));
    workgroupBarrier();
    shared_floats[index] = a1_1_0;
    workgroupBarrier();
    if thread < 8u {
        var l1_0 = shared_floats[index + 0u];
        var l1_1 = shared_floats[index + 8u];
        var l1_2 = shared_floats[index + 16u];
        var l1_3 = shared_floats[index + 24u];
        var l1_4 = shared_floats[index + 32u];
        var l1_5 = shared_floats[index + 40u];
        var l1_6 = shared_floats[index + 48u];
        var l1_7 = shared_floats[index + 56u];
        l1_0 = fold1(l1_0, l1_4);
        l1_1 = fold1(l1_1, l1_5);
        l1_2 = fold1(l1_2, l1_6);
        l1_3 = fold1(l1_3, l1_7);
        l1_0 = fold1(l1_0, l1_2);
        l1_1 = fold1(l1_1, l1_3);
        l1_0 = fold1(l1_0, l1_1);
        shared_floats[index] = l1_0;
    }
    workgroupBarrier();
    if thread < 1u {
        var l1_0 = shared_floats[index + 0u];
        var l1_1 = shared_floats[index + 1u];
        var l1_2 = shared_floats[index + 2u];
        var l1_3 = shared_floats[index + 3u];
        var l1_4 = shared_floats[index + 4u];
        var l1_5 = shared_floats[index + 5u];
        var l1_6 = shared_floats[index + 6u];
        var l1_7 = shared_floats[index + 7u];
        l1_0 = fold1(l1_0, l1_4);
        l1_1 = fold1(l1_1, l1_5);
        l1_2 = fold1(l1_2, l1_6);
        l1_3 = fold1(l1_3, l1_7);
        l1_0 = fold1(l1_0, l1_2);
        l1_1 = fold1(l1_1, l1_3);
        l1_0 = fold1(l1_0, l1_1);
        shared_floats[index] = l1_0;
    }
    workgroupBarrier();
    let t1 = shared_floats[index - thread];
    let h1 = fold1(t1, t1.zwxy);
    let f1 = fold1(h1.xxxx, h1.yyyy);
    let f1_bits = bitcast<vec4<u32>>(f1);
    if inside {
        let to0_0 = base1 + (4u * q0_0) * table.axes[1].strides[0].y;
        let bits0_0 = quad(v1_0_0, f1_bits);
        store(to0_0 >> 2u, bits0_0);
    }
    if inside {
        let to1_0 = base1 + (4u * q1_0) * table.axes[1].strides[0].y;
        let bits1_0 = quad(v1_1_0, f1_bits);
        store(to1_0 >> 2u, bits1_0);
    }
    if inside {
        let to2_0 = base1 + (4u * q2_0) * table.axes[1].strides[0].y;
        let bits2_0 = quad(v1_2_0, f1_bits);
        store(to2_0 >> 2u, bits2_0);
    }
}

fn order_f(x: vec4<f32>) -> vec4<i32> {
    let bits = bitcast<vec4<i32>>(x);
    let magnitude = bits & vec4<i32>(0x7fffffff);
    return select(magnitude, -magnitude, bits < vec4<i32>(0));
}

fn less_f(a: vec4<f32>, b: vec4<f32>) -> vec4<bool> {
    return (order_f(a) < order_f(b)) & !is_nan_f(a) & !is_nan_f(b);
}

fn is_nan_f(x: vec4<f32>) -> vec4<bool> {
    return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
}

fn near_quotient(x: vec4<u32>, y: vec4<u32>) -> vec4<u32> {
    let digits = vec4<u32>(0x007fffffu);
    let one = vec4<u32>(0x3f800000u);
    return bitcast<vec4<u32>>(bitcast<vec4<f32>>((x & digits) | one) / bitcast<vec4<f32>>((y & digits) | one));
}

fn quotient_step(rest: vec4<i32>, y: vec4<i32>) -> vec4<i32> {
    return vec4<i32>(2i * rest > y) - vec4<i32>(2i * rest < -y);
}

struct Quotient {
    bits: vec4<u32>,
    rest: vec4<i32>,
}

fn rounded_quotient(x: vec4<u32>, y: vec4<u32>) -> Quotient {
    let below = vec4<u32>(x < y);
    let exponent = (vec4<u32>(126u) - below) << vec4<u32>(23u);
    // The digits of the quotient, whose remainder says how far they are off: it has fewer than 32 bits.
    let step = bitcast<vec4<i32>>(y);
    let digits = near_quotient(x, y) - exponent;
    var rest = bitcast<vec4<i32>>((x << (vec4<u32>(23u) + below)) - digits * y);
    var up = quotient_step(rest, step);
    rest -= up * step;
    if any(quotient_step(rest, step) != vec4<i32>(0i)) {
        let second = quotient_step(rest, step);
        rest -= second * step;
        let third = quotient_step(rest, step);
        rest -= third * step;
        up += second + third;
    }
    return Quotient(digits + bitcast<vec4<u32>>(up) + exponent, rest);
}

fn subnormal_quotient(digits: vec4<u32>, rest: vec4<i32>, exponent: vec4<i32>) -> vec4<u32> {
    let exact = ((digits - vec4<u32>(rest < vec4<i32>(0i))) << vec4<u32>(1u)) | vec4<u32>(rest != vec4<i32>(0i));
    let shift = bitcast<vec4<u32>>(clamp(vec4<i32>(1i) - exponent, vec4<i32>(0i), vec4<i32>(25i)));
    let half = vec4<u32>(1u) << shift;
    let kept = exact >> (shift + vec4<u32>(1u));
    let cut = exact & ((half << vec4<u32>(1u)) - vec4<u32>(1u));
    let odd = (kept & vec4<u32>(1u)) == vec4<u32>(1u);
    return kept + vec4<u32>((cut > half) | ((cut == half) & odd));
}

fn rounded_div(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return divided_by_digits(a, b);
}

fn divided_by_digits(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let none = vec4<u32>(0u);
    let one = vec4<u32>(0x00800000u);
    let infinity = vec4<u32>(0x7f800000u);
    let bits_a = bitcast<vec4<u32>>(a) & vec4<u32>(0x7fffffffu);
    let bits_b = bitcast<vec4<u32>>(b) & vec4<u32>(0x7fffffffu);
    var sign = (bitcast<vec4<u32>>(a) ^ bitcast<vec4<u32>>(b)) & vec4<u32>(0x80000000u);
    // Dividends of 0 are not rare: they are computed as a power of 2.
    let is_zero = bits_a == none;
    let normal = all(((bits_a - one < vec4<u32>(0x7f000000u)) | is_zero) & (bits_b - one < vec4<u32>(0x7f000000u)));
    // The 24 digits of each, and by what power of 2 their quotient is larger.
    var x = (bits_a & vec4<u32>(0x007fffffu)) | one;
    var y = (bits_b & vec4<u32>(0x007fffffu)) | one;
    var power = bitcast<vec4<i32>>((bits_a >> vec4<u32>(23u)) - (bits_b >> vec4<u32>(23u)));
    if !normal {
        let small_a = bits_a < one;
        let small_b = bits_b < one;
        let zeros_a = countLeadingZeros(bits_a) - vec4<u32>(8u);
        let zeros_b = countLeadingZeros(bits_b) - vec4<u32>(8u);
        x = select(x, bits_a << (zeros_a & vec4<u32>(31u)), small_a);
        y = select(y, bits_b << (zeros_b & vec4<u32>(31u)), small_b);
        power += bitcast<vec4<i32>>(select(none, vec4<u32>(1u) - zeros_a, small_a));
        power -= bitcast<vec4<i32>>(select(none, vec4<u32>(1u) - zeros_b, small_b));
    }
    let of_digits = rounded_quotient(x, y);
    // What is no normal number is none in this sum either.
    var quotient = of_digits.bits + (bitcast<vec4<u32>>(power) << vec4<u32>(23u));
    let is_usual = normal && all((quotient - one < vec4<u32>(0x7f000000u)) | is_zero);
    quotient = select(quotient, none, is_zero);
    if !is_usual {
        let exponent = power + bitcast<vec4<i32>>(of_digits.bits >> vec4<u32>(23u));
        let digits = (of_digits.bits & vec4<u32>(0x007fffffu)) | one;
        quotient = select(quotient, subnormal_quotient(digits, of_digits.rest, exponent), exponent < vec4<i32>(1i));
        let zero = is_zero | (bits_b == infinity);
        let infinite = (bits_a == infinity) | (bits_b == none);
        let nan = (bits_a > infinity) | (bits_b > infinity) | (zero & infinite);
        quotient = select(quotient, infinity, infinite | (exponent > vec4<i32>(254i)));
        quotient = select(quotient, none, zero);
        quotient = select(quotient, vec4<u32>(0x7fc00000u), nan);
        sign = select(sign, none, nan);
    }
    return bitcast<vec4<f32>>(quotient | sign);
}

fn math_hold(v: vec4<f32>, zero: vec4<u32>) -> vec4<f32> {
  return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | zero);
}

fn math_zero_bits(n: vec4<f32>) -> vec4<u32> {
  return bitcast<vec4<u32>>(n) & vec4<u32>(0x7ffu);
}

fn math_whole(n: vec4<f32>) -> vec4<i32> {
  return bitcast<vec4<i32>>(n + 12582912.0) - vec4<i32>(0x4b400000);
}

fn math_reduce_ln2(x: vec4<f32>, n: vec4<f32>) -> vec4<f32> {
  return math_hold(x - n * 0.693359375, math_zero_bits(n)) + n * 2.1219444e-4;
}

fn math_scale_pow2(y: vec4<f32>, n: vec4<i32>) -> vec4<f32> {
  let h = n >> vec4<u32>(1u);
  let a = bitcast<vec4<f32>>(bitcast<vec4<i32>>(y) + ((n - h) << vec4<u32>(23u)));
  return a * bitcast<vec4<f32>>((h + vec4<i32>(127)) << vec4<u32>(23u));
}

fn math_is_nan(x: vec4<f32>) -> vec4<bool> {
  return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
}

fn math_exp_poly(r: vec4<f32>) -> vec4<f32> {
  var p = r * 0.0013820734 + 0.008368677;
  p = p * r + 0.041668266;
  p = p * r + 0.16666521;
  p = p * r + 0.49999994;
  p = p * r + 1.0;
  return p * r + 1.0;
}

fn math_exp_clamped(x: vec4<f32>) -> vec4<f32> {
  let c = min(max(x, vec4<f32>(-104.0)), vec4<f32>(89.0));
  let n = round(c * 1.442695);
  let r = math_reduce_ln2(c, n);
  return math_scale_pow2(math_exp_poly(r), math_whole(n));
}

fn precise_exp(x: vec4<f32>) -> vec4<f32> {
  return select(math_exp_clamped(x), x, math_is_nan(x));
}

struct Axis { extent: u32, multiplier: u32, shift: u32, step: u32, strides: array<vec4<u32>, 1> }
struct Table {
    rows: u32,
    count: u32,
    steps: u32,
    parts: u32,
    each: u32,
    inner: u32,
    pitch: u32,
    first: u32,
    all_parts: u32,
    position: u32,
    output: u32,
    zero: u32,
    @align(16) offsets: array<vec4<u32>, 1>,
    @align(16) axes: array<Axis, 2>,
}
@group(0) @binding(0) var<uniform> table: Table;
@group(0) @binding(1) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn fold0(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return select(b, a, less_f(b, a) | is_nan_f(a)); }
fn neutral0() -> vec4<f32> { return bitcast<vec4<f32>>(vec4<u32>(table.zero | 4286578688u)); }
fn fold1(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return opaque(a + b); }
fn neutral1() -> vec4<f32> { return bitcast<vec4<f32>>(vec4<u32>(table.zero | 2147483648u)); }
fn term1(x0_bits: vec4<u32>, f0_bits: vec4<u32>) -> vec4<u32> {
    let x0 = bitcast<vec4<f32>>(x0_bits);
    let f0 = bitcast<vec4<f32>>(f0_bits);
    let s0: vec4<f32> = opaque(x0 - opaque_operand(f0));
    let s1: vec4<f32> = opaque(precise_exp(s0));
    let s1_bits = bitcast<vec4<u32>>(s1);
    return s1_bits;
}
fn quad(s1_bits: vec4<u32>, f1_bits: vec4<u32>) -> vec4<u32> {
    let s1 = bitcast<vec4<f32>>(s1_bits);
    let f1 = bitcast<vec4<f32>>(f1_bits);
    let s2: vec4<f32> = rounded_div(s1, opaque_operand(f1));
    let s2_bits = bitcast<vec4<u32>>(s2);
    return s2_bits;
}
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
