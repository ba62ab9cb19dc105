//! `Planned`: a plan, and what a page shows of it.

use serde_json::{Value, json};
use wasm_bindgen::prelude::*;
use zerostride::{Plan, Rule, Shape, Slot};

use crate::operands::{Given, Operands};

/// A plan with the names of its operands.
#[wasm_bindgen]
pub struct Planned {
    plan: Plan,
    rule: Rule,
    names: Vec<String>,
    slots: Vec<Slot>,
}

#[wasm_bindgen]
impl Planned {
    /// What it does: passes, schedules, costs.
    pub fn explain(&self) -> String {
        self.plan.to_string()
    }

    /// The WGSL texts of its kernels.
    pub fn wgsl(&self) -> Vec<String> {
        self.plan.kernels()
    }

    /// The names of the operands that are no numbers, in the order in which it takes them.
    pub fn names(&self) -> Vec<String> {
        self.names.clone()
    }

    /// Rule, result, operands and dispatches, as JSON.
    pub fn describe(&self) -> String {
        let outputs = self.plan.outputs().next();
        let (dtype, shape) = match outputs {
            Some((dtype, shape)) => (dtype.name(), shape.extents().to_vec()),
            None => ("", Vec::new()),
        };
        let dispatches = self.plan.dispatches();
        let dispatches = dispatches.iter().map(|dispatch| {
            json!({ "kernel": dispatch.kernel, "grid": dispatch.grid })
        });
        json!({
            "rule": self.rule.name(),
            "shape": shape,
            "dtype": dtype,
            "operands": self.operands(&shape),
            "dispatches": dispatches.collect::<Vec<_>>(),
            "bytesMoved": self.plan.bytes_moved(),
        })
        .to_string()
    }
}

impl Planned {
    pub fn new(plan: Plan, rule: Rule, operands: &Operands) -> Self {
        let given = operands.names.iter().zip(&operands.given);
        let (names, slots) = given
            .filter_map(|(name, given)| match given {
                Given::Array(_, slot) | Given::Slot(slot) => Some((name.clone(), slot.clone())),
                Given::Number(_) => None,
            })
            .unzip();
        Self {
            plan,
            rule,
            names,
            slots,
        }
    }

    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Each operand with its axes and strides along those of the result of the rule on all of them:
    /// `null` where it has no axis, stride 0 where it is broadcast. Without them where the rule does
    /// not bring them to the result's shape, as in a matrix product.
    fn operands(&self, shape: &[usize]) -> Vec<Value> {
        let shapes: Vec<&Shape> = self.slots.iter().map(|slot| slot.layout.shape()).collect();
        let aligned = self.rule.align(&shapes).ok();
        let aligned = aligned.filter(|aligned| aligned.shape.extents() == shape);
        let all = self.names.iter().zip(&self.slots).enumerate();
        all.map(|(i, (name, slot))| {
            let extents = slot.layout.shape().extents();
            let mut described = json!({
                "name": name,
                "dtype": slot.dtype.name(),
                "shape": extents,
            });
            if let Some(aligned) = &aligned {
                let mut on = vec![None; shape.len()];
                let mut strides = vec![0; shape.len()];
                for (axis, place) in aligned.axes[i].iter().enumerate() {
                    if let Some(place) = *place {
                        on[place] = Some(extents[axis]);
                        if extents[axis] == shape[place] && extents[axis] != 1 {
                            strides[place] = slot.layout.strides()[axis];
                        }
                    }
                }
                described["aligned"] = json!(on);
                described["strides"] = json!(strides);
            }
            described
        })
        .collect()
    }
}
