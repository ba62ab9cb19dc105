//! What `eval` prints.

use std::path::Path;

use serde_json::json;
use zerostride::{HostTensor, Plan, message};

use super::Args;
use crate::{show, verify};

/// What was computed.
pub struct Computed {
    pub result: HostTensor,
    pub plan: Plan,
    pub adapter: String,
    pub wall_ms: f64,
}

pub fn as_text(
    args: &Args,
    names: &[&str],
    computed: &Computed,
    report: Option<&verify::Report>,
    written: Option<&Path>,
) -> String {
    let mut text = String::new();
    if args.explain {
        let adapter = message::escape(&computed.adapter);
        text.push_str(&format!(
            "adapter: {adapter}\n{}",
            computed.plan.explain(names)
        ));
    }
    if args.wgsl {
        text.push_str(&crate::kernel::wgsl(&computed.plan));
    }
    let result = &computed.result;
    text.push_str(&format!(
        "{} {}\n{}\n",
        result.dtype,
        result.layout.shape(),
        show::array(result)
    ));
    if let Some(report) = report {
        text.push_str(&report.text(result.dtype.is_float()));
        text.push('\n');
    }
    if let Some(path) = written {
        text.push_str(&format!("written to {}\n", message::path(path)));
    }
    text
}

pub fn as_json(
    args: &Args,
    names: &[&str],
    computed: &Computed,
    report: Option<&verify::Report>,
    written: Option<&Path>,
) -> serde_json::Value {
    let mut object = json!({
        "dtype": computed.result.dtype.name(),
        "shape": computed.result.layout.shape().extents(),
        "passes": computed.plan.pass_count(),
        "bytes_moved": computed.plan.bytes_moved(),
        "adapter": computed.adapter,
        "wall_ms": computed.wall_ms,
        "output": written.map(Path::to_string_lossy),
    });
    if let Some(report) = report {
        object["verify"] = report.json();
    }
    if args.explain {
        object["plan"] = computed.plan.explain(names).to_string().into();
    }
    if args.wgsl {
        object["kernels"] = computed.plan.kernels().into();
    }
    object
}
