@compute @workgroup_size(WIDTH * HEIGHT)
fn main(
    @builtin(workgroup_id) id: vec3<u32>,
    @builtin(num_workgroups) groups: vec3<u32>,
    @builtin(local_invocation_index) index: u32,
) {
    let group = own(id);
    // As in mapping `rows`, workgroups have one axis.
    let local = vec2<u32>(index % WIDTH, index / WIDTH);
    let across = group.x * WIDTH + local.x;
    let down = (group.z * groups.y + group.y) * HEIGHT + local.y;
    if across >= table[0].y || down >= table[0].z { return; }
    let column = 4u * across;
    let tile = at(down, column);
    store(tile.a.q, quad(tile.a.q, column, tile.a));
    store(tile.b.q, quad(tile.b.q, column, tile.b));
    store(tile.c.q, quad(tile.c.q, column, tile.c));
    store(tile.d.q, quad(tile.d.q, column, tile.d));
}


const WIDTH = 8u;
const HEIGHT = 32u;
const QUADS = 1u;
const ROWS = 4u;
const DOWN = false;
const WHOLE = true;
const UNITS = 1u;
const CONSECUTIVE = false;
const APART = false;
const BANDS = false;
const UNIFORM = false;
const INNER = 3u;
@group(0) @binding(0) var<uniform> table: array<vec4<u32>, 7>;
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
struct At { q: u32, x0: vec4<u32> }
struct Tile { a: At, b: At, c: At, d: At }
fn at(start: u32, column: u32) -> Tile {
    var p0 = 0u;
    var rest = start;
    var o = column;
    var size = table[3u + 0u * 2u].x;
    var pitch = 0u;
    {
        let axis_row = table[3u + 1u * 2u];
        let c = rest;
        p0 += c * table[3u + 1u * 2u + 1u + 0u].x;
        pitch = size;
        o += 4u * c * size;
        size *= 4u * axis_row.x;
    }
    var tile: Tile;
    let down = pitch >> 2u;
    tile.a.q = o >> 2u;
    tile.b.q = tile.a.q + down;
    tile.c.q = tile.b.q + down;
    tile.d.q = tile.c.q + down;
    let s0 = bitcast<u32>(bitcast<i32>(table[3u + 0u * 2u + 1u + 0u].x) >> 2u);
    let q0a = (p0 + column * table[3u + 0u * 2u + 1u + 0u].x) >> 2u;
    let q0b = q0a + s0;
    let q0c = q0b + s0;
    let q0d = q0c + s0;
    let t0a = in0[q0a];
    let t0b = in0[q0b];
    let t0c = in0[q0c];
    let t0d = in0[q0d];
    tile.a.x0 = vec4<u32>(t0a.x, t0b.x, t0c.x, t0d.x);
    tile.b.x0 = vec4<u32>(t0a.y, t0b.y, t0c.y, t0d.y);
    tile.c.x0 = vec4<u32>(t0a.z, t0b.z, t0c.z, t0d.z);
    tile.d.x0 = vec4<u32>(t0a.w, t0b.w, t0c.w, t0d.w);
    return tile;
}
fn quad(q: u32, column: u32, at: At) -> vec4<u32> {
    let x0_bits = at.x0;
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
