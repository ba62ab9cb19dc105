// (x - mean) * rstd * gamma + beta: [R,C], [R,1] twice, [C] twice. grid: x = ceil(p.x / 256) workgroups of 64 invocations, y = rows, folded into z beyond 65535     p.x = quads of a row, p.y = rows
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read> c: array<f32>;
@group(0) @binding(4) var<storage, read> d: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> e: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.y + w.z * n.y;
    let x = w.x * 256u + l * LANE;
    if row >= p.y || x >= p.x { return; }
    let m = vec4<f32>(b[row]);
    let r = vec4<f32>(c[row]);
    let at = row * p.x;
    let r0 = (a[at + x] - m) * r * d[x] + e[x];
    let r1 = (a[at + x + STEP] - m) * r * d[x + STEP] + e[x + STEP];
    let r2 = (a[at + x + 2u * STEP] - m) * r * d[x + 2u * STEP] + e[x + 2u * STEP];
    let r3 = (a[at + x + 3u * STEP] - m) * r * d[x + 3u * STEP] + e[x + 3u * STEP];
    o[at + x] = r0;
    if x + STEP < p.x { o[at + x + STEP] = r1; }
    if x + 2u * STEP < p.x { o[at + x + 2u * STEP] = r2; }
    if x + 3u * STEP < p.x { o[at + x + 3u * STEP] = r3; }
}
