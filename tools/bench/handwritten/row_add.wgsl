// [R,C] + [C]. grid: x = ceil(p.x / 256) workgroups of 256 invocations, y = ceil(p.y / 4), folded into z beyond 65535     p.x = quads of a row, p.y = rows, a multiple of 4
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(3) var<storage, read_write> o: array<vec4<f32>>;
// An invocation owns a quad of each of four rows, so that what all rows share is loaded once.
@compute @workgroup_size(256)
fn main(@builtin(local_invocation_index) l: u32, @builtin(workgroup_id) w: vec3<u32>, @builtin(num_workgroups) n: vec3<u32>) {
    let row = (w.y + w.z * n.y) * 4u;
    let x = w.x * 256u + l;
    if row >= p.y || x >= p.x { return; }
    let at = row * p.x + x;
    let h = b[x];
    let r0 = a[at] + h;
    let r1 = a[at + p.x] + h;
    let r2 = a[at + 2u * p.x] + h;
    let r3 = a[at + 3u * p.x] + h;
    o[at] = r0;
    o[at + p.x] = r1;
    o[at + 2u * p.x] = r2;
    o[at + 3u * p.x] = r3;
}
