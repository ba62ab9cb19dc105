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
    var a0_1_0 = neutral0();
    for (var s = 0u; s < table.steps; s += 8u) {
        let p0_0 = s * 64u + thread;
        let q0_0 = p0_0;
        let x0_0_0 = in0[(base0 >> 2u) + q0_0];
        let p1_0 = (s + 1u) * 64u + thread;
        let q1_0 = p1_0;
        let x0_1_0 = in0[(base0 >> 2u) + q1_0];
        let p2_0 = (s + 2u) * 64u + thread;
        let q2_0 = p2_0;
        let x0_2_0 = in0[(base0 >> 2u) + q2_0];
        let p3_0 = (s + 3u) * 64u + thread;
        let q3_0 = p3_0;
        let x0_3_0 = in0[(base0 >> 2u) + q3_0];
        let p4_0 = (s + 4u) * 64u + thread;
        let q4_0 = p4_0;
        let x0_4_0 = in0[(base0 >> 2u) + q4_0];
        let p5_0 = (s + 5u) * 64u + thread;
        let q5_0 = p5_0;
        let x0_5_0 = in0[(base0 >> 2u) + q5_0];
        let p6_0 = (s + 6u) * 64u + thread;
        let q6_0 = p6_0;
        let x0_6_0 = in0[(base0 >> 2u) + q6_0];
        let p7_0 = (s + 7u) * 64u + thread;
        let q7_0 = p7_0;
        let x0_7_0 = in0[(base0 >> 2u) + q7_0];
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_0_0));
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_1_0));
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_2_0));
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_3_0));
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_4_0));
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_5_0));
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_6_0));
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_7_0));
    }
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
    if inside && thread == 0u {
        let bits = f0_bits;
        result[row] = bits.x;
    }
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
@group(0) @binding(2) var<storage, read_write> result: array<u32>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn fold0(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return opaque(a + b); }
fn neutral0() -> vec4<f32> { return bitcast<vec4<f32>>(vec4<u32>(table.zero | 2147483648u)); }
