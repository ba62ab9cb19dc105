// What a compiler makes of cases of floats, of which the host knows what they are. The tail defines ROWS, CASES, and the
// functions of probe_sums.wgsl in both ways.

struct Given {
    // Numbers that break rules of real numbers.
    x: array<vec4<f32>, ROWS>,
    y: array<vec4<f32>, ROWS>,
    z: array<vec4<f32>, ROWS>,
    // 1 and -0, four times each.
    one: vec4<f32>,
    minus_zero: vec4<f32>,
}

@group(0) @binding(0) var<storage, read> given: Given;
// The bits of each case of each row, as written and by fused steps.
@group(0) @binding(1) var<storage, read_write> found: array<vec4<u32>, 2u * ROWS * CASES>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= ROWS * CASES { return; }
    let row = id.x / CASES;
    let k = id.x % CASES;
    let x = given.x[row];
    let y = given.y[row];
    let z = given.z[row];
    found[id.x] = bitcast<vec4<u32>>(case_written(k, x, y, z, given.one));
    found[id.x + ROWS * CASES] = bitcast<vec4<u32>>(case_fused(k, x, y, z, given.one));
}

fn plus_written(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return a + b; }
fn minus_written(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return a - b; }
fn times_written(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return a * b; }

// By fused multiplications and additions with a 1 and a -0 that no compiler knows.
fn plus_fused(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return fma(a, given.one, b); }
fn minus_fused(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return fma(a, given.one, -b); }
fn times_fused(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> { return fma(a, b, given.minus_zero); }

fn minus_bits(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) ^ vec4<u32>(0x80000000u));
}
