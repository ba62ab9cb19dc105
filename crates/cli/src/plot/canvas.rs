//! A canvas of pixels for `plotters`, with a built-in font instead of the system's.

use std::convert::Infallible;

use noto_sans_mono_bitmap::{FontWeight, RasterHeight, get_raster, get_raster_width};
use plotters::prelude::{DrawingBackend, FontTransform};
use plotters::style::text_anchor::{HPos, VPos};
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingErrorKind,
};

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

/// Text of this size or more uses the larger of two heights.
const LARGE: f64 = 18.0;
/// Replaces characters that the font lacks.
const UNKNOWN: char = '?';

/// Rows of red, green and blue.
pub struct Canvas<'a> {
    pixels: &'a mut [u8],
    width: u32,
    height: u32,
}

impl<'a> Canvas<'a> {
    /// A canvas over three bytes for each pixel.
    pub fn new(pixels: &'a mut [u8], (width, height): (u32, u32)) -> Self {
        Self {
            pixels,
            width,
            height,
        }
    }
}

/// The height and width of a text's characters.
fn cell(size: f64) -> (RasterHeight, i32, i32) {
    let height = if size >= LARGE {
        RasterHeight::Size20
    } else {
        RasterHeight::Size16
    };
    let width = get_raster_width(FontWeight::Regular, height);
    (height, width as i32, height.val() as i32)
}

impl Canvas<'_> {
    /// Draws a line of this width.
    fn thick(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        width: f64,
        color: BackendColor,
    ) -> Drawn {
        let (x0, y0) = (f64::from(from.0), f64::from(from.1));
        let (dx, dy) = (f64::from(to.0) - x0, f64::from(to.1) - y0);
        let reach = width.ceil() as i32;
        // What lies outside is not looked at.
        let within = |a: i32, b: i32, size: u32| {
            let (low, high) = (a.min(b) - reach, a.max(b) + reach);
            low.max(0)..=high.min(size as i32 - 1)
        };
        let (columns, rows) = (
            within(from.0, to.0, self.width),
            within(from.1, to.1, self.height),
        );
        for y in rows {
            for x in columns.clone() {
                let (px, py) = (f64::from(x) - x0, f64::from(y) - y0);
                let length = dx * dx + dy * dy;
                let along = if length == 0.0 {
                    0.0
                } else {
                    ((px * dx + py * dy) / length).clamp(0.0, 1.0)
                };
                let distance = (px - along * dx).hypot(py - along * dy);
                let cover = (width / 2.0 + 0.5 - distance).clamp(0.0, 1.0);
                if cover > 0.0 {
                    let alpha = color.alpha * cover;
                    let rgb = color.rgb;
                    self.draw_pixel((x, y), BackendColor { alpha, rgb })?;
                }
            }
        }
        Ok(())
    }
}

impl DrawingBackend for Canvas<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, (x, y): BackendCoord, color: BackendColor) -> Drawn {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else {
            return Ok(());
        };
        if x < self.width && y < self.height {
            let at = 3 * (y as usize * self.width as usize + x as usize);
            let (r, g, b) = color.rgb;
            for (under, over) in self.pixels[at..at + 3].iter_mut().zip([r, g, b]) {
                let mixed = f64::from(*under) * (1.0 - color.alpha) + f64::from(over) * color.alpha;
                *under = mixed.round() as u8;
            }
        }
        Ok(())
    }

    /// Draws lines with round ends. A thick line blends each pixel once, by its distance.
    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<BackendCoord> = path.into_iter().collect();
        for pair in points.windows(2) {
            match style.stroke_width() {
                0 => {}
                1 => self.draw_line(pair[0], pair[1], style)?,
                width => self.thick(pair[0], pair[1], f64::from(width), style.color())?,
            }
        }
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(&mut self, text: &str, style: &S, at: BackendCoord) -> Drawn {
        let (raster, width, height) = cell(style.size());
        let color = style.color();
        let anchor = style.anchor();
        let length = width * text.chars().count() as i32;
        let left = match anchor.h_pos {
            HPos::Left => 0,
            HPos::Center => -length / 2,
            HPos::Right => -length,
        };
        let top = match anchor.v_pos {
            VPos::Top => 0,
            VPos::Center => -height / 2,
            VPos::Bottom => -height,
        };
        let turn: FontTransform = style.transform();
        for (n, c) in text.chars().enumerate() {
            let glyph = get_raster(c, FontWeight::Regular, raster)
                .or_else(|| get_raster(UNKNOWN, FontWeight::Regular, raster));
            let Some(glyph) = glyph else { continue };
            for (y, row) in glyph.rows().enumerate() {
                for (x, &ink) in row.iter().enumerate() {
                    let (dx, dy) =
                        turn.transform(left + n as i32 * width + x as i32, top + y as i32);
                    let alpha = color.alpha * f64::from(ink) / 255.0;
                    let rgb = color.rgb;
                    if ink > 0 {
                        self.draw_pixel((at.0 + dx, at.1 + dy), BackendColor { alpha, rgb })?;
                    }
                }
            }
        }
        Ok(())
    }

    fn estimate_text_size<S: BackendTextStyle>(
        &self,
        text: &str,
        style: &S,
    ) -> Result<(u32, u32), DrawingErrorKind<Infallible>> {
        let (_, width, height) = cell(style.size());
        Ok((width as u32 * text.chars().count() as u32, height as u32))
    }
}
