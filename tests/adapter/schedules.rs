//! Every schedule that a pass may have, by name.

use zerostride::{Along, Axes, DType, Expr, Index, Plan, ScheduleName, Slot};

use crate::common::{Random, Thinned, all, check_with, context, count, few, thinned};
use crate::mapping::{chain, options};

#[test]
fn every_schedule_that_a_shape_may_have_agrees() {
    let mut random = Random::new("schedules");
    let mut reports = Vec::new();
    let shapes: [[&[usize]; 2]; 9] = [
        [&[1037], &[1037]],
        [&[37, 64], &[64]],
        [&[37, 64], &[37, 1]],
        [&[37, 4], &[4]],
        [&[37, 65], &[37, 1]],
        [&[37, 65], &[65]],
        [&[9, 12, 36], &[9, 1, 36]],
        [&[9, 5, 7], &[5, 1]],
        [&[9, 1, 8, 1, 12], &[6, 1, 5, 1]],
    ];
    let mut tried = 0;
    for (n, shapes) in shapes.into_iter().enumerate() {
        // Each spread has half of them, since most are a kernel of their own.
        let software = n % 2 == 0;
        let options = options(|l| l.software = software);
        let inputs = shapes.map(|s| random.host(DType::F32, s, true));
        let slots: Vec<Slot> = inputs
            .iter()
            .map(|h| {
                Slot::new(DType::F32, [1])
                    .unwrap()
                    .with_layout(h.layout.clone())
            })
            .collect();
        for &name in ScheduleName::ALL {
            let options = options.with_schedule(Some(name));
            let plan = Plan::new(&chain(2), &slots, &options).unwrap().to_string();
            // Others have the schedule that they would have anyway.
            if plan.contains(&format!("  * {name} ")) {
                let what = format!("{shapes:?} as {name}, software {software}");
                reports.push(check_with(&what, &chain(2), &inputs, 0.0, &options));
                tried += 1;
            }
        }
    }
    assert!(tried > 25, "{tried} schedules");
    let square = random.host(DType::F32, &[259, 260], true);
    let views = [Index::ALL, Index::Range(None, Some(259), 1)];
    let sum = Expr::slot(0)
        .slice(views)
        .transpose()
        .add(Expr::slot(0).slice(views));
    for &name in ScheduleName::ALL {
        let options = context().options().with_schedule(Some(name));
        let what = format!("transposed as {name}");
        reports.push(check_with(
            &what,
            &sum,
            std::slice::from_ref(&square),
            0.0,
            &options,
        ));
    }
    all(reports);
}

#[test]
fn quads_along_two_outer_axes_agree() {
    let mut random = Random::new("crossed");
    let mut reports = Vec::new();
    let options = options(|l| l.software = false).with_schedule(Some(ScheduleName::Cross));
    // Axes that are longer than what an invocation owns, or as long; inputs that move along both,
    // along one, and with the other's elements in all lanes; steps backwards.
    let cases: [(DType, &[usize], &[usize]); 7] = [
        (DType::F32, &[12, 1, 36], &[1, 8, 36]),
        (DType::F32, &[4, 1, 8], &[1, 2, 8]),
        (DType::F32, &[3, 8, 1, 1], &[3, 1, 12, 68]),
        (DType::U8, &[8, 1, 5, 1, 48], &[1, 4, 1, 6, 48]),
        (DType::F16, &[8, 1, 5, 1, 1], &[2, 1, 12, 16]),
        (DType::I64, &[12, 1, 20], &[1, 8, 20]),
        (DType::I32, &[6, 3, 1, 20], &[6, 1, 1, 10, 20]),
    ];
    let [x, y] = [0, 1].map(Expr::slot);
    let reversed = |e: &Expr<usize>| e.slice([Index::Range(None, None, -1), Index::Ellipsis]);
    for (n, (dtype, a, b)) in cases.into_iter().enumerate() {
        let inputs = [a, b].map(|shape| random.host(dtype, shape, true));
        let expr = match n {
            0 => reversed(&x).sub(&y).add(&x),
            2 => x.sub(y.slice([Index::Ellipsis, Index::Range(Some(1), Some(65), 1)])),
            _ => x.sub(&y),
        };
        let slots: Vec<Slot> = inputs
            .iter()
            .map(|h| Slot::new(dtype, [1]).unwrap().with_layout(h.layout.clone()))
            .collect();
        let plan = Plan::new(&expr, &slots, &options).unwrap().to_string();
        let what = format!("{dtype} {a:?}, {b:?}");
        assert!(plan.contains("  * cross "), "{what}: {plan}");
        reports.push(check_with(&what, &expr, &inputs, 0.0, &options));
    }
    all(reports);
}

#[test]
fn rows_that_are_numbered_first_agree() {
    let mut random = Random::new("rows first");
    let mut reports = Vec::new();
    let options = options(|l| l.software = false);
    let [x, y] = [0, 1].map(Expr::slot);
    // A row of the second operand is longer than what a GPU's cache keeps of the rows between; the
    // third case has no whole number of workgroups in a row.
    let long = 1 << 21;
    let shapes = [
        (&[4, long][..], &[long][..]),
        (&[3, long], &[long]),
        (&[2, 3, long - 40], &[1, 3, long - 40]),
    ];
    for (a, b) in thinned(&mut random, shapes) {
        let inputs = [a, b].map(|shape| random.host(DType::U32, shape, true));
        let expr = x.sub(&y);
        let slots: Vec<Slot> = inputs
            .iter()
            .map(|h| Slot::new(DType::U32, h.layout.shape()).unwrap())
            .collect();
        let plan = Plan::new(&expr, &slots, &options).unwrap().to_string();
        let what = format!("{a:?} - {b:?}");
        assert!(plan.contains("rows first"), "{what}: {plan}");
        reports.push(check_with(&what, &expr, &inputs, 0.0, &options));
    }
    all(reports);
}

#[test]
fn every_schedule_that_a_reduction_or_scan_may_have_agrees() {
    let mut random = Random::new("schedules of folds");
    let mut reports = Vec::new();
    let mut tried = std::collections::BTreeMap::new();
    let x = Expr::slot(0);
    let softmax = |axis: isize| {
        let powers = x.sub(x.max(Axes::from(axis).keepdims())).exp();
        powers.div(powers.sum(Axes::from(axis).keepdims()))
    };
    let centred = |axis: isize| x.sub(x.sum(Axes::from(axis).keepdims()).div(64.0f32));
    // What is long is split into parts.
    let shapes: [&[usize]; 6] = [
        &[40, 65],
        &[67, 5],
        &[9, 300],
        &[3, 8, 36],
        &[700, 20],
        &[2, 33_003],
    ];
    let mut draw = |n: usize| {
        let shape = *random.pick(&shapes);
        let axis = *random.pick(&[0, shape.len().cast_signed() - 1]);
        let (what, expr, dtype) = match n % 10 {
            0 => ("sum", x.sum(axis), DType::F32),
            1 => ("sum", x.sum(axis), DType::F16),
            2 => ("sum", x.sum(axis), DType::I64),
            3 => ("place", x.argmax(axis), DType::I16),
            4 => ("variance", x.var(axis), DType::F32),
            5 => ("softmax", softmax(axis), DType::F32),
            6 => ("centred", centred(axis), DType::F32),
            7 => (
                "below",
                x.sub(x.max(Axes::from(axis).keepdims())),
                DType::U8,
            ),
            8 => ("scan", x.cumsum(axis), DType::F32),
            _ => (
                "scan back",
                x.cumsum(Along::axis(axis).reverse()),
                DType::I32,
            ),
        };
        let case = format!("{what} of {dtype} {shape:?} along {axis}");
        (case, expr, dtype, shape, random.below(2) == 0)
    };
    let cases: Vec<_> = (0..count(60, 300)).map(&mut draw).collect();
    let mut some = Thinned::new(&mut random);
    for (case, expr, dtype, shape, software) in cases {
        let input = [random.host(dtype, shape, true)];
        let slots = [Slot::new(dtype, shape.to_vec()).unwrap()];
        let bound = if case.starts_with("softmax") {
            4.0
        } else {
            0.0
        };
        for &name in ScheduleName::ALL {
            let options = options(|l| l.software = software).with_schedule(Some(name));
            let plan = Plan::new(&expr, &slots, &options).unwrap();
            if !plan.may_have(name) || !some.takes() {
                continue;
            }
            let what = format!("{case} as {name}, software {software}");
            let has = plan.to_string().contains(&format!("  * {name} "));
            assert!(has, "{what}: {plan}");
            reports.push(check_with(&what, &expr, &input, bound, &options));
            *tried.entry(name.to_string()).or_insert(0) += 1;
        }
    }
    for name in ["alone", "shared", "lanes", "again"] {
        assert!(few() || tried.contains_key(name), "{name}: {tried:?}");
    }
    all(reports);
}
