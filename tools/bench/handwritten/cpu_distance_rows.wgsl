// sum((x - y) ** 2, axis=1) on a CPU: [R,C] twice, C a multiple of 256. grid: x * y workgroups of 8 invocations, four a row     p.x = rows, p.z = quads of a row
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = min((w.x + w.y * n.x) * 2u + (l >> 2u), p.x - 1u);
    var t = Lanes();
    for (var x = l & 3u; x < p.z; x += 64u) {
        let at = row * p.z + x;
        for (var m = 0u; m < 16u; m++) {
            let d = a[at + 4u * m] - b[at + 4u * m];
            t[m] += d * d;
        }
    }
    let sum = sum_of_all(l, t);
    if (l & 3u) == 0u { o[row] = sum; }
}
