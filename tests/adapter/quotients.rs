//! Quotients that are rounded once, on adapters whose own are not: theirs are changed by a few ULP.

use zerostride::inspect::FloatFact;
use zerostride::{DType, Expr, HostTensor, Plan, Slot};

use crate::common::{Random, all, check, context};
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
    // The buffers hold whole quads.
    pairs.truncate(pairs.len() / 4 * 4);
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

/// Plans for an adapter of which it is not known that it rounds its own quotients once.
fn distrusting() -> zerostride::Options {
    with_quotients(false)
}

fn with_quotients(known: bool) -> zerostride::Options {
    let limits = context().limits();
    let arithmetic = limits.arithmetic.with(FloatFact::Quotients, known);
    let limits = limits.with_arithmetic(arithmetic);
    context().options().with_limits(limits)
}

#[test]
fn a_quotient_that_is_a_few_ulps_off_is_put_right() {
    let mut random = Random::new("quotients");
    let pairs = pairs(&mut random);
    let [a, b]: [Vec<f32>; 2] =
        [|p: &(f32, f32)| p.0, |p: &(f32, f32)| p.1].map(|of| pairs.iter().map(of).collect());
    let slots = [&a, &b].map(|x| Slot::new(DType::F32, [x.len()]).unwrap());
    let (x, y) = (Expr::slot(0), Expr::slot(1));
    // The adapter's may be off by 2.5 ULP already.
    let near = "bitcast<vec4<f32>>((x & digits) | one) / bitcast<vec4<f32>>((y & digits) | one)";
    let own = match context().limits().float64 {
        true => format!(
            "vec4<f32>(vec4<f64>({}))",
            near.replace(" / ", ") / vec4<f64>(")
        ),
        false => near.to_owned(),
    };
    for quotient in [x.clone().div(y.clone()), x.rounded_div(y)] {
        let plan = Plan::new(&quotient, &slots, &distrusting()).unwrap();
        all((-3..=3).map(|ulps: i32| {
            let change = |text: &str| {
                assert_eq!(text.matches(near).count(), 1, "{text}");
                let off = format!("bitcast<vec4<i32>>({own}) + vec4<i32>({ulps})");
                text.replace(near, &off)
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
fn every_division_of_floats_is_rounded_by_integers_where_the_adapters_is_not() {
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
        let has = |options: &zerostride::Options, call: &str| {
            let plan = Plan::new(expr, &slots, options).unwrap();
            plan.kernels().iter().any(|text| text.contains(call))
        };
        assert!(has(&distrusting(), "near_quotient("), "{expr:?} of {dtype}");
        assert!(
            !has(&with_quotients(true), "near_quotient("),
            "{expr:?} of {dtype}"
        );
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
