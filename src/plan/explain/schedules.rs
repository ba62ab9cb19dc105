//! The schedules that a pass may have, as text.

use std::fmt;

use super::super::ordered::ordered;
use super::super::schedule::{Candidate, Cost, FEATURES, Schedule, Threads};
use super::Pass;
use crate::message::count;
use crate::plan::mapped::Candidates;

impl Pass {
    /// The schedules that it may have, the cheapest first, with what their cost is made of.
    pub(super) fn show_candidates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let candidates = match &self.candidates {
            Candidates::Map(candidates) => candidates,
            Candidates::Fold(candidates) => return self.show_folds(candidates, f),
        };
        let all = ordered(candidates, |a, b| a.cost.time < b.cost.time);
        let Some(&best) = all.first() else {
            return Ok(());
        };
        writeln!(
            f,
            "  schedules by the profile of {}, cost of a quad:",
            best.cost.profile
        )?;
        let chosen = |c: &Candidate| {
            let same = |s: &Schedule| {
                let of = |s: &Schedule| (s.lanes, s.unit, s.beside, s.down, s.threads);
                of(s) == of(&c.schedule)
            };
            self.work.schedule().is_some_and(same)
        };
        for candidate in all {
            let Cost { time, limit, .. } = candidate.cost;
            let features = FEATURES.iter().zip(candidate.features);
            let used = features.filter(|(_, value)| *value > 0.0);
            let mut parts: Vec<String> = used
                .map(|(name, value)| format!("{name} {value:.2}"))
                .collect();
            if candidate.used < 0.995 {
                parts.push(format!("idle {:.0} %", (1.0 - candidate.used) * 100.0));
            }
            if candidate.schedule.threads == Threads::RowsFirst {
                parts.push("rows first".into());
            }
            parts.push(format!("limited by {limit}"));
            let mark = if chosen(candidate) { "*" } else { " " };
            writeln!(
                f,
                "  {mark} {:<8} {:>8}  {:>8}  {:>5} %  {}",
                candidate.name.to_string(),
                count(
                    candidate.schedule.beside * candidate.schedule.rows(),
                    candidate.schedule.unit_name()
                ),
                format!("{time:.3}"),
                // The best has the least cost.
                format!("+{:.0}", (time / best.cost.time - 1.0) * 100.0),
                parts.join(", ")
            )?;
        }
        Ok(())
    }
}
