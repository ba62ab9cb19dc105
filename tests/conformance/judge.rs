//! What became of a case.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::case::{Case, Tolerance};
use super::compare::compare;
use super::run::{Backend, is_unsupported, run_case};

/// How a case ended.
pub enum End {
    Passed { strict: Result<(), String> },
    Failed(String),
    Unsupported(String),
}

/// Runs a case and compares what it gives with what it asks for.
pub fn judge(case: &Case, backend: Backend) -> End {
    let found = match catch_unwind(AssertUnwindSafe(|| run_case(case, backend))) {
        Ok(found) => found,
        Err(_) => return End::Failed("it panicked".into()),
    };
    match (found, &case.expect_error) {
        (Err(e), _) if is_unsupported(&e) => End::Unsupported(e.to_string()),
        (Err(_), Some(_)) => End::Passed { strict: Ok(()) },
        (Err(e), None) => End::Failed(e.to_string()),
        (Ok(_), Some(kind)) => {
            End::Failed(format!("no error came, one of kind {kind} was expected"))
        }
        (Ok(outputs), None) => {
            match compare(case, &outputs, case.tol.unwrap_or(Tolerance::Exact)) {
                Err(e) if is_unsupported(&e) => End::Unsupported(e.to_string()),
                Err(e) => End::Failed(e.to_string()),
                Ok(Err(difference)) => End::Failed(difference),
                Ok(Ok(())) => {
                    let strict = case.strict.map(|strict| compare(case, &outputs, strict));
                    End::Passed {
                        strict: strict
                            .unwrap_or(Ok(Ok(())))
                            .unwrap_or_else(|e| Err(e.to_string())),
                    }
                }
            }
        }
    }
}
