//! The op table, with one row for each operator.
//!
//! The modules `arith`, `compare` and `math` list the rows, and each list is passed to a macro:
//! `rows` makes the table from it, and the modules of `Expr` and `Tensor` make their methods. To
//! add an operator, add a row and, if WGSL lacks the function, a helper in `shaders/`.

mod arith;
mod cast;
mod compare;
mod derivative;
mod facts;
mod floats;
mod functions;
mod integers;
mod math;
mod operator;
mod order;
mod row;
mod rows;
mod scan;
mod slopes;
mod soft;
mod value;

pub(crate) use arith::{arith_ops, fold_ops, inner_ops};
pub(crate) use cast::{cast_cpu, cast_wgsl};
pub(crate) use compare::compare_ops;
pub(crate) use derivative::{Derivative, Term};
pub use facts::Curve;
pub(crate) use facts::{Algebra, Bound, Cost, Facts, Numbers, Promote, Turns, exact};
pub(crate) use math::math_ops;
pub use operator::Op;
pub(crate) use order::{Folding, GROUP, LANES, fold_in_order};
pub use row::Arity;
pub(crate) use row::{Form, OnCpu, Operands, Row, Types};
pub(crate) use scan::scan_in_order;
pub(crate) use soft::Native64;
pub(crate) use value::Value;
pub(crate) use value::wgsl_type;

#[cfg(test)]
mod tests;
