//! Quotients that are rounded once, on adapters whose own are not: theirs are changed by a few ULP.

use zerostride::inspect::FloatFact;
use zerostride::{DType, Error, Expr, HostTensor, Plan, Slot};

use crate::common::{Random, all, check, context, thinned};
use crate::fused::run;

fn host(floats: &[f32]) -> HostTensor {
    let bytes = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    HostTensor::new(DType::F32, [floats.len()], bytes).unwrap()
}

/// Dividends and divisors of all kinds: of equal digits, whose quotients are halfway between two subnormal
/// numbers, zeros, infinities and NaNs.
fn pairs(random: &mut Random) -> Vec<(f32, f32)> {
    // Digits at the ends of a binade.
    let ends = [
        0,
        1,
        2,
        3,
        0x003f_ffff,
        0x0040_0000,
        0x007f_fffd,
        0x007f_fffe,
        0x007f_ffff,
    ];
    let float = |exponent: u32, digits: u32| f32::from_bits(exponent << 23 | digits);
    let exponents = [
        0, 1, 2, 3, 23, 24, 126, 127, 128, 149, 150, 200, 252, 253, 254, 255,
    ];
    let mut pairs = Vec::new();
    for (a, b) in ends.into_iter().flat_map(|a| ends.map(|b| (a, b))) {
        for ea in exponents {
            pairs.extend(exponents.map(|eb| (float(ea, a), -float(eb, b))));
        }
    }
    for _ in 0..20_000 {
        let [a, b] = [(); 2].map(|()| f32::from_bits(random.next() as u32));
        let near = f32::from_bits(a.to_bits() ^ random.below(4) as u32);
        let whole = random.below(1 << 16) as f32;
        pairs.extend([(a, b), (a, whole), (a, near)]);
        // An exact product of digits, so that the quotient has few; its exponent is about the least.
        let power = f32::from_bits((random.below(40) as u32 + 1) << 23);
        pairs.push((
            random.below(1 << 24) as f32 * power,
            2f32.powi(random.below(120) as i32),
        ));
    }
    pairs.extend(hard(random));
    // The buffers hold whole quads.
    pairs.truncate(pairs.len() / 4 * 4);
    pairs
}

/// Numbers whose quotients are nearly halfway between two: the integers of their digits and of a quotient with one
/// digit more, m, fulfil m b + r = 2^n a with a small r.
fn hard(random: &mut Random) -> Vec<(f32, f32)> {
    let digits = (1 << 23)..(1u64 << 24);
    let mut pairs = Vec::new();
    for k in 0..20_000 {
        // Half of them near a power of 2, where a reciprocal is off most.
        let b = match k % 2 {
            0 => (1 << 24) - 1 - 2 * random.below(200) as u64,
            _ => (1 << 23) + 1 + 2 * random.below(1 << 22) as u64,
        };
        // Each turn doubles the digits that are right.
        let inverse = (0..5).fold(b, |x, _| {
            x.wrapping_mul(2u64.wrapping_sub(b.wrapping_mul(x)))
        });
        for (r, n) in [(1, 24), (-1, 24), (1, 25), (-1, 25), (3, 25), (-3, 25)] {
            let rest = inverse.wrapping_mul(0u64.wrapping_add_signed(-r));
            let m = (rest % (1 << n)) | (1 << 24);
            let product = (m * b).wrapping_add_signed(r);
            let a = product >> n;
            if m < 1 << 25 && product == a << n && digits.contains(&a) {
                let scaled = |x: u64, power: usize| x as f32 * 2f32.powi(power as i32 - 43);
                let a = scaled(a, random.below(40));
                pairs.push((a, scaled(b, random.below(40))));
            }
        }
    }
    assert!(pairs.len() > 20_000, "{}", pairs.len());
    pairs
}

/// Where the bits of `a / b` are not those that IEEE 754 has.
fn wrong(pairs: &[(f32, f32)], found: &HostTensor) -> Option<String> {
    let words = found.bytes.chunks_exact(4);
    let found = words.map(|c| f32::from_le_bytes([c[0], c[1], c[2], c[3]]));
    assert_eq!(found.len(), pairs.len());
    found.zip(pairs).find_map(|(found, (a, b))| {
        let right = a / b;
        let same = found.to_bits() == right.to_bits() || found.is_nan() && right.is_nan();
        (!same).then(|| format!("{a:e} / {b:e}: {found:e}, not {right:e}"))
    })
}

/// `fma` of normal numbers, rounded once: its sum has 62 digits, and one that says whether more are left.
const BY_INTEGERS: &str = "
fn fma_by_integers(a: vec4<f32>, b: vec4<f32>, c: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(fma_of(a.x, b.x, c.x), fma_of(a.y, b.y, c.y), fma_of(a.z, b.z, c.z), fma_of(a.w, b.w, c.w));
}

fn digits_of(x: u32) -> u64 { return u64((x & 0x7fffffu) | 0x800000u); }
fn exponent_of(x: u32) -> i32 { return i32((x >> 23u) & 0xffu); }

fn shifted(x: u64, by: u32) -> u64 {
    if by > 62u { return u64(x != 0lu); }
    return (x >> by) | u64((x & ((1lu << by) - 1lu)) != 0lu);
}

fn fma_of(a: f32, b: f32, c: f32) -> f32 {
    let x = bitcast<u32>(a);
    let y = bitcast<u32>(b);
    let z = bitcast<u32>(c);
    if (x & 0x7fffffffu) == 0u || (y & 0x7fffffffu) == 0u { return c; }
    var product = (digits_of(x) * digits_of(y)) << 14u;
    var added = select(digits_of(z) << 38u, 0lu, (z & 0x7fffffffu) == 0u);
    let apart = exponent_of(x) + exponent_of(y) - exponent_of(z) - 126;
    // That of the last digit.
    var exponent = exponent_of(x) + exponent_of(y) - 314;
    if apart > 0 || added == 0lu {
        added = shifted(added, u32(max(apart, 0)));
    } else {
        product = shifted(product, u32(-apart));
        exponent -= apart;
    }
    var sum = product + added;
    var sign = (x ^ y) & 0x80000000u;
    if ((x ^ y ^ z) & 0x80000000u) != 0u {
        sum = product - added;
        if added > product {
            sum = added - product;
            sign = z & 0x80000000u;
        }
    }
    if sum == 0lu { return 0.0; }
    // The highest digit to place 63.
    let high = u32(sum >> 32u);
    let zeros = select(countLeadingZeros(high), 32u + countLeadingZeros(u32(sum)), high == 0u);
    sum <<= zeros;
    exponent -= i32(zeros);
    let rest = sum & 0xfffffffffflu;
    var digits = u32(sum >> 40u);
    digits += u32(rest > 0x8000000000lu || (rest == 0x8000000000lu && (digits & 1u) == 1u));
    // A carry of all digits goes into the exponent.
    return bitcast<f32>(sign | ((u32(exponent + 40 + 149) << 23u) + digits));
}
";

/// Plans for an adapter of which just this is known of its quotients.
fn knowing(facts: &[FloatFact]) -> zerostride::Options {
    let limits = context().limits();
    let mut arithmetic = limits.arithmetic;
    for fact in [FloatFact::Quotients, FloatFact::FusedQuotients] {
        arithmetic = arithmetic.with(fact, facts.contains(&fact));
    }
    let limits = limits.with_arithmetic(arithmetic);
    context().options().with_limits(limits)
}

/// Whether quotients are right if what they begin with is up to so many ULP off. The adapter's own may be off by 2.5
/// already: `own` is a better one, if it has doubles.
fn are_put_right(
    near: &str,
    own: &str,
    most: i32,
    options: &zerostride::Options,
    put: impl Fn(String) -> String,
) {
    let mut random = Random::new("quotients");
    let pairs = pairs(&mut random);
    let [a, b]: [Vec<f32>; 2] =
        [|p: &(f32, f32)| p.0, |p: &(f32, f32)| p.1].map(|of| pairs.iter().map(of).collect());
    let slots = [&a, &b].map(|x| Slot::new(DType::F32, [x.len()]).unwrap());
    let (x, y) = (Expr::slot(0), Expr::slot(1));
    let own = match context().limits().float64 {
        true => own,
        false => near,
    };
    for quotient in [x.clone().div(y.clone()), x.rounded_div(y)] {
        let plan = Plan::new(&quotient, &slots, options).unwrap();
        let off = thinned(&mut random, -most..=most);
        all(off.into_iter().map(|ulps: i32| {
            let change = |text: &str| {
                assert_eq!(text.matches(near).count(), 1, "{text}");
                let off =
                    format!("bitcast<vec4<f32>>(bitcast<vec4<i32>>({own}) + vec4<i32>({ulps}))");
                put(text.replace(near, &off))
            };
            let found = run(&plan, change, &[host(&a), host(&b)]);
            match wrong(&pairs, &found) {
                None => Ok(()),
                Some(wrong) => Err(format!("{ulps} ULP off: {wrong}")),
            }
        }));
    }
}

#[test]
fn a_quotient_that_is_a_few_ulps_off_is_put_right_by_integers() {
    let near = "bitcast<vec4<f32>>((x & digits) | one) / bitcast<vec4<f32>>((y & digits) | one)";
    let own = format!(
        "vec4<f32>(vec4<f64>({}))",
        near.replace(" / ", ") / vec4<f64>(")
    );
    are_put_right(near, &own, 3, &knowing(&[]), |text| text);
}

/// With integers in place of `fma` where it is two steps, if it has those of 64 bits. Kernels for another `fma` are refused.
#[test]
fn a_reciprocal_that_is_a_few_ulps_off_gives_quotients_that_fma_puts_right() {
    let context = context();
    let own = context.limits();
    let options = knowing(&[FloatFact::FusedQuotients]);
    let has_fma = own.arithmetic.has(FloatFact::FusedQuotients);
    if !has_fma {
        let slots = [(); 2].map(|()| Slot::new(DType::F32, [8]).unwrap());
        let plan = Plan::new(&Expr::slot(0).div(Expr::slot(1)), &slots, &options).unwrap();
        let refused = matches!(context.compile(&plan), Err(Error::Argument { .. }));
        assert!(refused, "the adapter has no such fma");
    }
    if !has_fma && !own.int64 {
        return;
    }
    let put = |text: String| match has_fma {
        true => text,
        false => text.replace("fma(", "fma_by_integers(") + BY_INTEGERS,
    };
    let better = "vec4<f32>(vec4<f64>(1.0) / vec4<f64>(b))";
    are_put_right("vec4<f32>(1.0) / b", better, 3, &options, put);
}

#[test]
fn every_division_of_floats_is_put_right_where_the_adapters_is_not() {
    let (x, y) = (Expr::slot(0), Expr::slot(1));
    let floats = [DType::F32, DType::F16, DType::Bf16];
    let divisions = [
        x.clone().div(y.clone()),
        x.clone().reciprocal(),
        x.clone().div(3.0),
        x.clone().floor_div(y.clone()),
        x.clone().mean(0),
        x.clone().var(0),
        Expr::mean_n([x, y]),
    ];
    for (expr, dtype) in divisions.iter().flat_map(|e| floats.map(|d| (e, d))) {
        let slots = [(); 2].map(|()| Slot::new(dtype, [8]).unwrap());
        let has = |facts: &[FloatFact], call: &str| {
            let plan = Plan::new(expr, &slots, &knowing(facts)).unwrap();
            plan.kernels().iter().any(|text| text.contains(call))
        };
        use FloatFact::{FusedQuotients, Quotients};
        let what = format!("{expr:?} of {dtype}");
        assert!(has(&[], "near_quotient("), "{what}");
        assert!(!has(&[], "quotient_hold("), "{what}");
        assert!(has(&[FusedQuotients], "quotient_hold("), "{what}");
        assert!(!has(&[FusedQuotients], "near_quotient("), "{what}");
        for facts in [&[Quotients][..], &[Quotients, FusedQuotients]] {
            assert!(!has(facts, "rounded_quotient("), "{what}");
        }
    }
}

/// They are exact by integers.
#[test]
fn remainders_of_floats_take_no_quotient() {
    let (x, y) = (Expr::slot(0), Expr::slot(1));
    for expr in [x.fmod(&y), x.rem_floor(&y)] {
        let slots = [(); 2].map(|()| Slot::new(DType::F32, [8]).unwrap());
        let plan = Plan::new(&expr, &slots, &knowing(&[])).unwrap();
        let takes = plan.kernels().iter().any(|text| text.contains("quotient("));
        assert!(!takes, "{expr:?}");
    }
}

#[test]
fn means_divide_as_the_reference_does() {
    let mut random = Random::new("means");
    let bytes = random.bytes(DType::F32, 3 * 1237, false);
    let x = HostTensor::new(DType::F32, [3, 1237], bytes).unwrap();
    let [over_rows, over_columns] = [1, 0].map(|axis| Expr::slot(0).mean(axis));
    let means = [over_rows, over_columns, Expr::slot(0).var(1)];
    all(means.map(|expr| check("a mean", &expr, std::slice::from_ref(&x), 0.0)));
}
