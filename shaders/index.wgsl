// Index arithmetic.

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

// The quotient of n below 2^31, by the multiplier and shift of its divisor.
fn divide(n: u32, multiplier: u32, shift: u32) -> u32 {
    return mul_high(n, multiplier) >> shift;
}

// One element for the lanes of a row, another for those past its end.
fn select_words(row: u32, next: u32, past: vec4<bool>) -> vec4<u32> {
    return select(vec4<u32>(row), vec4<u32>(next), past);
}

fn select_pairs(row: vec2<u32>, next: vec2<u32>, past: vec4<bool>) -> Pair {
    return Pair(select(row.xxxx, next.xxxx, past), select(row.yyyy, next.yyyy, past));
}
