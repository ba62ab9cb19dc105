//! Numbers along axes.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// An axis of an array, of which each index has room of its own and is marked in its middle.
#[derive(Clone)]
pub struct Cells {
    pub len: usize,
    /// Whether index 0 is at the top.
    pub is_down: bool,
}

impl Ranged for Cells {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let along = (value + 0.5) / self.len as f64;
        let along = if self.is_down { 1.0 - along } else { along };
        from + (along * f64::from(to - from)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        let most = hint.max_num_points().max(1);
        (0..self.len)
            .step_by(step(self.len, most))
            .map(|i| i as f64)
            .collect()
    }

    fn range(&self) -> Range<f64> {
        -0.5..self.len as f64 - 0.5
    }
}

impl ValueFormatter<f64> for Cells {
    fn format(value: &f64) -> String {
        format!("{value:.0}")
    }
}

/// The least of 1, 2, 5, 10, 20, 50 and so on that needs at most so many marks.
fn step(len: usize, most: usize) -> usize {
    let mut tens = 1usize;
    loop {
        for times in [1, 2, 5] {
            let step = tens.saturating_mul(times);
            if len.div_ceil(step) <= most {
                return step;
            }
        }
        tens = tens.saturating_mul(10);
    }
}

/// A mark's number, as short as its place among its neighbours allows.
pub fn mark(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".into(),
        m if (1e-4..1e6).contains(&m) => format!("{rounded}"),
        _ => format!("{rounded:e}"),
    }
}

/// The least and largest of the finite values, a little apart.
pub fn span(values: impl Iterator<Item = f64>, margin: f64) -> Range<f64> {
    // Beyond it the difference of two is infinite.
    const FARTHEST: f64 = 1e300;
    let (mut least, mut largest) = (f64::INFINITY, f64::NEG_INFINITY);
    for value in values.filter(|v| v.is_finite()) {
        least = least.min(value);
        largest = largest.max(value);
    }
    let (least, largest) = (least.max(-FARTHEST), largest.min(FARTHEST));
    if least > largest {
        return 0.0..1.0;
    }
    if least == largest {
        let apart = if least == 0.0 { 1.0 } else { least.abs() * 0.1 };
        return least - apart..largest + apart;
    }
    let more = (largest - least) * margin;
    least - more..largest + more
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_short_and_steps_are_round() {
        for (value, text) in [
            (0.1 + 0.2, "0.3"),
            (-0.0, "0"),
            (1500.0, "1500"),
            (2e9, "2e9"),
            (-1e-5, "-1e-5"),
        ] {
            assert_eq!(mark(value), text);
        }
        assert_eq!(
            [
                step(5, 10),
                step(13, 10),
                step(100, 10),
                step(usize::MAX, 3)
            ][..3],
            [1, 2, 10]
        );
        assert_eq!(span([1.0, f64::NAN, 3.0].into_iter(), 0.0), 1.0..3.0);
        assert_eq!(span([2.0].into_iter(), 0.1), 1.8..2.2);
        assert_eq!(span([f64::NAN].into_iter(), 0.1), 0.0..1.0);
    }
}
