// [A,1,C,1,E,1,G,1] + [1,B,1,D,1,F,1,H], extents powers of two, H at least 4, G * H at least 16. grid: ceil(p.y / 1024) workgroups of 256 invocations, folded into y at 4096     p.x = log2 of the extents, 4 bits each, A lowest, p.y = quads of the output
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// The four quads of an invocation: neighbours on a CPU (the defaults), a workgroup's width apart on a GPU.
override LANE: u32 = 4u;
override STEP: u32 = 1u;

fn take(rest: ptr<function, u32>, axis: u32) -> u32 {
    let bits = (p.x >> (4u * axis)) & 15u;
    let c = *rest & ((1u << bits) - 1u);
    *rest >>= bits;
    return c;
}

// Where quad i finds its number in a and its quad in b.
fn place(i: u32, bits: u32) -> vec2<u32> {
    var rest = i;
    let h = rest & ((1u << bits) - 1u);
    rest >>= bits;
    let g = take(&rest, 6u);
    let f = take(&rest, 5u);
    let e = take(&rest, 4u);
    let d = take(&rest, 3u);
    let c = take(&rest, 2u);
    let b1 = take(&rest, 1u);
    let at = (((((rest << ((p.x >> 8u) & 15u)) + c) << ((p.x >> 16u) & 15u)) + e) << ((p.x >> 24u) & 15u)) + g;
    let bt = (((((b1 << ((p.x >> 12u) & 15u)) + d) << ((p.x >> 20u) & 15u)) + f) << bits) + h;
    return vec2<u32>(at, bt);
}

fn sum(i: u32, bits: u32) -> vec4<f32> {
    let at = place(i, bits);
    return vec4<f32>(a[at.x]) + b[at.y];
}

@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 1024u + l * LANE;
    let bits = (p.x >> 28u) - 2u;
    if LANE == 4u && i + 3u < p.y {
        // Neighbours: G * H holds at least four quads, so the axes outside them are the same.
        let at = place(i, bits);
        let low = (1u << bits) - 1u;
        o[i] = vec4<f32>(a[at.x]) + b[at.y];
        o[i + 1u] = vec4<f32>(a[at.x + (1u >> bits)]) + b[at.y + (1u & low)];
        o[i + 2u] = vec4<f32>(a[at.x + (2u >> bits)]) + b[at.y + (2u & low)];
        o[i + 3u] = vec4<f32>(a[at.x + (3u >> bits)]) + b[at.y + (3u & low)];
        return;
    }
    for (var j = 0u; j < 4u; j++) {
        let k = i + j * STEP;
        if k < p.y { o[k] = sum(k, bits); }
    }
}
