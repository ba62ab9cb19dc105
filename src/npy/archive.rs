//! `.npz` archives: a zip file whose members are `.npy` files.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::file::{open, reserve};
use super::header::{Header, encode};
use super::write::check;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::files::fill;
use crate::host::HostTensor;
use crate::message::{self, count};
use crate::shape::Shape;

/// The highest ratio of deflate: a member that claims more is damaged.
const LARGEST_RATIO: u64 = 1032;

/// An open `.npz` archive.
#[derive(Debug)]
pub struct Archive {
    zip: ZipArchive<BufReader<File>>,
    path: PathBuf,
}

impl Archive {
    /// Opens an archive and reads its table of contents.
    ///
    /// # Errors
    /// [`Error::Io`], or [`Error::Format`] if the file is not an archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let file = BufReader::new(open(path)?);
        let zip = ZipArchive::new(file).map_err(|e| refused(path, "the archive", e))?;
        Ok(Self {
            zip,
            path: path.to_owned(),
        })
    }

    /// The names of the arrays, in the archive's order: the members' names without `.npy`, unless
    /// another member has the name without it.
    ///
    /// # Errors
    /// [`Error::Format`] if a name is not text.
    pub fn names(&self) -> Result<Vec<String>> {
        let members = self.members()?;
        let name = |member: &String| match member.strip_suffix(".npy") {
            Some(short) if !members.iter().any(|other| other == short) => short.to_owned(),
            _ => member.clone(),
        };
        Ok(members.iter().map(name).collect())
    }

    /// The names of the members as the archive spells them.
    fn members(&self) -> Result<Vec<String>> {
        let names = self.zip.file_names().map(|name| {
            let name = name.map_err(|e| refused(&self.path, "a member's name", e))?;
            Ok(String::from(name))
        });
        names.collect()
    }

    /// Reads an array by its name, or the only array. As in NumPy, a name means the member of just
    /// this name, or else the member with `.npy` appended; a name that ends in `.npy` may also mean
    /// the member without it. `dtype` is as in [`Header::read`].
    ///
    /// # Errors
    /// [`Error::Format`] if the array does not exist, none is named and the archive has several, or
    /// the member is not a whole `.npy` file of the size it declares; [`Error::Io`].
    pub fn read(&mut self, name: Option<&str>, dtype: Option<DType>) -> Result<HostTensor> {
        let (members, names) = (self.members()?, self.names()?);
        let listed = || match names.len() {
            0 => "it is empty".to_owned(),
            n if n > 12 => format!("its {n} arrays are {}, ...", names[..12].join(", ")),
            _ => format!("its arrays are {}", names.join(", ")),
        };
        let found = match name {
            Some(name) => {
                let long = format!("{name}.npy");
                let meant = [Some(name), Some(&long), name.strip_suffix(".npy")];
                let index = meant
                    .iter()
                    .flatten()
                    .find_map(|wanted| members.iter().position(|m| m == wanted));
                let none = || format!("no array `{name}` in the archive; {}", listed());
                index.ok_or_else(|| Error::format(&self.path, none()))?
            }
            None if names.len() == 1 => 0,
            None => {
                let reason = format!(
                    "name one array as {}:ARRAY; {}",
                    message::path(&self.path),
                    listed()
                );
                return Err(Error::format(&self.path, reason));
            }
        };
        self.member(found, &names[found], dtype)
    }

    fn member(&mut self, index: usize, name: &str, dtype: Option<DType>) -> Result<HostTensor> {
        // Errors name the member as the command line does.
        let label = PathBuf::from(format!("{}:{name}", self.path.display()));
        let mut member = self
            .zip
            .by_index(index)
            .map_err(|e| refused(&self.path, name, e))?;
        let (declared, packed) = (member.size(), member.compressed_size());
        let header = Header::read(&mut member, &label, dtype)?;
        header.check_len(declared, &label)?;
        if declared / LARGEST_RATIO > packed {
            let packed = count(packed, "compressed byte");
            let reason = format!(
                "it declares {}, which {packed} cannot hold",
                count(declared, "byte")
            );
            return Err(Error::format(&label, reason));
        }
        let mut bytes = reserve(&header, &label)?;
        let damaged = |e: std::io::Error| match e.kind() {
            ErrorKind::InvalidData
            | ErrorKind::InvalidInput
            | ErrorKind::UnexpectedEof
            | ErrorKind::Other => Error::format(&label, format!("damaged: {e}")),
            _ => Error::io(&label, e),
        };
        member
            .by_ref()
            .take(header.byte_len())
            .read_to_end(&mut bytes)
            .map_err(damaged)?;
        // The reader compares the checksum when it meets the end.
        let more = member.read(&mut [0]).map_err(damaged)?;
        header.check_len(header.data_offset + (bytes.len() + more) as u64, &label)?;
        header.host_tensor(bytes)
    }
}

/// Writes a `.npz` archive, uncompressed as `numpy.savez` does; each array is as for
/// [`write`](super::write()).
///
/// # Errors
/// [`Error::Argument`] if a name is empty or occurs twice, or bytes do not fit their shape;
/// [`Error::Io`].
pub fn write_npz(path: impl AsRef<Path>, arrays: &[(&str, DType, &Shape, &[u8])]) -> Result<()> {
    let path = path.as_ref();
    for (i, (name, dtype, shape, bytes)) in arrays.iter().enumerate() {
        if name.is_empty() || arrays[..i].iter().any(|a| a.0 == *name) {
            let reason = format!(
                "{}: the name `{name}` is empty or occurs twice",
                message::path(path)
            );
            return Err(Error::argument("write_npz", reason));
        }
        check(path, *dtype, shape, bytes)?;
    }
    fill(path, |out| {
        let mut zip = ZipWriter::new(out);
        let mut member = |(name, dtype, shape, bytes): &(&str, DType, &Shape, &[u8])| {
            let header = encode(path, *dtype, shape)?;
            let large = (header.len() + bytes.len()) as u64 >= u64::from(u32::MAX);
            let options = SimpleFileOptions::default()
                .compression_method(CompressionMethod::Stored)
                .large_file(large);
            zip.start_file(format!("{name}.npy"), options)
                .map_err(|e| refused(path, name, e))?;
            let done = zip.write_all(&header).and_then(|()| zip.write_all(bytes));
            done.map_err(|e| Error::io(path, e))
        };
        if let Err(error) = arrays.iter().try_for_each(&mut member) {
            // To drop it would be to end the archive, and it writes to stderr if that fails too.
            std::mem::forget(zip);
            return Err(error);
        }
        zip.finish().map_err(|e| refused(path, "the archive", e))?;
        Ok(())
    })
}

fn refused(path: &Path, what: &str, error: ZipError) -> Error {
    match error {
        ZipError::Io(e)
            if !matches!(e.kind(), ErrorKind::InvalidData | ErrorKind::UnexpectedEof) =>
        {
            Error::io(path, e)
        }
        other => Error::format(path, format!("{what} cannot be used: {other}")),
    }
}
