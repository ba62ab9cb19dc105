//! Tensors of safetensors files: eight bytes of length, a header in JSON, and the elements.

use std::collections::HashSet;
use std::io::Read;
use std::path::{Path, PathBuf};

use safetensors::tensor::{Dtype, Metadata};
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use zerostride::message::{count, path as shown};
use zerostride::{DType, Error, Shape};

use super::errors::{io, refused};
use super::number;
use super::place::regular;
use super::raw::RawFile;

/// The longest header that is read; the format has the same bound.
const LONGEST: u64 = 100_000_000;

/// The names of a header, which must differ.
struct Keys;

impl<'de> serde::Deserialize<'de> for Keys {
    fn deserialize<D: serde::Deserializer<'de>>(header: D) -> Result<Self, D::Error> {
        header.deserialize_map(Self)
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = Self;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an object that maps names to tensors")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self, M::Error> {
        let mut seen = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            map.next_value::<IgnoredAny>()?;
            if !seen.insert(name.clone()) {
                return Err(M::Error::custom(format!("`{name}` appears twice")));
            }
        }
        Ok(self)
    }
}

/// Opens the tensor of this name, or the only tensor.
pub fn open(path: &Path, name: Option<&str>) -> Result<RawFile, Error> {
    let fail = |e| io(path, e);
    let mut file = regular(path)?;
    let found = file.metadata().map_err(fail)?.len();
    let mut len = [0; 8];
    if found < 8 {
        return Err(refused(path, "not a safetensors file: it has no header"));
    }
    file.read_exact(&mut len).map_err(fail)?;
    let len = u64::from_le_bytes(len);
    // Checked before memory is taken for it.
    if len > LONGEST || len > found - 8 {
        let reason = format!(
            "not a safetensors file, or truncated: its header takes {}; the file has {found}",
            count(len, "byte")
        );
        return Err(refused(path, reason));
    }
    let mut header = vec![0; len as usize];
    file.read_exact(&mut header).map_err(fail)?;
    serde_json::from_slice::<Keys>(&header)
        .map_err(|e| refused(path, format!("the header cannot be read: {e}")))?;
    let header: Metadata = serde_json::from_slice(&header)
        .map_err(|e| refused(path, format!("the header cannot be read: {e}")))?;
    // A header may promise more than can be counted.
    let expected = (header.data_len() as u64).checked_add(8 + len);
    if expected != Some(found) {
        let expected = expected.unwrap_or(u64::MAX);
        let reason = format!(
            "its header promises {} in all; the file has {found}",
            count(expected, "byte")
        );
        return Err(refused(path, reason));
    }
    let mut names = header.offset_keys();
    names.sort();
    if names.is_empty() {
        return Err(refused(path, "the file has no tensors"));
    }
    let listed = || format!("its tensors are {}", number::shown_list(&names));
    let name = match (name, names.as_slice()) {
        (Some(name), _) => name,
        (None, [only]) => only,
        _ => {
            let reason = format!("name one tensor as {}:TENSOR; {}", shown(path), listed());
            return Err(refused(path, reason));
        }
    };
    let Some(info) = header.info(name) else {
        return Err(refused(
            path,
            format!(
                "the file has no tensor `{}`; {}",
                number::shown(name),
                listed()
            ),
        ));
    };
    let label = PathBuf::from(format!("{}:{name}", path.display()));
    let Some(dtype) = dtype(info.dtype) else {
        let reason = format!(
            "{:?} is not supported; use bool, integers of 8 to 64 bits, f16, bf16, f32 or f64",
            info.dtype
        );
        return Err(refused(&label, reason));
    };
    let start = 8 + len + info.data_offsets.0 as u64;
    RawFile::within(file, label, dtype, &Shape::from(info.shape.clone()), start)
}

fn dtype(dtype: Dtype) -> Option<DType> {
    Some(match dtype {
        Dtype::BOOL => DType::Bool,
        Dtype::U8 => DType::U8,
        Dtype::I8 => DType::I8,
        Dtype::U16 => DType::U16,
        Dtype::I16 => DType::I16,
        Dtype::U32 => DType::U32,
        Dtype::I32 => DType::I32,
        Dtype::U64 => DType::U64,
        Dtype::I64 => DType::I64,
        Dtype::F16 => DType::F16,
        Dtype::BF16 => DType::Bf16,
        Dtype::F32 => DType::F32,
        Dtype::F64 => DType::F64,
        _ => return None,
    })
}
