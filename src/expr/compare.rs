//! Comparisons of integers that no common integer type holds, exact as in NumPy 2.

use std::cmp::Ordering;

use super::common::Typed;
use super::{Expr, Literal};
use crate::dtype::DType;
use crate::op::{Numbers, Op};
use crate::rule::Rule;

/// A comparison of u64 with a signed integer, which no integer type holds both of: exact as NumPy 2
/// has it, by the sign first and then as u64.
pub(super) fn mixed_signs<L>(op: Op, rule: &Rule, args: &[&Typed<L>]) -> Option<Typed<L>> {
    let is_signed = |d: &DType| d.is_int() && d.is_signed();
    let signed = match args {
        [(_, Some(DType::U64)), (_, Some(d))] if is_signed(d) => 1,
        [(_, Some(d)), (_, Some(DType::U64))] if is_signed(d) => 0,
        _ => return None,
    };
    let Numbers::Comparison(holds) = op.facts().numbers else {
        return None;
    };
    // The answer if the signed operand is below 0, and so below the other.
    let below = holds(Some(match signed {
        0 => Ordering::Less,
        _ => Ordering::Greater,
    }));
    let step = |op: Op, rule: &Rule, operands: Vec<Expr<L>>| {
        Expr::made(op, rule.clone(), None, false, operands)
    };
    let wide = args[signed].0.cast(DType::I64);
    let negative = wide.less(Expr::scalar(0i64));
    let mut operands: Vec<Expr<L>> = args.iter().map(|(x, _)| x.clone()).collect();
    operands[signed] = wide.cast(DType::U64);
    let compared = step(op, rule, operands);
    // The second operand's signs meet the result as it met the first operand. The first one's have
    // the result's shape under a one-way rule: they would not align with it again; other
    // rules align them as NumPy's does.
    let joined = if signed == 1 { rule } else { &Rule::Numpy };
    let answer = match below {
        true => step(Op::OR, joined, vec![compared, negative]),
        false => step(Op::AND, joined, vec![compared, negative.logical_not()]),
    };
    Some((answer, Some(DType::Bool)))
}

/// A comparison of integers with a whole number that their type does not hold: the answer is the
/// same for every element.
pub(super) fn out_of_range_comparison<L>(op: Op, args: &[&Typed<L>]) -> Option<Typed<L>> {
    let (x, dtype, number, swapped) = match args {
        [(x, Some(d)), (n, None)] => (x, *d, n, false),
        [(n, None), (x, Some(d))] => (x, *d, n, true),
        _ => return None,
    };
    let Numbers::Comparison(holds) = op.facts().numbers else {
        return None;
    };
    let is_whole = matches!(number.as_number()?.literal, Literal::Int(_));
    if !dtype.is_int() || !is_whole {
        return None;
    }
    let Some(Literal::Int(number)) = number.as_literal() else {
        return None;
    };
    if Literal::Int(number).to_scalar(dtype).is_ok() {
        return None;
    }
    // Every element is on the same side of the number.
    let order = match (number > 0) != swapped {
        true => Ordering::Less,
        false => Ordering::Greater,
    };
    let same = if holds(Some(order)) {
        Op::EQUAL
    } else {
        Op::NOT_EQUAL
    };
    Some((Expr::step(same, [x.clone(), x.clone()]), Some(DType::Bool)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostTensor;
    use crate::reference::run;
    use crate::view::Index;

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
                let found = run(&Expr::promoting(op, operands.to_vec()), &inputs)
                    .unwrap()
                    .bytes;
                let each = |(&u, &i): (&u64, &i64)| {
                    let (u, i) = (i128::from(u), i128::from(i));
                    u8::from(if swapped { holds(i, u) } else { holds(u, i) })
                };
                assert_eq!(
                    found,
                    u.iter().zip(&i).map(each).collect::<Vec<_>>(),
                    "{op} swapped: {swapped}"
                );
            }
        }
    }

    #[test]
    fn u64_is_compared_with_numbers_exactly_on_either_side() {
        let u = [u64::MAX, 1 << 63, (1 << 53) + 1, 0];
        let x = HostTensor::new(
            DType::U64,
            [4],
            u.iter().flat_map(|x| x.to_le_bytes()).collect(),
        )
        .unwrap();
        let ops: [(Op, Holds); 3] = [
            (Op::EQUAL, |a, b| a == b),
            (Op::LESS, |a, b| a < b),
            (Op::GREATER_OR_EQUAL, |a, b| a >= b),
        ];
        for number in [
            -1,
            i128::from(i64::MIN),
            0,
            (1 << 53) + 1,
            1 << 53,
            (1 << 63) + 1,
            (1 << 64) - 1,
            1 << 64,
        ] {
            for (op, holds) in ops {
                let literal = || Expr::literal(Literal::Int(number));
                let run = |a, b| {
                    run(&Expr::promoting(op, [a, b]), std::slice::from_ref(&x))
                        .unwrap()
                        .bytes
                };
                let each = |f: &dyn Fn(i128) -> bool| u.map(|x| u8::from(f(x.into()))).to_vec();
                assert_eq!(
                    run(Expr::slot(0), literal()),
                    each(&|x| holds(x, number)),
                    "{op} {number}"
                );
                assert_eq!(
                    run(literal(), Expr::slot(0)),
                    each(&|x| holds(number, x)),
                    "{number} {op}"
                );
            }
        }
    }

    #[test]
    fn u64_is_compared_with_signed_integers_under_every_rule() {
        let u = HostTensor::new(
            DType::U64,
            [2],
            [u64::MAX, 1].iter().flat_map(|x| x.to_le_bytes()).collect(),
        )
        .unwrap();
        let i = [-1i8, 1, 2, -5, 0, 1];
        let i = HostTensor::new(
            DType::I8,
            [2, 3],
            i.iter().map(|x| x.cast_unsigned()).collect(),
        )
        .unwrap();
        let inputs = [u, i];
        // The signed operand has the result's shape.
        let columns = |op: Op| {
            Expr::promoting(op, [Expr::slot(1), Expr::slot(0)]).with_rule(Rule::Pdpd { axis: 0 })
        };
        assert_eq!(
            run(&columns(Op::LESS), &inputs).unwrap().bytes,
            [1, 1, 1, 1, 1, 0]
        );
        assert_eq!(
            run(&columns(Op::EQUAL), &inputs).unwrap().bytes,
            [0, 0, 0, 0, 0, 1]
        );
        // The signed operand, [-1, 1], is the one that is broadcast.
        let row = Expr::slot(1).slice([Index::At(0), Index::Range(None, Some(2), 1)]);
        let table = Expr::slot(0)
            .broadcast(Rule::To {
                target: [3, 2].into(),
            })
            .transpose();
        for (rule, u, expected) in [
            (Rule::Pdpd { axis: 0 }, table, vec![1, 1, 1, 0, 0, 0]),
            (Rule::Unidirectional, Expr::slot(0), vec![1, 0]),
            (Rule::None, Expr::slot(0), vec![1, 0]),
        ] {
            let greater = Expr::promoting(Op::GREATER, [u, row.clone()]).with_rule(rule.clone());
            assert_eq!(run(&greater, &inputs).unwrap().bytes, expected, "{rule}");
        }
    }

    #[test]
    fn a_number_beyond_the_type_is_compared_under_every_rule() {
        let x = HostTensor::new(DType::U8, [2, 2], vec![0, 1, 2, 255]).unwrap();
        let less = Expr::promoting(Op::LESS, [Expr::slot(0), Expr::literal(300)])
            .with_rule(Rule::Pdpd { axis: 1 });
        assert_eq!(run(&less, &[x]).unwrap().bytes, [1; 4]);
    }
}
