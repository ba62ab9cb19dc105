@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = id;
    let number = ((group.z * groups.y + group.y) * groups.x + group.x) * 256u + local;
    let row = divide(2u * number, table.axes[0].multiplier, table.axes[0].shift);
    let own = number - row * table.axes[0].extent;
    if row >= table.high { return; }
    let along = own;
    let q = row * table.in_row + along;
    let p1 = 0u;
    let p2 = 0u;
    let has_d1 = row + 1u * table.high < table.rows;
    let q_d1 = select(q, q + table.apart, has_d1);
    let has_d2 = row + 2u * table.high < table.rows;
    let q_d2 = select(q_d1, q + 2u * table.apart, has_d2);
    let has_d3 = row + 3u * table.high < table.rows;
    let q_d3 = select(q_d2, q + 3u * table.apart, has_d3);
    let v0 = in0[q];
    let v1 = in1[(p1 >> 2u) + along];
    let v2 = in2[(p2 >> 2u) + along];
    let rq = quad(v0, v1, v2);
    let v0_d1 = in0[q_d1];
    let rq_d1 = quad(v0_d1, v1, v2);
    let v0_d2 = in0[q_d2];
    let rq_d2 = quad(v0_d2, v1, v2);
    let v0_d3 = in0[q_d3];
    let rq_d3 = quad(v0_d3, v1, v2);
    store(q, rq);
    if has_d1 { store(q_d1, rq_d1); }
    if has_d2 { store(q_d2, rq_d2); }
    if has_d3 { store(q_d3, rq_d3); }
}

fn mul_high(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let mid = a1 * b0 + (low >> 16u);
    let cross = a0 * b1 + (mid & 0xffffu);
    return a1 * b1 + (mid >> 16u) + (cross >> 16u);
}

fn divide(n: u32, multiplier: u32, shift: u32) -> u32 {
    return mul_high(n, multiplier) >> shift;
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

struct Scalars { rows: array<vec4<u32>, 1> }
struct Axis { extent: u32, multiplier: u32, shift: u32, step: u32, strides: array<vec4<u32>, 1> }
struct Table {
    elements: u32,
    quads: u32,
    in_row: u32,
    rows: u32,
    high: u32,
    apart: u32,
    rank: u32,
    shift: u32,
    output: u32,
    zero: u32,
    @align(16) offsets: array<vec4<u32>, 1>,
    @align(16) steps: array<vec4<u32>, 1>,
    @align(16) axes: array<Axis, 2>,
}
@group(0) @binding(0) var<uniform> table: Table;
@group(0) @binding(1) var<uniform> scalars: Scalars;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read> in2: array<vec4<u32>>;
@group(0) @binding(5) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn quad(x0_bits: vec4<u32>, x1_bits: vec4<u32>, x2_bits: vec4<u32>) -> vec4<u32> {
    let x0 = bitcast<vec4<f32>>(x0_bits);
    let x1 = bitcast<vec4<f32>>(x1_bits);
    let s0: vec4<f32> = opaque(x0 - opaque_operand(x1));
    let x2 = bitcast<vec4<f32>>(x2_bits);
    let s1: vec4<f32> = opaque(rounded_div(s0, opaque_operand(x2)));
    let k0_bits = vec4<u32>(scalars.rows[0].x);
    let k0 = bitcast<vec4<f32>>(k0_bits);
    let s2: vec4<f32> = s1 * k0;
    let s2_bits = bitcast<vec4<u32>>(s2);
    return s2_bits;
}
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
