//! Joins, rolls, pads and numbers are elementwise passes over their result: one where bindings allow.

use crate::dtype::DType;
use crate::expr::Expr;
use crate::plan::{Limits, Options, Plan, Slot};
use crate::rule::Rule;
use crate::text;

fn plan(text: &str, slots: &[Slot], limits: Limits) -> Plan {
    let parsed = text::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let names = ["x", "y"];
    let known = |i: usize| (slots[i].dtype, slots[i].layout.shape().clone());
    let expr = parsed
        .bind_to(&names[..slots.len()], known, &Rule::Numpy)
        .unwrap_or_else(|e| panic!("{text}: {e}"));
    let options = Options::default().with_limits(limits);
    Plan::new(&expr, slots, &options).unwrap_or_else(|e| panic!("{text}: {e}"))
}

#[test]
fn what_moves_elements_is_one_pass_of_any_size() {
    let texts = [
        "concatenate((x, x))",
        "concatenate((x, y), 1)",
        "concatenate((x, y, x[::-1], 0 * y))",
        "stack((x, y, x), -1)",
        "roll(x, 100)",
        "roll(x, (3, -2), (0, 1))",
        "pad(x, 3)",
        "pad(x, ((0, 5), (7, 0)), constant_values=2)",
        "pad(x, 2, mode='edge')",
        "tile(x, (2, 1))",
        "-concatenate((abs(x), y * 2))",
        "arange(4300000)",
        "linspace(0, 1, 4300000)",
        "x * arange(6)",
        "concatenate((x, y)).sum(0)",
    ];
    let limits = Limits::WEBGPU.with_max_binding(1 << 31);
    for text in texts {
        for software in [false, true] {
            for dtype in [DType::F32, DType::U8, DType::F16, DType::U64] {
                let slots = [(); 2].map(|()| Slot::new(dtype, [4_300_000, 6]).unwrap());
                let plan = plan(text, &slots, limits.with_software(software));
                let most = match text {
                    // Nine pieces, of seven bindings.
                    "pad(x, 2, mode='edge')" => 2,
                    // Sums of columns are added up in parts.
                    "concatenate((x, y)).sum(0)" => 4,
                    _ => 1,
                };
                assert!(plan.pass_count() <= most, "{text} of {dtype}: {plan}");
            }
        }
    }
}

#[test]
fn pieces_beyond_the_bindings_are_joined_some_at_a_time() {
    let limits = Limits::WEBGPU
        .with_max_binding(1 << 31)
        .with_max_storage_buffers(4);
    for count in [2usize, 3, 4, 7, 20] {
        let slots: Vec<Slot> = (1..=count)
            .map(|extent| Slot::new(DType::I32, [extent, 1000]).unwrap())
            .collect();
        let joined = Expr::concat((0..count).map(Expr::slot), 0);
        let options = Options::default().with_limits(limits);
        let plan = Plan::new(&joined, &slots, &options).unwrap();
        // Each pass binds three pieces, or joins of them, and a result.
        let least = (count - 1).div_ceil(2);
        let passes = plan.pass_count();
        assert!((least..=count - 1).contains(&passes), "{count}: {plan}");
    }
}
