//! Arrays as text, as NumPy prints them.

use std::fmt;

use super::HostTensor;
use super::words::{aligned, alone, words};
use crate::dtype::DType;

/// Items kept at each end of an axis of an array that is not shown in full.
const EDGE: usize = 3;

/// A function from an element's type and storage bits to its text.
type Formatter = fn(DType, u64) -> String;

/// An array as text, see [`HostTensor::display`].
#[derive(Clone, Copy, Debug)]
#[must_use = "it is written by format! and the like"]
pub struct ArrayText<'a> {
    host: &'a HostTensor,
    threshold: usize,
    line_width: usize,
    precision: Option<usize>,
    formatter: Option<Formatter>,
}

impl HostTensor {
    /// The elements as text, as NumPy prints an array: the tensor's own [`Display`](fmt::Display)
    /// with settings.
    ///
    /// `{}` is Python's `str(x)`, `{:#}` its `repr(x)`, which names the element type if it is not bool,
    /// i64 or f64. A float has as many digits as tell it from the others of its type, but at most 8
    /// behind the point; `{:.3}` sets another maximum. bf16, which NumPy does not have, is shown
    /// like f32.
    ///
    /// ```
    /// use zerostride::{DType, HostTensor};
    ///
    /// let bytes = [0.1f32, -2.0, f32::NAN, 1.0 / 3.0].iter().flat_map(|x| x.to_le_bytes()).collect();
    /// let x = HostTensor::new(DType::F32, [2, 2], bytes)?;
    /// assert_eq!(x.to_string(), "[[ 0.1        -2.        ]\n [        nan  0.33333334]]");
    /// assert_eq!(format!("{x:.2}"), "[[ 0.1  -2.  ]\n [  nan  0.33]]");
    /// let bytes = HostTensor::new(DType::U8, [2000], vec![7; 2000])?;
    /// assert_eq!(bytes.to_string(), "[7 7 7 ... 7 7 7]");
    /// assert_eq!(bytes.display().threshold(5000).line_width(20).to_string().lines().count(), 223);
    /// assert_eq!(format!("{bytes:#}"), "array([7, 7, 7, ..., 7, 7, 7], shape=(2000,), dtype=uint8)");
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    pub fn display(&self) -> ArrayText<'_> {
        ArrayText {
            host: self,
            threshold: 1000,
            line_width: 75,
            precision: Some(8),
            formatter: None,
        }
    }
}

impl ArrayText<'_> {
    /// Shortens an array of more elements than this to the first and last three items of each axis;
    /// 1000 by default.
    pub fn threshold(mut self, elements: usize) -> Self {
        self.threshold = elements;
        self
    }

    /// Breaks rows that are longer than this; 75 by default.
    pub fn line_width(mut self, characters: usize) -> Self {
        self.line_width = characters;
        self
    }

    /// Writes each element by this function of its type and storage bits, aligned to the right.
    pub fn formatter(mut self, formatter: fn(DType, u64) -> String) -> Self {
        self.formatter = Some(formatter);
        self
    }

    /// Whether elements are left out.
    pub fn is_summary(&self) -> bool {
        self.host.layout.len() > self.threshold
    }

    /// The items of an axis that are shown; `None` for those left out.
    fn items(&self, extent: usize) -> Vec<Option<usize>> {
        if !self.is_summary() || extent <= 2 * EDGE {
            return (0..extent).map(Some).collect();
        }
        let first = (0..EDGE).map(Some).chain([None]);
        first.chain((extent - EDGE..extent).map(Some)).collect()
    }

    /// The storage bits of the elements that are shown.
    fn shown(&self, items: &[Vec<Option<usize>>]) -> crate::error::Result<Vec<u64>> {
        let layout = &self.host.layout;
        let mut offsets = vec![layout.offset()];
        for (items, &stride) in items.iter().zip(layout.strides()) {
            let step = |&at: &usize| {
                let along = items.iter().flatten();
                let moved =
                    move |&i: &usize| at.wrapping_add_signed(i.cast_signed().wrapping_mul(stride));
                along.map(moved).collect::<Vec<usize>>()
            };
            offsets = offsets.iter().flat_map(step).collect();
        }
        offsets.into_iter().map(|at| self.host.bits(at)).collect()
    }

    /// The elements in brackets, after a text of `prefix` characters and before one of `suffix`.
    fn array(&self, separator: &'static str, prefix: usize, suffix: usize) -> String {
        let extents = self.host.layout.shape().extents();
        if self.host.layout.is_empty() {
            return "[]".into();
        }
        let items: Vec<_> = extents.iter().map(|&e| self.items(e)).collect();
        let bits = match self.host.check().and_then(|()| self.shown(&items)) {
            Ok(bits) => bits,
            // The fields are the caller's to change.
            Err(error) => return format!("<{error}>"),
        };
        let dtype = self.host.dtype;
        let words = match (self.formatter, extents) {
            (Some(formatter), _) => {
                let words: Vec<String> = bits.iter().map(|&b| formatter(dtype, b)).collect();
                aligned(&words, 0)
            }
            (None, []) if dtype == DType::Bool => vec![alone(dtype, bits[0])],
            (None, _) => words(dtype, &bits, self.precision),
        };
        let mut page = Page {
            items: &items,
            words: words.into_iter(),
            separator,
            indent: prefix + 1,
            width: self.line_width.saturating_sub(suffix),
            out: String::new(),
        };
        page.block(0);
        page.out
    }

    /// As Python's `repr` has it.
    fn repr(&self) -> String {
        let host = self.host;
        let extents = host.layout.shape().extents();
        let mut text = format!("array({}", self.array(", ", "array(".len(), 1));
        let mut more = Vec::new();
        if (host.layout.is_empty() && extents != [0]) || self.is_summary() {
            let comma = if extents.len() == 1 { "," } else { "" };
            let extents: Vec<String> = extents.iter().map(usize::to_string).collect();
            more.push(format!("shape=({}{comma})", extents.join(", ")));
        }
        let implied = matches!(host.dtype, DType::Bool | DType::I64 | DType::F64);
        if !implied || host.layout.is_empty() {
            more.push(format!("dtype={}", numpy_name(host.dtype)));
        }
        if more.is_empty() {
            return text + ")";
        }
        let more = more.join(", ") + ")";
        text.push(',');
        let last = text.lines().last().map_or(0, |line| line.chars().count());
        let space = match last + more.len() + 1 > self.line_width {
            true => "\n      ",
            false => " ",
        };
        text + space + &more
    }
}

/// NumPy's name of an element type.
fn numpy_name(dtype: DType) -> String {
    let name = dtype.name();
    match dtype {
        DType::Bool => name.into(),
        DType::Bf16 => "bfloat16".into(),
        _ if dtype.is_float() => name.replace('f', "float"),
        _ => name
            .replace('u', "uint")
            .replacen('i', "int", usize::from(dtype.is_signed())),
    }
}

/// Words set in brackets and lines.
struct Page<'a> {
    items: &'a [Vec<Option<usize>>],
    words: std::vec::IntoIter<String>,
    separator: &'static str,
    /// Where lines begin behind the outermost bracket.
    indent: usize,
    width: usize,
    out: String,
}

impl Page<'_> {
    /// An item whose axes are those from this one on.
    fn block(&mut self, axis: usize) {
        match self.items.len() - axis {
            0 => self.out.extend(self.words.next()),
            1 => self.row(axis),
            // Of any number of such axes, so that the depth of calls is that of the others.
            rest if self.items[axis].len() == 1 => {
                let outer = self.items[axis..axis + rest - 1].iter();
                let alone = outer.take_while(|items| items.len() == 1).count();
                self.out.push_str(&"[".repeat(alone));
                self.block(axis + alone);
                self.out.push_str(&"]".repeat(alone));
            }
            rest => {
                let lines = "\n".repeat(rest - 1) + &" ".repeat(self.indent + axis);
                self.out.push('[');
                for (k, item) in self.items[axis].iter().enumerate() {
                    if k > 0 {
                        self.out.push_str(self.separator.trim_end());
                        self.out.push_str(&lines);
                    }
                    match item {
                        None => self.out.push_str("..."),
                        Some(_) => self.block(axis + 1),
                    }
                }
                self.out.push(']');
            }
        }
    }

    /// The items of the innermost axis, in as many lines as they need.
    fn row(&mut self, axis: usize) {
        let start = self.indent + axis;
        // Room for this bracket or a comma, and for the brackets around it.
        let width = self.width.saturating_sub(axis + 1);
        let mut at = start;
        self.out.push('[');
        for (k, item) in self.items[axis].iter().enumerate() {
            if k > 0 {
                self.out.push_str(self.separator);
                at += self.separator.len();
            }
            let shown = item.and_then(|_| self.words.next());
            let word = shown.unwrap_or_else(|| "...".into());
            let len = word.chars().count();
            if at > start && at + len > width {
                self.out.truncate(self.out.trim_end().len());
                self.out.push('\n');
                self.out.push_str(&" ".repeat(start));
                at = start;
            }
            self.out.push_str(&word);
            at += len;
        }
        self.out.push(']');
    }
}

impl fmt::Display for ArrayText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = Self {
            precision: f.precision().or(self.precision),
            ..*self
        };
        let host = own.host;
        if f.alternate() {
            return f.write_str(&own.repr());
        }
        // A scalar has all its digits, unless fewer are asked for.
        if host.layout.shape().rank() == 0
            && own.formatter.is_none()
            && f.precision().is_none()
            && let Ok(bits) = host.bits(host.layout.offset())
        {
            return f.write_str(&alone(host.dtype, bits));
        }
        f.write_str(&own.array(" ", 0, 0))
    }
}

/// As NumPy prints an array, see [`display`](HostTensor::display).
impl fmt::Display for HostTensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.display().fmt(f)
    }
}
