// the sum of 8 inputs of one shape. grid: ceil(p.x / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = quads
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> c: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read> d: array<vec4<f32>>;
@group(0) @binding(5) var<storage, read> e: array<vec4<f32>>;
@group(0) @binding(6) var<storage, read> f: array<vec4<f32>>;
@group(0) @binding(7) var<storage, read> g: array<vec4<f32>>;
@group(0) @binding(8) var<storage, read> h: array<vec4<f32>>;
@group(0) @binding(9) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 1024u + l * LANE;
    let r0 = a[i] + b[i] + c[i] + d[i] + e[i] + f[i] + g[i] + h[i];
    let r1 = a[i + STEP] + b[i + STEP] + c[i + STEP] + d[i + STEP] + e[i + STEP] + f[i + STEP] + g[i + STEP] + h[i + STEP];
    let r2 = a[i + 2u * STEP] + b[i + 2u * STEP] + c[i + 2u * STEP] + d[i + 2u * STEP] + e[i + 2u * STEP] + f[i + 2u * STEP] + g[i + 2u * STEP] + h[i + 2u * STEP];
    let r3 = a[i + 3u * STEP] + b[i + 3u * STEP] + c[i + 3u * STEP] + d[i + 3u * STEP] + e[i + 3u * STEP] + f[i + 3u * STEP] + g[i + 3u * STEP] + h[i + 3u * STEP];
    if i < p.x { o[i] = r0; }
    if i + STEP < p.x { o[i + STEP] = r1; }
    if i + 2u * STEP < p.x { o[i + 2u * STEP] = r2; }
    if i + 3u * STEP < p.x { o[i + 3u * STEP] = r3; }
}
