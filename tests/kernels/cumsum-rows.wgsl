var<workgroup> shared_floats: array<vec4<f32>, 256>;
@compute @workgroup_size(256)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let number = (group.z * groups.y + group.y) * groups.x + group.x;
    let row = number * 1u + (index >> 8u);
    let thread = index & 255u;
    let inside = row < table.rows;
    let row0 = min(row, table.rows - 1u);
    let at0 = row0;
    let base0 = 0u + at0 * table.axes[0].strides[0].x;
    let base1 = 0u + at0 * table.axes[0].strides[0].y;
    let none = neutral0();
    let p0_0 = thread * 4u + 0u;
    let in0_0 = 4u * p0_0 < table.count;
    let q0_0 = select(0u, p0_0, in0_0);
    let x0_0_0 = in0[(base0 >> 2u) + q0_0];
    let p0_1 = thread * 4u + 1u;
    let in0_1 = 4u * p0_1 < table.count;
    let q0_1 = select(0u, p0_1, in0_1);
    let x0_0_1 = in0[(base0 >> 2u) + q0_1];
    let p0_2 = thread * 4u + 2u;
    let in0_2 = 4u * p0_2 < table.count;
    let q0_2 = select(0u, p0_2, in0_2);
    let x0_0_2 = in0[(base0 >> 2u) + q0_2];
    let p0_3 = thread * 4u + 3u;
    let in0_3 = 4u * p0_3 < table.count;
    let q0_3 = select(0u, p0_3, in0_3);
    let x0_0_3 = in0[(base0 >> 2u) + q0_3];
    let v0 = bitcast<vec4<f32>>(x0_0_0);
    let a0_0 = fold0(none, v0.xxxx);
    let a0_1 = fold0(a0_0, v0.yyyy);
    let a0_2 = fold0(a0_1, v0.zzzz);
    let a0_3 = fold0(a0_2, v0.wwww);
    let b0 = vec4<f32>(a0_0.x, a0_1.x, a0_2.x, a0_3.x);
    let v1 = bitcast<vec4<f32>>(x0_0_1);
    let a1_0 = fold0(a0_3, v1.xxxx);
    let a1_1 = fold0(a1_0, v1.yyyy);
    let a1_2 = fold0(a1_1, v1.zzzz);
    let a1_3 = fold0(a1_2, v1.wwww);
    let b1 = vec4<f32>(a1_0.x, a1_1.x, a1_2.x, a1_3.x);
    let v2 = bitcast<vec4<f32>>(x0_0_2);
    let a2_0 = fold0(a1_3, v2.xxxx);
    let a2_1 = fold0(a2_0, v2.yyyy);
    let a2_2 = fold0(a2_1, v2.zzzz);
    let a2_3 = fold0(a2_2, v2.wwww);
    let b2 = vec4<f32>(a2_0.x, a2_1.x, a2_2.x, a2_3.x);
    let v3 = bitcast<vec4<f32>>(x0_0_3);
    let a3_0 = fold0(a2_3, v3.xxxx);
    let a3_1 = fold0(a3_0, v3.yyyy);
    let a3_2 = fold0(a3_1, v3.zzzz);
    let a3_3 = fold0(a3_2, v3.wwww);
    let b3 = vec4<f32>(a3_0.x, a3_1.x, a3_2.x, a3_3.x);
    let total = a3_3;
    let first = index - thread;
    shared_floats[index] = total;
    workgroupBarrier();
    var before1 = none;
    for (var k = thread - (thread & 15u); k < thread; k++) {
        before1 = fold0(before1, shared_floats[first + k * 1u]);
    }
    let total1 = fold0(before1, total);
    workgroupBarrier();
    if (thread & 15u) == 15u {
        shared_floats[first + (thread >> 4u) * 1u] = total1;
    }
    workgroupBarrier();
    var before2 = none;
    for (var k = 0u; k < (thread >> 4u); k++) {
        before2 = fold0(before2, shared_floats[first + k * 1u]);
    }
    let before = fold0(before2, before1);
    let r0 = fold0(before, b0);
    let f0_0_0 = bitcast<vec4<u32>>(r0);
    if inside && in0_0 {
        let to0_0 = base1 + (4u * q0_0) * table.axes[1].strides[0].y;
        let bits0_0 = f0_0_0;
        store(bitcast<u32>(bitcast<i32>(to0_0) >> 2u), bits0_0);
    }
    let r1 = fold0(before, b1);
    let f0_0_1 = bitcast<vec4<u32>>(r1);
    if inside && in0_1 {
        let to0_1 = base1 + (4u * q0_1) * table.axes[1].strides[0].y;
        let bits0_1 = f0_0_1;
        store(bitcast<u32>(bitcast<i32>(to0_1) >> 2u), bits0_1);
    }
    let r2 = fold0(before, b2);
    let f0_0_2 = bitcast<vec4<u32>>(r2);
    if inside && in0_2 {
        let to0_2 = base1 + (4u * q0_2) * table.axes[1].strides[0].y;
        let bits0_2 = f0_0_2;
        store(bitcast<u32>(bitcast<i32>(to0_2) >> 2u), bits0_2);
    }
    let r3 = fold0(before, b3);
    let f0_0_3 = bitcast<vec4<u32>>(r3);
    if inside && in0_3 {
        let to0_3 = base1 + (4u * q0_3) * table.axes[1].strides[0].y;
        let bits0_3 = f0_0_3;
        store(bitcast<u32>(bitcast<i32>(to0_3) >> 2u), bits0_3);
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
