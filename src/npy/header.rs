//! The header of a `.npy` file.

use std::io::{ErrorKind, Read};
use std::path::Path;

use super::literal;
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::host::HostTensor;
use crate::layout::Layout;
use crate::message::count;
use crate::shape::Shape;

const MAGIC: &[u8; 6] = b"\x93NUMPY";

/// The longest dict that is read, and that version 1.0 can hold.
const LONGEST: usize = 0xffff;

/// NumPy leaves room for the outermost extent to grow to this many digits.
const GROWTH_DIGITS: usize = 21;

/// The header of a `.npy` file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// The element type.
    pub dtype: DType,
    /// Whether elements are stored with the highest byte first.
    pub big_endian: bool,
    /// Whether the elements are stored with the first axis innermost.
    pub fortran: bool,
    /// The shape.
    pub shape: Shape,
    /// The first byte of the data, from the file's start.
    pub data_offset: u64,
}

impl Header {
    /// Reads a header from the start of a file; `path` is only for errors.
    ///
    /// `dtype` gives the type of elements that NumPy stores as two-byte void, as it does bfloat16.
    /// For other elements it must be their type, if it is given.
    ///
    /// # Errors
    /// [`Error::Format`] if the file is not a `.npy` file, its element type is not supported, or it
    /// has more bytes than can be counted. [`Error::Io`] if reading fails.
    pub fn read(mut reader: impl Read, path: &Path, dtype: Option<DType>) -> Result<Self> {
        let fail = |reason: String| Error::format(path, reason);
        let mut take = |bytes: &mut [u8]| {
            reader.read_exact(bytes).map_err(|e| match e.kind() {
                ErrorKind::UnexpectedEof => {
                    fail("truncated: the file ends inside its header".into())
                }
                ErrorKind::InvalidData | ErrorKind::InvalidInput | ErrorKind::Other => {
                    fail(format!("damaged: {e}"))
                }
                _ => Error::io(path, e),
            })
        };
        let mut start = [0; 8];
        for at in 0..MAGIC.len() {
            take(&mut start[at..=at])?;
            if start[at] != MAGIC[at] {
                let is_archive =
                    start[0] == b'P' && take(&mut start[1..2]).is_ok() && start[1] == b'K';
                let hint = if is_archive {
                    "; it is an archive, name it .npz"
                } else {
                    ""
                };
                return Err(fail(format!(
                    "not a .npy file: NumPy's magic bytes are missing{hint}"
                )));
            }
        }
        take(&mut start[MAGIC.len()..])?;
        let width = match start[6..] {
            [1, 0] => 2,
            [2 | 3, 0] => 4,
            _ => {
                return Err(fail(format!(
                    ".npy version {}.{} is not 1.0, 2.0 or 3.0",
                    start[6], start[7]
                )));
            }
        };
        let mut len = [0; 4];
        take(&mut len[..width])?;
        let len = u32::from_le_bytes(len) as usize;
        if len > LONGEST {
            return Err(fail(format!(
                "the header takes {}, at most {LONGEST} are read",
                count(len, "byte")
            )));
        }
        let mut text = vec![0; len];
        take(&mut text)?;
        let dict = literal::parse(&text).map_err(fail)?;
        let (dtype, big_endian) = element_type(&dict.descr, dtype).map_err(fail)?;
        let header = Self {
            dtype,
            big_endian,
            fortran: dict.fortran,
            shape: dict.extents.into(),
            data_offset: (start.len() + width + len) as u64,
        };
        match byte_len(dtype, &header.shape) {
            Some(_) => Ok(header),
            None => Err(fail(format!(
                "shape {} of {dtype} has more bytes than can be counted",
                header.shape
            ))),
        }
    }

    /// Where each element lies, in elements from the first: row-major, or with the first axis
    /// innermost.
    ///
    /// # Errors
    /// [`Error::TooManyElements`].
    pub fn layout(&self) -> Result<Layout> {
        if !self.fortran {
            return Layout::contiguous(&self.shape);
        }
        let last_first: Vec<usize> = (0..self.shape.rank()).rev().collect();
        Layout::numbered(&self.shape, &last_first)
    }

    /// Turns whole elements as the file stores them into little-endian ones.
    pub(super) fn to_little_endian(&self, bytes: &mut [u8]) {
        if self.big_endian {
            bytes
                .chunks_exact_mut(self.dtype.size())
                .for_each(<[u8]>::reverse);
        }
    }

    /// The array of this header, from data of the right length as the file stores them.
    pub(super) fn host_tensor(&self, mut bytes: Vec<u8>) -> Result<HostTensor> {
        self.to_little_endian(&mut bytes);
        HostTensor::with_layout(self.dtype, self.layout()?, bytes)
    }

    /// Bytes of the data.
    pub fn byte_len(&self) -> u64 {
        byte_len(self.dtype, &self.shape).map_or(u64::MAX, |n| n as u64)
    }

    /// Bytes of the whole file.
    pub(crate) fn file_len(&self) -> u64 {
        self.data_offset.saturating_add(self.byte_len())
    }

    /// Refuses a file whose length is not the one that this header promises.
    pub(super) fn check_len(&self, found: u64, path: &Path) -> Result<()> {
        let (dtype, shape) = (self.dtype, &self.shape);
        let (expected, data) = (self.file_len(), count(self.byte_len(), "byte"));
        let takes = format!(
            "{dtype} {shape} takes {data} after the header, {expected} in all; the file has {found}"
        );
        let reason = match found.cmp(&expected) {
            std::cmp::Ordering::Equal => return Ok(()),
            std::cmp::Ordering::Less => format!("truncated: {takes}"),
            std::cmp::Ordering::Greater => {
                let more = found - expected;
                let s = if more == 1 { "s" } else { "" };
                format!("{} follow{s} the array: {takes}", count(more, "byte"))
            }
        };
        Err(Error::format(path, reason))
    }

    /// Refuses a stream of another length; at most one byte more than promised was read from it.
    pub(super) fn check_streamed(&self, found: u64, path: &Path) -> Result<()> {
        if found <= self.byte_len() {
            return self.check_len(self.data_offset + found, path);
        }
        let (dtype, shape) = (self.dtype, &self.shape);
        let data = count(self.byte_len(), "byte");
        let takes = format!("{dtype} {shape} takes {data} after the header");
        Err(Error::format(
            path,
            format!("bytes follow the array: {takes}"),
        ))
    }
}

/// The number of bytes of an array; `None` if it does not fit `isize`.
pub(super) fn byte_len(dtype: DType, shape: &Shape) -> Option<usize> {
    let bytes = shape.len().ok()?.checked_mul(dtype.size())?;
    isize::try_from(bytes).is_ok().then_some(bytes)
}

/// The element type that `descr` names, and whether it is big-endian.
fn element_type(descr: &str, wanted: Option<DType>) -> Result<(DType, bool), String> {
    // NumPy reads a type without a byte order as this machine's.
    let native = cfg!(target_endian = "big") && !descr.starts_with(['<', '|']);
    let big_endian = descr.starts_with('>') || native;
    let code = match descr.strip_prefix(['<', '>', '|', '=']).unwrap_or(descr) {
        "?" => "b1",
        code => code,
    };
    let found = match code {
        "V2" => {
            return match wanted {
                Some(DType::Bf16) => Ok((DType::Bf16, big_endian)),
                Some(other) => Err(format!(
                    "the elements are {descr}, which can be read as bf16 but not as {other}"
                )),
                None => Err(format!(
                    "the elements are {descr}, two bytes without a type; if they are bf16, append `:bf16` to the name"
                )),
            };
        }
        code => DType::ALL
            .into_iter()
            .find(|&d| d != DType::Bf16 && descr_code(d) == code),
    };
    let Some(found) = found.filter(|d| d.size() == 1 || !descr.starts_with('|')) else {
        let object = if code.starts_with('O') {
            " (Python objects)"
        } else {
            ""
        };
        return Err(format!(
            "the elements are {descr}{object}; supported are bool, integers of 1, 2, 4 or 8 bytes and floats of 2, 4 or 8 bytes"
        ));
    };
    match wanted {
        Some(other) if other != found => Err(format!(
            "the elements are {found}, not {other}; convert them by a cast"
        )),
        _ => Ok((found, big_endian && found.size() > 1)),
    }
}

/// NumPy's letter and size of an element type.
fn descr_code(dtype: DType) -> String {
    let letter = match dtype {
        DType::Bool => 'b',
        DType::Bf16 => 'V',
        _ if dtype.is_float() => 'f',
        _ if dtype.is_signed() => 'i',
        _ => 'u',
    };
    format!("{letter}{}", dtype.size())
}

/// The bytes before the data of a file in C order, little-endian, version 1.0, as NumPy writes
/// them.
///
/// # Errors
/// [`Error::Format`] for a shape with too many axes for version 1.0.
pub(crate) fn encode(path: &Path, dtype: DType, shape: &Shape) -> Result<Vec<u8>> {
    let order = if dtype.size() == 1 { '|' } else { '<' };
    let extents: Vec<_> = shape.extents().iter().map(ToString::to_string).collect();
    let comma = if extents.len() == 1 { "," } else { "" };
    let mut dict = format!(
        "{{'descr': '{order}{}', 'fortran_order': False, 'shape': ({}{comma}), }}",
        descr_code(dtype),
        extents.join(", ")
    );
    if let Some(first) = extents.first() {
        dict.push_str(&" ".repeat(GROWTH_DIGITS - first.len()));
    }
    // The data begin at a multiple of 64 bytes; a line end closes the padding.
    let total = (10 + dict.len() + 1).next_multiple_of(64);
    dict.push_str(&" ".repeat(total - 10 - dict.len() - 1));
    dict.push('\n');
    let Ok(len) = u16::try_from(dict.len()) else {
        let axes = count(shape.rank(), "axis");
        let reason = format!("a shape of {axes} does not fit a .npy header");
        return Err(Error::format(path, reason));
    };
    let mut bytes = Vec::with_capacity(total);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&[1, 0]);
    bytes.extend_from_slice(&len.to_le_bytes());
    bytes.extend_from_slice(dict.as_bytes());
    Ok(bytes)
}
