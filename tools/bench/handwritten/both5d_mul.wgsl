// [A,1,C,1,Q] * [1,B,1,D,Q]. grid: x = ceil(D / 4 * Q / 64) workgroups of 64 invocations, y = A * B * C, folded into z beyond 65535     p = (Q, D, C, B), Q in quads, D a multiple of 4
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// An invocation owns a quad of each of four neighbours along D, which share that of a.
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.y + w.z * n.y; // along A, B, C
    let x = w.x * 64u + l;
    let four = x / p.x;
    let q = x - four * p.x;
    let at = row * p.y * p.x + four * 4u * p.x + q;
    if 4u * four >= p.y || at >= arrayLength(&o) { return; }
    let ab = row / p.z;
    let c = row - ab * p.z;
    let second = (ab % p.w * p.y + four * 4u) * p.x + q;
    let h = a[(ab / p.w * p.z + c) * p.x + q];
    let r0 = h * b[second];
    let r1 = h * b[second + p.x];
    let r2 = h * b[second + 2u * p.x];
    let r3 = h * b[second + 3u * p.x];
    o[at] = r0;
    o[at + p.x] = r1;
    o[at + 2u * p.x] = r2;
    o[at + 3u * p.x] = r3;
}
