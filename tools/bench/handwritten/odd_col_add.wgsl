// [R,C] + [R,1] for any C of at least 4. grid: as odd_row_add     p.x = quads of the output, the last one padded, p.y = C, p.z = quads of a quarter, p.z * 4 / C rows, which is a whole number
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// A quad that begins in a row: the lanes past its end are in the next one.
fn rows_of(row: u32, past: vec4<bool>) -> vec4<f32> {
    return select(vec4<f32>(b[row]), vec4<f32>(b[row + u32(past.w)]), past);
}
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let i = (w.x + w.y * n.x) * 256u + l;
    if i >= p.z { return; }
    let row = (4u * i) / p.y;
    let rows = (4u * p.z) / p.y;
    // The same quad of each quarter of the rows has the same columns.
    let past = vec4<u32>(4u * i - row * p.y) + vec4<u32>(0u, 1u, 2u, 3u) >= vec4<u32>(p.y);
    o[i] = a[i] + rows_of(row, past);
    let second = i + p.z;
    if second < p.x { o[second] = a[second] + rows_of(row + rows, past); }
    let third = second + p.z;
    if third < p.x { o[third] = a[third] + rows_of(row + 2u * rows, past); }
    let fourth = third + p.z;
    if fourth < p.x { o[fourth] = a[fourth] + rows_of(row + 3u * rows, past); }
}
