//! Tables of what was measured, and the verdict.

use std::fmt::Write as _;

use crate::limits::{EXCEPTIONS, Exception, INSTRUCTIONS_A_BYTE, RATIO};
use crate::measure::{Line, Measured};
use crate::vendors::{VENDORS, Vendor};

/// A table of Markdown whose columns are aligned.
fn table(head: &[&str], rows: &[Vec<String>]) -> String {
    let width = |k: usize| {
        rows.iter()
            .map(|r| r[k].len())
            .chain([head[k].len()])
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let mut out = String::new();
    let mut line = |cells: Vec<&str>| {
        let padded = |(k, cell): (usize, &&str)| match k {
            0 => format!("{cell:<width$}", width = widths[k]),
            _ => format!("{cell:>width$}", width = widths[k]),
        };
        let cells: Vec<_> = cells.iter().enumerate().map(padded).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    };
    line(head.to_vec());
    let rules: Vec<String> = (0..head.len())
        .map(|k| {
            if k == 0 {
                "-".repeat(widths[k])
            } else {
                format!("{}:", "-".repeat(widths[k] - 1))
            }
        })
        .collect();
    line(rules.iter().map(String::as_str).collect());
    for row in rows {
        line(row.iter().map(String::as_str).collect());
    }
    out
}

fn ratio(line: &Line) -> Option<f64> {
    line.hand.map(|hand| line.plan.time / hand.time)
}

/// The tables of all vendors as Markdown.
pub fn markdown(all: &[Measured]) -> String {
    let mut out = String::new();
    for one in all {
        let Some(vendor) = VENDORS.iter().find(|v| v.name == one.vendor) else {
            continue;
        };
        let _ = writeln!(
            out,
            "## {}: {}\n\n{}",
            one.vendor,
            one.adapter,
            workloads(one, vendor)
        );
        let _ = writeln!(out, "{}", sums(one));
    }
    if all.len() > 1 {
        let _ = writeln!(out, "## Plan over kernel by hand\n\n{}", ratios(all));
    }
    out
}

fn workloads(one: &Measured, vendor: &Vendor) -> String {
    let pair = |plan: f64, hand: Option<f64>, digits: usize| match hand {
        Some(hand) => format!("{plan:.digits$} / {hand:.digits$}"),
        None => format!("{plan:.digits$}"),
    };
    let row = |line: &Line| {
        let (plan, hand) = (line.plan, line.hand);
        vec![
            line.workload.clone(),
            pair(plan.instructions, hand.map(|h| h.instructions), 2),
            pair(plan.time, hand.map(|h| h.time), 2),
            ratio(line).map_or_else(|| "-".into(), |r| format!("{r:.2}")),
            format!("{:.2}", plan.instructions / line.bytes),
            pair(plan.registers, hand.map(|h| h.registers), 0),
            pair(plan.spills, hand.map(|h| h.spills), 0),
        ]
    };
    let rows: Vec<_> = one.lines.iter().filter(|l| !l.is_sum).map(row).collect();
    let time = format!("{} for 32", vendor.time[1]);
    let head = [
        "plan / by hand",
        "instructions an element",
        &time,
        "ratio",
        "instructions a byte",
        "registers",
        "spills",
    ];
    table(&head, &rows)
}

fn sums(one: &Measured) -> String {
    let row = |line: &Line| {
        vec![
            line.workload.clone(),
            format!("{:.2}", line.plan.instructions),
            format!("{:.2}", line.plan.instructions / line.bytes),
        ]
    };
    let rows: Vec<_> = one.lines.iter().filter(|l| l.is_sum).map(row).collect();
    if rows.is_empty() {
        String::new()
    } else {
        table(&["sum", "instructions an element", "a byte"], &rows)
    }
}

fn ratios(all: &[Measured]) -> String {
    let names: Vec<&str> = all[0]
        .lines
        .iter()
        .filter(|l| l.hand.is_some())
        .map(|l| l.workload.as_str())
        .collect();
    let row = |name: &&str| {
        let of = |one: &Measured| {
            let line = one.lines.iter().find(|l| l.workload == **name);
            line.and_then(ratio)
                .map_or_else(|| "-".into(), |r| format!("{r:.2}"))
        };
        std::iter::once((*name).to_string())
            .chain(all.iter().map(of))
            .collect()
    };
    let head: Vec<&str> = std::iter::once("workload")
        .chain(all.iter().map(|m| m.vendor.as_str()))
        .collect();
    table(&head, &names.iter().map(row).collect::<Vec<_>>())
}

/// What is above a limit, of vendors that decide and of others, one a line.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub failures: Vec<String>,
    pub others: Vec<String>,
}

/// Compares with the limits. A kernel of a plan that spills is above them, and so is an exception
/// that is needed no more.
pub fn judge(all: &[Measured], exceptions: &[Exception]) -> Verdict {
    let mut verdict = Verdict::default();
    for (one, line) in all
        .iter()
        .flat_map(|m| m.lines.iter().map(move |line| (m, line)))
    {
        let decides = VENDORS.iter().any(|v| v.name == one.vendor && v.decides);
        let said = if decides {
            &mut verdict.failures
        } else {
            &mut verdict.others
        };
        let at = format!("{} {}", one.vendor, line.workload);
        if line.plan.spills > 0.0 {
            said.push(format!("{at}: the plan's kernel spills"));
        }
        let (what, value, limit) = match (line.is_sum, ratio(line)) {
            (true, _) => (
                "instructions a byte",
                line.plan.instructions / line.bytes,
                INSTRUCTIONS_A_BYTE,
            ),
            (_, Some(ratio)) if !line.loops => ("of the kernel by hand", ratio, RATIO),
            _ => continue,
        };
        let exception = exceptions
            .iter()
            .find(|e| e.vendor == one.vendor && e.workload == line.workload);
        match exception {
            None if value > limit => said.push(format!("{at}: {value:.3} {what}, above {limit}")),
            Some(e) if value > e.ceiling => {
                said.push(format!(
                    "{at}: {value:.3} {what}, above its ceiling {} ({})",
                    e.ceiling, e.reason
                ));
            }
            Some(_) if value <= limit => {
                said.push(format!(
                    "{at}: {value:.3} {what} needs no exception any more: remove its line"
                ));
            }
            _ => {}
        }
    }
    verdict
}

/// What may be more than the limits, as Markdown.
pub fn exceptions(exceptions: &[Exception]) -> String {
    let row = |e: &Exception| {
        vec![
            format!("{} {}", e.vendor, e.workload),
            format!("{}", e.ceiling),
            e.reason.into(),
        ]
    };
    table(
        &["exception", "ceiling", "reason"],
        &exceptions.iter().map(row).collect::<Vec<_>>(),
    )
}

/// The exceptions of the project.
pub const KNOWN: &[Exception] = EXCEPTIONS;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Figures;

    fn measured(workload: &str, plan: f64, hand: Option<f64>) -> Vec<Measured> {
        let figures = |time| Figures {
            instructions: time,
            time,
            ..Figures::default()
        };
        let line = Line {
            workload: workload.into(),
            bytes: 2.0,
            is_sum: hand.is_none(),
            loops: false,
            plan: figures(plan),
            hand: hand.map(figures),
        };
        vec![Measured {
            vendor: "amd".into(),
            adapter: "a".into(),
            lines: vec![line],
        }]
    }

    const SLOW: Exception = Exception {
        vendor: "amd",
        workload: "slow",
        ceiling: 2.0,
        reason: "so far",
    };

    #[test]
    fn a_ratio_above_the_limit_fails_unless_its_exception_allows_as_much() {
        let failures = |name, plan| {
            judge(&measured(name, plan, Some(10.0)), &[SLOW])
                .failures
                .len()
        };
        for (name, plan, expected) in [
            ("fast", 11.0, 0),
            ("fast", 11.1, 1),
            ("slow", 20.0, 0),
            ("slow", 20.1, 1),
            ("slow", 10.9, 1),
        ] {
            assert_eq!(failures(name, plan), expected, "{name} {plan}");
        }
    }

    #[test]
    fn a_sum_is_limited_by_its_instructions_a_byte() {
        assert!(judge(&measured("sum", 7.0, None), &[]).failures.is_empty());
        assert_eq!(judge(&measured("sum", 7.1, None), &[]).failures.len(), 1);
    }

    #[test]
    fn a_kernel_that_spills_fails_whatever_it_costs() {
        let mut all = measured("fast", 1.0, Some(10.0));
        all[0].lines[0].plan.spills = 1.0;
        assert_eq!(judge(&all, &[]).failures.len(), 1);
    }

    #[test]
    fn vendors_that_move_are_told_of_but_decide_nothing() {
        let mut all = measured("fast", 20.0, Some(10.0));
        all[0].vendor = "nvidia".into();
        let verdict = judge(&all, &[]);
        assert!(
            verdict.failures.is_empty() && verdict.others.len() == 1,
            "{verdict:?}"
        );
    }

    #[test]
    fn every_exception_names_a_workload_with_a_kernel_by_hand_or_a_sum() {
        let names: Vec<String> = zerostride_bench::catalog::all()
            .into_iter()
            .chain(zerostride_bench::catalog::rounded())
            .map(|w| w.name)
            .collect();
        for e in KNOWN {
            assert!(
                names.contains(&e.workload.to_string()) || e.workload.starts_with("sum/"),
                "{}",
                e.workload
            );
            assert!(
                VENDORS.iter().any(|v| v.name == e.vendor && v.decides),
                "{}",
                e.vendor
            );
        }
    }
}
