//! Plans, without a device.

use super::*;
use crate::expr::Expr;
use crate::op::Op;
use crate::rule::Rule;
use crate::view::{Index, View};

fn f32s(shape: &[usize]) -> Slot {
    Slot::new(DType::F32, shape).unwrap()
}

fn plan(expr: &Expr<usize>, slots: &[Slot]) -> Plan {
    Plan::new(expr, slots, &Options::default()).unwrap()
}

fn accesses(plan: &Plan) -> Vec<Access> {
    plan.passes[0].inputs.iter().map(|i| i.access).collect()
}

#[test]
fn normalisation_is_one_dispatch() {
    let [x, mean, rstd, gamma, beta] = [0, 1, 2, 3, 4].map(Expr::slot);
    let expr = (x - mean) * rstd * gamma + beta;
    let slots = [
        f32s(&[64, 32]),
        f32s(&[64, 1]),
        f32s(&[64, 1]),
        f32s(&[32]),
        f32s(&[32]),
    ];
    let plan = plan(&expr, &slots);
    assert_eq!(plan.passes(), 1);
    assert_eq!(
        accesses(&plan),
        [
            Access::Linear,
            Access::Splat,
            Access::Splat,
            Access::Hoisted,
            Access::Hoisted
        ]
    );
    let text = plan.to_string();
    assert!(
        text.contains("[   0,   1]") && text.contains("[   1,   0]"),
        "{text}"
    );
}

#[test]
fn one_awkward_input_leaves_the_others_alone() {
    let slots = [f32s(&[64, 64]), f32s(&[64]), f32s(&[64, 64])];
    let sum = Expr::slot(0) + Expr::slot(1) + Expr::slot(2).transpose();
    assert_eq!(
        accesses(&plan(&sum, &slots)),
        [Access::Linear, Access::Vector, Access::Transposed]
    );
    let every_other = Expr::slot(0)
        + Expr::slot(1)
        + Expr::slot(2).slice([Index::ALL, Index::Range(None, None, -1)]);
    assert_eq!(
        accesses(&plan(&every_other, &slots)),
        [Access::Linear, Access::Hoisted, Access::Gather]
    );
}

#[test]
fn a_stride_too_large_for_a_tile_is_walked_by_rows() {
    let far = Layout::new([4, 16], vec![1 << 29, 1], 0).unwrap();
    let slots = [
        Slot::new(DType::U8, [16, 4]).unwrap(),
        Slot::wrapped(DType::U8, far, 1 << 31),
    ];
    let limits = Limits {
        max_binding: (1 << 31) - 16,
        ..Limits::WEBGPU
    };
    let sum = Expr::slot(0).transpose().add(&Expr::slot(1));
    let plan = Plan::new(
        &sum,
        &slots,
        &Options {
            limits,
            ..Options::default()
        },
    )
    .unwrap();
    assert!(
        plan.passes
            .iter()
            .all(|p| p.mapping.kind != MappingKind::Tile),
        "{plan}"
    );
    plan.audit().unwrap();
}

#[test]
fn mapping_follows_the_canonical_axes() {
    let kind = |a: &[usize], b: &[usize]| {
        plan(&(Expr::slot(0) + Expr::slot(1)), &[f32s(a), f32s(b)]).passes[0]
            .mapping
            .kind
    };
    assert_eq!(kind(&[64, 256, 32], &[64, 256, 32]), MappingKind::Flat);
    assert_eq!(kind(&[64, 256], &[]), MappingKind::Flat);
    assert_eq!(kind(&[64, 256], &[256]), MappingKind::Rows);
    assert_eq!(kind(&[64, 255], &[255]), MappingKind::General);
    let turned = |a: &[usize], b: &[usize]| {
        plan(
            &(Expr::slot(0).transpose() + Expr::slot(1)),
            &[f32s(a), f32s(b)],
        )
        .passes[0]
            .mapping
            .kind
    };
    assert_eq!(turned(&[64, 256], &[256, 64]), MappingKind::Tile);
    assert_eq!(turned(&[64, 255], &[255, 64]), MappingKind::Rows);
    assert_eq!(turned(&[63, 256], &[256, 63]), MappingKind::General);
    assert_eq!(kind(&[8, 4, 32, 32], &[4, 1, 1]), MappingKind::Rows);
}

#[test]
fn a_leaf_under_two_alignments_is_two_values() {
    let x = Expr::slot(0);
    let outer = x.slice([Index::ALL, Index::NewAxis]) * &x;
    let plan = plan(&outer, &[f32s(&[8])]);
    assert_eq!(plan.passes[0].inputs.len(), 2);
    let y = x.exp();
    let twice = y
        .add(&Expr::slot(1))
        .add(&Expr::step(Op::ADD, [Expr::slot(1), y.clone()]).with_rule(Rule::Pdpd { axis: 0 }));
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
        sum = sum.add(&Expr::slot(0).mul(&Expr::slot(1)));
    }
    let plan = plan(&sum, &[f32s(&[16]), f32s(&[16])]);
    assert_eq!((plan.passes(), plan.passes[0].inputs.len()), (1, 2));
}

#[test]
fn a_cut_counts_for_users_that_were_looked_at_before_it() {
    let x = |i: usize| Expr::slot(i);
    let a = x(0).add(&x(1)).add(&x(2)).add(&x(3));
    let n = (0..7).fold(a.clone(), |sum, i| sum.add(&x(i)));
    let m = x(7).add(&x(8)).add(&x(9)).add(&x(10)).add(&a);
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
            let limits = Limits {
                max_storage_buffers: buffers,
                ..Limits::WEBGPU
            };
            let plan = Plan::new(
                &root,
                &vec![f32s(&[16]); 12],
                &Options {
                    limits,
                    ..Options::default()
                },
            )
            .unwrap();
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
fn temporaries_of_a_long_chain_share_two_buffers() {
    let chain = (0..10_000).fold(Expr::slot(0), |x, _| x.add(&Expr::scalar(1.0f32)));
    let plan = plan(&chain, &[f32s(&[16])]);
    assert!(
        plan.passes() >= 19 && plan.temporaries.len() == 2,
        "{} {}",
        plan.passes(),
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
    assert_eq!((plan.passes(), plan.passes[0].steps.len()), (1, 64));
}

#[test]
fn more_inputs_than_bindings_are_cut_into_passes() {
    let all: Vec<Expr<usize>> = (0..40).map(Expr::slot).collect();
    let slots = vec![f32s(&[16]); 40];
    for buffers in [4, 8, 31] {
        let limits = Limits {
            max_storage_buffers: buffers,
            ..Limits::WEBGPU
        };
        let plan = Plan::new(
            &Expr::sum_of(&all),
            &slots,
            &Options {
                limits,
                ..Options::default()
            },
        )
        .unwrap();
        assert!(plan.passes() > 1);
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
        chain = chain.add(&Expr::scalar(1.0f32));
    }
    let plan = plan(&chain, &[f32s(&[16])]);
    assert!(plan.passes() >= 4);
    assert!(plan.passes.iter().all(|p| p.steps.len() <= cut::MAX_STEPS));

    let row = Expr::slot(0).exp().mul(&Expr::scalar(2.0f32));
    let hoisted = self::plan(
        &(row + Expr::slot(1)),
        &[f32s(&[1024]), f32s(&[1024, 1024])],
    );
    assert_eq!(hoisted.passes(), 2);
    assert_eq!(
        hoisted.temporaries,
        [Temporary {
            dtype: DType::F32,
            len: 1024
        }]
    );
}

#[test]
fn steps_keep_their_own_rules() {
    let sum = Expr::step(Op::ADD, [Expr::slot(0), Expr::slot(1)]).with_rule(Rule::Pdpd { axis: 0 });
    let plan = plan(&sum, &[f32s(&[4, 8]), f32s(&[4])]);
    assert_eq!(plan.passes[0].inputs[1].layout.strides(), [1, 0]);
    let numpy = Expr::slot(0).add(&Expr::slot(1));
    assert!(Plan::new(&numpy, &[f32s(&[4, 8]), f32s(&[4])], &Options::default()).is_err());
}

#[test]
fn operands_past_the_binding_limit_get_windows() {
    let limits = Limits {
        max_binding: 1 << 20,
        ..Limits::WEBGPU
    };
    let options = Options {
        limits,
        ..Options::default()
    };
    let plan = Plan::new(&(Expr::slot(0) + 1.0), &[f32s(&[1 << 19])], &options).unwrap();
    assert_eq!(plan.passes(), 3);
    // A broadcast operand needs only what it reaches, but the result is large.
    let outer = Expr::slot(0) + Expr::slot(1);
    assert!(
        Plan::new(&outer, &[f32s(&[1 << 10, 1]), f32s(&[1 << 10])], &options)
            .unwrap()
            .passes()
            > 1
    );
    assert_eq!(
        Plan::new(&outer, &[f32s(&[1 << 8, 1]), f32s(&[1 << 10])], &options)
            .unwrap()
            .passes(),
        1
    );
    let wide = Plan::new(
        &outer,
        &[f32s(&[1 << 16, 1]), f32s(&[1 << 16])],
        &Options::default(),
    )
    .unwrap();
    assert!(wide.passes() > 100);
    let square = Expr::slot(0).matmul(&Expr::slot(0));
    let product = Plan::new(&square, &[f32s(&[1 << 10, 1 << 10])], &options).unwrap();
    product.audit().unwrap();
    // Blocks of 256 along all three axes, and what each 4 of them read of the second factor, moved
    // together.
    assert_eq!(
        (product.kernels().len(), product.passes() - 64),
        (2, 4 * 4),
        "{product}"
    );
}

#[test]
fn an_adapter_with_fewer_than_4_storage_buffers_is_refused() {
    let limits = Limits {
        max_storage_buffers: 3,
        ..Limits::WEBGPU
    };
    let refused = Plan::new(
        &(Expr::slot(0) + 1.0),
        &[f32s(&[4])],
        &Options {
            limits,
            ..Options::default()
        },
    );
    assert!(
        refused
            .unwrap_err()
            .to_string()
            .contains("max_storage_buffers is 3")
    );
}

#[test]
fn products_are_cut_where_a_factor_the_result_or_the_work_is_too_large() {
    let [a, b] = [0, 1].map(Expr::slot);
    let plan = |expr: &Expr<usize>, [m, k, n]: [usize; 3], max_binding: u64, max_elements: u64| {
        let limits = Limits {
            max_binding,
            max_elements,
            ..Limits::WEBGPU
        };
        let plan = Plan::new(
            expr,
            &[f32s(&[m, k]), f32s(&[k, n])],
            &Options {
                limits,
                ..Options::default()
            },
        )
        .unwrap();
        plan.audit().unwrap();
        let adds = plan
            .passes
            .iter()
            .filter(|p| p.output.rows.is_some_and(|r| r.adds))
            .count();
        (plan.passes(), adds)
    };
    let product = a.matmul(&b);
    assert_eq!(plan(&product, [500, 500, 500], 1 << 20, 1 << 28), (1, 0));
    // Nothing of an empty sum or a result without elements is bound, however large the other factor
    // is.
    assert_eq!(plan(&product, [20, 0, 4], 1 << 17, 1 << 28), (1, 0));
    assert_eq!(plan(&product, [0, 500, 500], 1 << 17, 1 << 28), (0, 0));
    assert_eq!(
        plan(&product, [5000, 10, 10], 1 << 17, 1 << 28),
        (2, 0),
        "rows"
    );
    assert_eq!(
        plan(&product, [1, 100_000, 1], 1 << 17, 1 << 28),
        (4, 3),
        "what is summed over"
    );
    assert_eq!(
        plan(&product, [128, 64, 128], 1 << 20, 1 << 12),
        (4, 0),
        "work"
    );
}

#[test]
fn grids_fold_past_the_limit() {
    let limits = Limits {
        max_workgroups: 5,
        ..Limits::WEBGPU
    };
    for (a, b) in [
        (vec![50_000], vec![50_000]),
        (vec![100, 64], vec![64]),
        (vec![100, 63], vec![63]),
    ] {
        let slots = [f32s(&a), f32s(&b)];
        let plan = Plan::new(
            &(Expr::slot(0) + Expr::slot(1)),
            &slots,
            &Options {
                limits,
                ..Options::default()
            },
        )
        .unwrap();
        let [x, y, z] = plan.passes[0].grid;
        assert!(
            x <= 5 && y <= 5 && z <= 5 && x * y * z > 0,
            "{a:?}: {x} {y} {z}"
        );
    }
    let slots = [f32s(&[1 << 20])];
    let refused = Plan::new(
        &(Expr::slot(0) + 1.0),
        &slots,
        &Options {
            limits,
            ..Options::default()
        },
    );
    assert!(matches!(refused, Err(Error::Argument { .. })));
}

#[test]
fn zero_size_results_launch_nothing() {
    let plan = plan(
        &(Expr::slot(0) + Expr::slot(1)),
        &[f32s(&[0, 3]), f32s(&[3])],
    );
    assert_eq!((plan.passes(), plan.bytes_moved()), (0, 0));
    assert!(plan.kernels().is_empty());
}

#[test]
fn outputs_inside_a_word_are_moved_by_a_second_pass() {
    let u8s = |shape: &[usize]| Slot::new(DType::U8, shape).unwrap();
    let expr = Expr::slot(0).maximum(&Expr::slot(1));
    let out = |shape: &[usize], offset| {
        let layout = Layout::new(
            shape,
            Layout::contiguous(shape).unwrap().strides().to_vec(),
            offset,
        )
        .unwrap();
        Slot::wrapped(DType::U8, layout, 4096)
    };
    let passes = |a: &[usize], b: &[usize], offset| {
        let slots = [u8s(a), u8s(b)];
        let shape = a.to_vec();
        Plan::many(
            std::slice::from_ref(&expr),
            &slots,
            &[out(&shape, offset)],
            &Options::default(),
        )
        .unwrap()
        .passes()
    };
    assert_eq!(passes(&[16], &[16], 3), 1, "one axis is shifted in place");
    assert_eq!(passes(&[3, 16], &[16], 3), 2);
    assert_eq!(passes(&[3, 16], &[16], 4), 1);
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
    assert_eq!(plan.passes(), 1);
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
        ("contiguous", flat(&x).add(&flat(&x)), slot([6, 4]), 1),
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
            flat(&x.exp()).add(&flat(&x.exp()).slice([Index::Range(None, None, -1)])),
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
        assert_eq!(plan.passes(), passes, "{name}: {plan}");
    }
}
