//! Views: `flip(x, 0)`, `np.moveaxis(x, 0, -1)`, `x.squeeze()`.

use super::super::ast::Ast;
use super::super::function::{At, Function, Make, Passed, Takes, needed, optional};
use super::super::lexer::syntax;
use super::super::parser::Parser;
use crate::error::Result;
use crate::message::shown;
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::View;

/// How it is made, the name, the parameters behind the array, a call, what it is, and what makes it.
macro_rules! table {
    ($($make:ident $name:ident [$($parameter:expr),*] $example:literal $doc:literal $by:expr;)+) => {
        pub(super) static TABLE: &[Function] = &[$(Function {
            name: stringify!($name),
            parameters: &[needed("x", Takes::Viewed), $($parameter),*],
            doc: shown($doc),
            example: shown($example),
            make: Make::$make($by),
        }),+];
    };
}

table! {
    Given broadcast_to [needed("shape", Takes::Shape)] "broadcast_to(v, (3, 4))"
        "One array onto exactly this shape, by repetition."
        |parser, given| broadcast(parser, given, |target| Rule::To { target });
    Given expand [needed("shape", Takes::Shape)] "expand(v, (3, 1))"
        "The same, but that the result may be larger: ONNX's Expand."
        |parser, given| broadcast(parser, given, |target| Rule::Bidirectional { target });
    View expand_dims [needed("axis", Takes::Wholes)] "expand_dims(v, 0)"
        "New axes of extent 1 at these places."
        |given| Ok(View::Unsqueeze(given.wholes(1).to_vec()));
    Given flatten [optional("order", Takes::Order)] "x.flatten()"
        "All elements as one axis." |parser, given| reshaped(parser, given, vec![-1], 1);
    View flip [optional("axis", Takes::Wholes)] "flip(x, 0)"
        "The elements in reverse order along axes, by default all."
        |given| Ok(View::Flip(given.ints(1).map(Into::into)));
    View fliplr [] "fliplr(x)" "The same along axis 1." |_| Ok(View::Flip(Some(vec![1])));
    View flipud [] "flipud(x)" "The same along axis 0." |_| Ok(View::Flip(Some(vec![0])));
    View matrix_transpose [] "matrix_transpose(x)" "The last two axes exchanged."
        |_| Ok(View::SwapAxes(-2, -1));
    View moveaxis [needed("source", Takes::Wholes), needed("destination", Takes::Wholes)]
        "moveaxis(x, 0, -1)" "Axes at other places, the others in their order."
        |given| Ok(View::MoveAxis { from: given.wholes(1).to_vec(), to: given.wholes(2).to_vec() });
    View permute_dims [needed("axes", Takes::Spread)] "permute_dims(x, (1, 0))"
        "The axes in this order." transposed;
    Given ravel [optional("order", Takes::Order)] "x.ravel()"
        "All elements as one axis." |parser, given| reshaped(parser, given, vec![-1], 1);
    Given reshape [needed("shape", Takes::Spread), optional("order", Takes::Order)]
        "x.reshape(2, -1)"
        "The elements in row-major order under other extents, of which one may be -1." reshape;
    View rot90 [optional("k", Takes::Whole), optional("axes", Takes::Wholes)] "rot90(x)"
        "Quarter turns in the plane of two axes." turned;
    View squeeze [optional("axis", Takes::Wholes)] "squeeze(x[:1])" "Without axes of extent 1."
        |given| Ok(View::Squeeze(given.ints(1).map(Into::into)));
    View swapaxes [needed("axis1", Takes::Whole), needed("axis2", Takes::Whole)]
        "swapaxes(x, 0, 1)" "Two axes exchanged."
        |given| Ok(View::SwapAxes(given.whole(1).unwrap_or(0), given.whole(2).unwrap_or(0)));
    View transpose [optional("axes", Takes::Spread)] "x.transpose(1, 0)"
        "The axes in this order, or in reverse order." transposed;
}

fn broadcast(parser: &mut Parser, given: &Passed, rule: fn(Shape) -> Rule) -> Result<usize> {
    let (x, rule) = (given.operand(0)?, rule(given.shape(1)?.into()));
    Ok(parser.push(given.column, Ast::Broadcast(x, rule)))
}

fn reshape(parser: &mut Parser, given: &Passed) -> Result<usize> {
    let target = given.wholes(1).to_vec();
    if target.iter().any(|&e| e < -1) || target.iter().filter(|&&e| e == -1).count() > 1 {
        let reason = "an extent is 0 or more, and -1 for one that follows from the others";
        return Err(syntax(given.columns[1], reason));
    }
    reshaped(parser, given, target, 2)
}

fn turned(given: &Passed) -> Result<View> {
    let turns = given.whole(1).unwrap_or(1);
    let axes = given.ints(2).unwrap_or(&[0, 1]).try_into();
    let reason = "rot90 turns in the plane of two axes: axes=(0, 1)";
    let axes = axes.map_err(|_| syntax(given.columns[2], reason))?;
    Ok(View::Rot90 { turns, axes })
}

/// The elements under another shape, in the order of C or, if parameter `order` says so, of Fortran.
fn reshaped(
    parser: &mut Parser,
    given: &Passed,
    mut target: Vec<isize>,
    order: usize,
) -> Result<usize> {
    let x = given.operand(0)?;
    let mut at = At::of(parser, given);
    if given.truth(order) != Some(true) {
        return Ok(at.reshaped(x, target));
    }
    // Fortran's order is C's with all axes in reverse order.
    target.reverse();
    let turned = at.push(Ast::View(x, View::Transpose));
    let shaped = at.reshaped(turned, target);
    Ok(at.push(Ast::View(shaped, View::Transpose)))
}

/// The axes in the order that is given, each once, or in reverse order.
fn transposed(given: &Passed) -> Result<View> {
    let Some(axes) = given.ints(1) else {
        return Ok(View::Transpose);
    };
    let rank = axes.len();
    let fail = || {
        let last = rank.saturating_sub(1);
        let reason = format!(
            "transpose names each axis once, and every axis of the array: of {rank} they lie from \
             -{rank} to {last}"
        );
        syntax(given.columns[1], reason)
    };
    let from_zero = |a: isize| match a {
        0.. => Some(a.unsigned_abs()),
        _ => rank.checked_add_signed(a),
    };
    let places = axes
        .iter()
        .map(|&a| from_zero(a).filter(|&a| a < rank).ok_or_else(fail));
    places.collect::<Result<_>>().map(View::Permute)
}
