// softmax(x): [R,C], C at most 4096, a row in registers. grid: x * y workgroups of 64 invocations, one a row     p.x = quads of a row, p.y = rows
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
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

// The maximum over the workgroup, in each of its invocations.
fn max_of_all(l: u32, value: vec4<f32>) -> vec4<f32> {
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
    var v: array<vec4<f32>, 16>;
    var m = vec4<f32>(-3.4e38);
    for (var k = 0u; k < 16u; k++) {
        let x = l + 64u * k;
        v[k] = vec4<f32>(-3.4e38);
        if x < p.x { v[k] = a[at + x]; }
        m = max(m, v[k]);
    }
    m = max_of_all(l, m);
    let most = max(max(m.x, m.y), max(m.z, m.w));
    var t = vec4<f32>();
    for (var k = 0u; k < 16u; k++) {
        if l + 64u * k < p.x {
            v[k] = precise_exp(v[k] - most);
            t += v[k];
        }
    }
    let factor = 1.0 / dot(sum_of_all(l, t), vec4<f32>(1.0));
    for (var k = 0u; k < 16u; k++) {
        let x = l + 64u * k;
        if x < p.x { o[at + x] = v[k] * factor; }
    }
}
