//! What is told of integers that become f32, at each place of the user's where they do.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use zerostride::{DType, Expr, Options, Plan, Promotion, Slot, text};

/// What to do about it.
const ADVICE: &str = "ZEROSTRIDE_FLOAT64=1 in the environment makes f64 of them, .astype(np.float64) or \
     .astype(np.float32) says which is meant";

/// What is told of expressions over operands of these types and shapes; `None` if no integers become f32. `formula`: nobody
/// typed it, so that its columns say nothing.
pub fn note(
    exprs: &[Expr<usize>],
    slots: &[Slot],
    options: &Options,
    formula: Option<&str>,
) -> Option<String> {
    if options.promotion == Promotion::Numpy {
        return None;
    }
    let mut steps: Vec<String> = Vec::new();
    for expr in exprs {
        // What cannot be promoted is refused where it is planned.
        let found = expr.rounded(options.promotion, |&i| Ok(slots[i].dtype));
        let found = found.unwrap_or_default();
        let loses = |name: &str| !matches!(name, "isfinite" | "isinf" | "isnan" | "signbit");
        for step in found.iter().filter(|step| loses(step.op.name())) {
            let column = if formula.is_none() { step.column } else { 0 };
            let named = step.named(column);
            if !steps.contains(&named) {
                steps.push(named);
            }
        }
    }
    if steps.is_empty() {
        steps.extend(reduced(exprs, slots, options, formula));
    }
    text::rounding(steps, ADVICE)
}

/// The mean or deviation of integers, or their product with floats, that is f32 where NumPy's is f64.
fn reduced(
    exprs: &[Expr<usize>],
    slots: &[Slot],
    options: &Options,
    formula: Option<&str>,
) -> Option<String> {
    let is_wide = |dtype: &DType| dtype.is_int() && dtype.size() >= 4;
    let from = slots.iter().map(|slot| slot.dtype).find(|x| is_wide(x))?;
    let here = Plan::infer(exprs, slots, options).ok()?;
    if here.iter().all(|(dtype, _)| *dtype != DType::F32) {
        return None;
    }
    let mut numpys = options.with_promotion(Promotion::Numpy);
    numpys.limits.float64 = true;
    let numpys = Plan::infer(exprs, slots, &numpys).ok()?;
    let is_narrower = |(x, y): (&(DType, _), &(DType, _))| x.0 == DType::F32 && y.0 == DType::F64;
    let name = match formula {
        Some(formula) if formula.contains('@') => "matmul",
        Some(formula) => formula.split('(').next().unwrap_or(formula),
        None => "a mean, a deviation or a product",
    };
    here.iter()
        .zip(&numpys)
        .any(is_narrower)
        .then(|| format!("{from} in {name}"))
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
