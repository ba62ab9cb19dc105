//! `Operands`: the operands of an expression by name.

use wasm_bindgen::prelude::*;
use zerostride::{DType, Expr, Literal, Shape, Slot, Tensor};

use crate::array::Array;
use crate::errors::{argument, thrown};

/// Arrays, numbers, and types and shapes of arrays, by name.
#[wasm_bindgen]
#[derive(Default)]
pub struct Operands {
    pub(crate) names: Vec<String>,
    pub(crate) given: Vec<Given>,
    /// An upper bound of the number of nodes of all expressions together.
    pub(crate) steps: usize,
}

/// An expression of more nodes is computed before it becomes a part of another.
const MOST_STEPS: usize = 96;

/// An operand.
pub(crate) enum Given {
    Array(Expr<Tensor>, Slot),
    /// An array whose elements are computed.
    Tensor(Tensor),
    Number(Literal),
    Slot(Slot),
}

impl Given {
    /// Its element type and shape.
    pub(crate) fn known(&self) -> (DType, Shape) {
        match self {
            Self::Array(_, slot) | Self::Slot(slot) => (slot.dtype, slot.layout.shape().clone()),
            Self::Tensor(tensor) => (tensor.dtype(), tensor.shape().clone()),
            Self::Number(_) => (DType::F32, Shape::scalar()),
        }
    }
}

#[wasm_bindgen]
impl Operands {
    /// No operands.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array.
    pub fn array(&mut self, name: String, array: &Array) -> Result<(), JsValue> {
        if array.is_longer_than(MOST_STEPS) {
            array.tensor().map_err(thrown)?;
        }
        self.steps += array.steps();
        let slot = array.slot().map_err(thrown)?;
        self.add(name, Given::Array(array.expr(), slot))
    }

    /// Adds an array's elements, computed if necessary.
    pub fn computed(&mut self, name: String, array: &Array) -> Result<(), JsValue> {
        let tensor = array.tensor().map_err(thrown)?;
        self.add(name, Given::Tensor(tensor))
    }

    /// Adds a float.
    pub fn float(&mut self, name: String, value: f64) -> Result<(), JsValue> {
        self.add(name, Given::Number(Literal::Float(value)))
    }

    /// Adds a whole number.
    pub fn whole(&mut self, name: String, value: i128) -> Result<(), JsValue> {
        self.add(name, Given::Number(Literal::Int(value)))
    }

    /// Adds true or false.
    pub fn boolean(&mut self, name: String, value: bool) -> Result<(), JsValue> {
        self.add(name, Given::Number(Literal::Bool(value)))
    }

    /// Adds the type and shape of an array.
    pub fn slot(&mut self, name: String, dtype: &str, shape: &[u32]) -> Result<(), JsValue> {
        let slot = Slot::new(dtype_named(dtype)?, extents(shape)).map_err(thrown)?;
        self.add(name, Given::Slot(slot))
    }
}

impl Operands {
    fn add(&mut self, name: String, given: Given) -> Result<(), JsValue> {
        if self.names.contains(&name) {
            return Err(argument(format!("`{name}` is given twice")));
        }
        self.names.push(name);
        self.given.push(given);
        Ok(())
    }

    /// Each operand as a leaf, and the slots of the operands other than numbers.
    pub(crate) fn leaves(&self) -> (Vec<Expr<usize>>, Vec<Slot>) {
        let mut slots = Vec::new();
        let mut leaves = Vec::with_capacity(self.given.len());
        for given in &self.given {
            leaves.push(match given {
                Given::Number(number) => Expr::literal(*number),
                Given::Array(_, slot) | Given::Slot(slot) => {
                    slots.push(slot.clone());
                    Expr::slot(slots.len() - 1)
                }
                Given::Tensor(tensor) => {
                    slots.push(tensor.slot());
                    Expr::slot(slots.len() - 1)
                }
            });
        }
        (leaves, slots)
    }

    /// The expressions of the arrays, in the order of the slots.
    pub(crate) fn arrays(&self) -> Result<Vec<Expr<Tensor>>, JsValue> {
        let arrays = self.names.iter().zip(&self.given);
        let arrays = arrays.filter_map(|(name, given)| match given {
            Given::Array(expr, _) => Some(Ok(expr.clone())),
            Given::Tensor(tensor) => Some(Ok(tensor.expr())),
            Given::Number(_) => None,
            Given::Slot(_) => Some(Err(argument(format!("`{name}` is a shape, not a tensor")))),
        });
        arrays.collect()
    }
}

impl Operands {
    /// The arrays' elements in the layouts of a plan's slots, copied if their own layouts differ.
    pub(crate) fn tensors(&self, slots: &[Slot]) -> zerostride::Result<Vec<Tensor>> {
        let tensors = self.given.iter().filter_map(|given| match given {
            Given::Tensor(tensor) => Some(tensor),
            _ => None,
        });
        let placed = |(tensor, slot): (&Tensor, &Slot)| match tensor.slot().layout == slot.layout {
            true => Ok(tensor.clone()),
            false => tensor.materialize(),
        };
        tensors.zip(slots).map(placed).collect()
    }
}

pub(crate) fn dtype_named(name: &str) -> Result<DType, JsValue> {
    name.parse()
        .map_err(|e: zerostride::UnknownDType| thrown(e.into()))
}

pub(crate) fn extents(shape: &[u32]) -> Shape {
    let extents: Vec<usize> = shape.iter().map(|&e| e as usize).collect();
    Shape::from(extents.as_slice())
}
