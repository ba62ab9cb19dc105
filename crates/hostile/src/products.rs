//! Arithmetic on sums.

use std::rc::Rc;

use naga::{BinaryOperator, Expression, MathFunction};

use crate::form::{Form, Term};
use crate::output::{Output, Sum, Value};

impl Output<'_> {
    /// A sum or, if `negative`, a difference of floats.
    pub fn sum(&mut self, a: &Value, b: &Value, negative: bool) -> Option<Value> {
        let (left, right) = (self.summed(a)?, self.summed(b)?);
        if left.near.kind != right.near.kind {
            return None;
        }
        if !self.reassociates() {
            return Some(self.contracted(&left.near, &right.near, negative));
        }
        let signed = |right: &Form| {
            if negative {
                right.negated()
            } else {
                right.clone()
            }
        };
        let far = left.far.plus(&signed(&right.far));
        if let Some((far, true)) = far {
            return Some(far.into());
        }
        let near = left.near.plus(&signed(&right.near)).or_else(|| {
            // Too long: the sums so far are values.
            let [left, right] = [&left.near, &right.near].map(|form| self.atom(form));
            left.plus(&signed(&right))
        });
        let (near, _) = near?;
        let far = far.map_or_else(|| near.clone(), |(far, _)| far);
        Some(Value::Sum(Rc::new(Sum { near, far })))
    }

    /// A sum by itself: a product in it is not rounded.
    fn contracted(&mut self, left: &Form, right: &Form, negative: bool) -> Value {
        let product = |form: &Form| form.terms.iter().any(Term::is_product);
        if !product(left) && !product(right) {
            let [left, right] = [left, right].map(|form| self.written(form));
            let op = if negative {
                BinaryOperator::Subtract
            } else {
                BinaryOperator::Add
            };
            return Value::Is(self.push(Expression::Binary { op, left, right }));
        }
        let right = if negative {
            right.negated()
        } else {
            right.clone()
        };
        let sum = Form {
            kind: left.kind,
            constant: left.constant + right.constant,
            terms: left.terms.iter().chain(&right.terms).cloned().collect(),
        };
        Value::Is(self.written(&sum))
    }

    /// The opposite sign; `None` where a compiler that keeps the order has nothing to do with it.
    pub fn negated(&mut self, a: &Value) -> Option<Value> {
        let sum = self.summed(a)?;
        let (near, far) = (sum.near.negated(), sum.far.negated());
        let takes = self.reassociates() || near.terms.iter().any(Term::is_product);
        takes.then(|| Value::Sum(Rc::new(Sum { near, far })))
    }

    pub fn product(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let (left, right) = (self.summed(a)?, self.summed(b)?);
        if left.near.kind != right.near.kind {
            return None;
        }
        let [mut left, mut right] = match self.reassociates() {
            true => [left.near.clone(), right.near.clone()],
            false => [self.atom(&left.near), self.atom(&right.near)],
        };
        if right.is_constant() {
            std::mem::swap(&mut left, &mut right);
        }
        if left.is_constant()
            && left.constant != 0.0
            && let Some(scaled) = right.times(left.constant)
        {
            return Some(scaled.into());
        }
        for form in [&mut left, &mut right] {
            if !form.is_term() {
                *form = self.atom(form);
            }
        }
        if left.is_constant() || right.is_constant() {
            // By a zero, or beyond all numbers.
            let [left, right] = [left, right].map(|form| self.written(&form));
            return Some(Value::Is(self.times(left, right)));
        }
        if let Some(product) = left.product(&right) {
            return Some(product.into());
        }
        let [left, right] = [left, right].map(|form| self.atom(&form));
        left.product(&right).map(Value::from)
    }

    /// 1 of a value by itself, 0 of an f32 by one whose inverse is subnormal, which WGSL allows; `None` if a compiler keeps
    /// quotients.
    pub fn quotient(&mut self, a: &Value, b: &Value) -> Option<Value> {
        let (left, right) = (self.summed(a)?, self.summed(b)?);
        if !self.ways.is_some_and(|ways| ways.changes_quotients) {
            return None;
        }
        let kind = left.far.kind;
        if left.far == right.far && !left.far.is_constant() {
            return Some(Form::constant(kind, 1.0).into());
        }
        if kind.width != 4 || right.far.is_constant() {
            return None;
        }
        let [most, zero] = [2f64.powi(126), 0.0].map(|x| Form::constant(kind, x).into());
        let [a, b, most, zero] = [a, b, &most, &zero].map(|value| self.handle(value));
        let (fun, arg1, arg2, arg3) = (MathFunction::Abs, None, None, None);
        let magnitude = self.push(Expression::Math {
            fun,
            arg: b,
            arg1,
            arg2,
            arg3,
        });
        let mut binary = |op, left, right| self.push(Expression::Binary { op, left, right });
        let condition = binary(BinaryOperator::Greater, magnitude, most);
        let accept = binary(BinaryOperator::Multiply, a, zero);
        let reject = binary(BinaryOperator::Divide, a, b);
        Some(Value::Is(self.push(Expression::Select {
            condition,
            accept,
            reject,
        })))
    }

    /// `fma` as the compiler takes it.
    pub fn fused(&mut self, [a, b, c]: [&Value; 3]) -> Value {
        if self.ways.is_some_and(|ways| ways.takes_fma_apart) {
            let product = self.product(a, b);
            if let Some(sum) = product.and_then(|product| self.sum(&product, c, false)) {
                return sum;
            }
        }
        let [a, b, c] = [a, b, c].map(|value| self.handle(value));
        match self.kind(a) {
            Some(kind) => Value::Is(self.rounded_once(kind, [a, b, c])),
            None => {
                let (fun, arg1, arg2) = (MathFunction::Fma, Some(b), Some(c));
                Value::Is(self.push(Expression::Math {
                    fun,
                    arg: a,
                    arg1,
                    arg2,
                    arg3: None,
                }))
            }
        }
    }
}
