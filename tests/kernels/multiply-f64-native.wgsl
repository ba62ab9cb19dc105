@compute @workgroup_size(WIDTH)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let group = own(id);
    let in_row = table[0].y;
    let width = table[INNER].x;
    var row = group.z * groups.y + group.y;
    var along = group.x * WIDTH + index;
    if !UNIFORM {
        let number = (row * groups.x + group.x) * WIDTH + index;
        row = divide(2u * number, table[INNER]);
        along = number - row * width;
    }
    row *= select(ROWS, 1u, APART);
    if row >= select(table[0].z, table[1].z, APART) || along >= width { return; }
    let start = select(along, along * QUADS, CONSECUTIVE);
    var begin = at(row, 4u * start);
    begin = part(row, start, begin);
    let rows = select(1u, UNITS, DOWN);
    for (var r = rows; r < ROWS; r += rows) {
        begin = part(row + r, start, next(begin, 1u));
    }
}

// Up to four quads; where the last of their rows begins.
fn part(row: u32, start: u32, begin: At) -> At {
    let in_row = table[0].y;
    let step = select(select(table[INNER].x, 1u, CONSECUTIVE), 0u, DOWN);
    let apart = select(1u, table[1].z, APART);
    let down = select(0u, in_row * apart, DOWN);
    let last = in_row - 1u;
    // Whether there is a further quad, and another. Past the end, of a row or of the rows, the last one is computed again and
    // not stored.
    let more = select(start + step < in_row, WHOLE || row + apart < table[0].z, DOWN);
    let most = select(start + 2u * step < in_row, WHOLE || row + 2u * apart < table[0].z, DOWN);
    let all = select(start + 3u * step < in_row, WHOLE || row + 3u * apart < table[0].z, DOWN);
    let a = row * in_row;
    let b = a + select(0u, down, more);
    let c = b + select(0u, down, most);
    let d = c + select(0u, down, all);
    let at_b = min(start + step, last);
    let at_c = min(start + 2u * step, last);
    let at_d = min(start + 3u * step, last);
    var begin_b = begin;
    if DOWN && UNITS > 1u { begin_b = next(begin, u32(more)); }
    var begin_c = begin_b;
    if DOWN && UNITS > 2u { begin_c = next(begin_b, u32(most)); }
    var begin_d = begin_c;
    if DOWN && UNITS > 3u { begin_d = next(begin_c, u32(all)); }
    // All loads come before the first store.
    let first = quad(a + start, 4u * start, begin);
    var second = first;
    var third = first;
    var fourth = first;
    if UNITS > 1u { second = quad(b + at_b, 4u * at_b, begin_b); }
    if UNITS > 2u { third = quad(c + at_c, 4u * at_c, begin_c); }
    if UNITS > 3u { fourth = quad(d + at_d, 4u * at_d, begin_d); }
    store(a + start, first);
    if UNITS > 1u && more { store(b + at_b, second); }
    if UNITS > 2u && most { store(c + at_c, third); }
    if UNITS > 3u && all { store(d + at_d, fourth); }
    return begin_d;
}

fn mul_high(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let mid = a1 * b0 + (low >> 16u);
    let cross = a0 * b1 + (mid & 0xffffu);
    return a1 * b1 + (mid >> 16u) + (cross >> 16u);
}

fn divide(n: u32, axis: vec4<u32>) -> u32 {
    return mul_high(n, axis.y) >> axis.z;
}

struct Pair {
    lo: vec4<u32>,
    hi: vec4<u32>,
}

fn unpack_pairs(a: vec4<u32>, b: vec4<u32>) -> Pair {
    return Pair(vec4<u32>(a.x, a.z, b.x, b.z), vec4<u32>(a.y, a.w, b.y, b.w));
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
@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 7>;
@group(0) @binding(1) var<storage, read> in0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in1: array<vec2<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table[1].w));
}
fn opaque_64(v: Pair) -> Pair {
    return Pair(v.lo | vec4<u32>(table[1].w), v.hi);
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table[1].w));
}
fn opaque_operand_64(v: Pair) -> Pair {
    return Pair(v.lo + vec4<u32>(table[1].w), v.hi);
}
fn own(id: vec3<u32>) -> vec3<u32> { return id; }
fn get1(e: u32) -> vec2<u32> { return in1[e]; }
struct At { x1: vec2<u32> }
fn at(start: u32, column: u32) -> At {
    var p1 = 0u;
    var rest = start;
    {
        let axis_row = table[3u + 1u * 2u];
        let c = rest;
        p1 += c * table[3u + 1u * 2u + 1u + 0u].y;
    }
    var found: At;
    found.x1 = get1(p1);
    return found;
}
fn next(at: At, by: u32) -> At {
    var found = at;
    return found;
}
fn quad(q: u32, column: u32, at: At) -> Pair {
    let x0_bits = unpack_pairs(in0[2u * (q)], in0[2u * (q) + 1u]);
    let x1_bits = splat_pair(at.x1);
    let x0 = x0_bits;
    let x1 = x1_bits;
    let s0: Pair = pair_f64(native_f64(x0) * native_f64(x1));
    let s0_bits = s0;
    return s0_bits;
}
fn store(q: u32, r: Pair) {
    result[2u * q] = vec4<u32>(r.lo.x, r.hi.x, r.lo.y, r.hi.y);
    result[2u * q + 1u] = vec4<u32>(r.lo.z, r.hi.z, r.lo.w, r.hi.w);
}
