// 1 + (STEPS - 1) steps: r = a + b, then r * b and r + a in turn; STEPS is 2, 8 or 32. grid: ceil(p.x / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = quads, p.z = 1.0, p.w = -0.0
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
override STEPS: u32 = 2u;
// Whether each step is rounded, which the compiler cannot undo: it does not know the numbers in p.
override ROUNDED: bool = false;
fn times(r: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    if ROUNDED { return fma(r, b, vec4<f32>(bitcast<f32>(p.w))); }
    return r * b;
}
fn two(r: vec4<f32>, a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    if ROUNDED { return fma(times(r, b), vec4<f32>(bitcast<f32>(p.z)), a); }
    return r * b + a;
}
fn six(r: vec4<f32>, a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return two(two(two(r, a, b), a, b), a, b); }
fn chain(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    var r = a + b;
    if STEPS >= 8u { r = six(r, a, b); }
    if STEPS >= 32u { r = six(six(six(six(r, a, b), a, b), a, b), a, b); }
    return times(r, b);
}
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 1024u + l * LANE;
    let r0 = chain(a[i], b[i]);
    let r1 = chain(a[i + STEP], b[i + STEP]);
    let r2 = chain(a[i + 2u * STEP], b[i + 2u * STEP]);
    let r3 = chain(a[i + 3u * STEP], b[i + 3u * STEP]);
    if i < p.x { o[i] = r0; }
    if i + STEP < p.x { o[i + STEP] = r1; }
    if i + 2u * STEP < p.x { o[i + 2u * STEP] = r2; }
    if i + 3u * STEP < p.x { o[i + 3u * STEP] = r3; }
}
