mod arrays;
mod broadcast;
mod errors;
mod more;
mod reduce;
mod table;

use std::fmt;

use super::*;
use zerostride::{DType, DTypes, HostTensor, Rule, Shape, reference};

/// The result of a standard's operator for host tensors.
fn run(
    standard: Standard,
    name: &str,
    opset: Option<u32>,
    attrs: &[(&str, Attr)],
    inputs: &[Option<HostTensor>],
    rule: &Rule,
) -> Result<HostTensor> {
    let tensors: Vec<HostTensor> = inputs
        .iter()
        .map(|t| t.clone().unwrap_or_else(|| tensor(DType::F32, &[0], &[])))
        .collect();
    let operands: Vec<Option<Operand>> = inputs
        .iter()
        .enumerate()
        .map(|(i, t)| {
            t.as_ref().map(|t| Operand {
                expr: Expr::slot(i),
                dtype: t.dtype,
                shape: t.layout.shape().clone(),
                known: (t.dtype == DType::I64).then(|| t.clone()),
            })
        })
        .collect();
    let attrs: Attrs = attrs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect();
    let call = Call::new(standard, name, &operands)
        .opset(opset)
        .attrs(&attrs)
        .rule(rule);
    let expr = build(&call)?;
    reference::run(&expr, &tensors)
}

fn tensor(dtype: DType, shape: &[usize], data: &[f64]) -> HostTensor {
    let bytes = data
        .iter()
        .flat_map(|&x| {
            zerostride::Scalar::of(dtype, x)
                .bits
                .to_le_bytes()
                .into_iter()
                .take(dtype.size())
        })
        .collect();
    HostTensor::new(dtype, Shape::from(shape), bytes).unwrap()
}

fn row(dtype: DType, data: &[f64]) -> Option<HostTensor> {
    Some(tensor(dtype, &[data.len()], data))
}

use DType::{Bool, F16, F32, I32, I64, U8, U32};
use Standard::{Onnx, OpenVino};

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// The standard, the operator's name and attributes, its operands, and its result. Operands and
/// result are rows.
type Case<'a> = (
    Standard,
    &'a str,
    &'a [(&'a str, Attr)],
    &'a [(DType, &'a [f64])],
    (DType, &'a [f64]),
);

#[test]
fn clip_bounds_may_be_left_out() {
    let x = || row(F32, &[-5.0, 0.5, 5.0, NAN]);
    let s = |v: f64| Some(tensor(F32, &[], &[v]));
    let clip = |opset, attrs: &[(&str, Attr)], inputs: &[Option<HostTensor>]| {
        run(Onnx, "Clip", opset, attrs, inputs, &Rule::Numpy)
    };
    let is = |found: Result<HostTensor>, expected: &[f64]| {
        assert_eq!(found.unwrap(), row(F32, expected).unwrap())
    };
    is(
        clip(None, &[], &[x(), s(-1.0), s(1.0)]),
        &[-1.0, 0.5, 1.0, NAN],
    );
    is(clip(None, &[], &[x(), s(-1.0)]), &[-1.0, 0.5, 5.0, NAN]);
    is(
        clip(None, &[], &[x(), s(-1.0), None]),
        &[-1.0, 0.5, 5.0, NAN],
    );
    is(
        clip(None, &[], &[x(), None, s(1.0)]),
        &[-5.0, 0.5, 1.0, NAN],
    );
    is(clip(None, &[], &[x()]), &[-5.0, 0.5, 5.0, NAN]);
    is(
        clip(None, &[], &[x(), row(F32, &[1.0]), s(-1.0)]),
        &[-1.0, -1.0, -1.0, NAN],
    );
    let old = [("min", Attr::Float(-1.0)), ("max", Attr::Int(1))];
    is(clip(Some(6), &old, &[x()]), &[-1.0, 0.5, 1.0, NAN]);
    assert!(clip(Some(13), &old, &[x()]).is_err());
    assert!(clip(Some(6), &[], &[x(), s(-1.0)]).is_err());
    assert!(clip(None, &[], &[x(), row(F32, &[1.0, 2.0])]).is_err());
}

#[test]
fn a_slope_is_a_channels_for_openvino_and_a_rows_for_onnx() {
    let x = || Some(tensor(F32, &[1, 2, 2], &[-1.0; 4]));
    let slope = || row(F32, &[3.0, 5.0]);
    let run =
        |standard, name| run(standard, name, None, &[], &[x(), slope()], &Rule::Numpy).unwrap();
    assert_eq!(
        run(Onnx, "PRelu"),
        tensor(F32, &[1, 2, 2], &[-3.0, -5.0, -3.0, -5.0])
    );
    assert_eq!(
        run(OpenVino, "PReLU"),
        tensor(F32, &[1, 2, 2], &[-3.0, -3.0, -5.0, -5.0])
    );
}

#[test]
fn select_under_pdpd_has_the_shape_of_then() {
    let inputs = [
        Some(tensor(Bool, &[2], &[1.0, 0.0])),
        Some(tensor(F32, &[2, 2], &[1.0, 2.0, 3.0, 4.0])),
        Some(tensor(F32, &[2], &[10.0, 20.0])),
    ];
    let mode = [
        ("auto_broadcast", Attr::Str("pdpd".into())),
        ("axis", Attr::Int(0)),
    ];
    let found = run(OpenVino, "Select", None, &mode, &inputs, &Rule::Numpy).unwrap();
    assert_eq!(found, tensor(F32, &[2, 2], &[1.0, 2.0, 20.0, 20.0]));
}

#[test]
fn fake_quantize_puts_levels_between_its_bounds() {
    let x = || row(F32, &[-1.0, 0.0, 0.1, 0.5, 0.9, 2.0]);
    let one = |v: f64| row(F32, &[v]);
    let levels = [("levels", Attr::Int(3))];
    let found = run(
        OpenVino,
        "FakeQuantize",
        None,
        &levels,
        &[x(), one(0.0), one(1.0), one(10.0), one(20.0)],
        &Rule::Numpy,
    );
    assert_eq!(
        found.unwrap(),
        row(F32, &[10.0, 10.0, 10.0, 15.0, 20.0, 20.0]).unwrap()
    );
    let few = [("levels", Attr::Int(1))];
    let refused = run(
        OpenVino,
        "FakeQuantize",
        None,
        &few,
        &[x(), one(0.0), one(1.0), one(0.0), one(1.0)],
        &Rule::Numpy,
    );
    assert!(matches!(refused, Err(Error::Argument { .. })));
}

#[test]
fn rows_are_unique_and_newest_first() {
    for row in all() {
        assert!(
            std::ptr::eq(named(row.standard(), row.name()).unwrap(), row),
            "{row:?} twice"
        );
        assert!(row.versions.is_sorted_by(|a, b| a.0 > b.0), "{row:?}");
        assert_eq!(row.dtypes(None).unwrap(), row.versions[0].1);
    }
}
