use super::*;
use crate::dtype::DType;
use crate::op::Arity;

#[test]
fn a_row_of_floats_has_a_derivative_or_says_why_not() {
    for op in Op::table() {
        let takes_floats = op.accepts().iter().any(DType::is_float);
        let count = match op.arity() {
            Arity::Exactly(n) => n,
            Arity::Variadic => 3,
        };
        match op.facts().derivative.terms(count) {
            Ok(terms) => {
                assert!(takes_floats, "{op} takes no floats");
                assert_eq!(terms.len(), count, "{op}");
            }
            Err(reason) => {
                assert!(!reason.is_empty(), "{op}");
                assert!(!takes_floats || op == Op::BIT_CAST, "{op}: {reason}");
            }
        }
    }
}

#[test]
fn what_reaches_an_operand_is_made_of_the_gradient() {
    fn names(term: &Term) -> bool {
        match term {
            Term::Gradient => true,
            Term::Step(_, args) => args.iter().any(names),
            Term::Float(x) => names(x),
            Term::Operand(_) | Term::Result | Term::Number(_) => false,
        }
    }
    for op in Op::table() {
        let count = match op.arity() {
            Arity::Exactly(n) => n,
            Arity::Variadic => 3,
        };
        for term in op.facts().derivative.terms(count).unwrap_or_default() {
            // So that it has the result's shape.
            assert!(term == Term::NOTHING || names(&term), "{op}: {term:?}");
        }
    }
}
