//! The cells of a table, line by line.

use std::str::FromStr;

use csv::{ByteRecord, ReaderBuilder, Trim};

/// What stands between the cells of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Any white space; what follows `#` is left out.
    Space,
    /// This byte; cells may be quoted.
    Byte(u8),
}

impl FromStr for Between {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.as_bytes()) {
            ("tab" | "\\t", _) => Ok(Self::Byte(b'\t')),
            ("space" | " ", _) => Ok(Self::Space),
            (_, &[b]) if b.is_ascii_punctuation() && !b"\"'+-.#_".contains(&b) => Ok(Self::Byte(b)),
            (_, b"\t") => Ok(Self::Byte(b'\t')),
            _ => Err("write one character, as in `;`, or tab, or space for any white space".into()),
        }
    }
}

/// A line's cells, without white space around them.
#[derive(Default)]
pub struct Line {
    record: ByteRecord,
    /// Counted from 1, in the file.
    pub number: u64,
}

impl Line {
    pub fn len(&self) -> usize {
        self.record.len()
    }

    pub fn cells(&self) -> impl Iterator<Item = &[u8]> {
        self.record.iter()
    }

    pub fn cell(&self, column: usize) -> &[u8] {
        self.record.get(column).unwrap_or_default()
    }
}

/// The lines of a text that are not empty.
pub struct Lines<'a> {
    text: &'a [u8],
    kind: Kind<'a>,
}

enum Kind<'a> {
    Split(Box<csv::Reader<&'a [u8]>>, u8),
    /// What is left, and the number of lines before.
    Spaced(&'a [u8], u64),
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a [u8], between: Between) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let kind = match between {
            Between::Space => Kind::Spaced(text, 0),
            Between::Byte(b) => {
                let mut builder = ReaderBuilder::new();
                // Lines of another length are told by line and cells, not here.
                builder.has_headers(false).flexible(true);
                let reader = builder.delimiter(b).trim(Trim::All).from_reader(text);
                Kind::Split(Box::new(reader), b)
            }
        };
        Self { text, kind }
    }

    /// Reads the next line; whether there was one.
    pub fn next(&mut self, line: &mut Line) -> Result<bool, String> {
        match &mut self.kind {
            Kind::Split(reader, between) => {
                let start = reader.position().clone();
                let is_any = reader
                    .read_byte_record(&mut line.record)
                    .map_err(|e| e.to_string())?;
                // Empty lines before it were skipped.
                let skipped = self.text[start.byte() as usize..]
                    .iter()
                    .take_while(|b| matches!(b, b'\n' | b'\r'));
                line.number = start.line() + skipped.filter(|b| **b == b'\n').count() as u64;
                let end = reader.position().byte() as usize;
                let is_last = is_any && end >= self.text.len();
                if is_last && is_open(&self.text[start.byte() as usize..], *between) {
                    return Err(format!(
                        "line {}: a quote begins in its cells that does not end",
                        line.number
                    ));
                }
                Ok(is_any)
            }
            Kind::Spaced(rest, before) => {
                while !rest.is_empty() {
                    let end = rest.iter().position(|&b| b == b'\n');
                    let (this, next) = rest.split_at(end.unwrap_or(rest.len()));
                    *rest = next.strip_prefix(b"\n").unwrap_or(next);
                    *before += 1;
                    let this = this.split(|&b| b == b'#').next().unwrap_or_default();
                    line.record.clear();
                    for cell in this.split(u8::is_ascii_whitespace) {
                        if !cell.is_empty() {
                            line.record.push_field(cell);
                        }
                    }
                    if !line.record.is_empty() {
                        line.number = *before;
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

/// Whether a record ends within quotes: they begin a cell, and two of them are one character there.
fn is_open(record: &[u8], between: u8) -> bool {
    let mut quoted = false;
    let mut begins = true;
    let mut bytes = record.iter().peekable();
    while let Some(&byte) = bytes.next() {
        match (byte, quoted) {
            (b'"', true) => quoted = bytes.next_if(|b| **b == b'"').is_some(),
            (_, true) => {}
            (b'"', false) if begins => quoted = true,
            _ => begins = byte == between || matches!(byte, b'\n' | b'\r'),
        }
    }
    quoted
}
