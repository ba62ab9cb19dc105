// sum(x, axis=1): [N,R,C], in chunks of R. grid: x = ceil(p.x / 64) workgroups of 64 invocations, y = chunks, z = N     p.x = quads of a row, p.y = rows of a chunk, p.z = R
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
// An invocation adds a quad of each row of its chunk.
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let x = w.x * 64u + l;
    if x >= p.x { return; }
    let end = min((w.y + 1u) * p.y, p.z);
    let at = w.z * p.z * p.x + x;
    var t0 = vec4<f32>();
    var t1 = vec4<f32>();
    var t2 = vec4<f32>();
    var t3 = vec4<f32>();
    var r = w.y * p.y;
    for (; r + 3u < end; r += 4u) {
        let v0 = a[at + r * p.x];
        let v1 = a[at + (r + 1u) * p.x];
        let v2 = a[at + (r + 2u) * p.x];
        let v3 = a[at + (r + 3u) * p.x];
        t0 += v0;
        t1 += v1;
        t2 += v2;
        t3 += v3;
    }
    for (; r < end; r++) { t0 += a[at + r * p.x]; }
    o[(w.z * n.y + w.y) * p.x + x] = (t0 + t1) + (t2 + t3);
}
