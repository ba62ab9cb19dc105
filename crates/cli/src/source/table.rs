//! Tables of text: `.csv`, `.tsv` and `.txt`.
//!
//! A `.csv` has its cells between commas, a `.tsv` between tabs, as [RFC 4180] says of quotes; a
//! `.txt` between white space, and `#` begins a comment there, as for `np.loadtxt`. Empty lines are
//! skipped. The first line is a header if it has text and none of its cells is a number or truth
//! value.
//! Every cell must be a number of the array's type; the type is the narrowest of bool, i64, u64 and
//! f64 that has them all, and truth values stand beside truth values only.
//!
//! [RFC 4180]: https://www.rfc-editor.org/rfc/rfc4180

mod cells;

use zerostride::message::count;
use zerostride::{DType, HostTensor, Shape};

use super::number::{self, Number};
use super::{Place, refused};
use crate::failure::Failure;
pub use cells::Between;
use cells::{Line, Lines};

/// Whether the first line is a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Header {
    /// If none of its cells is a number.
    Auto,
    Yes,
    No,
}

/// How tables are written.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// What is between cells, if it is not what the name of the file says.
    pub between: Option<Between>,
    pub header: Header,
    /// Whether an empty cell is NaN.
    pub empty_is_nan: bool,
}

/// What of a table is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Columns {
    between: Between,
    /// Columns by name; none for all.
    names: Vec<String>,
    dtype: Option<DType>,
}

impl Columns {
    /// `[NAME,..][:DTYPE]` behind a file of this ending.
    pub fn parse(ending: &str, text: &str) -> Result<Self, String> {
        let between = match ending {
            ".csv" => Between::Byte(b','),
            ".tsv" => Between::Byte(b'\t'),
            _ => Between::Space,
        };
        let (names, dtype) = match text.rsplit_once(':') {
            Some((names, name)) => (names, Some(super::dtype(name)?)),
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

/// Reads a table: one column is an array of one axis, several are one of two.
pub fn read(place: &Place, columns: &Columns, settings: &Settings) -> Result<HostTensor, Failure> {
    let text = place.bytes()?;
    let between = settings.between.unwrap_or(columns.between);
    read_text(&text, between, columns, settings)
        .map_err(|reason| refused(place.path(), reason).into())
}

fn read_text(
    text: &[u8],
    between: Between,
    columns: &Columns,
    settings: &Settings,
) -> Result<HostTensor, String> {
    let mut first = Line::default();
    if !Lines::of(text, between).next(&mut first)? {
        return Err("it holds no numbers: every line is empty".into());
    }
    let has_header = match settings.header {
        Header::Yes => true,
        Header::No => false,
        Header::Auto => first.cells().any(|cell| !cell.is_empty()) && !first.cells().any(is_number),
    };
    let table = Table {
        text,
        between,
        has_header,
        width: first.len(),
        wanted: wanted(&first, has_header, columns)?,
        empty_is_nan: settings.empty_is_nan,
    };
    let (rows, found) = table.survey()?;
    if rows == 0 && settings.header == Header::Auto {
        return Err(format!(
            "line {}: it has no numbers, and no line follows it; --header yes reads an empty table",
            first.number
        ));
    }
    let dtype = match columns.dtype {
        Some(dtype) => dtype,
        None => found.dtype()?,
    };
    if let Some((line, column)) = found.empty.filter(|_| !dtype.is_float()) {
        return Err(format!(
            "line {line}, column {column}: an empty cell is NaN, which is no {dtype}"
        ));
    }
    // Once more, now that the type is known.
    let mut bytes = Vec::with_capacity(rows * table.wanted.len() * dtype.size());
    table.each(|cell, _| {
        number::encode(
            if cell.is_empty() { "nan" } else { cell },
            dtype,
            &mut bytes,
        )
    })?;
    let shape = match table.wanted.len() {
        1 => vec![rows],
        n => vec![rows, n],
    };
    HostTensor::new(dtype, Shape::from(shape), bytes).map_err(|e| e.to_string())
}

fn is_number(cell: &[u8]) -> bool {
    std::str::from_utf8(cell).is_ok_and(|cell| number::parse(cell).is_ok())
}

/// What to do about a cell that is no number.
fn advice(cell: &str, between: Between, line: u64) -> &'static str {
    let other = |b: u8| between != Between::Byte(b) && cell.contains(char::from(b));
    if [b';', b'\t', b'|', b','].into_iter().any(other) {
        return "; --delimiter says what is between cells";
    }
    if between != Between::Space && cell.contains(' ') {
        return "; --delimiter space takes white space between cells";
    }
    match line {
        1 => "; --header yes takes the line as a header",
        _ => "",
    }
}

/// The positions of the wanted columns.
fn wanted(line: &Line, has_header: bool, columns: &Columns) -> Result<Vec<usize>, String> {
    if columns.names.is_empty() {
        return Ok((0..line.len()).collect());
    }
    if !has_header {
        return Err(format!(
            "it has no header that names a column `{}`",
            number::shown(&columns.names[0])
        ));
    }
    let titles: Vec<String> = line
        .cells()
        .map(|c| String::from_utf8_lossy(c).into_owned())
        .collect();
    let place = |name: &String| {
        let mut found = titles.iter().enumerate().filter(|(_, t)| *t == name);
        match (found.next(), found.next()) {
            (Some((at, _)), None) => Ok(at),
            (None, _) => Err(format!(
                "no column `{}`; its columns are {}",
                number::shown(name),
                number::shown_list(&titles)
            )),
            _ => Err(format!("two columns are called `{}`", number::shown(name))),
        }
    };
    columns.names.iter().map(place).collect()
}

/// What a table's cells are.
#[derive(Default)]
struct Found {
    bools: bool,
    numbers: bool,
    floats: bool,
    negative: bool,
    /// Whether a whole number is beyond i64, and where.
    large: Option<(u64, usize)>,
    /// Where the first cell is that differs in kind from those before.
    mixed: Option<(u64, usize)>,
    /// Where the first empty cell is.
    empty: Option<(u64, usize)>,
}

impl Found {
    fn add(&mut self, number: Number, at: (u64, usize)) {
        match number {
            Number::Bool(_) => self.bools = true,
            Number::Int(n) => {
                self.numbers = true;
                self.negative |= n < 0;
                if i64::try_from(n).is_err() {
                    self.large.get_or_insert(at);
                }
            }
            Number::Float(_) => (self.numbers, self.floats) = (true, true),
        }
        self.look_for_mixture(at);
    }

    fn add_empty(&mut self, at: (u64, usize)) {
        self.empty.get_or_insert(at);
        self.look_for_mixture(at);
    }

    fn look_for_mixture(&mut self, at: (u64, usize)) {
        if self.bools && (self.numbers || self.empty.is_some()) {
            self.mixed.get_or_insert(at);
        }
    }

    fn dtype(&self) -> Result<DType, String> {
        if let Some((line, column)) = self.mixed {
            return Err(format!(
                "line {line}, column {column}: truth values and numbers are in one table; name columns, as in \
                 FILE.csv:NAME, or a type, as in FILE.csv:f64"
            ));
        }
        if self.floats || self.empty.is_some() {
            return Ok(DType::F64);
        }
        match self.large {
            Some((line, column)) if self.negative => Err(format!(
                "line {line}, column {column}: a whole number does not fit i64, and others are negative; name a type, \
                 as in FILE.csv:f64"
            )),
            Some(_) => Ok(DType::U64),
            None if self.numbers => Ok(DType::I64),
            None if self.bools => Ok(DType::Bool),
            None => Ok(DType::F64),
        }
    }
}

/// A text with what is known of its lines.
struct Table<'a> {
    text: &'a [u8],
    between: Between,
    has_header: bool,
    /// Cells of a line.
    width: usize,
    /// The columns that are read.
    wanted: Vec<usize>,
    empty_is_nan: bool,
}

impl Table<'_> {
    /// Calls for each wanted cell, with its line and column from 1; the number of rows.
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
                    return Err(fail("the cell is empty; --empty-as-nan reads NaN".into()));
                }
                call(cell, at).map_err(fail)?;
            }
            rows += 1;
        }
        Ok(rows)
    }

    /// The number of rows, and what their cells are.
    fn survey(&self) -> Result<(usize, Found), String> {
        let mut found = Found::default();
        let rows = self.each(|cell, at| {
            match cell {
                "" => found.add_empty(at),
                cell => {
                    let number = number::parse(cell)
                        .map_err(|e| format!("{e}{}", advice(cell, self.between, at.0)))?;
                    found.add(number, at);
                }
            }
            Ok(())
        })?;
        Ok((rows, found))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_as(
        ending: &str,
        columns: &str,
        text: &[u8],
        settings: Settings,
    ) -> Result<HostTensor, String> {
        let columns = Columns::parse(ending, columns)?;
        let between = settings.between.unwrap_or(columns.between);
        read_text(text, between, &columns, &settings)
    }

    const PLAIN: Settings = Settings {
        between: None,
        header: Header::Auto,
        empty_is_nan: false,
    };

    #[test]
    fn types_and_shapes_follow_from_the_cells() {
        for (ending, columns, text, dtype, shape) in [
            (".csv", "", "1,2\n3,4\n", DType::I64, vec![2, 2]),
            (".csv", "", "a,b\n1,2\n3,4.5\n", DType::F64, vec![2, 2]),
            (
                ".csv",
                "",
                "\u{feff}a,\"b, c\"\r\n1,\"2\"\r\n\r\n3,4\r\n",
                DType::I64,
                vec![2, 2],
            ),
            (".csv", "", "True\nfalse\n", DType::Bool, vec![2]),
            (".csv", "", "18446744073709551615\n1", DType::U64, vec![2]),
            (".csv", "", "1,2", DType::I64, vec![1, 2]),
            (".csv", "b", "a,b\nx,1\ny,2\n", DType::I64, vec![2]),
            (
                ".csv",
                "c,b",
                "a,b,c\nx,1,0.5\ny,2,1\n",
                DType::F64,
                vec![2, 2],
            ),
            (".csv", "f32", "1,2\n", DType::F32, vec![1, 2]),
            (".csv", "b:u8", "a,b\nx,1\n", DType::U8, vec![1]),
            (".tsv", "", "1\t2\n", DType::I64, vec![1, 2]),
            (
                ".txt",
                "",
                "# x y\n 1  2\n\n3\t4 # last\n",
                DType::I64,
                vec![2, 2],
            ),
            (".txt", "", "1e3\nnan\n-inf\n", DType::F64, vec![3]),
        ] {
            let found = read_as(ending, columns, text.as_bytes(), PLAIN).unwrap();
            let extents = found.layout.shape().extents();
            assert_eq!((found.dtype, extents), (dtype, &shape[..]), "{text:?}");
        }
        let nan = Settings {
            empty_is_nan: true,
            ..PLAIN
        };
        let found = read_as(".csv", "", b"1,\n2,3\n", nan).unwrap();
        assert_eq!(found.dtype, DType::F64);
        assert!(f64::from_le_bytes(found.bytes[8..16].try_into().unwrap()).is_nan());
        let semicolons = Settings {
            between: Some(Between::Byte(b';')),
            ..PLAIN
        };
        assert_eq!(
            read_as(".csv", "", b"1;2\n", semicolons)
                .unwrap()
                .layout
                .shape()
                .extents(),
            [1, 2]
        );
        let header = Settings {
            header: Header::Yes,
            ..PLAIN
        };
        let empty = read_as(".csv", "", b"a,b\n", header).unwrap();
        assert_eq!(
            (empty.dtype, empty.layout.shape().extents()),
            (DType::F64, &[0, 2][..])
        );
        assert_eq!(
            read_as(".csv", "", b"1,2\n3,4\n", header).unwrap().bytes[0],
            3
        );
    }

    #[test]
    fn a_bad_cell_is_an_error_with_line_and_column() {
        let none = Settings {
            header: Header::No,
            ..PLAIN
        };
        let nan = Settings {
            empty_is_nan: true,
            ..PLAIN
        };
        for (ending, columns, text, settings, words) in [
            (
                ".csv",
                "",
                &b"1,2\n3,x\n"[..],
                PLAIN,
                "line 2, column 2: `x` is no number",
            ),
            (
                ".csv",
                "",
                b"a,b\n\n\n1,2\n3,",
                PLAIN,
                "line 5, column 2: the cell is empty; --empty-as-nan",
            ),
            (
                ".csv",
                "",
                b"1,2\n3\n",
                PLAIN,
                "line 2: it has 1 cell, the first line has 2",
            ),
            (
                ".csv",
                "",
                b"1,2\n\n3,4,5\n",
                PLAIN,
                "line 3: it has 3 cells, the first line has 2",
            ),
            (
                ".csv",
                "",
                b"1,2\n3,\xff\n",
                PLAIN,
                "line 2, column 2: it is not UTF-8",
            ),
            (
                ".csv",
                "",
                b"a,b\n",
                none,
                "line 1, column 1: `a` is no number",
            ),
            (".csv", "", b"\n\n", PLAIN, "every line is empty"),
            (".csv", "", b"", PLAIN, "every line is empty"),
            (
                ".csv",
                "c",
                b"a,b\n1,2\n",
                PLAIN,
                "no column `c`; its columns are a, b",
            ),
            (
                ".csv",
                "c",
                b"1,2\n",
                PLAIN,
                "no header that names a column `c`",
            ),
            (
                ".csv",
                "a",
                b"a,a\n1,2\n",
                PLAIN,
                "two columns are called `a`",
            ),
            (
                ".csv",
                "u8",
                b"1,256\n",
                PLAIN,
                "line 1, column 2: `256` is no u8",
            ),
            (
                ".csv",
                "",
                b"True,1\n",
                PLAIN,
                "line 1, column 2: truth values and numbers",
            ),
            (
                ".csv",
                "",
                b"True\n\"\"\n",
                nan,
                "line 2, column 1: truth values and numbers",
            ),
            (
                ".csv",
                "i32",
                b"1,\n",
                nan,
                "line 1, column 2: an empty cell is NaN, which is no i32",
            ),
            (
                ".csv",
                "",
                b"-1\n18446744073709551615\n",
                PLAIN,
                "line 2, column 1: a whole number does not fit i64",
            ),
            (
                ".csv",
                "",
                b"1\n99999999999999999999\n",
                PLAIN,
                "line 2, column 1: `99999999999999999999` does not fit 64 bits",
            ),
            (
                ".txt",
                "",
                b"1 2\n# c\n3\n",
                PLAIN,
                "line 3: it has 1 cell, the first line has 2",
            ),
            (
                ".csv",
                "",
                b"1 2\n3 4\n",
                none,
                "line 1, column 1: `1 2` is no number",
            ),
        ] {
            let error = read_as(ending, columns, text, settings).unwrap_err();
            assert!(error.contains(words), "{text:?}: {error}");
        }
    }
}
