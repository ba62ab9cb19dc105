// (x - mean) / sqrt(var + 1e-5) * gamma + beta: [R,C], [C] twice, C at most 320 and no multiple of 4. grid: x * y workgroups of 64 invocations, one a row     p.x = C, p.y = rows, p.z = bits of 1 / C
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read> c: array<f32>;
@group(0) @binding(4) var<storage, read_write> o: array<f32>;
var<workgroup> shared_parts: array<f32, 64>;

fn sum_of_all(l: u32, value: f32) -> f32 {
    workgroupBarrier();
    shared_parts[l] = value;
    workgroupBarrier();
    var s = 0.0;
    for (var k = 0u; k < 64u; k++) { s += shared_parts[k]; }
    return s;
}

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.x + w.y * n.x;
    if row >= p.y { return; }
    let at = row * p.x;
    var v: array<f32, 5>;
    var t = 0.0;
    for (var k = 0u; k < 5u; k++) {
        let x = l + 64u * k;
        if x < p.x { v[k] = a[at + x]; }
        t += v[k];
    }
    let mean = sum_of_all(l, t) * bitcast<f32>(p.z);
    var s = 0.0;
    for (var k = 0u; k < 5u; k++) {
        v[k] = select(0.0, v[k] - mean, l + 64u * k < p.x);
        s += v[k] * v[k];
    }
    let factor = 1.0 / sqrt(sum_of_all(l, s) * bitcast<f32>(p.z) + 1e-5);
    for (var k = 0u; k < 5u; k++) {
        let x = l + 64u * k;
        if x < p.x { o[at + x] = v[k] * factor * b[x] + c[x]; }
    }
}
