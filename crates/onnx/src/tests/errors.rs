//! Calls that a standard does not allow.

use super::*;

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
        go(Onnx, "Conv", None, &[], &[f(), f()]),
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
