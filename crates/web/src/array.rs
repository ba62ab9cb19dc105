//! `Array`: an array that is an expression until it is read.

use std::cell::RefCell;

use wasm_bindgen::prelude::*;
use zerostride::{Context, DType, Expr, Result, Shape, Slot, Tensor};

use crate::errors::thrown;

/// An array: the expression that computes it, or its elements on the device.
#[wasm_bindgen]
pub struct Array {
    context: Context,
    dtype: DType,
    shape: Shape,
    state: RefCell<State>,
}

enum State {
    /// An expression, and an upper bound of the number of its nodes.
    Pending(Expr<Tensor>, usize),
    Ready(Tensor),
}

#[wasm_bindgen]
impl Array {
    /// The name of the element type.
    #[wasm_bindgen(getter)]
    pub fn dtype(&self) -> String {
        self.dtype.name().into()
    }

    /// The extents.
    #[wasm_bindgen(getter)]
    pub fn shape(&self) -> Vec<u32> {
        self.shape.extents().iter().map(|&e| e as u32).collect()
    }

    /// The strides in elements; computes the array.
    pub fn strides(&self) -> std::result::Result<Vec<i32>, JsValue> {
        let tensor = self.tensor().map_err(thrown)?;
        Ok(tensor
            .layout()
            .strides()
            .iter()
            .map(|&s| s as i32)
            .collect())
    }

    /// The offset of the first element in its buffer, in elements; computes the array.
    pub fn offset(&self) -> std::result::Result<u32, JsValue> {
        Ok(self.tensor().map_err(thrown)?.layout().offset() as u32)
    }
}

impl Array {
    pub fn ready(tensor: Tensor) -> Self {
        Self {
            context: tensor.context().clone(),
            dtype: tensor.dtype(),
            shape: tensor.shape().clone(),
            state: RefCell::new(State::Ready(tensor)),
        }
    }

    pub fn pending(
        context: &Context,
        expr: Expr<Tensor>,
        steps: usize,
        (dtype, shape): (DType, Shape),
    ) -> Self {
        Self {
            context: context.clone(),
            dtype,
            shape,
            state: RefCell::new(State::Pending(expr, steps)),
        }
    }

    pub fn expr(&self) -> Expr<Tensor> {
        match &*self.state.borrow() {
            State::Pending(expr, _) => expr.clone(),
            State::Ready(tensor) => tensor.expr(),
        }
    }

    /// An upper bound of the number of nodes of its expression; 0 if its elements are computed.
    pub fn steps(&self) -> usize {
        match &*self.state.borrow() {
            State::Pending(_, steps) => *steps,
            State::Ready(_) => 0,
        }
    }

    /// Whether its expression has more nodes than this. They are counted only if the upper bound is
    /// larger, since it counts shared nodes more than once.
    pub fn is_longer_than(&self, most: usize) -> bool {
        match &mut *self.state.borrow_mut() {
            State::Pending(expr, steps) if *steps > most => {
                *steps = Expr::node_count(std::slice::from_ref(expr));
                *steps > most
            }
            _ => false,
        }
    }

    /// Its slot in a plan.
    pub fn slot(&self) -> Result<Slot> {
        match &*self.state.borrow() {
            State::Ready(tensor) => Ok(tensor.slot()),
            State::Pending(..) => Slot::new(self.dtype, self.shape.clone()),
        }
    }

    /// Its elements on the device, computed if necessary.
    pub fn tensor(&self) -> Result<Tensor> {
        let expr = match &*self.state.borrow() {
            State::Ready(tensor) => return Ok(tensor.clone()),
            State::Pending(expr, _) => expr.clone(),
        };
        let tensor = self.context.eval(&expr)?;
        *self.state.borrow_mut() = State::Ready(tensor.clone());
        Ok(tensor)
    }
}
