//! The conformance cases on the reference, and whether the runner finds what is wrong.

use zerostride::reference;

use crate::conformance::case::Case;
use crate::conformance::run::Backend;
use crate::suite::{check, others_cases, own_cases, run_all};

#[test]
fn cases_pass_on_the_reference() {
    let mut cases = own_cases();
    cases.extend(others_cases());
    check("reference", &cases, reference::run);
}

#[test]
fn a_wrong_element_is_found() {
    // The last byte holds the exponent of a float and the sign of an integer.
    let wrong: Backend = |expr, inputs| {
        let mut tensor = reference::run(expr, inputs)?;
        if let Some(last) = tensor.bytes.last_mut() {
            *last ^= 0x41;
        }
        Ok(tensor)
    };
    let cases: Vec<Case> = own_cases()
        .into_iter()
        .filter(|c| c.kind == "exec" && c.expect_error.is_none())
        .collect();
    let report = run_all(&cases, wrong);
    let empty = cases
        .iter()
        .filter(|c| {
            c.outputs
                .iter()
                .any(|o| o.shape.iter().flatten().any(|&e| e == 0))
        })
        .count();
    let passed: usize = report.groups.values().map(|t| t.passed).sum();
    assert!(
        passed <= empty,
        "{passed} cases passed with a wrong last element, {empty} have no elements"
    );
}
