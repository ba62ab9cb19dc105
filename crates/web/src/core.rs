//! `Core`: a device, and the computations on it.

use js_sys::{Promise, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::future_to_promise;
use zerostride::inspect::load_soft;
use zerostride::{Context, Expr, Layout, Plan, Rule, Tensor, text, wgpu};

use crate::array::Array;
use crate::errors::{argument, thrown};
use crate::operands::{Operands, dtype_named, extents};
use crate::planned::Planned;

/// A context.
#[wasm_bindgen]
pub struct Core {
    pub(crate) context: Context,
}

#[wasm_bindgen]
impl Core {
    /// A context on the adapter and device of the browser. `float64`: the WGSL functions that compute f64.
    pub async fn create(float64: String) -> Result<Core, JsValue> {
        load_soft(float64);
        let context = Context::request().await.map_err(thrown)?;
        Ok(Self { context })
    }

    /// The name and driver of the adapter.
    pub fn adapter(&self) -> String {
        let info = self.context.adapter_info();
        [&info.name, &info.driver, &info.driver_info]
            .map(|part| part.trim())
            .into_iter()
            .filter(|part| !part.is_empty())
            .collect::<Vec<_>>()
            .join(", ")
    }

    /// The `GPUDevice`.
    pub fn device(&self) -> Result<JsValue, JsValue> {
        let device = self.context.device().as_webgpu();
        device
            .map(|device| AsRef::<JsValue>::as_ref(device).clone())
            .ok_or_else(|| argument("the device is not WebGPU's"))
    }

    /// Uploads an array from bytes in row-major order.
    pub fn upload(&self, dtype: &str, shape: &[u32], bytes: &[u8]) -> Result<Array, JsValue> {
        let tensor = self
            .context
            .tensor_from_bytes(dtype_named(dtype)?, extents(shape), bytes);
        tensor.map(Array::ready).map_err(thrown)
    }

    /// The array in a `GPUBuffer` of `size` bytes. The device's `createBuffer` must return the
    /// buffer while this runs, since wgpu cannot use other buffers.
    pub fn wrap(
        &self,
        size: f64,
        usage: u32,
        dtype: &str,
        shape: &[u32],
        strides: &[i32],
        offset: u32,
    ) -> Result<Array, JsValue> {
        let buffer = self
            .context
            .device()
            .create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: size as u64,
                usage: wgpu::BufferUsages::from_bits_truncate(usage),
                mapped_at_creation: false,
            });
        let strides: Vec<isize> = strides.iter().map(|&s| s as isize).collect();
        let layout = Layout::new(extents(shape), strides, offset as usize).map_err(thrown)?;
        let tensor = self.context.wrap(&buffer, dtype_named(dtype)?, layout);
        tensor.map(Array::ready).map_err(thrown)
    }

    /// The value of an expression, computed when it is read.
    pub fn apply(&self, source: &str, rule: &str, operands: &Operands) -> Result<Array, JsValue> {
        let expr = bound(source, rule, operands)?;
        let (leaves, slots) = operands.leaves();
        let failed = thrown;
        let formula = Expr::substitute(&[expr], &leaves).map_err(failed)?;
        let mut known = Plan::infer(&formula, &slots, &self.context.options()).map_err(failed)?;
        let arrays = operands.arrays()?;
        let mut exprs = Expr::substitute(&formula, &arrays).map_err(failed)?;
        Ok(Array::pending(
            &self.context,
            exprs.remove(0),
            operands.steps + 1,
            known.remove(0),
        ))
    }

    /// Computes an array if necessary.
    pub fn compute(&self, array: &Array) -> Result<(), JsValue> {
        array.tensor().map(drop).map_err(thrown)
    }

    /// The bytes of an array's elements in row-major order, as a `Uint8Array`.
    pub fn read(&self, array: &Array) -> Promise {
        let tensor = array.tensor();
        future_to_promise(async move {
            let bytes = tensor.map_err(thrown)?.read_bytes().await.map_err(thrown)?;
            Ok(Uint8Array::from(bytes.as_slice()).into())
        })
    }

    /// The `GPUBuffer` that holds an array's elements.
    pub fn buffer(&self, array: &Array) -> Result<JsValue, JsValue> {
        let tensor = array.tensor().map_err(thrown)?;
        let buffer = tensor.buffer().map_err(thrown)?;
        let buffer = buffer.as_webgpu();
        buffer
            .map(|buffer| AsRef::<JsValue>::as_ref(buffer).clone())
            .ok_or_else(|| argument("the buffer is not WebGPU's"))
    }

    /// The plan of an expression.
    pub fn plan(&self, source: &str, rule: &str, operands: &Operands) -> Result<Planned, JsValue> {
        let expr = bound(source, rule, operands)?;
        let (leaves, slots) = operands.leaves();
        let mut exprs = Expr::substitute(&[expr], &leaves).map_err(thrown)?;
        let expr = exprs.remove(0);
        let plan = Plan::new(&expr, &slots, &self.context.options()).map_err(thrown)?;
        Ok(Planned::new(plan, rule_named(rule)?, operands))
    }

    /// Runs a plan on tensors in the order of its slots.
    pub fn run(&self, planned: &Planned, operands: &Operands) -> Result<Array, JsValue> {
        let given = operands.tensors(planned.slots()).map_err(thrown)?;
        let inputs: Vec<&Tensor> = given.iter().collect();
        let mut results = self.context.run(planned.plan(), &inputs).map_err(thrown)?;
        Ok(Array::ready(results.remove(0)))
    }

    /// Submits the recorded work.
    pub fn flush(&self) -> Result<(), JsValue> {
        self.context.flush().map_err(thrown)
    }

    /// Fails if the device is lost.
    pub fn check(&self) -> Result<(), JsValue> {
        self.context.check().map_err(thrown)
    }

    /// The number of kernels compiled so far.
    pub fn kernels(&self) -> f64 {
        self.context.pipelines_compiled() as f64
    }

    /// The bytes of freed buffers that are kept for reuse.
    pub fn pooled(&self) -> f64 {
        self.context.pooled_bytes() as f64
    }

    /// Drops freed buffers.
    pub fn trim(&self) {
        self.context.trim();
    }
}

/// Parses an expression, with its operands as slots.
fn bound(source: &str, rule: &str, operands: &Operands) -> Result<Expr<usize>, JsValue> {
    let rule = rule_named(rule)?;
    let parsed = text::parse(source).map_err(thrown)?;
    let input = |i: usize| operands.given[i].known();
    parsed
        .bind_to(&operands.names, input, &rule)
        .map_err(thrown)
}

pub(crate) fn rule_named(text: &str) -> Result<Rule, JsValue> {
    let (name, axis) = match text.split_once(':') {
        Some((name, axis)) => (name, Some(axis)),
        None => (text, None),
    };
    let known = || {
        let known = Rule::spellings().join(", ");
        argument(format!("unknown rule `{text}`; use {known} or pdpd:AXIS"))
    };
    match (Rule::spelled(name).ok_or_else(known)?, axis) {
        (Rule::Pdpd { .. }, Some(axis)) => {
            let axis = axis.parse().map_err(|_| known())?;
            Ok(Rule::Pdpd { axis })
        }
        (rule, None) => Ok(rule),
        _ => Err(known()),
    }
}
