//! The parts of a model once its names are resolved: nodes over numbered values.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use zerostride::{DType, Error, HostTensor, Result, Shape, Slot};

use super::fault::{at, refused, shown};
use super::proto::{DimensionProto, ValueInfoProto};
use crate::call::{Attrs, check_axes};
use crate::dtypes;
use crate::name::Name;

/// The most nodes of a model. Those of a function count once for each of its calls.
pub const MAX_NODES: usize = 1 << 18;

/// The parts of a model. Values are numbered.
#[derive(Debug)]
pub(super) struct Loaded {
    pub inputs: Vec<InputInfo>,
    pub outputs: Vec<OutputInfo>,
    pub constants: Vec<Constant>,
    pub nodes: Vec<Node>,
    /// The number of values.
    pub values: usize,
}

/// An initializer.
#[derive(Debug)]
pub(super) struct Constant {
    pub name: String,
    pub value: usize,
    pub elements: Arc<HostTensor>,
}

/// A call of an operator.
#[derive(Debug)]
pub(super) struct Node {
    /// Its name in errors and lists.
    pub label: String,
    pub row: &'static Name,
    pub opset: u32,
    pub attrs: Attrs,
    /// The values of its operands; `None` for an operand that is left out.
    pub inputs: Vec<Option<usize>>,
    /// The values of its results; `None` for a result that is not asked for.
    pub outputs: Vec<Option<usize>>,
}

/// An element type and extents; `None` if the rank is not declared.
type Declared = (DType, Option<Vec<Extent>>);

/// An input of a model.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct InputInfo {
    /// Its name.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// Its extents, if its rank is known.
    pub extents: Option<Vec<Extent>>,
    /// Whether an initializer of the same name is its default.
    pub is_optional: bool,
    pub(super) value: usize,
}

/// An extent of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extent {
    /// A number.
    Fixed(usize),
    /// A name, which stands for the same number in all inputs.
    Named(String),
    /// Any number.
    Any,
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(n) => write!(f, "{n}"),
            Self::Named(name) => f.write_str(&shown(name)),
            Self::Any => f.write_str("?"),
        }
    }
}

/// An output of a model.
#[derive(Clone, Debug)]
pub(super) struct OutputInfo {
    pub name: String,
    /// The type and extents that are declared.
    pub declared: Option<Declared>,
    pub value: usize,
}

impl InputInfo {
    /// An input as it is declared.
    pub(super) fn new(info: &ValueInfoProto, value: usize, is_optional: bool) -> Result<Self> {
        let named = |e: Error| at(format!("input \"{}\"", shown(&info.name)), e);
        let declared = declared(info).map_err(named)?;
        let Some((dtype, extents)) = declared else {
            return Err(named(refused("its type is missing".into())));
        };
        Ok(Self {
            name: info.name.clone(),
            dtype,
            extents,
            is_optional,
            value,
        })
    }
}

/// Refuses an input that differs from its declaration, and adds the numbers of named extents.
pub(super) fn check<'a>(
    input: &'a InputInfo,
    slot: &Slot,
    named: &mut HashMap<&'a str, usize>,
) -> Result<()> {
    let (dtype, shape) = (slot.dtype, slot.layout.shape());
    let fail = |reason: String| {
        let label = format!("input \"{}\"", shown(&input.name));
        Err(Error::argument(label, reason))
    };
    if dtype != input.dtype {
        return fail(format!("it is declared as {}, not {dtype}", input.dtype));
    }
    let Some(declared) = &input.extents else {
        return Ok(());
    };
    let is_declared = || format!("it is declared as {}, not {shape}", shown_extents(declared));
    if declared.len() != shape.rank() {
        return fail(is_declared());
    }
    for (extent, &found) in declared.iter().zip(shape.extents()) {
        let expected = match extent {
            Extent::Fixed(n) => *n,
            Extent::Named(name) => *named.entry(name).or_insert(found),
            Extent::Any => found,
        };
        match (expected == found, extent) {
            (true, _) => {}
            (false, Extent::Named(name)) => {
                let name = shown(name);
                return fail(format!("{name} is {expected} already, not {found}"));
            }
            _ => return fail(is_declared()),
        }
    }
    Ok(())
}

/// Whether a shape has a declared rank and the extents that are declared as numbers.
pub(super) fn may_be(declared: &[Extent], shape: &Shape) -> bool {
    let is_it = |(extent, found): (&Extent, &usize)| match extent {
        Extent::Fixed(n) => n == found,
        Extent::Named(_) | Extent::Any => true,
    };
    declared.len() == shape.rank() && declared.iter().zip(shape.extents()).all(is_it)
}

/// Declared extents, as shapes are written.
pub(super) fn shown_extents(extents: &[Extent]) -> String {
    let extents: Vec<String> = extents.iter().map(Extent::to_string).collect();
    format!("[{}]", extents.join(", "))
}

/// The element type and extents of a declared tensor; `None` if nothing is declared.
pub(super) fn declared(info: &ValueInfoProto) -> Result<Option<Declared>> {
    let Some(declared) = &info.r#type else {
        return Ok(None);
    };
    let other = [
        (declared.sequence_type.is_some(), "sequences"),
        (declared.map_type.is_some(), "maps"),
        (declared.sparse_tensor_type.is_some(), "sparse tensors"),
        (declared.optional_type.is_some(), "optional types"),
    ];
    if let Some((_, what)) = other.iter().find(|(is_there, _)| *is_there) {
        return Err(Error::unsupported(*what));
    }
    let Some(tensor) = &declared.tensor_type else {
        return Ok(None);
    };
    let extent = |dim: &DimensionProto| match (dim.dim_value, &dim.dim_param) {
        (Some(n), _) => usize::try_from(n)
            .map(Extent::Fixed)
            .map_err(|_| refused(format!("an extent must be 0 or more, not {n}"))),
        (None, Some(name)) if !name.is_empty() => Ok(Extent::Named(name.clone())),
        _ => Ok(Extent::Any),
    };
    let extents = match &tensor.shape {
        Some(shape) => {
            check_axes(shape.dim.len())?;
            Some(shape.dim.iter().map(extent).collect::<Result<Vec<_>>>()?)
        }
        None => None,
    };
    Ok(Some((dtypes::known(tensor.elem_type.into())?, extents)))
}
