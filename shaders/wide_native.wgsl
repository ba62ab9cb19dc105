// The same functions on adapters with 64-bit integers: each replaces the one of its name in wide.wgsl. Sums are faster
// there: putting words together to 64 bits costs more than a carry.

fn native_u64(a: Pair) -> vec4<u64> {
    return vec4<u64>(a.lo) | (vec4<u64>(a.hi) << vec4<u32>(32u));
}

fn native_i64(a: Pair) -> vec4<i64> {
    return bitcast<vec4<i64>>(native_u64(a));
}

fn pair_u64(v: vec4<u64>) -> Pair {
    return Pair(vec4<u32>(v), vec4<u32>(v >> vec4<u32>(32u)));
}

fn pair_i64(v: vec4<i64>) -> Pair {
    return pair_u64(bitcast<vec4<u64>>(v));
}

// 64 bits from two words; compilers keep the halves of such a product in registers of their own.
fn mul_words(a: vec4<u32>, b: vec4<u32>) -> Pair {
    return pair_u64(vec4<u64>(a) * vec4<u64>(b));
}

fn less_u64(a: Pair, b: Pair) -> vec4<bool> {
    return native_u64(a) < native_u64(b);
}

fn less_i64(a: Pair, b: Pair) -> vec4<bool> {
    return native_i64(a) < native_i64(b);
}

// A divisor of 0 gives 0 and 0.
fn divide_u64(a: Pair, b: Pair) -> Divided {
    let none = zero_64(b);
    let d = native_u64(select_64(b, small_64(1u), none));
    let x = native_u64(a);
    let q = x / d;
    return Divided(select_64(pair_u64(q), small_64(0u), none), select_64(pair_u64(x - q * d), small_64(0u), none));
}

fn shl_64(a: Pair, b: Pair) -> Pair {
    let far = (b.hi != vec4<u32>(0u)) | (b.lo > vec4<u32>(63u));
    return select_64(pair_u64(native_u64(a) << (b.lo & vec4<u32>(63u))), small_64(0u), far);
}

fn shr_u64(a: Pair, b: Pair) -> Pair {
    let far = (b.hi != vec4<u32>(0u)) | (b.lo > vec4<u32>(63u));
    return select_64(pair_u64(native_u64(a) >> (b.lo & vec4<u32>(63u))), small_64(0u), far);
}

fn shr_i64(a: Pair, b: Pair) -> Pair {
    let far = (b.hi != vec4<u32>(0u)) | (b.lo > vec4<u32>(63u));
    return pair_i64(native_i64(a) >> select(b.lo, vec4<u32>(63u), far));
}
