use zerostride::DType;

use super::cases::*;
use crate::workload::Workload;

/// How cost grows with elements, inputs, steps and rank.
pub fn growth() -> Vec<Workload> {
    let mut all = Vec::new();
    for log2 in (10..=28).step_by(2) {
        let mut at = |mut w: Workload| {
            w.name = format!("{}/2^{log2}", w.name);
            w.log2 = Some(log2);
            all.push(w);
        };
        at(stream(
            "same_add",
            "[R,C] + [R,C]",
            same(DType::F32, text!("same_add"), 4),
        ));
        at(stream(
            "row_add",
            "[R,C] + [C]",
            row(DType::F32, text!("row_add"), 4),
        ));
    }
    for count in 1..=7 {
        let kernel = (count == 7).then_some(text!("seven_add"));
        all.push(stream(
            &format!("inputs/{count}"),
            "the sum of inputs of one shape",
            sum(count, kernel),
        ));
    }
    for steps in [1, 2, 4, 8, 16, 32] {
        all.push(stream(
            &format!("steps/{steps}"),
            "a chain of steps on 2 inputs",
            chain(steps),
        ));
    }
    for rank in 1..=8 {
        all.push(stream(
            &format!("rank/{rank}"),
            "two inputs broadcast along every other axis",
            alternating(rank),
        ));
    }
    all
}
