// The clock meter: 32768 products and sums, each of which waits for the one before. p holds the bits of its operands,
// 1, 1 and 1e-20, so that no compiler knows a result; one workgroup.
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<f32>;

@compute @workgroup_size(32)
fn main(@builtin(local_invocation_index) i: u32) {
    let given = bitcast<vec4<f32>>(p);
    var a = given.x;
    for (var turn = 0u; turn < 1024u; turn += 1u) {
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
        a = fma(a, given.y, given.z);
    }
    r[i] = a;
}
