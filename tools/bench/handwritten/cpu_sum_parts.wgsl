// The 256 lanes of each part of 65536 elements, on a CPU. grid: x * y workgroups of 8 invocations, four a part     p.x = parts
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let part = min((w.x + w.y * n.x) * 2u + (l >> 2u), p.x - 1u);
    var at = part * 16384u + (l & 3u);
    var t: array<vec4<f32>, 16>;
    for (var g = 0u; g < 16u; g++) {
        var s: array<vec4<f32>, 16>;
        for (var k = 0u; k < 16u; k++) {
            for (var m = 0u; m < 16u; m++) { s[m] += a[at + 4u * m]; }
            at += 64u;
        }
        for (var m = 0u; m < 16u; m++) { t[m] += s[m]; }
    }
    for (var m = 0u; m < 16u; m++) { o[part * 64u + (l & 3u) + 4u * m] = t[m]; }
}
