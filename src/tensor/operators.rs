//! Overloaded operators of tensors: those of expressions, of which they make one.

use super::Tensor;
use crate::expr::{Expr, operators};

operators!([] Tensor => Expr<Tensor>);
