//! A call of a named operator: its operands and attributes.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::RangeInclusive;

use zerostride::Op;
use zerostride::Rule;
use zerostride::Shape;
use zerostride::{DType, DTypes};
use zerostride::{Error, Result};
use zerostride::{Expr, HostTensor, Scalar};
use zerostride::{Index, message};

use super::{dtypes, elements};

/// The standard that defines an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Standard {
    /// ONNX, domain `ai.onnx`.
    Onnx,
    /// OpenVINO's operation sets.
    OpenVino,
}

impl fmt::Display for Standard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Onnx => "ONNX",
            Self::OpenVino => "OpenVINO",
        })
    }
}

/// The value of an attribute.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Attr {
    /// A whole number; a flag is 0 or 1.
    Int(i64),
    /// A number.
    Float(f64),
    /// A string.
    Str(String),
    /// Whole numbers.
    Ints(Vec<i64>),
    /// Numbers.
    Floats(Vec<f64>),
    /// Strings.
    Strs(Vec<String>),
    /// An array.
    Tensor(HostTensor),
}

/// Shows a number, a string or whole numbers in an error, and the kind of any other value.
impl fmt::Display for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(x) => write!(f, "{x}"),
            Self::Float(x) => write!(f, "{x:?}"),
            Self::Str(text) => write!(f, "`{}`", message::shorten(text, 40)),
            Self::Ints(all) => f.write_str(&listed(all)),
            Self::Floats(_) => f.write_str("a list of numbers"),
            Self::Strs(_) => f.write_str("a list of strings"),
            Self::Tensor(x) => write!(f, "an array of {} {}", x.dtype, x.layout.shape()),
        }
    }
}

/// The largest number of axes that a value may have.
pub const MAX_AXES: usize = 1024;

/// Refuses a shape of more than [`MAX_AXES`] axes.
pub(super) fn check_axes(count: usize) -> Result<()> {
    match count > MAX_AXES {
        true => Err(Error::unsupported(format!(
            "shapes of more than {MAX_AXES} axes; this one has {count}"
        ))),
        false => Ok(()),
    }
}

/// Lists the first twelve numbers for an error.
pub(super) fn listed<T: fmt::Display>(all: &[T]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = all.iter().take(MOST).map(T::to_string).collect();
    let more = if all.len() > MOST { ", ..." } else { "" };
    format!("[{}{more}]", shown.join(", "))
}

/// Attributes by name.
pub type Attrs = BTreeMap<String, Attr>;

/// An operand of a named operator.
#[derive(Clone, Debug)]
pub struct Operand {
    pub(super) expr: Expr<usize>,
    pub(super) dtype: DType,
    pub(super) shape: Shape,
    pub(super) known: Option<HostTensor>,
}

impl Operand {
    /// An operand of this type and shape.
    pub fn new(expr: Expr<usize>, dtype: DType, shape: impl Into<Shape>) -> Self {
        Self {
            expr,
            dtype,
            shape: shape.into(),
            known: None,
        }
    }

    /// Adds the known elements of the operand. Operands that are shapes or axes need them.
    pub fn with_elements(self, ints: impl Into<Vec<i64>>) -> Self {
        Self {
            known: elements::list(&ints.into()).ok(),
            ..self
        }
    }

    /// Adds the known elements of the operand, of any type.
    pub fn with_known(self, known: HostTensor) -> Self {
        Self {
            known: Some(known),
            ..self
        }
    }
}

/// A call of a named operator.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    pub(super) standard: Standard,
    pub(super) name: &'a str,
    pub(super) opset: Option<u32>,
    pub(super) attrs: &'a Attrs,
    pub(super) operands: &'a [Option<Operand>],
    pub(super) rule: &'a Rule,
    pub(super) results: usize,
}

impl<'a> Call<'a> {
    /// A call of the operator `name` of `standard`, in its newest operation set, without attributes
    /// and under rule Numpy. An operand that is left out is `None`.
    pub const fn new(standard: Standard, name: &'a str, operands: &'a [Option<Operand>]) -> Self {
        static NONE: Attrs = Attrs::new();
        Self {
            standard,
            name,
            opset: None,
            attrs: &NONE,
            operands,
            rule: &Rule::Numpy,
            results: 1,
        }
    }

    /// Sets the version of the operation set; `None` is the newest.
    pub const fn opset(mut self, opset: Option<u32>) -> Self {
        self.opset = opset;
        self
    }

    /// Sets the attributes.
    pub const fn attrs(mut self, attrs: &'a Attrs) -> Self {
        self.attrs = attrs;
        self
    }

    /// Sets the broadcast rule, if the operator broadcasts. ONNX's Expand and OpenVINO's PReLU and
    /// Broadcast keep rules of their own; ONNX's PRelu uses Unidirectional in place of Numpy.
    /// OpenVINO's attribute `auto_broadcast` takes precedence over `rule`.
    pub const fn rule(mut self, rule: &'a Rule) -> Self {
        self.rule = rule;
        self
    }

    /// Sets the number of results, which Split uses if it has no sizes.
    pub const fn results(mut self, results: usize) -> Self {
        self.results = results;
        self
    }
}

impl Call<'_> {
    /// An [`Error::Argument`] of this operator.
    pub(super) fn fail(&self, reason: impl Into<String>) -> Error {
        Error::argument(self.name, message::shorten(&reason.into(), 400))
    }

    /// The operand at a place, which must not be left out.
    pub(super) fn operand(&self, i: usize) -> Result<&Operand> {
        self.optional(i)
            .ok_or_else(|| self.fail(format!("operand {i} must not be left out")))
    }

    /// The operand at a place, if it is given.
    pub(super) fn optional(&self, i: usize) -> Option<&Operand> {
        self.operands.get(i).and_then(Option::as_ref)
    }

    /// The expression of an operand.
    pub(super) fn x(&self, i: usize) -> Result<Expr<usize>> {
        self.operand(i).map(|o| o.expr.clone())
    }

    /// One step on all operands.
    pub(super) fn step(&self, op: Op) -> Result<Expr<usize>> {
        let operands = (0..self.operands.len())
            .map(|i| self.x(i))
            .collect::<Result<Vec<_>>>()?;
        Ok(Expr::step(op, operands).with_rule(self.own_rule()?))
    }

    /// The rule of this call.
    pub(super) fn own_rule(&self) -> Result<Rule> {
        let Some(mode) = self.text("auto_broadcast")? else {
            return Ok(self.rule.clone());
        };
        match Rule::spelled(mode) {
            Some(Rule::Pdpd { axis }) => Ok(Rule::Pdpd {
                axis: self.int("axis")?.unwrap_or(axis),
            }),
            Some(rule @ (Rule::None | Rule::Numpy)) => Ok(rule),
            _ => Err(self.fail(format!(
                "auto_broadcast must be none, numpy or pdpd, not `{mode}`"
            ))),
        }
    }

    /// An operand of one element, as a scalar.
    pub(super) fn scalar(&self, i: usize) -> Result<Option<Expr<usize>>> {
        let Some(x) = self.optional(i) else {
            return Ok(None);
        };
        match x.shape.extents() {
            [] => Ok(Some(x.expr.clone())),
            [1] => Ok(Some(x.expr.slice([Index::At(0)]))),
            _ => Err(self.fail(format!("operand {i} must be a scalar, not {}", x.shape))),
        }
    }

    /// A bound given as a number, kept within the element type's range.
    pub(super) fn bound(dtype: DType, x: f64) -> Expr<usize> {
        let bits = 8 * dtype.size() as i32;
        let (low, high) = match (dtype.is_float(), dtype.is_signed()) {
            (true, _) => (f64::NEG_INFINITY, f64::INFINITY),
            (false, true) => (-(2f64.powi(bits - 1)), 2f64.powi(bits - 1) - 1.0),
            (false, false) => (0.0, 2f64.powi(bits) - 1.0),
        };
        Expr::scalar(Scalar::of(dtype, x.max(low).min(high)))
    }

    /// A whole number among the attributes.
    pub(super) fn int(&self, name: &str) -> Result<Option<i64>> {
        match self.attrs.get(name) {
            None => Ok(None),
            Some(Attr::Int(x)) => Ok(Some(*x)),
            Some(other) => Err(self.fail(format!(
                "attribute {name} must be a whole number, not {other}"
            ))),
        }
    }

    /// A flag among the attributes: a whole number, or `true` and `false`.
    pub(super) fn flag(&self, name: &str, default: bool) -> Result<bool> {
        match self.attrs.get(name) {
            None => Ok(default),
            Some(Attr::Int(x @ (0 | 1))) => Ok(*x == 1),
            Some(Attr::Str(x)) if x == "true" || x == "false" => Ok(x == "true"),
            Some(other) => Err(self.fail(format!("attribute {name} must be 0 or 1, not {other}"))),
        }
    }

    /// A number among the attributes.
    pub(super) fn float(&self, name: &str) -> Result<Option<f64>> {
        match self.attrs.get(name) {
            None => Ok(None),
            Some(Attr::Float(x)) => Ok(Some(*x)),
            Some(Attr::Int(x)) => Ok(Some(*x as f64)),
            Some(other) => Err(self.fail(format!("attribute {name} must be numeric, not {other}"))),
        }
    }

    /// A string among the attributes.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.attrs.get(name) {
            None => Ok(None),
            Some(Attr::Str(x)) => Ok(Some(x)),
            Some(other) => {
                Err(self.fail(format!("attribute {name} must be a string, not {other}")))
            }
        }
    }

    /// Extents or axes from the operand at a place, or else from the attribute.
    pub(super) fn places(&self, i: usize, attr: &str) -> Result<Option<Vec<usize>>> {
        let Some(list) = self.list(i, attr, 1..=1, DTypes::INTS)? else {
            return Ok(None);
        };
        let what = match attr {
            "" => format!("operand {i}"),
            attr => attr.to_owned(),
        };
        let place = |&x: &i64| {
            usize::try_from(x)
                .map_err(|_| self.fail(format!("{what} needs numbers of 0 or more, not {x}")))
        };
        list.iter().map(place).collect::<Result<_>>().map(Some)
    }

    /// The elements of the operand at a place, which must be known.
    pub(super) fn known(&self, i: usize) -> Result<&HostTensor> {
        self.operand(i)?.known.as_ref().ok_or_else(|| {
            Error::unsupported(format!(
                "{}: operand {i} must be a constant, so that the shape is known",
                self.name
            ))
        })
    }

    /// The elements of the operand at a place as whole numbers.
    pub(super) fn whole(&self, i: usize) -> Result<Vec<i64>> {
        let known = self.known(i)?;
        elements::whole(known).ok_or_else(|| {
            self.fail(format!(
                "operand {i} must have whole numbers within i64, not {}",
                known.dtype
            ))
        })
    }

    /// The one element of the operand at a place as a whole number, if it is there.
    pub(super) fn whole_one(&self, i: usize) -> Result<Option<i64>> {
        if self.optional(i).is_none() {
            return Ok(None);
        }
        match self.whole(i)?[..] {
            [one] => Ok(Some(one)),
            _ => Err(self.fail(format!("operand {i} must be one number"))),
        }
    }

    /// The axis of operand 0 that an attribute or number names.
    pub(super) fn axis_of(&self, axis: i64, rank: usize) -> Result<usize> {
        self.axis_below(axis, rank, rank)
    }

    /// An axis below `limit`, which may be beyond the rank of operand 0.
    pub(super) fn axis_below(&self, axis: i64, rank: usize, limit: usize) -> Result<usize> {
        let place = match axis < 0 {
            true => axis.checked_add(rank as i64),
            false => Some(axis),
        };
        place
            .and_then(|axis| usize::try_from(axis).ok())
            .filter(|&axis| axis < limit)
            .ok_or_else(|| Error::Axis {
                op: self.name.into(),
                axis,
                rank,
                expected: match limit {
                    0 => "a scalar has no axes".into(),
                    _ => format!("it must lie from {} to {}", -(rank as i64), limit - 1),
                },
            })
    }

    /// Whether the call is of an operation set before this one.
    pub(super) fn before(&self, opset: u32) -> bool {
        self.opset.is_some_and(|o| o < opset)
    }

    /// The element type that an attribute names by its number.
    pub(super) fn dtype_attr(&self, name: &str) -> Result<Option<DType>> {
        match self.int(name)? {
            None | Some(0) => Ok(None),
            Some(code) => dtypes::known(code).map(Some).map_err(|e| match e {
                Error::Unsupported { what } => {
                    Error::unsupported(format!("{}: attribute {name} is {what}", self.name))
                }
                _ => self.fail(format!("{name} = {code} is no TensorProto.DataType")),
            }),
        }
    }

    /// Whole numbers from operand `i`, of one of these ranks and types, or else from the attribute.
    pub(super) fn list(
        &self,
        i: usize,
        attr: &str,
        ranks: RangeInclusive<usize>,
        accepts: DTypes,
    ) -> Result<Option<Vec<i64>>> {
        let from_operand = match self.optional(i) {
            None => None,
            Some(x) if !ranks.contains(&x.shape.rank()) => {
                return Err(self.fail(format!(
                    "operand {i} must be a list of whole numbers, but its shape is {}",
                    x.shape
                )));
            }
            Some(x) if !accepts.contains(x.dtype) => {
                return Err(Error::DType {
                    op: self.name.into(),
                    operand: i,
                    dtype: x.dtype,
                    accepts: accepts.to_string(),
                });
            }
            Some(_) => Some(self.whole(i)?),
        };
        match (from_operand, self.attrs.get(attr)) {
            (from_operand, None) => Ok(from_operand),
            (None, Some(Attr::Ints(list))) => Ok(Some(list.clone())),
            (Some(_), Some(_)) => {
                Err(self.fail(format!("{attr} is given twice, as operand and attribute")))
            }
            (None, Some(other)) => {
                Err(self.fail(format!("attribute {attr} must be a list, not {other}")))
            }
        }
    }
}
