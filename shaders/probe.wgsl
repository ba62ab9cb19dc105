// What an adapter does that no limit or feature says. Each test counts what came out as it should, so that a device which
// computes nothing passes none. The numbers are data: no compiler computes with them.
//
// The tail defines `fn halves_agree(n: u32) -> vec2<bool>`: of numbers, and of what arithmetic makes.

struct Given {
    // Subnormal numbers and the smallest normal one, and what they meet; the last of these is 0.
    small: vec4<f32>,
    other: vec4<f32>,
    // What arithmetic and comparisons that keep subnormal numbers make of them.
    products: vec4<u32>,
    less: vec4<u32>,
    zero: vec4<u32>,
    floors: vec4<u32>,
    // 1 four times.
    one: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> given: Given;
// How often each test passed: subnormal numbers; halves; halves that arithmetic makes.
@group(0) @binding(1) var<storage, read_write> passed: array<atomic<u32>, 4>;

fn keeps_subnormals() -> bool {
    let x = given.small;
    let y = given.other;
    let zero = vec4<f32>(y.w);
    return all(bitcast<vec4<u32>>(x * y) == given.products)
        && all(select(vec4<u32>(0u), vec4<u32>(1u), x < y) == given.less)
        && all(select(vec4<u32>(0u), vec4<u32>(1u), x == zero) == given.zero)
        && all(bitcast<vec4<u32>>(floor(x - y)) == given.floors);
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x == 0u && keeps_subnormals() { atomicAdd(&passed[0], 1u); }
    let halves = halves_agree(id.x);
    if halves.x { atomicAdd(&passed[1], 1u); }
    if halves.y { atomicAdd(&passed[2], 1u); }
}
