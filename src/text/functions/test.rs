//! Tests of numbers, and what takes the place of those that fail.

use super::super::ast::Ast;
use super::super::function::{At, Function, Parameter, Passed, Takes, made, needed, optional};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use crate::error::Result;
use crate::expr::{Axes, Composed, Reduction, Results};
use crate::op::Op;

const X: &[Parameter] = &[needed("x", Takes::Operand)];
const CLOSE: &[Parameter] = &[
    needed("a", Takes::Operand),
    needed("b", Takes::Operand),
    optional("rtol", Takes::Operand),
    optional("atol", Takes::Operand),
    optional("equal_nan", Takes::Truth),
];
/// The largest numbers of f64, f32, bf16 and f16. In a narrower type those before its own are
/// infinite.
const LARGEST: [f64; 4] = [
    f64::MAX,
    f32::MAX as f64,
    3.389_531_389_251_535_5e38,
    65504.0,
];

const fn test(
    name: &'static str,
    example: &'static str,
    doc: &'static str,
    make: fn(&mut Parser, &Passed) -> Result<usize>,
) -> Function {
    made(name, X, example, doc, make)
}

pub(super) static TABLE: &[Function] = &[
    made(
        "allclose",
        CLOSE,
        "allclose(x, y)",
        "Whether all elements of two arrays are as close as isclose asks for.",
        |parser, given| {
            let close = close(parser, given)?;
            Ok(all(parser, given.column, close))
        },
    ),
    made(
        "array_equal",
        &[
            needed("a1", Takes::Operand),
            needed("a2", Takes::Operand),
            optional("equal_nan", Takes::Truth),
        ],
        "array_equal(x, x)",
        "Whether all elements of two arrays of one shape are equal.",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            let mut at = At::of(parser, given);
            let mut same = at.op(Op::EQUAL, &[a, b]);
            if given.truth(2) == Some(true) {
                same = at.or_both_nan(same, a, b);
            }
            Ok(all(parser, given.column, same))
        },
    ),
    made(
        "isclose",
        CLOSE,
        "isclose(x, y, atol=0.1)",
        "Whether |a - b| <= atol + rtol |b|; rtol is 1e-5, atol 1e-8.",
        close,
    ),
    test(
        "isfinite",
        "isfinite(x)",
        "Whether the operand is neither infinite nor NaN.",
        |parser, given| {
            let x = given.operand(0)?;
            let mut at = At::of(parser, given);
            Ok(at.is_finite(x))
        },
    ),
    test(
        "isneginf",
        "isneginf(x)",
        "Whether the operand is negative infinity.",
        |parser, given| equals(parser, given, f64::NEG_INFINITY),
    ),
    test(
        "isposinf",
        "isposinf(x)",
        "Whether the operand is positive infinity.",
        |parser, given| equals(parser, given, f64::INFINITY),
    ),
    made(
        "nan_to_num",
        &[
            needed("x", Takes::Operand),
            optional("copy", Takes::Absent),
            optional("nan", Takes::Operand),
            optional("posinf", Takes::Operand),
            optional("neginf", Takes::Operand),
        ],
        "nan_to_num(x, nan=0.0)",
        "0 for NaN, the largest and lowest finite number for the infinities, or what is given for them.",
        nan_to_num,
    ),
    made(
        "select",
        &[
            needed("condlist", Takes::Arrays),
            needed("choicelist", Takes::Arrays),
            optional("default", Takes::Operand),
        ],
        "select([x > 1, x < 0], [x, -x], 0)",
        "The choice of the first condition that is true, else the default, 0: where(c, a, where(d, b, 0)).",
        |parser, given| {
            let (conditions, choices) = (given.nodes(0), given.nodes(1));
            if conditions.len() != choices.len() || conditions.is_empty() {
                let reason = format!(
                    "select has {} conditions and {} choices; it takes one choice a condition",
                    conditions.len(),
                    choices.len()
                );
                return Err(syntax(given.column, reason));
            }
            let mut chosen = match given.node(2) {
                Some(node) => node,
                None => parser.literal(given.column, 0),
            };
            for (&condition, &choice) in conditions.iter().zip(&choices).rev() {
                chosen = parser.step(given.column, Op::WHERE, vec![condition, choice, chosen]);
            }
            Ok(chosen)
        },
    ),
    test(
        "signbit",
        "signbit(x)",
        "Whether the sign bit is set: of negative numbers and -0.",
        |parser, given| {
            let x = given.operand(0)?;
            let mut at = At::of(parser, given);
            Ok(at.composed(Composed::SignBit, &[x]))
        },
    ),
];

fn all(parser: &mut Parser, column: usize, of: usize) -> usize {
    let all = Ast::Reduce {
        of,
        reduction: Reduction::All,
        axes: Axes::ALL,
        results: Results::Numpy,
    };
    parser.push(column, all)
}

fn equals(parser: &mut Parser, given: &Passed, number: f64) -> Result<usize> {
    let x = given.operand(0)?;
    let mut at = At::of(parser, given);
    let number = at.number(number);
    Ok(at.op(Op::EQUAL, &[x, number]))
}

fn close(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let (a, b) = (given.operand(0)?, given.operand(1)?);
    let mut at = At::of(parser, given);
    let relative = match given.node(2) {
        Some(node) => node,
        None => at.number(1e-5),
    };
    let absolute = match given.node(3) {
        Some(node) => node,
        None => at.number(1e-8),
    };
    let one = at.number(1.0);
    let b = at.op(Op::MUL, &[b, one]);
    let size = at.op(Op::ABS, &[b]);
    let allowed = at.op(Op::MUL, &[relative, size]);
    let allowed = at.op(Op::ADD, &[absolute, allowed]);
    let apart = at.op(Op::SUB, &[a, b]);
    let apart = at.op(Op::ABS, &[apart]);
    let near = at.op(Op::LESS_OR_EQUAL, &[apart, allowed]);
    let finite = at.is_finite(b);
    let near = at.op(Op::AND, &[near, finite]);
    let same = at.op(Op::EQUAL, &[a, b]);
    let near = at.op(Op::OR, &[near, same]);
    Ok(match given.truth(4) {
        Some(true) => at.or_both_nan(near, a, b),
        _ => near,
    })
}
fn nan_to_num(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let x = given.operand(0)?;
    let mut at = At::of(parser, given);
    let nan = match given.node(2) {
        Some(node) => node,
        None => at.number(0.0),
    };
    let is_nan = at.op(Op::IS_NAN, &[x]);
    let mut made = at.composed(Composed::WhereFloat, &[is_nan, nan, x]);
    for (parameter, sign) in [(3, 1.0), (4, -1.0)] {
        let given = given.node(parameter).map(|node| vec![node]);
        let numbers = given.unwrap_or_else(|| LARGEST.map(|x| at.number(sign * x)).to_vec());
        let infinity = at.number(sign * f64::INFINITY);
        let was_infinite = at.op(Op::EQUAL, &[x, infinity]);
        for number in numbers {
            let is_infinite = at.op(Op::EQUAL, &[made, infinity]);
            let is_infinite = at.op(Op::AND, &[was_infinite, is_infinite]);
            made = at.composed(Composed::WhereFloat, &[is_infinite, number, made]);
        }
    }
    Ok(made)
}

impl At<'_> {
    fn is_finite(&mut self, x: usize) -> usize {
        let is_nan = self.op(Op::IS_NAN, &[x]);
        let is_infinite = self.op(Op::IS_INF, &[x]);
        let neither = self.op(Op::OR, &[is_nan, is_infinite]);
        self.op(Op::NOT, &[neither])
    }

    fn or_both_nan(&mut self, otherwise: usize, a: usize, b: usize) -> usize {
        let nans = [a, b].map(|x| self.op(Op::IS_NAN, &[x]));
        let both = self.op(Op::AND, &nans);
        self.op(Op::OR, &[otherwise, both])
    }
}
