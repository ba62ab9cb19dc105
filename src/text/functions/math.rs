//! Functions of numbers.
use std::f64::consts::LOG2_E;
use std::f64::consts::PI;

use super::super::ast::Ast;
use super::super::function::{At, Function, Make, Parameter, Takes, needed, optional};
use super::super::lexer::syntax;
use crate::expr::Composed;
use crate::message::shown;
use crate::op::Op;

const X: &[Parameter] = &[needed("x", Takes::Operand)];
const TWO: &[Parameter] = &[needed("x1", Takes::Operand), needed("x2", Takes::Operand)];
const ROUND: &[Parameter] = &[
    needed("a", Takes::Operand),
    optional("decimals", Takes::Whole),
    optional("out", Takes::Absent),
];

const fn one(
    name: &'static str,
    example: &'static str,
    doc: &'static str,
    make: fn(&mut At<'_>, usize) -> usize,
) -> Function {
    Function {
        name,
        parameters: X,
        doc: shown(doc),
        example: shown(example),
        make: Make::One(make),
    }
}

const fn two(
    name: &'static str,
    example: &'static str,
    doc: &'static str,
    make: fn(&mut At<'_>, usize, usize) -> usize,
) -> Function {
    Function {
        name,
        parameters: TWO,
        doc: shown(doc),
        example: shown(example),
        make: Make::Two(make),
    }
}

pub(super) static TABLE: &[Function] = &[
    round("around", "around(x, 1)"),
    two(
        "copysign",
        "copysign(x, y)",
        "The first operand with the sign of the second.",
        |at, a, b| at.copysign(a, b),
    ),
    one(
        "deg2rad",
        "deg2rad(x)",
        "Degrees to radians: x * pi / 180.",
        |at, x| at.scaled(x, PI / 180.0),
    ),
    one(
        "degrees",
        "degrees(x)",
        "Radians to degrees: x * 180 / pi.",
        |at, x| at.scaled(x, 180.0 / PI),
    ),
    two(
        "divmod",
        "divmod(x, y)[0]",
        "The quotient rounded down and the remainder: two values.",
        |at, a, b| {
            let parts = vec![at.op(Op::FLOOR_DIV, &[a, b]), at.op(Op::MOD, &[a, b])];
            at.push(Ast::Tuple(parts))
        },
    ),
    one(
        "fabs",
        "fabs(i)",
        "Absolute value, a float also of integers.",
        |at, x| {
            let x = at.composed(Composed::ToFloat, &[x]);
            at.op(Op::ABS, &[x])
        },
    ),
    one("fix", "fix(x)", "The whole number nearer to 0.", |at, x| {
        at.op(Op::TRUNC, &[x])
    }),
    two(
        "float_power",
        "float_power(y, 2)",
        "Power, computed in f64 (without --numpy in f32).",
        |at, a, b| {
            let [a, b] = [a, b].map(|x| at.composed(Composed::Widest, &[x]));
            at.op(Op::POW, &[a, b])
        },
    ),
    two(
        "fmax",
        "fmax(x, y)",
        "The larger of two operands; of a NaN and a number the number.",
        |at, a, b| at.chosen(Op::GREATER_OR_EQUAL, a, b),
    ),
    two(
        "fmin",
        "fmin(x, y)",
        "The smaller of two operands; of a NaN and a number the number.",
        |at, a, b| at.chosen(Op::LESS_OR_EQUAL, a, b),
    ),
    two(
        "heaviside",
        "heaviside(x, 0.5)",
        "0 below 0, 1 above, the second operand at 0.",
        |at, x, h| {
            let [x, h] = at.floats(x, h);
            let [zero, one] = [0.0, 1.0].map(|x| at.number(x));
            let above = at.op(Op::GREATER, &[x, zero]);
            // A NaN stays one.
            let inner = at.op(Op::WHERE, &[above, one, x]);
            let is_zero = at.op(Op::EQUAL, &[x, zero]);
            let inner = at.op(Op::WHERE, &[is_zero, h, inner]);
            let below = at.op(Op::LESS, &[x, zero]);
            at.op(Op::WHERE, &[below, zero, inner])
        },
    ),
    two(
        "ldexp",
        "ldexp(x, 3)",
        "x times 2 to a whole power.",
        |at, x, n| at.composed(Composed::Ldexp, &[x, n]),
    ),
    two(
        "logaddexp",
        "logaddexp(x, y)",
        "log(exp(x) + exp(y)), without overflow.",
        |at, a, b| at.log_sum(a, b, Op::EXP),
    ),
    two(
        "logaddexp2",
        "logaddexp2(x, y)",
        "log2(2**x + 2**y), without overflow.",
        |at, a, b| at.log_sum(a, b, Op::EXP2),
    ),
    one(
        "modf",
        "modf(x)[0]",
        "The fraction and the whole number nearer to 0: two values.",
        |at, x| {
            let x = at.composed(Composed::ToFloat, &[x]);
            let whole = at.op(Op::TRUNC, &[x]);
            let rest = at.op(Op::SUB, &[x, whole]);
            let is_infinite = at.op(Op::IS_INF, &[x]);
            let zero = at.number(0.0);
            let rest = at.op(Op::WHERE, &[is_infinite, zero, rest]);
            let parts = vec![at.copysign(rest, x), whole];
            at.push(Ast::Tuple(parts))
        },
    ),
    two(
        "nextafter",
        "nextafter(x, y)",
        "The next float on the way from the first operand to the second.",
        |at, a, b| at.composed(Composed::NextAfter, &[a, b]),
    ),
    one(
        "rad2deg",
        "rad2deg(x)",
        "Radians to degrees: x * 180 / pi.",
        |at, x| at.scaled(x, 180.0 / PI),
    ),
    one(
        "radians",
        "radians(x)",
        "Degrees to radians: x * pi / 180.",
        |at, x| at.scaled(x, PI / 180.0),
    ),
    one(
        "reciprocal",
        "reciprocal(y)",
        "1 / x; of integers truncated, and 0 of 0.",
        |at, x| at.composed(Composed::Reciprocal, &[x]),
    ),
    one(
        "rint",
        "rint(i)",
        "The nearest whole number, halves to even; a float also of integers.",
        |at, x| {
            let x = at.composed(Composed::ToFloat, &[x]);
            at.op(Op::ROUND, &[x])
        },
    ),
    round("round", "round(x, 2)"),
    one("sinc", "sinc(x)", "sin(pi x) / (pi x), 1 at 0.", |at, x| {
        let x = at.scaled_in_own(x, PI);
        let [zero, one] = [0.0, 1.0].map(|x| at.number(x));
        let is_zero = at.op(Op::EQUAL, &[x, zero]);
        let sine = at.op(Op::SIN, &[x]);
        let quotient = at.op(Op::DIV, &[sine, x]);
        at.op(Op::WHERE, &[is_zero, one, quotient])
    }),
    one(
        "spacing",
        "spacing(x)",
        "The distance to the next float away from 0.",
        |at, x| {
            let x = at.composed(Composed::ToFloat, &[x]);
            let end = at.number(f64::INFINITY);
            let end = at.copysign(end, x);
            let next = at.composed(Composed::NextAfter, &[x, end]);
            at.op(Op::SUB, &[next, x])
        },
    ),
    one("square", "square(x)", "x * x.", |at, x| {
        let x = at.composed(Composed::Narrow, &[x]);
        let square = at.op(Op::MUL, &[x, x]);
        match at.parser.of_numbers[x] {
            true => at.composed(Composed::Called, &[square]),
            false => square,
        }
    }),
];

/// Rounding to decimals.
const fn round(name: &'static str, example: &'static str) -> Function {
    Function {
        name,
        parameters: ROUND,
        doc: shown("Rounded to decimals, halves to even: rint(x * 10**n) / 10**n."),
        example: shown(example),
        make: Make::Given(|parser, given| {
            let x = given.operand(0)?;
            let decimals = given.whole(1).unwrap_or(0);
            let decimals = i32::try_from(decimals)
                .map_err(|_| syntax(given.column, "decimals is out of range"))?;
            let mut at = At::of(parser, given);
            Ok(at.composed(Composed::Round(decimals), &[x]))
        }),
    }
}

impl At<'_> {
    /// Two operands as floats.
    fn floats(&mut self, a: usize, b: usize) -> [usize; 2] {
        [(a, b), (b, a)].map(|(x, beside)| self.composed(Composed::ToFloat, &[x, beside]))
    }

    /// `x` as a float times a number.
    fn scaled(&mut self, x: usize, factor: f64) -> usize {
        let x = self.composed(Composed::ToFloat, &[x]);
        self.scaled_in_own(x, factor)
    }

    fn scaled_in_own(&mut self, x: usize, factor: f64) -> usize {
        let factor = self.number(factor);
        self.op(Op::MUL, &[x, factor])
    }

    fn copysign(&mut self, a: usize, b: usize) -> usize {
        let [a, b] = self.floats(a, b);
        let a = self.composed(Composed::Common, &[a, b]);
        let signs = [a, b].map(|x| self.composed(Composed::SignBit, &[x]));
        let same = self.op(Op::EQUAL, &signs);
        let other = self.op(Op::NEG, &[a]);
        self.op(Op::WHERE, &[same, a, other])
    }

    /// `a` where a comparison with `b` holds, or `b` is NaN.
    fn chosen(&mut self, comparison: Op, a: usize, b: usize) -> usize {
        let holds = self.op(comparison, &[a, b]);
        let is_nan = self.op(Op::NOT_EQUAL, &[b, b]);
        let first = self.op(Op::OR, &[holds, is_nan]);
        self.op(Op::WHERE, &[first, a, b])
    }

    /// The larger operand, and the logarithm of 1 plus what the other adds; operands that are the
    /// same infinity are the result.
    fn log_sum(&mut self, a: usize, b: usize, exp: Op) -> usize {
        let [a, b] = self.floats(a, b);
        let larger = self.op(Op::MAXIMUM, &[a, b]);
        let same = self.op(Op::EQUAL, &[a, b]);
        let endless = self.op(Op::IS_INF, &[a]);
        let same = self.op(Op::AND, &[same, endless]);
        let apart = self.op(Op::SUB, &[a, b]);
        let apart = self.op(Op::ABS, &[apart]);
        let apart = self.op(Op::NEG, &[apart]);
        let rest = self.op(exp, &[apart]);
        let mut rest = self.op(Op::LOG1P, &[rest]);
        if exp == Op::EXP2 {
            rest = self.scaled_in_own(rest, LOG2_E);
        }
        let sum = self.op(Op::ADD, &[larger, rest]);
        self.op(Op::WHERE, &[same, larger, sum])
    }
}
