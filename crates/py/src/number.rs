//! Python's numbers, and their part in the keys of plans.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use zerostride::Literal;

/// A number in the key of a plan: its kind, and its value if the plan depends on it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Number {
    Bool(Option<bool>),
    Int(Option<i128>),
    Float(Option<u64>),
}

impl Number {
    /// `by_value`: for a plan that depends on the value.
    pub fn of(literal: &Literal, by_value: bool) -> Self {
        match literal {
            Literal::Bool(x) => Self::Bool(by_value.then_some(*x)),
            Literal::Int(x) => Self::Int(by_value.then_some(*x)),
            Literal::Float(x) => Self::Float(by_value.then_some(x.to_bits())),
        }
    }
}

/// Converts a Python number; `None` for any other object.
pub fn literal(value: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if value.is_instance_of::<PyBool>() {
        Ok(Some(Literal::Bool(value.extract()?)))
    } else if value.is_instance_of::<PyInt>() {
        let whole = value.extract::<i128>();
        let refused =
            |_| PyOverflowError::new_err(format!("{value} does not fit any element type"));
        Ok(Some(Literal::Int(whole.map_err(refused)?)))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(Some(Literal::Float(value.extract()?)))
    } else {
        Ok(None)
    }
}
