var<workgroup> shared_floats: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let number = (group.z * groups.y + group.y) * groups.x + group.x;
    let row = number * 8u + (index & 7u);
    let thread = index >> 3u;
    let inside = row < table.rows;
    let row0 = min(row, table.rows - 1u);
    let at0 = row0;
    let column = 4u * at0;
    let columns = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(table.inner - 1u));
    let result_row = 0u * table.inner + column;
    let base0 = 0u + column * table.axes[0].strides[0].x;
    var a0_1_0 = neutral0();
    var a0_1_1 = neutral0();
    var a0_1_2 = neutral0();
    var a0_1_3 = neutral0();
    var a0_1_4 = neutral0();
    var a0_1_5 = neutral0();
    var a0_1_6 = neutral0();
    var a0_1_7 = neutral0();
    for (var s = 0u; s < table.steps; s += 1u) {
        let p0_0 = s * 256u + thread;
        let q0_0 = p0_0;
        let x0_0_0 = in0[(base0 + (q0_0) * table.axes[1].strides[0].x) >> 2u];
        let p0_1 = s * 256u + 32u + thread;
        let q0_1 = p0_1;
        let x0_0_1 = in0[(base0 + (q0_1) * table.axes[1].strides[0].x) >> 2u];
        let p0_2 = s * 256u + 64u + thread;
        let q0_2 = p0_2;
        let x0_0_2 = in0[(base0 + (q0_2) * table.axes[1].strides[0].x) >> 2u];
        let p0_3 = s * 256u + 96u + thread;
        let q0_3 = p0_3;
        let x0_0_3 = in0[(base0 + (q0_3) * table.axes[1].strides[0].x) >> 2u];
        let p0_4 = s * 256u + 128u + thread;
        let q0_4 = p0_4;
        let x0_0_4 = in0[(base0 + (q0_4) * table.axes[1].strides[0].x) >> 2u];
        let p0_5 = s * 256u + 160u + thread;
        let q0_5 = p0_5;
        let x0_0_5 = in0[(base0 + (q0_5) * table.axes[1].strides[0].x) >> 2u];
        let p0_6 = s * 256u + 192u + thread;
        let q0_6 = p0_6;
        let x0_0_6 = in0[(base0 + (q0_6) * table.axes[1].strides[0].x) >> 2u];
        let p0_7 = s * 256u + 224u + thread;
        let q0_7 = p0_7;
        let x0_0_7 = in0[(base0 + (q0_7) * table.axes[1].strides[0].x) >> 2u];
        a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_0_0));
        a0_1_1 = fold0(a0_1_1, bitcast<vec4<f32>>(x0_0_1));
        a0_1_2 = fold0(a0_1_2, bitcast<vec4<f32>>(x0_0_2));
        a0_1_3 = fold0(a0_1_3, bitcast<vec4<f32>>(x0_0_3));
        a0_1_4 = fold0(a0_1_4, bitcast<vec4<f32>>(x0_0_4));
        a0_1_5 = fold0(a0_1_5, bitcast<vec4<f32>>(x0_0_5));
        a0_1_6 = fold0(a0_1_6, bitcast<vec4<f32>>(x0_0_6));
        a0_1_7 = fold0(a0_1_7, bitcast<vec4<f32>>(x0_0_7));
    }
    a0_1_0 = fold0(a0_1_0, a0_1_4);
    a0_1_1 = fold0(a0_1_1, a0_1_5);
    a0_1_2 = fold0(a0_1_2, a0_1_6);
    a0_1_3 = fold0(a0_1_3, a0_1_7);
    a0_1_0 = fold0(a0_1_0, a0_1_2);
    a0_1_1 = fold0(a0_1_1, a0_1_3);
    a0_1_0 = fold0(a0_1_0, a0_1_1);
    workgroupBarrier();
    shared_floats[index] = a0_1_0;
    workgroupBarrier();
    if thread < 4u {
        var l0_0 = shared_floats[index + 0u];
        var l0_1 = shared_floats[index + 32u];
        var l0_2 = shared_floats[index + 64u];
        var l0_3 = shared_floats[index + 96u];
        var l0_4 = shared_floats[index + 128u];
        var l0_5 = shared_floats[index + 160u];
        var l0_6 = shared_floats[index + 192u];
        var l0_7 = shared_floats[index + 224u];
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
        var l0_1 = shared_floats[index + 8u];
        var l0_2 = shared_floats[index + 16u];
        var l0_3 = shared_floats[index + 24u];
        l0_0 = fold0(l0_0, l0_2);
        l0_1 = fold0(l0_1, l0_3);
        l0_0 = fold0(l0_0, l0_1);
        shared_floats[index] = l0_0;
    }
    workgroupBarrier();
    let t0 = shared_floats[(index & 7u)];
    let f0_bits = bitcast<vec4<u32>>(t0);
    if inside && thread == 0u {
        let bits = f0_bits;
        store((result_row) >> 2u, bits);
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
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn fold0(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return opaque(a + b); }
fn neutral0() -> vec4<f32> { return bitcast<vec4<f32>>(vec4<u32>(table.zero | 2147483648u)); }
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
