// argmax(x, axis=1): [R,C] without NaN. grid: x * y workgroups of 64 invocations, one a row     p.x = quads of a row, p.y = rows
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec2<u32>>;
var<workgroup> values: array<f32, 64>;
var<workgroup> places: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = w.x + w.y * n.x;
    if row >= p.y { return; }
    let at = row * p.x;
    var most = vec4<f32>(-3.4e38);
    var quad = vec4<u32>(l);
    for (var x = l; x < p.x; x += 64u) {
        let v = a[at + x];
        let greater = v > most;
        most = select(most, v, greater);
        quad = select(quad, vec4<u32>(x), greater);
    }
    let place = quad * 4u + vec4<u32>(0u, 1u, 2u, 3u);
    var best = most.x;
    var best_at = place.x;
    for (var k = 1u; k < 4u; k++) {
        let wins = most[k] > best || most[k] == best && place[k] < best_at;
        best = select(best, most[k], wins);
        best_at = select(best_at, place[k], wins);
    }
    values[l] = best;
    places[l] = best_at;
    workgroupBarrier();
    if l != 0u { return; }
    for (var k = 1u; k < 64u; k++) {
        let wins = values[k] > best || values[k] == best && places[k] < best_at;
        best = select(best, values[k], wins);
        best_at = select(best_at, places[k], wins);
    }
    o[row] = vec2<u32>(best_at, 0u);
}
