//! What is told of integers that become f32, at each place of the user's where they do.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use zerostride::{Expr, Options, Slot, text};

/// What to do about it.
const ADVICE: &str = "ZEROSTRIDE_FLOAT64=1 in the environment makes f64 of them, .astype(np.float64) or \
     .astype(np.float32) says which is meant";

/// What is told of expressions over operands of these types; `None` if no integers become f32. `formula`: nobody typed it, so
/// that its columns say nothing.
pub fn note(
    exprs: &[Expr<usize>],
    slots: &[Slot],
    options: &Options,
    formula: bool,
) -> Option<String> {
    let dtype = |&i: &usize| Ok(slots[i].dtype);
    let mut steps: Vec<String> = Vec::new();
    for expr in exprs {
        // What cannot be promoted is refused where it is planned.
        let rounded = expr.rounded(options.promotion, dtype).unwrap_or_default();
        let rounded = rounded.iter().map(|x| (x.op.name(), x.from, x.column));
        let narrowed = expr.narrowed(options.promotion, dtype).unwrap_or_default();
        for (name, from, column) in rounded.chain(narrowed) {
            let step = text::rounded(name, from, if formula { 0 } else { column });
            let loses = !matches!(name, "isfinite" | "isinf" | "isnan" | "signbit");
            if loses && !steps.contains(&step) {
                steps.push(step);
            }
        }
    }
    text::rounding(steps, ADVICE)
}

/// Tells it by Python's warnings, at the line outside of this package that led here.
pub fn warn(py: Python<'_>, note: &str) -> PyResult<()> {
    static WARN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let warn = WARN.get_or_try_init(py, || {
        let module = py.import("zerostride._warnings")?;
        Ok::<_, PyErr>(module.getattr("warn")?.unbind())
    })?;
    warn.call1(py, (note,)).map(drop)
}
