use super::*;
use crate::reference::{self, HostTensor};
use crate::rule::Rule;
use crate::shape::Shape;

/// A call with host tensors: what the standard's operator gives.
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
                ints: (t.dtype == DType::I64).then(|| {
                    t.bytes
                        .chunks(8)
                        .map(|b| i64::from_le_bytes(b.try_into().unwrap()))
                        .collect()
                }),
            })
        })
        .collect();
    let attrs: Attrs = attrs
        .iter()
        .map(|(k, v)| ((*k).to_owned(), v.clone()))
        .collect();
    let expr = build(&Call {
        standard,
        name,
        opset,
        attrs: &attrs,
        operands: &operands,
        rule,
    })?;
    reference::run(&expr, &tensors)
}

fn tensor(dtype: DType, shape: &[usize], data: &[f64]) -> HostTensor {
    let bytes = data
        .iter()
        .flat_map(|&x| {
            crate::expr::Scalar::of(dtype, x)
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

/// Whose operator, its name and attributes, the operands, and the result. Operands and result are
/// rows.
type Case<'a> = (
    Standard,
    &'a str,
    &'a [(&'a str, Attr)],
    &'a [(DType, &'a [f64])],
    (DType, &'a [f64]),
);

#[test]
fn operators_follow_their_standard() {
    let text = |s: &str| Attr::Str(s.into());
    let int = Attr::Int;
    let cases: &[Case<'_>] = &[
        (
            Onnx,
            "Div",
            &[],
            &[(I32, &[-7.0, 7.0]), (I32, &[2.0, -2.0])],
            (I32, &[-3.0, -3.0]),
        ),
        (
            OpenVino,
            "Divide",
            &[],
            &[(I32, &[-7.0, 7.0]), (I32, &[2.0, -2.0])],
            (I32, &[-4.0, -4.0]),
        ),
        (
            OpenVino,
            "Divide",
            &[("m_pythondiv", text("false"))],
            &[(I32, &[-7.0]), (I32, &[2.0])],
            (I32, &[-3.0]),
        ),
        (
            OpenVino,
            "Divide",
            &[],
            &[(F32, &[-7.0]), (F32, &[2.0])],
            (F32, &[-3.5]),
        ),
        (
            Onnx,
            "Mod",
            &[],
            &[(I32, &[-7.0, 7.0]), (I32, &[3.0, -3.0])],
            (I32, &[2.0, -2.0]),
        ),
        (
            Onnx,
            "Mod",
            &[("fmod", int(1))],
            &[(I32, &[-7.0, 7.0]), (I32, &[3.0, -3.0])],
            (I32, &[-1.0, 1.0]),
        ),
        (
            Onnx,
            "Mod",
            &[],
            &[(F32, &[1.0, 1.0, 5.5]), (F32, &[-INF, INF, -2.0])],
            (F32, &[-INF, 1.0, -0.5]),
        ),
        (
            OpenVino,
            "Mod",
            &[],
            &[(I32, &[-7.0, 7.0]), (I32, &[3.0, -3.0])],
            (I32, &[-1.0, 1.0]),
        ),
        (
            OpenVino,
            "FloorMod",
            &[],
            &[(I32, &[-7.0, 7.0]), (I32, &[3.0, -3.0])],
            (I32, &[2.0, -2.0]),
        ),
        (
            Onnx,
            "Pow",
            &[],
            &[(I32, &[2.0, 3.0]), (F32, &[0.5, 2.0])],
            (I32, &[1.0, 9.0]),
        ),
        (
            Onnx,
            "Pow",
            &[],
            &[(F32, &[2.0, 9.0]), (I32, &[-1.0, 2.0])],
            (F32, &[0.5, 81.0]),
        ),
        (
            Onnx,
            "Pow",
            &[],
            &[(F16, &[2.0, 9.0]), (F32, &[0.5, 0.5])],
            (F16, &[2f64.sqrt(), 3.0]),
        ),
        (
            Onnx,
            "Pow",
            &[],
            &[(I32, &[-3.0, 2.0]), (U8, &[3.0, 31.0])],
            (I32, &[-27.0, -2_147_483_648.0]),
        ),
        (
            Onnx,
            "Pow",
            &[],
            &[(I32, &[-3.0, 2.0]), (U32, &[3.0, 4.0])],
            (I32, &[-27.0, 16.0]),
        ),
        (Onnx, "Max", &[], &[(F32, &[1.0, NAN])], (F32, &[1.0, NAN])),
        (
            Onnx,
            "Max",
            &[],
            &[(U8, &[1.0, 7.0]), (U8, &[3.0, 0.0]), (U8, &[2.0, 2.0])],
            (U8, &[3.0, 7.0]),
        ),
        (
            Onnx,
            "Min",
            &[],
            &[(I32, &[1.0, 7.0]), (I32, &[3.0, 0.0]), (I32, &[2.0, -2.0])],
            (I32, &[1.0, -2.0]),
        ),
        (
            Onnx,
            "Sum",
            &[],
            &[(F32, &[1.0]), (F32, &[3.0]), (F32, &[2.0])],
            (F32, &[6.0]),
        ),
        (
            Onnx,
            "Mean",
            &[],
            &[(F32, &[1.0]), (F32, &[3.0]), (F32, &[5.0])],
            (F32, &[3.0]),
        ),
        (
            Onnx,
            "Equal",
            &[],
            &[(Bool, &[1.0, 0.0]), (Bool, &[1.0, 1.0])],
            (Bool, &[1.0, 0.0]),
        ),
        (
            Onnx,
            "Greater",
            &[],
            &[(F32, &[1.0, NAN]), (F32, &[0.0, 0.0])],
            (Bool, &[1.0, 0.0]),
        ),
        (
            Onnx,
            "Less",
            &[],
            &[(U8, &[1.0, 0.0]), (U8, &[0.0, 1.0])],
            (Bool, &[0.0, 1.0]),
        ),
        (
            Onnx,
            "GreaterOrEqual",
            &[],
            &[(I32, &[1.0, -1.0]), (I32, &[1.0, 0.0])],
            (Bool, &[1.0, 0.0]),
        ),
        (
            Onnx,
            "LessOrEqual",
            &[],
            &[(F32, &[NAN, 1.0]), (F32, &[1.0, 1.0])],
            (Bool, &[0.0, 1.0]),
        ),
        (
            Onnx,
            "And",
            &[],
            &[(Bool, &[1.0, 1.0]), (Bool, &[1.0, 0.0])],
            (Bool, &[1.0, 0.0]),
        ),
        (
            Onnx,
            "Or",
            &[],
            &[(Bool, &[0.0, 1.0]), (Bool, &[0.0, 0.0])],
            (Bool, &[0.0, 1.0]),
        ),
        (
            Onnx,
            "Xor",
            &[],
            &[(Bool, &[1.0, 1.0]), (Bool, &[1.0, 0.0])],
            (Bool, &[0.0, 1.0]),
        ),
        (
            Onnx,
            "Not",
            &[],
            &[(Bool, &[1.0, 0.0])],
            (Bool, &[0.0, 1.0]),
        ),
        (
            Onnx,
            "BitwiseAnd",
            &[],
            &[(U8, &[6.0]), (U8, &[3.0])],
            (U8, &[2.0]),
        ),
        (Onnx, "BitwiseNot", &[], &[(U8, &[6.0])], (U8, &[249.0])),
        (
            OpenVino,
            "BitwiseNot",
            &[],
            &[(Bool, &[1.0, 0.0])],
            (Bool, &[0.0, 1.0]),
        ),
        (
            OpenVino,
            "BitwiseXor",
            &[],
            &[(Bool, &[1.0, 1.0]), (Bool, &[1.0, 0.0])],
            (Bool, &[0.0, 1.0]),
        ),
        (
            OpenVino,
            "BitwiseOr",
            &[],
            &[(I32, &[-4.0]), (I32, &[3.0])],
            (I32, &[-1.0]),
        ),
        (
            Onnx,
            "Where",
            &[],
            &[(Bool, &[1.0, 0.0]), (U8, &[1.0, 2.0]), (U8, &[3.0, 4.0])],
            (U8, &[1.0, 4.0]),
        ),
        (
            OpenVino,
            "Select",
            &[],
            &[(Bool, &[1.0, 0.0]), (F16, &[1.0, 2.0]), (F16, &[3.0, 4.0])],
            (F16, &[1.0, 4.0]),
        ),
        (
            Onnx,
            "PRelu",
            &[],
            &[(I32, &[-2.0, 2.0]), (I32, &[3.0, 3.0])],
            (I32, &[-6.0, 2.0]),
        ),
        (
            Onnx,
            "Round",
            &[],
            &[(F32, &[-4.5, 2.5, 3.5, 0.4])],
            (F32, &[-4.0, 2.0, 4.0, 0.0]),
        ),
        (
            OpenVino,
            "Round",
            &[],
            &[(F32, &[-4.5, 2.5])],
            (F32, &[-4.0, 2.0]),
        ),
        (
            OpenVino,
            "Round",
            &[("mode", text("half_away_from_zero"))],
            &[(F32, &[-4.5, 2.5, 0.499_999_97, -0.3, INF, NAN, 8_388_609.0])],
            (F32, &[-5.0, 3.0, 0.0, -0.0, INF, NAN, 8_388_609.0]),
        ),
        (
            OpenVino,
            "Round",
            &[("mode", text("half_away_from_zero"))],
            &[(I32, &[-4.0])],
            (I32, &[-4.0]),
        ),
        (
            OpenVino,
            "Ceiling",
            &[],
            &[(F32, &[-4.5, 2.5])],
            (F32, &[-4.0, 3.0]),
        ),
        (
            OpenVino,
            "Clamp",
            &[("min", Attr::Float(-1.5)), ("max", int(300))],
            &[(U8, &[7.0, 255.0])],
            (U8, &[7.0, 255.0]),
        ),
        (
            OpenVino,
            "Clamp",
            &[("min", Attr::Float(-1.5)), ("max", Attr::Float(2.5))],
            &[(I32, &[-7.0, 7.0])],
            (I32, &[-1.0, 2.0]),
        ),
        (
            OpenVino,
            "SquaredDifference",
            &[],
            &[(U8, &[0.0]), (U8, &[3.0])],
            (U8, &[9.0]),
        ),
        (
            OpenVino,
            "NotEqual",
            &[],
            &[(F32, &[NAN, 1.0]), (F32, &[NAN, 1.0])],
            (Bool, &[1.0, 0.0]),
        ),
        (
            OpenVino,
            "Power",
            &[],
            &[(I32, &[3.0]), (I32, &[4.0])],
            (I32, &[81.0]),
        ),
        (
            Onnx,
            "IsInf",
            &[],
            &[(F32, &[INF, -INF, 1.0, NAN])],
            (Bool, &[1.0, 1.0, 0.0, 0.0]),
        ),
        (
            Onnx,
            "IsInf",
            &[("detect_negative", int(0))],
            &[(F32, &[INF, -INF, 1.0, NAN])],
            (Bool, &[1.0, 0.0, 0.0, 0.0]),
        ),
        (
            Onnx,
            "IsInf",
            &[("detect_positive", int(0))],
            &[(F32, &[INF, -INF, 1.0, NAN])],
            (Bool, &[0.0, 1.0, 0.0, 0.0]),
        ),
        (
            OpenVino,
            "IsFinite",
            &[],
            &[(F32, &[INF, -INF, 1.0, NAN])],
            (Bool, &[0.0, 0.0, 1.0, 0.0]),
        ),
        (
            Onnx,
            "Cast",
            &[("to", int(1))],
            &[(Bool, &[1.0, 0.0])],
            (F32, &[1.0, 0.0]),
        ),
        (
            Onnx,
            "Cast",
            &[("to", text("uint8"))],
            &[(F32, &[2.9, 200.0])],
            (U8, &[2.0, 200.0]),
        ),
        (
            Onnx,
            "CastLike",
            &[],
            &[(F32, &[2.9]), (I32, &[0.0])],
            (I32, &[2.0]),
        ),
        (
            OpenVino,
            "Convert",
            &[("destination_type", text("boolean"))],
            &[(F32, &[2.9, -0.0])],
            (Bool, &[1.0, 0.0]),
        ),
        (Onnx, "Identity", &[], &[(F16, &[2.5])], (F16, &[2.5])),
        (
            Onnx,
            "Expand",
            &[("shape", Attr::Ints(vec![2]))],
            &[(U8, &[7.0])],
            (U8, &[7.0, 7.0]),
        ),
        (
            Onnx,
            "Expand",
            &[],
            &[(U8, &[7.0]), (I64, &[3.0])],
            (U8, &[7.0, 7.0, 7.0]),
        ),
        (
            Onnx,
            "Expand",
            &[],
            &[(U8, &[7.0, 8.0]), (I64, &[1.0])],
            (U8, &[7.0, 8.0]),
        ),
        (
            OpenVino,
            "Broadcast",
            &[],
            &[(U8, &[7.0]), (I64, &[3.0])],
            (U8, &[7.0, 7.0, 7.0]),
        ),
    ];
    let mut failures = Vec::new();
    for (standard, name, attrs, operands, (dtype, expected)) in cases {
        let inputs: Vec<_> = operands.iter().map(|(d, data)| row(*d, data)).collect();
        let expected = tensor(*dtype, &[expected.len()], expected);
        match run(*standard, name, None, attrs, &inputs, &Rule::Numpy) {
            Ok(found) if found == expected => {}
            found => failures.push(format!(
                "{standard} {name} {attrs:?} {operands:?}: {found:?}"
            )),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

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
fn broadcast_has_four_modes() {
    let x = |shape: &[usize], data: &[f64]| Some(tensor(U8, shape, data));
    let ints = |v: &[i64]| Attr::Ints(v.to_vec());
    let go = |mode: &str, target: &[i64], more: &[(&str, Attr)], x: Option<HostTensor>| {
        let mut attrs = vec![
            ("mode", Attr::Str(mode.into())),
            ("target_shape", ints(target)),
        ];
        attrs.extend_from_slice(more);
        run(OpenVino, "Broadcast", None, &attrs, &[x], &Rule::Numpy)
            .map(|t| (t.layout.shape().clone(), t.bytes))
    };
    let is = |found: Result<(Shape, Vec<u8>)>, shape: &[usize], bytes: &[u8]| {
        assert_eq!(found.unwrap(), (Shape::from(shape), bytes.to_vec()));
    };
    is(
        go("numpy", &[2, 2], &[], x(&[2], &[1.0, 2.0])),
        &[2, 2],
        &[1, 2, 1, 2],
    );
    assert!(go("numpy", &[1], &[], x(&[2], &[1.0, 2.0])).is_err());
    is(
        go("bidirectional", &[1], &[], x(&[2], &[1.0, 2.0])),
        &[2],
        &[1, 2],
    );
    is(
        go(
            "explicit",
            &[2, 2],
            &[("axes_mapping", ints(&[0]))],
            x(&[2], &[1.0, 2.0]),
        ),
        &[2, 2],
        &[1, 1, 2, 2],
    );
    is(
        go(
            "explicit",
            &[2],
            &[("axes_mapping", ints(&[]))],
            x(&[], &[1.0]),
        ),
        &[2],
        &[1, 1],
    );
    assert!(go("explicit", &[2, 2], &[], x(&[2], &[1.0, 2.0])).is_err());
    assert!(
        go(
            "explicit",
            &[2, 2],
            &[("axes_mapping", ints(&[2]))],
            x(&[2], &[1.0, 2.0])
        )
        .is_err()
    );
    assert!(
        go(
            "explicit",
            &[2, 2],
            &[("axes_mapping", ints(&[1, 0]))],
            x(&[2, 2], &[1.0; 4])
        )
        .is_err()
    );
    assert!(
        go(
            "numpy",
            &[2, 2],
            &[("axes_mapping", ints(&[0]))],
            x(&[2], &[1.0, 2.0])
        )
        .is_err()
    );
    is(
        go(
            "pdpd",
            &[2, 2],
            &[("axis", Attr::Int(0))],
            x(&[2], &[1.0, 2.0]),
        ),
        &[2, 2],
        &[1, 1, 2, 2],
    );
    is(
        go("pdpd", &[2, 2], &[], x(&[2], &[1.0, 2.0])),
        &[2, 2],
        &[1, 2, 1, 2],
    );
    is(
        go(
            "pdpd",
            &[2, 2],
            &[("axis", Attr::Int(1))],
            x(&[2, 1], &[1.0, 2.0]),
        ),
        &[2, 2],
        &[1, 2, 1, 2],
    );
    assert!(
        go(
            "pdpd",
            &[2, 2],
            &[("axis", Attr::Int(2))],
            x(&[2], &[1.0, 2.0])
        )
        .is_err()
    );
    assert!(go("other", &[2, 2], &[], x(&[2], &[1.0, 2.0])).is_err());
    assert!(go("numpy", &[-1], &[], x(&[2], &[1.0, 2.0])).is_err());
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
fn what_a_standard_does_not_allow_is_a_typed_error() {
    let f = || row(F32, &[1.0]);
    let i = || row(I32, &[1.0]);
    let go =
        |standard, name: &str, opset, attrs: &[(&str, Attr)], inputs: &[Option<HostTensor>]| {
            run(standard, name, opset, attrs, inputs, &Rule::Numpy).unwrap_err()
        };
    use Error::{Arity, DType as Type, MixedDTypes, Unsupported};
    assert!(matches!(
        go(Onnx, "MatMul", None, &[], &[f(), f()]),
        Unsupported { .. }
    ));
    assert!(matches!(
        go(Onnx, "Gemm", None, &[], &[i(), row(U32, &[1.0])]),
        MixedDTypes { .. }
    ));
    assert!(matches!(
        go(Onnx, "BitCast", None, &[("to", Attr::Int(10))], &[f()]),
        Error::Argument { .. }
    ));
    assert!(matches!(
        go(Onnx, "BitShift", None, &[], &[i(), i()]),
        Error::Argument { .. }
    ));
    assert!(matches!(
        go(Onnx, "BitShift", Some(11), &[], &[i(), i()]),
        Type { operand: 0, .. }
    ));
    assert!(matches!(
        go(OpenVino, "Sub", None, &[], &[f(), f()]),
        Unsupported { .. }
    ));
    assert!(matches!(
        go(Onnx, "Add", Some(6), &[], &[f(), f()]),
        Unsupported { .. }
    ));
    assert!(matches!(
        go(Onnx, "Cast", None, &[("to", Attr::Int(17))], &[f()]),
        Unsupported { .. }
    ));
    assert!(matches!(
        go(Onnx, "Add", None, &[], &[f()]),
        Arity { found: 1, .. }
    ));
    assert!(matches!(
        go(Onnx, "Sum", None, &[], &[]),
        Arity { found: 0, .. }
    ));
    assert!(matches!(
        go(Onnx, "Add", None, &[], &[f(), i()]),
        MixedDTypes { .. }
    ));
    assert!(matches!(
        go(Onnx, "Where", None, &[], &[f(), i(), i()]),
        Type { operand: 0, .. }
    ));
    assert!(matches!(
        go(Onnx, "Sum", None, &[], &[i(), i()]),
        Type { operand: 0, .. }
    ));
    assert!(matches!(
        go(Onnx, "And", None, &[], &[i(), i()]),
        Type { operand: 0, .. }
    ));
    assert!(matches!(
        go(Onnx, "Max", Some(8), &[], &[i(), i()]),
        Type { operand: 0, .. }
    ));
    assert!(matches!(
        go(
            Onnx,
            "Add",
            Some(13),
            &[],
            &[row(U8, &[1.0]), row(U8, &[1.0])]
        ),
        Type { .. }
    ));
    assert!(matches!(
        go(Onnx, "Pow", None, &[], &[row(U8, &[1.0]), f()]),
        Type { operand: 0, .. }
    ));
    assert!(matches!(
        go(Onnx, "Pow", None, &[], &[f(), row(Bool, &[1.0])]),
        Type { operand: 1, .. }
    ));
    for error in [
        go(Onnx, "Add", None, &[("axis", Attr::Int(1))], &[f(), f()]),
        go(Onnx, "Mod", None, &[("fmod", Attr::Int(2))], &[f(), f()]),
        go(Onnx, "Mod", Some(13), &[], &[f(), f()]),
        go(Onnx, "Cast", None, &[], &[f()]),
        go(Onnx, "Expand", None, &[], &[f()]),
        go(Onnx, "Expand", None, &[("shape", Attr::Int(1))], &[f()]),
        go(Onnx, "Add", None, &[], &[None, f()]),
        go(
            OpenVino,
            "Add",
            None,
            &[("auto_broadcast", Attr::Str("both".into()))],
            &[f(), f()],
        ),
        go(
            OpenVino,
            "Clamp",
            None,
            &[("min", Attr::Int(2)), ("max", Attr::Int(1))],
            &[f()],
        ),
    ] {
        assert!(matches!(error, Error::Argument { .. }), "{error}");
    }
}

#[test]
fn rows_are_unique_and_newest_first() {
    for row in all() {
        assert!(
            std::ptr::eq(named(row.standard, row.name).unwrap(), row),
            "{row:?} twice"
        );
        assert!(row.versions.is_sorted_by(|a, b| a.0 > b.0), "{row:?}");
        assert_eq!(row.dtypes(None).unwrap(), row.versions[0].1);
    }
}
