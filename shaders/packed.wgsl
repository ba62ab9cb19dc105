// Four bytes or two halves a word, all at once. `high` has the top bit of each lane; nothing carries from one lane into the
// next.

fn packed_add(a: vec4<u32>, b: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    return ((a & ~high) + (b & ~high)) ^ ((a ^ b) & high);
}

fn packed_sub(a: vec4<u32>, b: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    return ((a | high) - (b & ~high)) ^ ((a ^ ~b) & high);
}

// The top bits of the lanes that are not 0.
fn packed_truth(x: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    return (((x & ~high) + ~high) | x) & high;
}

// The top bits of the lanes where unsigned a is below b: of the lower bits, those that borrow.
fn packed_less(a: vec4<u32>, b: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    let kept = (a | high) - (b & ~high);
    return ((~a & b) | (~(a ^ b) & ~kept)) & high;
}

// Whole lanes of ones where the top bit is set; all other bits of `top` are 0.
fn packed_mask(top: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    let low = top >> countTrailingZeros(high);
    return (top - low) | top;
}

// 1 where the top bit is set, else 0.
fn packed_bool(top: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    return top >> countTrailingZeros(high);
}

// The lanes of b where the top bit is set, else those of a.
fn packed_select(a: vec4<u32>, b: vec4<u32>, top: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    let mask = packed_mask(top, high);
    return (a & ~mask) | (b & mask);
}

fn packed_max(a: vec4<u32>, b: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    return packed_select(a, b, packed_less(a, b, high), high);
}

fn packed_min(a: vec4<u32>, b: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    return packed_select(a, b, packed_less(b, a, high), high);
}

// Magnitudes of signed lanes; the lowest number stays as it is.
fn packed_abs(x: vec4<u32>, high: vec4<u32>) -> vec4<u32> {
    let mask = packed_mask(x & high, high);
    return packed_sub(x ^ mask, mask, high);
}
