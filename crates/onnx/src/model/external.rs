//! Elements in files beside the model.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use zerostride::{Error, Result, message};

use super::proto::StringStringEntryProto;

/// The folder of a model, which must contain its external data.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder of a model's file.
    pub fn of(model: &Path) -> Result<Self> {
        let folder = match model.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        let whole = folder.canonicalize().map_err(|e| io(folder, e))?;
        Ok(Self(whole))
    }

    /// Reads the bytes that a tensor's entries name, which must be as many as its elements take.
    pub fn read(&self, entries: &[StringStringEntryProto], bytes: usize) -> Result<Vec<u8>> {
        let entry = |key: &str| entries.iter().find(|e| e.key == key).map(|e| &*e.value);
        let number = |key: &str| {
            let number =
                entry(key).map(|text| text.parse::<u64>().map_err(|_| message::shorten(text, 100)));
            let refusal = |text| refused(format!("{key} must be a number of bytes, not `{text}`"));
            number.transpose().map_err(refusal)
        };
        let location =
            entry("location").ok_or_else(|| refused("its location is missing".into()))?;
        let path = self.path(location)?;
        // To open a pipe waits for its writer.
        let metadata = path.metadata().map_err(|e| io(&path, e))?;
        if !metadata.is_file() {
            return Err(refused(format!("{} is no file", message::path(&path))));
        }
        let offset = number("offset")?.unwrap_or(0);
        let there = metadata.len().saturating_sub(offset);
        let length = number("length")?.unwrap_or(there);
        if length != bytes as u64 {
            return Err(refused(format!(
                "its elements take {bytes} bytes, but {length} are named in {}",
                message::path(&path)
            )));
        }
        if length > there {
            return Err(refused(format!(
                "{} is too short for {length} bytes from byte {offset} on: it has {there}",
                message::path(&path)
            )));
        }
        let mut found = Vec::new();
        let reserved = found.try_reserve_exact(bytes);
        reserved.map_err(|_| io(&path, ErrorKind::OutOfMemory.into()))?;
        found.resize(bytes, 0);
        let mut file = File::open(&path).map_err(|e| io(&path, e))?;
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.read_exact(&mut found))
            .map_err(|e| io(&path, e))?;
        Ok(found)
    }

    /// The path of a location, which must be in the folder, also if it is a link.
    fn path(&self, location: &str) -> Result<PathBuf> {
        let relative = Path::new(location);
        let stays = relative
            .components()
            .all(|c| matches!(c, Component::Normal(_) | Component::CurDir));
        let outside = || {
            refused(format!(
                "the location `{}` leads out of the model's folder",
                message::shorten(location, 100)
            ))
        };
        if !stays || location.is_empty() {
            return Err(outside());
        }
        let path = self.0.join(relative);
        let whole = path.canonicalize().map_err(|e| io(&path, e))?;
        match whole.starts_with(&self.0) {
            true => Ok(whole),
            false => Err(outside()),
        }
    }
}

fn refused(reason: String) -> Error {
    Error::argument("external data", reason)
}

fn io(path: &Path, source: std::io::Error) -> Error {
    Error::Io {
        path: path.into(),
        source: Arc::new(source),
    }
}
