//! Errors, warnings and notes on stderr, and exit codes.

use std::fmt::Write as _;
use std::process::ExitCode;

use zerostride::{Error, message};

/// Columns of an expression shown around an error.
const WINDOW: usize = 100;

/// Why the command stops.
#[derive(Debug)]
pub enum Failure {
    /// The operation failed.
    Failed(String),
    /// The command line is wrong in a way that the argument parser does not see.
    Usage(String),
    /// The user interrupted the command.
    Interrupted,
    /// The reader of stdout is gone, which is no error.
    ClosedPipe,
}

impl Failure {
    /// An error of an expression, with a caret under its column if it has one.
    pub fn in_expression(error: &Error, source: &str) -> Self {
        let mut text = error.to_string();
        if let Error::Syntax { column, .. }
        | Error::UnknownName { column, .. }
        | Error::At { column, .. } = error
        {
            let (line, caret) = pointed(source, *column);
            let _ = write!(text, "\n  {line}\n  {caret}");
        }
        Self::Failed(text)
    }

    /// Writes the message to stderr and gives the exit code.
    pub fn report(self) -> ExitCode {
        ExitCode::from(self.message())
    }

    /// Writes the message to stderr and gives the number of the exit code.
    pub fn message(self) -> u8 {
        let (text, code) = match self {
            Self::Failed(text) => (text, 1),
            Self::Usage(text) => (text, 2),
            Self::Interrupted => (
                "interrupted; no unfinished file was left behind".into(),
                130,
            ),
            Self::ClosedPipe => return 0,
        };
        to_stderr(&format!("zerostride: error: {text}\n"));
        code
    }
}

/// Shows the argument parser's output: help and version on stdout, errors on stderr.
pub fn usage(mut error: clap::Error) -> ExitCode {
    use clap::error::ContextValue;
    use clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    // What was typed, or is the name of some file.
    let typed: Vec<_> = error
        .context()
        .map(|(kind, value)| (kind, value.clone()))
        .collect();
    for (kind, value) in typed {
        let shown = match value {
            ContextValue::String(text) => ContextValue::String(message::escape(&text).into_owned()),
            ContextValue::Strings(all) => ContextValue::Strings(
                all.iter()
                    .map(|text| message::escape(text).into_owned())
                    .collect(),
            ),
            ContextValue::StyledStrs(all) => ContextValue::StyledStrs(
                all.iter()
                    .map(|text| message::escape(&text.to_string()).into_owned().into())
                    .collect(),
            ),
            other => other,
        };
        error.insert(kind, shown);
    }
    if !error.use_stderr() {
        // Nobody may be reading.
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let prefix = if error.kind() == DisplayHelpOnMissingArgumentOrSubcommand {
        ""
    } else {
        "zerostride: "
    };
    to_stderr(&format!("{prefix}{}", error.render()));
    ExitCode::from(2)
}

/// Writes a warning to stderr.
pub fn warn(text: &str) {
    to_stderr(&format!("zerostride: warning: {text}\n"));
}

/// Writes a text to stderr that stdout, which holds a result, must not get.
pub fn say(text: &str) {
    to_stderr(text);
}

/// Writes a note to stderr.
pub fn note(text: &str) {
    to_stderr(&format!("zerostride: note: {text}\n"));
}

/// Writes to stderr, and does not panic if it is closed. Escapes control characters that a driver
/// or a file put into the text, except line ends.
fn to_stderr(text: &str) {
    let lines: Vec<_> = text.split('\n').map(message::escape).collect();
    let _ = std::io::Write::write_all(&mut std::io::stderr(), lines.join("\n").as_bytes());
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// The part of the source around a column, on one line, and a caret to stand below it.
fn pointed(source: &str, column: usize) -> (String, String) {
    let is_obeyed = |c: char| message::escape(c.encode_utf8(&mut [0; 4])).len() > c.len_utf8();
    let chars: Vec<char> = source
        .chars()
        .map(|c| if is_obeyed(c) && c != '\n' { ' ' } else { c })
        .collect();
    let at = column.saturating_sub(1).min(chars.len());
    // Of several lines the one with the column.
    let is_end = |&place: &usize| chars[place] == '\n';
    let first = (0..at).rev().find(is_end).map_or(0, |place| place + 1);
    let last = (at..chars.len()).find(is_end).unwrap_or(chars.len());
    let (chars, at) = (&chars[first..last], at - first);
    let start = if chars.len() <= WINDOW {
        0
    } else {
        at.saturating_sub(WINDOW / 2).min(chars.len() - WINDOW)
    };
    let end = chars.len().min(start + WINDOW);
    let mut line: String = chars[start..end].iter().collect();
    let mut caret = " ".repeat(at - start);
    caret.push('^');
    if start > 0 {
        line.insert_str(0, "...");
        caret.insert_str(0, "   ");
    }
    if end < chars.len() {
        line.push_str("...");
    }
    (line, caret)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_column() {
        assert_eq!(pointed("x + rows", 5), ("x + rows".into(), "    ^".into()));
        assert_eq!(pointed("x +", 4), ("x +".into(), "   ^".into()));
        assert_eq!(pointed("", 1), (String::new(), "^".into()));
    }

    #[test]
    fn a_long_expression_is_cut_around_the_column() {
        let source = format!("{}y{}", "x + ".repeat(100), " + x".repeat(100));
        let (line, caret) = pointed(&source, 401);
        assert_eq!(line.chars().nth(caret.chars().count() - 1), Some('y'));
        assert!(line.starts_with("...") && line.ends_with("...") && line.len() == WINDOW + 6);
    }
}
