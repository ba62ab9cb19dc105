// (x - mean) / sqrt(var + 1e-5) * gamma + beta on a CPU: [R,C], [C] twice, C a multiple of 256. grid: x * y workgroups of 8 invocations, four a row     p.x = rows, p.y = bits of 1 / C, p.z = quads of a row
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read> c: array<vec4<f32>>;
@group(0) @binding(4) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = min((w.x + w.y * n.x) * 2u + (l >> 2u), p.x - 1u);
    let count = f32(p.z * 4u);
    var t = Lanes();
    for (var x = l & 3u; x < p.z; x += 64u) {
        let at = row * p.z + x;
        for (var m = 0u; m < 16u; m++) { t[m] += a[at + 4u * m]; }
    }
    let mean = sum_of_all(l, t) / count;
    t = Lanes();
    var s = Lanes();
    for (var x = l & 3u; x < p.z; x += 64u) {
        let at = row * p.z + x;
        for (var m = 0u; m < 16u; m++) {
            let d = a[at + 4u * m] - mean;
            t[m] += d;
            s[m] += d * d;
        }
    }
    // What the rounded mean leaves in the squares is taken out.
    let rest = sum_of_all(l, t);
    let squares = sum_of_all(l, s);
    let deviation = sqrt(max(squares - rest * rest / count, 0.0) / count + 1e-5);
    for (var x = l & 3u; x < p.z; x += 4u) {
        let at = row * p.z + x;
        o[at] = (a[at] - mean) / deviation * b[x] + c[x];
    }
}
