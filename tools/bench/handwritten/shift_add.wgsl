// a[1:] + b[:-1]; a and b have one element more than the output. grid: ceil(p.x / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = quads
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
// Elements 1 to 4 from the first of quad k; the last quad lies in the padding.
fn next(k: u32) -> vec4<f32> { return vec4<f32>(a[k].yzw, a[k + 1u].x); }
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 1024u + l * LANE;
    let r0 = next(i) + b[i];
    let r1 = next(i + STEP) + b[i + STEP];
    let r2 = next(i + 2u * STEP) + b[i + 2u * STEP];
    let r3 = next(i + 3u * STEP) + b[i + 3u * STEP];
    if i < p.x { o[i] = r0; }
    if i + STEP < p.x { o[i + STEP] = r1; }
    if i + 2u * STEP < p.x { o[i + 2u * STEP] = r2; }
    if i + 3u * STEP < p.x { o[i + 3u * STEP] = r3; }
}
