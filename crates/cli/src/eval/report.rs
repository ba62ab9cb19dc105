//! What `eval` prints.

use serde_json::{Map, Value, json};
use zerostride::{HostTensor, Plan, message};

use super::args::Args;
use crate::summary::{self, Summary};
use crate::target::Target;
use crate::{context, show, verify};

/// The results of a run, and how they were computed.
pub struct Computed {
    pub results: Vec<HostTensor>,
    pub plan: Plan,
    pub adapter: String,
    /// How its compiler treats floats.
    pub floats: String,
    pub wall_ms: f64,
}

/// The contents of a report.
pub struct Said<'a> {
    pub args: &'a Args,
    pub names: &'a [&'a str],
    pub computed: &'a Computed,
    /// One for each result, or none.
    pub reports: &'a [verify::Report],
    /// The targets that were written, each with the range of its results.
    pub written: &'a [(&'a Target, std::ops::Range<usize>)],
}

impl Said<'_> {
    /// The plan and the kernels, if they were requested.
    fn plan(&self) -> String {
        let mut text = String::new();
        if self.args.explain {
            let computed = self.computed;
            let adapter = context::described(&computed.adapter, &computed.floats);
            text.push_str(&format!("{adapter}{}", computed.plan.explain(self.names)));
        }
        if self.args.wgsl {
            text.push_str(&crate::kernel::wgsl(&self.computed.plan));
        }
        text
    }

    /// The report as text; `with_values` shows the results themselves.
    pub fn text(&self, with_values: bool) -> String {
        let mut text = self.plan();
        let many = self.computed.results.len() > 1;
        for (i, result) in self.computed.results.iter().enumerate() {
            if with_values {
                let number = if many {
                    format!("result {i}: ")
                } else {
                    String::new()
                };
                let (shape, array) = (result.layout.shape(), show::array(result));
                text.push_str(&format!("{number}{} {shape}\n{array}\n", result.dtype));
                // What is not shown in full is told in a few numbers.
                if show::is_cut(result)
                    && let Some(summary) = Summary::of(result).text()
                {
                    text.push_str(&format!("{summary}\n"));
                }
            }
            if let Some(report) = self.reports.get(i) {
                text.push_str(&report.text(result.dtype.is_float()));
                text.push('\n');
            }
        }
        for (target, range) in self.written {
            let first = &self.computed.results[range.start];
            if let Some(described) = target.described(first) {
                text.push_str(&format!("written to {described}\n"));
            }
        }
        if let Some(path) = &self.args.plot {
            text.push_str(&format!("drawn to {}\n", message::path(path)));
        }
        text
    }

    /// The report as one object, which holds the fields of a single result; those of several
    /// results are in its list `results`.
    pub fn json(&self) -> Value {
        let computed = self.computed;
        let mut object = json!({
            "passes": computed.plan.pass_count(),
            "bytes_moved": computed.plan.bytes_moved(),
            "adapter": computed.adapter,
            "wall_ms": computed.wall_ms,
        });
        let mut results: Vec<Value> = (0..computed.results.len())
            .map(|i| self.result(i).into())
            .collect();
        match (results.pop(), object.as_object_mut()) {
            (Some(Value::Object(only)), Some(object)) if results.is_empty() => {
                object.extend(only);
            }
            (last, Some(object)) => {
                results.extend(last);
                object.insert("results".into(), results.into());
            }
            _ => {}
        }
        if let Some(path) = &self.args.plot {
            object["plot"] = path.to_string_lossy().into();
        }
        if self.args.explain {
            object["floats"] = computed.floats.as_str().into();
            object["plan"] = computed.plan.explain(self.names).to_string().into();
        }
        if self.args.wgsl {
            object["kernels"] = computed.plan.kernels().into();
        }
        object
    }

    /// A result's own fields, with its elements unless they were written to a file.
    fn result(&self, i: usize) -> Map<String, Value> {
        let result = &self.computed.results[i];
        let mut object = Map::new();
        object.insert("dtype".into(), result.dtype.name().into());
        object.insert("shape".into(), result.layout.shape().extents().into());
        let path = self
            .written
            .iter()
            .find(|(_, range)| range.contains(&i))
            .and_then(|(target, _)| target.path());
        object.insert("output".into(), path.map(|p| p.to_string_lossy()).into());
        if path.is_none() {
            object.insert("values".into(), summary::values(result));
        }
        for (name, value) in Summary::of(result).json() {
            object.insert(name.into(), value);
        }
        if let Some(report) = self.reports.get(i) {
            object.insert("verify".into(), report.json());
        }
        object
    }
}
