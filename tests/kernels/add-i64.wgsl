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

struct Pair {
    lo: vec4<u32>,
    hi: vec4<u32>,
}

fn unpack_pairs(a: vec4<u32>, b: vec4<u32>) -> Pair {
    return Pair(vec4<u32>(a.x, a.z, b.x, b.z), vec4<u32>(a.y, a.w, b.y, b.w));
}

fn one_where(c: vec4<bool>) -> vec4<u32> {
    return select(vec4<u32>(0u), vec4<u32>(1u), c);
}

fn add_64(a: Pair, b: Pair) -> Pair {
    let lo = a.lo + b.lo;
    return Pair(lo, a.hi + b.hi + one_where(lo < a.lo));
}

const WIDTH = 256u;
const HEIGHT = 1u;
const QUADS = 2u;
const ROWS = 1u;
const DOWN = false;
const WHOLE = true;
const UNITS = 2u;
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
fn quad(q: u32, at: At) -> Pair {
    let x0_bits = unpack_pairs(in0[2u * (q)], in0[2u * (q) + 1u]);
    let x1_bits = unpack_pairs(in1[2u * (q)], in1[2u * (q) + 1u]);
    let x0 = x0_bits;
    let x1 = x1_bits;
    let s0: Pair = add_64(x0, x1);
    let s0_bits = s0;
    return s0_bits;
}
fn store(q: u32, r: Pair) {
    result[2u * q] = vec4<u32>(r.lo.x, r.hi.x, r.lo.y, r.hi.y);
    result[2u * q + 1u] = vec4<u32>(r.lo.z, r.hi.z, r.lo.w, r.hi.w);
}
