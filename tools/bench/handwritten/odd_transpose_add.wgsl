// a.T + b for any C of at least 4; a is [C,R], b and the output are [R,C]. grid: x = ceil(C / 16), y = ceil(R / 256)     p.x = C, p.y = R, p.z = quads of the output, the last one padded
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {
    // Four rows are C whole quads. An invocation owns the same one of four neighbouring fours, whose elements of a lie near one
    // another.
    let q = w.x * 16u + l % 16u;
    let fours = (w.y * 16u + l / 16u) * 4u;
    let i = fours * p.x + q;
    if q >= p.x || i >= p.z { return; }
    let row = (4u * q) / p.x;
    let lanes = vec4<u32>(4u * q - row * p.x) + vec4<u32>(0u, 1u, 2u, 3u);
    let past = lanes >= vec4<u32>(p.x);
    let column = select(lanes, lanes - vec4<u32>(p.x), past);
    let k = column * p.y + vec4<u32>(row + 4u * fours) + select(vec4<u32>(0u), vec4<u32>(1u), past);
    o[i] = b[i] + vec4<f32>(a[k.x], a[k.y], a[k.z], a[k.w]);
    let second = i + p.x;
    if second < p.z { o[second] = b[second] + vec4<f32>(a[k.x + 4u], a[k.y + 4u], a[k.z + 4u], a[k.w + 4u]); }
    let third = second + p.x;
    if third < p.z { o[third] = b[third] + vec4<f32>(a[k.x + 8u], a[k.y + 8u], a[k.z + 8u], a[k.w + 8u]); }
    let fourth = third + p.x;
    if fourth < p.z { o[fourth] = b[fourth] + vec4<f32>(a[k.x + 12u], a[k.y + 12u], a[k.z + 12u], a[k.w + 12u]); }
}
