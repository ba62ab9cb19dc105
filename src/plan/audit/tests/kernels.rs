//! Kernels with a fault put in: the audit finds it.

use super::*;

/// What the audit says of a plan whose kernels are changed so; `None` if none of them has that.
fn with_other_kernels(plan: &Plan, from: &str, to: &str) -> Option<Result<(), String>> {
    let changed = plan.passes.iter().filter_map(|pass| {
        let (dispatch, text) = Dispatch::of(pass);
        let changed = text.replace(from, to);
        (changed != text).then(|| follow::follow(&Trial::new(pass, &dispatch, &changed, 1)))
    });
    changed.reduce(Result::and)
}

#[test]
fn a_wrong_address_or_bound_of_a_kernel_is_found() {
    let [x, y] = [0, 1].map(Expr::slot);
    let epilogue = x.matmul(&y).add(y.slice((0, ..)));
    let joined = Expr::concat([x.clone(), y.clone()], 0);
    type Case<'a> = (Expr<usize>, DType, [&'a [usize]; 2]);
    let cases: [Case<'_>; 12] = [
        (x.add(&y), DType::F32, [&[67], &[67]]),
        (x.add(&y), DType::I64, [&[34, 6], &[34, 6]]),
        (x.add(&y), DType::U8, [&[40, 64], &[64]]),
        (x.add(&y), DType::F32, [&[63, 5], &[63, 1]]),
        (x.add(&y), DType::F16, [&[3, 5, 7], &[5, 1]]),
        (x.transpose().add(&y), DType::F32, [&[36, 8], &[8, 36]]),
        (x.sum(0), DType::F32, [&[40, 67], &[1]]),
        (x.cumsum(1), DType::F32, [&[9, 67], &[1]]),
        (x.matmul(&y), DType::F32, [&[9, 70], &[70, 33]]),
        (epilogue, DType::F32, [&[9, 70], &[70, 33]]),
        (joined, DType::F32, [&[7, 5], &[6, 5]]),
        (x.take(&y, 0), DType::U32, [&[7, 5], &[9]]),
    ];
    let addresses = [
        ("in0[", "in0[1u + "),
        ("in1[", "in1[1u + "),
        ("result[", "result[1u + "),
    ];
    // An element less.
    let bounds = [
        (" >= table.", " + 1u >= table."),
        (" < table.", " + 1u < table."),
        ("< width()", "+ 1u < width()"),
        ("< height()", "+ 1u < height()"),
    ];
    let (mut found, mut missed) = (0, Vec::new());
    for (n, (expr, dtype, shapes)) in cases.into_iter().enumerate() {
        let slots = shapes.map(|shape| Slot::new(dtype, shape).unwrap());
        let plan = Plan::new(&expr, &slots, &Options::default()).unwrap();
        plan.audit().unwrap();
        for (from, to) in addresses.into_iter().chain(bounds) {
            match with_other_kernels(&plan, from, to) {
                Some(Ok(())) => missed.push((n, from)),
                Some(Err(_)) => found += 1,
                None => {}
            }
        }
    }
    // These plans have no quad that lies at the changed bound.
    let none = [1, 4, 11].map(|n| (n, " < table."));
    assert_eq!((found, missed), (52, none.to_vec()));
}
