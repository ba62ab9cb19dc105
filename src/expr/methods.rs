//! Methods of `Expr`, made from the op table's lists, and the overloaded operators of `Expr` and
//! tensors.

use super::{Expr, Literal};
use crate::op::{Op, arith_ops, compare_ops, fold_ops, math_ops};

/// One method a row, which promotes as the overloaded operators do.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal ($first:ident $(, $rest:ident $(= $default:literal)?)*)
       $types:ident($set:expr) $facts:tt { $($forms:tt)* })+) => {
        impl<L> Expr<L> {
            $($(#[doc = $doc])+ pub fn $method(&self $(, $rest: impl Into<Self>)*) -> Self {
                Self::promoting(Op::$NAME, vec![self.clone() $(, $rest.into())*])
            })+
        }
    };
}

macro_rules! fold_methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr) $facts:tt = $step:ident, $finish:expr;)+) => {
        impl<L> Expr<L> {
            $($(#[doc = $doc])+ pub fn $method(operands: impl IntoIterator<Item: Into<Self>>) -> Self {
                Self::promoting(Op::$NAME, Self::operands(operands))
            })+
        }
    };
}

arith_ops!(methods);
compare_ops!(methods);
math_ops!(methods);
fold_ops!(fold_methods);

/// The overloaded operators of an operand type and of references to it. They promote as NumPy does
/// (`/` is true division, `%` has the divisor's sign, `!` and `&` `|` `^` are logical on bool and
/// bitwise on integers). Integers of 32 and 64 bits become f32 beside a float, see
/// [`Promotion`](super::Promotion).
///
/// The result is an expression; nothing is computed yet.
macro_rules! operators {
    ($of:tt $operand:ty => $expr:ty) => {
        $crate::expr::operators! { @binary $of $operand => $expr;
            Add add ADD;
            Sub sub SUB;
            Mul mul MUL;
            /// True division, as in NumPy. Integers give f32 (with
            /// [`Promotion::Numpy`](crate::Promotion::Numpy) f64), which holds whole numbers up to
            /// 2^24: larger ones lose their last digits **before** they are divided, so that
            /// `t / 1000` of milliseconds since 1970 is up to a minute off. Cast to f64 first, or use
            /// the method [`floor_div`](crate::Expr::floor_div), which stays exact.
            Div div DIV;
            Rem rem MOD;
            BitAnd bitand BIT_AND;
            BitOr bitor BIT_OR;
            BitXor bitxor BIT_XOR;
            Shl shl SHL;
            Shr shr SHR;
        }
        $crate::expr::operators! { @unary $of $operand => $expr; Neg neg NEG; Not not BIT_NOT; }
        // One type of floats and one of integers, so that the type of a number in front is known.
        $crate::expr::operators! { @number f64 $of $operand => $expr;
            Add add ADD; Sub sub SUB; Mul mul MUL; Div div DIV; Rem rem MOD;
        }
        $crate::expr::operators! { @number i64 $of $operand => $expr;
            Add add ADD; Sub sub SUB; Mul mul MUL; Div div DIV; Rem rem MOD;
            BitAnd bitand BIT_AND; BitOr bitor BIT_OR; BitXor bitxor BIT_XOR; Shl shl SHL; Shr shr SHR;
        }
    };
    (@binary $of:tt $operand:ty => $expr:ty;
     $($(#[$doc:meta])* $trait:ident $method:ident $NAME:ident;)+) => {
        $($crate::expr::operators! { @two $of $operand => $expr; $(#[$doc])* $trait $method $NAME; }
        $crate::expr::operators! { @two $of &$operand => $expr; $(#[$doc])* $trait $method $NAME; })+
    };
    (@two [$($L:ident)?] $operand:ty => $expr:ty; $(#[$doc:meta])* $trait:ident $method:ident $NAME:ident;) => {
        impl<$($L,)? R: Into<$expr>> ::std::ops::$trait<R> for $operand {
            type Output = $expr;

            $(#[$doc])*
            fn $method(self, rhs: R) -> $expr {
                <$expr>::promoting($crate::op::Op::$NAME, vec![self.into(), rhs.into()])
            }
        }
    };
    (@unary $of:tt $operand:ty => $expr:ty; $($trait:ident $method:ident $NAME:ident;)+) => {
        $($crate::expr::operators! { @one $of $operand => $expr; $trait $method $NAME; }
        $crate::expr::operators! { @one $of &$operand => $expr; $trait $method $NAME; })+
    };
    (@one [$($L:ident)?] $operand:ty => $expr:ty; $trait:ident $method:ident $NAME:ident;) => {
        impl<$($L)?> ::std::ops::$trait for $operand {
            type Output = $expr;

            fn $method(self) -> $expr {
                <$expr>::promoting($crate::op::Op::$NAME, vec![self.into()])
            }
        }
    };
    (@number $number:ident $of:tt $operand:ty => $expr:ty; $($trait:ident $method:ident $NAME:ident;)+) => {
        $($crate::expr::operators! { @first $number $of $operand => $expr; $trait $method $NAME; }
        $crate::expr::operators! { @first $number $of &$operand => $expr; $trait $method $NAME; })+
    };
    (@first $number:ident [$($L:ident)?] $operand:ty => $expr:ty; $trait:ident $method:ident $NAME:ident;) => {
        impl<$($L)?> ::std::ops::$trait<$operand> for $number {
            type Output = $expr;

            fn $method(self, rhs: $operand) -> $expr {
                <$expr>::promoting($crate::op::Op::$NAME, vec![self.into(), rhs.into()])
            }
        }
    };
}
pub(crate) use operators;

operators!([L] Expr<L> => Expr<L>);

impl<L> Expr<L> {
    /// Converts values to operands.
    pub(crate) fn operands(operands: impl IntoIterator<Item: Into<Self>>) -> Vec<Self> {
        operands.into_iter().map(Into::into).collect()
    }
}

impl<L> From<&Expr<L>> for Expr<L> {
    fn from(expr: &Expr<L>) -> Self {
        expr.clone()
    }
}

impl<L, T: Into<Literal>> From<T> for Expr<L> {
    fn from(x: T) -> Self {
        Self::literal(x)
    }
}
