//! Expressions of the function that is read, one by one.

use naga::{
    AddressSpace, BinaryOperator, Expression, Handle, Literal, MathFunction, ScalarKind,
    StorageAccess, TypeInner, UnaryOperator,
};

use crate::form::{Form, Kind};
use crate::operands::with_operands;
use crate::output::{Output, Value};
use crate::statements::{Frame, Rewriter};

impl Rewriter<'_> {
    /// The value of an expression that a statement emits.
    pub fn emitted(&mut self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Value {
        let expression = &frame.function.expressions[handle];
        if let Expression::Load { pointer } = *expression {
            let pointer = self.computed(frame, pointer);
            return self.loaded(pointer);
        }
        if let Some(value) = self.arithmetic(frame, expression) {
            return value;
        }
        let mapped = self.mapped(frame, expression);
        if let Some(seen) = seen_through(&mut self.out, &mapped) {
            return Value::Is(seen);
        }
        Value::Is(self.out.push(mapped))
    }

    /// The value of an operand.
    pub fn value(&mut self, frame: &mut Frame<'_>, handle: Handle<Expression>) -> Value {
        if let Some(value) = frame.values.get(&handle) {
            return value.clone();
        }
        let value = match frame.function.expressions[handle] {
            Expression::FunctionArgument(i) if !frame.arguments.is_empty() => {
                frame.arguments[i as usize].clone()
            }
            Expression::LocalVariable(local) => Value::Is(
                self.out
                    .push(Expression::LocalVariable(frame.locals[&local])),
            ),
            ref constant => {
                let mapped = self.mapped(frame, constant);
                Value::Is(self.out.push(mapped))
            }
        };
        frame.values.insert(handle, value.clone());
        value
    }

    /// An operand, computed.
    pub fn computed(
        &mut self,
        frame: &mut Frame<'_>,
        handle: Handle<Expression>,
    ) -> Handle<Expression> {
        let value = self.value(frame, handle);
        self.out.handle(&value)
    }

    /// What lies behind a pointer.
    pub fn loaded(&mut self, pointer: Handle<Expression>) -> Value {
        let load = Expression::Load { pointer };
        if let Expression::LocalVariable(local) = self.out.expressions[pointer] {
            if let Some(value) = self.out.held.get(&local) {
                return value.clone();
            }
            let value = Value::Is(self.out.anew(load));
            self.out.held.insert(local, value.clone());
            return value;
        }
        // What nobody writes to is loaded once.
        let fixed = match *self.out.inner(pointer) {
            TypeInner::Pointer { space, .. } | TypeInner::ValuePointer { space, .. } => match space
            {
                AddressSpace::Uniform | AddressSpace::Immediate => true,
                AddressSpace::Storage { access } => !access.contains(StorageAccess::STORE),
                _ => false,
            },
            _ => false,
        };
        Value::Is(if fixed {
            self.out.push(load)
        } else {
            self.out.anew(load)
        })
    }

    /// Arithmetic on floats as sums; `None` of everything else.
    fn arithmetic(&mut self, frame: &mut Frame<'_>, expression: &Expression) -> Option<Value> {
        self.out.ways?;
        match *expression {
            Expression::Unary {
                op: UnaryOperator::Negate,
                expr,
            } => {
                let value = self.operand(frame, expr, false);
                self.out.negated(&value)
            }
            Expression::Binary { op, left, right } => {
                let (left, right) = self.operands(frame, op, left, right)?;
                match op {
                    BinaryOperator::Add => self.out.sum(&left, &right, false),
                    BinaryOperator::Subtract => self.out.sum(&left, &right, true),
                    BinaryOperator::Multiply => self.out.product(&left, &right),
                    BinaryOperator::Divide => self.out.quotient(&left, &right),
                    _ => None,
                }
            }
            Expression::Math {
                fun: MathFunction::Fma,
                arg,
                arg1: Some(b),
                arg2: Some(c),
                ..
            } => {
                let [a, b] = [arg, b].map(|h| self.operand(frame, h, true));
                let c = self.operand(frame, c, false);
                Some(self.out.fused([&a, &b, &c]))
            }
            _ => None,
        }
    }

    /// An operand of arithmetic.
    fn operand(
        &mut self,
        frame: &mut Frame<'_>,
        handle: Handle<Expression>,
        factor: bool,
    ) -> Value {
        let value = self.value(frame, handle);
        match frame.uses.get(&handle) {
            Some(&uses) if uses > 1 => self.out.shared(value, factor),
            _ => value,
        }
    }

    /// Operands of arithmetic, of one type: a scalar factor becomes a vector. `None` of what is no float.
    fn operands(
        &mut self,
        frame: &mut Frame<'_>,
        op: BinaryOperator,
        left: Handle<Expression>,
        right: Handle<Expression>,
    ) -> Option<(Value, Value)> {
        use BinaryOperator::{Add, Divide, Multiply, Subtract};
        if !matches!(op, Add | Subtract | Multiply | Divide) {
            return None;
        }
        let factor = matches!(op, Multiply | Divide);
        let [left, right] = [left, right].map(|h| self.operand(frame, h, factor));
        let [a, b] = [
            self.out.summed(&left)?.near.kind,
            self.out.summed(&right)?.near.kind,
        ];
        let mut spread = |value: &Value, size| {
            let sum = self.out.summed(value)?;
            if sum.near.is_constant() {
                let kind = Kind {
                    size: Some(size),
                    ..sum.near.kind
                };
                return Some(Form::constant(kind, sum.near.constant).into());
            }
            let value = self.out.handle(value);
            Some(Value::Is(self.out.push(Expression::Splat { size, value })))
        };
        match (a.size, b.size) {
            (Some(size), None) => Some((left, spread(&right, size)?)),
            (None, Some(size)) => Some((spread(&left, size)?, right)),
            _ => Some((left, right)),
        }
    }

    /// The expression on the values that its operands have here.
    fn mapped(&mut self, frame: &mut Frame<'_>, expression: &Expression) -> Expression {
        with_operands(expression, |handle| self.computed(frame, handle))
    }
}

/// The float that was rounded to the half that is unpacked: a compiler that takes it for a real number leaves out both
/// conversions, unless bits brought it in.
fn packed_before(out: &Output<'_>, unpacked: Handle<Expression>, index: u32) -> Option<Expression> {
    out.ways?;
    let of = |handle, fun| match out.expressions[handle] {
        Expression::Math { fun: is, arg, .. } if is == fun => Some(arg),
        _ => None,
    };
    let is = |handle, word| matches!(out.expressions[handle], Expression::Literal(Literal::U32(w)) if w == word);
    let word = of(unpacked, MathFunction::Unpack2x16float)?;
    let (word, shifted) = match out.expressions[word] {
        Expression::Binary {
            op: BinaryOperator::And,
            left,
            right,
        } if is(right, 0xffff) => (left, 0),
        Expression::Binary {
            op: BinaryOperator::ShiftRight,
            left,
            right,
        } if is(right, 16) => (left, 1),
        _ => (word, 0),
    };
    let base = of(word, MathFunction::Pack2x16float)?;
    let source = match out.expressions[base] {
        Expression::Swizzle { vector, .. } => vector,
        _ => base,
    };
    if matches!(
        out.expressions[source],
        Expression::As { convert: None, .. }
    ) {
        return None;
    }
    let index = index + shifted;
    (index < 2).then_some(Expression::AccessIndex { base, index })
}

/// What an expression is an alias of: a part of what was put together, bits that were a float before.
fn seen_through(out: &mut Output<'_>, expression: &Expression) -> Option<Handle<Expression>> {
    match *expression {
        Expression::AccessIndex { base, index } => {
            if let Some(packed) = packed_before(out, base, index) {
                return Some(out.push(packed));
            }
            let (components, is_vector) = match out.expressions[base] {
                Expression::Compose { ref components, .. } => (components.clone(), false),
                Expression::Splat { value, size } => (vec![value; size as usize], true),
                _ => return None,
            };
            let vector = matches!(*out.inner(base), TypeInner::Vector { size, .. } if components.len() < size as usize);
            (is_vector || !vector).then(|| components[index as usize])
        }
        Expression::As {
            expr,
            kind: ScalarKind::Float,
            convert: None,
        } => {
            let Expression::As {
                expr: first,
                convert: None,
                ..
            } = out.expressions[expr]
            else {
                return None;
            };
            let bits = out.inner(expr).scalar_width();
            (out.kind(first).map(|kind| kind.width) == bits).then_some(first)
        }
        _ => None,
    }
}
