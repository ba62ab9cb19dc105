// What a compiler makes of cases of doubles, of which the host knows what they are. The tail defines ROWS, CASES, and the
// functions of probe_sums.wgsl on doubles. Numbers come and go as words, as in kernels.

struct Given {
    // Numbers that break rules of real numbers: the low words of four, then the high ones.
    x: array<vec4<u32>, 2u * ROWS>,
    y: array<vec4<u32>, 2u * ROWS>,
    z: array<vec4<u32>, 2u * ROWS>,
    // 1 four times.
    one: array<vec4<u32>, 2>,
}

@group(0) @binding(0) var<storage, read> given: Given;
// The bits of each case of each row: four low words, then the high ones.
@group(0) @binding(1) var<storage, read_write> found: array<vec4<u32>, 2u * ROWS * CASES>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    if id.x >= ROWS * CASES { return; }
    let row = 2u * (id.x / CASES);
    let x = native_f64(Pair(given.x[row], given.x[row + 1u]));
    let y = native_f64(Pair(given.y[row], given.y[row + 1u]));
    let z = native_f64(Pair(given.z[row], given.z[row + 1u]));
    let one = native_f64(Pair(given.one[0], given.one[1]));
    let made = pair_f64(case_written(id.x % CASES, x, y, z, one));
    found[2u * id.x] = made.lo;
    found[2u * id.x + 1u] = made.hi;
}

fn plus_written(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> { return a + b; }
fn minus_written(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> { return a - b; }
fn times_written(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> { return a * b; }

fn minus_bits(x: vec4<f64>) -> vec4<f64> {
    return bitcast<vec4<f64>>(bitcast<vec4<u64>>(x) ^ vec4<u64>(0x8000000000000000lu));
}
