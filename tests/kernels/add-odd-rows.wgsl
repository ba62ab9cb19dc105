@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = id;
    let q = ((group.z * groups.y + group.y) * groups.x + group.x) * 256u + local;
    if q >= table.apart { return; }
    let rest0 = divide(4u * q, table.axes[0].multiplier, table.axes[0].shift);
    let c0 = 4u * q - rest0 * table.axes[0].extent;
    let lanes = vec4<u32>(c0) + vec4<u32>(0u, 1u, 2u, 3u);
    let past = lanes >= vec4<u32>(table.axes[0].extent);
    let in_row = select(lanes, lanes - vec4<u32>(table.axes[0].extent), past);
    let a1 = 0u;
    let n1 = 0u;
    let has_d1 = q + 1u * table.apart < table.quads;
    let q_d1 = select(q, q + table.apart, has_d1);
    let has_d2 = q + 2u * table.apart < table.quads;
    let q_d2 = select(q_d1, q + 2u * table.apart, has_d2);
    let has_d3 = q + 3u * table.apart < table.quads;
    let q_d3 = select(q_d2, q + 3u * table.apart, has_d3);
    let v0 = in0[q];
    let at_v1 = vec4<u32>(a1) + in_row;
    let v1 = vec4<u32>(get1(at_v1.x), get1(at_v1.y), get1(at_v1.z), get1(at_v1.w));
    let rq = quad(v0, v1);
    let v0_d1 = in0[q_d1];
    let rq_d1 = quad(v0_d1, v1);
    let v0_d2 = in0[q_d2];
    let rq_d2 = quad(v0_d2, v1);
    let v0_d3 = in0[q_d3];
    let rq_d3 = quad(v0_d3, v1);
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
@group(0) @binding(1) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in1: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn get1(e: u32) -> u32 { return in1[e]; }
fn quad(x0_bits: vec4<u32>, x1_bits: vec4<u32>) -> vec4<u32> {
    let x0 = bitcast<vec4<f32>>(x0_bits);
    let x1 = bitcast<vec4<f32>>(x1_bits);
    let s0: vec4<f32> = x0 + x1;
    let s0_bits = bitcast<vec4<u32>>(s0);
    return s0_bits;
}
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
