//! The conformance cases: every `*.jsonl` in `tests/cases/`, and in the folder that
//! `ZEROSTRIDE_CASES` names.
//!
//! A line of the report is `GROUP: passed P, failed F, judgement J, unsupported U`. `unsupported`
//! needs an error that says so; a case with a judgement is never a failure.

mod conformance;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use conformance::case::{Case, read_folder};
use conformance::judge::{End, judge};
use conformance::run::Backend;
use zerostride::{Context, Expr, HostTensor, Plan, Tensor, reference};

/// What became of a group's cases.
#[derive(Default)]
struct Tally {
    passed: usize,
    failed: usize,
    judgement: usize,
    unsupported: usize,
}

/// The report of a run over all cases.
#[derive(Default)]
struct Report {
    groups: BTreeMap<String, Tally>,
    failures: Vec<String>,
    strict_passed: usize,
    strict_failed: usize,
    /// What is no failure: arguable cases that differ, and strict tolerances that are missed.
    notes: Vec<String>,
    /// What does not exist here, and how often it was asked for.
    unsupported: BTreeMap<String, usize>,
}

/// Runs the cases on a backend.
fn run_all(cases: &[Case], backend: Backend) -> Report {
    let mut report = Report::default();
    for case in cases {
        let end = judge(case, backend);
        let tally = report.groups.entry(case.group.clone()).or_default();
        if let Some(why) = &case.judgement {
            tally.judgement += 1;
            if let End::Failed(difference) = end {
                report
                    .notes
                    .push(format!("judgement {}: {difference} ({why})", case.id));
            }
            continue;
        }
        match end {
            End::Passed { strict } => {
                tally.passed += 1;
                match (case.strict, strict) {
                    (None, _) => {}
                    (Some(_), Ok(())) => report.strict_passed += 1,
                    (Some(_), Err(difference)) => {
                        report.strict_failed += 1;
                        report
                            .notes
                            .push(format!("strict {}: {difference}", case.id));
                    }
                }
            }
            End::Failed(difference) => {
                tally.failed += 1;
                report.failures.push(format!("{}: {difference}", case.id));
            }
            End::Unsupported(what) => {
                tally.unsupported += 1;
                *report.unsupported.entry(what).or_default() += 1;
            }
        }
    }
    report
}

/// Every case there is. The repository is where cargo says when it runs this program, so that a packed
/// one finds its cases too.
fn all_cases() -> Vec<Case> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR");
    let root = root.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let mut folders: Vec<PathBuf> = vec![Path::new(&root).join("tests/cases")];
    folders.extend(
        std::env::var_os("ZEROSTRIDE_CASES")
            .filter(|f| !f.is_empty())
            .map(PathBuf::from),
    );
    folders.iter().flat_map(|f| read_folder(f)).collect()
}

/// Fails with every case that does.
fn fail(name: &str, failures: &[String]) {
    assert!(
        failures.is_empty(),
        "{} cases failed on the {name}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

/// Runs an expression on the adapter that `ZEROSTRIDE_ADAPTER` names.
fn on_adapter(expr: &Expr<usize>, inputs: &[HostTensor]) -> zerostride::Result<HostTensor> {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    let open = || {
        Context::builder()
            .from_env()
            .request_blocking()
            .expect("an adapter is needed for the cases")
    };
    let context = CONTEXT.get_or_init(open);
    let tensors = inputs
        .iter()
        .map(|t| context.tensor_from_host(t))
        .collect::<zerostride::Result<Vec<Tensor>>>()?;
    let slots: Vec<_> = tensors.iter().map(Tensor::slot).collect();
    let plan = Plan::new(expr, &slots, &context.options())?;
    let out = &context.run(&plan, &tensors.iter().collect::<Vec<_>>())?[0];
    HostTensor::new(out.dtype(), out.shape(), out.read_bytes_blocking()?)
}

/// The report of the adapter's run, past the capture of the test harness, so that it is seen
/// without `--nocapture`.
fn print(report: &Report) {
    let mut text = String::from("\n");
    for (
        group,
        Tally {
            passed,
            failed,
            judgement,
            unsupported,
        },
    ) in &report.groups
    {
        let _ = writeln!(
            text,
            "{group}: passed {passed}, failed {failed}, judgement {judgement}, unsupported {unsupported}"
        );
    }
    for line in &report.failures {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(
        text,
        "strict tolerance: passed {}, failed {}",
        report.strict_passed, report.strict_failed
    );
    for line in &report.notes {
        let _ = writeln!(text, "{line}");
    }
    for (what, count) in &report.unsupported {
        let _ = writeln!(text, "{count} times {what}");
    }
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
}

#[test]
fn cases_pass_on_the_adapter() {
    let report = run_all(&all_cases(), on_adapter);
    print(&report);
    fail("adapter", &report.failures);
}

#[test]
fn cases_pass_on_the_reference() {
    fail("reference", &run_all(&all_cases(), reference::run).failures);
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
    let cases: Vec<Case> = all_cases()
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
