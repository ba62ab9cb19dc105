// [A,1,C,1,Q] * [1,B,1,D,Q]. grid: x = ceil(D * Q / 256) workgroups of 64 invocations, y = A * B * C, folded into z beyond 65535     p = (Q, D, C, B), Q in quads
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.y + w.z * n.y; // along A, B, C
    let width = p.x * p.y;
    let at = row * width;
    let x = w.x * 256u + l * LANE;
    if at >= arrayLength(&o) || x >= width { return; }
    let ab = row / p.z;
    let c = row - ab * p.z;
    let first = (ab / p.w * p.z + c) * p.x;
    let second = ab % p.w * width;
    let advance = STEP % p.x;
    var q = x % p.x;
    for (var j = 0u; j < 4u; j++) {
        let k = x + j * STEP;
        if k < width { o[at + k] = a[first + q] * b[second + k]; }
        q += advance;
        if q >= p.x { q -= p.x; }
    }
}
