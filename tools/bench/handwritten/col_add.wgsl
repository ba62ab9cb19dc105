// [R,C] + [R,1]. grid: x = ceil(p.x / 256) workgroups of 64 invocations, y = rows, folded into z beyond 65535     p.x = quads of a row, p.y = rows
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.y + w.z * n.y;
    let x = w.x * 256u + l * LANE;
    if row >= p.y || x >= p.x { return; }
    let s = vec4<f32>(b[row]);
    let at = row * p.x;
    let r0 = a[at + x] + s;
    let r1 = a[at + x + STEP] + s;
    let r2 = a[at + x + 2u * STEP] + s;
    let r3 = a[at + x + 3u * STEP] + s;
    o[at + x] = r0;
    if x + STEP < p.x { o[at + x + STEP] = r1; }
    if x + 2u * STEP < p.x { o[at + x + 2u * STEP] = r2; }
    if x + 3u * STEP < p.x { o[at + x + 3u * STEP] = r3; }
}
