// sum(x, axis=1) times a number: [R,C]. grid: x * y workgroups of 64 invocations, one a row     p.x = quads of a row, p.y = rows, p.z = bits of the number
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
    var t0 = vec4<f32>();
    var t1 = vec4<f32>();
    var t2 = vec4<f32>();
    var t3 = vec4<f32>();
    var x = l;
    for (; x + 192u < p.x; x += 256u) {
        let v0 = a[at + x];
        let v1 = a[at + x + 64u];
        let v2 = a[at + x + 128u];
        let v3 = a[at + x + 192u];
        t0 += v0;
        t1 += v1;
        t2 += v2;
        t3 += v3;
    }
    for (; x < p.x; x += 64u) { t0 += a[at + x]; }
    let t = sum_of_all(l, (t0 + t1) + (t2 + t3));
    if l == 0u { o[row] = ((t.x + t.y) + (t.z + t.w)) * bitcast<f32>(p.z); }
}
