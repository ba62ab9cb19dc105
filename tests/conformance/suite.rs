//! A run of the conformance cases on a backend: every `*.jsonl` in `tests/cases/`, and in the folder that
//! `ZEROSTRIDE_CASES` names.
//!
//! A line of the report is `GROUP: passed P, failed F, judgement J, unsupported U`. `unsupported`
//! needs an error that says so; a case with a judgement is never a failure.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use crate::conformance::case::{Case, read_folder};
use crate::conformance::judge::{End, judge};
use crate::conformance::run::Backend;

/// What became of a group's cases.
#[derive(Default)]
pub struct Tally {
    pub passed: usize,
    failed: usize,
    judgement: usize,
    unsupported: usize,
}

/// The report of a run over all cases.
#[derive(Default)]
pub struct Report {
    pub groups: BTreeMap<String, Tally>,
    failures: Vec<String>,
    strict_passed: usize,
    strict_failed: usize,
    /// What is no failure: arguable cases that differ, and strict tolerances that are missed.
    notes: Vec<String>,
    /// What does not exist here, and how often it was asked for.
    unsupported: BTreeMap<String, usize>,
}

/// Runs cases on a backend.
pub fn run_all(cases: &[Case], backend: Backend) -> Report {
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

/// The cases of this repository. It is where cargo says when it runs this program, so that a packed one finds its cases
/// too.
pub fn own_cases() -> Vec<Case> {
    let root = std::env::var_os("CARGO_MANIFEST_DIR");
    let root = root.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    read_folder(&Path::new(&root).join("tests/cases"))
}

/// Those of the folder that `ZEROSTRIDE_CASES` names.
pub fn others_cases() -> Vec<Case> {
    let folder = std::env::var_os("ZEROSTRIDE_CASES").filter(|f| !f.is_empty());
    folder.map_or_else(Vec::new, |folder| read_folder(Path::new(&folder)))
}

/// Runs cases on a backend, prints the report past the capture of the test harness, so that it is seen without
/// `--nocapture`, and fails with every case that does.
pub fn check(name: &str, cases: &[Case], backend: Backend) {
    let report = run_all(cases, backend);
    print(name, &report);
    assert!(
        report.failures.is_empty(),
        "{} cases failed on the {name}:\n{}",
        report.failures.len(),
        report.failures.join("\n")
    );
    // Every type, rule and operator of the cases is supported, on every adapter.
    let unsupported = &report.unsupported;
    assert!(unsupported.is_empty(), "on the {name}: {unsupported:#?}");
}

fn print(name: &str, report: &Report) {
    let mut text = format!("\ncases on the {name}\n");
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
