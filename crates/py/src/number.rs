//! Python's numbers, and what a plan knows of them.

use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use zerostride::Literal;

/// What a plan knows of a number: its kind, and its value if the plan depends on it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Number {
    Bool(Option<bool>),
    Int(Option<i128>),
    Float(Option<u64>),
}

impl Number {
    /// `by_value`: for what depends on the value.
    pub fn of(literal: &Literal, by_value: bool) -> Self {
        match literal {
            Literal::Bool(x) => Self::Bool(by_value.then_some(*x)),
            Literal::Int(x) => Self::Int(by_value.then_some(*x)),
            Literal::Float(x) => Self::Float(by_value.then_some(x.to_bits())),
        }
    }
}

/// A Python number.
pub fn literal(value: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if value.is_instance_of::<PyBool>() {
        Ok(Some(Literal::Bool(value.extract()?)))
    } else if value.is_instance_of::<PyInt>() {
        let whole = value.extract::<i128>();
        let refused =
            |_| PyOverflowError::new_err(format!("{value} is outside every element type"));
        Ok(Some(Literal::Int(whole.map_err(refused)?)))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(Some(Literal::Float(value.extract()?)))
    } else {
        Ok(None)
    }
}
