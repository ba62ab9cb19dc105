//! Comparisons of integers that no integer type holds both of, exact as NumPy 2 has them.

use super::promote::Typed;
use super::{Expr, Kind, Literal};
use crate::dtype::DType;
use crate::op::{Op, Types};
use crate::rule::Rule;

/// A comparison of u64 with a signed integer, which no integer type holds both of: exact as NumPy 2 has it, by the sign
/// first and then as u64.
pub(super) fn mixed_signs<L>(op: Op, rule: &Rule, args: &[&Typed<L>]) -> Option<Typed<L>> {
    let is_signed = |d: &DType| d.is_int() && d.is_signed();
    let signed = match args {
        [(_, Some(DType::U64)), (_, Some(d))] if is_signed(d) => 1,
        [(_, Some(d)), (_, Some(DType::U64))] if is_signed(d) => 0,
        _ => return None,
    };
    // What the answer is where the signed operand is below 0.
    let below = match (op.name, signed) {
        ("equal", _) | ("less" | "less_equal", 1) | ("greater" | "greater_equal", 0) => false,
        ("not_equal", _) | ("less" | "less_equal", 0) | ("greater" | "greater_equal", 1) => true,
        _ => return None,
    };
    let step = |op: Op, operands: Vec<Expr<L>>| {
        Expr::node(Kind::Step { op, rule: rule.clone(), to: None, loose: false }, operands)
    };
    let wide = args[signed].0.cast(DType::I64);
    let negative = wide.less(&Expr::scalar(0i64));
    let mut operands: Vec<Expr<L>> = args.iter().map(|(x, _)| x.clone()).collect();
    operands[signed] = wide.cast(DType::U64);
    let compared = step(op, operands);
    let answer = match below {
        true => step(Op::OR, vec![compared, negative]),
        false => step(Op::AND, vec![compared, negative.logical_not()]),
    };
    Some((answer, Some(DType::Bool)))
}

/// A comparison of integers with a whole number that their type does not hold: the answer is the same for every element.
pub(super) fn beyond<L>(op: Op, rule: &Rule, args: &[&Typed<L>]) -> Option<Typed<L>> {
    let (x, dtype, number, swapped) = match args {
        [(x, Some(d)), (n, None)] => (x, *d, n.as_literal()?, false),
        [(n, None), (x, Some(d))] => (x, *d, n.as_literal()?, true),
        _ => return None,
    };
    let Literal::Int(number) = number else { return None };
    if !dtype.is_int() || !matches!(op.types, Types::Test(_)) || Literal::Int(number).to_scalar(dtype).is_ok() {
        return None;
    }
    // Every element is on the same side of the number.
    let less = (number > 0) != swapped;
    let answer = match op.name {
        "equal" => false,
        "not_equal" => true,
        "less" | "less_equal" => less,
        "greater" | "greater_equal" => !less,
        _ => return None,
    };
    let same = if answer { Op::EQUAL } else { Op::NOT_EQUAL };
    let kind = Kind::Step { op: same, rule: rule.clone(), to: None, loose: false };
    Some((Expr::node(kind, vec![x.clone(), x.clone()]), Some(DType::Bool)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference::{HostTensor, run};

    /// What a comparison of two whole numbers is.
    type Holds = fn(i128, i128) -> bool;

    #[test]
    fn u64_is_compared_with_signed_integers_exactly() {
        let u = [u64::MAX, 1 << 63, (1 << 53) + 1, 5, 16_777_217];
        let i = [-1i64, i64::MAX, (1 << 53) + 1, -5, 16_777_216];
        let host = |dtype, bytes: Vec<u8>| HostTensor::new(dtype, [5], bytes).unwrap();
        let inputs = [
            host(DType::U64, u.iter().flat_map(|x| x.to_le_bytes()).collect()),
            host(DType::I64, i.iter().flat_map(|x| x.to_le_bytes()).collect()),
        ];
        let ops: [(Op, Holds); 6] = [
            (Op::EQUAL, |a, b| a == b),
            (Op::NOT_EQUAL, |a, b| a != b),
            (Op::LESS, |a, b| a < b),
            (Op::LESS_OR_EQUAL, |a, b| a <= b),
            (Op::GREATER, |a, b| a > b),
            (Op::GREATER_OR_EQUAL, |a, b| a >= b),
        ];
        for (op, holds) in ops {
            for swapped in [false, true] {
                let mut operands = [Expr::slot(0), Expr::slot(1)];
                if swapped {
                    operands.reverse();
                }
                let found = run(&Expr::promoting(op, operands.to_vec()), &inputs).unwrap().bytes;
                let each = |(&u, &i): (&u64, &i64)| {
                    let (u, i) = (i128::from(u), i128::from(i));
                    u8::from(if swapped { holds(i, u) } else { holds(u, i) })
                };
                assert_eq!(found, u.iter().zip(&i).map(each).collect::<Vec<_>>(), "{op} swapped: {swapped}");
            }
        }
    }
}
