// [N,CH,S] + [CH,1] for any S of at least 4. grid: as odd_row_add     p.x = quads of the output, the last one padded, p.y = S, p.z = quads of a quarter, p.z * 4 / (CH * S) images, which is a whole number, p.w = CH
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 256u + l;
    if i >= p.z { return; }
    // The same quad of each quarter of the images has the same channels, two at most.
    let plane = (4u * i) / p.y;
    let past = vec4<u32>(4u * i - plane * p.y) + vec4<u32>(0u, 1u, 2u, 3u) >= vec4<u32>(p.y);
    let channel = plane % p.w;
    let next = select(channel + 1u, 0u, channel + 1u == p.w);
    let v = select(vec4<f32>(b[channel]), vec4<f32>(b[next]), past);
    o[i] = a[i] + v;
    let second = i + p.z;
    if second < p.x { o[second] = a[second] + v; }
    let third = second + p.z;
    if third < p.x { o[third] = a[third] + v; }
    let fourth = third + p.z;
    if fourth < p.x { o[fourth] = a[fourth] + v; }
}
