//! Plans, without a device.

mod cuts;
mod empty;

use super::*;
use crate::error::Error;
use crate::expr::{Axes, Expr};
use crate::layout::Layout;
use crate::op::Op;
use crate::rule::Rule;
use crate::view::{Index, View};

fn f32s(shape: &[usize]) -> Slot {
    Slot::new(DType::F32, shape).unwrap()
}

fn plan(expr: &Expr<usize>, slots: &[Slot]) -> Plan {
    Plan::new(expr, slots, &Options::default()).unwrap()
}

fn within(limits: Limits, expr: &Expr<usize>, slots: &[Slot]) -> Plan {
    Plan::new(expr, slots, &Options::default().with_limits(limits)).unwrap()
}

fn loads(plan: &Plan) -> Vec<String> {
    plan.passes[0]
        .inputs
        .iter()
        .map(|i| i.load.to_string())
        .collect()
}

#[test]
fn normalisation_is_one_dispatch() {
    let [x, mean, rstd, gamma, beta] = [0, 1, 2, 3, 4].map(Expr::slot);
    let expr = (x - mean) * rstd * gamma + beta;
    let slots = [
        f32s(&[4096, 1024]),
        f32s(&[4096, 1]),
        f32s(&[4096, 1]),
        f32s(&[1024]),
        f32s(&[1024]),
    ];
    let plan = plan(&expr, &slots);
    assert_eq!(plan.pass_count(), 1);
    assert_eq!(
        loads(&plan),
        [
            "linear",
            "splat",
            "splat",
            "hoisted vector",
            "hoisted vector"
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
        loads(&plan(&sum, &slots)),
        ["linear", "hoisted vector", "transposed"]
    );
    let every_other = Expr::slot(0)
        + Expr::slot(1)
        + Expr::slot(2).slice([Index::ALL, Index::Range(None, None, -1)]);
    assert_eq!(
        loads(&plan(&every_other, &slots)),
        ["linear", "hoisted vector", "gather"]
    );
}

#[test]
fn a_stride_too_large_for_a_tile_is_walked_by_rows() {
    let far = Layout::new([4, 16], vec![1 << 29, 1], 0).unwrap();
    let slots = [
        Slot::new(DType::U8, [16, 4]).unwrap(),
        Slot::wrapped(DType::U8, far, 1 << 31),
    ];
    let limits = Limits::WEBGPU.with_max_binding((1 << 31) - 16);
    let sum = Expr::slot(0).transpose().add(Expr::slot(1));
    let plan = within(limits, &sum, &slots);
    assert!(
        plan.passes.iter().all(|p| p.work.to_string() != "tile"),
        "{plan}"
    );
    plan.audit().unwrap();
}

#[test]
fn mapping_follows_the_canonical_axes() {
    let kind = |a: &[usize], b: &[usize]| {
        plan(&(Expr::slot(0) + Expr::slot(1)), &[f32s(a), f32s(b)]).passes[0]
            .work
            .to_string()
    };
    assert_eq!(kind(&[64, 256, 32], &[64, 256, 32]), "flat");
    assert_eq!(kind(&[64, 256], &[]), "flat");
    assert_eq!(kind(&[64, 256], &[256]), "rows");
    assert_eq!(kind(&[64, 255], &[255]), "general");
    let transposed = |software, a: &[usize], b: &[usize]| {
        let sum = Expr::slot(0).transpose() + Expr::slot(1);
        let limits = Limits::default().with_software(software);
        within(limits, &sum, &[f32s(a), f32s(b)]).passes[0]
            .work
            .to_string()
    };
    for (software, rows, odd) in [(true, "rows", "general"), (false, "staged", "staged")] {
        assert_eq!(transposed(software, &[64, 256], &[256, 64]), "tile");
        assert_eq!(transposed(software, &[64, 255], &[255, 64]), rows);
        assert_eq!(transposed(software, &[63, 256], &[256, 63]), odd);
    }
    assert_eq!(kind(&[8, 4, 32, 32], &[4, 1, 1]), "rows");
}

#[test]
fn steps_keep_their_own_rules() {
    let sum = Expr::step(Op::ADD, [Expr::slot(0), Expr::slot(1)]).with_rule(Rule::Pdpd { axis: 0 });
    let plan = plan(&sum, &[f32s(&[4, 8]), f32s(&[4])]);
    assert_eq!(plan.passes[0].inputs[1].layout.strides(), [1, 0]);
    let numpy = Expr::slot(0).add(Expr::slot(1));
    assert!(Plan::new(&numpy, &[f32s(&[4, 8]), f32s(&[4])], &Options::default()).is_err());
}

#[test]
fn operands_past_the_binding_limit_get_windows() {
    let limits = Limits::WEBGPU.with_max_binding(1 << 20);
    let options = Options::default().with_limits(limits);
    let plan = Plan::new(&(Expr::slot(0) + 1.0), &[f32s(&[1 << 19])], &options).unwrap();
    assert_eq!(plan.pass_count(), 3);
    // A broadcast operand needs only what it reaches, but the result is large.
    let outer = Expr::slot(0) + Expr::slot(1);
    assert!(
        Plan::new(&outer, &[f32s(&[1 << 10, 1]), f32s(&[1 << 10])], &options)
            .unwrap()
            .pass_count()
            > 1
    );
    assert_eq!(
        Plan::new(&outer, &[f32s(&[1 << 8, 1]), f32s(&[1 << 10])], &options)
            .unwrap()
            .pass_count(),
        1
    );
    let wide = Plan::new(
        &outer,
        &[f32s(&[1 << 16, 1]), f32s(&[1 << 16])],
        &Options::default(),
    )
    .unwrap();
    assert!(wide.pass_count() > 100);
    let square = Expr::slot(0).matmul(Expr::slot(0));
    let product = Plan::new(&square, &[f32s(&[1 << 10, 1 << 10])], &options).unwrap();
    product.audit().unwrap();
    // Blocks of 256 along all three axes, and what each 4 of them read of the second factor, moved
    // together.
    assert_eq!(
        (product.kernels().len(), product.pass_count() - 64),
        (2, 4 * 4),
        "{product}"
    );
}

#[test]
fn an_adapter_with_fewer_than_4_storage_buffers_is_refused() {
    let limits = Limits::WEBGPU.with_max_storage_buffers(3);
    let refused = Plan::new(
        &(Expr::slot(0) + 1.0),
        &[f32s(&[4])],
        &Options::default().with_limits(limits),
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
        let limits = Limits::WEBGPU
            .with_max_binding(max_binding)
            .with_max_elements(max_elements);
        let plan = within(limits, expr, &[f32s(&[m, k]), f32s(&[k, n])]);
        plan.audit().unwrap();
        let adds = plan.passes.iter().filter(|p| p.adds()).count();
        (plan.pass_count(), adds)
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
        plan(&product, [30, 100_000, 30], 1 << 17, 1 << 28),
        (3038, 97),
        "what is summed over"
    );
    assert_eq!(
        plan(&product, [128, 64, 128], 1 << 20, 1 << 12),
        (4, 0),
        "work"
    );
}

#[test]
fn costly_factors_of_narrow_products_are_computed_once() {
    let [a, b] = [0, 1].map(Expr::slot);
    let passes = |expr: &Expr<usize>, slots: &[Slot]| plan(expr, slots).pass_count();
    let matrices = [f32s(&[8, 300]), f32s(&[300, 64])];
    assert_eq!(passes(&a.matmul(&b), &matrices), 1);
    assert_eq!(passes(&(&a * 2.0).matmul(&b), &matrices), 1);
    assert_eq!(passes(&a.erf().matmul(b.exp()), &matrices), 3);
    // Each element of the matrix is needed once.
    let vector = [f32s(&[8, 300]), f32s(&[300])];
    assert_eq!(passes(&a.erf().matmul(b.exp()), &vector), 2);
}

#[test]
fn grids_fold_past_the_limit() {
    let limits = Limits::WEBGPU.with_max_workgroups(5);
    for (a, b) in [
        (vec![50_000], vec![50_000]),
        (vec![100, 64], vec![64]),
        (vec![100, 63], vec![63]),
    ] {
        let slots = [f32s(&a), f32s(&b)];
        let plan = within(limits, &(Expr::slot(0) + Expr::slot(1)), &slots);
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
        &Options::default().with_limits(limits),
    );
    assert!(matches!(refused, Err(Error::Argument { .. })));
}

#[test]
fn zero_size_results_launch_nothing() {
    let plan = plan(
        &(Expr::slot(0) + Expr::slot(1)),
        &[f32s(&[0, 3]), f32s(&[3])],
    );
    assert_eq!((plan.pass_count(), plan.bytes_moved()), (0, 0));
    assert!(plan.kernels().is_empty());
}

#[test]
fn outputs_inside_a_word_are_moved_by_a_second_pass() {
    let u8s = |shape: &[usize]| Slot::new(DType::U8, shape).unwrap();
    let expr = Expr::slot(0).maximum(Expr::slot(1));
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
        .pass_count()
    };
    assert_eq!(passes(&[16], &[16], 3), 1, "one axis is shifted in place");
    assert_eq!(passes(&[3, 16], &[16], 3), 2);
    assert_eq!(passes(&[3, 16], &[16], 4), 1);
}
