// (x - mean) * rstd * gamma + beta: [R,C], [R,1] twice, [C] twice. grid: x = ceil(p.x / 256) workgroups of 256 invocations, y = ceil(p.y / 4), folded into z beyond 65535     p.x = quads of a row, p.y = rows, a multiple of 4, p.z = 1.0, p.w = -0.0
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read> c: array<f32>;
@group(0) @binding(4) var<storage, read> d: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> e: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> o: array<vec4<f32>>;
// Whether each step is rounded, which the compiler cannot undo: it does not know the numbers in p.
override ROUNDED: bool = false;
fn norm(a: vec4<f32>, row: u32, g: vec4<f32>, h: vec4<f32>) -> vec4<f32> {
    let x = (a - vec4<f32>(b[row])) * vec4<f32>(c[row]);
    if ROUNDED { return fma(fma(x, g, vec4<f32>(bitcast<f32>(p.w))), vec4<f32>(bitcast<f32>(p.z)), h); }
    return x * g + h;
}
// An invocation owns a quad of each of four rows, so that what all rows share is loaded once.
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = (w.y + w.z * n.y) * 4u;
    let x = w.x * 256u + l;
    if row >= p.y || x >= p.x { return; }
    let at = row * p.x + x;
    let g = d[x];
    let h = e[x];
    let r0 = norm(a[at], row, g, h);
    let r1 = norm(a[at + p.x], row + 1u, g, h);
    let r2 = norm(a[at + 2u * p.x], row + 2u, g, h);
    let r3 = norm(a[at + 3u * p.x], row + 3u, g, h);
    o[at] = r0;
    o[at + p.x] = r1;
    o[at + 2u * p.x] = r2;
    o[at + 3u * p.x] = r3;
}
