@compute @workgroup_size(WIDTH * HEIGHT)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) local: u32,
) {
    let group = own(id);
    let end = table[0].y;
    let beside = select(QUADS, 1u, APART);
    let step = select(select(WIDTH, 1u, CONSECUTIVE), table[0].z, APART);
    var start = 0u;
    if BANDS {
        let along = group.x * WIDTH + local % WIDTH;
        let over = (group.z * groups.y + group.y) * HEIGHT + local / WIDTH;
        start = over * QUADS * step + along;
        if along >= step || start >= end { return; }
    } else {
        let base = ((group.z * groups.y + group.y) * groups.x + group.x) * WIDTH * beside;
        start = base + select(local, local * beside, CONSECUTIVE);
        if start >= select(end, step, APART) { return; }
    }
    let first = at(4u * start);
    store(start, quad(start, first));
    var place = first;
    if QUADS > 1u {
        place = next(place);
        if start + step < end { store(start + step, quad(start + step, place)); }
    }
    if QUADS > 2u {
        place = next(place);
        if start + 2u * step < end { store(start + 2u * step, quad(start + 2u * step, place)); }
    }
    if QUADS > 3u {
        place = next(place);
        if start + 3u * step < end { store(start + 3u * step, quad(start + 3u * step, place)); }
    }
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

fn wrap(c: vec4<u32>, extent: u32) -> vec4<u32> {
    return select(c, c - vec4<u32>(extent), c >= vec4<u32>(extent));
}

fn carry(c: vec4<u32>, extent: u32) -> vec4<u32> {
    return select(vec4<u32>(0u), vec4<u32>(1u), c >= vec4<u32>(extent));
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
@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 13>;
@group(0) @binding(1) var<storage, read> in0: array<u32>;
@group(0) @binding(2) var<storage, read> in1: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;
fn opaque(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) | vec4<u32>(table[1].w));
}
fn opaque_operand(v: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(v) + vec4<u32>(table[1].w));
}
fn own(id: vec3<u32>) -> vec3<u32> { return id; }
fn get0(e: u32) -> u32 { return in0[e]; }
fn get1(e: u32) -> u32 { return in1[e]; }
struct At { c0: vec4<u32>, c1: vec4<u32>, c2: vec4<u32>, c3: vec4<u32>, c4: vec4<u32> }
fn at(start: u32) -> At {
    var found: At;
    var rest = start;
    var add = vec4<u32>(0u, 1u, 2u, 3u);
    {
        let axis_row = table[3u + 0u * 2u];
        let left = divide(rest, axis_row);
        let c = rest - left * axis_row.x;
        rest = left;
        let wide = vec4<u32>(c) + add;
        let once = wrap(wide, axis_row.x);
        add = carry(wide, axis_row.x) + carry(once, axis_row.x);
        let lanes = wrap(once, axis_row.x);
        found.c0 = lanes;
    }
    {
        let axis_row = table[3u + 1u * 2u];
        let left = divide(rest, axis_row);
        let c = rest - left * axis_row.x;
        rest = left;
        let wide = vec4<u32>(c) + add;
        let once = wrap(wide, axis_row.x);
        add = carry(wide, axis_row.x);
        let lanes = once;
        found.c1 = lanes;
    }
    {
        let axis_row = table[3u + 2u * 2u];
        let left = divide(rest, axis_row);
        let c = rest - left * axis_row.x;
        rest = left;
        let wide = vec4<u32>(c) + add;
        let once = wrap(wide, axis_row.x);
        add = carry(wide, axis_row.x);
        let lanes = once;
        found.c2 = lanes;
    }
    {
        let axis_row = table[3u + 3u * 2u];
        let left = divide(rest, axis_row);
        let c = rest - left * axis_row.x;
        rest = left;
        let wide = vec4<u32>(c) + add;
        let once = wrap(wide, axis_row.x);
        add = carry(wide, axis_row.x);
        let lanes = once;
        found.c3 = lanes;
    }
    {
        let axis_row = table[3u + 4u * 2u];
        let c = rest;
        let wide = vec4<u32>(c) + add;
        let once = wrap(wide, axis_row.x);
        add = carry(wide, axis_row.x);
        let lanes = once;
        found.c4 = lanes;
    }
    return found;
}
fn next(at: At) -> At {
    var found = at;
    var add = vec4<u32>(0u);
    {
        let axis_row = table[3u + 0u * 2u];
        let wide = at.c0 + vec4<u32>(axis_row.w) + add;
        add = carry(wide, axis_row.x);
        found.c0 = wrap(wide, axis_row.x);
    }
    {
        let axis_row = table[3u + 1u * 2u];
        let wide = at.c1 + vec4<u32>(axis_row.w) + add;
        add = carry(wide, axis_row.x);
        found.c1 = wrap(wide, axis_row.x);
    }
    {
        let axis_row = table[3u + 2u * 2u];
        let wide = at.c2 + vec4<u32>(axis_row.w) + add;
        add = carry(wide, axis_row.x);
        found.c2 = wrap(wide, axis_row.x);
    }
    {
        let axis_row = table[3u + 3u * 2u];
        let wide = at.c3 + vec4<u32>(axis_row.w) + add;
        add = carry(wide, axis_row.x);
        found.c3 = wrap(wide, axis_row.x);
    }
    {
        let axis_row = table[3u + 4u * 2u];
        let wide = at.c4 + vec4<u32>(axis_row.w) + add;
        add = carry(wide, axis_row.x);
        found.c4 = wrap(wide, axis_row.x);
    }
    return found;
}
fn place0(at: At) -> vec4<u32> { return vec4<u32>(0u) + at.c0 * table[3u + 0u * 2u + 1u + 0u].x + at.c2 * table[3u + 2u * 2u + 1u + 0u].x + at.c4 * table[3u + 4u * 2u + 1u + 0u].x; }
fn place1(at: At) -> vec4<u32> { return vec4<u32>(0u) + at.c0 * table[3u + 0u * 2u + 1u + 0u].y + at.c1 * table[3u + 1u * 2u + 1u + 0u].y + at.c3 * table[3u + 3u * 2u + 1u + 0u].y; }
fn quad(q: u32, at: At) -> vec4<u32> {
    let p0 = place0(at);
    let x0_bits = vec4<u32>(get0(p0.x), get0(p0.y), get0(p0.z), get0(p0.w));
    let p1 = place1(at);
    let x1_bits = vec4<u32>(get1(p1.x), get1(p1.y), get1(p1.z), get1(p1.w));
    let x0 = bitcast<vec4<f32>>(x0_bits);
    let x1 = bitcast<vec4<f32>>(x1_bits);
    let s0: vec4<f32> = x0 + x1;
    let s0_bits = bitcast<vec4<u32>>(s0);
    return s0_bits;
}
fn store(q: u32, r: vec4<u32>) {
    result[q] = r;
}
