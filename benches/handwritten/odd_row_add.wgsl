// [R,C] + [C] for any C of at least 4. grid: ceil(p.x / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = quads of the output, the last one padded, p.y = C
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
    let advance = (4u * STEP) % p.y;
    var c = (4u * i) % p.y;
    for (var j = 0u; j < 4u; j++) {
        let k = i + j * STEP;
        if k < p.x {
            let lanes = vec4<u32>(c) + vec4<u32>(0u, 1u, 2u, 3u);
            let at = select(lanes, lanes - vec4<u32>(p.y), lanes >= vec4<u32>(p.y));
            o[k] = a[k] + vec4<f32>(b[at.x], b[at.y], b[at.z], b[at.w]);
        }
        c += advance;
        if c >= p.y { c -= p.y; }
    }
}
