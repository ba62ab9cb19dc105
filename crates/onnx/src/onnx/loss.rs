//! Losses of classifiers.

use crate::call::{Call, Operand};
use zerostride::{Axes, DType, Expr, Reduction, Result, Scalar, View};

use super::moves::{place, signed};
use super::norm::{to, wide};

/// The attributes of both losses.
pub const ATTRS: &[(&str, &str)] = &[
    ("reduction", "none, sum or mean (default)"),
    ("ignore_index", "the class whose elements are ignored"),
];

/// The loss of log probabilities: those of the target classes, negated and multiplied by the
/// weights of these classes.
fn likelihood(
    call: &Call<'_>,
    x: &Expr<usize>,
    (scores, target): (&Operand, &Operand),
    weight: Option<&Operand>,
) -> Result<Expr<usize>> {
    let shape = scores.shape.extents();
    let fits = shape.len() >= 2
        && target.shape.rank() == shape.len() - 1
        && target.shape.extents()[0] == shape[0]
        && target.shape.extents()[1..] == shape[2..];
    if !fits {
        let reason = format!(
            "targets of shape {} do not fit {}",
            target.shape, scores.shape
        );
        return Err(call.fail(reason));
    }
    let wide = wide(scores.dtype);
    let number = |x: f64| Expr::scalar(Scalar::of(wide, x));
    let classes = shape[1];
    let places = target.expr.cast(DType::I64);
    // Axis 1 has the classes.
    let beside = |x: &Expr<usize>| x.view(View::Unsqueeze(vec![1]));
    let is_class = beside(&places).equal(x.position(1).cast(DType::I64));
    let chosen = is_class.select(x, number(0.0));
    let value = chosen.reduce_as_is(Reduction::Sum, Axes::from(1));
    let own = match weight {
        Some(weight) => {
            if weight.shape.extents() != [classes] {
                let reason = format!(
                    "weights of shape {} do not fit {classes} classes",
                    weight.shape
                );
                return Err(call.fail(reason));
            }
            let mut extents = vec![1; shape.len()];
            extents[1] = classes;
            let weights = to(&weight.expr, weight.dtype, wide).reshape(signed(&extents));
            let chosen = is_class.select(weights, number(0.0));
            Some(chosen.reduce_as_is(Reduction::Sum, Axes::from(1)))
        }
        None => None,
    };
    let ignored = call.int("ignore_index")?;
    let own = match (own, ignored) {
        (own, None) => own,
        (own, Some(class)) => {
            let is_ignored = places.equal(Expr::scalar(class));
            let weight = own.unwrap_or_else(|| number(1.0));
            Some(is_ignored.select(number(0.0), weight))
        }
    };
    let loss = match &own {
        Some(weight) => value.neg().mul(weight),
        None => value.neg(),
    };
    let all = |x: &Expr<usize>, reduction| x.reduce_as_is(reduction, Axes::ALL);
    Ok(match (call.text("reduction")?.unwrap_or("mean"), &own) {
        ("none", _) => loss,
        ("sum", _) => all(&loss, Reduction::Sum),
        ("mean", None) => all(&loss, Reduction::Mean),
        ("mean", Some(weight)) => all(&loss, Reduction::Sum).div(all(weight, Reduction::Sum)),
        (other, _) => {
            return Err(call.fail(format!(
                "reduction must be none, sum or mean, not `{other}`"
            )));
        }
    })
}

pub fn negative_log_likelihood(call: &Call<'_>) -> Result<Expr<usize>> {
    let [x, target] = [call.operand(0)?, call.operand(1)?];
    let wide = wide(x.dtype);
    let own = to(&x.expr, x.dtype, wide);
    let loss = likelihood(call, &own, (x, target), call.optional(2))?;
    Ok(to(&loss, wide, x.dtype))
}

pub fn softmax_cross_entropy(call: &Call<'_>) -> Result<Vec<Expr<usize>>> {
    let [x, target] = [call.operand(0)?, call.operand(1)?];
    let wide = wide(x.dtype);
    let own = to(&x.expr, x.dtype, wide);
    let axes = Axes::from(place(1)).keepdims();
    let below = own.sub(own.max(axes.clone()));
    let chances = below.sub(below.exp().sum(axes).log());
    let loss = likelihood(call, &chances, (x, target), call.optional(2))?;
    Ok([loss, chances].map(|y| to(&y, wide, x.dtype)).to_vec())
}
