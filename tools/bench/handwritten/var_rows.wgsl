// var(x, axis=1): [R,C], C at most 4096, a row in registers. grid: x * y workgroups of 64 invocations, one a row     p.x = quads of a row, p.y = rows, p.z = bits of 1 / C
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
var<workgroup> shared_parts: array<vec4<f32>, 64>;

// The sum over the workgroup, in each of its invocations: one barrier, and as many loads as a tree has steps and a few.
fn sum_of_all(l: u32, value: vec4<f32>) -> vec4<f32> {
    workgroupBarrier();
    shared_parts[l] = value;
    workgroupBarrier();
    var s0 = vec4<f32>();
    var s1 = vec4<f32>();
    for (var k = 0u; k < 64u; k += 2u) {
        s0 += shared_parts[k];
        s1 += shared_parts[k + 1u];
    }
    return s0 + s1;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.x + w.y * n.x;
    if row >= p.y { return; }
    let at = row * p.x;
    var v: array<vec4<f32>, 16>;
    var t = vec4<f32>();
    for (var k = 0u; k < 16u; k++) {
        let x = l + 64u * k;
        if x < p.x { v[k] = a[at + x]; }
        t += v[k];
    }
    let mean = dot(sum_of_all(l, t), vec4<f32>(1.0)) * bitcast<f32>(p.z);
    var s = vec4<f32>();
    for (var k = 0u; k < 16u; k++) {
        let d = select(vec4<f32>(), v[k] - mean, l + 64u * k < p.x);
        s += d * d;
    }
    s = sum_of_all(l, s);
    if l == 0u { o[row] = ((s.x + s.y) + (s.z + s.w)) * bitcast<f32>(p.z); }
}
