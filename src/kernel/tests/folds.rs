//! Kernels that fold.

use super::*;
use crate::expr::{Along, Axes, Reduction};

/// A name, an expression, and the shapes of its operands.
type Case = (&'static str, Expr<usize>, Vec<Vec<usize>>);

/// Rows and columns, ragged and whole, in parts and at once, with results of each kind.
fn cases() -> Vec<Case> {
    let [x, y] = [0, 1].map(Expr::slot);
    let kept = |axis: isize| Axes::from(axis).keepdims();
    let softmax = |axis: isize| {
        let exps = x.sub(x.max(kept(axis))).exp();
        exps.div(exps.sum(kept(axis)))
    };
    vec![
        ("all", x.sum(..), vec![vec![1 << 20]]),
        ("groups at once", x.sum(..), vec![vec![1 << 24]]),
        (
            "two folds of groups on GPUs",
            x.max(..).add(x.sum(..)),
            vec![vec![(1 << 24) + 5]],
        ),
        ("short rows", x.sum(1), vec![vec![900, 10]]),
        ("short rows of quads", x.sum(1), vec![vec![900, 16]]),
        ("short columns", x.sum(0), vec![vec![8, 1024]]),
        ("rows", x.sum(1), vec![vec![900, 1024]]),
        ("odd rows", x.sum(1), vec![vec![900, 1023]]),
        ("columns", x.sum(0), vec![vec![900, 1024]]),
        ("odd columns", x.sum(0), vec![vec![900, 1023]]),
        ("few columns in parts", x.sum(0), vec![vec![1 << 18, 4]]),
        ("odd columns in parts", x.sum(0), vec![vec![1 << 18, 3]]),
        ("middle axis", x.sum(1), vec![vec![8, 70, 33]]),
        ("two axes", x.sum([0, 2]), vec![vec![8, 70, 33]]),
        ("products", x.mul(&y).sum(1), vec![vec![70, 300], vec![300]]),
        (
            "reversed",
            x.slice([Index::ALL, Index::Range(None, None, -1)]).sum(1),
            vec![vec![9, 300]],
        ),
        (
            "transposed",
            x.transpose().sub(&y).sum(0),
            vec![vec![64, 300], vec![300, 64]],
        ),
        ("softmax", softmax(1), vec![vec![70, 300]]),
        ("odd softmax", softmax(1), vec![vec![70, 301]]),
        ("softmax of columns", softmax(0), vec![vec![70, 300]]),
        ("softmax of odd columns", softmax(0), vec![vec![70, 301]]),
        ("deviation", x.std(1), vec![vec![70, 300]]),
        ("centred", x.sub(x.mean(kept(1))), vec![vec![70, 300]]),
        ("behind it", x.sum(1).mul(&y), vec![vec![70, 300], vec![70]]),
    ]
}

/// Rows and columns, ragged and whole, of one invocation and of many, in chunks and at once.
fn scans() -> Vec<Case> {
    let [x, y] = [0, 1].map(Expr::slot);
    let along = Along::axis;
    vec![
        ("short rows", x.cumsum(1), vec![vec![900, 10]]),
        ("rows", x.cumsum(1), vec![vec![90, 1024]]),
        ("odd rows", x.cumsum(1), vec![vec![90, 1023]]),
        ("many rows", x.cumsum(1), vec![vec![900, 300]]),
        ("long rows", x.cumsum(1), vec![vec![2, 70_000]]),
        ("columns", x.cumsum(0), vec![vec![90, 1024]]),
        ("odd columns", x.cumsum(0), vec![vec![90, 1023]]),
        ("long columns", x.cumsum(0), vec![vec![70_000, 3]]),
        ("middle axis", x.cumsum(1), vec![vec![8, 70, 33]]),
        ("reverse", x.cumsum(along(1).reverse()), vec![vec![9, 300]]),
        (
            "exclusive",
            x.cumsum(along(1).exclusive()),
            vec![vec![9, 300]],
        ),
        (
            "exclusive columns",
            x.cumprod(along(0).exclusive()),
            vec![vec![5000, 8]],
        ),
        (
            "before and behind",
            x.mul(&y).cumsum(1).sub(&y),
            vec![vec![70, 5000], vec![5000]],
        ),
        ("transposed", x.transpose().cumsum(1), vec![vec![300, 64]]),
    ]
}

#[test]
fn kernels_that_scan_are_valid_in_every_language() {
    let mut texts = Texts::default();
    let mut add = |what: &str, expr: &Expr<usize>, slots: &[Slot], limits: Limits| {
        for software in [false, true] {
            let options = Options::default().with_limits(limits.with_software(software));
            let plan = Plan::new(expr, slots, &options).unwrap();
            plan.audit().unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(plan.to_string().contains("mapping scan"), "{what}: {plan}");
            texts.add(what, expr, slots, &options, false);
        }
    };
    for (what, expr, shapes) in scans() {
        let slots: Vec<Slot> = shapes.iter().map(|s| slot(DType::F32, s)).collect();
        let fused = knowing(Limits::WEBGPU, &[FloatFact::Subnormals, FloatFact::Fma]);
        for limits in [Limits::WEBGPU, fused] {
            add(what, &expr, &slots, limits);
        }
    }
    for limits in features() {
        for dtype in DType::ALL {
            let x = Expr::slot(0);
            let exclusive = Along::axis(1).exclusive();
            for expr in [x.cumsum(1), x.cumprod(0), x.cumsum(exclusive)] {
                let what = format!("{dtype} {expr:?}");
                add(&what, &expr, &[slot(dtype, &[9, 300])], limits);
            }
        }
    }
    texts.check("scans", 60);
}

#[test]
fn kernels_that_fold_are_valid_in_every_language() {
    let mut texts = Texts::default();
    let mut add = |what: &str, expr: &Expr<usize>, slots: &[Slot], limits: Limits| {
        // A software adapter's kernel of that has more values than a GPU has registers.
        let kinds = if what.ends_with("on GPUs") { 1 } else { 2 };
        for software in [false, true].into_iter().take(kinds) {
            let options = Options::default().with_limits(limits.with_software(software));
            let plan = Plan::new(expr, slots, &options).unwrap();
            plan.audit().unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(plan.to_string().contains("mapping fold"), "{what}: {plan}");
            texts.add(what, expr, slots, &options, false);
        }
    };
    let adapters = [
        Limits::WEBGPU,
        knowing(Limits::WEBGPU, &[FloatFact::Subnormals, FloatFact::Fma]).with_max_immediates(128),
    ];
    for (what, expr, shapes) in cases() {
        let slots: Vec<Slot> = shapes.iter().map(|s| slot(DType::F32, s)).collect();
        for limits in adapters {
            add(what, &expr, &slots, limits);
        }
    }
    // Rows that share words, held and not, and columns that do.
    let x = Expr::slot(0);
    for dtype in [DType::F16, DType::U8] {
        for (shape, axis) in [
            ([9, 301], 1isize),
            ([9, 301], 0),
            ([70, 33], 1),
            ([9, 70_001], 1),
        ] {
            let less = x.sub(x.max(Axes::from(axis).keepdims()));
            let what = format!("{dtype} {shape:?} along {axis}");
            add(&what, &less, &[slot(dtype, &shape)], Limits::WEBGPU);
        }
    }
    let reductions = [
        Reduction::Sum,
        Reduction::Prod,
        Reduction::Max,
        Reduction::Min,
        Reduction::Any,
        Reduction::All,
        Reduction::ArgMax { last: true },
        Reduction::ArgMin { last: false },
    ];
    for limits in features() {
        for dtype in DType::ALL {
            for reduction in reductions {
                let what = format!("{reduction:?} {dtype}");
                let expr = Expr::slot(0).reduce(reduction, 1);
                add(&what, &expr, &[slot(dtype, &[9, 300])], limits);
            }
        }
    }
    texts.check("folds", 100);
}

#[test]
fn rows_that_are_shorter_than_their_lanes_have_no_loop() {
    for software in [false, true] {
        let options = Options::default().with_limits(Limits::WEBGPU.with_software(software));
        let loops = |axis: isize, shape: &[usize]| {
            let slots = [slot(DType::F32, shape)];
            let plan = Plan::new(&Expr::slot(0).sum(axis), &slots, &options).unwrap();
            plan.kernels().concat().contains("for (var s")
        };
        assert!(!loops(1, &[900, 16]) && !loops(0, &[8, 1024]));
        // Those that end within a quad, or have more elements than lanes.
        assert!(loops(1, &[900, 10]) && loops(1, &[900, 1024]) && loops(0, &[900, 1024]));
    }
}

#[test]
fn a_folded_product_that_is_added_is_rounded_before() {
    let [x, y] = [0, 1].map(Expr::slot);
    let contracts = knowing(Limits::WEBGPU, &[FloatFact::Order]);
    let fold = |expr: &Expr<usize>, limits: Limits| {
        let slots = [slot(DType::F32, &[9, 300]), slot(DType::F32, &[9, 1])];
        let options = Options::default().with_limits(limits);
        let text = Plan::new(expr, &slots, &options)
            .unwrap()
            .kernels()
            .remove(0);
        let line = |start: &str| {
            let found = text.lines().find(|line| line.trim().starts_with(start));
            found.unwrap_or_default().to_owned()
        };
        (line("fn fold0"), line("let s0"))
    };
    let products = [x.prod(Axes::from(1).keepdims()), x.cumprod(1)];
    for product in &products {
        let added = product.add(&y);
        let (own, _) = fold(&added, contracts);
        assert!(own.contains("opaque(a * b)"), "{own}");
        let (own, sum) = fold(&added, knowing(contracts, &[FloatFact::Fma]));
        assert!(own.contains("fma(a, b, float_minus_zero())"), "{own}");
        assert!(sum.contains("float_one()"), "{sum}");
        let (own, _) = fold(&product.mul(&y), contracts);
        assert!(own.contains("return a * b;"), "{own}");
    }
}
