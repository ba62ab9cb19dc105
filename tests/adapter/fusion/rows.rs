//! Every row of the op table on operands that are one value made in two ways.

use zerostride::{DType, Expr, Op, Plan, Tensor};

use super::adapter::{alone, read, special_numbers, turn};
use super::programs::fused;
use crate::common::{Random, Thinned, context};

/// Rows of two and more float operands of one type, on `x + y` and `y + x`, which a compiler may
/// take for one value.
#[test]
fn operators_of_one_value_made_in_two_ways_are_as_step_by_step() {
    let _turn = turn();
    let mut differing = Vec::new();
    let mut some = Thinned::new(&mut Random::new("rows"));
    let dtypes = [DType::F32, DType::F16, DType::Bf16, DType::F64];
    for dtype in dtypes {
        let inputs = special_numbers(dtype);
        let rows = Op::table().filter(|op| {
            op.fold_step().is_none() && op.operands().len() > 1 && op.accepts().contains(dtype)
        });
        for op in rows.filter(|op| !op.is_select() && some.takes()) {
            let sums = |x: &Expr<usize>, y: &Expr<usize>| {
                [
                    fused(Op::ADD, &[x.clone(), y.clone()], None),
                    fused(Op::ADD, &[y.clone(), x.clone()], None),
                ]
            };
            let [x, y] = [0, 1].map(Expr::<usize>::slot);
            let args: Vec<_> = sums(&x, &y)
                .into_iter()
                .cycle()
                .take(op.operands().len())
                .collect();
            let plan = Plan::new(
                &fused(op, &args, None),
                &inputs.each_ref().map(Tensor::slot),
                &context().options(),
            )
            .expect("a plan is made");
            let found = read(
                &context()
                    .run(&plan, &inputs.each_ref())
                    .expect("a plan runs")[0],
            );
            let [x, y] = &inputs;
            let sums = [
                alone(Op::ADD, &[x.clone(), y.clone()], None),
                alone(Op::ADD, &[y.clone(), x.clone()], None),
            ];
            let args: Vec<_> = sums.into_iter().cycle().take(op.operands().len()).collect();
            let wanted = read(&alone(op, &args, None));
            if let Some(i) = found.iter().zip(&wanted).position(|(a, b)| a != b) {
                differing.push(format!(
                    "{op} of {dtype}, element {i}: {:#x} in one kernel, {:#x} step by step",
                    found[i], wanted[i]
                ));
            }
        }
    }
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
