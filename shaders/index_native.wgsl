// Index arithmetic by 64-bit integers.

fn divide(n: u32, multiplier: u32, shift: u32) -> u32 {
    return u32((u64(n) * u64(multiplier)) >> 32u) >> shift;
}
