//! Rows that are so few that GPUs fold them in parts, whose groups of steps have invocations of their own.

use zerostride::{DType, Expr, HostTensor, Plan, Scalar, Slot};

use crate::common::{Random, Turns, all, check_with};
use crate::mapping::options;

/// Of a part whose groups are folded at once.
const PART: usize = 1 << 16;
/// Parts are so large if that leaves so many.
const PARTS: usize = 256;

#[test]
fn groups_at_once_are_joined_in_their_order() {
    let mut random = Random::new("groups");
    let options = options(|limits| limits.software = false);
    let x = Expr::slot(0);
    // The last part has all groups, some and a piece of one, or a piece of the first step.
    let count = PARTS * PART;
    let cases = [
        ("sum", DType::F32, vec![2, count / 2 + 37_003], x.sum(1)),
        (
            "largest and sum",
            DType::F32,
            vec![count + 5],
            x.max(..) + x.sum(..),
        ),
        ("sum", DType::I64, vec![count - 4_097], x.sum(..)),
        ("sum", DType::I8, vec![count - 1], x.sum(..)),
        ("mean", DType::F16, vec![3, count / 3 + 8_191], x.mean(1)),
    ];
    let drawn = Turns::new(&mut random).of(&cases);
    all(drawn.into_iter().map(|(what, dtype, shape, expr)| {
        let what = format!("{what} of {dtype} {shape:?}");
        // Sums of finite numbers of about one size, to which each group adds.
        let each = (0..shape.iter().product()).flat_map(|_| {
            let x = random.below(1 << 10) as f64 - 500.0;
            Scalar::of(dtype, x).bits.to_le_bytes()[..dtype.size()].to_vec()
        });
        let input = HostTensor::new(dtype, &shape[..], each.collect()).unwrap();
        let slots = [Slot::new(dtype, shape).unwrap()];
        let planned = |options| Plan::new(&expr, &slots, options).unwrap();
        let plan = planned(&options).to_string();
        let at_once = plan.contains("of each of 16 groups") && plan.contains("  * groups ");
        assert!(at_once, "{what}: {plan}");
        // By fewer invocations at most all groups of a part are folded one after the other.
        let mut others = ["alone", "shared", "lanes"]
            .map(|name| name.parse().unwrap())
            .to_vec();
        others.retain(|name| planned(&options).may_have(*name));
        let other = options.with_schedule(Some(*random.pick(&others)));
        let folded = |options| check_with(&what, &expr, std::slice::from_ref(&input), 0.0, options);
        folded(&options).and(folded(&other))
    }));
}
