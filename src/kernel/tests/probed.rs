//! The texts for adapters whose arithmetic a probe has found exact, and the probe's own.

use super::*;

/// Limits of adapters that pass every probe, and of those that pass one alone.
fn probed() -> Vec<Limits> {
    use FloatFact::{Doubles, Fma, FusedQuotients, Halves, Order, Products, Quotients, Subnormals};
    let none = Limits::WEBGPU;
    let numbers_alone = Arithmetic {
        halves: true,
        ..Arithmetic::UNKNOWN
    };
    vec![
        knowing(none, &[Subnormals, Halves, Order, Products, Fma, Quotients]),
        knowing(none, &[Quotients]),
        knowing(none, &[FusedQuotients]),
        none.with_arithmetic(numbers_alone),
        knowing(none, &[Order, Products]),
        knowing(none, &[Order]),
        knowing(none, &[Order, Fma]),
        knowing(none, &[Fma]),
        knowing(none, &[Doubles]),
    ]
}

/// Expressions of several steps that round in between.
fn chains(dtype: DType) -> Vec<(&'static str, Expr<usize>)> {
    let [x, y] = [0, 1].map(Expr::slot);
    vec![
        ("x * y + x", x.mul(&y).add(&x)),
        ("(x + y) - y", x.add(&y).sub(&y)),
        ("-(x + y) * x", x.add(&y).neg().mul(&x)),
        ("min(x, y) + x", x.minimum(&y).add(&x)),
        ("x < y", x.less(&y)),
        (
            "x and back",
            x.cast(DType::I32)
                .cast(dtype)
                .add(y.cast(DType::Bf16).cast(dtype)),
        ),
        ("exp(x) / y", x.exp().div(&y)),
    ]
}

#[test]
fn what_an_adapters_arithmetic_allows_is_valid_in_every_language() {
    let mut texts = Texts::default();
    for limits in probed() {
        let options = Options::default().with_limits(limits);
        for dtype in [DType::F16, DType::Bf16, DType::F32] {
            for op in Op::table().filter(|o| !o.takes_dtype() && o.fold_step().is_none()) {
                if !op.accepts().contains(dtype) {
                    continue;
                }
                let operand = |i: usize| match i == 0 && op.is_select() {
                    true => DType::Bool,
                    false => dtype,
                };
                let count = op.operands().len();
                let slots: Vec<Slot> = (0..count).map(|i| slot(operand(i), &[8])).collect();
                let expr = Expr::step(op, (0..count).map(Expr::slot).collect::<Vec<_>>());
                texts.add(&format!("{op} {dtype}"), &expr, &slots, &options, false);
            }
            for to in DType::ALL {
                for (from, to) in [(dtype, to), (to, dtype)] {
                    let cast = Expr::slot(0).cast(to);
                    let what = format!("{from} to {to}");
                    texts.add(&what, &cast, &[slot(from, &[8])], &options, false);
                }
            }
            for (what, expr) in chains(dtype) {
                for shape in [[64, 8], [63, 7]] {
                    let slots = [slot(dtype, &shape), slot(dtype, &shape[1..])];
                    texts.add(&format!("{what} {dtype}"), &expr, &slots, &options, true);
                }
            }
            let factors = [slot(dtype, &[5, 7]), slot(dtype, &[7, 9])];
            let product = Expr::slot(0).matmul(Expr::slot(1));
            texts.add(
                &format!("product {dtype}"),
                &product,
                &factors,
                &options,
                false,
            );
        }
    }
    texts.check("probed", 250);
}

#[test]
fn the_probe_is_valid_in_every_language() {
    for (optional, probe) in [
        (false, Probe::first(false)),
        (true, Probe::first(true)),
        (false, Probe::second()),
    ] {
        let text = probe.text;
        if let Err(e) = validate_native(&text) {
            panic!("{e}\n{text}");
        }
        assert_eq!(validate(&text).is_ok(), !optional, "{text}");
        #[cfg(feature = "translate")]
        for language in Language::ALL {
            if let Err(e) = language.translate(&text) {
                panic!("{language}: {e}\n{text}");
            }
        }
    }
}

#[test]
fn the_probe_of_doubles_is_valid_where_there_are_doubles() {
    let text = Probe::doubles().text;
    if let Err(e) = validate_native(&text) {
        panic!("{e}\n{text}");
    }
    assert!(
        validate(&text).is_err() && !text.contains("vec4<f32>"),
        "{text}"
    );
    #[cfg(feature = "translate")]
    if let Err(e) = Language::Spirv.translate(&text) {
        panic!("{e}\n{text}");
    }
}

#[test]
fn each_type_of_floats_has_the_barriers_that_it_needs() {
    let [x, y] = [0, 1].map(Expr::slot);
    let added = x.mul(&y).add(&x).sub(&y);
    let none = Limits::WEBGPU.with_int64(true).with_float64(true);
    let barriers = |dtype: DType, limits: Limits| -> usize {
        let slots = [slot(dtype, &[64]), slot(dtype, &[64])];
        let options = Options::default().with_limits(limits);
        let text = Plan::new(&added, &slots, &options)
            .unwrap()
            .kernels()
            .remove(0);
        let lines = text.lines().filter(|line| line.trim().starts_with("let s"));
        lines.map(|line| line.matches("opaque").count()).sum()
    };
    let singles = knowing(none, &[FloatFact::Order, FloatFact::Products]);
    let contracts = Merges {
        reassociates: false,
        contracts: true,
    };
    let ordered = none.with_arithmetic(Arithmetic {
        doubles: contracts,
        ..Arithmetic::UNKNOWN
    });
    let doubles = knowing(none, &[FloatFact::Doubles]);
    for (limits, of_f32, of_f64) in [
        (none, 3, 3),
        (singles, 0, 3),
        (ordered, 3, 1),
        (doubles, 3, 0),
    ] {
        assert_eq!(barriers(DType::F32, limits), of_f32, "{limits:?}");
        assert_eq!(barriers(DType::F64, limits), of_f64, "{limits:?}");
    }
    // Nothing of them is left that no step names.
    let slots = [slot(DType::F64, &[64]), slot(DType::F64, &[64])];
    let limits = knowing(singles, &[FloatFact::Doubles]);
    let text = Plan::new(&added, &slots, &Options::default().with_limits(limits))
        .unwrap()
        .kernels()
        .remove(0);
    assert!(!text.contains("opaque"), "{text}");
}

#[test]
fn a_pass_without_floats_has_one_text() {
    let sum = Expr::slot(0).add(Expr::slot(1));
    for dtype in [DType::U8, DType::I32, DType::U64] {
        let slots = [slot(dtype, &[64]), slot(dtype, &[64])];
        let text = |limits: Limits| {
            let options = Options::default().with_limits(limits);
            Plan::new(&sum, &slots, &options).unwrap().kernels()
        };
        for limits in probed() {
            assert_eq!(text(limits), text(Limits::WEBGPU), "{dtype}");
        }
    }
}

/// The lines of a chain of f32 under these limits that compute its steps.
fn steps(expr: &Expr<usize>, limits: Limits) -> Vec<String> {
    let slots = [slot(DType::F32, &[64]), slot(DType::F32, &[64])];
    let options = Options::default().with_limits(limits);
    let text = Plan::new(expr, &slots, &options)
        .unwrap()
        .kernels()
        .remove(0);
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("let s"));
    let steps = lines.filter_map(|line| line.split_once(": vec4<f32> = "));
    steps
        .map(|(_, made)| made.trim_end_matches(';').into())
        .collect()
}

#[test]
fn barriers_stand_where_the_compiler_needs_them() {
    let [x, y] = [0, 1].map(Expr::slot);
    let added = x.mul(&y).add(&x).sub(&y);
    let none = Limits::WEBGPU;
    let ordered = knowing(none, &[FloatFact::Order]);
    let fma = knowing(none, &[FloatFact::Fma]);
    let barriers = |limits: Limits| -> Vec<usize> {
        let all = steps(&added, limits);
        all.iter().map(|s| s.matches("opaque").count()).collect()
    };
    assert_eq!(barriers(none), [1, 1, 1]);
    assert_eq!(barriers(ordered), [1, 0, 0]);
    assert_eq!(
        barriers(knowing(ordered, &[FloatFact::Products])),
        [0, 0, 0]
    );
    assert_eq!(barriers(fma), [0, 0, 0]);
    let fused = [
        "fma(x0, x1, float_minus_zero())",
        "fma(s0, float_one(), x0)",
        "fma(s1, float_one(), -x1)",
    ];
    assert_eq!(steps(&added, fma), fused);
    // A product that something else adds keeps its barrier, and one that is only multiplied needs
    // none.
    let moved = steps(&x.mul(&y).minimum(&x).add(&y), fma);
    assert!(moved[0].starts_with("opaque(fma(x0, x1,"), "{moved:?}");
    assert_eq!(steps(&x.mul(&y).mul(&x), ordered), ["x0 * x1", "s0 * x0"]);
}
