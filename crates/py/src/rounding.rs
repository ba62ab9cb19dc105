//! Warnings about integers that become f32, at the user's line.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use zerostride::{Expr, Options, Slot, text};

/// The advice of the warning.
const ADVICE: &str = "use ZEROSTRIDE_FLOAT64=1 in the environment to make them f64, or write .astype(np.float64) or \
     .astype(np.float32)";

/// The warning for expressions over operands of these types; `None` if no integers become f32. `formula`: the user did not
/// type it, so columns are left out.
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

/// Issues a Python warning at the line outside of this package that led here.
pub fn warn(py: Python<'_>, note: &str) -> PyResult<()> {
    static WARN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let warn = WARN.get_or_try_init(py, || {
        let module = py.import("zerostride._warnings")?;
        Ok::<_, PyErr>(module.getattr("warn")?.unbind())
    })?;
    warn.call1(py, (note,)).map(drop)
}
