//! Overloaded operators of tensors: those of expressions; their result is an expression.

use super::Tensor;
use crate::expr::{Expr, operators};

operators!([] Tensor => Expr<Tensor>);
