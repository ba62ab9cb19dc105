//! What is refused, and where errors point.

mod kernels;

use super::*;
use crate::error::Error;
use crate::expr::Expr;

/// An operator of one operand on f32.
fn of_floats(wgsl: &str) -> Result<Op> {
    CustomOp::new("own", ["x"])
        .form(wgsl, |[x]: [f32; 1]| x)
        .build()
}

#[test]
fn texts_are_refused_where_they_are_wrong() {
    let function = "fn own(x: vec4<f32>) -> vec4<f32> { return x; }\n";
    // A text, line, column, and a part of the reason.
    let cases: &[(&str, usize, usize, &str)] = &[
        ("", 1, 1, "the text is empty"),
        ("// nothing", 1, 1, "the text is empty"),
        ("x + y", 1, 5, "no definition in scope for identifier: `y`"),
        ("x +\n  nothing(x)", 2, 3, "nothing"),
        ("/* ä */ x + ä", 1, 13, "ä"),
        ("x + ", 1, 5, ""),
        ("x + 1u", 1, 1, ""),
        ("x.x", 1, 1, ""),
        ("x == x", 1, 1, ""),
        ("x; }", 1, 4, "`}` closes nothing"),
        ("x;", 1, 2, "`;` is not allowed in an expression"),
        ("x) } fn f() {(", 1, 2, "`)` closes nothing"),
        ("(x", 1, 1, "`(` is not closed"),
        ("x /* open", 1, 3, "the comment does not end"),
        ("table.zero", 1, 1, "table"),
        ("precise_exp(x)", 1, 1, "precise_exp"),
        (
            "dpdx(x)",
            1,
            1,
            "a difference between neighbouring pixels is not allowed",
        ),
        ("x + vec4<f32>(subgroupAdd(1.0))", 1, 15, ""),
        (
            "fn own(x: vec4<f32>) -> vec4<f32> {\n    return y;\n}",
            2,
            12,
            "`y`",
        ),
        (
            "fn other(x: vec4<f32>) -> vec4<f32> { return x; }",
            1,
            1,
            "it lacks the operator's function: fn own(x: vec4<f32>) -> vec4<f32>",
        ),
        (
            "fn own(x: f32) -> f32 { return x; }",
            1,
            4,
            "the operator's function must be fn own(x: vec4<f32>) -> vec4<f32>",
        ),
        (
            "fn own(x: vec4<f32>, y: vec4<f32>) -> vec4<f32> { return x; }",
            1,
            4,
            "must be",
        ),
        ("fn own(x: vec4<f32>) { }", 1, 4, "must be"),
        (
            "fn own(x: vec4<f32>) -> vec4<f32> {\n    return own(x);\n}",
            1,
            4,
            "",
        ),
        (
            "fn own(x: vec4<f32>) -> vec4<f32> {\n  storageBarrier();\n  return x;\n}",
            2,
            3,
            "a barrier is not allowed",
        ),
        (
            "fn own(x: vec4<f32>) -> vec4<f32> {\n  if (x.x > 0.0) { discard; }\n  return x;\n}",
            2,
            20,
            "discard is not allowed",
        ),
        (
            "fn own(x: vec4<f32>) -> vec4<f32> {\n  var a: array<f32, 4096>;\n  return x + a[u32(x.x)];\n}",
            2,
            3,
            "at most 8192 bytes",
        ),
        (
            "fn own(x: vec4<f32>) -> vec4<f32> {\n  var s = x; { return fwidth(s); }\n}",
            2,
            23,
            "neighbouring pixels",
        ),
    ];
    let behind = |text: &str| format!("{function}{text}");
    let declared: Vec<(String, &str)> = [
        (
            "@group(0) @binding(0) var<storage, read_write> b: array<u32>;",
            "attributes",
        ),
        ("@compute @workgroup_size(1) fn main() {}", "attributes"),
        ("var<private> p: f32;", "`var` is not allowed here"),
        ("var<workgroup> w: f32;", "`var` is not allowed here"),
        ("override o: f32;", "`override` is not allowed here"),
        ("struct S { a: f32 }", "`struct` is not allowed here"),
        ("alias F = f32;", "`alias` is not allowed here"),
        ("enable f16;", "`enable` is not allowed here"),
        (
            "diagnostic(off, derivative_uniformity);",
            "`diagnostic` is not allowed here",
        ),
        ("const_assert true;", "`const_assert` is not allowed here"),
        ("}", "`}` closes nothing"),
    ]
    .into_iter()
    .map(|(text, reason)| (behind(text), reason))
    .collect();
    let declared = declared
        .iter()
        .map(|(text, reason)| (text.as_str(), 2, 1, *reason));
    let mut failures = Vec::new();
    for (text, line, column, reason) in cases.iter().copied().chain(declared) {
        match of_floats(text) {
            Err(Error::Wgsl {
                line: l,
                column: c,
                reason: found,
                ..
            }) if (l, c) == (line, column) && found.contains(reason) => {}
            other => failures.push(format!(
                "{text:?} ({line}, {column}, {reason}):\n    {other:?}"
            )),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn an_error_reads_as_a_sentence() {
    let error = of_floats("x + y").unwrap_err();
    assert_eq!(
        error.to_string(),
        "own: line 1, column 5 of its WGSL: no definition in scope for identifier: `y`"
    );
}

/// The operator's function, begun with a text many times.
fn chain(times: usize, text: &str) -> String {
    "fn own(x: vec4<f32>) -> vec4<f32> { ".to_owned() + &text.repeat(times)
}

#[test]
fn what_is_as_deep_as_allowed_is_taken() {
    for text in [
        "(".repeat(64) + "x" + &")".repeat(64),
        "- ".repeat(200) + "x",
        "x".to_owned() + &" + x".repeat(510),
        chain(250, "if x.x > 1.0 { return x; } else ") + "{ return x; } }",
        (0..200).fold(
            chain(0, "") + "return x * c0; } const c200 = 1.0;",
            |text, i| format!("const c{i} = c{}; {text}", i + 1),
        ),
    ] {
        let found = of_floats(&text);
        assert!(
            found.is_ok(),
            "{:?}: {:.200}",
            &text[..20],
            format!("{found:?}")
        );
    }
}

#[test]
fn nested_and_long_texts_are_errors_not_crashes() {
    for text in [
        "(".repeat(20_000) + "x" + &")".repeat(20_000),
        "- ".repeat(20_000) + "x",
        "x".to_owned() + &" + x".repeat(16_000),
        "x".repeat(1 << 17),
        chain(2000, "if x.x > 1.0 { return x; } else ") + "{ return x; } }",
        (0..3000).fold(chain(0, ""), |text, i| {
            format!("const c{i} = c{}; {text}", i + 1)
        }),
    ] {
        let found = of_floats(&text);
        assert!(
            matches!(found, Err(Error::Wgsl { .. })),
            "{:?}",
            &text[..20]
        );
    }
}

#[test]
fn operators_are_refused_by_name_operands_and_forms() {
    let cpu = |[x]: [f32; 1]| x;
    let named = |name: &str| CustomOp::new(name, ["x"]).form("x", cpu).build();
    let operands = |a: &str, b: &str| {
        CustomOp::new("own", [a, b])
            .form("vec4<f32>(0.0)", |[a, _]: [f32; 2]| a)
            .build()
    };
    let cases = [
        (named("add"), "add: a built-in operator has this name"),
        (named("fn"), "fn: not a valid operator name"),
        (named("vec4 f"), "not a valid operator name"),
        (named(""), "not a valid operator name"),
        (named("__x"), "not a valid operator name"),
        (named("_"), "not a valid operator name"),
        (named("naïve"), "letters, digits and _"),
        (operands("a", "a"), "the name a occurs twice"),
        (operands("own", "a"), "the name own occurs twice"),
        (operands("a", "let"), "\"let\" is not a valid operand name"),
        (
            CustomOp::new("own", [""; 0])
                .form("vec4<f32>()", |[]: [f32; 0]| 0.0)
                .build(),
            "it has 0 operands",
        ),
        (CustomOp::new("own", ["x"]).build(), "it has no form"),
        (
            CustomOp::new("own", ["x"])
                .form("x", cpu)
                .form("x", cpu)
                .build(),
            "two forms for f16 bf16 f32",
        ),
        (
            CustomOp::new("own", ["x"])
                .form("x", cpu)
                .form("x > vec4<i32>()", |[x]: [i32; 1]| x > 0)
                .build(),
            "some of its forms give a bool",
        ),
        (
            CustomOp::new("own", ["x"])
                .form("x", cpu)
                .accepts([DType::F32, DType::I64])
                .build(),
            "custom operators do not support i64",
        ),
        (
            CustomOp::new("own", ["x"])
                .form("x", cpu)
                .accepts([DType::F64])
                .build(),
            "no form for f64",
        ),
        (
            CustomOp::new("own", ["x"])
                .form("x", cpu)
                .accepts([])
                .build(),
            "it accepts no element type",
        ),
    ];
    let mut failures = Vec::new();
    for (found, reason) in cases {
        match found {
            Err(error @ Error::Argument { .. }) if error.to_string().contains(reason) => {}
            other => failures.push(format!("{reason}: {other:?}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn derivatives_are_formulas_of_floats() {
    let with = |formula: fn(&Expr<usize>, &Expr<usize>) -> Expr<usize>| {
        CustomOp::new("own", ["x"])
            .form("x", |[x]: [f32; 1]| x)
            .derivative(|g, [x], _| [formula(g, x)])
            .build()
    };
    let doubled = |g: &Expr<usize>, n: usize| (0..n).fold(g.clone(), |sum, _| &sum + &sum);
    let big = CustomOp::new("own", ["x"])
        .form("x", |[x]: [f32; 1]| x)
        .derivative(|g, _, _| [doubled(g, 60)])
        .build();
    let cases = [
        (with(|g, _| g.sum(..)), "elementwise operators"),
        (with(|g, _| g.transpose()), "elementwise operators"),
        (
            with(|_, x| x.less(Expr::literal(0))),
            "it is bool, not a float",
        ),
        (
            with(|g, x| g * x.cast(DType::I32)),
            "not a float or a test of floats",
        ),
        (with(|_, _| Expr::slot(7)), "it has no operand 7"),
        (
            with(|g, x| Expr::step(Op::ADD, [g.clone(), x.less(x)])),
            "add",
        ),
        (with(|_, x| x.cos()), "multiplied by the gradient"),
        (with(|_, _| Expr::literal(1)), "multiplied by the gradient"),
        (big, "more than 1024 terms"),
    ];
    let mut failures = Vec::new();
    for (found, reason) in cases {
        match found {
            Err(error @ Error::Argument { .. }) if error.to_string().contains(reason) => {}
            other => failures.push(format!("{reason}: {other:?}")),
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(with(|_, _| Expr::literal(0)).is_ok());
    assert!(with(|g, x| g * x.greater(Expr::literal(0.5)).cast(DType::F32)).is_ok());
}
