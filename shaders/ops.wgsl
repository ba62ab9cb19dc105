// Operators that WGSL lacks or defines otherwise.

// By bits: an adapter may assume that comparisons meet no NaN.
fn is_nan_f(x: vec4<f32>) -> vec4<bool> {
    return (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) > vec4<u32>(0x7f800000u);
}

// Rounding to whole numbers: floats from 2^23 on, infinities and NaN are kept, and so is the sign of a zero.
fn round_keeps(x: vec4<f32>, rounded: vec4<f32>) -> vec4<f32> {
    let bits = bitcast<vec4<u32>>(x);
    let magnitude = bits & vec4<u32>(0x7fffffffu);
    let sign = bits & vec4<u32>(0x80000000u);
    let whole = bitcast<vec4<f32>>((bitcast<vec4<u32>>(rounded) & vec4<u32>(0x7fffffffu)) | sign);
    return select(whole, x, magnitude >= vec4<u32>(0x4b000000u));
}

// The nearest whole number, halves away from 0.
fn round_away_f(x: vec4<f32>) -> vec4<f32> {
    let whole = trunc(x);
    return select(whole, whole + sign(x), abs(x - whole) >= vec4<f32>(0.5));
}

// x / (1 + |x|), which from 2^25 on is 1 of the sign of x: adapters may give 0 where 1 / |x| is subnormal.
fn softsign_f(x: vec4<f32>) -> vec4<f32> {
    let large = (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x4c000000u);
    return select(x / (vec4<f32>(1.0) + abs(x)), sign_f(x), large);
}

// max(0, min(1, alpha * x + beta)), the product rounded before it is added; see math_hold.
fn hard_sigmoid_f(x: vec4<f32>, alpha: vec4<f32>, beta: vec4<f32>) -> vec4<f32> {
    let exponent = vec4<f32>(bitcast<vec4<u32>>(x) >> vec4<u32>(24u));
    let product = math_hold(alpha * x, math_zero_bits(exponent));
    return clip_f(product + beta, vec4<f32>(0.0), vec4<f32>(1.0));
}

// x * max(0, min(1, x / 6 + 0.5)).
fn hard_swish_f(x: vec4<f32>) -> vec4<f32> {
    let zero = bitcast<vec4<f32>>(vec4<u32>(0x80000000u));
    let low = select(x * (x + vec4<f32>(3.0)) / vec4<f32>(6.0), zero, x <= vec4<f32>(-3.0));
    return select(low, x, x >= vec4<f32>(3.0));
}

// -1, 0 or 1; a NaN stays what it is.
fn sign_f(x: vec4<f32>) -> vec4<f32> {
    let bits = bitcast<vec4<u32>>(x);
    let magnitude = bits & vec4<u32>(0x7fffffffu);
    let one = (bits & vec4<u32>(0x80000000u)) | vec4<u32>(0x3f800000u);
    let signed = select(one, vec4<u32>(0u), magnitude == vec4<u32>(0u));
    return bitcast<vec4<f32>>(select(signed, bits, magnitude > vec4<u32>(0x7f800000u)));
}

// Whether x is negative, -0 and NaN are not.
fn below_zero_f(x: vec4<f32>) -> vec4<bool> {
    return (bitcast<vec4<u32>>(x) - vec4<u32>(0x80000001u)) < vec4<u32>(0x7f800000u);
}

// x where it is positive or NaN, else 0.
fn relu_f(x: vec4<f32>) -> vec4<f32> {
    let bits = bitcast<vec4<u32>>(x);
    return bitcast<vec4<f32>>(select(bits, vec4<u32>(0u), (bits - vec4<u32>(0x80000000u)) <= vec4<u32>(0x7f800000u)));
}

// Between two bounds, the upper applied last; NaN stays NaN.
fn clip_f(x: vec4<f32>, lo: vec4<f32>, hi: vec4<f32>) -> vec4<f32> {
    let low = select(lo, x, less_f(lo, x) | is_nan_f(x));
    return select(hi, low, less_f(low, hi) | is_nan_f(low));
}

// Remainder with the dividend's sign; 0 where the divisor is 0. GLSL leaves `%` of negative numbers undefined.
fn rem_i(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    return select(a - (a / b) * b, vec4<i32>(0i), b == vec4<i32>(0i));
}

// Division rounded down; 0 where the divisor is 0.
fn floor_div_i(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    let q = a / b;
    let down = (rem_i(a, b) != vec4<i32>(0i)) & ((a ^ b) < vec4<i32>(0i));
    return select(select(q, q - vec4<i32>(1i), down), vec4<i32>(0i), b == vec4<i32>(0i));
}

// Remainder with the divisor's sign; 0 where the divisor is 0.
fn floor_mod_i(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    let r = rem_i(a, b);
    let other = (r != vec4<i32>(0i)) & ((r ^ b) < vec4<i32>(0i));
    return select(r, r + b, other);
}

// Unsigned power by squaring; wraps.
fn pow_u(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    var base = a;
    var left = b;
    var power = vec4<u32>(1u);
    for (var i = 0u; i < 32u; i++) {
        power *= select(vec4<u32>(1u), base, (left & vec4<u32>(1u)) == vec4<u32>(1u));
        base *= base;
        left >>= vec4<u32>(1u);
        if !any(left > vec4<u32>(0u)) { break; }
    }
    return power;
}

// Signed power; a negative exponent gives the truncated quotient, which only 1 and -1 have unequal to 0.
fn pow_i(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    let power = bitcast<vec4<i32>>(pow_u(bitcast<vec4<u32>>(a), bitcast<vec4<u32>>(max(b, vec4<i32>(0i)))));
    let odd = vec4<i32>(1i) - vec4<i32>(2i) * (b & vec4<i32>(1i));
    let one = select(vec4<i32>(0i), vec4<i32>(1i), a == vec4<i32>(1i));
    let inverse = select(one, odd, a == vec4<i32>(-1i));
    return select(power, inverse, b < vec4<i32>(0i));
}

// The bits of the adapter's own quotient of two numbers from 1 up to 2 with these digits: up to 3 ULP off.
fn near_quotient(x: vec4<u32>, y: vec4<u32>) -> vec4<u32> {
    let digits = vec4<u32>(0x007fffffu);
    let one = vec4<u32>(0x3f800000u);
    return bitcast<vec4<u32>>(bitcast<vec4<f32>>((x & digits) | one) / bitcast<vec4<f32>>((y & digits) | one));
}

// By how many last digits a quotient is off that leaves this of its dividend: one at most.
fn quotient_step(rest: vec4<i32>, y: vec4<i32>) -> vec4<i32> {
    return vec4<i32>(2i * rest > y) - vec4<i32>(2i * rest < -y);
}

// The bits of a quotient of two numbers from 1 up to 2, rounded once, and what is left of the dividend: its sign, if it is not 0.
struct Quotient {
    bits: vec4<u32>,
    rest: vec4<i32>,
}

// That of numbers with these 24 digits: the adapter's own, put right by integers.
fn rounded_quotient(x: vec4<u32>, y: vec4<u32>) -> Quotient {
    let below = vec4<u32>(x < y);
    let exponent = (vec4<u32>(126u) - below) << vec4<u32>(23u);
    // The digits of the quotient, whose remainder says how far they are off: it has fewer than 32 bits.
    let step = bitcast<vec4<i32>>(y);
    let digits = near_quotient(x, y) - exponent;
    var rest = bitcast<vec4<i32>>((x << (vec4<u32>(23u) + below)) - digits * y);
    var up = quotient_step(rest, step);
    rest -= up * step;
    if any(quotient_step(rest, step) != vec4<i32>(0i)) {
        let second = quotient_step(rest, step);
        rest -= second * step;
        let third = quotient_step(rest, step);
        rest -= third * step;
        up += second + third;
    }
    return Quotient(digits + bitcast<vec4<u32>>(up) + exponent, rest);
}

// A subnormal quotient, rounded where its last digit is: not the rounded digits but those below, and whether any is left.
fn subnormal_quotient(digits: vec4<u32>, rest: vec4<i32>, exponent: vec4<i32>) -> vec4<u32> {
    let exact = ((digits - vec4<u32>(rest < vec4<i32>(0i))) << vec4<u32>(1u)) | vec4<u32>(rest != vec4<i32>(0i));
    let shift = bitcast<vec4<u32>>(clamp(vec4<i32>(1i) - exponent, vec4<i32>(0i), vec4<i32>(25i)));
    let half = vec4<u32>(1u) << shift;
    let kept = exact >> (shift + vec4<u32>(1u));
    let cut = exact & ((half << vec4<u32>(1u)) - vec4<u32>(1u));
    let odd = (kept & vec4<u32>(1u)) == vec4<u32>(1u);
    return kept + vec4<u32>((cut > half) | ((cut == half) & odd));
}

// The quotient rounded once.
fn rounded_div(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    return divided_by_digits(a, b);
}

// What is rare is behind branches.
fn divided_by_digits(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let none = vec4<u32>(0u);
    let one = vec4<u32>(0x00800000u);
    let infinity = vec4<u32>(0x7f800000u);
    let bits_a = bitcast<vec4<u32>>(a) & vec4<u32>(0x7fffffffu);
    let bits_b = bitcast<vec4<u32>>(b) & vec4<u32>(0x7fffffffu);
    var sign = (bitcast<vec4<u32>>(a) ^ bitcast<vec4<u32>>(b)) & vec4<u32>(0x80000000u);
    // Dividends of 0 are not rare: they are computed as a power of 2.
    let is_zero = bits_a == none;
    let normal = all(((bits_a - one < vec4<u32>(0x7f000000u)) | is_zero) & (bits_b - one < vec4<u32>(0x7f000000u)));
    // The 24 digits of each, and by what power of 2 their quotient is larger.
    var x = (bits_a & vec4<u32>(0x007fffffu)) | one;
    var y = (bits_b & vec4<u32>(0x007fffffu)) | one;
    var power = bitcast<vec4<i32>>((bits_a >> vec4<u32>(23u)) - (bits_b >> vec4<u32>(23u)));
    if !normal {
        let small_a = bits_a < one;
        let small_b = bits_b < one;
        let zeros_a = countLeadingZeros(bits_a) - vec4<u32>(8u);
        let zeros_b = countLeadingZeros(bits_b) - vec4<u32>(8u);
        x = select(x, bits_a << (zeros_a & vec4<u32>(31u)), small_a);
        y = select(y, bits_b << (zeros_b & vec4<u32>(31u)), small_b);
        power += bitcast<vec4<i32>>(select(none, vec4<u32>(1u) - zeros_a, small_a));
        power -= bitcast<vec4<i32>>(select(none, vec4<u32>(1u) - zeros_b, small_b));
    }
    let of_digits = rounded_quotient(x, y);
    // What is no normal number is none in this sum either.
    var quotient = of_digits.bits + (bitcast<vec4<u32>>(power) << vec4<u32>(23u));
    let is_usual = normal && all((quotient - one < vec4<u32>(0x7f000000u)) | is_zero);
    quotient = select(quotient, none, is_zero);
    if !is_usual {
        let exponent = power + bitcast<vec4<i32>>(of_digits.bits >> vec4<u32>(23u));
        let digits = (of_digits.bits & vec4<u32>(0x007fffffu)) | one;
        quotient = select(quotient, subnormal_quotient(digits, of_digits.rest, exponent), exponent < vec4<i32>(1i));
        let zero = is_zero | (bits_b == infinity);
        let infinite = (bits_a == infinity) | (bits_b == none);
        let nan = (bits_a > infinity) | (bits_b > infinity) | (zero & infinite);
        quotient = select(quotient, infinity, infinite | (exponent > vec4<i32>(254i)));
        quotient = select(quotient, none, zero);
        quotient = select(quotient, vec4<u32>(0x7fc00000u), nan);
        sign = select(sign, none, nan);
    }
    return bitcast<vec4<f32>>(quotient | sign);
}

// Remainder with the divisor's sign; a zero has the divisor's sign.
fn floor_mod_f(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let r = precise_fmod(a, b);
    let sign = bitcast<vec4<u32>>(b) & vec4<u32>(0x80000000u);
    let other = ((bitcast<vec4<u32>>(r) ^ bitcast<vec4<u32>>(b)) & vec4<u32>(0x80000000u)) != vec4<u32>(0u);
    let zero = (bitcast<vec4<u32>>(r) & vec4<u32>(0x7fffffffu)) == vec4<u32>(0u);
    return select(select(r, r + b, other & !is_nan_f(r)), bitcast<vec4<f32>>(sign), zero);
}

// Float division rounded down: exact while the quotient is below 2^22, then within 2 ULP. Division by 0 as it is; an
// infinite dividend gives NaN; a zero has the quotient's sign.
fn floor_div_f(a: vec4<f32>, b: vec4<f32>) -> vec4<f32> {
    let bits_a = bitcast<vec4<u32>>(a);
    let bits_b = bitcast<vec4<u32>>(b);
    let magnitude_a = bits_a & vec4<u32>(0x7fffffffu);
    let magnitude_b = bits_b & vec4<u32>(0x7fffffffu);
    let sign = (bits_a ^ bits_b) & vec4<u32>(0x80000000u);
    let infinity = vec4<u32>(0x7f800000u);
    let r = precise_fmod(a, b);
    let opposite = ((bitcast<vec4<u32>>(r) ^ bits_b) & vec4<u32>(0x80000000u)) != vec4<u32>(0u);
    let one_less = opposite & ((bitcast<vec4<u32>>(r) & vec4<u32>(0x7fffffffu)) != vec4<u32>(0u));
    let q = rounded_div(a - r, b) - select(vec4<f32>(0.0), vec4<f32>(1.0), one_less);
    let large = (bitcast<vec4<u32>>(q) & vec4<u32>(0x7fffffffu)) >= vec4<u32>(0x4b000000u);
    let whole = bitcast<vec4<u32>>(select(round(q), q, large));
    let signed = select(whole, sign, (whole & vec4<u32>(0x7fffffffu)) == vec4<u32>(0u));
    // By an infinite divisor: -1 where the signs differ, else a zero.
    let below = (sign != vec4<u32>(0u)) & (magnitude_a != vec4<u32>(0u));
    let far = select(sign, vec4<u32>(0xbf800000u), below);
    let finite = select(signed, far, magnitude_b == infinity);
    let nan = (magnitude_a >= infinity) | (magnitude_b > infinity);
    let found = select(finite, vec4<u32>(0x7fc00000u), nan);
    return bitcast<vec4<f32>>(select(found, bitcast<vec4<u32>>(a / b), magnitude_b == vec4<u32>(0u)));
}

// x * sigmoid(z). Below -80 sigmoid is e^z, and the power of two of it comes last, less the 2^-64 by which x is made
// smaller, so that no factor overflows or is subnormal before the product is.
fn swish_f(x: vec4<f32>, z: vec4<f32>) -> vec4<f32> {
    let near = x * precise_sigmoid(z);
    let parts = math_exp_parts(clamp(z, vec4<f32>(-195.0), vec4<f32>(0.0)), vec4<f32>(0.0));
    let far = math_scale_down(x * 5.421010862427522e-20 * parts[0], parts[1] + 64.0);
    let tail = z < vec4<f32>(-80.0);
    let finite = (bitcast<vec4<u32>>(x) & vec4<u32>(0x7fffffffu)) < vec4<u32>(0x7f800000u);
    let below = (z < vec4<f32>(-195.0)) & finite;
    let zero = bitcast<vec4<f32>>(bitcast<vec4<u32>>(x) & vec4<u32>(0x80000000u));
    let infinite = (bitcast<vec4<u32>>(z) == vec4<u32>(0xff800000u)) & !is_nan_f(x);
    return select(select(select(near, far, tail), zero, below), zero, infinite);
}

// Shifts by amounts as unsigned numbers, so that a negative one is large. 32 and more move every bit out.
fn shl_u(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return select(a << (b & vec4<u32>(31u)), vec4<u32>(0u), b > vec4<u32>(31u));
}

fn shl_i(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    return bitcast<vec4<i32>>(shl_u(bitcast<vec4<u32>>(a), bitcast<vec4<u32>>(b)));
}

fn shr_u(a: vec4<u32>, b: vec4<u32>) -> vec4<u32> {
    return select(a >> (b & vec4<u32>(31u)), vec4<u32>(0u), b > vec4<u32>(31u));
}

fn shr_i(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
    return a >> min(bitcast<vec4<u32>>(b), vec4<u32>(31u));
}
