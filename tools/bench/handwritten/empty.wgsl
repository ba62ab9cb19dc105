// Nothing: p is 0; one workgroup of one invocation.
@group(0) @binding(0) var<uniform> p: vec4<u32>;
@group(0) @binding(1) var<storage, read_write> r: array<u32>;

@compute @workgroup_size(1)
fn main() {
    if p.x != 0u {
        r[0] = p.x;
    }
}
