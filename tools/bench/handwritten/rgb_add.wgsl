// [..., 3] + [3]. grid: ceil(p.x / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = quads of the output
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 1024u + l * LANE;
    let s = array<vec4<f32>, 3>(vec4<f32>(b[0], b[1], b[2], b[0]), vec4<f32>(b[1], b[2], b[0], b[1]), vec4<f32>(b[2], b[0], b[1], b[2]));
    // A quad and the third after it start at the same channel: three patterns, and the steps between quads are 1 modulo 3.
    let first = i % 3u;
    let x = select(select(s[2], s[1], first == 1u), s[0], first == 0u);
    let y = select(select(s[0], s[2], first == 1u), s[1], first == 0u);
    let z = select(select(s[1], s[0], first == 1u), s[2], first == 0u);
    if i < p.x { o[i] = a[i] + x; }
    if i + STEP < p.x { o[i + STEP] = a[i + STEP] + y; }
    if i + 2u * STEP < p.x { o[i + 2u * STEP] = a[i + 2u * STEP] + z; }
    if i + 3u * STEP < p.x { o[i + 3u * STEP] = a[i + 3u * STEP] + x; }
}
