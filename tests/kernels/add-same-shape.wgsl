@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = id;
    let q = ((group.z * groups.y + group.y) * groups.x + group.x) * 1024u + local;
    if q >= table.quads { return; }
    let has_b1 = q + 256u < table.quads;
    let q_b1 = select(q, q + 256u, has_b1);
    let has_b2 = q + 512u < table.quads;
    let q_b2 = select(q, q + 512u, has_b2);
    let has_b3 = q + 768u < table.quads;
    let q_b3 = select(q, q + 768u, has_b3);
    let v0 = in0[q];
    let v1 = in1[q];
    let rq = quad(v0, v1);
    let v0_b1 = in0[q_b1];
    let v1_b1 = in1[q_b1];
    let rq_b1 = quad(v0_b1, v1_b1);
    let v0_b2 = in0[q_b2];
    let v1_b2 = in1[q_b2];
    let rq_b2 = quad(v0_b2, v1_b2);
    let v0_b3 = in0[q_b3];
    let v1_b3 = in1[q_b3];
    let rq_b3 = quad(v0_b3, v1_b3);
    store(q, rq);
    if has_b1 { store(q_b1, rq_b1); }
    if has_b2 { store(q_b2, rq_b2); }
    if has_b3 { store(q_b3, rq_b3); }
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
    @align(16) axes: array<Axis, 1>,
}
@group(0) @binding(0) var<uniform> table: Table;
@group(0) @binding(1) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
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
