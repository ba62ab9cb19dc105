//! `Planned`: a plan, and what a page shows of it.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use zerostride::{Layout, Plan, Rule, Shape, Slot, StepValue, StepWork};

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

    /// Rule, result, operands and dispatches.
    pub fn describe(&self) -> Object {
        let outputs = self.plan.outputs().next();
        let (dtype, shape) = match outputs {
            Some((dtype, shape)) => (dtype.name(), shape.extents().to_vec()),
            None => ("", Vec::new()),
        };
        let dispatches = Array::new();
        for dispatch in self.plan.dispatches() {
            dispatches.push(&object([
                ("kernel", (dispatch.kernel as u32).into()),
                ("grid", numbers(dispatch.grid).into()),
            ]));
        }
        object([
            ("rule", self.rule.name().into()),
            ("dtype", dtype.into()),
            ("operands", self.operands(&shape).into()),
            ("shape", numbers(shape.iter().map(|&e| e as u32)).into()),
            ("dispatches", dispatches.into()),
            ("bytesMoved", (self.plan.bytes_moved() as f64).into()),
        ])
    }
}

/// An object with these properties.
fn object<const N: usize>(properties: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        // An object of our own takes every property.
        let _ = Reflect::set(&object, &name.into(), &value);
    }
    object
}

/// An array of numbers.
fn numbers<T: Into<JsValue>>(all: impl IntoIterator<Item = T>) -> Array {
    all.into_iter().map(Into::into).collect()
}

impl Planned {
    pub fn new(plan: Plan, rule: Rule, operands: &Operands) -> Self {
        let given = operands.names.iter().zip(&operands.given);
        let (names, slots) = given
            .filter_map(|(name, given)| match given {
                Given::Array(_, slot) | Given::Slot(slot) => Some((name.clone(), slot.clone())),
                Given::Tensor(tensor) => Some((name.clone(), tensor.slot())),
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

    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Each operand with its offset and its strides along the axes of the result, 0 where it is
    /// broadcast, if steps on all its elements see it in one way; and with its extents along them,
    /// `null` where it has no such axis, if the rule alone brings it there.
    fn operands(&self, shape: &[usize]) -> Array {
        let shapes: Vec<&Shape> = self.slots.iter().map(|slot| slot.layout.shape()).collect();
        let aligned = self.rule.align(&shapes).ok();
        let aligned = aligned.filter(|aligned| aligned.shape.extents() == shape);
        let all = Array::new();
        for (i, (name, slot)) in self.names.iter().zip(&self.slots).enumerate() {
            let extents = slot.layout.shape().extents();
            let described = object([
                ("name", name.as_str().into()),
                ("dtype", slot.dtype.name().into()),
                ("shape", numbers(extents.iter().map(|&e| e as u32)).into()),
            ]);
            let Some(seen) = self.seen(i, shape) else {
                all.push(&described);
                continue;
            };
            let set = |name: &str, value: JsValue| {
                let _ = Reflect::set(&described, &name.into(), &value);
            };
            // Elements that lie along an axis of extent 1 lie anywhere.
            let steps = |of: &[isize]| -> Vec<isize> {
                let of = of.iter().zip(shape);
                of.map(|(&s, &e)| if e > 1 { s } else { 0 }).collect()
            };
            let strides = steps(seen.strides());
            set("strides", numbers(strides.iter().map(|&s| s as i32)).into());
            set("offset", (seen.offset() as u32).into());
            if let Some(aligned) = &aligned {
                let mut on = vec![JsValue::NULL; shape.len()];
                let mut plain = vec![0; shape.len()];
                for (axis, place) in aligned.axes[i].iter().enumerate() {
                    if let Some(place) = *place {
                        on[place] = (extents[axis] as u32).into();
                        if extents[axis] == shape[place] {
                            plain[place] = slot.layout.strides()[axis];
                        }
                    }
                }
                // Not so if it is seen through a view.
                if seen.offset() == slot.layout.offset() && steps(&plain) == strides {
                    set("aligned", numbers(on).into());
                }
            }
            all.push(&described);
        }
        all
    }

    /// Where a step that gives the result's shape sees the elements of a slot, if all such steps see
    /// them there.
    fn seen(&self, slot: usize, shape: &[usize]) -> Option<Layout> {
        let steps = self.plan.steps().ok()?;
        let operands = steps
            .iter()
            .filter(|step| matches!(step.work, StepWork::Map(_)))
            .flat_map(|step| &step.operands);
        let mut seen = operands
            .filter(|x| x.value == StepValue::Slot(slot))
            .map(|x| &x.layout);
        let first = seen.next()?;
        let all = first.shape().extents() == shape && seen.all(|layout| layout == first);
        all.then(|| first.clone())
    }
}
