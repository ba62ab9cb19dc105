//! Running a case: the rule and operator it names, on a backend.

use zerostride::{DType, Error, Expr, HostTensor, Result, Rule, Shape, text};
use zerostride_onnx::{self as onnx, Attr, Attrs, Call, Operand, Standard};

use super::case::{Case, broken, unsupported};

/// What runs an expression over inputs by their slots.
pub type Backend = fn(&Expr<usize>, &[HostTensor]) -> Result<HostTensor>;

/// What a case gives.
pub enum Outputs {
    /// The shape of the result.
    Shape(Shape),
    /// The results.
    Tensors(Vec<HostTensor>),
}

/// Runs a case.
pub fn run_case(case: &Case, backend: Backend) -> Result<Outputs> {
    match case.kind.as_str() {
        "shape" => align(case).map(Outputs::Shape),
        "exec" => execute(case, backend).map(Outputs::Tensors),
        "expression" => express(case, backend).map(Outputs::Tensors),
        other => Err(broken(format!("kind {other}"))),
    }
}

/// The rule of an operator of several operands.
fn rule(case: &Case) -> Result<Rule> {
    Ok(match case.rule.as_str() {
        // PReLU and the modes of Broadcast bring their own.
        "onnx_multi" | "numpy" | "sonnx" | "elementwise" | "onnx_expand" | "ov_prelu" => {
            Rule::Numpy
        }
        rule if rule.starts_with("ov_broadcast") => Rule::Numpy,
        "onnx_uni" => Rule::Unidirectional,
        "none" => Rule::None,
        "pdpd" => Rule::Pdpd {
            axis: case.int("axis").unwrap_or(-1),
        },
        other => return Err(unsupported(format!("rule {other}"))),
    })
}

/// The shape of a result, by the rule alone.
fn align(case: &Case) -> Result<Shape> {
    let shapes: Vec<Shape> = case
        .inputs
        .iter()
        .map(|s| s.shape())
        .collect::<Result<_>>()?;
    let one = |rule: Rule| rule.align(&[&shapes[0]]).map(|a| a.shape);
    let target = || {
        let named = case
            .places("target_shape")?
            .or(case.places("shape")?)
            .map(Shape::from);
        named
            .or_else(|| shapes.get(1).cloned())
            .ok_or_else(|| broken("there is no target shape"))
    };
    match case.rule.as_str() {
        "ov_broadcast_numpy" | "ov_broadcast_bidirectional"
            if case.attrs.contains_key("axes_mapping") =>
        {
            Err(broken("axes_mapping belongs to mode explicit"))
        }
        "ov_broadcast_numpy" => one(Rule::To { target: target()? }),
        "ov_broadcast_bidirectional" | "onnx_expand" => {
            one(Rule::Bidirectional { target: target()? })
        }
        "ov_broadcast_explicit" => {
            let axes = case
                .places("axes_mapping")?
                .ok_or_else(|| broken("there is no axes_mapping"))?;
            one(Rule::Explicit {
                target: target()?,
                axes,
            })
        }
        "ov_broadcast_pdpd" => {
            let axis = case.int("axis").unwrap_or(-1);
            Rule::Pdpd { axis }
                .align(&[&target()?, &shapes[0]])
                .map(|a| a.shape)
        }
        "ov_prelu" => match (shapes[0].extents(), shapes[1].extents()) {
            ([_, channels, ..], [n]) if channels == n => Ok(shapes[0].clone()),
            _ => Rule::Unidirectional
                .align(&shapes.iter().collect::<Vec<_>>())
                .map(|a| a.shape),
        },
        _ => rule(case)?
            .align(&shapes.iter().collect::<Vec<_>>())
            .map(|a| a.shape),
    }
}

/// Whose operator the case means, and its name there.
fn operator(case: &Case) -> (Standard, &str) {
    let openvino = matches!(case.group.as_str(), "openvino" | "paddle");
    match case.op.as_str() {
        "OvBroadcast" => (Standard::OpenVino, "Broadcast"),
        "PRelu" if case.rule == "ov_prelu" => (Standard::OpenVino, "PReLU"),
        op if openvino && onnx::named(Standard::OpenVino, op).is_some() => (Standard::OpenVino, op),
        op if onnx::named(Standard::Onnx, op).is_some() => (Standard::Onnx, op),
        op if onnx::named(Standard::OpenVino, op).is_some() => (Standard::OpenVino, op),
        op => (
            if openvino {
                Standard::OpenVino
            } else {
                Standard::Onnx
            },
            op,
        ),
    }
}

/// The elements of a tensor of whole numbers.
fn ints(tensor: &HostTensor) -> Option<Vec<i64>> {
    let size = tensor.dtype.size();
    let element = |bytes: &[u8]| {
        let fill = if tensor.dtype.is_signed() && bytes[size - 1] >= 0x80 {
            0xff
        } else {
            0
        };
        let mut wide = [fill; 8];
        wide[..size].copy_from_slice(bytes);
        i64::from_le_bytes(wide)
    };
    // Shapes and axes are short; data are not looked at.
    let short =
        tensor.dtype.is_int() && tensor.layout.shape().rank() <= 1 && tensor.layout.len() <= 256;
    short.then(|| tensor.bytes.chunks(size).map(element).collect())
}

fn execute(case: &Case, backend: Backend) -> Result<Vec<HostTensor>> {
    let inputs: Vec<Option<HostTensor>> = case
        .inputs
        .iter()
        .map(|s| case.tensor(s))
        .collect::<Result<_>>()?;
    let operands: Vec<Option<Operand>> = inputs
        .iter()
        .enumerate()
        .map(|(slot, input)| {
            let t = input.as_ref()?;
            let operand = Operand::new(Expr::slot(slot), t.dtype, t.layout.shape().clone());
            Some(match ints(t) {
                Some(elements) => operand.with_elements(elements),
                None => operand,
            })
        })
        .collect();
    let absent = HostTensor::new(DType::F32, [0], Vec::new())?;
    let tensors: Vec<HostTensor> = inputs
        .into_iter()
        .map(|t| t.unwrap_or_else(|| absent.clone()))
        .collect();

    if case.op == "Broadcast" && case.rule == "sonnx" {
        let shapes: Vec<&Shape> = tensors.iter().map(|t| t.layout.shape()).collect();
        let target = Rule::Numpy.align_onto("Broadcast", &shapes, 0)?.shape;
        let output = |slot| {
            backend(
                &Expr::slot(slot).broadcast(Rule::To {
                    target: target.clone(),
                }),
                &tensors,
            )
        };
        return (0..tensors.len()).map(output).collect();
    }

    let (standard, name) = operator(case);
    let mut attrs: Attrs = case.attributes()?;
    if let Some(mode) = case
        .rule
        .strip_prefix("ov_broadcast_")
        .filter(|_| name == "Broadcast")
    {
        attrs
            .entry("mode".into())
            .or_insert_with(|| Attr::Str(mode.into()));
    }
    let rule = rule(case)?;
    let call = Call::new(standard, name, &operands)
        .opset(case.opset)
        .attrs(&attrs)
        .rule(&rule);
    backend(&onnx::build(&call)?, &tensors).map(|t| vec![t])
}

/// A case whose `op` is an expression over its named inputs.
fn express(case: &Case, backend: Backend) -> Result<Vec<HostTensor>> {
    let tensors: Vec<HostTensor> = case
        .inputs
        .iter()
        .map(|s| {
            case.tensor(s)?
                .ok_or_else(|| broken("an input is left out"))
        })
        .collect::<Result<_>>()?;
    let names: Vec<&str> = case
        .inputs
        .iter()
        .map(|s| s.name.as_deref().unwrap_or_default())
        .collect();
    let input = |i: usize| {
        let tensor: &HostTensor = &tensors[i];
        (tensor.dtype, tensor.layout.shape().clone())
    };
    let expr = text::parse(&case.op)?.bind_to(&names, input, &rule(case)?)?;
    backend(&expr, &tensors).map(|t| vec![t])
}

/// Whether an error says that something does not exist here, rather than that the call was wrong.
pub fn is_unsupported(error: &Error) -> bool {
    match error {
        Error::Unsupported { .. } => true,
        Error::At { source, .. } => is_unsupported(source),
        _ => false,
    }
}
