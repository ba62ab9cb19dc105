//! Expressions: each is a value, or a pointer to one, with the elements that its words were computed
//! of.

use naga::{
    AddressSpace, BinaryOperator as B, Expression as E, Handle, MathFunction as M,
    RelationalFunction, Scalar, ScalarKind, TypeInner as T, UnaryOperator,
};

use crate::arith::{binary, converted, math, word};
use crate::invocations::{Bits, Frame, Invocations, Lanes, Root, Slot, Value};
use crate::sources::Source;

const WORD: Scalar = Scalar::U32;

impl<'a> Invocations<'a, '_> {
    pub fn slot(&mut self, frame: &mut Frame<'a>, handle: Handle<E>, mask: &[bool]) -> Slot {
        if let Some(slot) = &frame.values[handle.index()] {
            return slot.clone();
        }
        // Constants, arguments and variables are not emitted.
        let slot = self.expression(frame, handle, mask);
        frame.values[handle.index()] = Some(slot.clone());
        slot
    }

    pub fn value(&mut self, frame: &mut Frame<'a>, handle: Handle<E>, mask: &[bool]) -> Value {
        match self.slot(frame, handle, mask) {
            Slot::Value(value) => value,
            Slot::Pointer(..) => panic!("a pointer where a value is wanted"),
        }
    }

    pub fn inner(&self, frame: &Frame<'a>, handle: Handle<E>) -> &'a T {
        frame.info[handle].ty.inner_with(&self.program.module.types)
    }

    fn scalar(&self, frame: &Frame<'a>, handle: Handle<E>) -> Scalar {
        let inner = self.inner(frame, handle);
        inner
            .scalar()
            .unwrap_or_else(|| panic!("{inner:?} has no scalar"))
    }

    fn same(&self, word: u64, len: usize) -> Value {
        vec![Lanes::all(word); len].into()
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
            E::Literal(literal) => self.same(word(literal), 1),
            E::Constant(c) => self.constant(module.constants[*c].init),
            E::ZeroValue(ty) => self.same(0, self.program.len(self.program.inner(*ty))),
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
                return Slot::Pointer(Root::Shared, at, None);
            }
            AddressSpace::Private => {
                let words = self.program.len(self.program.inner(variable.ty));
                let at = match self.globals.get(&handle.index()) {
                    Some(at) => *at,
                    None => self.reserve(words),
                };
                self.globals.insert(handle.index(), at);
                return Slot::Pointer(Root::Stack, at.into(), None);
            }
            other => panic!("a variable in {other:?}"),
        };
        Slot::Pointer(root, 0, None)
    }

    pub fn expression(&mut self, frame: &mut Frame<'a>, handle: Handle<E>, mask: &[bool]) -> Slot {
        let value: Value = match &frame.function.expressions[handle] {
            E::Literal(literal) => self.same(word(literal), 1),
            E::Constant(c) => self.constant(self.program.module.constants[*c].init),
            E::ZeroValue(_) => {
                vec![self.zero.clone(); self.program.len(self.inner(frame, handle))].into()
            }
            E::Compose { components, .. } => {
                let parts = components.iter().map(|c| self.value(frame, *c, mask));
                parts.collect::<Vec<Value>>().concat().into()
            }
            E::Splat { size, value } => {
                vec![self.value(frame, *value, mask)[0].clone(); *size as usize].into()
            }
            E::Swizzle {
                size,
                vector,
                pattern,
            } => {
                let from = self.value(frame, *vector, mask);
                let own = pattern[..*size as usize].iter();
                own.map(|c| from[*c as usize].clone()).collect()
            }
            E::FunctionArgument(n) => return frame.arguments[*n as usize].clone(),
            E::GlobalVariable(variable) => return self.global(*variable),
            E::LocalVariable(variable) => {
                return Slot::Pointer(Root::Stack, frame.locals[variable.index()].into(), None);
            }
            E::Load { pointer } => return self.load(frame, *pointer, mask),
            E::AccessIndex { base, index } => {
                return self.part(frame, handle, (*base, *index), mask);
            }
            E::Access { base, index } => {
                let index = self.value(frame, *index, mask)[0].clone();
                return self.access(frame, handle, (*base, &index), mask);
            }
            E::ArrayLength(array) => self.same(self.array_length(frame, *array), 1),
            _ => self.computed(frame, handle, mask),
        };
        Slot::Value(value)
    }

    /// The value of an operator or a function.
    fn computed(&mut self, frame: &mut Frame<'a>, handle: Handle<E>, mask: &[bool]) -> Value {
        let expression = &frame.function.expressions[handle];
        let len = self.program.len(self.inner(frame, handle));
        let zero = self.zero.clone();
        let operands: Vec<Handle<E>> = match expression {
            E::Unary { expr, .. } | E::As { expr, .. } => vec![*expr],
            E::Binary { left, right, .. } => vec![*left, *right],
            E::Select {
                condition,
                accept,
                reject,
            } => vec![*condition, *accept, *reject],
            E::Relational { argument, .. } => vec![*argument],
            E::Math {
                arg,
                arg1,
                arg2,
                arg3,
                ..
            } => [Some(*arg), *arg1, *arg2, *arg3]
                .into_iter()
                .flatten()
                .collect(),
            other => panic!("expression {other:?}"),
        };
        let values: Vec<Value> = operands
            .iter()
            .map(|o| self.value(frame, *o, mask))
            .collect();
        let of = self.scalar(frame, operands[0]);
        // What is computed of floats is data, and all data is 0.
        let is_data = self.inner(frame, handle).scalar_kind() == Some(ScalarKind::Float);
        if !values.iter().all(|v| v.len() == len || v.len() == 1) {
            let all: Vec<&Lanes> = values.iter().flat_map(|v| v.iter()).collect();
            let bits = match expression {
                E::Relational { fun, .. } => self.relation(*fun, &values[0]),
                _ => zero.bits,
            };
            return vec![self.made_of(bits, &all); len].into();
        }
        let component = |k: usize| {
            let parts = values.iter().map(|v| &v[if v.len() == 1 { 0 } else { k }]);
            let parts: Vec<&Lanes> = parts.collect();
            match expression {
                E::Select { .. } => return self.selected(&parts),
                E::As { convert: None, .. } => {
                    return match is_data {
                        true => Lanes {
                            bits: zero.bits.clone(),
                            from: parts[0].from.clone(),
                        },
                        false => parts[0].clone(),
                    };
                }
                E::Binary { op, .. } if !is_data => return self.operated(*op, of, &parts),
                _ => {}
            }
            let bits = match expression {
                _ if is_data => None,
                E::Unary { op, .. } => Some(match op {
                    UnaryOperator::Negate => binary(B::Subtract, of, &zero.bits, &parts[0].bits),
                    UnaryOperator::LogicalNot => {
                        parts[0].bits.iter().map(|w| u64::from(*w == 0)).collect()
                    }
                    UnaryOperator::BitwiseNot => {
                        let ones = [u64::MAX];
                        binary(B::ExclusiveOr, of, &ones, &parts[0].bits)
                    }
                }),
                E::As {
                    kind,
                    convert: Some(width),
                    ..
                } => Some(
                    parts[0]
                        .bits
                        .iter()
                        .map(|w| converted(*w, of, *kind, *width))
                        .collect(),
                ),
                E::Relational { fun, .. } => Some(self.relation(*fun, &values[0])),
                E::Math { fun, .. } => {
                    let bits: Vec<&[u64]> = parts.iter().map(|p| &*p.bits).collect();
                    math(*fun, of, &bits)
                }
                _ => None,
            };
            let bits = bits.unwrap_or_else(|| zero.bits.clone());
            match expression {
                // Each byte is turned by itself.
                E::Unary {
                    op: UnaryOperator::BitwiseNot,
                    ..
                } => Lanes {
                    bits,
                    from: parts[0].from.clone(),
                },
                E::Math {
                    fun: M::Unpack2x16float,
                    ..
                } => {
                    let half = Lanes::all(0xffff << (16 * k));
                    let half = self.operated(B::And, WORD, &[parts[0], &half]);
                    self.made_of(bits, &[&half])
                }
                _ => self.made_of(bits, &parts),
            }
        };
        (0..len).map(component).collect()
    }

    fn relation(&self, fun: RelationalFunction, value: &Value) -> Bits {
        let holds = |lane: usize| match fun {
            RelationalFunction::All => value.iter().all(|w| w.bit(lane) != 0),
            RelationalFunction::Any => value.iter().any(|w| w.bit(lane) != 0),
            _ => false,
        };
        self.each(|lane| u64::from(holds(lane))).bits
    }

    /// A word that depends on all of these words.
    pub fn made_of(&mut self, bits: Bits, of: &[&Lanes]) -> Lanes {
        let followed = of.iter().filter_map(|lanes| lanes.from.as_ref());
        let followed: Vec<_> = followed.collect();
        let Some(memory) = self.memory.as_deref_mut().filter(|_| !followed.is_empty()) else {
            return bits.into();
        };
        let sources = &mut memory.sources;
        let from = (0..self.count).map(|lane| {
            followed.iter().fold(0, |all, from| {
                let one = sources.whole(from[lane]);
                sources.union(all, one)
            })
        });
        Lanes {
            from: Some(from.collect()),
            bits,
        }
    }

    /// One of two words: by what is known the chosen one alone, by data either.
    fn selected(&mut self, parts: &[&Lanes]) -> Lanes {
        let [condition, accept, reject] = parts else {
            unreachable!("a choice has three operands")
        };
        if condition.from.is_none() && condition.bits.len() == 1 {
            return if condition.bit(0) != 0 {
                *accept
            } else {
                *reject
            }
            .clone();
        }
        let chosen = |lane: usize| {
            if condition.bit(lane) != 0 {
                accept
            } else {
                reject
            }
        };
        let bits = self.each(|lane| chosen(lane).bit(lane)).bits;
        let Some(memory) = self.memory.as_deref_mut() else {
            return bits.into();
        };
        if parts.iter().all(|p| p.from.is_none()) {
            return bits.into();
        }
        let sources = &mut memory.sources;
        let from = |lane: usize| match condition.source(lane) {
            0 => chosen(lane).source(lane),
            by => {
                let either = sources.union(accept.source(lane), reject.source(lane));
                let by = sources.whole(by);
                sources.union(either, by)
            }
        };
        Lanes {
            from: Some((0..self.count).map(from).collect()),
            bits,
        }
    }

    /// An operator on integers and truths: shifts and masks tell the bytes of a word apart.
    fn operated(&mut self, op: B, of: Scalar, parts: &[&Lanes]) -> Lanes {
        let (a, b) = (parts[0], parts[1]);
        let bits = binary(op, of, &a.bits, &b.bits);
        let by_bytes = matches!(
            op,
            B::And
                | B::LogicalAnd
                | B::InclusiveOr
                | B::LogicalOr
                | B::ExclusiveOr
                | B::ShiftLeft
                | B::ShiftRight
        );
        if !by_bytes || of.width == 8 || a.from.is_none() && b.from.is_none() {
            return self.made_of(bits, parts);
        }
        let Some(memory) = self.memory.as_deref_mut() else {
            return bits.into();
        };
        let sources = &mut memory.sources;
        let from = |lane: usize| -> Source {
            let (x, y) = (a.source(lane), b.source(lane));
            match op {
                B::And | B::LogicalAnd if y == 0 => sources.masked(x, b.bit(lane)),
                B::And | B::LogicalAnd if x == 0 => sources.masked(y, a.bit(lane)),
                B::ShiftLeft | B::ShiftRight => {
                    let by = (b.bit(lane) & 31) as i32;
                    let by = if op == B::ShiftLeft { by } else { -by };
                    let (moved, of) = (sources.shifted(x, by), sources.whole(y));
                    sources.union(moved, of)
                }
                B::InclusiveOr => sources.packed(x, y),
                _ => sources.union(x, y),
            }
        };
        Lanes {
            from: Some((0..self.count).map(from).collect()),
            bits,
        }
    }

    /// Elements of a storage buffer, many if its size is not known.
    fn array_length(&self, frame: &Frame<'a>, array: Handle<E>) -> u64 {
        let variable = match &frame.function.expressions[array] {
            E::GlobalVariable(variable) => &self.program.module.global_variables[*variable],
            other => panic!("the length of {other:?}"),
        };
        let binding = variable.binding.map(|at| at.binding);
        let bytes = self.uniforms.get(&binding).and_then(|words| words.first());
        match (bytes, self.program.inner(variable.ty)) {
            (Some(bytes), T::Array { stride, .. }) => u64::from(bytes / stride),
            _ => 1 << 30,
        }
    }
}
