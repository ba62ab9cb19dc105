//! Whether the first line of a table is a header.

use super::cells::Line;
use crate::number::{self, is_number};
use crate::words::Words;

/// What a missing value is called in tables of others.
const MISSING: [&str; 11] = [
    "na", "n/a", "nat", "null", "none", "nil", "missing", "-", "--", "?", ".",
];

/// Whether a cell is a missing value by custom; here `nan` is one, which is a number.
pub(super) fn is_missing(cell: &str) -> bool {
    MISSING
        .iter()
        .any(|missing| cell.eq_ignore_ascii_case(missing))
}

/// Whether a line is a header, of which columns of these names are asked for.
///
/// # Errors
/// That it may be one or be numbers.
pub(super) fn found(line: &Line, names: &[String], words: Words) -> Result<bool, String> {
    if names.iter().any(|name| is_title(name, line)) {
        return Ok(true);
    }
    if line.cells().all(<[u8]>::is_empty) || line.cells().any(is_number) {
        return Ok(false);
    }
    let doubtful = line
        .cells()
        .find_map(|cell| std::str::from_utf8(cell).ok().filter(|c| is_doubtful(c)));
    match doubtful {
        None => Ok(true),
        // Several numbers: the cells are not told apart.
        Some(cell)
            if cell
                .split([';', '\t', '|', ',', ' '])
                .all(|piece| is_number(piece.trim().as_bytes())) =>
        {
            Ok(false)
        }
        Some(cell) => Err(format!(
            "line {}: `{}` may be a name or a number; {} takes the line as a header, {} as numbers",
            line.number,
            number::shown(cell),
            words.header,
            words.no_header
        )),
    }
}

/// Whether a column is meant by its title. A number may be a column's, or a cell of the first row.
fn is_title(name: &str, line: &Line) -> bool {
    let name = name.strip_prefix('!').map_or(name, str::trim);
    number::parse(name).is_err() && line.cells().any(|cell| cell == name.as_bytes())
}

/// Whether a cell that is no number is no clear name either: a missing value, or what begins with
/// something else than a letter, as `1_000`, `0x10`, `2.5kg`, `-x`, `#N/A`, `(5)` do.
fn is_doubtful(cell: &str) -> bool {
    // Bytes that are no text are neither.
    let is_clear = |c: char| c.is_alphabetic() || c == '_' || c.is_control();
    is_missing(cell) || !cell.is_empty() && !cell.starts_with(is_clear)
}
