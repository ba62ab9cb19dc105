//! What to do about types: f64 if shaders have none, and integers that become f32.

use zerostride::{DType, Error, Expr, Promotion, text};

use crate::expression::Expression;
use crate::failure::{self, Failure};

/// What to do about integers that become f32.
const ROUNDING: &str =
    "--numpy makes f64 of them, .astype(f64) or .astype(f32) says which is meant";

/// What was asked for, and what the inputs are.
#[derive(Clone, Copy)]
pub struct Types<'a> {
    pub names: &'a [&'a str],
    pub dtypes: &'a [DType],
    pub promotion: Promotion,
    pub portable: bool,
}

impl Types<'_> {
    /// An error of the expression, with advice if the types of the inputs caused it.
    pub fn failure(&self, expression: &Expression, error: Error) -> Failure {
        let error = self.asked(error);
        let inner = if let Error::At { source, .. } = &error {
            source
        } else {
            &error
        };
        let hint = if matches!(inner, Error::NoF64 { .. }) {
            self.hint()
        } else {
            None
        };
        let failure = expression.failure(error);
        match hint {
            Some(hint) => failure.hint(&hint),
            None => failure,
        }
    }

    /// The error with what was asked for in place of an adapter, which may well have 64-bit floats.
    fn asked(&self, error: Error) -> Error {
        match error {
            Error::NoF64 { op, .. } if self.portable => Error::NoF64 {
                op,
                adapter: "a run with --portable".into(),
            },
            Error::At { column, source } => Error::At {
                column,
                source: Box::new(self.asked(*source)),
            },
            other => other,
        }
    }

    fn hint(&self) -> Option<String> {
        let elsewhere = match self.portable {
            true => {
                "; or leave out --portable where the adapter has 64-bit floats, as `zerostride adapters` tells"
            }
            false => "; or take an adapter that has 64-bit floats, as `zerostride adapters` tells",
        };
        match self
            .names
            .iter()
            .zip(self.dtypes)
            .find(|(_, dtype)| **dtype == DType::F64)
        {
            Some((name, _)) => Some(format!(
                "`{name}` is f64; --f64-as f32 casts it while loading, as .astype(np.float32) does in NumPy{elsewhere}"
            )),
            None if self.promotion == Promotion::Numpy => Some(format!(
                "--numpy makes f64 of integers, as NumPy does; without it they become f32, which holds whole numbers up to \
                 2^24{elsewhere}"
            )),
            None => None,
        }
    }
}

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
