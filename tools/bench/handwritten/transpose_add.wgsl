// a.T + b by 4 x 4 register tiles; a is [C,R], b and the output are [R,C]. grid: x = ceil(p.x / 4), y = ceil(p.y / 64)     p.x = quads of a row of the output, p.y = quads of a row of a
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>) {
    // One axis: a CPU computes neighbours along x together.
    let id = vec2<u32>(w.x * 4u + (l & 3u), w.y * 64u + (l >> 2u));
    if id.x >= p.x || id.y >= p.y { return; }
    let src = id.x * 4u * p.y + id.y;
    let t = transpose(mat4x4<f32>(a[src], a[src + p.y], a[src + 2u * p.y], a[src + 3u * p.y]));
    let dst = id.y * 4u * p.x + id.x;
    o[dst] = t[0] + b[dst];
    o[dst + p.x] = t[1] + b[dst + p.x];
    o[dst + 2u * p.x] = t[2] + b[dst + 2u * p.x];
    o[dst + 3u * p.x] = t[3] + b[dst + 3u * p.x];
}
