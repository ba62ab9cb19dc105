//! Conformance cases: reading them, running them on a backend, comparing the outputs.

pub mod case;
pub mod compare;
pub mod judge;
pub mod run;
