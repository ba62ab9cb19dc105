//! Case files: a line of JSON a case, raw little-endian bytes beside it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value as Json;
use zerostride::{DType, Error, HostTensor, Result, Scalar, Shape};
use zerostride_onnx::{Attr, Attrs};

/// One case.
#[derive(Debug, Deserialize)]
pub struct Case {
    pub id: String,
    pub group: String,
    pub kind: String,
    pub rule: String,
    pub op: String,
    pub opset: Option<u32>,
    #[serde(default)]
    pub attrs: BTreeMap<String, Json>,
    pub inputs: Vec<Spec>,
    pub outputs: Vec<Spec>,
    pub alt_outputs: Option<Vec<Vec<Spec>>>,
    pub tol: Option<Tolerance>,
    /// How far each element of the result may be off, in f64, under [`Tolerance::Bounds`].
    pub bounds: Option<Spec>,
    pub strict: Option<Tolerance>,
    pub expect_error: Option<String>,
    pub judgement: Option<String>,
    /// The contents of the file of data.
    #[serde(skip)]
    pub data: Arc<Vec<u8>>,
}

/// A tensor of a case.
#[derive(Debug, Deserialize)]
pub struct Spec {
    /// What an expression calls it.
    pub name: Option<String>,
    pub dtype: Option<String>,
    pub shape: Option<Vec<usize>>,
    pub off: Option<usize>,
    pub len: Option<usize>,
    #[serde(rename = "gen")]
    pub series: Option<Series>,
    #[serde(default)]
    pub omitted: bool,
}

/// Element `i` is `((i / div) * mul + add) % mod + off` in u64, then converted.
#[derive(Debug, Deserialize)]
pub struct Series {
    #[serde(default = "one")]
    div: u64,
    #[serde(default = "one")]
    mul: u64,
    #[serde(default)]
    add: u64,
    #[serde(rename = "mod")]
    modulus: Option<u64>,
    #[serde(default)]
    off: i64,
}

fn one() -> u64 {
    1
}

/// How close an output must be.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(tag = "mode", rename_all = "lowercase")]
pub enum Tolerance {
    Bits,
    Exact,
    /// Each element has a bound of its own.
    Bounds,
    Close {
        #[serde(default)]
        rtol: f64,
        #[serde(default)]
        atol: f64,
    },
    Ulp {
        n: f64,
    },
}

/// The cases of every `*.jsonl` in a folder, in the order of the files' names.
pub fn read_folder(folder: &Path) -> Vec<Case> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut files: Vec<_> = entries.map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "jsonl"));
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let text =
            std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        // A file of shape cases alone needs no data.
        let data = Arc::new(std::fs::read(file.with_extension("bin")).unwrap_or_default());
        cases.extend(parsed(&file.display().to_string(), &text, &data));
    }
    cases
}

/// The cases of a file's lines, with its data.
pub fn parsed(file: &str, text: &str, data: &Arc<Vec<u8>>) -> Vec<Case> {
    let lines = text
        .lines()
        .enumerate()
        .filter(|(_, l)| !l.trim().is_empty());
    let one = |(i, line): (usize, &str)| {
        let case: Case =
            serde_json::from_str(line).unwrap_or_else(|e| panic!("{file}:{}: {e}", i + 1));
        Case {
            data: Arc::clone(data),
            ..case
        }
    };
    lines.map(one).collect()
}

/// An [`Error::Unsupported`].
pub fn unsupported(what: impl Into<String>) -> Error {
    Error::Unsupported { what: what.into() }
}

/// An error of a case that contradicts itself: a failure, never `unsupported`.
pub fn broken(what: impl Into<String>) -> Error {
    Error::Argument {
        op: "case".into(),
        reason: what.into(),
    }
}

impl Case {
    /// The attributes, but for the PDPD axis, which belongs to the rule.
    pub fn attributes(&self) -> Result<Attrs> {
        let keep = |key: &&String| !(self.rule == "pdpd" && *key == "axis");
        let attr = |value: &Json| match value {
            Json::Bool(x) => Some(Attr::Int(i64::from(*x))),
            Json::Number(x) => x
                .as_i64()
                .map(Attr::Int)
                .or_else(|| x.as_f64().map(Attr::Float)),
            Json::String(x) => Some(Attr::Str(x.clone())),
            Json::Array(list) => list
                .iter()
                .map(Json::as_i64)
                .collect::<Option<_>>()
                .map(Attr::Ints),
            _ => None,
        };
        let keys = self
            .attrs
            .iter()
            .filter(|(key, value)| keep(key) && !value.is_null());
        let read = |(key, value): (&String, &Json)| {
            let attr =
                attr(value).ok_or_else(|| unsupported(format!("attribute {key} = {value}")))?;
            Ok((key.clone(), attr))
        };
        keys.map(read).collect()
    }

    /// A whole number among the attributes.
    pub fn int(&self, name: &str) -> Option<i64> {
        self.attrs.get(name).and_then(Json::as_i64)
    }

    /// A list of extents or axes among the attributes.
    pub fn places(&self, name: &str) -> Result<Option<Vec<usize>>> {
        let Some(list) = self.attrs.get(name).filter(|v| !v.is_null()) else {
            return Ok(None);
        };
        let place = |v: &Json| v.as_u64().and_then(|x| usize::try_from(x).ok());
        let places = list.as_array().and_then(|l| l.iter().map(place).collect());
        places
            .map(Some)
            .ok_or_else(|| broken(format!("{name} = {list}")))
    }

    /// The tensor; `None` for an operand left out.
    pub fn tensor(&self, spec: &Spec) -> Result<Option<HostTensor>> {
        if spec.omitted {
            return Ok(None);
        }
        let (dtype, shape) = (spec.dtype()?, spec.shape()?);
        let bytes = match &spec.series {
            Some(series) => series.bytes(dtype, shape.len()?),
            None => {
                let off = spec.off.unwrap_or(0);
                let len = spec.len.unwrap_or(shape.len()? * dtype.size());
                let part = off.checked_add(len).and_then(|end| self.data.get(off..end));
                part.ok_or_else(|| broken(format!("{off} + {len} lies past the data")))?
                    .to_vec()
            }
        };
        HostTensor::new(dtype, shape, bytes).map(Some)
    }
}

impl Spec {
    /// The element type; [`Error::Unsupported`] for one that does not exist here.
    pub fn dtype(&self) -> Result<DType> {
        let name = self
            .dtype
            .as_deref()
            .ok_or_else(|| broken("a tensor has no dtype"))?;
        name.parse()
            .map_err(|_| unsupported(format!("element type {name}")))
    }

    pub fn shape(&self) -> Result<Shape> {
        self.shape
            .clone()
            .map(Shape::from)
            .ok_or_else(|| broken("a tensor has no shape"))
    }
}

impl Series {
    fn bytes(&self, dtype: DType, len: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len * dtype.size());
        for i in 0..len as u64 {
            let x = (i / self.div).wrapping_mul(self.mul).wrapping_add(self.add);
            let x = (self.modulus.map_or(x, |m| x % m)).wrapping_add_signed(self.off);
            let bits = match dtype {
                DType::Bool => u64::from(x != 0),
                d if d.is_int() => x,
                // A series below 0 wraps in u64, and is meant as a signed number.
                d => Scalar::of(d, x.cast_signed() as f64).bits,
            };
            bytes.extend_from_slice(&bits.to_le_bytes()[..dtype.size()]);
        }
        bytes
    }
}
