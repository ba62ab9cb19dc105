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
    var p1 = 0u;
    var rest = row;
    {
        let c = rest;
        p1 += c * table.axes[1].strides[0].y;
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
    let v0 = in0[q];
    let v1 = get1(p1);
    let v0_b1 = in0[q_b1];
    let rq = quad(unpack_pairs(v0, v0_b1), splat_pair(v1));
    let v0_b2 = in0[q_b2];
    let v0_b3 = in0[q_b3];
    let rq_b2 = quad(unpack_pairs(v0_b2, v0_b3), splat_pair(v1));
    store(q, first_pair(rq));
    if has_b1 { store(q_b1, second_pair(rq)); }
    if has_b2 { store(q_b2, first_pair(rq_b2)); }
    if has_b3 { store(q_b3, second_pair(rq_b2)); }
}

fn divide(n: u32, multiplier: u32, shift: u32) -> u32 {
    return u32((u64(n) * u64(multiplier)) >> 32u) >> shift;
}

struct Pair {
    lo: vec4<u32>,
    hi: vec4<u32>,
}

fn unpack_pairs(a: vec4<u32>, b: vec4<u32>) -> Pair {
    return Pair(vec4<u32>(a.x, a.z, b.x, b.z), vec4<u32>(a.y, a.w, b.y, b.w));
}

fn first_pair(r: Pair) -> vec4<u32> {
    return vec4<u32>(r.lo.x, r.hi.x, r.lo.y, r.hi.y);
}

fn second_pair(r: Pair) -> vec4<u32> {
    return vec4<u32>(r.lo.z, r.hi.z, r.lo.w, r.hi.w);
}

fn splat_pair(x: vec2<u32>) -> Pair {
    return Pair(vec4<u32>(x.x), vec4<u32>(x.y));
}

fn native_f64(a: Pair) -> vec4<f64> {
    return bitcast<vec4<f64>>(vec4<u64>(a.lo) | (vec4<u64>(a.hi) << vec4<u32>(32u)));
}

fn pair_f64(v: vec4<f64>) -> Pair {
    let bits = bitcast<vec4<u64>>(v);
    return Pair(vec4<u32>(bits), vec4<u32>(bits >> vec4<u32>(32u)));
}

fn double_mul(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> {
    return a * b;
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
@group(0) @binding(2) var<storage, read> in1: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table.zero));
}
fn opaque_64(v: Pair) -> Pair {
    return Pair(v.lo | vec4<u32>(table.zero), v.hi);
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table.zero));
}
fn opaque_operand_64(v: Pair) -> Pair {
    return Pair(v.lo + vec4<u32>(table.zero), v.hi);
}
fn get1(e: u32) -> vec2<u32> { return in1[e]; }
fn quad(x0_bits: Pair, x1_bits: Pair) -> Pair {
    let x0 = x0_bits;
    let x1 = x1_bits;
    let s0: Pair = pair_f64(double_mul(native_f64(x0), native_f64(x1)));
    let s0_bits = s0;
    return s0_bits;
}
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
