//! The formula of a derivative: from an expression of steps to the terms of an operator.

use std::collections::HashMap;

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Expr, Kind, Promotion, Scalar};
use crate::op::{Op, Term};
use crate::rule::Rule;
use crate::shape::Shape;

/// The most terms of a formula, counted as often as they are written.
const MOST_TERMS: usize = 1024;

/// The terms of a formula in floats of a type. Slots 0 to `count - 1` are the operands, the next
/// two the gradient and the result.
///
/// # Errors
/// [`Error::Argument`] for a node that is not a step on floats, and those of the steps.
pub(super) fn term(op: &str, formula: &Expr<usize>, count: usize, float: DType) -> Result<Term> {
    let refuse = |reason: String| Error::argument(op, format!("its derivative: {reason}"));
    // It has the result's shape by the gradient.
    let without = || refuse("it must be 0 or multiplied by the gradient of the result".into());
    if let Some(number) = formula.as_literal() {
        let bits = number.to_scalar(DType::F64)?.bits;
        let term = Term::Number(f64::from_bits(bits));
        return (term == Term::NOTHING).then_some(term).ok_or_else(without);
    }
    let slot = |&i: &usize| match i {
        i if i <= count + 1 => Ok(float),
        i => Err(refuse(format!("it has no operand {i}"))),
    };
    // With the steps of the functions that it calls; they are the same for all shapes.
    let scalar = |i| slot(&i).map(|dtype| (dtype, Shape::scalar()));
    let steps = Expr::without_calls(std::slice::from_ref(formula), &scalar);
    let promoted = steps.and_then(|steps| steps[0].promoted(Promotion::F32, slot));
    let formula = promoted.map_err(|e| refuse(e.to_string()))?;
    // The terms, how many they are, and their types.
    let mut made: HashMap<usize, (Term, usize, DType)> = HashMap::new();
    for node in Expr::post_order(std::slice::from_ref(&formula)) {
        let args: Vec<&(Term, usize, DType)> =
            node.args().iter().map(|a| &made[&a.address()]).collect();
        let size = 1 + args.iter().map(|(_, size, _)| size).sum::<usize>();
        if size > MOST_TERMS {
            return Err(refuse(format!("it has more than {MOST_TERMS} terms")));
        }
        let (term, dtype) = match (node.kind(), node.as_leaf()) {
            (_, Some(i)) if *i < count => (Term::Operand(*i), float),
            (_, Some(i)) if *i == count => (Term::Gradient, float),
            (_, Some(_)) => (Term::Result, float),
            (Kind::Scalar(x), _) if x.dtype == float => (Term::Number(number(*x)), float),
            (Kind::Step { op, rule, to, .. }, _) if *rule == Rule::Numpy => {
                let dtypes: Vec<DType> = args.iter().map(|(_, _, dtype)| *dtype).collect();
                let dtype = op.result(&dtypes, *to).map_err(|e| refuse(e.to_string()))?;
                let mut terms: Vec<Term> = args.iter().map(|(term, _, _)| term.clone()).collect();
                match (*op == Op::CAST, op.takes_dtype(), terms.pop()) {
                    (true, _, Some(x)) if dtype == float => (Term::Float(Box::new(x)), dtype),
                    (_, false, Some(x)) if dtype == float || dtype == DType::Bool => {
                        terms.push(x);
                        (Term::Step(*op, terms), dtype)
                    }
                    _ => {
                        return Err(refuse(format!(
                            "{op} gives {dtype}, not a float or a test of floats"
                        )));
                    }
                }
            }
            _ => return Err(refuse("it must use only elementwise operators".into())),
        };
        made.insert(node.address(), (term, size, dtype));
    }
    match made.remove(&formula.address()) {
        Some((term, _, dtype)) if dtype == float => match has_gradient(&term) {
            true => Ok(term),
            false => Err(without()),
        },
        Some((_, _, dtype)) => Err(refuse(format!("it is {dtype}, not a float"))),
        None => Err(refuse("it is empty".into())),
    }
}

/// A float as f64.
fn number(x: Scalar) -> f64 {
    match x.dtype {
        DType::F64 => f64::from_bits(x.bits),
        _ => f64::from(f32::from_bits(x.bits as u32)),
    }
}

fn has_gradient(term: &Term) -> bool {
    match term {
        Term::Gradient => true,
        Term::Float(x) => has_gradient(x),
        Term::Step(_, args) => args.iter().any(has_gradient),
        Term::Operand(_) | Term::Result | Term::Number(_) => false,
    }
}
