@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = id;
    let row = group.z * groups.y + group.y;
    let own = group.x * 256u + local;
    if row >= table.high || own >= table.axes[0].extent { return; }
    let along = own;
    let q = row * table.in_row + along;
    var p2 = 0u;
    var rest = row;
    {
        let c = rest;
        p2 += c * table.axes[1].strides[0].z;
    }
    let has_b1 = along + 1u * table.axes[0].extent < table.in_row;
    let along_b1 = select(along, along + 1u * table.axes[0].extent, has_b1);
    let q_b1 = q - along + along_b1;
    let has_b2 = along + 2u * table.axes[0].extent < table.in_row;
    let along_b2 = select(along, along + 2u * table.axes[0].extent, has_b2);
    let q_b2 = q - along + along_b2;
    let has_b3 = along + 3u * table.axes[0].extent < table.in_row;
    let along_b3 = select(along, along + 3u * table.axes[0].extent, has_b3);
    let q_b3 = q - along + along_b3;
    let v0 = in0[min((q) & (0xffffffffu >> 2u), arrayLength(&in0) - 1u)];
    let v1 = in1[min((q + (table.offsets[0].y >> 2u)) & (0xffffffffu >> 2u), arrayLength(&in1) - 1u)];
    let at_v2 = vec4<u32>(p2) + (vec4<u32>(4u * along) + vec4<u32>(0u, 1u, 2u, 3u)) * table.axes[0].strides[0].z;
    let v2 = vec4<u32>(get2(at_v2.x), get2(at_v2.y), get2(at_v2.z), get2(at_v2.w));
    let rq = quad(v0, v1, v2);
    let v0_b1 = in0[min((q_b1) & (0xffffffffu >> 2u), arrayLength(&in0) - 1u)];
    let v1_b1 = in1[min((q_b1 + (table.offsets[0].y >> 2u)) & (0xffffffffu >> 2u), arrayLength(&in1) - 1u)];
    let rq_b1 = quad(v0_b1, v1_b1, v2);
    let v0_b2 = in0[min((q_b2) & (0xffffffffu >> 2u), arrayLength(&in0) - 1u)];
    let v1_b2 = in1[min((q_b2 + (table.offsets[0].y >> 2u)) & (0xffffffffu >> 2u), arrayLength(&in1) - 1u)];
    let rq_b2 = quad(v0_b2, v1_b2, v2);
    let v0_b3 = in0[min((q_b3) & (0xffffffffu >> 2u), arrayLength(&in0) - 1u)];
    let v1_b3 = in1[min((q_b3 + (table.offsets[0].y >> 2u)) & (0xffffffffu >> 2u), arrayLength(&in1) - 1u)];
    let rq_b3 = quad(v0_b3, v1_b3, v2);
    store(q, rq);
    if has_b1 { store(q_b1, rq_b1); }
    if has_b2 { store(q_b2, rq_b2); }
    if has_b3 { store(q_b3, rq_b3); }
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
    @align(16) axes: array<Axis, 2>,
}
@group(0) @binding(0) var<uniform> table: Table;
@group(0) @binding(1) var<uniform> scalars: Scalars;
@group(0) @binding(2) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn get2(e: u32) -> u32 { return e; }
fn quad(x0_bits: vec4<u32>, x1_bits: vec4<u32>, x2_bits: vec4<u32>) -> vec4<u32> {
    let x2 = x2_bits;
    let k0_bits = vec4<u32>(scalars.rows[0].x);
    let k0 = k0_bits;
    let s0: vec4<bool> = x2 < k0;
    let s1_bits = select(x1_bits, x0_bits, s0);
    return s1_bits;
}
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
