//! Operators by example.

use super::*;

/// Runs each operator and compares the result with the expected one.
pub(super) fn check(cases: &[Case<'_>]) {
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
fn operators_follow_their_standard() {
    let text = |s: &str| Attr::Str(s.into());
    let int = Attr::Int;
    check(&[
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
    ]);
}
