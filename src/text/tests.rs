use proptest::prelude::*;

use super::*;
use crate::expr::{Expr, Promotion};
use crate::reference::{self, HostTensor};
use crate::rule::Rule;
use crate::shape::Shape;

fn f32s(shape: impl Into<Shape>, data: &[f32]) -> HostTensor {
    HostTensor::new(DType::F32, shape, bytemuck::cast_slice(data).to_vec()).unwrap()
}

fn i32s(shape: impl Into<Shape>, data: &[i32]) -> HostTensor {
    HostTensor::new(DType::I32, shape, bytemuck::cast_slice(data).to_vec()).unwrap()
}

/// The inputs every test here may name.
fn inputs() -> Vec<(&'static str, HostTensor)> {
    vec![
        ("x", f32s([2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])),
        ("row", f32s([3], &[10.0, 20.0, 30.0])),
        ("col", f32s([2, 1], &[100.0, 200.0])),
        ("two", f32s([2], &[7.0, 8.0])),
        ("s", f32s([], &[2.0])),
        ("i", i32s([3], &[-7, 2, 9])),
        ("j", i32s([3], &[2, -3, 4])),
        ("h", HostTensor::new(DType::F16, [2], vec![0x00, 0x3c, 0x00, 0xc0]).unwrap()),
        ("b", HostTensor::new(DType::Bool, [3], vec![1, 0, 1]).unwrap()),
        ("u", HostTensor::new(DType::U8, [2], vec![200, 100]).unwrap()),
    ]
}

fn lowered(source: &str) -> Result<Expr<usize>> {
    let names: Vec<&str> = inputs().iter().map(|(name, _)| *name).collect();
    parse(source)?.bind(&names, &Rule::Numpy)
}

fn eval(source: &str) -> Result<HostTensor> {
    let tensors: Vec<_> = inputs().into_iter().map(|(_, t)| t).collect();
    reference::run(&lowered(source)?, &tensors).map_err(with_hint)
}

/// Elements as f64.
fn numbers(tensor: &HostTensor) -> Vec<f64> {
    let size = tensor.dtype.size();
    tensor
        .bytes
        .chunks(size)
        .map(|b| match tensor.dtype {
            DType::Bool | DType::U8 => f64::from(b[0]),
            DType::F16 => half::f16::from_le_bytes([b[0], b[1]]).to_f64(),
            DType::I32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            _ => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
        })
        .collect()
}

/// A source, the type and shape of its result, and its elements, as NumPy has them.
struct Case(&'static str, DType, &'static [usize], &'static [f64]);

fn check(cases: &[Case]) {
    let mut failures = Vec::new();
    for Case(source, dtype, shape, expected) in cases {
        match eval(source) {
            Err(e) => failures.push(format!("{source}: {e}")),
            Ok(t) => {
                let same = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-6 * b.abs() || a == b || a.is_nan() && b.is_nan();
                let found = numbers(&t);
                let fits = found.len() == expected.len() && found.iter().zip(*expected).all(same);
                if t.dtype != *dtype || t.layout.shape().extents() != *shape || !fits {
                    failures.push(format!("{source}: {} {} {found:?}", t.dtype, t.layout.shape()));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn precedence_is_pythons() {
    use DType::*;
    check(&[
        Case("row + two[0] * 2", F32, &[3], &[24.0, 34.0, 44.0]),
        Case("-row ** 2", F32, &[3], &[-100.0, -400.0, -900.0]),
        Case("(-row) ** 2", F32, &[3], &[100.0, 400.0, 900.0]),
        Case("s ** -s", F32, &[], &[0.25]),
        Case("s ** 3 ** 2", F32, &[], &[512.0]),
        Case("(s ** 3) ** 2", F32, &[], &[64.0]),
        Case("s ** -1 * 8", F32, &[], &[4.0]),
        Case("s ** -s ** 2", F32, &[], &[0.0625]),
        Case("100 - s - 3", F32, &[], &[95.0]),
        Case("100 - (s - 3)", F32, &[], &[101.0]),
        Case("100 / s / 5", F32, &[], &[10.0]),
        Case("100 / s * 5", F32, &[], &[250.0]),
        Case("7 // s * 2 % 4", F32, &[], &[2.0]),
        Case("i // 2", I32, &[3], &[-4.0, 1.0, 4.0]),
        Case("i % j", I32, &[3], &[1.0, -1.0, 1.0]),
        Case("i / j", F32, &[3], &[-3.5, -2.0 / 3.0, 2.25]),
        Case("i + 1 & 6", I32, &[3], &[2.0, 2.0, 2.0]),
        Case("i ^ j & 3", I32, &[3], &[-5.0, 3.0, 9.0]),
        Case("i | j ^ 3", I32, &[3], &[-7.0, -2.0, 15.0]),
        Case("~i & 3", I32, &[3], &[2.0, 1.0, 2.0]),
        Case("-i % 4", I32, &[3], &[3.0, 2.0, 3.0]),
        Case("~-i", I32, &[3], &[-8.0, 1.0, 8.0]),
        Case("i & 1 == 1", Bool, &[3], &[1.0, 0.0, 1.0]),
        Case("(i > 0) & (j < 0)", Bool, &[3], &[0.0, 1.0, 0.0]),
        Case("i + 1 > 2 + j", Bool, &[3], &[0.0, 1.0, 1.0]),
        Case("~b", Bool, &[3], &[0.0, 1.0, 0.0]),
        Case("b | (i == 2)", Bool, &[3], &[1.0, 1.0, 1.0]),
        Case("row[0] - -row[1]", F32, &[], &[30.0]),
        Case("+-+s", F32, &[], &[-2.0]),
        Case("row.T ** 2", F32, &[3], &[100.0, 400.0, 900.0]),
        Case("-row[0]", F32, &[], &[-10.0]),
        Case("u + u", U8, &[2], &[144.0, 200.0]),
    ]);
}

#[test]
fn numbers_are_pythons() {
    use DType::F32;
    check(&[
        Case("s + 1e-5", F32, &[], &[2.00001]),
        Case("s * 1_000", F32, &[], &[2000.0]),
        Case("s * 0x10", F32, &[], &[32.0]),
        Case("s * 0b101 + 0o17", F32, &[], &[25.0]),
        Case("s * .5 + 1.", F32, &[], &[2.0]),
        Case("s * 1.5E+2", F32, &[], &[300.0]),
        Case("s * 1_0.2_5e0_1", F32, &[], &[205.0]),
        Case("s * pi / e", F32, &[], &[2.311_454_7]),
        Case("s * inf", F32, &[], &[f64::INFINITY]),
        Case("s * nan", F32, &[], &[f64::NAN]),
        Case("s + True", F32, &[], &[3.0]),
        Case("s * 2 ** 0.5 ** 2", F32, &[], &[2.378_414_2]),
        Case("where(b, 1.5, 2) * s", F32, &[3], &[3.0, 4.0, 3.0]),
    ]);
}

#[test]
fn functions_have_numpys_names() {
    use DType::*;
    check(&[
        Case("subtract(row, s)", F32, &[3], &[8.0, 18.0, 28.0]),
        Case("np.multiply(row, numpy.add(s, 1))", F32, &[3], &[30.0, 60.0, 90.0]),
        Case("true_divide(i, j)", F32, &[3], &[-3.5, -2.0 / 3.0, 2.25]),
        Case("floor_divide(i, 2)", I32, &[3], &[-4.0, 1.0, 4.0]),
        Case("remainder(i, j)", I32, &[3], &[1.0, -1.0, 1.0]),
        Case("fmod(i, j)", I32, &[3], &[-1.0, 2.0, 1.0]),
        Case("absolute(i) + abs(j)", I32, &[3], &[9.0, 5.0, 13.0]),
        Case("negative(i)", I32, &[3], &[7.0, -2.0, -9.0]),
        Case("rint(row / 4)", F32, &[3], &[2.0, 5.0, 8.0]),
        Case("power(s, 3)", F32, &[], &[8.0]),
        Case("square(row)", F32, &[3], &[100.0, 400.0, 900.0]),
        Case("max(row, i, 15)", F32, &[3], &[15.0, 20.0, 30.0]),
        Case("min(row, i)", F32, &[3], &[-7.0, 2.0, 9.0]),
        Case("mean(row, s, 0)", F32, &[3], &[4.0, 22.0 / 3.0, 32.0 / 3.0]),
        Case("sum(x, row, col)", F32, &[2, 3], &[111.0, 122.0, 133.0, 214.0, 225.0, 236.0]),
        Case("clip(i, -1, 5)", I32, &[3], &[-1.0, 2.0, 5.0]),
        Case("clip(i, None, 5)", I32, &[3], &[-7.0, 2.0, 5.0]),
        Case("clip(i, min=0)", I32, &[3], &[0.0, 2.0, 9.0]),
        Case("clip(i, 0, max=5)", I32, &[3], &[0.0, 2.0, 5.0]),
        Case("i.clip(a_min=0, a_max=5)", I32, &[3], &[0.0, 2.0, 5.0]),
        Case("where(row > 15, row, -row)", F32, &[3], &[-10.0, 20.0, 30.0]),
        Case("logical_not(b)", Bool, &[3], &[0.0, 1.0, 0.0]),
        Case("less_equal(i, 2)", Bool, &[3], &[1.0, 1.0, 0.0]),
        Case("isnan(row * nan)", Bool, &[3], &[1.0, 1.0, 1.0]),
        Case("invert(i)", I32, &[3], &[6.0, -3.0, -10.0]),
        Case("relu(i)", I32, &[3], &[0.0, 2.0, 9.0]),
        Case("prelu(i, 2)", I32, &[3], &[-14.0, 2.0, 9.0]),
        Case("sqrt(i[2])", F32, &[], &[3.0]),
        Case("sigmoid(0 * s)", F32, &[], &[0.5]),
    ]);
}

#[test]
fn every_row_of_the_op_table_has_its_name() {
    for op in crate::op::Op::all().filter(|op| *op != crate::op::Op::CAST) {
        assert_eq!(names::function(op.name), Some(op));
    }
}

#[test]
fn casts_take_both_kinds_of_names() {
    use DType::*;
    check(&[
        Case("row.astype(f16)", F16, &[3], &[10.0, 20.0, 30.0]),
        Case("row.astype('float16') / 4", F16, &[3], &[2.5, 5.0, 7.5]),
        Case("i.astype(np.float32)", F32, &[3], &[-7.0, 2.0, 9.0]),
        Case("cast(row, \"u8\") * 10", U8, &[3], &[100.0, 200.0, 44.0]),
        Case("uint8(row) * u8(10)", U8, &[3], &[100.0, 200.0, 44.0]),
        Case("i.astype(bool)", Bool, &[3], &[1.0, 1.0, 1.0]),
        Case("h * f32(0.1)", F32, &[2], &[0.1, -0.2]),
        Case("h * 0.5", F16, &[2], &[0.5, -1.0]),
    ]);
}

#[test]
fn views_are_basic_indexing() {
    use DType::F32;
    check(&[
        Case("x[0]", F32, &[3], &[1.0, 2.0, 3.0]),
        Case("x[-1, 1:]", F32, &[2], &[5.0, 6.0]),
        Case("x[::-1, ::-2]", F32, &[2, 2], &[6.0, 4.0, 3.0, 1.0]),
        Case("x[..., 0]", F32, &[2], &[1.0, 4.0]),
        Case("x[..., None, 0]", F32, &[2, 1], &[1.0, 4.0]),
        Case("two[:, None] + row", F32, &[2, 3], &[17.0, 27.0, 37.0, 18.0, 28.0, 38.0]),
        Case("two[:, np.newaxis] * s", F32, &[2, 1], &[14.0, 16.0]),
        Case("row[1:2,]", F32, &[1], &[20.0]),
        Case("row[-2:]", F32, &[2], &[20.0, 30.0]),
        Case("row[:-1:]", F32, &[2], &[10.0, 20.0]),
        Case("row[5:]", F32, &[0], &[]),
        Case("x.T", F32, &[3, 2], &[1.0, 4.0, 2.0, 5.0, 3.0, 6.0]),
        Case("x.T[1]", F32, &[2], &[2.0, 5.0]),
        Case("(x * 2)[1][0]", F32, &[], &[8.0]),
        Case("x.transpose(1, 0)[0]", F32, &[2], &[1.0, 4.0]),
        Case("x.transpose((-1, 0))[0]", F32, &[2], &[1.0, 4.0]),
        Case("x.transpose()[0]", F32, &[2], &[1.0, 4.0]),
        Case("transpose(x, axes=(1, 0))[0]", F32, &[2], &[1.0, 4.0]),
        Case("transpose(x)[0]", F32, &[2], &[1.0, 4.0]),
        Case("expand_dims(two, 1) + squeeze(col, axis=1)", F32, &[2, 2], &[107.0, 207.0, 108.0, 208.0]),
        Case("broadcast_to(row, (2, 3))", F32, &[2, 3], &[10.0, 20.0, 30.0, 10.0, 20.0, 30.0]),
        Case("broadcast_to(s, 2)", F32, &[2], &[2.0, 2.0]),
        Case("expand(row, (2, 1))", F32, &[2, 3], &[10.0, 20.0, 30.0, 10.0, 20.0, 30.0]),
        Case("expand(row, ())", F32, &[3], &[10.0, 20.0, 30.0]),
    ]);
}

#[test]
fn a_call_may_name_its_rule() {
    use DType::F32;
    check(&[
        Case("add(x, two, axis=0)", F32, &[2, 3], &[8.0, 9.0, 10.0, 12.0, 13.0, 14.0]),
        Case("add(x, row, axis=-1)", F32, &[2, 3], &[11.0, 22.0, 33.0, 14.0, 25.0, 36.0]),
        Case("add(x, two, rule='pdpd', axis=0)[0]", F32, &[3], &[8.0, 9.0, 10.0]),
        Case("prelu(-x, row, rule='uni')[1]", F32, &[3], &[-40.0, -100.0, -180.0]),
        Case("mul(row, row, rule=none)", F32, &[3], &[100.0, 400.0, 900.0]),
    ]);
    for source in ["add(x, row, rule='none')", "add(row, x, rule='uni')", "add(x, two, axis=1)", "add(x, two)"] {
        assert!(matches!(eval(source), Err(Error::At { column: 1, .. })), "{source}");
    }
}

#[test]
fn numbers_join_steps_under_any_default_rule() {
    let x = f32s([2], &[3.0, 4.0]);
    for rule in [Rule::None, Rule::Unidirectional, Rule::Pdpd { axis: -1 }, Rule::Pdpd { axis: 0 }] {
        let expr = parse("1 - x * 2 + x").unwrap().bind(&["x"], &rule).unwrap();
        assert_eq!(numbers(&reference::run(&expr, std::slice::from_ref(&x)).unwrap()), [-2.0, -3.0], "{rule}");
    }
    let sum = parse("x + y").unwrap().bind(&["x", "y"], &Rule::None).unwrap();
    assert!(matches!(reference::run(&sum, &[x, f32s([], &[1.0])]), Err(Error::At { column: 3, .. })));
}

#[test]
fn inputs_shadow_constants_and_keep_their_order() {
    let parsed = parse("pi * b + a * e - b + exp(c)").unwrap();
    assert_eq!(parsed.names(), ["b", "a", "c"]);
    assert!(parsed.uses("pi") && parsed.uses("a") && !parsed.uses("exp"));
    let expr = parse("e + pi").unwrap().bind(&["e"], &Rule::Numpy).unwrap();
    let sum = reference::run(&expr, &[f32s([], &[1.0])]).unwrap();
    assert_eq!(numbers(&sum), [f64::from(1.0f32 + std::f32::consts::PI)]);
    let swapped = parsed.lower(|n| ["a", "b", "c"].iter().position(|&m| m == n), &Rule::Numpy).unwrap();
    let one = |v: f32| f32s([], &[v]);
    assert_eq!(
        reference::run(&swapped, &[one(0.0), one(1.0), one(0.0)]).unwrap(),
        one(std::f32::consts::PI - 1.0 + 1.0)
    );
}

/// A source, the column of its error, and words of its message.
struct Broken(&'static str, usize, &'static str);

#[test]
fn errors_point_at_the_column_and_say_what_to_do() {
    let cases = [
        Broken("", 1, "empty"),
        Broken("  ", 1, "empty"),
        Broken("x +", 4, "ends where an operand"),
        Broken("x + * 2", 5, "`*` was found"),
        Broken("(x + 1", 7, "`)`"),
        Broken("x + 1)", 6, "the end was expected"),
        Broken("x row", 3, "without an operator"),
        Broken("2x", 2, "product is written with *"),
        Broken("2 x", 3, "product is written with *"),
        Broken("x(2)", 1, "not a function"),
        Broken("(x)(2)", 4, "only a function can be called"),
        Broken("x and row", 3, "write &"),
        Broken("x or row", 3, "write |"),
        Broken("not x", 1, "write ~"),
        Broken("x > 0 and b", 7, "write &"),
        Broken("x if b else row", 3, "where(condition"),
        Broken("1 < x < 3", 7, "do not chain"),
        Broken("x == row != 3", 10, "do not chain"),
        Broken("y = x", 3, "=="),
        Broken("x && b", 3, "write &"),
        Broken("!x", 1, "written ~"),
        Broken("x << 2", 3, "shifts"),
        Broken("x @ row", 3, "matrix"),
        Broken("x ^ 2.5", 3, "written **"),
        Broken("x ^ 2", 3, "written **"),
        Broken("x > 0 & row > 1", 13, "do not chain"),
        Broken("x & row", 3, "(a > 0) & (b > 0)"),
        Broken("s.astype(f31)", 10, "not an element type"),
        Broken("x.astype(2)", 10, "an element type was expected"),
        Broken("x.shape", 3, "cannot be asked"),
        Broken("sum(x)", 1, "no reductions"),
        Broken("x * max(x)", 5, "no reductions"),
        Broken("sum(x, axis=0)", 1, "no reductions"),
        Broken("x.mean()", 3, "no reductions"),
        Broken("std(x)", 1, "no reductions"),
        Broken("exq(x)", 1, "did you mean `exp`"),
        Broken("exp(x, row)", 1, "takes 1 operands"),
        Broken("where(b, x)", 1, "takes 3 operands"),
        Broken("exp(x, axis=0)", 8, "has only one"),
        Broken("add(x, row, axis=x)", 18, "whole number"),
        Broken("add(x, row, rule='foo')", 13, "none, numpy, uni, pdpd"),
        Broken("add(x, row, rule='none', axis=1)", 26, "belongs to rule='pdpd'"),
        Broken("add(x, row, keepdims=True)", 13, "has no keepdims="),
        Broken("x + rows", 5, "did you mean `row`?"),
        Broken("x + zzzzzz", 5, "the inputs are x, row"),
        Broken("x + exp", 5, "needs operands: exp(...)"),
        Broken("x[b]", 3, "where(mask"),
        Broken("x[]", 3, "no index"),
        Broken("x[0", 4, "`]`"),
        Broken("x[1.5]", 3, "no index"),
        Broken("x[::0]", 5, "must not be 0"),
        Broken("x[0, 0, 0]", 2, "3 indices were given for 2 axes"),
        Broken("x[2]", 2, "out of range"),
        Broken("x.transpose(0, 2)", 13, "each axis once"),
        Broken("broadcast_to(x, (2, -3))", 17, "0 or more"),
        Broken("(x, row)", 3, "tuple"),
        Broken("[1, 2] + x", 1, "list"),
        Broken("x + 'a'", 5, "text"),
        Broken("x + 'a", 5, "closing"),
        Broken("1j * x", 2, "complex"),
        Broken("0x * x", 1, "digits"),
        Broken("x * 007", 5, "begin with 0"),
        Broken("x $ 2", 3, "`$`"),
        Broken("x × 2", 3, "written *"),
        Broken("größe + x", 1, "unknown name `größe`"),
        Broken("x + ü", 5, "unknown name"),
        Broken("None + x", 1, "index"),
        Broken("clip(x)", 1, "lower and an upper"),
        Broken("clip(x, 1, min=0)", 1, "twice"),
        Broken("x + two", 3, "axis 1 has extents 3 and 2"),
        Broken("u + 300", 3, "out of range"),
        Broken("x * 99999999999999999999999999999999999999999999", 5, "larger than any integer"),
    ];
    let mut failures = Vec::new();
    for Broken(source, column, words) in cases {
        let Err(error) = eval(source) else {
            failures.push(format!("{source}: no error"));
            continue;
        };
        let found = match &error {
            Error::Syntax { column, .. } | Error::UnknownName { column, .. } | Error::At { column, .. } => *column,
            _ => 0,
        };
        if found != column || !error.to_string().contains(words) {
            failures.push(format!("{source}: expected column {column} and `{words}`: {error}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn deep_nesting_is_an_error_not_an_overflow() {
    for (open, close) in [("(", ")"), ("-", ""), ("exp(", ")"), ("x**", ""), ("x+(", ")"), ("x[", "]"), ("clip(", ")")]
    {
        let source = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
        assert!(matches!(parse(&source), Err(Error::Syntax { .. })), "{open}");
    }
    let fine = format!("{}s{}", "(".repeat(150), ")".repeat(150));
    assert!(eval(&fine).is_ok());
}

#[test]
fn chains_of_ten_thousand_terms_work() {
    let sum = format!("s{}", " + s".repeat(10_000));
    assert_eq!(numbers(&eval(&sum).unwrap()), [20_002.0]);
    let views = format!("s{}", "[None][0]".repeat(5_000));
    assert_eq!(numbers(&eval(&views).unwrap()), [2.0]);
}

/// Parses, binds, promotes and types a source without running it.
fn try_all(source: &str) {
    if let Ok(expr) = lowered(source) {
        let tensors: Vec<_> = inputs().into_iter().map(|(_, t)| t).collect();
        if let Ok(typed) = expr.promoted(Promotion::F32, |&i| Ok(tensors[i].dtype)) {
            let slot = |i: usize| Ok((tensors[i].dtype, tensors[i].layout.shape().clone()));
            let _ = crate::expr::Graph::new(&[typed], slot);
        }
    }
}

const VALID: &[&str] = &[
    "(x - row) / sqrt(col + 1e-5) * s + 0x10",
    "where(b, i ** 2, -j % 3)[..., None, ::-1].astype(f16)",
    "add(x, two, axis=0) + broadcast_to(row, (2, 3)).T[1:, -1]",
    "clip(i, min=None, max=5) // 2 | ~i & 1_000 ^ 3",
    "max(x, row, rule='numpy') <= x.transpose((1, 0)).T",
];

proptest! {
    #[test]
    fn no_text_panics(source in "\\PC{0,40}") {
        try_all(&source);
    }

    #[test]
    fn no_mixture_of_tokens_panics(
        parts in prop::collection::vec(prop::sample::select(vec![
            "x", "row", "s", "i", "b", "1", "-2", "0.5", "9999999999999", "+", "-", "*", "/", "//", "%", "**", "&", "|",
            "^", "~", "<", "==", "(", ")", "[", "]", ",", ":", "...", ".", "T", "None", "exp(", "where(", "max(", "clip(",
            ".astype(", "f16", "'u8'", "axis=", "rule=", "transpose(", "broadcast_to(", "squeeze(", "=", "pi", "and",
        ]), 0..24),
        gap: bool,
    ) {
        try_all(&parts.join(if gap { " " } else { "" }));
    }

    #[test]
    fn no_change_to_a_valid_text_panics(
        which in 0..VALID.len(), at in 0usize..60, drop in 0usize..4, insert in "[-x0-9.,:()\\[\\]*'=e_ ]{0,4}",
    ) {
        let chars: Vec<char> = VALID[which].chars().collect();
        let at = at.min(chars.len());
        let end = (at + drop).min(chars.len());
        let source: String = chars[..at].iter().copied().chain(insert.chars()).chain(chars[end..].iter().copied()).collect();
        try_all(&source);
    }
}

#[test]
fn valid_texts_stay_valid() {
    for source in VALID {
        lowered(source).unwrap();
    }
}
