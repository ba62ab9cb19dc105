//! The cells of a table, line by line.

use std::str::FromStr;

use csv::{ByteRecord, ReaderBuilder, Trim};

/// The separator of the cells in a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Any white space; `#` begins a comment.
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
    /// The number of the line in the file, from 1.
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
    /// The number of bytes counted so far, and of the lines that end in them.
    counted: (usize, u64),
}

enum Kind<'a> {
    Split(Box<csv::Reader<&'a [u8]>>, u8),
    /// The first byte of the rest.
    Spaced(usize),
}

impl<'a> Lines<'a> {
    pub fn of(text: &'a [u8], between: Between) -> Self {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let kind = match between {
            Between::Space => Kind::Spaced(0),
            Between::Byte(b) => {
                let mut builder = ReaderBuilder::new();
                // Lines of another length are told by line and cells, not here.
                builder.has_headers(false).flexible(true);
                let reader = builder.delimiter(b).trim(Trim::All).from_reader(text);
                Kind::Split(Box::new(reader), b)
            }
        };
        Self {
            text,
            kind,
            counted: (0, 0),
        }
    }

    /// The number of a byte's line, from 1. Callers ask for bytes in ascending order.
    fn line_of(&mut self, byte: usize) -> u64 {
        let (from, lines) = &mut self.counted;
        let ends = (*from..byte).filter(|&at| ends_line(self.text, at));
        *lines += ends.count() as u64;
        *from = byte.max(*from);
        *lines + 1
    }

    /// Reads the next line. Returns false at the end.
    pub fn next(&mut self, line: &mut Line) -> Result<bool, String> {
        let text = self.text;
        match &mut self.kind {
            Kind::Split(reader, between) => {
                let between = *between;
                let start = reader.position().byte() as usize;
                let is_any = reader
                    .read_byte_record(&mut line.record)
                    .map_err(|e| e.to_string())?;
                let end = reader.position().byte() as usize;
                // Empty lines before it were skipped.
                let is_end = |b: &&u8| matches!(b, b'\n' | b'\r');
                let skipped = text[start..].iter().take_while(is_end).count();
                line.number = self.line_of(start + skipped);
                if is_any && end >= text.len() && is_open(&text[start..], between) {
                    return Err(format!(
                        "line {}: a quote in one of its cells does not end",
                        line.number
                    ));
                }
                Ok(is_any)
            }
            Kind::Spaced(at) => {
                while *at < text.len() {
                    let start = *at;
                    let is_end = |b: &u8| matches!(b, b'\n' | b'\r');
                    let length = text[start..].iter().position(is_end);
                    let end = length.map_or(text.len(), |length| start + length);
                    *at = end + 1;
                    let this = text[start..end].split(|&b| b == b'#').next();
                    line.record.clear();
                    for cell in this.unwrap_or_default().split(u8::is_ascii_whitespace) {
                        if !cell.is_empty() {
                            line.record.push_field(cell);
                        }
                    }
                    if !line.record.is_empty() {
                        line.number = self.line_of(start);
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }
}

/// Whether a line ends with this byte: `\n`, `\r\n` or `\r`.
fn ends_line(text: &[u8], at: usize) -> bool {
    match text[at] {
        b'\n' => true,
        b'\r' => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    }
}

/// Whether a record ends inside quotes. They begin a cell, and two quotes inside are one character.
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
