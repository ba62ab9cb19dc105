// a + b, b one number. grid: ceil(p.x / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = quads
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let s = vec4<f32>(b[0]);
    let i = (w.x + w.y * n.x) * 1024u + l * LANE;
    let r0 = a[i] + s;
    let r1 = a[i + STEP] + s;
    let r2 = a[i + 2u * STEP] + s;
    let r3 = a[i + 3u * STEP] + s;
    if i < p.x { o[i] = r0; }
    if i + STEP < p.x { o[i + STEP] = r1; }
    if i + 2u * STEP < p.x { o[i + 2u * STEP] = r2; }
    if i + 3u * STEP < p.x { o[i + 3u * STEP] = r3; }
}
