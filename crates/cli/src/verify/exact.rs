//! How far a result is from exact arithmetic on integers that promotion turned into f32.
//!
//! The expression itself asks for f32, so a difference is no fault of the adapter. But it is large
//! if integers beyond 2^24 cancel or are compared, and the bound of the steps does not show that.

use serde_json::json;
use zerostride::message::count;
use zerostride::{DType, HostTensor};

use super::place::{Place, bits, index, place};
use crate::failure::Failure;
use crate::show;

/// Most steps of f32 may be off by this many units in the last place anyway.
const NEAR: f64 = 4.0;

/// The outcome of a comparison with exact arithmetic.
pub struct Distance {
    compared: usize,
    /// The number of elements further away than `NEAR`; for types other than floats, that differ.
    far: usize,
    worst: Option<Apart>,
    is_float: bool,
}

/// The element that is the furthest away.
struct Apart {
    index: Vec<usize>,
    found: String,
    exact: String,
    /// In units in the last place of the result's type. Infinite if only one of the values is NaN
    /// or infinite.
    ulp: f64,
    /// The difference of the values.
    value: f64,
}

/// Compares a result with the exact one, for which integers keep their values, by f64 in place of
/// f32.
pub fn compare(found: &HostTensor, exact: &HostTensor) -> Result<Distance, Failure> {
    let is_widened = (found.dtype, exact.dtype) == (DType::F32, DType::F64);
    if !is_widened && found.dtype != exact.dtype || found.layout.shape() != exact.layout.shape() {
        return Err(Failure::Failed(format!(
            "{} cannot be compared with exact {}",
            found.dtype, exact.dtype
        )));
    }
    let is_float = found.dtype.is_float();
    let mut distance = Distance {
        compared: found.layout.len(),
        far: 0,
        worst: None,
        is_float,
    };
    for (i, (a, b)) in bits(found).zip(bits(exact)).enumerate() {
        let (ulp, value) = match is_widened {
            true => apart(f32::from_bits(a as u32), f64::from_bits(b)),
            false => match (place(found.dtype, a), place(found.dtype, b)) {
                (Place::At(x), Place::At(y)) => (x.abs_diff(y) as f64, f64::NAN),
                (x, y) => (if x == y { 0.0 } else { f64::INFINITY }, f64::NAN),
            },
        };
        distance.far += usize::from(ulp > if is_float { NEAR } else { 0.0 });
        if ulp > distance.worst.as_ref().map_or(0.0, |w| w.ulp) {
            distance.worst = Some(Apart {
                index: index(i, found.layout.shape().extents()),
                found: show::value(found.dtype, a),
                exact: show::value(exact.dtype, b),
                ulp,
                value,
            });
        }
    }
    Ok(distance)
}

/// The distance of a number from an exact one: in units in the last place of the f32 nearest to the
/// exact one, and in value.
fn apart(found: f32, exact: f64) -> (f64, f64) {
    let value = (f64::from(found) - exact).abs();
    if f64::from(found) == exact || found.is_nan() && exact.is_nan() {
        return (0.0, 0.0);
    }
    let nearest = (exact as f32).abs().min(f32::MAX);
    let unit = f64::from(nearest) - f64::from(nearest.next_down());
    let unit = if nearest == 0.0 {
        f64::from(f32::from_bits(1))
    } else {
        unit
    };
    if value.is_finite() {
        (value / unit, value)
    } else {
        (f64::INFINITY, f64::INFINITY)
    }
}

/// A distance with two decimals, or with three digits if it is very small or large.
fn digits(x: f64) -> String {
    match x {
        _ if !x.is_finite() => "infinitely many".into(),
        _ if (0.01..1000.0).contains(&x) => format!("{}", (x * 100.0).round() / 100.0),
        _ => format!("{x:.2e}"),
    }
}

impl Distance {
    /// The comparison as a sentence.
    pub fn text(&self) -> String {
        let all = count(self.compared, "element");
        let is = if self.far == 1 { "is" } else { "are" };
        let mut text = "verify: integers became f32: ".to_owned();
        text.push_str(&match (self.is_float, self.far) {
            (true, 0) => format!("none of {all} is more than {NEAR} ULP from exact arithmetic"),
            (true, far) => {
                format!("{far} of {all} {is} more than {NEAR} ULP from exact arithmetic")
            }
            (false, far) => format!("{far} of {all} {is} different from the exact result"),
        });
        if let Some(w) = &self.worst {
            let far = if self.is_float {
                format!(" by {} ULP", digits(w.ulp))
            } else {
                String::new()
            };
            let value = if w.value.is_finite() {
                format!(", {} in value,", digits(w.value))
            } else {
                String::new()
            };
            text.push_str(&format!(
                "; the worst differs{far}{value} at {:?} (found {}, exactly {})",
                w.index, w.found, w.exact
            ));
        }
        if self.far > 0 {
            text.push_str("; use --numpy to compute in f64");
        }
        text
    }

    /// The comparison for --json. An infinite distance is null.
    pub fn json(&self) -> serde_json::Value {
        let worst = self.worst.as_ref();
        json!({
            "far": self.far,
            "worst_ulp": worst.map_or(Some(0.0), |w| w.ulp.is_finite().then_some(w.ulp)),
            "worst_index": worst.map(|w| &w.index),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_counted_in_units_of_the_exact_number() {
        assert_eq!(apart(1.0, 1.0), (0.0, 0.0));
        assert_eq!(apart(f32::NAN, f64::NAN), (0.0, 0.0));
        assert_eq!(apart(f32::INFINITY, f64::INFINITY), (0.0, 0.0));
        assert_eq!(apart(f32::INFINITY, 1e40).0, f64::INFINITY);
        assert_eq!(apart(1.7e9, 1_700_000_064.0), (0.5, 64.0));
        assert_eq!(apart(0.0, f64::from(f32::from_bits(3))).0, 3.0);
        let (ulp, value) = apart(0.0, 59.999);
        assert!(ulp > 1e7 && value == 59.999);
    }
}
