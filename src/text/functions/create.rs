//! Arrays that are made of numbers.

use super::super::ast::{Ast, Made};
use super::super::function::{At, Function, Parameter, Passed, Takes, made, needed, optional};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Literal};
use crate::op::Op;

const FILLED: &[Parameter] = &[
    needed("shape", Takes::Shape),
    optional("dtype", Takes::Type),
    optional("order", Takes::Absent),
];
const LIKE: &[Parameter] = &[
    needed("a", Takes::Operand),
    optional("dtype", Takes::Type),
    optional("order", Takes::Absent),
];
const TRIANGLE: &[Parameter] = &[needed("m", Takes::Operand), optional("k", Takes::Whole)];

pub(super) static TABLE: &[Function] = &[
    made(
        "arange",
        &[
            needed("start", Takes::Operand),
            optional("stop", Takes::Operand),
            optional("step", Takes::Operand),
            optional("dtype", Takes::Type),
        ],
        "arange(2, 9, 3)",
        "0, 1, 2 and so on below a number; or from a number to below another, by a step.",
        arange,
    ),
    made(
        "eye",
        &[
            needed("N", Takes::Whole),
            optional("M", Takes::Whole),
            optional("k", Takes::Whole),
            optional("dtype", Takes::Type),
        ],
        "eye(3)",
        "N rows of M columns, 1 on the diagonal k and 0 elsewhere.",
        |parser, given| {
            let rows = extent(given, 0)?;
            let columns = match given.whole(1) {
                Some(_) => extent(given, 1)?,
                None => rows,
            };
            eye(
                parser,
                given,
                [rows, columns],
                given.whole(2).unwrap_or(0),
                given.dtype(3),
            )
        },
    ),
    made(
        "full",
        &[
            needed("shape", Takes::Shape),
            needed("fill_value", Takes::Operand),
            optional("dtype", Takes::Type),
            optional("order", Takes::Absent),
        ],
        "full((2, 3), 7.5)",
        "An array of one value.",
        |parser, given| {
            let value = given.operand(1)?;
            filled(parser, given, value, given.dtype(2))
        },
    ),
    made(
        "full_like",
        &[
            needed("a", Takes::Operand),
            needed("fill_value", Takes::Operand),
            optional("dtype", Takes::Type),
            optional("order", Takes::Absent),
        ],
        "full_like(x, 2)",
        "One value in the shape and type of an array.",
        |parser, given| {
            let value = given.operand(1)?;
            like(parser, given, value, given.dtype(2))
        },
    ),
    made(
        "identity",
        &[needed("n", Takes::Operand), optional("dtype", Takes::Type)],
        "np.identity(3)",
        "The square matrix with 1 on the diagonal and 0 elsewhere; of an array the array itself.",
        |parser, given| {
            let n = given.operand(0)?;
            match parser.values[n] {
                Some(Literal::Int(rows)) if rows >= 0 => {
                    let fail = |_| syntax(given.column, "an extent is too large");
                    let rows = usize::try_from(rows).map_err(fail)?;
                    eye(parser, given, [rows, rows], 0, given.dtype(1))
                }
                _ => Ok(parser.step(given.column, Op::IDENTITY, vec![n])),
            }
        },
    ),
    made(
        "linspace",
        &[
            needed("start", Takes::Operand),
            needed("stop", Takes::Operand),
            optional("num", Takes::Whole),
            optional("endpoint", Takes::Truth),
            optional("retstep", Takes::Absent),
            optional("dtype", Takes::Type),
        ],
        "linspace(0, 1, 5)",
        "Numbers at equal distances from one number to another, by default 50.",
        linspace,
    ),
    made(
        "ones",
        FILLED,
        "ones((2, 3), dtype=f32)",
        "An array of ones.",
        |parser, given| {
            let one = parser.literal(given.column, 1.0);
            filled(parser, given, one, given.dtype(1))
        },
    ),
    made(
        "ones_like",
        LIKE,
        "ones_like(x)",
        "Ones in the shape and type of an array.",
        |parser, given| {
            let one = parser.literal(given.column, 1);
            like(parser, given, one, given.dtype(1))
        },
    ),
    made(
        "tril",
        TRIANGLE,
        "tril(x)",
        "The elements of the last two axes on the diagonal k and below, 0 above.",
        |parser, given| triangle(parser, given, Op::LESS_OR_EQUAL),
    ),
    made(
        "triu",
        TRIANGLE,
        "triu(x, 1)",
        "The elements of the last two axes on the diagonal k and above, 0 below.",
        |parser, given| triangle(parser, given, Op::GREATER_OR_EQUAL),
    ),
    made(
        "zeros",
        FILLED,
        "zeros((2, 3))",
        "An array of zeros.",
        |parser, given| {
            let zero = parser.literal(given.column, 0.0);
            filled(parser, given, zero, given.dtype(1))
        },
    ),
    made(
        "zeros_like",
        LIKE,
        "zeros_like(x)",
        "Zeros in the shape and type of an array.",
        |parser, given| {
            let zero = parser.literal(given.column, 0);
            like(parser, given, zero, given.dtype(1))
        },
    ),
];

fn extent(given: &Passed, i: usize) -> Result<usize> {
    let extent = given.whole(i).and_then(|e| usize::try_from(e).ok());
    extent.ok_or_else(|| syntax(given.column, "an extent is 0 or more"))
}

/// Refuses whole numbers that a type does not hold, as NumPy does; arrays are cast to it.
pub(super) fn check_numbers(
    parser: &Parser,
    given: &Passed,
    node: usize,
    dtype: DType,
) -> Result<()> {
    let mut nodes = vec![node];
    while let Some(node) = nodes.pop() {
        match (&parser.nodes[node].ast, parser.values[node]) {
            (Ast::List(items), _) => nodes.extend(items),
            (_, Some(number @ Literal::Int(_))) if dtype.is_int() => {
                number.to_scalar(dtype).map_err(|e| e.at(given.column))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// A value in the shape of parameter 0.
fn filled(
    parser: &mut Parser,
    given: &Passed,
    value: usize,
    dtype: Option<DType>,
) -> Result<usize> {
    let shape = given.shape(0)?.into();
    if let Some(dtype) = dtype {
        check_numbers(parser, given, value, dtype)?;
    }
    Ok(parser.push(given.column, Ast::Filled(value, shape, dtype)))
}

/// A value in the shape of operand 0.
fn like(parser: &mut Parser, given: &Passed, value: usize, dtype: Option<DType>) -> Result<usize> {
    let x = given.operand(0)?;
    let mut at = At::of(parser, given);
    let x = match dtype {
        Some(dtype) => at.push(Ast::Cast(x, dtype)),
        None => x,
    };
    Ok(at.composed(Composed::Full, &[value, x]))
}

fn eye(
    parser: &mut Parser,
    given: &Passed,
    extents: [usize; 2],
    k: isize,
    dtype: Option<DType>,
) -> Result<usize> {
    Ok(parser.push(given.column, Ast::Made(Made::Eye(extents, k, dtype))))
}

fn triangle(parser: &mut Parser, given: &Passed, comparison: Op) -> Result<usize> {
    let x = given.operand(0)?;
    let mut at = At::of(parser, given);
    let kept = at.push(Ast::Beside(x, given.whole(1).unwrap_or(0), comparison));
    let zero = at.parser.literal(given.column, 0);
    let zeros = at.composed(Composed::Full, &[zero, x]);
    Ok(at.op(Op::WHERE, &[kept, x, zeros]))
}

/// The number that a parameter is.
fn number(parser: &Parser, given: &Passed, i: usize) -> Result<Option<Literal>> {
    let Some(node) = given.node(i) else {
        return Ok(None);
    };
    let literal = match &parser.nodes[node].ast {
        Ast::Name(name) => super::super::names::constant(name),
        _ => parser.values[node],
    };
    literal.map(Some).ok_or_else(|| {
        syntax(
            given.column,
            "its shape is known before it runs: these are numbers; name an array of them as an input",
        )
    })
}

fn arange(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let first = number(parser, given, 0)?.unwrap_or(Literal::Int(0));
    let (start, stop) = match number(parser, given, 1)? {
        Some(stop) => (first, stop),
        None => (Literal::Int(0), first),
    };
    let step = number(parser, given, 2)?.unwrap_or(Literal::Int(1));
    let made = Made::Arange([start, stop, step], given.dtype(3));
    let _ = made.expr().map_err(|e| e.at(given.column))?;
    Ok(parser.push(given.column, Ast::Made(made)))
}

fn linspace(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let ends = [number(parser, given, 0)?, number(parser, given, 1)?];
    let ends = ends.map(|x| x.unwrap_or(Literal::Int(0)));
    let count = match given.whole(2) {
        Some(_) => extent(given, 2)?,
        None => 50,
    };
    let has_last = given.truth(3) != Some(false);
    let made = Made::Linspace(ends, count, has_last, given.dtype(5));
    Ok(parser.push(given.column, Ast::Made(made)))
}
