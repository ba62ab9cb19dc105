@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = id;
    let q = ((group.z * groups.y + group.y) * groups.x + group.x) * 1024u + local * 4u;
    if q >= table.quads { return; }
    let rest0 = divide(4u * q, table.axes[0].multiplier, table.axes[0].shift);
    let c0 = 4u * q - rest0 * table.axes[0].extent;
    let c1 = rest0;
    let lanes = vec4<u32>(c0) + vec4<u32>(0u, 1u, 2u, 3u);
    let past = lanes >= vec4<u32>(table.axes[0].extent);
    let in_row = select(lanes, lanes - vec4<u32>(table.axes[0].extent), past);
    let ends_m1 = c1 + 1u == table.axes[1].extent;
    let m1 = select(c1 + 1u, 0u, ends_m1);
    let a1 = 0u + c1 * table.axes[1].strides[0].y;
    let n1 = 0u + m1 * table.axes[1].strides[0].y;
    let v0 = in0[q];
    let v1 = select_words(get1(a1), get1(n1), past);
    let rq = quad(v0, v1);
    store(q, rq);
    let has_b1 = q + 1u < table.quads;
    let q_b1 = select(q, q + 1u, has_b1);
    let wide0_b1 = c0 + table.axes[0].step;
    let over0_b1 = wide0_b1 >= table.axes[0].extent;
    let c0_b1 = select(wide0_b1, wide0_b1 - table.axes[0].extent, over0_b1);
    let wide1_b1 = c1 + table.axes[1].step + u32(over0_b1);
    let over1_b1 = wide1_b1 >= table.axes[1].extent;
    let c1_b1 = select(wide1_b1, wide1_b1 - table.axes[1].extent, over1_b1);
    let lanes_b1 = vec4<u32>(c0_b1) + vec4<u32>(0u, 1u, 2u, 3u);
    let past_b1 = lanes_b1 >= vec4<u32>(table.axes[0].extent);
    let in_row_b1 = select(lanes_b1, lanes_b1 - vec4<u32>(table.axes[0].extent), past_b1);
    let ends_m1_b1 = c1_b1 + 1u == table.axes[1].extent;
    let m1_b1 = select(c1_b1 + 1u, 0u, ends_m1_b1);
    let a1_b1 = 0u + c1_b1 * table.axes[1].strides[0].y;
    let n1_b1 = 0u + m1_b1 * table.axes[1].strides[0].y;
    let v0_b1 = in0[q_b1];
    let v1_b1 = select_words(get1(a1_b1), get1(n1_b1), past_b1);
    let rq_b1 = quad(v0_b1, v1_b1);
    if has_b1 { store(q_b1, rq_b1); }
    let has_b2 = q + 2u < table.quads;
    let q_b2 = select(q, q + 2u, has_b2);
    let wide0_b2 = c0_b1 + table.axes[0].step;
    let over0_b2 = wide0_b2 >= table.axes[0].extent;
    let c0_b2 = select(wide0_b2, wide0_b2 - table.axes[0].extent, over0_b2);
    let wide1_b2 = c1_b1 + table.axes[1].step + u32(over0_b2);
    let over1_b2 = wide1_b2 >= table.axes[1].extent;
    let c1_b2 = select(wide1_b2, wide1_b2 - table.axes[1].extent, over1_b2);
    let lanes_b2 = vec4<u32>(c0_b2) + vec4<u32>(0u, 1u, 2u, 3u);
    let past_b2 = lanes_b2 >= vec4<u32>(table.axes[0].extent);
    let in_row_b2 = select(lanes_b2, lanes_b2 - vec4<u32>(table.axes[0].extent), past_b2);
    let ends_m1_b2 = c1_b2 + 1u == table.axes[1].extent;
    let m1_b2 = select(c1_b2 + 1u, 0u, ends_m1_b2);
    let a1_b2 = 0u + c1_b2 * table.axes[1].strides[0].y;
    let n1_b2 = 0u + m1_b2 * table.axes[1].strides[0].y;
    let v0_b2 = in0[q_b2];
    let v1_b2 = select_words(get1(a1_b2), get1(n1_b2), past_b2);
    let rq_b2 = quad(v0_b2, v1_b2);
    if has_b2 { store(q_b2, rq_b2); }
    let has_b3 = q + 3u < table.quads;
    let q_b3 = select(q, q + 3u, has_b3);
    let wide0_b3 = c0_b2 + table.axes[0].step;
    let over0_b3 = wide0_b3 >= table.axes[0].extent;
    let c0_b3 = select(wide0_b3, wide0_b3 - table.axes[0].extent, over0_b3);
    let wide1_b3 = c1_b2 + table.axes[1].step + u32(over0_b3);
    let over1_b3 = wide1_b3 >= table.axes[1].extent;
    let c1_b3 = select(wide1_b3, wide1_b3 - table.axes[1].extent, over1_b3);
    let lanes_b3 = vec4<u32>(c0_b3) + vec4<u32>(0u, 1u, 2u, 3u);
    let past_b3 = lanes_b3 >= vec4<u32>(table.axes[0].extent);
    let in_row_b3 = select(lanes_b3, lanes_b3 - vec4<u32>(table.axes[0].extent), past_b3);
    let ends_m1_b3 = c1_b3 + 1u == table.axes[1].extent;
    let m1_b3 = select(c1_b3 + 1u, 0u, ends_m1_b3);
    let a1_b3 = 0u + c1_b3 * table.axes[1].strides[0].y;
    let n1_b3 = 0u + m1_b3 * table.axes[1].strides[0].y;
    let v0_b3 = in0[q_b3];
    let v1_b3 = select_words(get1(a1_b3), get1(n1_b3), past_b3);
    let rq_b3 = quad(v0_b3, v1_b3);
    if has_b3 { store(q_b3, rq_b3); }
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

fn select_words(row: u32, next: u32, past: vec4<bool>) -> vec4<u32> {
    return select(vec4<u32>(row), vec4<u32>(next), past);
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
