//! The module behind `js/zerostride.js`: arrays that are expressions until they are read, plans,
//! and errors as objects.
#![cfg(target_family = "wasm")]

mod array;
#[cfg(feature = "cases")]
mod cases;
mod core;
mod errors;
#[cfg(feature = "cases")]
mod floats;
mod operands;
mod planned;

#[cfg(feature = "cases")]
#[allow(
    dead_code,
    missing_docs,
    reason = "the tests of the library use all of it"
)]
#[path = "../../../tests/conformance/mod.rs"]
mod conformance;
