//! Methods and overloaded operators of `Expr`, made from the op table's lists.

use std::ops;

use super::{Expr, Literal};
use crate::op::{Op, arith_ops, compare_ops, fold_ops, math_ops};

/// One method a row. Operand types must already fit; literals take the type of the other operands.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal ($first:ident $(, $rest:ident $(= $default:literal)?)*)
       $types:ident($set:expr) $facts:tt { $($forms:tt)* })+) => {
        impl<L> Expr<L> {
            $($(#[doc = $doc])+ pub fn $method(&self $(, $rest: &Self)*) -> Self {
                Self::step(Op::$NAME, vec![self.clone() $(, $rest.clone())*])
            })+
        }
    };
}

macro_rules! fold_methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr) $facts:tt = $step:ident, $finish:expr;)+) => {
        impl<L> Expr<L> {
            $($(#[doc = $doc])+ pub fn $method(operands: &[Self]) -> Self {
                Self::step(Op::$NAME, operands.to_vec())
            })+
        }
    };
}

arith_ops!(methods);
compare_ops!(methods);
math_ops!(methods);
fold_ops!(fold_methods);

/// The operators promote as NumPy does (`/` is true division, `%` has the divisor's sign, `!` and
/// `&` `|` `^` are logical on bool and bitwise on integers); the methods of the same names do not.
/// Integers of 32 and 64 bits that meet a float become f32, see [`Promotion`](super::Promotion).
macro_rules! operators {
    ($($(#[$doc:meta])* $trait:ident $method:ident $NAME:ident;)+) => {
        $(impl<L, R: Into<Expr<L>>> ops::$trait<R> for Expr<L> {
            type Output = Expr<L>;

            $(#[$doc])*
            fn $method(self, rhs: R) -> Expr<L> {
                Expr::promoting(Op::$NAME, vec![self, rhs.into()])
            }
        }

        impl<L, R: Into<Expr<L>>> ops::$trait<R> for &Expr<L> {
            type Output = Expr<L>;

            $(#[$doc])*
            fn $method(self, rhs: R) -> Expr<L> {
                Expr::promoting(Op::$NAME, vec![self.clone(), rhs.into()])
            }
        })+
    };
}

operators! {
    Add add ADD;
    Sub sub SUB;
    Mul mul MUL;
    /// True division, as NumPy has it. Of integers it gives f32 (with
    /// [`Promotion::Numpy`](super::Promotion::Numpy) f64), which holds whole numbers up to 2^24:
    /// larger ones lose their last digits **before** they are divided, so that `t / 1000` of
    /// milliseconds since 1970 is up to a minute off. Cast to f64 first, or use the method
    /// [`floor_div`](Expr::floor_div), which stays exact.
    Div div DIV;
    Rem rem MOD;
    BitAnd bitand BIT_AND;
    BitOr bitor BIT_OR;
    BitXor bitxor BIT_XOR;
    Shl shl SHL;
    Shr shr SHR;
}

/// Operators with a number first. One type of floats and one of integers, so that the type of a
/// literal is known.
macro_rules! number_first {
    ($number:ty: $($trait:ident $method:ident $NAME:ident),+) => {
        $(impl<L> ops::$trait<Expr<L>> for $number {
            type Output = Expr<L>;

            fn $method(self, rhs: Expr<L>) -> Expr<L> {
                Expr::promoting(Op::$NAME, vec![Expr::literal(self), rhs])
            }
        }

        impl<L> ops::$trait<&Expr<L>> for $number {
            type Output = Expr<L>;

            fn $method(self, rhs: &Expr<L>) -> Expr<L> {
                Expr::promoting(Op::$NAME, vec![Expr::literal(self), rhs.clone()])
            }
        })+
    };
}

number_first!(f64: Add add ADD, Sub sub SUB, Mul mul MUL, Div div DIV, Rem rem MOD);
number_first!(i64: Add add ADD, Sub sub SUB, Mul mul MUL, Div div DIV, Rem rem MOD);
number_first!(i64: BitAnd bitand BIT_AND, BitOr bitor BIT_OR, BitXor bitxor BIT_XOR);
number_first!(i64: Shl shl SHL, Shr shr SHR);

impl<L> ops::Neg for Expr<L> {
    type Output = Self;

    fn neg(self) -> Self {
        Self::promoting(Op::NEG, vec![self])
    }
}

impl<L> ops::Neg for &Expr<L> {
    type Output = Expr<L>;

    fn neg(self) -> Expr<L> {
        Expr::promoting(Op::NEG, vec![self.clone()])
    }
}

impl<L> ops::Not for Expr<L> {
    type Output = Self;

    fn not(self) -> Self {
        Self::promoting(Op::BIT_NOT, vec![self])
    }
}

impl<L> ops::Not for &Expr<L> {
    type Output = Expr<L>;

    fn not(self) -> Expr<L> {
        Expr::promoting(Op::BIT_NOT, vec![self.clone()])
    }
}

impl<L> From<&Expr<L>> for Expr<L> {
    fn from(expr: &Expr<L>) -> Self {
        expr.clone()
    }
}

macro_rules! literals {
    ($($t:ty),+) => {
        $(impl<L> From<$t> for Expr<L> {
            fn from(x: $t) -> Self {
                Self::literal(Literal::from(x))
            }
        })+
    };
}

literals!(bool, i32, i64, f32, f64);
