// sum(x, axis=1), on a CPU and with a plan's order of additions: [N,R,C], R of 256 to 4096, a multiple of 256. grid: x = ceil(p.x / 32) workgroups of 8 invocations, y = N     p.x = quads of a row, a multiple of 4, p.y = R
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
// Four neighbouring quads of columns: a cache line.
struct Line { a: vec4<f32>, b: vec4<f32>, c: vec4<f32>, d: vec4<f32> }

fn added(x: Line, y: Line) -> Line { return Line(x.a + y.a, x.b + y.b, x.c + y.c, x.d + y.d); }
// Every 256th row, in sequence.
fn lane(first: u32) -> Line {
    var at = first;
    var t = Line(a[at], a[at + 1u], a[at + 2u], a[at + 3u]);
    for (var r = 256u; r < p.y; r += 256u) {
        at += 256u * p.x;
        t = added(t, Line(a[at], a[at + 1u], a[at + 2u], a[at + 3u]));
    }
    return t;
}
// The lanes in halves.
fn two(at: u32) -> Line { return added(lane(at), lane(at + 128u * p.x)); }
fn four(at: u32) -> Line { return added(two(at), two(at + 64u * p.x)); }
fn eight(at: u32) -> Line { return added(four(at), four(at + 32u * p.x)); }
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {
    let x = (w.x * 8u + l) * 4u;
    if x >= p.x { return; }
    var t = Line();
    // What waits for its other half.
    var h0 = t;
    var h1 = t;
    var h2 = t;
    var h3 = t;
    var h4 = t;
    for (var turn = 0u; turn < 32u; turn++) {
        t = eight((w.y * p.y + (reverseBits(turn) >> 27u)) * p.x + x);
        if (turn & 1u) == 0u { h0 = t; continue; }
        t = added(h0, t);
        if (turn & 2u) == 0u { h1 = t; continue; }
        t = added(h1, t);
        if (turn & 4u) == 0u { h2 = t; continue; }
        t = added(h2, t);
        if (turn & 8u) == 0u { h3 = t; continue; }
        t = added(h3, t);
        if (turn & 16u) == 0u { h4 = t; continue; }
        t = added(h4, t);
    }
    let at = w.y * p.x + x;
    o[at] = t.a;
    o[at + 1u] = t.b;
    o[at + 2u] = t.c;
    o[at + 3u] = t.d;
}
