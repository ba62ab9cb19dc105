//! The note on integers that become f32.

use zerostride::{DType, Error, Expr, Promotion, text};

use crate::expression::Expression;
use crate::failure;

/// The advice of the note.
const ROUNDING: &str = "use --numpy to make them f64, or write .astype(f64) or .astype(f32)";

/// Says on stderr where integers become f32 without a cast.
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
