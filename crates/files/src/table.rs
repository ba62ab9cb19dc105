//! Tables of text: `.csv`, `.tsv` and `.txt`.
//!
//! Commas separate the cells of a `.csv`, tabs those of a `.tsv`, with quotes as in [RFC 4180];
//! white space separates those of a `.txt`, where `#` begins a comment, as for `np.loadtxt`. Empty
//! lines are skipped. The first line is a header if it has a column that is asked for by name, or
//! text but no number or truth value; a cell that may be a name or a number is an error.
//! Every cell must be a number of the array's type. If no type is named, the type is the narrowest
//! of bool, i64, u64 and f64 that fits all cells; truth values and numbers must not be mixed then.
//!
//! [RFC 4180]: https://www.rfc-editor.org/rfc/rfc4180

mod cells;
mod found;
mod header;

use zerostride::message::count;
use zerostride::{DType, Error, HostTensor, Shape};

use super::errors::{dtype, refused};
use super::number;
use super::place::Place;
use super::words::Words;
pub use cells::Between;
use cells::{Line, Lines};
use found::Found;

/// Whether the first line is a header.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Header {
    /// It is a header if none of its cells is a number.
    #[default]
    Auto,
    /// It is a header.
    Yes,
    /// It is not a header.
    No,
}

/// The format of tables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Settings {
    /// The separator of cells, if it is not that of the file's ending.
    pub between: Option<Between>,
    /// Whether the first line is a header.
    pub header: Header,
    /// Whether an empty cell is NaN.
    pub empty_is_nan: bool,
    /// The names that errors use for these settings.
    pub words: Words,
}

/// The columns of a table to read, and their element type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    between: Between,
    /// Columns by name or number, with `!` before those that are left out; empty for all.
    names: Vec<String>,
    dtype: Option<DType>,
}

impl Columns {
    /// Parses `[NAME,..][:DTYPE]` for this ending; a name may be a number, or begin with `!`.
    pub fn parse(ending: &str, text: &str) -> Result<Self, String> {
        let between = match ending {
            ".csv" => Between::Byte(b','),
            ".tsv" => Between::Byte(b'\t'),
            _ => Between::Space,
        };
        let (names, dtype) = match text.rsplit_once(':') {
            Some((names, name)) => (names, Some(dtype(name.trim())?)),
            None => match text.parse() {
                Ok(dtype) => ("", Some(dtype)),
                Err(_) => (text, None),
            },
        };
        let names = match names {
            "" => Vec::new(),
            names => names.split(',').map(|n| n.trim().to_owned()).collect(),
        };
        Ok(Self {
            between,
            names,
            dtype,
        })
    }
}

impl Columns {
    /// Sets the element type if the columns name none.
    pub fn or_dtype(self, dtype: DType) -> Self {
        Self {
            dtype: self.dtype.or(Some(dtype)),
            ..self
        }
    }
}

/// Reads a table: one column becomes an array of one axis, several become one of two axes.
pub fn read(place: &Place, columns: &Columns, settings: &Settings) -> Result<HostTensor, Error> {
    let text = place.bytes()?;
    let between = settings.between.unwrap_or(columns.between);
    read_text(&text, between, columns, settings).map_err(|reason| refused(place.path(), reason))
}

fn read_text(
    text: &[u8],
    between: Between,
    columns: &Columns,
    settings: &Settings,
) -> Result<HostTensor, String> {
    if text.starts_with(&[0xff, 0xfe]) || text.starts_with(&[0xfe, 0xff]) {
        return Err("it is UTF-16; tables are read as UTF-8".into());
    }
    let mut first = Line::default();
    if !Lines::of(text, between).next(&mut first)? {
        return Err("it holds no numbers: every line is empty".into());
    }
    let has_header = match settings.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => header::found(&first, &columns.names, settings.words)?,
    };
    if has_header && first.cells().any(|cell| std::str::from_utf8(cell).is_err()) {
        return Err(format!("line {}: it is not UTF-8", first.number));
    }
    let table = Table {
        text,
        between,
        has_header,
        width: first.len(),
        wanted: wanted(&first, has_header, columns, settings.words)?,
        empty_is_nan: settings.empty_is_nan,
        words: settings.words,
        header_is_said: settings.header != Header::Auto,
    };
    let (rows, found) = table.survey(columns.dtype.is_none())?;
    if rows == 0 && settings.header == Header::Auto {
        return Err(format!(
            "line {}: it has no numbers, and no line follows it; {} reads an empty table",
            first.number, settings.words.header
        ));
    }
    let dtype = match columns.dtype {
        Some(dtype) => dtype,
        None => found.dtype()?,
    };
    if let Some((line, column)) = found.empty.filter(|_| !dtype.is_float()) {
        return Err(format!(
            "line {line}, column {column}: an empty cell is NaN, which does not fit {dtype}"
        ));
    }
    // Once more, now that the type is known.
    let mut bytes = Vec::with_capacity(rows * table.wanted.len() * dtype.size());
    table.each(|cell, at| {
        let number = if cell.is_empty() { "nan" } else { cell };
        number::encode(number, dtype, &mut bytes)
            .map_err(|e| format!("{e}{}", table.advice(cell, at.0)))
    })?;
    let shape = match table.wanted.len() {
        1 => vec![rows],
        n => vec![rows, n],
    };
    HostTensor::new(dtype, Shape::from(shape), bytes).map_err(|e| e.to_string())
}

/// The positions of the wanted columns: by name, by number from 0 or from the end, or all but those
/// behind `!`.
fn wanted(
    line: &Line,
    has_header: bool,
    columns: &Columns,
    words: Words,
) -> Result<Vec<usize>, String> {
    if columns.names.is_empty() {
        return Ok((0..line.len()).collect());
    }
    let titles: Vec<String> = match has_header {
        true => line
            .cells()
            .map(|c| String::from_utf8_lossy(c).into_owned())
            .collect(),
        false => Vec::new(),
    };
    let place = |name: &str| {
        let mut found = titles.iter().enumerate().filter(|(_, t)| *t == name);
        match (found.next(), found.next(), name.parse::<isize>()) {
            (Some((at, _)), None, _) => Ok(at),
            (Some(_), Some(_), _) => {
                Err(format!("two columns are called `{}`", number::shown(name)))
            }
            (None, _, Ok(at)) => {
                let from_end = at.checked_add_unsigned(line.len()).filter(|_| at < 0);
                let at = usize::try_from(from_end.unwrap_or(at)).ok();
                at.filter(|&at| at < line.len()).ok_or_else(|| {
                    let is_cell = line.cells().any(|cell| cell == name.as_bytes());
                    let advice = match is_cell && !has_header {
                        true => format!(
                            "; with {} the first line is a header, which has this name",
                            words.header
                        ),
                        false => String::new(),
                    };
                    format!("no column {name}: the table has {}{advice}", line.len())
                })
            }
            (None, _, Err(_)) if has_header => Err(format!(
                "no column `{}`; its columns are {}",
                number::shown(name),
                number::shown_list(&titles)
            )),
            (None, _, Err(_)) => Err(format!(
                "the table has no header that names a column `{}`; the first column is 0",
                number::shown(name)
            )),
        }
    };
    let (left_out, taken): (Vec<&String>, Vec<&String>) =
        columns.names.iter().partition(|name| name.starts_with('!'));
    match (left_out.is_empty(), taken.is_empty()) {
        (true, _) => taken.into_iter().map(|name| place(name)).collect(),
        (false, true) => {
            let places = left_out.into_iter().map(|name| place(name[1..].trim()));
            let places: Vec<usize> = places.collect::<Result<_, _>>()?;
            let rest: Vec<usize> = (0..line.len()).filter(|at| !places.contains(at)).collect();
            match rest.is_empty() {
                true => Err("no column is left".into()),
                false => Ok(rest),
            }
        }
        (false, false) => {
            let all = columns
                .names
                .iter()
                .map(|name| name.trim_start_matches('!'));
            let all: Vec<String> = all.map(|name| format!("!{name}")).collect();
            Err(format!(
                "name columns to read, as NAME,NAME, or to leave out, as !NAME,!NAME: {} leaves all of them out",
                number::shown(&all.join(","))
            ))
        }
    }
}

/// The text of a table, and how to read its lines.
struct Table<'a> {
    text: &'a [u8],
    between: Between,
    has_header: bool,
    /// The number of cells in a line.
    width: usize,
    /// The columns that are read.
    wanted: Vec<usize>,
    empty_is_nan: bool,
    words: Words,
    /// Whether the settings say if the first line is a header.
    header_is_said: bool,
}

impl Table<'_> {
    /// Says what to do about a cell that is no number.
    fn advice(&self, cell: &str, line: u64) -> String {
        let words = self.words;
        match number::parse(cell) {
            Ok(_) => return String::new(),
            Err(_) if cell.parse::<f64>().is_ok() => {
                return "; name a type, as in FILE.csv:f64".into();
            }
            Err(_) => {}
        }
        let pieces = |b: u8| cell.split(char::from(b)).filter(|piece| !piece.is_empty());
        let other = |b: u8| {
            let is_other = self.between != Between::Byte(b) && cell.contains(char::from(b));
            is_other && pieces(b).all(|piece| number::is_number(piece.trim().as_bytes()))
        };
        let between = format!("{} sets the separator of cells", words.between);
        // Of one comma nobody knows whether it is a decimal one.
        if pieces(b',').count() == 2 && other(b',') {
            return format!("; decimals are written with a point, and {between}");
        }
        if [b';', b'\t', b'|', b','].into_iter().any(other) {
            return format!("; {between}");
        }
        if self.between != Between::Space && other(b' ') {
            return format!("; {} separates cells at white space", words.space);
        }
        if header::is_missing(cell) {
            return format!(
                "; write a missing value as nan, or as nothing with {}",
                words.empty
            );
        }
        match line {
            _ if self.has_header && self.wanted.len() == self.width => {
                "; FILE:NAME,NAME reads only the named columns".into()
            }
            1 if !self.header_is_said => format!("; {} takes the line as a header", words.header),
            _ => String::new(),
        }
    }

    /// Calls `call` with each wanted cell, its line and column from 1. Returns the number of rows.
    fn each(
        &self,
        mut call: impl FnMut(&str, (u64, usize)) -> Result<(), String>,
    ) -> Result<usize, String> {
        let mut lines = Lines::of(self.text, self.between);
        let mut line = Line::default();
        let mut rows = 0;
        if self.has_header {
            lines.next(&mut line)?;
        }
        while lines.next(&mut line)? {
            if line.len() != self.width {
                let cells = count(line.len(), "cell");
                return Err(format!(
                    "line {}: it has {cells}, the first line has {}",
                    line.number, self.width
                ));
            }
            for &column in &self.wanted {
                let at = (line.number, column + 1);
                let fail = |reason: String| format!("line {}, column {}: {reason}", at.0, at.1);
                let cell = std::str::from_utf8(line.cell(column))
                    .map_err(|_| fail("it is not UTF-8".into()))?;
                if cell.is_empty() && !self.empty_is_nan {
                    let reason = format!("the cell is empty; {} reads NaN", self.words.empty);
                    return Err(fail(reason));
                }
                call(cell, at).map_err(fail)?;
            }
            rows += 1;
        }
        Ok(rows)
    }

    /// The number of rows, and the kinds of their cells if `is_asked`.
    fn survey(&self, is_asked: bool) -> Result<(usize, Found), String> {
        let mut found = Found::default();
        let rows = self.each(|cell, at| {
            match cell {
                "" => found.add_empty(at),
                cell if is_asked => {
                    let number = number::parse(cell)
                        .map_err(|e| format!("{e}{}", self.advice(cell, at.0)))?;
                    found.add(number, at);
                }
                _ => {}
            }
            Ok(())
        })?;
        Ok((rows, found))
    }
}

#[cfg(test)]
mod tests;
