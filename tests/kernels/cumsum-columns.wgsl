@compute @workgroup_size(64)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let number = (group.z * groups.y + group.y) * groups.x + group.x;
    let row = number * 64u + index;
    let inside = row < table.rows;
    let row0 = min(row, table.rows - 1u);
    let at0 = row0;
    let column = 4u * at0;
    let columns = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(table.inner - 1u));
    let result_row = 0u * table.inner + column;
    let base0 = 0u + column * table.axes[0].strides[0].x;
    let base1 = 0u + column * table.axes[0].strides[0].y;
    let none = neutral0();
    var prefix2 = none;
    for (var s2 = 0u; s2 < table.steps; s2 += 16u) {
        let before2 = fold0(none, prefix2);
        let e2 = min(s2 + 16u, table.steps);
        var prefix1 = none;
        for (var s1 = s2; s1 < e2; s1 += 1u) {
            let before1 = fold0(before2, prefix1);
            let p0_0 = s1 * 16u + 0u;
            let in0_0 = p0_0 < table.count;
            let q0_0 = select(0u, p0_0, in0_0);
            let x0_0_0 = in0[(base0 + (q0_0) * table.axes[1].strides[0].x) >> 2u];
            let p0_1 = s1 * 16u + 1u;
            let in0_1 = p0_1 < table.count;
            let q0_1 = select(0u, p0_1, in0_1);
            let x0_0_1 = in0[(base0 + (q0_1) * table.axes[1].strides[0].x) >> 2u];
            let p0_2 = s1 * 16u + 2u;
            let in0_2 = p0_2 < table.count;
            let q0_2 = select(0u, p0_2, in0_2);
            let x0_0_2 = in0[(base0 + (q0_2) * table.axes[1].strides[0].x) >> 2u];
            let p0_3 = s1 * 16u + 3u;
            let in0_3 = p0_3 < table.count;
            let q0_3 = select(0u, p0_3, in0_3);
            let x0_0_3 = in0[(base0 + (q0_3) * table.axes[1].strides[0].x) >> 2u];
            let p0_4 = s1 * 16u + 4u;
            let in0_4 = p0_4 < table.count;
            let q0_4 = select(0u, p0_4, in0_4);
            let x0_0_4 = in0[(base0 + (q0_4) * table.axes[1].strides[0].x) >> 2u];
            let p0_5 = s1 * 16u + 5u;
            let in0_5 = p0_5 < table.count;
            let q0_5 = select(0u, p0_5, in0_5);
            let x0_0_5 = in0[(base0 + (q0_5) * table.axes[1].strides[0].x) >> 2u];
            let p0_6 = s1 * 16u + 6u;
            let in0_6 = p0_6 < table.count;
            let q0_6 = select(0u, p0_6, in0_6);
            let x0_0_6 = in0[(base0 + (q0_6) * table.axes[1].strides[0].x) >> 2u];
            let p0_7 = s1 * 16u + 7u;
            let in0_7 = p0_7 < table.count;
            let q0_7 = select(0u, p0_7, in0_7);
            let x0_0_7 = in0[(base0 + (q0_7) * table.axes[1].strides[0].x) >> 2u];
            let p0_8 = s1 * 16u + 8u;
            let in0_8 = p0_8 < table.count;
            let q0_8 = select(0u, p0_8, in0_8);
            let x0_0_8 = in0[(base0 + (q0_8) * table.axes[1].strides[0].x) >> 2u];
            let p0_9 = s1 * 16u + 9u;
            let in0_9 = p0_9 < table.count;
            let q0_9 = select(0u, p0_9, in0_9);
            let x0_0_9 = in0[(base0 + (q0_9) * table.axes[1].strides[0].x) >> 2u];
            let p0_10 = s1 * 16u + 10u;
            let in0_10 = p0_10 < table.count;
            let q0_10 = select(0u, p0_10, in0_10);
            let x0_0_10 = in0[(base0 + (q0_10) * table.axes[1].strides[0].x) >> 2u];
            let p0_11 = s1 * 16u + 11u;
            let in0_11 = p0_11 < table.count;
            let q0_11 = select(0u, p0_11, in0_11);
            let x0_0_11 = in0[(base0 + (q0_11) * table.axes[1].strides[0].x) >> 2u];
            let p0_12 = s1 * 16u + 12u;
            let in0_12 = p0_12 < table.count;
            let q0_12 = select(0u, p0_12, in0_12);
            let x0_0_12 = in0[(base0 + (q0_12) * table.axes[1].strides[0].x) >> 2u];
            let p0_13 = s1 * 16u + 13u;
            let in0_13 = p0_13 < table.count;
            let q0_13 = select(0u, p0_13, in0_13);
            let x0_0_13 = in0[(base0 + (q0_13) * table.axes[1].strides[0].x) >> 2u];
            let p0_14 = s1 * 16u + 14u;
            let in0_14 = p0_14 < table.count;
            let q0_14 = select(0u, p0_14, in0_14);
            let x0_0_14 = in0[(base0 + (q0_14) * table.axes[1].strides[0].x) >> 2u];
            let p0_15 = s1 * 16u + 15u;
            let in0_15 = p0_15 < table.count;
            let q0_15 = select(0u, p0_15, in0_15);
            let x0_0_15 = in0[(base0 + (q0_15) * table.axes[1].strides[0].x) >> 2u];
            let v0 = bitcast<vec4<f32>>(x0_0_0);
            let a0 = fold0(none, v0);
            let v1 = bitcast<vec4<f32>>(x0_0_1);
            let a1 = fold0(a0, v1);
            let v2 = bitcast<vec4<f32>>(x0_0_2);
            let a2 = fold0(a1, v2);
            let v3 = bitcast<vec4<f32>>(x0_0_3);
            let a3 = fold0(a2, v3);
            let v4 = bitcast<vec4<f32>>(x0_0_4);
            let a4 = fold0(a3, v4);
            let v5 = bitcast<vec4<f32>>(x0_0_5);
            let a5 = fold0(a4, v5);
            let v6 = bitcast<vec4<f32>>(x0_0_6);
            let a6 = fold0(a5, v6);
            let v7 = bitcast<vec4<f32>>(x0_0_7);
            let a7 = fold0(a6, v7);
            let v8 = bitcast<vec4<f32>>(x0_0_8);
            let a8 = fold0(a7, v8);
            let v9 = bitcast<vec4<f32>>(x0_0_9);
            let a9 = fold0(a8, v9);
            let v10 = bitcast<vec4<f32>>(x0_0_10);
            let a10 = fold0(a9, v10);
            let v11 = bitcast<vec4<f32>>(x0_0_11);
            let a11 = fold0(a10, v11);
            let v12 = bitcast<vec4<f32>>(x0_0_12);
            let a12 = fold0(a11, v12);
            let v13 = bitcast<vec4<f32>>(x0_0_13);
            let a13 = fold0(a12, v13);
            let v14 = bitcast<vec4<f32>>(x0_0_14);
            let a14 = fold0(a13, v14);
            let v15 = bitcast<vec4<f32>>(x0_0_15);
            let a15 = fold0(a14, v15);
            let total = a15;
            let r0 = fold0(before1, a0);
            let f0_0_0 = bitcast<vec4<u32>>(r0);
            if inside && in0_0 {
                let to0_0 = base1 + (q0_0) * table.axes[1].strides[0].y;
                let bits0_0 = f0_0_0;
                store(bitcast<u32>(bitcast<i32>(to0_0) >> 2u), bits0_0);
            }
            let r1 = fold0(before1, a1);
            let f0_0_1 = bitcast<vec4<u32>>(r1);
            if inside && in0_1 {
                let to0_1 = base1 + (q0_1) * table.axes[1].strides[0].y;
                let bits0_1 = f0_0_1;
                store(bitcast<u32>(bitcast<i32>(to0_1) >> 2u), bits0_1);
            }
            let r2 = fold0(before1, a2);
            let f0_0_2 = bitcast<vec4<u32>>(r2);
            if inside && in0_2 {
                let to0_2 = base1 + (q0_2) * table.axes[1].strides[0].y;
                let bits0_2 = f0_0_2;
                store(bitcast<u32>(bitcast<i32>(to0_2) >> 2u), bits0_2);
            }
            let r3 = fold0(before1, a3);
            let f0_0_3 = bitcast<vec4<u32>>(r3);
            if inside && in0_3 {
                let to0_3 = base1 + (q0_3) * table.axes[1].strides[0].y;
                let bits0_3 = f0_0_3;
                store(bitcast<u32>(bitcast<i32>(to0_3) >> 2u), bits0_3);
            }
            let r4 = fold0(before1, a4);
            let f0_0_4 = bitcast<vec4<u32>>(r4);
            if inside && in0_4 {
                let to0_4 = base1 + (q0_4) * table.axes[1].strides[0].y;
                let bits0_4 = f0_0_4;
                store(bitcast<u32>(bitcast<i32>(to0_4) >> 2u), bits0_4);
            }
            let r5 = fold0(before1, a5);
            let f0_0_5 = bitcast<vec4<u32>>(r5);
            if inside && in0_5 {
                let to0_5 = base1 + (q0_5) * table.axes[1].strides[0].y;
                let bits0_5 = f0_0_5;
                store(bitcast<u32>(bitcast<i32>(to0_5) >> 2u), bits0_5);
            }
            let r6 = fold0(before1, a6);
            let f0_0_6 = bitcast<vec4<u32>>(r6);
            if inside && in0_6 {
                let to0_6 = base1 + (q0_6) * table.axes[1].strides[0].y;
                let bits0_6 = f0_0_6;
                store(bitcast<u32>(bitcast<i32>(to0_6) >> 2u), bits0_6);
            }
            let r7 = fold0(before1, a7);
            let f0_0_7 = bitcast<vec4<u32>>(r7);
            if inside && in0_7 {
                let to0_7 = base1 + (q0_7) * table.axes[1].strides[0].y;
                let bits0_7 = f0_0_7;
                store(bitcast<u32>(bitcast<i32>(to0_7) >> 2u), bits0_7);
            }
            let r8 = fold0(before1, a8);
            let f0_0_8 = bitcast<vec4<u32>>(r8);
            if inside && in0_8 {
                let to0_8 = base1 + (q0_8) * table.axes[1].strides[0].y;
                let bits0_8 = f0_0_8;
                store(bitcast<u32>(bitcast<i32>(to0_8) >> 2u), bits0_8);
            }
            let r9 = fold0(before1, a9);
            let f0_0_9 = bitcast<vec4<u32>>(r9);
            if inside && in0_9 {
                let to0_9 = base1 + (q0_9) * table.axes[1].strides[0].y;
                let bits0_9 = f0_0_9;
                store(bitcast<u32>(bitcast<i32>(to0_9) >> 2u), bits0_9);
            }
            let r10 = fold0(before1, a10);
            let f0_0_10 = bitcast<vec4<u32>>(r10);
            if inside && in0_10 {
                let to0_10 = base1 + (q0_10) * table.axes[1].strides[0].y;
                let bits0_10 = f0_0_10;
                store(bitcast<u32>(bitcast<i32>(to0_10) >> 2u), bits0_10);
            }
            let r11 = fold0(before1, a11);
            let f0_0_11 = bitcast<vec4<u32>>(r11);
            if inside && in0_11 {
                let to0_11 = base1 + (q0_11) * table.axes[1].strides[0].y;
                let bits0_11 = f0_0_11;
                store(bitcast<u32>(bitcast<i32>(to0_11) >> 2u), bits0_11);
            }
            let r12 = fold0(before1, a12);
            let f0_0_12 = bitcast<vec4<u32>>(r12);
            if inside && in0_12 {
                let to0_12 = base1 + (q0_12) * table.axes[1].strides[0].y;
                let bits0_12 = f0_0_12;
                store(bitcast<u32>(bitcast<i32>(to0_12) >> 2u), bits0_12);
            }
            let r13 = fold0(before1, a13);
            let f0_0_13 = bitcast<vec4<u32>>(r13);
            if inside && in0_13 {
                let to0_13 = base1 + (q0_13) * table.axes[1].strides[0].y;
                let bits0_13 = f0_0_13;
                store(bitcast<u32>(bitcast<i32>(to0_13) >> 2u), bits0_13);
            }
            let r14 = fold0(before1, a14);
            let f0_0_14 = bitcast<vec4<u32>>(r14);
            if inside && in0_14 {
                let to0_14 = base1 + (q0_14) * table.axes[1].strides[0].y;
                let bits0_14 = f0_0_14;
                store(bitcast<u32>(bitcast<i32>(to0_14) >> 2u), bits0_14);
            }
            let r15 = fold0(before1, a15);
            let f0_0_15 = bitcast<vec4<u32>>(r15);
            if inside && in0_15 {
                let to0_15 = base1 + (q0_15) * table.axes[1].strides[0].y;
                let bits0_15 = f0_0_15;
                store(bitcast<u32>(bitcast<i32>(to0_15) >> 2u), bits0_15);
            }
            prefix1 = fold0(prefix1, total);
        }
        prefix2 = fold0(prefix2, prefix1);
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
