//! Views by name, as functions and as methods: `flip(x, 0)`, `np.moveaxis(x, 0, -1)`,
//! `x.squeeze()`.

use super::ast::Ast;
use super::function::{Parameter, Takes, needed, optional};
use super::lexer::{Token, syntax};
use super::parameters::{Ahead, Parameters};
use super::parser::Parser;
use crate::error::Result;
use crate::message::shown;
use crate::rule::Rule;
use crate::view::View;

/// A view's name and parameters, as NumPy has them.
pub(super) struct NamedView {
    pub name: &'static str,
    parameters: &'static [Parameter],
    /// What it is.
    doc: &'static str,
    /// A call of it.
    example: &'static str,
    /// Whether the first parameter may be written as several numbers: `x.transpose(1, 0)`.
    spread: bool,
}

const fn view(
    name: &'static str,
    parameters: &'static [Parameter],
    doc: &'static str,
    example: &'static str,
) -> NamedView {
    NamedView {
        name,
        parameters,
        doc: shown(doc),
        example: shown(example),
        spread: false,
    }
}

const fn spread(
    name: &'static str,
    parameters: &'static [Parameter],
    doc: &'static str,
    example: &'static str,
) -> NamedView {
    NamedView {
        spread: true,
        ..view(name, parameters, doc, example)
    }
}

const VIEWS: &[NamedView] = &[
    view(
        "broadcast_to",
        &[needed("shape", Takes::Wholes)],
        "One array onto exactly this shape, by repetition.",
        "broadcast_to(v, (3, 4))",
    ),
    view(
        "expand",
        &[needed("shape", Takes::Wholes)],
        "The same, but that the result may be larger: ONNX's Expand.",
        "expand(v, (3, 1))",
    ),
    view(
        "expand_dims",
        &[needed("axis", Takes::Wholes)],
        "New axes of extent 1 at these places.",
        "expand_dims(v, 0)",
    ),
    view(
        "flatten",
        &[optional("order", Takes::Text)],
        "All elements as one axis.",
        "x.flatten()",
    ),
    view(
        "flip",
        &[optional("axis", Takes::Wholes)],
        "The elements in reverse order along axes, by default all.",
        "flip(x, 0)",
    ),
    view("fliplr", &[], "The same along axis 1.", "fliplr(x)"),
    view("flipud", &[], "The same along axis 0.", "flipud(x)"),
    view(
        "matrix_transpose",
        &[],
        "The last two axes exchanged.",
        "matrix_transpose(x)",
    ),
    view(
        "moveaxis",
        &[
            needed("source", Takes::Wholes),
            needed("destination", Takes::Wholes),
        ],
        "Axes at other places, the others in their order.",
        "moveaxis(x, 0, -1)",
    ),
    spread(
        "permute_dims",
        &[needed("axes", Takes::Wholes)],
        "The axes in this order.",
        "permute_dims(x, (1, 0))",
    ),
    view(
        "ravel",
        &[optional("order", Takes::Text)],
        "All elements as one axis.",
        "x.ravel()",
    ),
    spread(
        "reshape",
        &[
            needed("shape", Takes::Wholes),
            optional("order", Takes::Text),
        ],
        "The elements in row-major order under other extents, of which one may be -1.",
        "x.reshape(2, -1)",
    ),
    view(
        "rot90",
        &[optional("k", Takes::Whole), optional("axes", Takes::Wholes)],
        "Quarter turns in the plane of two axes.",
        "rot90(x)",
    ),
    view(
        "squeeze",
        &[optional("axis", Takes::Wholes)],
        "Without axes of extent 1.",
        "squeeze(x[:1])",
    ),
    view(
        "swapaxes",
        &[needed("axis1", Takes::Whole), needed("axis2", Takes::Whole)],
        "Two axes exchanged.",
        "swapaxes(x, 0, 1)",
    ),
    spread(
        "transpose",
        &[optional("axes", Takes::Wholes)],
        "The axes in this order, or in reverse order.",
        "x.transpose(1, 0)",
    ),
];

/// The views as they are written, what they are, and a call of each.
pub(super) fn list() -> impl Iterator<Item = (String, &'static str, &'static str)> {
    VIEWS.iter().map(|view| {
        let parameter = |p: &Parameter| match p.needed {
            true => p.name.to_owned(),
            false => format!("{}=", p.name),
        };
        let parameters: Vec<String> = view.parameters.iter().map(parameter).collect();
        let form = [vec!["x".to_owned()], parameters].concat().join(", ");
        (format!("{}({form})", view.name), view.doc, view.example)
    })
}

/// The names of all views.
pub(super) fn all() -> impl Iterator<Item = &'static str> {
    VIEWS.iter().map(|v| v.name)
}

/// The view of this name.
pub(super) fn named(name: &str) -> Option<&'static NamedView> {
    VIEWS.iter().find(|v| v.name == name)
}

/// What a call gives for a parameter, and its column.
struct Wholes {
    numbers: Vec<isize>,
    column: usize,
    /// Whether it is one number, which more may follow.
    alone: bool,
}

impl Parser {
    /// The view of the node `x` whose parameters follow, up to the closing bracket, which is
    /// passed.
    pub fn view(&mut self, named: &NamedView, column: usize, x: usize) -> Result<usize> {
        let mut given = self.given(named, column)?;
        let mut take = |i: usize| given.get_mut(i).and_then(Option::take);
        let (first, second) = (take(0), take(1));
        let at = first.as_ref().map_or(column, |g| g.column);
        let numbers = first.map(|g| g.numbers);
        let number = |given: Option<Vec<isize>>| given.and_then(|n| n.first().copied());
        let view = match named.name {
            "broadcast_to" => {
                let target = extents(&numbers.unwrap_or_default(), at)?.into();
                return Ok(self.push(column, Ast::Broadcast(x, Rule::To { target })));
            }
            "expand" => {
                let target = extents(&numbers.unwrap_or_default(), at)?.into();
                return Ok(self.push(column, Ast::Broadcast(x, Rule::Bidirectional { target })));
            }
            "ravel" | "flatten" => {
                return Ok(self.reshaped(column, x, vec![-1], is_fortran(numbers)));
            }
            "reshape" => {
                let target = numbers.unwrap_or_default();
                if target.iter().any(|&e| e < -1) || target.iter().filter(|&&e| e == -1).count() > 1
                {
                    let reason =
                        "an extent is 0 or more, and -1 for one that follows from the others";
                    return Err(syntax(at, reason));
                }
                return Ok(self.reshaped(column, x, target, is_fortran(second.map(|g| g.numbers))));
            }
            "expand_dims" => View::Unsqueeze(numbers.unwrap_or_default()),
            "squeeze" => View::Squeeze(numbers),
            "flip" => View::Flip(numbers),
            "flipud" => View::Flip(Some(vec![0])),
            "fliplr" => View::Flip(Some(vec![1])),
            "moveaxis" => View::MoveAxis {
                from: numbers.unwrap_or_default(),
                to: second.map(|g| g.numbers).unwrap_or_default(),
            },
            "swapaxes" => View::SwapAxes(
                number(numbers).unwrap_or_default(),
                number(second.map(|g| g.numbers)).unwrap_or_default(),
            ),
            "matrix_transpose" => View::SwapAxes(-2, -1),
            "rot90" => {
                let turns = number(numbers).unwrap_or(1);
                let axes = match second {
                    None => [0, 1],
                    Some(Wholes {
                        numbers, column, ..
                    }) => <[isize; 2]>::try_from(numbers).map_err(|_| {
                        syntax(column, "rot90 turns in the plane of two axes: axes=(0, 1)")
                    })?,
                };
                View::Rot90 { turns, axes }
            }
            "transpose" | "permute_dims" => match numbers {
                None => View::Transpose,
                Some(axes) => permutation(&axes, at)?,
            },
            other => return Err(syntax(column, format!("the view {other} is not made here"))),
        };
        Ok(self.push(column, Ast::View(x, view)))
    }

    /// The elements of `x` in the order of C or Fortran under another shape.
    fn reshaped(
        &mut self,
        column: usize,
        x: usize,
        mut target: Vec<isize>,
        fortran: bool,
    ) -> usize {
        if !fortran {
            return self.push(column, Ast::Reshape(x, target));
        }
        // Fortran's order is C's with all axes in reverse order.
        target.reverse();
        let turned = self.push(column, Ast::View(x, View::Transpose));
        let shaped = self.push(column, Ast::Reshape(turned, target));
        self.push(column, Ast::View(shaped, View::Transpose))
    }

    /// What is given for each parameter, by place or by name.
    fn given(&mut self, named: &NamedView, call: usize) -> Result<Vec<Option<Wholes>>> {
        let mut given: Vec<Option<Wholes>> = named.parameters.iter().map(|_| None).collect();
        let mut ahead = Parameters::new(named.name, named.parameters.iter().map(|p| p.name), &[]);
        while !self.eat(")") {
            // One more number of the first parameter.
            if named.spread
                && ahead.by_place() > 0
                && !self.is_named()
                && !matches!(self.token(), Token::Text(_))
                && let Some(first) = given[0].as_mut().filter(|first| first.alone)
            {
                first
                    .numbers
                    .push(self.integer(what(&named.parameters[0]))?);
            } else {
                let Ahead { number, .. } = self.parameter_ahead(&mut ahead)?;
                given[number] = self.parameter(&named.parameters[number])?;
            }
            self.separator()?;
        }
        let parameters = named.parameters.iter().enumerate();
        match parameters
            .filter(|(_, p)| p.needed)
            .find(|(i, _)| !ahead.is_given(*i))
        {
            Some((_, lacking)) => {
                let reason = format!("{} lacks {}=; {}", named.name, lacking.name, ahead.takes());
                Err(syntax(call, reason))
            }
            None => Ok(given),
        }
    }

    /// The value of a parameter; `None` if it is `None`.
    fn parameter(&mut self, parameter: &Parameter) -> Result<Option<Wholes>> {
        let column = self.column();
        if !parameter.needed && self.eat_none() {
            return Ok(None);
        }
        let numbers = match parameter.takes {
            Takes::Whole => vec![self.integer(what(parameter))?],
            Takes::Wholes => self.integers(what(parameter))?.0,
            _ => {
                let fortran = match self.token() {
                    Token::Text(order) if order == "C" => 0,
                    Token::Text(order) if order == "F" => 1,
                    _ => {
                        return Err(syntax(
                            column,
                            "order is 'C', the last axis fastest, or 'F', the first axis fastest",
                        ));
                    }
                };
                self.advance();
                vec![fortran]
            }
        };
        let alone = numbers.len() == 1;
        Ok(Some(Wholes {
            numbers,
            column,
            alone,
        }))
    }
}

/// A number of a parameter, as messages name it.
fn what(parameter: &Parameter) -> &'static str {
    match parameter.name {
        "shape" => "an extent",
        "k" => "a number of turns",
        _ => "an axis",
    }
}

fn is_fortran(order: Option<Vec<isize>>) -> bool {
    order.is_some_and(|o| o == [1])
}

fn extents(numbers: &[isize], column: usize) -> Result<Vec<usize>> {
    let fail = |_| syntax(column, "an extent is 0 or more");
    numbers
        .iter()
        .map(|&e| usize::try_from(e).map_err(fail))
        .collect()
}

/// The permutation that these axes name, each once.
fn permutation(axes: &[isize], column: usize) -> Result<View> {
    let rank = axes.len();
    let fail = || {
        let last = rank.saturating_sub(1);
        let reason = format!(
            "transpose names each axis once, and every axis of the array: of {rank} they lie from \
             -{rank} to {last}"
        );
        syntax(column, reason)
    };
    let from_zero = |a: isize| {
        if a < 0 {
            rank.checked_add_signed(a)
        } else {
            Some(a.unsigned_abs())
        }
    };
    let places = axes
        .iter()
        .map(|&a| from_zero(a).filter(|&a| a < rank).ok_or_else(fail));
    places.collect::<Result<_>>().map(View::Permute)
}
