// What an adapter does that no limit or feature says. What came out as it should is counted or compared by the host, so that
// a device which computes nothing passes no test. The numbers are data: no compiler computes with them.
//
// The tail defines ROWS, `fn halves_agree(n: u32) -> vec2<bool>`: of numbers, and of what arithmetic makes, and
// `fn quotients_agree(n: u32) -> bool` and `fn fused_quotients_agree(n: u32) -> bool`.

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
    // Numbers that break rules of real numbers.
    x: array<vec4<f32>, ROWS>,
    y: array<vec4<f32>, ROWS>,
    z: array<vec4<f32>, ROWS>,
}

@group(0) @binding(0) var<storage, read> given: Given;
struct Found {
    // How often each test passed: subnormal numbers; halves; halves that arithmetic makes; quotients; quotients
    // by `fma`.
    passed: array<atomic<u32>, 8>,
    // What each row makes: what any compiler that takes floats for real numbers gets wrong, and `fma`.
    hints: array<vec4<u32>, 6u * ROWS>,
}

@group(0) @binding(1) var<storage, read_write> found: Found;

fn keeps_subnormals() -> bool {
    let x = given.small;
    let y = given.other;
    let zero = vec4<f32>(y.w);
    return all(bitcast<vec4<u32>>(x * y) == given.products)
        && all(select(vec4<u32>(0u), vec4<u32>(1u), x < y) == given.less)
        && all(select(vec4<u32>(0u), vec4<u32>(1u), x == zero) == given.zero)
        && all(bitcast<vec4<u32>>(floor(x - y)) == given.floors);
}

fn hints(row: u32) {
    let x = given.x[row];
    let y = given.y[row];
    let z = given.z[row];
    found.hints[6u * row] = bitcast<vec4<u32>>(x - x);
    found.hints[6u * row + 1u] = bitcast<vec4<u32>>(y + (x - y));
    found.hints[6u * row + 2u] = bitcast<vec4<u32>>(z * y + z * x);
    found.hints[6u * row + 3u] = bitcast<vec4<u32>>(x * y + z);
    found.hints[6u * row + 4u] = bitcast<vec4<u32>>(fma(x, y, z));
    found.hints[6u * row + 5u] = bitcast<vec4<u32>>(fma(x, y, -(x * y)));
}

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x == 0u && keeps_subnormals() { atomicAdd(&found.passed[0], 1u); }
    let halves = halves_agree(id.x);
    if halves.x { atomicAdd(&found.passed[1], 1u); }
    if halves.y { atomicAdd(&found.passed[2], 1u); }
    if quotients_agree(id.x) { atomicAdd(&found.passed[3], 1u); }
    if fused_quotients_agree(id.x) { atomicAdd(&found.passed[4], 1u); }
    if id.x < ROWS { hints(id.x); }
}
