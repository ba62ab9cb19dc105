// [3,4] + [4], one invocation an element. grid: 1     p.x = elements, p.y = elements of a row
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read> a: array<f32>;
@group(0) @binding(2) var<storage, read> b: array<f32>;
@group(0) @binding(3) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) {
    if i < p.x { o[i] = a[i] + b[i % p.y]; }
}
