//! The axes of plots and their labels.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};

/// An axis of array indices: each index has a cell, with its mark in the middle.
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

/// An axis of values.
#[derive(Clone)]
pub struct Values(pub Range<f64>);

impl Values {
    fn width(&self) -> f64 {
        self.0.end - self.0.start
    }
}

impl Ranged for Values {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, (from, to): (i32, i32)) -> i32 {
        let along = ((value - self.0.start) / self.width()).clamp(0.0, 1.0);
        from + (along * f64::from(to - from)).round() as i32
    }

    fn key_points<H: KeyPointHint>(&self, hint: H) -> Vec<f64> {
        let most = hint.max_num_points().max(2) as f64;
        let power = (self.width() / most).log10().floor();
        let steps = [1.0, 2.0, 5.0, 10.0].map(|times| times * 10f64.powf(power));
        let step = steps.into_iter().find(|step| self.width() / step <= most);
        // Marks that are not apart are none: the ends alone are left.
        let Some(step) = step.filter(|&step| {
            let far = self.0.start.abs().max(self.0.end.abs());
            step.is_normal() && step > far * 1e-12
        }) else {
            return vec![self.0.start, self.0.end];
        };
        let (first, last) = (self.0.start / step, self.0.end / step);
        let mut points = Vec::new();
        let mut n = first.ceil();
        while n <= last {
            points.push(n * step);
            n += 1.0;
        }
        points
    }

    fn range(&self) -> Range<f64> {
        self.0.clone()
    }
}

impl ValueFormatter<f64> for Values {
    fn format(value: &f64) -> String {
        format!("{value}")
    }
}

impl ValueFormatter<f64> for Cells {
    fn format(value: &f64) -> String {
        format!("{value:.0}")
    }
}

/// The smallest step among 1, 2, 5, 10, 20, 50 and so on that gives at most `most` marks.
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

/// The label of a mark in a span. A rounding error near zero becomes 0.
pub fn mark(value: f64, span: &Range<f64>) -> String {
    let is_zero = value.abs() < (span.end - span.start) * 1e-9;
    let value = if is_zero { 0.0 } else { value };
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    match rounded.abs() {
        0.0 => "0".into(),
        m if (1e-4..1e6).contains(&m) => format!("{rounded}"),
        _ => format!("{rounded:e}"),
    }
}

/// The range of the finite values, never empty, with this margin relative to its width.
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
            (-1e-16, "0"),
        ] {
            assert_eq!(mark(value, &(0.0..1e-3)), text);
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
        for (span, points) in [
            (0.0..1.0, 6),
            (-1e300..1e300, 5),
            (0.0..5e-324, 2),
            (1.0..1.000_000_000_000_000_2, 2),
            (-0.7..0.8, 8),
        ] {
            let found = Values(span.clone()).key_points(9);
            assert_eq!(found.len(), points, "{span:?}: {found:?}");
            assert_eq!(Values(span).map(&f64::MAX, (10, 0)), 0);
        }
        assert_eq!(span([1.0, f64::NAN, 3.0].into_iter(), 0.0), 1.0..3.0);
        assert_eq!(span([2.0].into_iter(), 0.1), 1.8..2.2);
        assert_eq!(span([f64::NAN].into_iter(), 0.1), 0.0..1.0);
    }
}
