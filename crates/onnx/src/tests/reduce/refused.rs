//! Calls that the specifications of reductions do not allow.

use super::*;

#[test]
fn an_axis_that_is_not_there_is_named_with_its_operator() {
    let x = read("f32 2,3: 1 1 1 1 1 1");
    let scalar = read("f32 : 1");
    let go =
        |standard, name: &str, attrs: &[(&str, Attr)], x: &HostTensor, axes: Option<&[i64]>| {
            newest(standard, name, attrs, x, axes).unwrap_err()
        };
    for (error, name, number) in [
        (go(OpenVino, "ReduceL1", &[], &x, Some(&[2])), "ReduceL1", 2),
        (
            go(OpenVino, "ReduceL2", &[], &x, Some(&[0, -3])),
            "ReduceL2",
            -3,
        ),
        (go(Onnx, "ReduceMax", &[], &x, Some(&[2])), "ReduceMax", 2),
        (
            go(Onnx, "ReduceSum", &[], &scalar, Some(&[0])),
            "ReduceSum",
            0,
        ),
        (go(Onnx, "ArgMax", &int("axis", 2), &x, None), "ArgMax", 2),
        (go(Onnx, "ArgMin", &[], &scalar, None), "ArgMin", 0),
        (go(Onnx, "CumSum", &[], &x, Some(&[2])), "CumSum", 2),
        (go(Onnx, "CumProd", &[], &scalar, Some(&[0])), "CumProd", 0),
        (go(OpenVino, "CumSum", &[], &x, Some(&[-3])), "CumSum", -3),
        (go(Onnx, "Hardmax", &int("axis", 2), &x, None), "Hardmax", 2),
        (
            go(Onnx, "Softmax", &int("axis", -3), &x, None),
            "Softmax",
            -3,
        ),
    ] {
        match &error {
            Error::Axis { op, axis, .. } => assert_eq!((&op[..], *axis), (name, number)),
            _ => panic!("{error}"),
        }
    }
    let twice = go(Onnx, "ReduceProd", &[], &x, Some(&[1, -1]));
    assert!(twice.to_string().contains("ReduceProd"), "{twice}");
}

#[test]
fn axes_and_attributes_that_a_text_does_not_allow_are_arguments() {
    let x = read("f32 2,3: 1 1 1 1 1 1");
    let list = |axes: &[i64]| Attr::Ints(axes.to_vec());
    let onnx = |name: &str, attrs: &[(&str, Attr)]| newest(Onnx, name, attrs, &x, None);
    let openvino = |name: &str, attrs: &[(&str, Attr)], axes: &[i64]| {
        newest(OpenVino, name, attrs, &x, Some(axes))
    };
    let shaped = |standard, shape: &[usize]| {
        call(
            (standard, "ReduceSum", None),
            &[],
            &x,
            Some((I64, shape, &[0])),
        )
    };
    let last = int("select_last_index", 1);
    for refused in [
        newest(Onnx, "ReduceSum", &[], &x, Some(&[1, -1])),
        openvino("ReduceSum", &[], &[0, 0]),
        onnx("ReduceSum", &int("keepdims", 2)),
        onnx("ReduceSum", &int("keep_dims", 1)),
        onnx("ReduceSum", &int("axis", 1)),
        onnx("ReduceSum", &int("axes", 1)),
        onnx("ReduceSum", &[("axes", list(&[0, 0]))]),
        onnx("ReduceSum", &[("noop_with_empty_axes", Attr::Float(1.0))]),
        onnx("ArgMax", &[("axes", list(&[0]))]),
        onnx("ArgMax", &[("axis", list(&[0]))]),
        onnx("ArgMin", &int("select_last_index", -1)),
        onnx("Softmax", &[("axis", Attr::Float(1.0))]),
        openvino("ReduceMax", &int("keepdims", 1), &[0]),
        openvino("ReduceMax", &int("keep_dims", 3), &[0]),
        openvino("ReduceMax", &[("axes", list(&[0]))], &[0]),
        call((Onnx, "ArgMax", Some(11)), &last, &x, None),
        // OpenVINO's axes may be a scalar.
        shaped(Onnx, &[]),
        shaped(OpenVino, &[1, 1]),
        // There is no element to choose.
        newest(Onnx, "ArgMax", &[], &read("f32 0,2:"), None),
    ] {
        assert!(
            matches!(refused, Err(Error::Argument { .. })),
            "{refused:?}"
        );
    }
}

#[test]
fn axes_are_constants_of_whole_numbers() {
    let x = read("f32 2,3: 1 1 1 1 1 1");
    for (standard, dtype) in [(Onnx, I32), (Onnx, F32), (OpenVino, F32), (OpenVino, Bool)] {
        let axes = Some((dtype, &[1][..], &[1][..]));
        let refused = call((standard, "ReduceSum", None), &[], &x, axes);
        assert!(
            matches!(refused, Err(Error::DType { operand: 1, .. })),
            "{refused:?}"
        );
    }
    let absent = newest(OpenVino, "ReduceSum", &[], &x, None);
    assert!(matches!(absent, Err(Error::Arity { found: 1, .. })));
    let operands = [
        Some(Operand::new(Expr::slot(0), F32, [2, 3])),
        Some(Operand::new(Expr::slot(1), I64, [1])),
    ];
    let unknown = build(&Call::new(Onnx, "ReduceSum", &operands));
    assert!(
        matches!(unknown, Err(Error::Unsupported { .. })),
        "{unknown:?}"
    );
}
