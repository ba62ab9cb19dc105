//! Quotients that are rounded once, on adapters whose own are not: theirs are changed by a few ULP.

use zerostride::{DType, Expr, HostTensor, Plan, Slot};

use crate::common::{Random, all, check, context};
use crate::fused::run;

fn host(floats: &[f32]) -> HostTensor {
    let bytes = floats.iter().flat_map(|x| x.to_le_bytes()).collect();
    HostTensor::new(DType::F32, [floats.len()], bytes).unwrap()
}

/// Dividends and divisors that are normal numbers, whose quotients are too.
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
    let mut pairs = Vec::new();
    for (a, b) in ends.into_iter().flat_map(|a| ends.map(|b| (a, b))) {
        let exponents = [
            (127, 127),
            (4, 127),
            (254, 128),
            (200, 254),
            (130, 3),
            (254, 127),
        ];
        pairs.extend(exponents.map(|(ea, eb)| (float(ea, a), float(eb, b))));
    }
    for _ in 0..20_000 {
        let [a, b] = [(); 2].map(|()| f32::from_bits(random.next() as u32));
        let near = f32::from_bits(a.to_bits() ^ random.below(4) as u32);
        pairs.extend([(a, b), (a, random.below(1 << 16) as f32), (a, near)]);
    }
    // The changed quotient stays a normal number or becomes an infinity.
    let is_in_range = |q: f32| q.abs() > 2.0 * f32::MIN_POSITIVE && q.abs() < f32::MAX / 2.0;
    pairs.retain(|(a, b)| a.is_normal() && b.is_normal() && is_in_range(a / b));
    // The buffers hold whole quads.
    pairs.truncate(pairs.len() / 4 * 4);
    pairs
}

#[test]
fn a_quotient_that_is_a_few_ulps_off_is_put_right() {
    let mut random = Random::new("quotients");
    let pairs = pairs(&mut random);
    let [a, b]: [Vec<f32>; 2] =
        [|p: &(f32, f32)| p.0, |p: &(f32, f32)| p.1].map(|of| pairs.iter().map(of).collect());
    let slots = [&a, &b].map(|x| Slot::new(DType::F32, [x.len()]).unwrap());
    let quotient = Expr::slot(0).rounded_div(Expr::slot(1));
    let plan = Plan::new(&quotient, &slots, &context().options()).unwrap();
    let own = "nearest_quotient(a, b, a / b)";
    all((-3..=3).map(|ulps: i32| {
        let change = |text: &str| {
            assert!(text.contains(own));
            let near = format!("bitcast<vec4<f32>>(bitcast<vec4<i32>>(a / b) + vec4<i32>({ulps}))");
            text.replace(own, &format!("nearest_quotient(a, b, {near})"))
        };
        let found = run(&plan, change, &[host(&a), host(&b)]);
        let found = found
            .bytes
            .chunks_exact(4)
            .map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]]));
        let wrong = found
            .zip(&pairs)
            .find(|(found, (a, b))| *found != (a / b).to_bits());
        match wrong {
            None => Ok(()),
            Some((found, (a, b))) => Err(format!(
                "{a:e} / {b:e}, {ulps} ULP off: {:e}",
                f32::from_bits(found)
            )),
        }
    }));
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
