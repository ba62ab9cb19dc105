// argmax(x, axis=1) on a CPU: [R,C]; a NaN is found, and -0 is 0. grid: x * y workgroups of 8 invocations, four a row     p.x = rows, p.z = quads of a row
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec2<u32>>;
var<workgroup> keys: array<vec4<i32>, 8>;
var<workgroup> quads: array<vec4<u32>, 8>;

// Integers in the order of the floats with these bits, NaN as the largest.
fn ordered(bits: vec4<u32>) -> vec4<i32> {
    let some = select(bits, vec4<u32>(0u), bits == vec4<u32>(0x80000000u));
    let negative = bitcast<vec4<u32>>(bitcast<vec4<i32>>(some) >> vec4<u32>(31u)) & vec4<u32>(0x7fffffffu);
    let is_nan = (bits & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
    return select(bitcast<vec4<i32>>(some ^ negative), vec4<i32>(0x7fffffff), is_nan);
}

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = min((w.x + w.y * n.x) * 2u + (l >> 2u), p.x - 1u);
    var most = vec4<i32>(i32(-0x7fffffff - 1));
    var quad = vec4<u32>(l & 3u);
    for (var x = l & 3u; x < p.z; x += 4u) {
        let key = ordered(a[row * p.z + x]);
        let greater = key > most;
        most = select(most, key, greater);
        quad = select(quad, vec4<u32>(x), greater);
    }
    keys[l] = most;
    quads[l] = quad * 4u + vec4<u32>(0u, 1u, 2u, 3u);
    workgroupBarrier();
    if (l & 3u) != 0u { return; }
    var best = keys[l].x;
    var place = quads[l].x;
    for (var k = 1u; k < 16u; k++) {
        let key = keys[l + (k >> 2u)][k & 3u];
        let at = quads[l + (k >> 2u)][k & 3u];
        let wins = key > best || key == best && at < place;
        best = select(best, key, wins);
        place = select(place, at, wins);
    }
    o[row] = vec2<u32>(place, 0u);
}
