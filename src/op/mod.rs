//! The op table: one row an operator.
//!
//! The rows stand in `arith`, `compare` and `math`, each a list that is handed to a macro: `rows`
//! makes the table of it, and the modules of `Expr` and `Tensor` make their methods of it. To add
//! an operator is to add a row and, where WGSL lacks the function, a helper in `shaders/`.

mod arith;
mod cast;
mod compare;
mod facts;
mod floats;
mod functions;
mod integers;
mod math;
mod operator;
mod row;
mod rows;
mod value;

pub(crate) use arith::{arith_ops, fold_ops};
pub(crate) use cast::{cast_cpu, cast_wgsl};
pub(crate) use compare::compare_ops;
pub use facts::Curve;
pub(crate) use facts::{Algebra, Numbers, Promote};
pub(crate) use math::math_ops;
pub use operator::Op;
pub use row::Arity;
pub(crate) use row::{Operands, Types};
pub(crate) use value::Value;
pub(crate) use value::wgsl_type;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::error::Error;

    #[test]
    fn every_row_has_a_form_for_every_type_it_takes() {
        for op in Op::all() {
            assert!(op.defaults().len() < op.operands().len(), "{}", op.name());
            for dtype in op.accepts().iter() {
                assert!(
                    op.fold_step().is_some() || op.takes_dtype() || op.form(dtype).is_some(),
                    "{} {dtype}",
                    op.name()
                );
            }
            assert!(!op.doc().trim().is_empty(), "{}", op.name());
        }
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<_> = Op::all().map(|o| o.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn types_are_checked_with_the_operand_named() {
        let err = Op::ADD.result(&[DType::F32, DType::I32], None).unwrap_err();
        assert_eq!(
            err.to_string(),
            "add: operands have the types f32 and i32, which must be equal; cast them first"
        );
        let err = Op::WHERE
            .result(&[DType::F32, DType::I32, DType::I32], None)
            .unwrap_err();
        assert!(
            err.to_string().starts_with("where: operand 0 is f32"),
            "{err}"
        );
        assert!(matches!(
            Op::ADD.result(&[DType::F32], None),
            Err(Error::Arity { .. })
        ));
        let err = Op::BIT_CAST
            .result(&[DType::F64], Some(DType::F32))
            .unwrap_err();
        assert_eq!(err.to_string(), "bit_cast: f64 has 8 bytes, f32 has 4");
    }
}
