//! Methods of `Tensor`, made from the op table's lists.

use super::Tensor;
use crate::error::Result;
use crate::op::{Op, arith_ops, compare_ops, fold_ops, math_ops};
use crate::rule::Rule;

/// One method a row, under `Rule::Numpy`. Operand types must already fit; other rules through
/// `Tensor::apply`.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal ($first:ident $(, $rest:ident $(= $default:literal)?)*)
       $types:ident($set:expr) $facts:tt { $($forms:tt)* })+) => {
        impl Tensor {
            $($(#[doc = $doc])+
            ///
            /// # Errors
            /// Those of [`Context::eval`](crate::Context::eval).
            pub fn $method(&self $(, $rest: &Self)*) -> Result<Self> {
                Self::apply(Op::$NAME, &[self $(, $rest)*], Rule::Numpy)
            })+
        }
    };
}

macro_rules! fold_methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr) $facts:tt = $step:ident, $finish:expr;)+) => {
        impl Tensor {
            $($(#[doc = $doc])+
            ///
            /// # Errors
            /// Those of [`Context::eval`](crate::Context::eval).
            pub fn $method(operands: &[&Self]) -> Result<Self> {
                Self::apply(Op::$NAME, operands, Rule::Numpy)
            })+
        }
    };
}

arith_ops!(methods);
compare_ops!(methods);
math_ops!(methods);
fold_ops!(fold_methods);
