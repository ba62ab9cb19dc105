//! Whether the first line of a table is a header.

use super::cells::Line;
use crate::number::{self, is_number};
use crate::words::Words;

/// Names of missing values in tables of other programs.
const MISSING: [&str; 11] = [
    "na", "n/a", "nat", "null", "none", "nil", "missing", "-", "--", "?", ".",
];

/// Whether a cell is a common name of a missing value, except `nan`, which is a number.
pub(super) fn is_missing(cell: &str) -> bool {
    MISSING
        .iter()
        .any(|missing| cell.eq_ignore_ascii_case(missing))
}

/// Whether a line is a header, if the columns `names` are asked for.
///
/// # Errors
/// If the line may be a header or numbers.
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

/// Whether a name is a title in a line. Numbers are none: they may count columns, or be cells.
fn is_title(name: &str, line: &Line) -> bool {
    let name = name.strip_prefix('!').map_or(name, str::trim);
    number::parse(name).is_err() && line.cells().any(|cell| cell == name.as_bytes())
}

/// Whether a cell that is no number is no clear name either: a missing value, or a cell that does
/// not begin with a letter, such as `1_000`, `0x10`, `2.5kg`, `-x`, `#N/A` or `(5)`.
fn is_doubtful(cell: &str) -> bool {
    // Bytes that are no text are neither.
    let is_clear = |c: char| c.is_alphabetic() || c == '_' || c.is_control();
    is_missing(cell) || !cell.is_empty() && !cell.starts_with(is_clear)
}
