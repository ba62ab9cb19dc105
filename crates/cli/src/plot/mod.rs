//! `--plot`: a result of one axis as a curve, one of two as a picture, in a PNG file.

mod axes;
mod canvas;
mod colours;

use std::convert::Infallible;
use std::ops::Range;
use std::path::Path;

use plotters::chart::{ChartBuilder, MeshStyle};
use plotters::coord::Shift;
use plotters::coord::ranged1d::{Ranged, ValueFormatter};
use plotters::prelude::{
    BLACK, Circle, Color as _, DrawingArea, DrawingAreaErrorKind, IntoDrawingArea as _,
    IntoFont as _, LineSeries, RGBColor, WHITE,
};
use zerostride::HostTensor;

use crate::failure::Failure;
use crate::output;
use crate::summary::number;
use crate::target::bits;
use axes::{Cells, Values, mark, span};
use canvas::Canvas;
use colours::colour;

/// Pixels of a picture.
const SIZE: (u32, u32) = (960, 600);
/// Pixels of the colours' scale with its numbers.
const SCALE: u32 = 130;
/// Up to this many elements are marked by dots.
const DOTS: usize = 60;
/// From this many elements on, lines are thin.
const DENSE: usize = 1000;
const INK: RGBColor = RGBColor(31, 78, 140);
const GRID: RGBColor = RGBColor(225, 225, 225);
/// Pixels between the parts.
const GAP: u32 = 14;
/// Pixels of the numbers below and beside a picture, and of the colours beside it.
const X_LABELS: u32 = 34;
const Y_LABELS: u32 = 70;
const BAR: u32 = 22;

type Area<'a> = DrawingArea<Canvas<'a>, Shift>;
type Drawn = Result<(), DrawingAreaErrorKind<Infallible>>;

/// Refuses results that cannot be drawn, before they are computed.
pub fn check_ranks(ranks: &[usize]) -> Result<(), Failure> {
    match ranks {
        [] | [1 | 2] => Ok(()),
        [rank] => Err(Failure::Failed(format!(
            "--plot draws results of one or two axes, but this one has {}; (..)[..., 0] draws one channel",
            zerostride::message::count(rank, "axis")
        ))),
        _ => Err(Failure::Usage("--plot draws only one result".into())),
    }
}

/// Draws a result under a title.
pub fn draw(path: &Path, result: &HostTensor, title: &str) -> Result<(), Failure> {
    let extents = result.layout.shape().extents();
    check_ranks(&[extents.len()])?;
    if result.layout.is_empty() {
        return Err(Failure::Failed("--plot: the result has no elements".into()));
    }
    let values: Vec<f64> = result
        .bytes
        .chunks_exact(result.dtype.size())
        .map(|element| number(result.dtype, bits(element)))
        .collect();
    let mut pixels = vec![255; (SIZE.0 * SIZE.1 * 3) as usize];
    let area = Canvas::new(&mut pixels, SIZE).into_drawing_area();
    let drawn = match extents {
        [rows, columns] => picture(&area, &values, (*rows, *columns), title),
        _ => curve(&area, &values, title),
    };
    drawn.map_err(|e| Failure::Failed(format!("--plot: {e}")))?;
    drop(area);
    let png = encoded(&pixels).map_err(|e| Failure::Failed(format!("--plot: {e}")))?;
    output::file(path, &png)
}

fn encoded(pixels: &[u8]) -> Result<Vec<u8>, png::EncodingError> {
    let mut png = Vec::new();
    let mut encoder = png::Encoder::new(&mut png, SIZE.0, SIZE.1);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(pixels)?;
    Ok(png)
}

/// A title that fits the picture.
fn shortened(title: &str) -> String {
    const MOST: usize = 90;
    let line: String = title
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    match line.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

/// Draws the lines and labels that all axes have.
fn style<X, Y>(mesh: &mut MeshStyle<'_, '_, X, Y, Canvas<'_>>) -> Drawn
where
    X: Ranged<ValueType = f64> + ValueFormatter<f64>,
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    mesh.label_style(("sans-serif", 16).into_font().color(&BLACK))
        .axis_style(BLACK)
        .bold_line_style(GRID)
        .light_line_style(WHITE)
        .x_labels(10)
        .y_labels(9)
        .draw()
}

/// The points to draw: all elements, or if they are many the least and the largest of each pixel
/// column, since one per column would hide extremes.
fn points(values: &[f64], most: usize) -> Vec<(f64, f64)> {
    if values.len() <= 2 * most {
        return (0..)
            .map(|i| i as f64)
            .zip(values.iter().copied())
            .collect();
    }
    let mut points = Vec::with_capacity(2 * most);
    for column in 0..most {
        let start = (column as u128 * values.len() as u128 / most as u128) as usize;
        let end = ((column + 1) as u128 * values.len() as u128 / most as u128) as usize;
        let (mut least, mut largest) = ((0.0, f64::NAN), (0.0, f64::NAN));
        for (i, &value) in values.iter().enumerate().take(end).skip(start) {
            let point = (i as f64, value);
            if !value.is_finite() {
                continue;
            }
            // NaN stands for none so far.
            if least.1.is_nan() || value < least.1 {
                least = point;
            }
            if largest.1.is_nan() || value > largest.1 {
                largest = point;
            }
        }
        match least.1.is_nan() {
            true => points.push((start as f64, f64::NAN)),
            false if least.0 <= largest.0 => points.extend([least, largest]),
            false => points.extend([largest, least]),
        }
    }
    points
}

fn curve(area: &Area<'_>, values: &[f64], title: &str) -> Drawn {
    area.fill(&WHITE)?;
    let span = span(values.iter().copied(), 0.05);
    let cells = Cells {
        len: values.len(),
        is_down: false,
    };
    let mut chart = ChartBuilder::on(area)
        .caption(shortened(title), ("sans-serif", 20))
        .margin(GAP)
        .x_label_area_size(34)
        .y_label_area_size(90)
        .build_cartesian_2d(cells, Values(span.clone()))?;
    style(
        chart
            .configure_mesh()
            .y_label_formatter(&|v| mark(*v, &span)),
    )?;
    let points = points(values, SIZE.0 as usize);
    let width = if values.len() < DENSE { 2 } else { 1 };
    // NaN and infinities are gaps.
    for run in points.split(|(_, y)| !y.is_finite()) {
        chart.draw_series(LineSeries::new(
            run.iter().copied(),
            INK.stroke_width(width),
        ))?;
    }
    let is_few = values.len() <= DOTS;
    let alone = |i: usize| {
        let is_gap =
            |j: Option<usize>| j.and_then(|j| values.get(j)).is_none_or(|y| !y.is_finite());
        is_gap(i.checked_sub(1)) && is_gap(i.checked_add(1))
    };
    let dots = points
        .iter()
        .filter(|(x, y)| y.is_finite() && (is_few || alone(*x as usize)))
        .map(|&point| Circle::new(point, 3, INK.filled()));
    chart.draw_series(dots)?;
    area.present()
}

fn picture(root: &Area<'_>, values: &[f64], (rows, columns): (usize, usize), title: &str) -> Drawn {
    root.fill(&WHITE)?;
    let area = root.titled(&shortened(title), ("sans-serif", 20))?;
    let (beside, above) = spare(area.dim_in_pixel(), rows, columns);
    let area = area.margin(above, above, beside, beside);
    let (main, side) = area.split_horizontally(area.dim_in_pixel().0 - SCALE);
    let span = span(values.iter().copied(), 0.0);
    let place = |v: f64| (v - span.start) / (span.end - span.start);

    let mut chart = ChartBuilder::on(&main)
        .margin(GAP)
        .x_label_area_size(X_LABELS)
        .y_label_area_size(Y_LABELS)
        .build_cartesian_2d(
            Cells {
                len: columns,
                is_down: false,
            },
            Cells {
                len: rows,
                is_down: true,
            },
        )?;
    style(chart.configure_mesh().disable_mesh())?;
    let (xs, ys) = chart.plotting_area().get_pixel_range();
    for y in ys.clone() {
        let row = covered((y - ys.start) as usize, ys.len(), rows);
        for x in xs.clone() {
            let column = covered((x - xs.start) as usize, xs.len(), columns);
            let [r, g, b] = match mean(values, columns, row.clone(), column) {
                Some(value) => colour(place(value)),
                None => colours::NAN,
            };
            root.draw_pixel((x, y), &RGBColor(r, g, b))?;
        }
    }

    let mut chart = ChartBuilder::on(&side)
        .margin(GAP)
        .x_label_area_size(X_LABELS)
        .right_y_label_area_size(SCALE - 2 * GAP - BAR)
        .build_cartesian_2d(Values(0.0..1.0), Values(span.clone()))?;
    style(
        chart
            .configure_mesh()
            .disable_mesh()
            .disable_x_axis()
            // Apart from the marks.
            .y_label_formatter(&|v| format!(" {}", mark(*v, &span))),
    )?;
    let (xs, ys) = chart.plotting_area().get_pixel_range();
    for y in ys.clone() {
        let [r, g, b] = colour(f64::from(ys.end - 1 - y) / (ys.len().max(2) - 1) as f64);
        for x in xs.clone() {
            root.draw_pixel((x, y), &RGBColor(r, g, b))?;
        }
    }
    root.present()
}

/// The pixels to leave free at each side, and above and below, so that elements are square; 0 if
/// that would make them too small.
fn spare((width, height): (u32, u32), rows: usize, columns: usize) -> (u32, u32) {
    const LONGEST: f64 = 4.0;
    let (rows, columns) = (rows as f64, columns as f64);
    if rows > LONGEST * columns || columns > LONGEST * rows {
        return (0, 0);
    }
    let width = f64::from(width.saturating_sub(SCALE + Y_LABELS + 2 * GAP));
    let height = f64::from(height.saturating_sub(X_LABELS + 2 * GAP));
    let cell = (width / columns).min(height / rows);
    let free = |all: f64, n: f64| ((all - cell * n) / 2.0).max(0.0) as u32;
    (free(width, columns), free(height, rows))
}

/// The elements of an axis of `n` that lie under pixel `at` of `len`.
fn covered(at: usize, len: usize, n: usize) -> Range<usize> {
    let place = |at: usize| (at as u128 * n as u128 / len as u128) as usize;
    let start = place(at);
    start..place(at + 1).max(start + 1)
}

/// The mean of the elements that are not NaN; `None` if it is NaN.
fn mean(values: &[f64], width: usize, rows: Range<usize>, columns: Range<usize>) -> Option<f64> {
    let (mut sum, mut counted) = (0.0, 0usize);
    for row in rows {
        let row = &values[row * width..(row + 1) * width];
        for value in row[columns.clone()].iter().filter(|v| !v.is_nan()) {
            sum += value;
            counted += 1;
        }
    }
    let mean = sum / counted as f64;
    (!mean.is_nan()).then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_gaps_of_a_long_curve_stay() {
        let mut values: Vec<f64> = (0..100_000).map(|i| f64::from(i % 7)).collect();
        values[54_321] = 1000.0;
        values[12_345] = -1000.0;
        let points = points(&values, 900);
        assert!(points.len() <= 1800);
        assert!(points.contains(&(54_321.0, 1000.0)) && points.contains(&(12_345.0, -1000.0)));
        assert!(points.windows(2).all(|p| p[0].0 <= p[1].0));
        values[..1000].fill(f64::NAN);
        assert!(super::points(&values, 900)[0].1.is_nan());
    }

    #[test]
    fn every_element_lies_under_a_pixel_and_none_under_two_that_mix() {
        for (len, n) in [(7, 3), (3, 7), (500, 500), (10, 1)] {
            let all: Vec<_> = (0..len).flat_map(|at| covered(at, len, n)).collect();
            assert!((0..n).all(|i| all.contains(&i)), "{len} {n}");
            assert!(all.iter().all(|&i| i < n), "{len} {n}");
        }
        assert_eq!(mean(&[1.0, f64::NAN, 3.0, 5.0], 2, 0..2, 0..2), Some(3.0));
        assert_eq!(mean(&[f64::NAN], 1, 0..1, 0..1), None);
    }
}
