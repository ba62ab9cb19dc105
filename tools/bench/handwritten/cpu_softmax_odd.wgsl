// softmax(x) on a CPU: [R,257]. grid: x * y workgroups of 8 invocations, four a row     p.x = rows
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
fn quad(at: u32) -> vec4<f32> { return vec4<f32>(a[at], a[at + 1u], a[at + 2u], a[at + 3u]); }
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = min((w.x + w.y * n.x) * 2u + (l >> 2u), p.x - 1u);
    // Of 256 elements every fourth quad; the last element belongs to the first lane.
    let at = row * 257u + 4u * (l & 3u);
    let last = row * 257u + 256u;
    let first = (l & 3u) == 0u;
    var v: Lanes;
    var most = vec4<f32>(a[last]);
    for (var m = 0u; m < 16u; m++) {
        v[m] = quad(at + 16u * m);
        most = max(most, v[m]);
    }
    let largest = max_of_all(l, most);
    for (var m = 0u; m < 16u; m++) { v[m] = precise_exp(v[m] - largest); }
    let end = precise_exp(vec4<f32>(a[last] - largest)).x;
    var t = v;
    t[0].x = select(t[0].x, t[0].x + end, first);
    let sum = sum_of_all(l, t);
    for (var m = 0u; m < 16u; m++) {
        let q = v[m] / sum;
        o[at + 16u * m] = q.x;
        o[at + 16u * m + 1u] = q.y;
        o[at + 16u * m + 2u] = q.z;
        o[at + 16u * m + 3u] = q.w;
    }
    if first { o[last] = end / sum; }
}
