// softmax(x): [R,C], C at most 320 and no multiple of 4. grid: x * y workgroups of 64 invocations, one a row     p.x = C, p.y = rows
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read_write> o: array<f32>;
var<workgroup> shared_parts: array<f32, 64>;

fn sum_of_all(l: u32, value: f32) -> f32 {
    workgroupBarrier();
    shared_parts[l] = value;
    workgroupBarrier();
    var s = 0.0;
    for (var k = 0u; k < 64u; k++) { s += shared_parts[k]; }
    return s;
}

fn max_of_all(l: u32, value: f32) -> f32 {
    workgroupBarrier();
    shared_parts[l] = value;
    workgroupBarrier();
    var m = shared_parts[0];
    for (var k = 1u; k < 64u; k++) { m = max(m, shared_parts[k]); }
    return m;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.x + w.y * n.x;
    if row >= p.y { return; }
    let at = row * p.x;
    var v: array<f32, 5>;
    var m = -3.4e38;
    for (var k = 0u; k < 5u; k++) {
        let x = l + 64u * k;
        v[k] = -3.4e38;
        if x < p.x { v[k] = a[at + x]; }
        m = max(m, v[k]);
    }
    m = max_of_all(l, m);
    let e = precise_exp(vec4<f32>(v[0], v[1], v[2], v[3]) - m);
    v[0] = e.x;
    v[1] = e.y;
    v[2] = e.z;
    v[3] = e.w;
    v[4] = precise_exp(vec4<f32>(v[4] - m)).x;
    var t = 0.0;
    for (var k = 0u; k < 5u; k++) {
        if l + 64u * k < p.x { t += v[k]; }
    }
    let factor = 1.0 / sum_of_all(l, t);
    for (var k = 0u; k < 5u; k++) {
        let x = l + 64u * k;
        if x < p.x { o[at + x] = v[k] * factor; }
    }
}
