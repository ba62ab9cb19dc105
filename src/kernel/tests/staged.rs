//! Staged tiles: the laws of their plans, and their texts.

use super::*;
use crate::plan::ScheduleName;

/// A name, an expression of two operands, and their shapes.
type Case = (&'static str, Expr<usize>, [Vec<usize>; 2]);

/// What is staged, beside every other load.
fn cases() -> Vec<Case> {
    let [x, y] = [0, 1].map(Expr::slot);
    let permuted = |e: &Expr<usize>, axes: &[usize]| e.view(View::Permute(axes.to_vec()));
    let reversed = |e: &Expr<usize>| e.slice([Index::Range(None, None, -1)]);
    let t = x.transpose();
    vec![
        ("whole", t.sub(&y), [vec![129, 67], vec![67, 129]]),
        ("row", t.sub(&y), [vec![65, 130], vec![65]]),
        ("column", t.sub(&y), [vec![65, 67], vec![67, 1]]),
        ("one element", t.sub(&y), [vec![70, 70], vec![1]]),
        ("both", t.sub(y.transpose()), [vec![67, 66], vec![67, 66]]),
        (
            "reversed",
            reversed(&t).sub(&y),
            [vec![67, 66], vec![66, 67]],
        ),
        (
            "the other reversed",
            t.sub(reversed(&y)),
            [vec![67, 66], vec![66, 67]],
        ),
        (
            "inner axes",
            permuted(&x, &[0, 2, 1]).sub(&y),
            [vec![3, 65, 67], vec![67, 65]],
        ),
        (
            "outer axes",
            permuted(&x, &[2, 1, 0]).sub(&y),
            [vec![65, 3, 70], vec![3, 65]],
        ),
        (
            "four axes",
            permuted(&x, &[3, 0, 2, 1]).sub(&y),
            [vec![2, 67, 3, 5], vec![2, 1, 67]],
        ),
        ("few rows", t.sub(&y), [vec![5, 300], vec![5]]),
    ]
}

#[test]
fn staged_tiles_keep_to_their_laws_and_are_valid_in_every_language() {
    let mut texts = Texts::default();
    let mut staged = 0;
    for (what, expr, shapes) in cases() {
        for dtype in [DType::F32, DType::U32, DType::I64] {
            let slots = shapes.each_ref().map(|shape| slot(dtype, shape));
            let limits = Limits::WEBGPU.with_max_workgroup_storage(32 << 10);
            let options = Options::default()
                .with_limits(limits)
                .with_schedule(Some(ScheduleName::Staged));
            let plan = Plan::new(&expr, &slots, &options).unwrap();
            plan.audit()
                .unwrap_or_else(|e| panic!("{what} {dtype}: {e}"));
            staged += usize::from(plan.to_string().contains("mapping staged"));
            for in_place in [false, true] {
                texts.add(
                    &format!("{what} {dtype}"),
                    &expr,
                    &slots,
                    &options,
                    in_place,
                );
            }
            // Pairs of words take twice the memory.
            let small = options.with_limits(Limits::WEBGPU);
            let plan = Plan::new(&expr, &slots, &small).unwrap();
            let fits = dtype.size() == 4;
            assert_eq!(
                plan.to_string().contains("mapping staged"),
                fits,
                "{what} {dtype}"
            );
        }
    }
    assert_eq!(staged, 3 * cases().len());
    texts.check("staged", 20);
}

#[test]
fn a_cpu_and_narrow_results_have_no_staged_tiles() {
    let sum = Expr::slot(0).transpose().sub(Expr::slot(1));
    let plan = |dtype, limits| {
        let slots = [slot(dtype, &[129, 67]), slot(dtype, &[67, 129])];
        let options = Options::default().with_limits(limits);
        Plan::new(&sum, &slots, &options).unwrap().to_string()
    };
    let has = |dtype, limits| plan(dtype, limits).contains("    staged");
    let gpu = Limits::WEBGPU;
    assert!(plan(DType::F32, gpu).contains("* staged"));
    assert!(!has(DType::F32, gpu.with_software(true)));
    assert!(!has(DType::F32, gpu.with_max_invocations(128)));
    assert!(!has(DType::F16, gpu) && !has(DType::U8, gpu));
}
