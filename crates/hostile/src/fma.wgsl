// a * b + c of doubles, rounded about once, on adapters whose own `fma` rounds twice. FLOAT and WORDS stand for the types.
// A compiler must not undo the error-free steps: each goes through bits with zeros in them that it does not know for such.

fn hostile_zero_NAME(a: FLOAT) -> WORDS {
    return countOneBits(bitcast<WORDS>(a)) >> SHIFT(8u);
}

fn hostile_hold_NAME(x: FLOAT, zero: WORDS) -> FLOAT {
    return bitcast<FLOAT>(bitcast<WORDS>(x) | zero);
}

fn hostile_fma_NAME(a: FLOAT, b: FLOAT, c: FLOAT) -> FLOAT {
    let zero = hostile_zero_NAME(a);
    let p = hostile_hold_NAME(a * b, zero);
    let ah = bitcast<FLOAT>(bitcast<WORDS>(a) & WORDS(0xfffffffff8000000lu));
    let bh = bitcast<FLOAT>(bitcast<WORDS>(b) & WORDS(0xfffffffff8000000lu));
    let al = hostile_hold_NAME(a - ah, zero);
    let bl = hostile_hold_NAME(b - bh, zero);
    let first = hostile_hold_NAME(hostile_hold_NAME(ah * bh, zero) - p, zero);
    let second = hostile_hold_NAME(first + hostile_hold_NAME(ah * bl, zero), zero);
    let third = hostile_hold_NAME(second + hostile_hold_NAME(al * bh, zero), zero);
    let lost = hostile_hold_NAME(third + hostile_hold_NAME(al * bl, zero), zero);
    let s = hostile_hold_NAME(p + c, zero);
    let t = hostile_hold_NAME(s - p, zero);
    let u = hostile_hold_NAME(s - t, zero);
    let rest = hostile_hold_NAME(hostile_hold_NAME(p - u, zero) + hostile_hold_NAME(c - t, zero), zero);
    let r = s + hostile_hold_NAME(rest + lost, zero);
    let is_finite = (bitcast<WORDS>(r) & WORDS(0x7ff0000000000000lu)) != WORDS(0x7ff0000000000000lu);
    return select(s, r, is_finite);
}
