//! Which steps share a pass, and what each pass binds.

use super::*;

#[test]
fn a_leaf_under_two_alignments_is_two_values() {
    let x = Expr::slot(0);
    let outer = x.slice([Index::ALL, Index::NewAxis]) * &x;
    let plan = plan(&outer, &[f32s(&[8])]);
    assert_eq!(plan.passes[0].inputs.len(), 2);
    let y = x.exp();
    let twice = y
        .add(Expr::slot(1))
        .add(Expr::step(Op::ADD, [Expr::slot(1), y.clone()]).with_rule(Rule::Pdpd { axis: 0 }));
    let both = self::plan(&twice, &[f32s(&[4]), f32s(&[4, 4])]);
    assert_eq!(
        both.passes[0]
            .steps
            .iter()
            .filter(|s| s.op == Op::EXP)
            .count(),
        2
    );
}

#[test]
fn a_slot_that_is_named_often_is_one_binding() {
    let mut sum = Expr::slot(0);
    for _ in 0..40 {
        sum = sum.add(Expr::slot(0).mul(Expr::slot(1)));
    }
    let plan = plan(&sum, &[f32s(&[16]), f32s(&[16])]);
    assert_eq!((plan.pass_count(), plan.passes[0].inputs.len()), (1, 2));
}

#[test]
fn a_cut_counts_for_users_that_were_looked_at_before_it() {
    let x = |i: usize| Expr::slot(i);
    let a = x(0).add(x(1)).add(x(2)).add(x(3));
    let n = (0..7).fold(a.clone(), |sum, i| sum.add(x(i)));
    let m = x(7).add(x(8)).add(x(9)).add(x(10)).add(&a);
    let plan = plan(&n.mul(&m), &vec![f32s(&[16]); 11]);
    for pass in &plan.passes {
        assert!(
            pass.inputs.len() < 8,
            "{} inputs with 8 buffers",
            pass.inputs.len()
        );
    }
}

#[test]
fn random_shared_graphs_stay_within_the_bindings() {
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    let mut random = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    for draw in 0..200 {
        let mut nodes: Vec<Expr<usize>> = (0..12).map(Expr::slot).collect();
        for _ in 0..40 {
            let (a, b) = (random(nodes.len()), random(nodes.len()));
            nodes.push(nodes[a].add(&nodes[b]));
        }
        let root = nodes[40..]
            .iter()
            .fold(nodes[39].clone(), |sum, n| sum.add(n));
        for buffers in [4, 5, 8] {
            let limits = Limits::WEBGPU.with_max_storage_buffers(buffers);
            let plan = within(limits, &root, &vec![f32s(&[16]); 12]);
            for pass in &plan.passes {
                assert!(
                    pass.inputs.len() < buffers as usize,
                    "draw {draw}: {} of {buffers}",
                    pass.inputs.len()
                );
            }
        }
    }
}

#[test]
fn what_one_fold_cuts_is_an_input_of_the_folds_that_held_it() {
    let kept = || Axes::from(-1).keepdims();
    let x = Expr::slot(0);
    let spread = x.var(kept()).var(Axes::from(1).keepdims());
    let deep = x
        .sub(x.mean(kept()))
        .mul(x.sub(x.var(kept())))
        .std(Axes::from(0));
    for (expr, buffers) in [spread, deep]
        .iter()
        .flat_map(|e| (4..9).map(move |b| (e, b)))
    {
        let limits = Limits::WEBGPU.with_max_storage_buffers(buffers);
        let options = Options::default().with_limits(limits);
        let gradient = expr.gradient(std::slice::from_ref(&x));
        for shape in [[3, 4, 5], [2, 64, 8], [7, 1, 9]] {
            let plan = Plan::many(&gradient, &[f32s(&shape)], &[], &options).unwrap();
            plan.audit()
                .unwrap_or_else(|e| panic!("{buffers} buffers, {shape:?}: {e}\n{plan}"));
        }
    }
}

#[test]
fn random_graphs_with_folds_keep_to_the_laws() {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |n: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % n
    };
    // Plain `cargo test` draws some.
    let draws = if std::env::var_os("ZEROSTRIDE_DRAWS").is_some() {
        300
    } else {
        60
    };
    for draw in 0..draws {
        let mut nodes: Vec<Expr<usize>> = (0..3).map(Expr::slot).collect();
        for _ in 0..12 {
            let (a, b) = (&nodes[random(nodes.len())], &nodes[random(nodes.len())]);
            let axes = Axes::from(random(3) as isize).keepdims();
            nodes.push(match random(6) {
                0 => a.mean(axes),
                1 => a.var(axes),
                2 => a.max(axes),
                3 => a.sub(b),
                4 => a.mul(b),
                _ => a.exp().div(b),
            });
        }
        let root = nodes[3..]
            .iter()
            .skip(1)
            .fold(nodes[3].clone(), |all, n| all.add(n));
        for buffers in [4, 5, 8] {
            let limits = Limits::WEBGPU.with_max_storage_buffers(buffers);
            let slots = [f32s(&[4, 6, 5]), f32s(&[1, 6, 5]), f32s(&[4, 1, 1])];
            let plan = within(limits, &root, &slots);
            plan.audit()
                .unwrap_or_else(|e| panic!("draw {draw}, {buffers} buffers: {e}\n{plan}"));
        }
    }
}

#[test]
fn temporaries_of_a_long_chain_share_two_buffers() {
    let chain = (0..10_000).fold(Expr::slot(0), |x, _| x.add(Expr::scalar(1.0f32)));
    let plan = plan(&chain, &[f32s(&[16])]);
    assert!(
        plan.pass_count() >= 19 && plan.temporaries.len() == 2,
        "{} {}",
        plan.pass_count(),
        plan.temporaries.len()
    );
}

#[test]
fn squaring_64_times_is_64_steps() {
    let mut r = Expr::slot(0);
    for _ in 0..64 {
        r = r.mul(&r);
    }
    let plan = plan(&r, &[f32s(&[16])]);
    assert_eq!((plan.pass_count(), plan.passes[0].steps.len()), (1, 64));
}

#[test]
fn more_inputs_than_bindings_are_cut_into_passes() {
    let all: Vec<Expr<usize>> = (0..40).map(Expr::slot).collect();
    let slots = vec![f32s(&[16]); 40];
    for buffers in [4, 8, 31] {
        let limits = Limits::WEBGPU.with_max_storage_buffers(buffers);
        let plan = within(limits, &Expr::add_n(&all), &slots);
        assert!(plan.pass_count() > 1);
        for pass in &plan.passes {
            assert!(
                pass.inputs.len() < buffers as usize,
                "{} inputs with {buffers} buffers",
                pass.inputs.len()
            );
        }
    }
}

#[test]
fn long_chains_are_cut_and_a_costly_row_is_computed_once() {
    let mut chain = Expr::slot(0);
    for _ in 0..2000 {
        chain = chain.add(Expr::scalar(1.0f32));
    }
    let plan = plan(&chain, &[f32s(&[16])]);
    assert!(plan.pass_count() >= 4);
    assert!(
        plan.passes
            .iter()
            .all(|p| p.steps.len() <= super::super::limits::MAX_STEPS)
    );

    // Code by which integers compute what the adapter lacks counts as what it is.
    let chain = |dtype: DType, op: Op, limits: Limits| {
        let [x, y] = [0, 1].map(Expr::slot);
        let chain = (0..200).fold(x, |chain, _| Expr::step(op, [chain, y.clone()]));
        let slots = [0, 1].map(|_| Slot::new(dtype, [16]).unwrap());
        let plan = Plan::new(&chain, &slots, &Options::default().with_limits(limits));
        plan.unwrap().pass_count()
    };
    let facts = |fact| Arithmetic::UNKNOWN.with(fact, true);
    for (dtype, op, most, with) in [
        (DType::F32, Op::DIV, 32, facts(FloatFact::Quotients)),
        (DType::F32, Op::DIV, 32, facts(FloatFact::FusedQuotients)),
        (DType::F16, Op::ADD, 51, facts(FloatFact::Halves)),
        (DType::I64, Op::MUL, 128, Arithmetic::UNKNOWN),
    ] {
        let passes = chain(dtype, op, Limits::WEBGPU);
        assert_eq!(passes, 200usize.div_ceil(most), "{op} of {dtype}");
        let able = Limits::WEBGPU.with_int64(true).with_arithmetic(with);
        assert_eq!(chain(dtype, op, able), 1, "{op} of {dtype}");
    }
    assert_eq!(
        chain(DType::F16, Op::DIV, Limits::WEBGPU),
        200usize.div_ceil(12)
    );

    // A compiler inlines each sine.
    let mut sines = Expr::slot(0);
    for _ in 0..100 {
        sines = sines.sin();
    }
    let plan = self::plan(&sines, &[f32s(&[16])]);
    assert_eq!(plan.pass_count(), 100usize.div_ceil(16));
    assert!(plan.passes.iter().all(|p| p.steps.len() <= 16));
    let sum = self::plan(&sines.sum(Axes::ALL), &[f32s(&[16])]);
    assert!(sum.passes.iter().all(|p| p.steps.len() <= 16));

    let row = Expr::slot(0).exp().mul(Expr::scalar(2.0f32));
    let hoisted = self::plan(
        &(row + Expr::slot(1)),
        &[f32s(&[1024]), f32s(&[1024, 1024])],
    );
    assert_eq!(hoisted.pass_count(), 2);
    assert_eq!(
        hoisted.temporaries,
        [Temporary {
            dtype: DType::F32,
            len: 1024
        }]
    );
}

#[test]
fn views_of_steps_are_maps_not_passes() {
    let sum = (Expr::slot(0) + Expr::slot(1)).view(View::Slice(vec![
        Index::Range(None, None, -1),
        Index::At(2),
    ]));
    let plan = plan(
        &(sum * Expr::slot(2)),
        &[f32s(&[4, 8]), f32s(&[8]), f32s(&[4])],
    );
    assert_eq!(plan.pass_count(), 1);
    assert_eq!(plan.passes[0].inputs[0].layout.strides(), [-8]);
    assert_eq!(plan.passes[0].inputs[0].layout.offset(), 26);
}

#[test]
fn a_reshaped_input_is_read_where_it_lies_and_a_computed_value_is_computed_first() {
    let slot = |shape: [usize; 2]| Slot::new(DType::F32, shape).unwrap();
    let turned = |shape: [usize; 2]| {
        let slot = slot(shape);
        Slot {
            layout: slot.layout.view(&View::Transpose).unwrap(),
            ..slot
        }
    };
    let x = Expr::slot(0);
    let flat = |x: &Expr<usize>| x.reshape([-1]);
    let cases = [
        ("contiguous", flat(&x).add(flat(&x)), slot([6, 4]), 1),
        (
            "split and turned",
            x.reshape([2, 3, 4]).transpose().exp(),
            slot([6, 4]),
            1,
        ),
        (
            "every other row",
            flat(&x.slice([Index::Range(None, None, 2)]))
                .reshape([3, 4])
                .exp(),
            slot([6, 4]),
            1,
        ),
        (
            "a column",
            flat(&x.slice([Index::ALL, Index::At(1)]))
                .reshape([2, 3])
                .exp(),
            slot([6, 4]),
            1,
        ),
        (
            "the same shape",
            x.exp().reshape([6, -1]).exp(),
            slot([6, 4]),
            1,
        ),
        (
            "turned back",
            x.transpose().reshape([-1]).exp(),
            turned([4, 6]),
            1,
        ),
        ("turned", flat(&x).exp(), turned([6, 4]), 2),
        ("a step", flat(&x.exp()).exp(), slot([6, 4]), 2),
        (
            "a step twice",
            flat(&x.exp()).add(flat(&x.exp()).slice([Index::Range(None, None, -1)])),
            slot([6, 4]),
            3,
        ),
        (
            "a chain",
            flat(&flat(&x.exp()).reshape([3, 8])).exp(),
            slot([6, 4]),
            2,
        ),
    ];
    for (name, expr, slot, passes) in cases {
        let plan = Plan::new(&expr, &[slot], &Options::default()).unwrap();
        assert_eq!(plan.pass_count(), passes, "{name}: {plan}");
    }
}
