// softmax(x) on a CPU: [R,C], C a multiple of 256. grid: x * y workgroups of 8 invocations, four a row     p.x = rows, p.z = quads of a row
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = min((w.x + w.y * n.x) * 2u + (l >> 2u), p.x - 1u);
    var most = vec4<f32>(-3.4e38);
    for (var x = l & 3u; x < p.z; x += 16u) {
        let at = row * p.z + x;
        most = max(max(most, max(a[at], a[at + 4u])), max(a[at + 8u], a[at + 12u]));
    }
    let largest = max_of_all(l, most);
    var t = Lanes();
    for (var x = l & 3u; x < p.z; x += 64u) {
        let at = row * p.z + x;
        for (var m = 0u; m < 16u; m++) {
            let e = precise_exp(a[at + 4u * m] - largest);
            t[m] += e;
            o[at + 4u * m] = e;
        }
    }
    let sum = sum_of_all(l, t);
    for (var x = l & 3u; x < p.z; x += 4u) { o[row * p.z + x] = o[row * p.z + x] / sum; }
}
