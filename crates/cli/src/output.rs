//! Stdout and files.

use std::io::{ErrorKind, IsTerminal, Write};
use std::path::Path;

use zerostride::{Error, HostTensor, files, message, npy};

use crate::failure::Failure;
use crate::interrupt;

/// Nested lists up to this depth have each item on its own line in JSON.
const DEEPEST: usize = 4;

/// Writes bytes to stdout.
pub fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(bytes)
        .and_then(|()| out.flush())
        .map_err(|e| match e.kind() {
            ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Failed(format!("stdout: {e}")),
        })
}

/// Writes an array to stdout as a `.npy` file.
pub fn npy(array: &HostTensor) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    let (dtype, shape) = (array.dtype, array.layout.shape());
    let path = Path::new("stdout");
    let sent = npy::write_to(&mut out, path, dtype, shape, &array.bytes).and_then(|()| {
        out.flush().map_err(|e| Error::Io {
            path: path.into(),
            source: e.into(),
        })
    });
    match sent {
        Err(Error::Io { source, .. }) if source.kind() == ErrorKind::BrokenPipe => {
            Err(Failure::ClosedPipe)
        }
        sent => Ok(sent?),
    }
}

/// Writes a text to stdout, with a line end if it has none.
pub fn text(text: &str) -> Result<(), Failure> {
    let end = if text.is_empty() || text.ends_with('\n') {
        ""
    } else {
        "\n"
    };
    bytes(format!("{text}{end}").as_bytes())
}

/// Writes JSON to stdout: each field or item on its own line, a list of numbers on one line.
pub fn json(value: &serde_json::Value) -> Result<(), Failure> {
    let mut out = String::new();
    lines(value, 0, &mut out);
    text(&message::escape_json(&out))
}

fn lines(value: &serde_json::Value, depth: usize, out: &mut String) {
    use serde_json::Value;
    let mut items = |brackets: [char; 2], items: Vec<(String, &Value)>| {
        out.push(brackets[0]);
        for (i, (key, item)) in items.iter().enumerate() {
            out.push_str(if i > 0 { ",\n" } else { "\n" });
            out.push_str(&"  ".repeat(depth + 1));
            out.push_str(key);
            lines(item, depth + 1, out);
        }
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
        out.push(brackets[1]);
    };
    match value {
        Value::Object(fields) if !fields.is_empty() => {
            let keyed = fields.iter().map(|(key, item)| {
                let key = Value::from(key.as_str());
                (format!("{key}: "), item)
            });
            items(['{', '}'], keyed.collect());
        }
        // Deeper ones stay on a line, whatever the number of axes.
        Value::Array(list)
            if depth < DEEPEST && list.iter().any(|i| i.is_array() || i.is_object()) =>
        {
            items(
                ['[', ']'],
                list.iter().map(|i| (String::new(), i)).collect(),
            );
        }
        flat => out.push_str(&flat.to_string()),
    }
}

/// Whether stdout is a terminal.
pub fn is_terminal() -> bool {
    std::io::stdout().is_terminal()
}

/// Refuses a file whose folder does not exist, before anything is computed. A link counts as its
/// destination.
pub fn check_folder(path: &Path) -> Result<(), Failure> {
    let file = files::destination(path)?;
    match file
        .parent()
        .filter(|p| !p.as_os_str().is_empty() && !p.is_dir())
    {
        Some(folder) => {
            let (path, folder) = (message::path(path), message::path(folder));
            Err(Failure::Failed(format!(
                "{path}: the folder {folder} does not exist"
            )))
        }
        None => Ok(()),
    }
}

/// Writes a file, whole or not at all.
pub fn file(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    Ok(replace(path, bytes)?)
}

/// Like [`file`], but returns the library's error.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), Error> {
    interrupt::catch()?;
    files::replace(path, bytes)
}
