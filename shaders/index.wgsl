// Index arithmetic shared by the mappings.

// The upper 32 bits of a product, from 16-bit halves.
fn mul_high(a: u32, b: u32) -> u32 {
    let a0 = a & 0xffffu;
    let a1 = a >> 16u;
    let b0 = b & 0xffffu;
    let b1 = b >> 16u;
    let low = a0 * b0;
    let mid = a1 * b0 + (low >> 16u);
    let cross = a0 * b1 + (mid & 0xffffu);
    return a1 * b1 + (mid >> 16u) + (cross >> 16u);
}

// The quotient of n below 2^31, by the multiplier and shift of an axis row (extent, multiplier, shift, digit).
fn divide(n: u32, axis: vec4<u32>) -> u32 {
    return mul_high(n, axis.y) >> axis.z;
}

// Coordinates brought below an extent, subtracting it once where they reach it.
fn wrap(c: vec4<u32>, extent: u32) -> vec4<u32> {
    return select(c, c - vec4<u32>(extent), c >= vec4<u32>(extent));
}

// 1 where a coordinate reaches an extent, else 0.
fn carry(c: vec4<u32>, extent: u32) -> vec4<u32> {
    return select(vec4<u32>(0u), vec4<u32>(1u), c >= vec4<u32>(extent));
}
