//! Attributes of nodes.

use std::collections::HashMap;

use zerostride::{Error, Result};

use super::external::Folder;
use super::fault::shown;
use super::proto::{AttributeProto, NodeProto};
use super::tensor;
use crate::call::{Attr, Attrs};

/// The attributes of a call of a function, by their names.
pub(super) type Given<'a> = HashMap<&'a str, &'a AttributeProto>;

/// The attributes of a node. Those that refer to an attribute of the enclosing function have the
/// value that its call gives, and are absent if it gives none.
pub(super) fn all(node: &NodeProto, given: &Given<'_>, folder: Option<&Folder>) -> Result<Attrs> {
    let mut found = Attrs::new();
    for attribute in &node.attribute {
        let Some(value) = resolved(attribute, given) else {
            continue;
        };
        let value = one(value, folder).map_err(|e| named(&attribute.name, e))?;
        if found.insert(attribute.name.clone(), value).is_some() {
            let reason = format!("the attribute {} is given twice", shown(&attribute.name));
            return Err(Error::argument("attributes", reason));
        }
    }
    Ok(found)
}

/// The attribute itself, or the given one that it refers to.
pub(super) fn resolved<'a>(
    attribute: &'a AttributeProto,
    given: &Given<'a>,
) -> Option<&'a AttributeProto> {
    match &*attribute.ref_attr_name {
        "" => Some(attribute),
        name => given.get(name).copied(),
    }
}

/// The value of an attribute.
fn one(attribute: &AttributeProto, folder: Option<&Folder>) -> Result<Attr> {
    let text = |bytes: &[u8]| {
        String::from_utf8(bytes.to_vec())
            .map_err(|_| Error::argument("attribute", "its text is not UTF-8"))
    };
    Ok(match attribute.r#type {
        1 => Attr::Float(attribute.f.into()),
        2 => Attr::Int(attribute.i),
        3 => Attr::Str(text(&attribute.s)?),
        4 => match &attribute.t {
            Some(t) => Attr::Tensor(tensor::host(t, folder)?),
            None => return Err(Error::argument("attribute", "its tensor is missing")),
        },
        6 => Attr::Floats(attribute.floats.iter().map(|&x| x.into()).collect()),
        7 => Attr::Ints(attribute.ints.clone()),
        8 => Attr::Strs(
            attribute
                .strings
                .iter()
                .map(|s| text(s))
                .collect::<Result<_>>()?,
        ),
        5 | 10 => return Err(Error::unsupported("attributes that are graphs")),
        9 => return Err(Error::unsupported("attributes that are lists of tensors")),
        11 | 12 => return Err(Error::unsupported("attributes that are sparse tensors")),
        13 | 14 => return Err(Error::unsupported("attributes that are types")),
        other => {
            let reason = format!("{other} is no AttributeProto.AttributeType");
            return Err(Error::argument("attribute", reason));
        }
    })
}

fn named(name: &str, error: Error) -> Error {
    match error {
        Error::Unsupported { what } => {
            Error::unsupported(format!("attribute {}: {what}", shown(name)))
        }
        other => Error::argument(format!("attribute {}", shown(name)), other.to_string()),
    }
}
