//! The table of what was traced, and the verdict.

use crate::limits::{Exception, LEAST, LEAST_TRANSPOSED};
use crate::model::Figures;

/// The head of the table.
pub const HEAD: &str = "\
| by   | load% | store% | lines |   L2% | DRAM% | traffic% | model% | limit |   ld |   st | steps | flight | idle% | bank | name; mapping |
| ---- | ----: | -----: | ----: | ----: | ----: | -------: | -----: | ----- | ---: | ---: | ----: | -----: | ----: | ---: | ------------- |";

/// A line of it.
pub fn row(f: &Figures) -> String {
    format!(
        "| {:4} | {:5.1} | {:6.1} | {:5.2} | {:5.1} | {:5.1} | {:8.1} | {:6.1} | {:5} | {:4.1} | {:4.1} | {:5.0} | {:6.0} | {:5.1} | {:4.1} | `{}`; {} |",
        f.by,
        f.load,
        f.store,
        f.lines,
        f.l2,
        f.dram,
        f.traffic,
        f.model,
        f.limit,
        f.loads,
        f.stores,
        f.steps,
        f.flight,
        f.idle,
        f.bank,
        f.name,
        f.mapping
    )
}

/// How far below its floor a figure may be, so that a rounded floor holds.
const SLACK: f64 = 0.05;

/// The plans whose traffic is below a limit, and the exceptions that are needed no more.
pub fn judge(all: &[Figures], exceptions: &[Exception]) -> Vec<String> {
    let mut failures = Vec::new();
    for f in all.iter().filter(|f| f.by == "plan") {
        let least = if f.is_transpose {
            LEAST_TRANSPOSED
        } else {
            LEAST
        };
        let (name, value) = (&f.name, f.traffic);
        let workload = name.split(" #").next();
        let first = format!("{name} #0");
        let is_of = |e: &&Exception| e.name == name || e.name == first || Some(e.name) == workload;
        match exceptions.iter().find(is_of) {
            None if value < least => {
                failures.push(format!("{name}: {value:.1} % of a copy, below {least}"));
            }
            Some(e) if value < e.floor - SLACK => {
                let (floor, reason) = (e.floor, e.reason);
                failures.push(format!(
                    "{name}: {value:.1} % of a copy, below its floor {floor} ({reason})"
                ));
            }
            Some(_) if value >= least => {
                failures.push(format!(
                    "{name}: {value:.1} % needs no exception any more: remove its line"
                ));
            }
            _ => {}
        }
    }
    failures
}
