//! Arrays joined to one, products of all pairs, differences of neighbours.

use super::super::ast::Ast;
use super::super::function::{
    At, Function, Make, Parameter, Passed, Takes, made, needed, optional,
};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use super::create::check_numbers;
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Composed, Join, Literal};
use crate::message::shown;
use crate::op::Op;
use crate::rule::Rule;
use crate::view::{Index, View};

const ARRAYS: &[Parameter] = &[
    needed("arrays", Takes::Arrays),
    optional("axis", Takes::Whole),
    optional("out", Takes::Absent),
    optional("dtype", Takes::Type),
];
const TUPLE: &[Parameter] = &[needed("tup", Takes::Arrays), optional("dtype", Takes::Type)];
const X: &[Parameter] = &[needed("a", Takes::Operand)];
const ARRAY: &[Parameter] = &[
    needed("object", Takes::Operand),
    optional("dtype", Takes::Type),
    optional("copy", Takes::Absent),
    optional("order", Takes::Absent),
];

const fn along(name: &'static str, example: &'static str) -> Function {
    Function {
        name,
        parameters: ARRAYS,
        doc: shown(
            "Arrays one behind another along an axis that they have, by default the first; axis=None takes all \
              elements as one axis.",
        ),
        example: shown(example),
        make: Make::Given(|parser, given| {
            let join = match (given.is_given(1), given.whole(1)) {
                (true, None) => Join::Flat,
                (_, axis) => Join::Along(axis.unwrap_or(0)),
            };
            joined(parser, given, join)
        }),
    }
}

const fn tuple(
    name: &'static str,
    example: &'static str,
    doc: &'static str,
    make: fn(&mut Parser, &Passed) -> Result<usize>,
) -> Function {
    made(name, TUPLE, example, doc, make)
}

/// The operand itself, of the type that is asked for.
const fn itself(
    name: &'static str,
    parameters: &'static [Parameter],
    example: &'static str,
) -> Function {
    Function {
        name,
        parameters,
        doc: shown("The array itself; of a list an array of its elements."),
        example: shown(example),
        make: Make::Given(|parser, given| {
            let x = given.operand(0)?;
            if let Some(dtype) = given.dtype(1) {
                check_numbers(parser, given, x, dtype)?;
            }
            let mut at = At::of(parser, given);
            let x = at.composed(Composed::Typed, &[x]);
            Ok(match given.dtype(1) {
                Some(dtype) => at.push(Ast::Cast(x, dtype)),
                None => x,
            })
        }),
    }
}

pub(super) static TABLE: &[Function] = &[
    made(
        "append",
        &[
            needed("arr", Takes::Operand),
            needed("values", Takes::Operand),
            optional("axis", Takes::Whole),
        ],
        "append(x, y, axis=0)",
        "Two arrays one behind another along an axis; without one, all elements as one axis.",
        |parser, given| {
            let arrays = vec![given.operand(0)?, given.operand(1)?];
            let join = given.whole(2).map_or(Join::Flat, Join::Along);
            Ok(parser.push(given.column, Ast::Joined(join, arrays)))
        },
    ),
    itself("array", ARRAY, "array([1, 2.5, 4])"),
    itself("asarray", ARRAY, "asarray(x)"),
    itself("ascontiguousarray", ARRAY, "ascontiguousarray(x.T)"),
    tuple(
        "column_stack",
        "column_stack((v, v))",
        "Arrays beside one another; those of one axis are columns.",
        |parser, given| joined(parser, given, Join::Columns),
    ),
    along("concat", "concat((x, y))"),
    along("concatenate", "concatenate((x, y), axis=1)"),
    itself("conj", X, "conj(x)"),
    itself("conjugate", X, "conjugate(x)"),
    itself("copy", X, "x.copy()"),
    made(
        "diff",
        &[
            needed("a", Takes::Operand),
            optional("n", Takes::Whole),
            optional("axis", Takes::Whole),
            optional("prepend", Takes::Operand),
            optional("append", Takes::Operand),
        ],
        "diff(x, axis=0)",
        "Differences of neighbours along an axis, by default the last, n times; of bool whether they differ. \
              What is given for prepend= and append= stands before and behind.",
        |parser, given| {
            let mut x = given.operand(0)?;
            let times = given.whole(1).unwrap_or(1);
            if !(0..=64).contains(&times) {
                return Err(syntax(given.column, "n is 0 to 64"));
            }
            let axis = given.whole(2).unwrap_or(-1);
            let mut at = At::of(parser, given);
            let first = Index::Range(None, Some(1), 1);
            let ends = [3, 4].map(|i| given.node(i)).map(|end| {
                end.map(|end| match at.parser.values[end] {
                    // A number is an array of NumPy's own type.
                    Some(number) => {
                        let dtype = match number {
                            Literal::Int(_) => DType::I64,
                            Literal::Float(_) => DType::F64,
                            Literal::Bool(_) => DType::Bool,
                        };
                        let one = at.part(x, axis, first);
                        let one = at.push(Ast::Cast(one, dtype));
                        at.composed(Composed::Full, &[end, one])
                    }
                    None => end,
                })
            });
            // One of no axes stands in every row.
            let mut ends = ends;
            for end in ends.iter_mut().flatten() {
                if at
                    .parser
                    .extents(*end)?
                    .is_some_and(|extents| extents.is_empty())
                {
                    let one = at.part(x, axis, first);
                    if let Some(target) = at.parser.extents(one)? {
                        let target = target.into();
                        *end = at.push(Ast::Broadcast(*end, Rule::To { target }));
                    }
                }
            }
            if ends.iter().any(Option::is_some) {
                let arrays = [ends[0], Some(x), ends[1]].into_iter().flatten();
                x = at.push(Ast::Joined(Join::Along(axis), arrays.collect()));
            }
            for _ in 0..times {
                let next = at.part(x, axis, Index::Range(Some(1), None, 1));
                let own = at.part(x, axis, Index::Range(None, Some(-1), 1));
                x = at.composed(Composed::Difference, &[next, own]);
            }
            Ok(x)
        },
    ),
    tuple(
        "dstack",
        "dstack((x, y))",
        "Arrays behind one another along axis 2.",
        |parser, given| joined(parser, given, Join::Deep),
    ),
    tuple(
        "hstack",
        "hstack((x, y))",
        "Arrays beside one another: along axis 1, of one axis along that.",
        |parser, given| joined(parser, given, Join::Beside),
    ),
    Function {
        name: "matmul",
        parameters: &[needed("x1", Takes::Operand), needed("x2", Takes::Operand)],
        doc: shown(
            "Matrix product, x1 @ x2: of [.., M, K] and [.., K, N], whose batches are broadcast; of vectors [K].",
        ),
        example: shown("matmul(x, x.T)"),
        make: Make::Two(|at, a, b| at.composed(Composed::Matmul, &[a, b])),
    },
    Function {
        name: "matvec",
        parameters: &[needed("x1", Takes::Operand), needed("x2", Takes::Operand)],
        doc: shown("Matrices times vectors: of [.., M, K] and [.., K]."),
        example: shown("matvec(x, v)"),
        make: Make::Two(|at, a, b| {
            let column = at.as_column(b);
            let product = at.composed(Composed::Matmul, &[a, column]);
            at.viewed(product, vec![Index::Ellipsis, Index::At(0)])
        }),
    },
    made(
        "outer",
        &[needed("a", Takes::Operand), needed("b", Takes::Operand)],
        "outer(v, v)",
        "The products of all pairs of elements: a.ravel()[:, None] * b.ravel().",
        |parser, given| {
            let (a, b) = (given.operand(0)?, given.operand(1)?);
            let mut at = At::of(parser, given);
            let column = at.push(Ast::Reshape(a, vec![-1, 1]));
            let row = at.push(Ast::Reshape(b, vec![1, -1]));
            Ok(at.op(Op::MUL, &[column, row]))
        },
    ),
    itself("real", &[needed("val", Takes::Operand)], "real(x)"),
    made(
        "stack",
        ARRAYS,
        "stack((x, y), axis=-1)",
        "Arrays of one shape along a new axis, by default the first.",
        |parser, given| joined(parser, given, Join::Stack(given.whole(1).unwrap_or(0))),
    ),
    made(
        "take",
        &[
            needed("a", Takes::Operand),
            needed("indices", Takes::Operand),
            optional("axis", Takes::Whole),
        ],
        "take(x, i, axis=1)",
        "The elements at these indices along an axis, without one of all elements; negative indices count from the end, \
              those beyond the ends are the first and the last.",
        |parser, given| {
            let (x, indices) = (given.operand(0)?, given.operand(1)?);
            let (x, axis) = match given.whole(2) {
                Some(axis) => (x, axis),
                None => (parser.push(given.column, Ast::Reshape(x, vec![-1])), 0),
            };
            Ok(parser.push(given.column, Ast::Taken([x, indices], axis)))
        },
    ),
    Function {
        name: "vecdot",
        parameters: &[needed("x1", Takes::Operand), needed("x2", Takes::Operand)],
        doc: shown("Sums of products along the last axis, the others broadcast."),
        example: shown("vecdot(x, y)"),
        make: Make::Two(|at, a, b| {
            let row = at.as_row(a);
            let column = at.as_column(b);
            let product = at.composed(Composed::Matmul, &[row, column]);
            at.viewed(product, vec![Index::Ellipsis, Index::At(0), Index::At(0)])
        }),
    },
    Function {
        name: "vecmat",
        parameters: &[needed("x1", Takes::Operand), needed("x2", Takes::Operand)],
        doc: shown("Vectors times matrices: of [.., K] and [.., K, N]."),
        example: shown("vecmat(v, x.T)"),
        make: Make::Two(|at, a, b| {
            let row = at.as_row(a);
            let product = at.composed(Composed::Matmul, &[row, b]);
            at.viewed(
                product,
                vec![Index::Ellipsis, Index::At(0), Index::Range(None, None, 1)],
            )
        }),
    },
    tuple(
        "vstack",
        "vstack((x, v))",
        "Arrays below one another; those of one axis are rows.",
        |parser, given| joined(parser, given, Join::Rows),
    ),
];

fn joined(parser: &mut Parser, given: &Passed, join: Join) -> Result<usize> {
    let arrays = given.nodes(0);
    if arrays.is_empty() {
        return Err(syntax(given.column, "there is nothing to join"));
    }
    let dtype = given.dtype(3).or(given.dtype(1));
    let joined = parser.push(given.column, Ast::Joined(join, arrays));
    Ok(match dtype {
        Some(dtype) => parser.push(given.column, Ast::Cast(joined, dtype)),
        None => joined,
    })
}

impl At<'_> {
    /// Vectors along the last axis as matrices of one row.
    fn as_row(&mut self, x: usize) -> usize {
        let all = Index::Range(None, None, 1);
        self.viewed(x, vec![Index::Ellipsis, Index::NewAxis, all])
    }

    /// Vectors along the last axis as matrices of one column.
    fn as_column(&mut self, x: usize) -> usize {
        self.viewed(x, vec![Index::Ellipsis, Index::NewAxis])
    }

    fn viewed(&mut self, x: usize, index: Vec<Index>) -> usize {
        self.push(Ast::View(x, View::Slice(index)))
    }

    /// A part of an array along one axis.
    fn part(&mut self, x: usize, axis: isize, part: Index) -> usize {
        let moved = |from: isize, to: isize| View::MoveAxis {
            from: vec![from],
            to: vec![to],
        };
        let first = self.push(Ast::View(x, moved(axis, 0)));
        let part = self.push(Ast::View(first, View::Slice(vec![part])));
        self.push(Ast::View(part, moved(0, axis)))
    }
}
