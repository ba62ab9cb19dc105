//! What a person who knows NumPy types: `tests/habits/expressions.txt`, with what NumPy gives as case
//! files beside it.
//!
//! Each text gives NumPy's values, shape and type, or is refused with words that say what to write
//! instead. Types are those of `Promotion::Numpy`.

use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::conformance::case::{Case, Tolerance, broken, read_folder};
use crate::conformance::compare::compare;
use crate::conformance::run::{Backend, Outputs, is_unsupported};
use zerostride::{Expr, HostTensor, Promotion, Result, Rule, text};

/// What became of the texts.
#[derive(Default)]
struct Score {
    as_numpy: usize,
    refused: usize,
    /// Those that the adapter lacks 64-bit floats for.
    without_f64: usize,
    failures: Vec<String>,
}

/// The results of a text, in NumPy's types.
fn run_text(case: &Case, backend: Backend) -> Result<Vec<HostTensor>> {
    let inputs = case.inputs.iter().map(|spec| {
        let input = case.tensor(spec)?;
        input.ok_or_else(|| broken("an input is left out"))
    });
    let inputs: Vec<HostTensor> = inputs.collect::<Result<_>>()?;
    let names: Vec<&str> = case
        .inputs
        .iter()
        .map(|spec| spec.name.as_deref().unwrap_or_default())
        .collect();
    let known = |i: usize| (inputs[i].dtype, inputs[i].layout.shape().clone());
    let results = text::parse_all(&case.op)?.bind_to(&names, known, &Rule::Numpy)?;
    let typed = |expr: &Expr<usize>| {
        let promoted = expr.promoted(Promotion::Numpy, |&slot| Ok(inputs[slot].dtype))?;
        backend(&promoted, &inputs)
    };
    results.iter().map(typed).collect()
}

fn judge(case: &Case, backend: Backend, score: &mut Score) {
    let found = catch_unwind(AssertUnwindSafe(|| run_text(case, backend)));
    let failure = match (found, &case.expect_error) {
        (Err(_), _) => "it panicked".into(),
        (Ok(Err(e)), None) if is_unsupported(&e) => {
            score.without_f64 += 1;
            return;
        }
        (Ok(Err(e)), None) => e.to_string(),
        (Ok(Err(e)), Some(words)) => {
            let said = text::with_hint(e).to_string();
            if said.contains(words.as_str()) {
                score.refused += 1;
                return;
            }
            format!("`{words}` is not among its words: {said}")
        }
        (Ok(Ok(_)), Some(_)) => "it is not refused".into(),
        (Ok(Ok(found)), None) => {
            let tolerance = case.tol.unwrap_or(Tolerance::Exact);
            match compare(case, &Outputs::Tensors(found), tolerance) {
                Ok(Ok(())) => {
                    score.as_numpy += 1;
                    return;
                }
                Ok(Err(difference)) => difference,
                Err(e) => e.to_string(),
            }
        }
    };
    score
        .failures
        .push(format!("{:?}: {failure}", case.op.as_str()));
}

/// What is typed, with what NumPy gives.
pub fn habits() -> Vec<Case> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR");
    let root = root.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    read_folder(&Path::new(&root).join("tests/habits"))
}

/// Runs texts on a backend, prints the score past the capture of the test harness, and fails with every text that is
/// neither NumPy's nor refused with advice. How many need 64-bit floats that the backend lacks.
pub fn check(name: &str, cases: &[Case], backend: Backend) -> usize {
    text::advise(text::Advice {
        instead: zerostride_advice::instead,
        module: zerostride_advice::module,
        method_of: zerostride_advice::method_of,
    });
    let mut score = Score::default();
    for case in cases {
        judge(case, backend, &mut score);
    }
    let without = match score.without_f64 {
        0 => String::new(),
        n => format!(", {n} need 64-bit floats"),
    };
    let line = format!(
        "\nhabits: {} of {} as NumPy, {} refused with advice{without} ({name})\n",
        score.as_numpy,
        cases.len(),
        score.refused
    );
    let _ = std::io::stdout().lock().write_all(line.as_bytes());
    let failures = score.failures;
    assert!(
        failures.is_empty(),
        "{}\n{} texts are neither NumPy's nor refused with advice",
        failures.join("\n"),
        failures.len()
    );
    score.without_f64
}
