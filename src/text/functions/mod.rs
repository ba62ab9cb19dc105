//! The tables of functions that are made of others.

mod create;
mod diagonal;
mod join;
mod math;
mod pad;
mod place;
mod products;
mod shape;
mod test;

use super::composed::{Function, Given, Kind, Make, Parameter};
use super::parser::Parser;
use crate::error::Result;
use crate::message::shown;

/// All tables.
pub(super) static TABLES: &[&[Function]] = &[
    math::TABLE,
    test::TABLE,
    join::TABLE,
    create::TABLE,
    shape::TABLE,
    pad::TABLE,
    place::TABLE,
    products::TABLE,
    diagonal::TABLE,
];

const fn needed(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        needed: true,
    }
}

const fn optional(name: &'static str, kind: Kind) -> Parameter {
    Parameter {
        name,
        kind,
        needed: false,
    }
}

/// A function that is made when its operands are parsed.
const fn made(
    name: &'static str,
    parameters: &'static [Parameter],
    example: &'static str,
    doc: &'static str,
    make: fn(&mut Parser, &Given) -> Result<usize>,
) -> Function {
    Function {
        name,
        parameters,
        doc: shown(doc),
        example: shown(example),
        make: Make::Given(make),
    }
}
