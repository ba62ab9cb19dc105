//! The tables of functions that are made of others.

mod create;
mod join;
mod math;
#[cfg(feature = "compositions")]
mod place;
#[cfg(feature = "compositions")]
mod shape;
mod test;

use super::composed::{Function, Kind, Parameter};

/// All tables.
pub(super) static TABLES: &[&[Function]] = &[
    math::TABLE,
    test::TABLE,
    join::TABLE,
    create::TABLE,
    #[cfg(feature = "compositions")]
    shape::TABLE,
    #[cfg(feature = "compositions")]
    place::TABLE,
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
