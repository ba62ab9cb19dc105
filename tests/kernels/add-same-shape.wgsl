@compute @workgroup_size(WIDTH)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = own(id);
    let base = ((group.z * groups.y + group.y) * groups.x + group.x) * WIDTH * QUADS;
    let start = base + select(local, local * QUADS, CONSECUTIVE);
    let end = table[0].y;
    if start >= end { return; }
    let step = select(WIDTH, 1u, CONSECUTIVE);
    let begin = at();
    let last = end - 1u;
    // All loads come before the first store. A quad past the end is computed as the last one and not stored.
    let b = min(start + step, last);
    let c = min(start + 2u * step, last);
    let d = min(start + 3u * step, last);
    let first = quad(start, begin);
    var second = first;
    var third = first;
    var fourth = first;
    if QUADS > 1u { second = quad(b, begin); }
    if QUADS > 2u { third = quad(c, begin); }
    if QUADS > 3u { fourth = quad(d, begin); }
    store(start, first);
    if QUADS > 1u && start + step < end { store(b, second); }
    if QUADS > 2u && start + 2u * step < end { store(c, third); }
    if QUADS > 3u && start + 3u * step < end { store(d, fourth); }
}


const WIDTH = 256u;
const HEIGHT = 1u;
const QUADS = 4u;
const ROWS = 1u;
const DOWN = false;
const WHOLE = true;
const UNITS = 4u;
const CONSECUTIVE = false;
const APART = false;
const BANDS = false;
const UNIFORM = false;
const INNER = 3u;
@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 5>;
@group(0) @binding(1) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table[1].w));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table[1].w));
}
fn own(id: vec3<u32>) -> vec3<u32> { return id; }
struct At { none: u32 }
fn at() -> At {
    var found: At;
    return found;
}
fn quad(q: u32, at: At) -> vec4<u32> {
    let x0_bits = in0[q];
    let x1_bits = in1[q];
    let x0 = bitcast<vec4<f32>>(x0_bits);
    let x1 = bitcast<vec4<f32>>(x1_bits);
    let s0: vec4<f32> = x0 + x1;
    let s0_bits = bitcast<vec4<u32>>(s0);
    return s0_bits;
}
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
