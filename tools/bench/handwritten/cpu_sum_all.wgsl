// sum(x, axis=1) of the lanes of parts, on a CPU: [R,C], C a multiple of 256 and at most 65536. grid: x * y workgroups of 8 invocations, four a row     p.x = rows, p.z = quads of a row
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = min((w.x + w.y * n.x) * 2u + (l >> 2u), p.x - 1u);
    var t = Lanes();
    // Sixteen elements of each lane at a time.
    for (var g = 0u; g < p.z; g += 1024u) {
        var s = Lanes();
        for (var x = g; x < min(g + 1024u, p.z); x += 64u) {
            let at = row * p.z + x + (l & 3u);
            for (var m = 0u; m < 16u; m++) { s[m] += a[at + 4u * m]; }
        }
        for (var m = 0u; m < 16u; m++) { t[m] += s[m]; }
    }
    let sum = sum_of_all(l, t);
    if (l & 3u) == 0u { o[row] = sum; }
}
