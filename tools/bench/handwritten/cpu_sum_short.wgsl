// sum(x, axis=1), on a CPU and with a plan's order of additions: [R,16]. grid: x * y workgroups of 64 invocations, four rows each     p.x = rows, a multiple of 4
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
fn sum_of_row(row: u32) -> f32 {
    let at = row * 4u;
    let t = (a[at] + a[at + 2u]) + (a[at + 1u] + a[at + 3u]);
    return (t.x + t.z) + (t.y + t.w);
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let four = (w.x + w.y * n.x) * 64u + l;
    if four * 4u >= p.x { return; }
    let row = four * 4u;
    o[four] = vec4<f32>(sum_of_row(row), sum_of_row(row + 1u), sum_of_row(row + 2u), sum_of_row(row + 3u));
}
