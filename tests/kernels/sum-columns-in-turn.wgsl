@compute @workgroup_size(8)
fn main(
    @builtin(workgroup_id) group: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let number = (group.z * groups.y + group.y) * groups.x + group.x;
    let row = number * 8u + index;
    let inside = row < table.rows;
    let row0 = min(row, table.rows - 1u);
    let at0 = row0;
    let column = 16u * at0;
    let columns = min(vec4<u32>(column) + vec4<u32>(0u, 1u, 2u, 3u), vec4<u32>(table.inner - 1u));
    let result_row = 0u * table.inner + column;
    let column_b1 = column + 4u;
    let columns_b1 = columns + 4u;
    let column_b2 = column + 8u;
    let columns_b2 = columns + 8u;
    let column_b3 = column + 12u;
    let columns_b3 = columns + 12u;
    let base0 = 0u + column * table.axes[0].strides[0].x;
    var t0 = neutral0();
    var half0_0 = t0;
    var half0_1 = t0;
    var half0_2 = t0;
    var half0_3 = t0;
    var half0_4 = t0;
    var t0_b1 = neutral0();
    var half0_0_b1 = t0_b1;
    var half0_1_b1 = t0_b1;
    var half0_2_b1 = t0_b1;
    var half0_3_b1 = t0_b1;
    var half0_4_b1 = t0_b1;
    var t0_b2 = neutral0();
    var half0_0_b2 = t0_b2;
    var half0_1_b2 = t0_b2;
    var half0_2_b2 = t0_b2;
    var half0_3_b2 = t0_b2;
    var half0_4_b2 = t0_b2;
    var t0_b3 = neutral0();
    var half0_0_b3 = t0_b3;
    var half0_1_b3 = t0_b3;
    var half0_2_b3 = t0_b3;
    var half0_3_b3 = t0_b3;
    var half0_4_b3 = t0_b3;
    for (var turn = 0u; turn < 32u; turn++) {
        let thread = reverseBits(turn) >> 27u;
        var a0_1_0 = neutral0();
        var a0_1_0_b1 = neutral0();
        var a0_1_0_b2 = neutral0();
        var a0_1_0_b3 = neutral0();
        var a0_1_1 = neutral0();
        var a0_1_1_b1 = neutral0();
        var a0_1_1_b2 = neutral0();
        var a0_1_1_b3 = neutral0();
        var a0_1_2 = neutral0();
        var a0_1_2_b1 = neutral0();
        var a0_1_2_b2 = neutral0();
        var a0_1_2_b3 = neutral0();
        var a0_1_3 = neutral0();
        var a0_1_3_b1 = neutral0();
        var a0_1_3_b2 = neutral0();
        var a0_1_3_b3 = neutral0();
        var a0_1_4 = neutral0();
        var a0_1_4_b1 = neutral0();
        var a0_1_4_b2 = neutral0();
        var a0_1_4_b3 = neutral0();
        var a0_1_5 = neutral0();
        var a0_1_5_b1 = neutral0();
        var a0_1_5_b2 = neutral0();
        var a0_1_5_b3 = neutral0();
        var a0_1_6 = neutral0();
        var a0_1_6_b1 = neutral0();
        var a0_1_6_b2 = neutral0();
        var a0_1_6_b3 = neutral0();
        var a0_1_7 = neutral0();
        var a0_1_7_b1 = neutral0();
        var a0_1_7_b2 = neutral0();
        var a0_1_7_b3 = neutral0();
        var w0_0 = base0 + thread * table.axes[1].strides[0].x;
        for (var s = 0u; s < table.steps; s += 1u) {
            let p0_0 = s * 256u + thread;
            let q0_0 = p0_0;
            let x0_0_0 = in0[(w0_0) >> 2u];
            let p0_0_b1 = s * 256u + thread;
            let q0_0_b1 = p0_0_b1;
            let x0_0_0_b1 = in0[(w0_0 + 4u) >> 2u];
            a0_1_0 = fold0(a0_1_0, bitcast<vec4<f32>>(x0_0_0));
            a0_1_0_b1 = fold0(a0_1_0_b1, bitcast<vec4<f32>>(x0_0_0_b1));
            let p0_0_b2 = s * 256u + thread;
            let q0_0_b2 = p0_0_b2;
            let x0_0_0_b2 = in0[(w0_0 + 8u) >> 2u];
            let p0_0_b3 = s * 256u + thread;
            let q0_0_b3 = p0_0_b3;
            let x0_0_0_b3 = in0[(w0_0 + 12u) >> 2u];
            a0_1_0_b2 = fold0(a0_1_0_b2, bitcast<vec4<f32>>(x0_0_0_b2));
            a0_1_0_b3 = fold0(a0_1_0_b3, bitcast<vec4<f32>>(x0_0_0_b3));
            let p0_1 = s * 256u + 32u + thread;
            let q0_1 = p0_1;
            let x0_0_1 = in0[(w0_0 + 32u * table.axes[1].strides[0].x) >> 2u];
            let p0_1_b1 = s * 256u + 32u + thread;
            let q0_1_b1 = p0_1_b1;
            let x0_0_1_b1 = in0[(w0_0 + 32u * table.axes[1].strides[0].x + 4u) >> 2u];
            a0_1_1 = fold0(a0_1_1, bitcast<vec4<f32>>(x0_0_1));
            a0_1_1_b1 = fold0(a0_1_1_b1, bitcast<vec4<f32>>(x0_0_1_b1));
            let p0_1_b2 = s * 256u + 32u + thread;
            let q0_1_b2 = p0_1_b2;
            let x0_0_1_b2 = in0[(w0_0 + 32u * table.axes[1].strides[0].x + 8u) >> 2u];
            let p0_1_b3 = s * 256u + 32u + thread;
            let q0_1_b3 = p0_1_b3;
            let x0_0_1_b3 = in0[(w0_0 + 32u * table.axes[1].strides[0].x + 12u) >> 2u];
            a0_1_1_b2 = fold0(a0_1_1_b2, bitcast<vec4<f32>>(x0_0_1_b2));
            a0_1_1_b3 = fold0(a0_1_1_b3, bitcast<vec4<f32>>(x0_0_1_b3));
            let p0_2 = s * 256u + 64u + thread;
            let q0_2 = p0_2;
            let x0_0_2 = in0[(w0_0 + 64u * table.axes[1].strides[0].x) >> 2u];
            let p0_2_b1 = s * 256u + 64u + thread;
            let q0_2_b1 = p0_2_b1;
            let x0_0_2_b1 = in0[(w0_0 + 64u * table.axes[1].strides[0].x + 4u) >> 2u];
            a0_1_2 = fold0(a0_1_2, bitcast<vec4<f32>>(x0_0_2));
            a0_1_2_b1 = fold0(a0_1_2_b1, bitcast<vec4<f32>>(x0_0_2_b1));
            let p0_2_b2 = s * 256u + 64u + thread;
            let q0_2_b2 = p0_2_b2;
            let x0_0_2_b2 = in0[(w0_0 + 64u * table.axes[1].strides[0].x + 8u) >> 2u];
            let p0_2_b3 = s * 256u + 64u + thread;
            let q0_2_b3 = p0_2_b3;
            let x0_0_2_b3 = in0[(w0_0 + 64u * table.axes[1].strides[0].x + 12u) >> 2u];
            a0_1_2_b2 = fold0(a0_1_2_b2, bitcast<vec4<f32>>(x0_0_2_b2));
            a0_1_2_b3 = fold0(a0_1_2_b3, bitcast<vec4<f32>>(x0_0_2_b3));
            let p0_3 = s * 256u + 96u + thread;
            let q0_3 = p0_3;
            let x0_0_3 = in0[(w0_0 + 96u * table.axes[1].strides[0].x) >> 2u];
            let p0_3_b1 = s * 256u + 96u + thread;
            let q0_3_b1 = p0_3_b1;
            let x0_0_3_b1 = in0[(w0_0 + 96u * table.axes[1].strides[0].x + 4u) >> 2u];
            a0_1_3 = fold0(a0_1_3, bitcast<vec4<f32>>(x0_0_3));
            a0_1_3_b1 = fold0(a0_1_3_b1, bitcast<vec4<f32>>(x0_0_3_b1));
            let p0_3_b2 = s * 256u + 96u + thread;
            let q0_3_b2 = p0_3_b2;
            let x0_0_3_b2 = in0[(w0_0 + 96u * table.axes[1].strides[0].x + 8u) >> 2u];
            let p0_3_b3 = s * 256u + 96u + thread;
            let q0_3_b3 = p0_3_b3;
            let x0_0_3_b3 = in0[(w0_0 + 96u * table.axes[1].strides[0].x + 12u) >> 2u];
            a0_1_3_b2 = fold0(a0_1_3_b2, bitcast<vec4<f32>>(x0_0_3_b2));
            a0_1_3_b3 = fold0(a0_1_3_b3, bitcast<vec4<f32>>(x0_0_3_b3));
            let p0_4 = s * 256u + 128u + thread;
            let q0_4 = p0_4;
            let x0_0_4 = in0[(w0_0 + 128u * table.axes[1].strides[0].x) >> 2u];
            let p0_4_b1 = s * 256u + 128u + thread;
            let q0_4_b1 = p0_4_b1;
            let x0_0_4_b1 = in0[(w0_0 + 128u * table.axes[1].strides[0].x + 4u) >> 2u];
            a0_1_4 = fold0(a0_1_4, bitcast<vec4<f32>>(x0_0_4));
            a0_1_4_b1 = fold0(a0_1_4_b1, bitcast<vec4<f32>>(x0_0_4_b1));
            let p0_4_b2 = s * 256u + 128u + thread;
            let q0_4_b2 = p0_4_b2;
            let x0_0_4_b2 = in0[(w0_0 + 128u * table.axes[1].strides[0].x + 8u) >> 2u];
            let p0_4_b3 = s * 256u + 128u + thread;
            let q0_4_b3 = p0_4_b3;
            let x0_0_4_b3 = in0[(w0_0 + 128u * table.axes[1].strides[0].x + 12u) >> 2u];
            a0_1_4_b2 = fold0(a0_1_4_b2, bitcast<vec4<f32>>(x0_0_4_b2));
            a0_1_4_b3 = fold0(a0_1_4_b3, bitcast<vec4<f32>>(x0_0_4_b3));
            let p0_5 = s * 256u + 160u + thread;
            let q0_5 = p0_5;
            let x0_0_5 = in0[(w0_0 + 160u * table.axes[1].strides[0].x) >> 2u];
            let p0_5_b1 = s * 256u + 160u + thread;
            let q0_5_b1 = p0_5_b1;
            let x0_0_5_b1 = in0[(w0_0 + 160u * table.axes[1].strides[0].x + 4u) >> 2u];
            a0_1_5 = fold0(a0_1_5, bitcast<vec4<f32>>(x0_0_5));
            a0_1_5_b1 = fold0(a0_1_5_b1, bitcast<vec4<f32>>(x0_0_5_b1));
            let p0_5_b2 = s * 256u + 160u + thread;
            let q0_5_b2 = p0_5_b2;
            let x0_0_5_b2 = in0[(w0_0 + 160u * table.axes[1].strides[0].x + 8u) >> 2u];
            let p0_5_b3 = s * 256u + 160u + thread;
            let q0_5_b3 = p0_5_b3;
            let x0_0_5_b3 = in0[(w0_0 + 160u * table.axes[1].strides[0].x + 12u) >> 2u];
            a0_1_5_b2 = fold0(a0_1_5_b2, bitcast<vec4<f32>>(x0_0_5_b2));
            a0_1_5_b3 = fold0(a0_1_5_b3, bitcast<vec4<f32>>(x0_0_5_b3));
            let p0_6 = s * 256u + 192u + thread;
            let q0_6 = p0_6;
            let x0_0_6 = in0[(w0_0 + 192u * table.axes[1].strides[0].x) >> 2u];
            let p0_6_b1 = s * 256u + 192u + thread;
            let q0_6_b1 = p0_6_b1;
            let x0_0_6_b1 = in0[(w0_0 + 192u * table.axes[1].strides[0].x + 4u) >> 2u];
            a0_1_6 = fold0(a0_1_6, bitcast<vec4<f32>>(x0_0_6));
            a0_1_6_b1 = fold0(a0_1_6_b1, bitcast<vec4<f32>>(x0_0_6_b1));
            let p0_6_b2 = s * 256u + 192u + thread;
            let q0_6_b2 = p0_6_b2;
            let x0_0_6_b2 = in0[(w0_0 + 192u * table.axes[1].strides[0].x + 8u) >> 2u];
            let p0_6_b3 = s * 256u + 192u + thread;
            let q0_6_b3 = p0_6_b3;
            let x0_0_6_b3 = in0[(w0_0 + 192u * table.axes[1].strides[0].x + 12u) >> 2u];
            a0_1_6_b2 = fold0(a0_1_6_b2, bitcast<vec4<f32>>(x0_0_6_b2));
            a0_1_6_b3 = fold0(a0_1_6_b3, bitcast<vec4<f32>>(x0_0_6_b3));
            let p0_7 = s * 256u + 224u + thread;
            let q0_7 = p0_7;
            let x0_0_7 = in0[(w0_0 + 224u * table.axes[1].strides[0].x) >> 2u];
            let p0_7_b1 = s * 256u + 224u + thread;
            let q0_7_b1 = p0_7_b1;
            let x0_0_7_b1 = in0[(w0_0 + 224u * table.axes[1].strides[0].x + 4u) >> 2u];
            a0_1_7 = fold0(a0_1_7, bitcast<vec4<f32>>(x0_0_7));
            a0_1_7_b1 = fold0(a0_1_7_b1, bitcast<vec4<f32>>(x0_0_7_b1));
            let p0_7_b2 = s * 256u + 224u + thread;
            let q0_7_b2 = p0_7_b2;
            let x0_0_7_b2 = in0[(w0_0 + 224u * table.axes[1].strides[0].x + 8u) >> 2u];
            let p0_7_b3 = s * 256u + 224u + thread;
            let q0_7_b3 = p0_7_b3;
            let x0_0_7_b3 = in0[(w0_0 + 224u * table.axes[1].strides[0].x + 12u) >> 2u];
            a0_1_7_b2 = fold0(a0_1_7_b2, bitcast<vec4<f32>>(x0_0_7_b2));
            a0_1_7_b3 = fold0(a0_1_7_b3, bitcast<vec4<f32>>(x0_0_7_b3));
            w0_0 += 256u * table.axes[1].strides[0].x;
        }
        a0_1_0 = fold0(a0_1_0, a0_1_4);
        a0_1_0_b1 = fold0(a0_1_0_b1, a0_1_4_b1);
        a0_1_0_b2 = fold0(a0_1_0_b2, a0_1_4_b2);
        a0_1_0_b3 = fold0(a0_1_0_b3, a0_1_4_b3);
        a0_1_1 = fold0(a0_1_1, a0_1_5);
        a0_1_1_b1 = fold0(a0_1_1_b1, a0_1_5_b1);
        a0_1_1_b2 = fold0(a0_1_1_b2, a0_1_5_b2);
        a0_1_1_b3 = fold0(a0_1_1_b3, a0_1_5_b3);
        a0_1_2 = fold0(a0_1_2, a0_1_6);
        a0_1_2_b1 = fold0(a0_1_2_b1, a0_1_6_b1);
        a0_1_2_b2 = fold0(a0_1_2_b2, a0_1_6_b2);
        a0_1_2_b3 = fold0(a0_1_2_b3, a0_1_6_b3);
        a0_1_3 = fold0(a0_1_3, a0_1_7);
        a0_1_3_b1 = fold0(a0_1_3_b1, a0_1_7_b1);
        a0_1_3_b2 = fold0(a0_1_3_b2, a0_1_7_b2);
        a0_1_3_b3 = fold0(a0_1_3_b3, a0_1_7_b3);
        a0_1_0 = fold0(a0_1_0, a0_1_2);
        a0_1_0_b1 = fold0(a0_1_0_b1, a0_1_2_b1);
        a0_1_0_b2 = fold0(a0_1_0_b2, a0_1_2_b2);
        a0_1_0_b3 = fold0(a0_1_0_b3, a0_1_2_b3);
        a0_1_1 = fold0(a0_1_1, a0_1_3);
        a0_1_1_b1 = fold0(a0_1_1_b1, a0_1_3_b1);
        a0_1_1_b2 = fold0(a0_1_1_b2, a0_1_3_b2);
        a0_1_1_b3 = fold0(a0_1_1_b3, a0_1_3_b3);
        a0_1_0 = fold0(a0_1_0, a0_1_1);
        a0_1_0_b1 = fold0(a0_1_0_b1, a0_1_1_b1);
        a0_1_0_b2 = fold0(a0_1_0_b2, a0_1_1_b2);
        a0_1_0_b3 = fold0(a0_1_0_b3, a0_1_1_b3);
        t0 = a0_1_0;
        t0_b1 = a0_1_0_b1;
        t0_b2 = a0_1_0_b2;
        t0_b3 = a0_1_0_b3;
        if (turn & 1u) == 0u {
            half0_0 = t0;
            half0_0_b1 = t0_b1;
            half0_0_b2 = t0_b2;
            half0_0_b3 = t0_b3;
        } else {
            t0 = fold0(half0_0, t0);
            t0_b1 = fold0(half0_0_b1, t0_b1);
            t0_b2 = fold0(half0_0_b2, t0_b2);
            t0_b3 = fold0(half0_0_b3, t0_b3);
            if (turn & 2u) == 0u {
                half0_1 = t0;
                half0_1_b1 = t0_b1;
                half0_1_b2 = t0_b2;
                half0_1_b3 = t0_b3;
            } else {
                t0 = fold0(half0_1, t0);
                t0_b1 = fold0(half0_1_b1, t0_b1);
                t0_b2 = fold0(half0_1_b2, t0_b2);
                t0_b3 = fold0(half0_1_b3, t0_b3);
                if (turn & 4u) == 0u {
                    half0_2 = t0;
                    half0_2_b1 = t0_b1;
                    half0_2_b2 = t0_b2;
                    half0_2_b3 = t0_b3;
                } else {
                    t0 = fold0(half0_2, t0);
                    t0_b1 = fold0(half0_2_b1, t0_b1);
                    t0_b2 = fold0(half0_2_b2, t0_b2);
                    t0_b3 = fold0(half0_2_b3, t0_b3);
                    if (turn & 8u) == 0u {
                        half0_3 = t0;
                        half0_3_b1 = t0_b1;
                        half0_3_b2 = t0_b2;
                        half0_3_b3 = t0_b3;
                    } else {
                        t0 = fold0(half0_3, t0);
                        t0_b1 = fold0(half0_3_b1, t0_b1);
                        t0_b2 = fold0(half0_3_b2, t0_b2);
                        t0_b3 = fold0(half0_3_b3, t0_b3);
                        if (turn & 16u) == 0u {
                            half0_4 = t0;
                            half0_4_b1 = t0_b1;
                            half0_4_b2 = t0_b2;
                            half0_4_b3 = t0_b3;
                        } else {
                            t0 = fold0(half0_4, t0);
                            t0_b1 = fold0(half0_4_b1, t0_b1);
                            t0_b2 = fold0(half0_4_b2, t0_b2);
                            t0_b3 = fold0(half0_4_b3, t0_b3);
                        }
                    }
                }
            }
        }
    }
    let f0_bits = bitcast<vec4<u32>>(t0);
    let f0_bits_b1 = bitcast<vec4<u32>>(t0_b1);
    let f0_bits_b2 = bitcast<vec4<u32>>(t0_b2);
    let f0_bits_b3 = bitcast<vec4<u32>>(t0_b3);
    if inside {
        let bits = f0_bits;
        store((result_row) >> 2u, bits);
        let bits_b1 = f0_bits_b1;
        store((result_row + 4u) >> 2u, bits_b1);
        let bits_b2 = f0_bits_b2;
        store((result_row + 8u) >> 2u, bits_b2);
        let bits_b3 = f0_bits_b3;
        store((result_row + 12u) >> 2u, bits_b3);
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
