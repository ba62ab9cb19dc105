//! The derivatives of rows: formulas over rows, as data.
//!
//! A row's formulas are in its facts. They hold element by element; the caller sums the gradient of
//! a broadcast operand. Where a row has two slopes, the slope of the branch that it takes counts,
//! and operands that tie share the gradient equally.

use std::ops;

use super::Op;

/// The derivative of a row: the gradient of each operand, given the gradient `g` of the result. The
/// functions take `g`, the operands, and the result.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Derivative {
    /// Of one operand.
    Unary(fn(&Term, &Term, &Term) -> Term),
    /// Of two operands.
    Binary(fn(&Term, [&Term; 2], &Term) -> [Term; 2]),
    /// Of three operands.
    Ternary(fn(&Term, [&Term; 3], &Term) -> [Term; 3]),
    /// Of any number of operands.
    Variadic(fn(&Term, &[Term], &Term) -> Vec<Term>),
    /// Of a custom operator: the terms themselves, one for each operand.
    Terms(&'static [Term]),
    /// The result is constant between its jumps, so the gradients are 0.
    Flat,
    /// Not differentiable, for this reason.
    Never(&'static str),
}

/// For rows that take only integers or bools.
pub(super) const OF_INTEGERS: Derivative = Derivative::Never("it takes no floats");

/// For every row, in builds without gradients.
pub(super) const WITHOUT: Derivative =
    Derivative::Never("this build has no gradients: the feature `complete` is off");

impl Derivative {
    /// The gradients of `count` operands; [`Term::NOTHING`] where an operand gets none.
    ///
    /// # Errors
    /// The reason why there is no derivative.
    pub fn terms(self, count: usize) -> Result<Vec<Term>, &'static str> {
        let (g, r) = (&Term::Gradient, &Term::Result);
        let x: Vec<Term> = (0..count).map(Term::Operand).collect();
        let terms = match (self, x.as_slice()) {
            (Self::Unary(f), [x]) => vec![f(g, x, r)],
            (Self::Binary(f), [a, b]) => f(g, [a, b], r).to_vec(),
            (Self::Ternary(f), [a, b, c]) => f(g, [a, b, c], r).to_vec(),
            (Self::Variadic(f), x) => f(g, x, r),
            (Self::Terms(terms), x) if terms.len() == x.len() => terms.to_vec(),
            (Self::Flat, x) => vec![Term::NOTHING; x.len()],
            (Self::Never(reason), _) => return Err(reason),
            (Self::Unary(_) | Self::Binary(_) | Self::Ternary(_) | Self::Terms(_), _) => {
                return Err("its derivative has another number of operands");
            }
        };
        Ok(terms)
    }
}

/// A formula over rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Term {
    /// The gradient of the result.
    Gradient,
    /// An operand.
    Operand(usize),
    /// The result.
    Result,
    /// A number.
    Number(f64),
    /// A row applied.
    Step(Op, Vec<Self>),
    /// A term of another type, as a float of the formula's type.
    Float(Box<Self>),
}

impl From<f64> for Term {
    fn from(x: f64) -> Self {
        Self::Number(x)
    }
}

impl From<&Self> for Term {
    fn from(x: &Self) -> Self {
        x.clone()
    }
}

/// Rows as methods.
macro_rules! methods {
    ($($method:ident $NAME:ident $(($other:ident))?;)+) => {
        $(pub fn $method(&self $(, $other: impl Into<Self>)?) -> Self {
            Self::Step(Op::$NAME, vec![self.clone() $(, $other.into())?])
        })+
    };
}

impl Term {
    /// The gradient of an operand that the result does not depend on.
    pub const NOTHING: Self = Self::Number(0.0);

    methods! {
        abs ABS;
        cos COS;
        cosh COSH;
        erf ERF;
        exp EXP;
        expm1 EXPM1;
        log LOG;
        sigmoid SIGMOID;
        sign SIGN;
        sin SIN;
        sinh SINH;
        softplus SOFTPLUS;
        sqrt SQRT;
        tanh TANH;
        trunc TRUNC;
        and AND (other);
        below LESS (other);
        floor_div FLOOR_DIV (by);
        is EQUAL (other);
        maximum MAXIMUM (other);
        pow POW (exponent);
        up_to LESS_OR_EQUAL (other);
    }

    pub fn square(&self) -> Self {
        self * self
    }

    /// Clamps this term to a distance from 0 beyond which it makes no difference.
    pub fn within(&self, distance: f64) -> Self {
        let bounds = [-distance, distance].map(Self::Number);
        Self::Step(Op::CLIP, [self.clone()].into_iter().chain(bounds).collect())
    }

    /// One term where this condition holds, another elsewhere.
    pub fn choose(&self, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        Self::Step(Op::WHERE, vec![self.clone(), yes.into(), no.into()])
    }

    /// This term where a condition holds, else 0.
    pub fn only_if(&self, condition: &Self) -> Self {
        condition.choose(self, 0.0)
    }

    /// This term, but 0 where a condition holds.
    pub fn unless(&self, condition: &Self) -> Self {
        condition.choose(0.0, self)
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $NAME:ident;)+) => {
        $(impl<R: Into<Term>> ops::$trait<R> for &Term {
            type Output = Term;

            fn $method(self, other: R) -> Term {
                Term::Step(Op::$NAME, vec![self.clone(), other.into()])
            }
        }

        impl<R: Into<Term>> ops::$trait<R> for Term {
            type Output = Term;

            fn $method(self, other: R) -> Term {
                Term::Step(Op::$NAME, vec![self, other.into()])
            }
        }

        impl ops::$trait<&Term> for f64 {
            type Output = Term;

            fn $method(self, other: &Term) -> Term {
                Term::Number(self).$method(other)
            }
        }

        impl ops::$trait<Term> for f64 {
            type Output = Term;

            fn $method(self, other: Term) -> Term {
                Term::Number(self).$method(other)
            }
        })+
    };
}

operators! {
    Add add ADD;
    Sub sub SUB;
    Mul mul MUL;
    Div div DIV;
}

impl ops::Neg for &Term {
    type Output = Term;

    fn neg(self) -> Term {
        Term::Step(Op::NEG, vec![self.clone()])
    }
}

impl ops::Neg for Term {
    type Output = Self;

    fn neg(self) -> Self {
        Self::Step(Op::NEG, vec![self])
    }
}

#[cfg(test)]
mod tests;
