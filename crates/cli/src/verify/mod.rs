//! Comparison of a result with the reference, within the expression's own error bound.

mod bound;
mod exact;
mod fold;
mod moved;
mod place;
mod product;
mod range;
mod step;

use zerostride::message::count;
use zerostride::{Accuracy, Expr, HostTensor, Options, Plan, Promotion, reference};

use crate::failure::Failure;
use crate::input;
use place::{Place, index, place};
use range::Range;

/// The outcome of a comparison.
pub struct Report {
    /// Elements compared.
    pub compared: usize,
    /// Elements whose bits differ; NaNs are equal.
    pub differ: usize,
    /// The element that is the farthest off.
    pub worst: Option<Worst>,
    /// Elements beyond the bound, if one is stated.
    pub beyond: Option<usize>,
    /// Elements without a bound: any value is possible.
    pub unbounded: usize,
    /// The first of those beyond the bound.
    pub first_beyond: Option<Worst>,
    /// How far the result is from exact arithmetic, if promotion turned integers into f32.
    pub distance: Option<exact::Distance>,
}

/// An element that differs.
#[derive(Clone)]
pub struct Worst {
    /// Its index.
    pub index: Vec<usize>,
    /// The adapter's value.
    pub found: String,
    /// The reference's value.
    pub expected: String,
    /// How far they are apart: units in the last place of a float, whole numbers for other types.
    /// Infinite if one is NaN.
    pub ulp: f64,
    /// How far they may be apart; infinite without a bound.
    pub bound: f64,
}

/// Compares a result with that of the reference.
///
/// The bound of each element comes from the steps of the plan: see [`bound`]. With
/// [`Accuracy::Fast`] no bound is stated.
pub fn verify(
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    plan: &Plan,
    options: (Accuracy, Promotion),
    found: &HostTensor,
) -> Result<Report, Failure> {
    let (accuracy, promotion) = options;
    let dtypes = |&i: &usize| Ok(inputs[i].dtype);
    let expected = reference::run(&expr.promoted(promotion, dtypes)?, inputs)?;
    if (expected.dtype, expected.layout.shape()) != (found.dtype, found.layout.shape()) {
        return Err(Failure::Failed(format!(
            "the result is {} {}, the reference has {} {}",
            found.dtype,
            found.layout.shape(),
            expected.dtype,
            expected.layout.shape()
        )));
    }
    let range = match accuracy {
        Accuracy::Precise if expected.layout.is_empty() => Some(Range::exact(&expected)),
        Accuracy::Precise => Some(bound::of_steps(&plan.steps()?, inputs)?),
        // The adapter's functions have no stated bound.
        _ => None,
    };
    let distance = match expr.unrounded(promotion, dtypes)? {
        Some(exact) => Some(exact::compare(found, &reference::run(&exact, inputs)?)?),
        None => None,
    };
    Ok(Report {
        distance,
        ..compare(found, &expected, range.as_ref())
    })
}

/// Plans one of several results by itself, for its steps.
pub fn alone(
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    promotion: Promotion,
) -> Result<Plan, Failure> {
    let options = Options::default()
        .with_promotion(promotion)
        .with_limits(input::NO_LIMITS);
    Ok(Plan::new(expr, &input::slots(inputs), &options)?)
}

fn compare(found: &HostTensor, expected: &HostTensor, range: Option<&Range>) -> Report {
    let dtype = found.dtype;
    let reach = range.map(Range::reach);
    let is_open = |r: &&(f64, f64)| r.0.is_infinite() || r.1.is_infinite();
    let mut report = Report {
        compared: expected.layout.len(),
        unbounded: reach.iter().flatten().filter(is_open).count(),
        differ: 0,
        worst: None,
        beyond: range.map(|_| 0),
        first_beyond: None,
        distance: None,
    };
    for (i, (a, b)) in place::bits(found).zip(place::bits(expected)).enumerate() {
        let (x, y) = (place(dtype, a), place(dtype, b));
        if a == b || (x, y) == (Place::Nan, Place::Nan) {
            continue;
        }
        report.differ += 1;
        let (below, above) = reach
            .as_ref()
            .map_or((f64::INFINITY, f64::INFINITY), |r| r[i]);
        let (ulp, bound) = match (x, y) {
            (Place::At(x), Place::At(y)) => {
                (x.abs_diff(y) as f64, if x < y { below } else { above })
            }
            _ => (f64::INFINITY, below.max(above)),
        };
        let worst = || Worst {
            index: index(i, expected.layout.shape().extents()),
            found: crate::show::value(dtype, a),
            expected: crate::show::value(dtype, b),
            ulp,
            bound,
        };
        if report.worst.as_ref().is_none_or(|w| ulp > w.ulp) {
            report.worst = Some(worst());
        }
        if let Some(beyond) = &mut report.beyond
            && ulp > bound
        {
            *beyond += 1;
            report.first_beyond.get_or_insert_with(worst);
        }
    }
    report
}

impl Report {
    /// Whether all elements are within the bound, or no bound is stated.
    pub fn within(&self) -> bool {
        self.beyond.unwrap_or(0) == 0
    }

    /// The report as a sentence or two.
    pub fn text(&self, is_float: bool) -> String {
        let (compared, differ) = (
            count(self.compared, "element"),
            if self.differ == 1 {
                "differs"
            } else {
                "differ"
            },
        );
        let mut text = format!(
            "verify: {compared} compared with the reference, {} {differ}",
            self.differ
        );
        if let Some(w) = &self.worst {
            let unit = if is_float { " ULP" } else { "" };
            text.push_str(&format!(
                "; the worst differs by {}{unit} at {:?} (found {}, the reference has {}",
                w.ulp, w.index, w.found, w.expected
            ));
            match self.beyond {
                Some(_) if w.bound.is_finite() => {
                    text.push_str(&format!("; the bound there is {}{unit})", w.bound))
                }
                _ => text.push_str("; no bound there)"),
            }
        }
        text.push_str(match self.beyond {
            None => "; no bound is stated for --fast",
            Some(0) => "; within the bound of the expression",
            Some(_) => "; BEYOND the bound of the expression",
        });
        if self.unbounded > 0 {
            let all = count(self.unbounded, "element");
            let has = if self.unbounded == 1 { "has" } else { "have" };
            text.push_str(&format!("; {all} {has} no bound"));
        }
        if let Some(distance) = &self.distance {
            text.push('\n');
            text.push_str(&distance.text());
        }
        text
    }

    /// The failure that reports elements beyond the bound.
    pub fn failure(&self) -> Failure {
        let place = self.first_beyond.as_ref().map_or(String::new(), |w| {
            format!(
                ", the first at {:?}: {} where the reference has {}, {} apart with a bound of {}",
                w.index, w.found, w.expected, w.ulp, w.bound
            )
        });
        let beyond = self.beyond.unwrap_or(0);
        let (is, all) = (
            if beyond == 1 { "is" } else { "are" },
            count(self.compared, "element"),
        );
        Failure::Failed(format!(
            "{beyond} of {all} {is} beyond the bound of the expression{place}"
        ))
    }

    /// The report for --json. An infinite distance or bound is null.
    pub fn json(&self) -> serde_json::Value {
        let worst = self.worst.as_ref();
        serde_json::json!({
            "compared": self.compared,
            "differ": self.differ,
            "worst_ulp": worst.map_or(Some(0.0), |w| w.ulp.is_finite().then_some(w.ulp)),
            "worst_index": worst.map(|w| &w.index),
            "bound_ulp": worst.and_then(|w| w.bound.is_finite().then_some(w.bound)),
            "beyond": self.beyond,
            "within": self.beyond.map(|n| n == 0),
            "unbounded": self.beyond.map(|_| self.unbounded),
            "integers_as_f32": self.distance.as_ref().map(exact::Distance::json),
        })
    }
}

#[cfg(test)]
mod tests;
