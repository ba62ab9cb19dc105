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
mod view;

use super::function::Function;

static TABLES: &[&[Function]] = &[
    math::TABLE,
    test::TABLE,
    join::TABLE,
    create::TABLE,
    shape::TABLE,
    pad::TABLE,
    place::TABLE,
    products::TABLE,
    diagonal::TABLE,
    view::TABLE,
];

/// The function of this name.
pub(super) fn named(name: &str) -> Option<&'static Function> {
    all().find(|f| f.name == name)
}

/// All functions.
pub(super) fn all() -> impl Iterator<Item = &'static Function> {
    TABLES.iter().copied().flatten()
}
