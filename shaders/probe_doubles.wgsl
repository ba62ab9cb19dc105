// What a compiler makes of cases of doubles, and how the adapter rounds single operations; the host knows the right results. The
// tail defines ROWS, CASES, PAIRS, OPERATIONS, and the functions of probe_sums.wgsl on doubles. Numbers come and go as words, as in kernels.

struct Given {
    // Numbers that break rules of real numbers: the low words of four, then the high ones.
    x: array<vec4<u32>, 2u * ROWS>,
    y: array<vec4<u32>, 2u * ROWS>,
    z: array<vec4<u32>, 2u * ROWS>,
    // 1 four times.
    one: array<vec4<u32>, 2>,
    // Operands of the single operations.
    p: array<vec4<u32>, 2u * PAIRS>,
    q: array<vec4<u32>, 2u * PAIRS>,
}

@group(0) @binding(0) var<storage, read> given: Given;
// The bits of each case of each row: four low words, then the high ones. Then those of each operation.
@group(0) @binding(1) var<storage, read_write> found: array<vec4<u32>, 2u * (ROWS * CASES + PAIRS * OPERATIONS)>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    var made: Pair;
    if id.x < ROWS * CASES {
        made = case_of(id.x);
    } else if id.x < ROWS * CASES + PAIRS * OPERATIONS {
        made = operation_of(id.x - ROWS * CASES);
    } else {
        return;
    }
    found[2u * id.x] = made.lo;
    found[2u * id.x + 1u] = made.hi;
}

fn case_of(n: u32) -> Pair {
    let row = 2u * (n / CASES);
    let x = native_f64(Pair(given.x[row], given.x[row + 1u]));
    let y = native_f64(Pair(given.y[row], given.y[row + 1u]));
    let z = native_f64(Pair(given.z[row], given.z[row + 1u]));
    let one = native_f64(Pair(given.one[0], given.one[1]));
    return pair_f64(case_written(n % CASES, x, y, z, one));
}

fn operation_of(n: u32) -> Pair {
    let row = 2u * (n / OPERATIONS);
    let x = native_f64(Pair(given.p[row], given.p[row + 1u]));
    let y = native_f64(Pair(given.q[row], given.q[row + 1u]));
    return pair_f64(operation(n % OPERATIONS, x, y));
}

fn operation(k: u32, x: vec4<f64>, y: vec4<f64>) -> vec4<f64> {
    switch k {
        case 0u: { return x + y; }
        case 1u: { return x - y; }
        case 2u: { return x * y; }
        case 3u: { return x / y; }
        case 4u: { return sqrt(abs(x)); }
        case 5u: { return 1.0lf / y; }
        case 6u: { return x / 3.0lf; }
        default: { return select(vec4<f64>(0.0lf), vec4<f64>(1.0lf), x < y); }
    }
}

fn plus_written(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> { return a + b; }
fn minus_written(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> { return a - b; }
fn times_written(a: vec4<f64>, b: vec4<f64>) -> vec4<f64> { return a * b; }

fn minus_bits(x: vec4<f64>) -> vec4<f64> {
    return bitcast<vec4<f64>>(bitcast<vec4<u64>>(x) ^ vec4<u64>(0x8000000000000000lu));
}
