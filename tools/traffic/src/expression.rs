//! Expressions of a warp: each is a value, or a pointer to one.

use std::rc::Rc;

use naga::{
    AddressSpace, BinaryOperator, Expression as E, Handle, RelationalFunction, Scalar, ScalarKind,
    TypeInner as T, UnaryOperator,
};

use crate::arith::{binary, converted, each, math, word, zeros};
use crate::warp::{Frame, LANES, Root, Slot, Value, Warp};

impl<'a> Warp<'a, '_> {
    pub(super) fn slot(&mut self, frame: &mut Frame<'a>, handle: Handle<E>, mask: u32) -> Slot {
        if let Some(slot) = &frame.values[handle.index()] {
            return slot.clone();
        }
        // Constants, arguments and variables are not emitted.
        let slot = self.expression(frame, handle, mask);
        frame.values[handle.index()] = Some(slot.clone());
        slot
    }

    pub(super) fn value(&mut self, frame: &mut Frame<'a>, handle: Handle<E>, mask: u32) -> Value {
        match self.slot(frame, handle, mask) {
            Slot::Value(value) => value,
            Slot::Pointer(..) => panic!("a pointer where a value is wanted"),
        }
    }

    pub(super) fn inner(&self, frame: &Frame<'a>, handle: Handle<E>) -> &'a T {
        frame.info[handle].ty.inner_with(&self.program.module.types)
    }

    fn scalar(&self, frame: &Frame<'a>, handle: Handle<E>) -> Scalar {
        let inner = self.inner(frame, handle);
        inner
            .scalar()
            .unwrap_or_else(|| panic!("{inner:?} has no scalar"))
    }

    fn constant(&self, handle: Handle<E>) -> Value {
        let module = &self.program.module;
        let parts = |parts: &[Handle<E>]| {
            parts
                .iter()
                .flat_map(|p| self.constant(*p).to_vec())
                .collect()
        };
        match &module.global_expressions[handle] {
            E::Literal(literal) => Rc::new([[word(literal); LANES]]),
            E::Constant(c) => self.constant(module.constants[*c].init),
            E::ZeroValue(ty) => zeros(self.program.len(self.program.inner(*ty))),
            E::Compose { components, .. } => parts(components),
            E::Splat { size, value } => parts(&vec![*value; *size as usize]),
            other => panic!("constant {other:?}"),
        }
    }

    fn global(&mut self, handle: Handle<naga::GlobalVariable>) -> Slot {
        let variable = &self.program.module.global_variables[handle];
        let binding = variable.binding.map(|b| b.binding);
        let root = match variable.space {
            AddressSpace::Storage { .. } => Root::Buffer(binding.unwrap()),
            AddressSpace::Uniform | AddressSpace::Immediate => Root::Uniform(binding),
            AddressSpace::WorkGroup => {
                // One after another, as a compiler lays them out.
                let before = self
                    .program
                    .module
                    .global_variables
                    .iter()
                    .take_while(|(h, _)| *h != handle);
                let shared = before.filter(|(_, v)| v.space == AddressSpace::WorkGroup);
                let at = shared
                    .map(|(_, v)| self.program.len(self.program.inner(v.ty)) as u64)
                    .sum();
                return Slot::Pointer(Root::Shared, Rc::new([at; LANES]));
            }
            AddressSpace::Private => {
                let words = self.program.len(self.program.inner(variable.ty));
                let at = match self.globals.get(&handle.index()) {
                    Some(at) => *at,
                    None => self.reserve(words),
                };
                self.globals.insert(handle.index(), at);
                return Slot::Pointer(Root::Stack, Rc::new([at.into(); LANES]));
            }
            other => panic!("a variable in {other:?}"),
        };
        Slot::Pointer(root, Rc::new([0; LANES]))
    }

    pub(super) fn expression(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<E>,
        mask: u32,
    ) -> Slot {
        let value: Value = match &frame.function.expressions[handle] {
            // What is computed of floats is data, and all data is 0.
            E::Unary { .. }
            | E::Binary { .. }
            | E::Select { .. }
            | E::Math { .. }
            | E::Compose { .. }
            | E::Splat { .. }
            | E::Swizzle { .. }
            | E::As { .. }
                if self.inner(frame, handle).scalar_kind() == Some(ScalarKind::Float) =>
            {
                self.zeros(frame, handle)
            }
            E::Literal(literal) => Rc::new([[word(literal); LANES]]),
            E::Constant(c) => self.constant(self.program.module.constants[*c].init),
            E::ZeroValue(_) => self.zeros(frame, handle),
            E::Compose { components, .. } => {
                let parts: Vec<Value> = components
                    .iter()
                    .map(|c| self.value(frame, *c, mask))
                    .collect();
                parts.iter().flat_map(|p| p.iter().copied()).collect()
            }
            E::Splat { size, value } => {
                vec![self.value(frame, *value, mask)[0]; *size as usize].into()
            }
            E::Swizzle {
                size,
                vector,
                pattern,
            } => {
                let from = self.value(frame, *vector, mask);
                pattern[..*size as usize]
                    .iter()
                    .map(|c| from[*c as usize])
                    .collect()
            }
            E::FunctionArgument(n) => return frame.arguments[*n as usize].clone(),
            E::GlobalVariable(variable) => return self.global(*variable),
            E::LocalVariable(variable) => {
                return Slot::Pointer(
                    Root::Stack,
                    Rc::new([frame.locals[variable.index()].into(); LANES]),
                );
            }
            E::Load { pointer } => return self.load(frame, *pointer, mask),
            E::AccessIndex { base, index } => {
                return self.access(frame, handle, *base, &[u64::from(*index); LANES], mask);
            }
            E::Access { base, index } => {
                let index = self.value(frame, *index, mask)[0];
                return self.access(frame, handle, *base, &index, mask);
            }
            E::Unary { op, expr } => {
                let of = self.scalar(frame, *expr);
                let value = self.value(frame, *expr, mask);
                let one = |w: u64| match op {
                    UnaryOperator::Negate if of.kind == ScalarKind::Float => w ^ (1 << 31),
                    UnaryOperator::Negate => binary(BinaryOperator::Subtract, of, 0, w),
                    UnaryOperator::LogicalNot => u64::from(w == 0),
                    UnaryOperator::BitwiseNot => {
                        binary(BinaryOperator::ExclusiveOr, of, u64::MAX, w)
                    }
                };
                value.iter().map(|lanes| lanes.map(one)).collect()
            }
            E::Binary { op, left, right } => {
                let of = self.scalar(frame, *left);
                let len = self.program.len(self.inner(frame, handle));
                let (l, r) = (
                    self.value(frame, *left, mask),
                    self.value(frame, *right, mask),
                );
                let part =
                    |v: &Value, k: usize| v[if v.len() == 1 { 0 } else { k.min(v.len() - 1) }];
                let pair = |k: usize| {
                    let (a, b) = (part(&l, k), part(&r, k));
                    each(|lane| binary(*op, of, a[lane], b[lane]))
                };
                (0..len).map(pair).collect()
            }
            E::Select {
                condition,
                accept,
                reject,
            } => {
                let c = self.value(frame, *condition, mask);
                let (a, r) = (
                    self.value(frame, *accept, mask),
                    self.value(frame, *reject, mask),
                );
                let pick = |k: usize| {
                    let c = &c[if c.len() == 1 { 0 } else { k }];
                    each(|lane| if c[lane] != 0 { a[k][lane] } else { r[k][lane] })
                };
                (0..a.len()).map(pick).collect()
            }
            E::Relational { fun, argument } => {
                let v = self.value(frame, *argument, mask);
                match fun {
                    RelationalFunction::All => {
                        Rc::new([each(|lane| u64::from(v.iter().all(|w| w[lane] != 0)))])
                    }
                    RelationalFunction::Any => {
                        Rc::new([each(|lane| u64::from(v.iter().any(|w| w[lane] != 0)))])
                    }
                    _ => self.zeros(frame, handle),
                }
            }
            E::Math {
                fun,
                arg,
                arg1,
                arg2,
                ..
            } => {
                let of = self.scalar(frame, *arg);
                let a = self.value(frame, *arg, mask);
                let b = arg1.map(|h| self.value(frame, h, mask));
                let c = arg2.map(|h| self.value(frame, h, mask));
                match math(*fun, of, &a, b.as_ref(), c.as_ref()) {
                    Some(value) => value,
                    None => self.zeros(frame, handle),
                }
            }
            E::As {
                expr,
                kind,
                convert,
            } => {
                let from = self.scalar(frame, *expr);
                let len = self.program.len(self.inner(frame, handle));
                let value = self.value(frame, *expr, mask);
                match convert {
                    Some(width) => value
                        .iter()
                        .map(|lanes| lanes.map(|w| converted(w, from, *kind, *width)))
                        .collect(),
                    None if value.len() == len => value,
                    None => self.zeros(frame, handle),
                }
            }
            E::ArrayLength(array) => Rc::new([[self.array_length(frame, *array); LANES]]),
            other => panic!("expression {other:?}"),
        };
        Slot::Value(value)
    }

    /// Elements of a storage buffer, many if its size is not known.
    fn array_length(&self, frame: &Frame<'a>, array: Handle<E>) -> u64 {
        let variable = match &frame.function.expressions[array] {
            E::GlobalVariable(variable) => &self.program.module.global_variables[*variable],
            other => panic!("the length of {other:?}"),
        };
        let binding = variable.binding.map(|at| at.binding);
        let bytes = self
            .program
            .words
            .get(&binding)
            .and_then(|words| words.first());
        match (bytes, self.program.inner(variable.ty)) {
            (Some(bytes), naga::TypeInner::Array { stride, .. }) => u64::from(bytes / stride),
            _ => 1 << 30,
        }
    }

    pub(super) fn zeros(&self, frame: &Frame<'a>, handle: Handle<E>) -> Value {
        zeros(self.program.len(self.inner(frame, handle)))
    }
}
