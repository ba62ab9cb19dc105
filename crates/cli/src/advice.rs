//! What to do about integers that become f32.

use zerostride::{DType, Error, Expr, Promotion, text};

use crate::expression::Expression;
use crate::failure;

/// What to do about integers that become f32.
const ROUNDING: &str =
    "--numpy makes f64 of them, .astype(f64) or .astype(f32) says which is meant";

/// Says on stderr where integers become f32, which nobody asked for.
pub fn say_what_is_rounded(
    expression: &Expression,
    expr: &Expr<usize>,
    promotion: Promotion,
    dtypes: &[DType],
) -> Result<(), Error> {
    let rounded = expr.rounded(promotion, |&i| Ok(dtypes[i]))?;
    let steps = rounded
        .iter()
        .map(|step| step.named(expression.column(step.column)));
    if let Some(note) = text::rounding(steps.collect(), ROUNDING) {
        failure::note(&note);
    }
    Ok(())
}
