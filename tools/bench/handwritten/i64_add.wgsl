// i64 a + b of one shape, as pairs of u32; a quad here is 16 bytes, 2 elements. grid: ceil(p.x / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = quads
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<u32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
fn wide(x: vec4<u32>, y: vec4<u32>) -> vec4<u32> {
    let low = x.xz + y.xz;
    let high = x.yw + y.yw + select(vec2<u32>(0u), vec2<u32>(1u), low < x.xz);
    return vec4<u32>(low.x, high.x, low.y, high.y);
}
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 1024u + l * LANE;
    let r0 = wide(a[i], b[i]);
    let r1 = wide(a[i + STEP], b[i + STEP]);
    let r2 = wide(a[i + 2u * STEP], b[i + 2u * STEP]);
    let r3 = wide(a[i + 3u * STEP], b[i + 3u * STEP]);
    if i < p.x { o[i] = r0; }
    if i + STEP < p.x { o[i + STEP] = r1; }
    if i + 2u * STEP < p.x { o[i + 2u * STEP] = r2; }
    if i + 3u * STEP < p.x { o[i + 3u * STEP] = r3; }
}
