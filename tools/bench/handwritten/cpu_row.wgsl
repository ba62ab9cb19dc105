// What kernels of rows on a CPU have in common: four invocations share a row and own every fourth quad of its 256 lanes,
// and a workgroup of eight does two rows. The order of additions is a plan's.
alias Lanes = array<vec4<f32>, 16>;
var<workgroup> parts: array<vec4<f32>, 8>;

// The sum of what four invocations have, in each of them.
fn sum_of_all(l: u32, own: Lanes) -> f32 {
    var t = own;
    for (var m = 0u; m < 8u; m++) { t[m] += t[m + 8u]; }
    for (var m = 0u; m < 4u; m++) { t[m] += t[m + 4u]; }
    workgroupBarrier();
    parts[l] = (t[0] + t[2]) + (t[1] + t[3]);
    workgroupBarrier();
    let at = l & 4u;
    let quad = (parts[at] + parts[at + 2u]) + (parts[at + 1u] + parts[at + 3u]);
    return (quad.x + quad.z) + (quad.y + quad.w);
}

// The largest of what four invocations have, in each of them.
fn max_of_all(l: u32, own: vec4<f32>) -> f32 {
    workgroupBarrier();
    parts[l] = own;
    workgroupBarrier();
    let at = l & 4u;
    let quad = max(max(parts[at], parts[at + 2u]), max(parts[at + 1u], parts[at + 3u]));
    return max(max(quad.x, quad.z), max(quad.y, quad.w));
}
