// [R,C] + [C] for any C of at least 4. grid: ceil(p.z / 256) workgroups of 256 invocations, folded into y beyond 65535     p.x = quads of the output, the last one padded, p.y = C, p.z = quads of a quarter, p.z * 4 / C rows, which is a whole number
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 256u + l;
    if i >= p.z { return; }
    // The same quad of each quarter of the rows has the same columns.
    let c = (4u * i) % p.y;
    let lanes = vec4<u32>(c) + vec4<u32>(0u, 1u, 2u, 3u);
    let at = select(lanes, lanes - vec4<u32>(p.y), lanes >= vec4<u32>(p.y));
    let v = vec4<f32>(b[at.x], b[at.y], b[at.z], b[at.w]);
    o[i] = a[i] + v;
    let second = i + p.z;
    if second < p.x { o[second] = a[second] + v; }
    let third = second + p.z;
    if third < p.x { o[third] = a[third] + v; }
    let fourth = third + p.z;
    if fourth < p.x { o[fourth] = a[fourth] + v; }
}
