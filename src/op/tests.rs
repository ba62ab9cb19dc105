//! Tests of the properties that every operator has.

mod facts;

use super::*;
use crate::dtype::DType;
use crate::error::Error;
use crate::expr::Scalar;

#[test]
fn every_row_has_a_form_for_every_type_it_takes() {
    for op in Op::table() {
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
    let mut names: Vec<_> = Op::table().map(|o| o.name()).collect();
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

/// Values at the ends of a type and near 0, as storage bits.
fn samples(dtype: DType) -> Vec<Value> {
    let width = 8 * dtype.size() as u32;
    let top = 1u64 << (width - 1);
    let bits = [
        0,
        1,
        2,
        3,
        7,
        top - 1,
        top,
        top + 1,
        top | (top - 1),
        top >> 1,
    ];
    bits.map(|bits| Value::decode(dtype, bits)).to_vec()
}

#[test]
fn a_row_that_does_not_renormalize_stays_in_its_type() {
    let mut failures = Vec::new();
    for op in Op::table().filter(|op| !op.facts().renormalize && !op.is_test()) {
        for dtype in op
            .accepts()
            .iter()
            .filter(|d| d.size() < 4 && *d != DType::Bool)
        {
            let Some(form) = op.form(dtype).filter(|form| form.read == Operands::Values) else {
                continue;
            };
            let samples = samples(dtype);
            for i in 0..samples.len().pow(op.operands().len() as u32) {
                let pick = |n: usize| samples[i / samples.len().pow(n as u32) % samples.len()];
                let operands: Vec<Value> = (0..op.operands().len()).map(pick).collect();
                let made = (form.cpu)(&operands);
                let kept = Value::decode(dtype, made.encode(dtype));
                let is_nan = |v: Value| matches!(v, Value::F32(x) if x.is_nan());
                if kept != made && !(is_nan(kept) && is_nan(made)) {
                    failures.push(format!("{op} of {dtype} {operands:?}: {made:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// A function of one f32 at a place, its other operands being the defaults.
fn at(op: Op, x: f32) -> Option<f32> {
    let form = op
        .form(DType::F32)
        .filter(|form| form.read == Operands::Values)?;
    let defaults = op.defaults().iter();
    let parameters = defaults.map(|&d| Value::decode(DType::F32, Scalar::of(DType::F32, d).bits));
    let operands: Vec<Value> = std::iter::once(Value::F32(x)).chain(parameters).collect();
    match (form.cpu)(&operands) {
        Value::F32(y) => Some(y),
        _ => None,
    }
}

#[test]
fn a_monotone_row_turns_nowhere_but_at_0() {
    let places: Vec<f32> = (-200..=200).map(|n| n as f32 / 16.0).collect();
    let mut failures = Vec::new();
    let monotone = |op: &Op| [Curve::Monotone, Curve::Ordered].contains(&op.curve());
    let unary = |op: &Op| op.operands().len() == op.defaults().len() + 1 && !op.is_test();
    for op in Op::table().filter(monotone).filter(unary) {
        for around in places.windows(3) {
            let [Some(low), Some(y), Some(high)] = [0, 1, 2].map(|i| at(op, around[i])) else {
                continue;
            };
            // What the function is at the two ends, or at 0, spans all between them.
            let is_number = !low.is_nan() && !high.is_nan();
            let turns = is_number && around[1] != 0.0 && (y < low.min(high) || y > low.max(high));
            let rounded = (y - low).abs().min((y - high).abs()) <= 4.0 * f32::EPSILON * y.abs();
            if turns && !rounded {
                failures.push(format!("{op} at {}: {low} {y} {high}", around[1]));
                break;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn comparisons_that_say_nothing_of_ties_are_symmetric() {
    use std::cmp::Ordering::{Greater, Less};
    for op in Op::table() {
        if let Numbers::Comparison(holds) = op.facts().numbers {
            assert_eq!(
                holds(Some(Less)) == holds(Some(Greater)),
                op.curve() == Curve::Ties,
                "{op}"
            );
            assert_eq!(holds(None), op == Op::NOT_EQUAL, "{op} beside a NaN");
        } else {
            assert_ne!(op.curve(), Curve::Ties, "{op}");
        }
    }
}

#[test]
fn facts_fit_the_types_that_a_row_takes() {
    for op in Op::table().filter(|op| !op.takes_dtype()) {
        let facts = op.facts();
        let whole = op.accepts().contains(DType::I64);
        let folded = matches!(
            facts.numbers,
            Numbers::One(_) | Numbers::Two(_) | Numbers::Three(_) | Numbers::Comparison(_)
        );
        let other = matches!(facts.numbers, Numbers::Choice | Numbers::Fold) || op == Op::DIV;
        let rounds = matches!(facts.promotion, Promote::Unchanged);
        assert_eq!(whole || rounds, folded || whole && other, "{op}: numbers");
        assert!(facts.target < op.operands().len(), "{op}: target");
        match facts.promotion {
            Promote::Bools(row) => assert!(row.accepts().contains(DType::Bool), "{op}"),
            Promote::BoolsAs(to) => assert!(op.accepts().contains(to), "{op}"),
            Promote::ToBools => assert!(op.accepts().contains(DType::Bool), "{op}"),
            Promote::ToFloats | Promote::TrueDivision => {
                assert!(op.accepts().contains(DType::F32), "{op}");
            }
            Promote::Unchanged | Promote::Refuse => {}
        }
    }
}
