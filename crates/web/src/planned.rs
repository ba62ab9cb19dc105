//! `Planned`: a plan, and its description for a page.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;
use zerostride::inspect::{StepInfo, StepValue, StepWork};
use zerostride::{Layout, Op, Plan, Rule, Shape, Slot};

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
    /// A description of the plan: passes, schedules, costs.
    pub fn explain(&self) -> String {
        self.plan.to_string()
    }

    /// The WGSL sources of its kernels.
    pub fn wgsl(&self) -> Vec<String> {
        self.plan.kernels()
    }

    /// The names of the operands other than numbers, in the order of its slots.
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
            ("steps", self.steps().into()),
        ])
    }
}

/// An object with these properties.
fn object<const N: usize>(properties: [(&str, JsValue); N]) -> Object {
    let object = Object::new();
    for (name, value) in properties {
        set(&object, name, value);
    }
    object
}

/// A step: its work, and each operand with the layout through which the step reads it.
fn described(step: &StepInfo) -> Object {
    let number = |n: usize| JsValue::from(n as u32);
    let all = |of: &[usize]| numbers(of.iter().map(|&n| n as u32)).into();
    let op = |op: &Op| JsValue::from(op.name());
    let (work, more) = match &step.work {
        StepWork::Map(of) => ("map", vec![("op", op(of))]),
        StepWork::Fold { op: of, axes } => ("fold", vec![("op", op(of)), ("axes", all(axes))]),
        StepWork::Scan {
            op: of,
            axis,
            reverse,
            begin,
        } => (
            "scan",
            vec![
                ("op", op(of)),
                ("axis", number(*axis)),
                ("reverse", (*reverse).into()),
                ("exclusive", begin.is_some().into()),
            ],
        ),
        StepWork::Product => ("product", Vec::new()),
        StepWork::Take { axis } => ("take", vec![("axis", number(*axis))]),
        StepWork::Search { right } => ("search", vec![("right", JsValue::from(*right))]),
        StepWork::Join { places } => (
            "join",
            vec![(
                "places",
                places
                    .iter()
                    .map(|at| JsValue::from(seen_through(at)))
                    .collect::<Array>()
                    .into(),
            )],
        ),
        _ => ("other", Vec::new()),
    };
    let operands = step.operands.iter().map(|operand| {
        let seen = seen_through(&operand.layout);
        let (what, which) = match operand.value {
            StepValue::Slot(slot) => ("slot", number(slot)),
            StepValue::Step(step) => ("step", number(step)),
            _ => return JsValue::from(seen),
        };
        set(&seen, what, which);
        seen.into()
    });
    let object = object([
        ("work", work.into()),
        ("dtype", step.dtype.name().into()),
        ("shape", all(step.shape.extents())),
        ("operands", operands.collect::<Array>().into()),
    ]);
    for (name, value) in more {
        set(&object, name, value);
    }
    object
}

/// A layout: extents, strides and offset.
fn seen_through(layout: &Layout) -> Object {
    object([
        (
            "shape",
            numbers(layout.shape().extents().iter().map(|&e| e as u32)).into(),
        ),
        (
            "strides",
            numbers(layout.strides().iter().map(|&s| s as i32)).into(),
        ),
        ("offset", (layout.offset() as u32).into()),
    ])
}

/// An object of our own takes every property.
fn set(object: &Object, name: &str, value: JsValue) {
    let _ = Reflect::set(object, &name.into(), &value);
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

    /// The steps of all passes, in order: the work of each, and the layouts of its operands.
    fn steps(&self) -> Array {
        let steps = self.plan.steps().unwrap_or_default();
        steps
            .iter()
            .map(|step| JsValue::from(described(step)))
            .collect()
    }

    /// Each operand. Its offset and its strides along the result's axes (0 where it is broadcast)
    /// are missing unless all steps read it through one layout. Its extents along these axes
    /// (`null` where it has no such axis) are missing unless a rule alone aligns it.
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
            let Some(seen) = self.plan.layout_of(i) else {
                all.push(&described);
                continue;
            };
            // Elements that lie along an axis of extent 1 lie anywhere.
            let steps = |of: &[isize]| -> Vec<isize> {
                let of = of.iter().zip(shape);
                of.map(|(&s, &e)| if e > 1 { s } else { 0 }).collect()
            };
            let strides = steps(seen.strides());
            set(
                &described,
                "strides",
                numbers(strides.iter().map(|&s| s as i32)).into(),
            );
            set(&described, "offset", (seen.offset() as u32).into());
            // A text that brings it to a shape of its own does so as this rule does.
            let onto = || {
                let target = Shape::from(shape);
                Rule::To { target }.align(&[shapes[i]]).ok()
            };
            let axes = match &aligned {
                Some(aligned) => Some(aligned.axes[i].clone()),
                None => onto().map(|mut aligned| aligned.axes.remove(0)),
            };
            if let Some(axes) = axes {
                let mut on = vec![JsValue::NULL; shape.len()];
                let mut plain = vec![0; shape.len()];
                for (axis, place) in axes.iter().enumerate() {
                    if let Some(place) = *place {
                        on[place] = (extents[axis] as u32).into();
                        if extents[axis] == shape[place] {
                            plain[place] = slot.layout.strides()[axis];
                        }
                    }
                }
                // Not so if it is seen through a view.
                if seen.offset() == slot.layout.offset() && steps(&plain) == strides {
                    set(&described, "aligned", numbers(on).into());
                }
            }
            all.push(&described);
        }
        all
    }
}
