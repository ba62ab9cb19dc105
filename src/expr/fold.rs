//! Operators on numbers alone, computed on the host as Python does.
//!
//! Whole numbers stay whole and exact if the operator takes integers; everything else is
//! computed in f64 by the operator's own row, so that no operator is left out and no name matters.

use std::cmp::Ordering;

use super::Literal;
use crate::dtype::{Class, DType};
use crate::op::{Numbers, Op, Operands, Promote, Value};

/// An operator on numbers alone; `None` if it takes no such numbers.
pub(crate) fn fold(op: Op, args: &[Literal]) -> Option<Literal> {
    if args.is_empty() {
        return None;
    }
    match op.facts().numbers {
        Numbers::Never => None,
        Numbers::Comparison(holds) => {
            let [a, b] = args else { return None };
            Some(Literal::Bool(holds(compare(*a, *b))))
        }
        Numbers::Choice => {
            let [condition, a, b] = args else { return None };
            let chosen = if condition.truth() { *a } else { *b };
            Some(like(chosen, &args[1..]))
        }
        Numbers::Truths => on_truths(op, args).map(Literal::Bool),
        Numbers::AsFloats
        | Numbers::One(_)
        | Numbers::Two(_)
        | Numbers::Three(_)
        | Numbers::Fold => {
            if let Some(truths) = bitwise_on_truths(op, args) {
                return Some(Literal::Bool(truths));
            }
            let whole: Option<Vec<i128>> = args.iter().map(|l| l.whole()).collect();
            if let Some(x) = whole.and_then(|v| on_whole(op, &v)) {
                return Some(Literal::Int(x));
            }
            on_floats(op, &args.iter().map(|l| l.float()).collect::<Vec<_>>())
        }
    }
}

/// The order of two numbers, exact also between a whole number and a float; `None` beside a NaN.
fn compare(a: Literal, b: Literal) -> Option<Ordering> {
    match (a.whole(), b.whole()) {
        (Some(a), Some(b)) => Some(a.cmp(&b)),
        (Some(a), None) => compare_whole(a, b.float()),
        (None, Some(b)) => compare_whole(b, a.float()).map(Ordering::reverse),
        (None, None) => a.float().partial_cmp(&b.float()),
    }
}

fn compare_whole(a: i128, b: f64) -> Option<Ordering> {
    // NaN, and what no whole number reaches.
    let end = -(i128::MIN as f64);
    if !(-end..end).contains(&b) {
        return 0.0.partial_cmp(&b);
    }
    let order = a.cmp(&(b.trunc() as i128));
    Some(if order.is_eq() {
        0.0.partial_cmp(&b.fract())?
    } else {
        order
    })
}

/// An operator on the truths of numbers.
fn on_truths(op: Op, args: &[Literal]) -> Option<bool> {
    let truths = args.iter().map(|l| Value::Bool(l.truth()));
    match computed(op, Class::Bool, truths) {
        Some(Value::Bool(x)) => Some(x),
        _ => None,
    }
}

/// A bitwise operator of which all operands are truths, as in `~(1 < 2)`: they stay truths. It is
/// one that has a row for bools and takes no floats.
fn bitwise_on_truths(op: Op, args: &[Literal]) -> Option<bool> {
    match op.facts().promotion {
        Promote::Bools(row)
            if !op.accepts().contains(DType::F64)
                && args.iter().all(|l| matches!(l, Literal::Bool(_))) =>
        {
            on_truths(row, args)
        }
        _ => None,
    }
}

/// A whole number that the operator gives for whole numbers, exact or `None`.
fn on_whole(op: Op, v: &[i128]) -> Option<i128> {
    match (op.facts().numbers, v) {
        (Numbers::One(f), [a]) => f(*a),
        (Numbers::Two(f), [a, b]) => f(*a, *b),
        (Numbers::Three(f), [a, b, c]) => f(*a, *b, *c),
        (Numbers::Fold, [first, rest @ ..]) => {
            let fold = op.fold()?;
            let folded = rest
                .iter()
                .try_fold(*first, |x, y| on_whole(fold.step, &[x, *y]))?;
            // A mean is a float.
            fold.finish.is_none().then_some(folded)
        }
        _ => None,
    }
}

/// What the operator's row for f64 gives.
fn on_floats(op: Op, v: &[f64]) -> Option<Literal> {
    if let Some(fold) = op.fold() {
        let step = |op: Op, a: f64, b: f64| on_floats(op, &[a, b]).map(Literal::float);
        let (first, rest) = v.split_first()?;
        let folded = rest
            .iter()
            .try_fold(*first, |x, y| step(fold.step, x, *y))?;
        let finished = match fold.finish {
            Some(finish) => step(finish, folded, v.len() as f64)?,
            None => folded,
        };
        return Some(Literal::Float(finished));
    }
    let read = op.form(DType::F64)?.read;
    let values = v.iter().map(|x| match read {
        Operands::Storage => Value::Bits(x.to_bits()),
        _ => Value::F64(*x),
    });
    Some(match computed(op, Class::F64, values)? {
        Value::Bool(x) => Literal::Bool(x),
        other => Literal::Float(f64::from_bits(other.encode(DType::F64))),
    })
}

/// The operator's function of one class; `None` if the number of operands is another.
fn computed(op: Op, class: Class, values: impl Iterator<Item = Value>) -> Option<Value> {
    let values: Vec<Value> = values.collect();
    let form = op.form_of(class)?;
    (values.len() == op.operands().len()).then(|| (form.cpu)(&values))
}

/// The number as the kind that all of these have in common.
fn like(literal: Literal, all: &[Literal]) -> Literal {
    if all.iter().any(|l| matches!(l, Literal::Float(_))) {
        return Literal::Float(literal.float());
    }
    match literal.whole() {
        Some(x) if all.iter().any(|l| matches!(l, Literal::Int(_))) => Literal::Int(x),
        _ => literal,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_divided_as_python_does() {
        for (a, b, q) in [
            (7, 2, 3),
            (-7, 2, -4),
            (7, -2, -4),
            (-7, -2, 3),
            (6, -3, -2),
        ] {
            assert_eq!(
                fold(Op::FLOOR_DIV, &[Literal::Int(a), Literal::Int(b)]),
                Some(Literal::Int(q)),
                "{a} // {b}"
            );
        }
        for (a, b, r) in [(7, 2, 1), (-7, 2, 1), (7, -2, -1), (-7, -2, -1)] {
            assert_eq!(
                fold(Op::MOD, &[Literal::Int(a), Literal::Int(b)]),
                Some(Literal::Int(r)),
                "{a} % {b}"
            );
        }
    }

    #[test]
    fn what_takes_no_such_numbers_is_left_alone() {
        assert_eq!(
            fold(Op::BIT_AND, &[Literal::Float(1.0), Literal::Int(1)]),
            None
        );
        for amount in [-1, 127] {
            let amount = Literal::Int(amount);
            assert_eq!(fold(Op::SHL, &[Literal::Int(1), amount]), None);
        }
        assert_eq!(fold(Op::CAST, &[Literal::Int(1)]), None);
        assert_eq!(fold(Op::ADD, &[Literal::Int(1)]), None);
        assert_eq!(fold(Op::ADD_N, &[]), None);
    }

    #[test]
    fn numbers_compare_as_pythons_do() {
        use Literal::{Bool, Float, Int};
        let cases = [
            (Op::EQUAL, Float(0.1 + 0.2), Float(0.3), false),
            (Op::GREATER, Float(1e-50), Int(0), true),
            (Op::EQUAL, Float(1e39), Float(f64::INFINITY), false),
            (
                Op::EQUAL,
                Int((1 << 53) + 1),
                Float(9_007_199_254_740_992.0),
                false,
            ),
            (
                Op::GREATER,
                Int((1 << 53) + 1),
                Float(9_007_199_254_740_992.0),
                true,
            ),
            (Op::LESS, Int(-3), Float(-2.5), true),
            (Op::LESS, Int(-2), Float(-2.5), false),
            (Op::LESS_OR_EQUAL, Float(2.5), Int(2), false),
            (Op::LESS, Int(i128::MAX), Float(f64::INFINITY), true),
            (Op::GREATER, Int(i128::MIN), Float(f64::NEG_INFINITY), true),
            (Op::EQUAL, Float(f64::NAN), Float(f64::NAN), false),
            (Op::NOT_EQUAL, Float(f64::NAN), Int(1), true),
            (Op::GREATER_OR_EQUAL, Float(f64::NAN), Int(1), false),
            (Op::EQUAL, Bool(true), Int(1), true),
            (Op::EQUAL, Float(-0.0), Int(0), true),
        ];
        for (op, a, b, holds) in cases {
            assert_eq!(fold(op, &[a, b]), Some(Bool(holds)), "{op}({a}, {b})");
        }
    }

    #[test]
    fn truths_stay_truths_in_logic_and_are_numbers_in_sums() {
        use Literal::{Bool, Int};
        assert_eq!(fold(Op::BIT_NOT, &[Bool(true)]), Some(Bool(false)));
        assert_eq!(
            fold(Op::BIT_AND, &[Bool(true), Bool(false)]),
            Some(Bool(false))
        );
        assert_eq!(fold(Op::BIT_OR, &[Bool(true), Int(2)]), Some(Int(3)));
        assert_eq!(fold(Op::NOT, &[Int(2)]), Some(Bool(false)));
        assert_eq!(fold(Op::ADD, &[Bool(true), Bool(true)]), Some(Int(2)));
    }

    #[test]
    fn every_row_of_f64_and_of_i64_is_folded() {
        for op in Op::table().filter(|op| !op.takes_dtype()) {
            let count = if op.fold_step().is_some() {
                3
            } else {
                op.operands().len()
            };
            let accepts = op.accepts();
            if accepts.contains(DType::F64) {
                assert!(
                    fold(op, &vec![Literal::Float(0.5); count]).is_some(),
                    "{op} of floats"
                );
            }
            if accepts.contains(DType::I64) && op != Op::DIV {
                let folded = fold(op, &vec![Literal::Int(2); count]);
                assert!(
                    matches!(folded, Some(Literal::Int(_) | Literal::Bool(_))),
                    "{op} of whole numbers: {folded:?}"
                );
            }
        }
    }
}
