//! Arrays that are made of numbers.

use super::super::ast::{Ast, ExactLiteral, Made};
use super::super::function::{At, Function, Make, Parameter, Passed, Takes, needed, optional};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Literal};
use crate::message::shown;
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
    Function {
        name: "arange",
        parameters: &[
            needed("start", Takes::Operand),
            optional("stop", Takes::Operand),
            optional("step", Takes::Operand),
            optional("dtype", Takes::Type),
        ],
        doc: shown(
            "0, 1, 2 and so on below a number; or from a number to below another, by a step.",
        ),
        example: shown("arange(2, 9, 3)"),
        make: Make::Given(arange),
    },
    Function {
        name: "eye",
        parameters: &[
            needed("N", Takes::Whole),
            optional("M", Takes::Whole),
            optional("k", Takes::Whole),
            optional("dtype", Takes::Type),
        ],
        doc: shown("N rows of M columns, 1 on the diagonal k and 0 elsewhere."),
        example: shown("eye(3)"),
        make: Make::Given(|parser, given| {
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
        }),
    },
    Function {
        name: "full",
        parameters: &[
            needed("shape", Takes::Shape),
            needed("fill_value", Takes::Operand),
            optional("dtype", Takes::Type),
            optional("order", Takes::Absent),
        ],
        doc: shown("An array of one value."),
        example: shown("full((2, 3), 7.5)"),
        make: Make::Given(|parser, given| {
            let value = given.operand(1)?;
            filled(parser, given, value, given.dtype(2))
        }),
    },
    Function {
        name: "full_like",
        parameters: &[
            needed("a", Takes::Operand),
            needed("fill_value", Takes::Operand),
            optional("dtype", Takes::Type),
            optional("order", Takes::Absent),
        ],
        doc: shown("One value in the shape and type of an array."),
        example: shown("full_like(x, 2)"),
        make: Make::Given(|parser, given| {
            let value = given.operand(1)?;
            like(parser, given, value, given.dtype(2))
        }),
    },
    Function {
        name: "identity",
        parameters: &[needed("n", Takes::Operand), optional("dtype", Takes::Type)],
        doc: shown(
            "The square matrix with 1 on the diagonal and 0 elsewhere; of an array the array itself.",
        ),
        example: shown("np.identity(3)"),
        make: Make::Given(|parser, given| {
            let n = given.operand(0)?;
            match parser.values[n] {
                Some(Literal::Int(rows)) if rows >= 0 => {
                    let fail = |_| syntax(given.column, "an extent is too large");
                    let rows = usize::try_from(rows).map_err(fail)?;
                    eye(parser, given, [rows, rows], 0, given.dtype(1))
                }
                _ => Ok(parser.step(given.column, Op::IDENTITY, vec![n])),
            }
        }),
    },
    Function {
        name: "linspace",
        parameters: &[
            needed("start", Takes::Operand),
            needed("stop", Takes::Operand),
            optional("num", Takes::Whole),
            optional("endpoint", Takes::Truth),
            optional("retstep", Takes::Absent),
            optional("dtype", Takes::Type),
        ],
        doc: shown("Numbers at equal distances from one number to another, by default 50."),
        example: shown("linspace(0, 1, 5)"),
        make: Make::Given(linspace),
    },
    Function {
        name: "ones",
        parameters: FILLED,
        doc: shown("An array of ones."),
        example: shown("ones((2, 3), dtype=f32)"),
        make: Make::Given(|parser, given| {
            let one = parser.literal(given.column, 1.0);
            filled(parser, given, one, given.dtype(1))
        }),
    },
    Function {
        name: "ones_like",
        parameters: LIKE,
        doc: shown("Ones in the shape and type of an array."),
        example: shown("ones_like(x)"),
        make: Make::Given(|parser, given| {
            let one = parser.literal(given.column, 1);
            like(parser, given, one, given.dtype(1))
        }),
    },
    Function {
        name: "tril",
        parameters: TRIANGLE,
        doc: shown("The elements of the last two axes on the diagonal k and below, 0 above."),
        example: shown("tril(x)"),
        make: Make::Given(|parser, given| triangle(parser, given, Op::LESS_OR_EQUAL)),
    },
    Function {
        name: "triu",
        parameters: TRIANGLE,
        doc: shown("The elements of the last two axes on the diagonal k and above, 0 below."),
        example: shown("triu(x, 1)"),
        make: Make::Given(|parser, given| triangle(parser, given, Op::GREATER_OR_EQUAL)),
    },
    Function {
        name: "zeros",
        parameters: FILLED,
        doc: shown("An array of zeros."),
        example: shown("zeros((2, 3))"),
        make: Make::Given(|parser, given| {
            let zero = parser.literal(given.column, 0.0);
            filled(parser, given, zero, given.dtype(1))
        }),
    },
    Function {
        name: "zeros_like",
        parameters: LIKE,
        doc: shown("Zeros in the shape and type of an array."),
        example: shown("zeros_like(x)"),
        make: Make::Given(|parser, given| {
            let zero = parser.literal(given.column, 0);
            like(parser, given, zero, given.dtype(1))
        }),
    },
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
    let numbers = [start, stop, step].map(ExactLiteral);
    let made = Made::Arange(numbers, given.dtype(3));
    let _ = made.expr().map_err(|e| e.at(given.column))?;
    Ok(parser.push(given.column, Ast::Made(made)))
}

fn linspace(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let ends = [number(parser, given, 0)?, number(parser, given, 1)?];
    let ends = ends.map(|x| ExactLiteral(x.unwrap_or(Literal::Int(0))));
    let count = match given.whole(2) {
        Some(_) => extent(given, 2)?,
        None => 50,
    };
    let has_last = given.truth(3) != Some(false);
    let made = Made::Linspace(ends, count, has_last, given.dtype(5));
    Ok(parser.push(given.column, Ast::Made(made)))
}
