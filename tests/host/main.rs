//! Tests that need no adapter.

mod arrows;
mod calls;
mod cases;
#[path = "../conformance/mod.rs"]
mod conformance;
mod gradients;
mod growth;
mod habits;
mod indices;
mod kernels;
mod noop;
#[path = "../conformance/habits.rs"]
mod numpy_habits;
mod printed;
mod rules;
mod schedules;
#[path = "../conformance/suite.rs"]
mod suite;
