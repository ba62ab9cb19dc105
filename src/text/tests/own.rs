//! Operators of the user's own in texts.

use super::*;
use crate::custom::CustomOp;
use crate::op::Op;
use crate::text::Language;

fn lerp() -> Op {
    CustomOp::new("lerp", ["a", "b", "t"])
        .form("a + (b - a) * t", |[a, b, t]: [f32; 3]| a + (b - a) * t)
        .build()
        .unwrap()
}

/// What a text gives for x, f32.
fn run(language: &Language, source: &str) -> Result<HostTensor> {
    let parsed = language.parse(source)?;
    let expr = parsed.bind(&["x"], &Rule::Numpy)?;
    let x = HostTensor::new(
        DType::F32,
        [3],
        bytemuck::cast_slice(&[1f32, 2.0, 4.0]).to_vec(),
    )?;
    reference::run(&expr, &[x])
}

#[test]
fn own_operators_are_functions_and_methods() {
    let language = Language::new().with(lerp()).unwrap();
    for source in [
        "lerp(x, 2 * x, 0.5)",
        "x.lerp(2 * x, 0.5)",
        "lerp(x, t=0.5, b=2 * x)",
        "lerp(x, 2 * x, 1 / 2, rule='numpy')[:]",
        "lerp(a=x, b=x + x, t=0.5)",
        "h = lerp(0, 1, 0.5); lerp(x, 2 * x, h)",
    ] {
        let found = run(&language, source);
        let found = found.map(|x| bytemuck::cast_slice::<u8, f32>(&x.bytes).to_vec());
        assert_eq!(found.ok(), Some(vec![1.5, 3.0, 6.0]), "{source}");
    }
}

#[test]
fn own_operators_are_in_errors_and_hints() {
    let language = Language::new().with(lerp()).unwrap();
    let cases = [
        ("lerpp(x, x, 1)", "did you mean `lerp`?"),
        ("x.lerpp(x, 1)", "did you mean `lerp`?"),
        ("lerp(x, x)", "column 1: lerp"),
        ("lerp(x, x, 1, axis='0')", ""),
        ("lerp(x, x, 1, c=2)", "lerp has no c="),
        ("lerp(x, a=x, t=1, t=2)", "lerp has a= twice"),
        ("lerp(a=x, x, t=1)", "lerp has a= twice"),
        ("lerp(x, x, 1, b=2)", "lerp has b= twice"),
        ("lerp(x, [1, 2], 1)", "lerp: shapes"),
        ("lerp(x, x.astype(f64), 1)", "lerp"),
        ("np.lerp", "it is a function and needs operands: lerp(...)"),
    ];
    for (source, part) in cases {
        let error = run(&language, source).unwrap_err().to_string();
        assert!(error.contains(part), "{source}: {error}");
    }
    let unknown = parse("lerp(x, x, 1)").unwrap_err();
    assert!(matches!(unknown, Error::UnknownName { .. }), "{unknown}");
}

#[test]
fn names_that_mean_something_are_refused() {
    let named = |name: &str, operand: &str| {
        let op = CustomOp::new(name, [operand])
            .form(operand, |[x]: [f32; 1]| x)
            .build()
            .unwrap();
        Language::new().with(lerp()).unwrap().with(op)
    };
    for name in [
        "lerp", "arcsin", "sum", "reshape", "isclose", "pi", "lambda", "np", "float32", "square",
    ] {
        let error = named(name, "x").unwrap_err();
        let is_about = matches!(&error, Error::Argument { op, .. } if op == name);
        assert!(is_about, "{name}: {error}");
    }
    assert!(Language::new().with(Op::ADD).is_err());
    for operand in ["axis", "rule", "lambda"] {
        assert!(named("own", operand).is_err(), "{operand}");
    }
    assert_eq!(named("own", "x").unwrap().operators().len(), 2);
}
