//! The warning about integers that promotion turns into f32.

use crate::dtype::DType;
use crate::error::join;
use crate::expr::Rounded;

/// The most steps that the warning names.
const NAMED: usize = 3;

impl Rounded {
    /// The step in words, with its column in what the user wrote if that is not 0.
    pub fn named(&self, column: usize) -> String {
        rounded(self.op.name(), self.from, column)
    }
}

/// A step by its name and the type of the integers, as [`Rounded::named`] has it.
#[doc(hidden)]
pub fn rounded(name: &str, from: DType, column: usize) -> String {
    match column {
        0 => format!("{from} in {name}"),
        column => format!("{from} in {name} at column {column}"),
    }
}

/// A sentence on steps for which integers become f32, each in words, with advice behind it; `None` if there are none.
#[doc(hidden)]
pub fn rounding(mut steps: Vec<String>, advice: &str) -> Option<String> {
    let more = steps.len().saturating_sub(NAMED);
    steps.truncate(NAMED);
    if more > 0 {
        steps.push(format!("{more} more"));
    }
    (!steps.is_empty()).then(|| {
        let steps = join(&steps);
        format!("integers become f32, which holds whole numbers up to 2^24: {steps}; {advice}")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Op;

    #[test]
    fn steps_are_named_up_to_three_and_by_columns_that_there_are() {
        let step = |op| Rounded {
            op,
            from: DType::I64,
            column: 0,
        };
        let all = [
            step(Op::DIV).named(3),
            step(Op::SQRT).named(0),
            step(Op::MUL).named(9),
            step(Op::ADD).named(1),
        ];
        let start = "integers become f32, which holds whole numbers up to 2^24: ";
        assert_eq!(rounding(Vec::new(), "cast"), None);
        for (n, steps) in [
            (1, "i64 in div at column 3"),
            (2, "i64 in div at column 3 and i64 in sqrt"),
            (
                3,
                "i64 in div at column 3, i64 in sqrt and i64 in mul at column 9",
            ),
            (
                4,
                "i64 in div at column 3, i64 in sqrt, i64 in mul at column 9 and 1 more",
            ),
        ] {
            let said = rounding(all[..n].to_vec(), "cast");
            assert_eq!(said, Some(format!("{start}{steps}; cast")));
        }
    }
}
