mod axes;
mod errors;
mod joined;
mod language;
mod numbers;
mod own;
mod reduced_types;
mod reductions;
mod robust;
mod rules;
mod scans;
mod views;

use super::*;
use crate::expr::Expr;
use crate::host::HostTensor;
use crate::reference;
use crate::rule::Rule;
use crate::shape::Shape;

const NAN: f32 = f32::NAN;

fn of<T: bytemuck::Pod>(dtype: DType, shape: impl Into<Shape>, data: &[T]) -> HostTensor {
    HostTensor::new(dtype, shape, bytemuck::cast_slice(data).to_vec()).unwrap()
}

fn f32s(shape: impl Into<Shape>, data: &[f32]) -> HostTensor {
    of(DType::F32, shape, data)
}

fn i32s(shape: impl Into<Shape>, data: &[i32]) -> HostTensor {
    of(DType::I32, shape, data)
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
        (
            "h",
            HostTensor::new(DType::F16, [2], vec![0x00, 0x3c, 0x00, 0xc0]).unwrap(),
        ),
        (
            "b",
            HostTensor::new(DType::Bool, [3], vec![1, 0, 1]).unwrap(),
        ),
        (
            "u",
            HostTensor::new(DType::U8, [2], vec![200, 100]).unwrap(),
        ),
        ("n", f32s([2, 3], &[1.0, NAN, 3.0, NAN, NAN, NAN])),
        (
            "t",
            of(DType::I16, [2, 2, 2], &[-3i16, 5, 0, 2, 7, -1, 0, 4]),
        ),
        ("d", of(DType::F64, [3], &[0.5f64, 1.5, 4.0])),
    ]
}

/// What is known of these inputs.
fn known(tensors: &[HostTensor]) -> impl Fn(usize) -> (DType, Shape) {
    |i| (tensors[i].dtype, tensors[i].layout.shape().clone())
}

fn lowered(source: &str) -> Result<Expr<usize>> {
    let (names, tensors): (Vec<&str>, Vec<HostTensor>) = inputs().into_iter().unzip();
    parse(source)?.bind_to(&names, known(&tensors), &Rule::Numpy)
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
            DType::I8 => f64::from(b[0].cast_signed()),
            DType::F16 => half::f16::from_le_bytes([b[0], b[1]]).to_f64(),
            DType::I16 => f64::from(i16::from_le_bytes([b[0], b[1]])),
            DType::I32 => f64::from(i32::from_le_bytes([b[0], b[1], b[2], b[3]])),
            DType::I64 => bytemuck::pod_read_unaligned::<i64>(b) as f64,
            DType::U64 => bytemuck::pod_read_unaligned::<u64>(b) as f64,
            DType::F64 => bytemuck::pod_read_unaligned(b),
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
                let same = |(a, b): (&f64, &f64)| {
                    (a - b).abs() <= 1e-6 * b.abs() || a == b || a.is_nan() && b.is_nan()
                };
                let found = numbers(&t);
                let fits = found.len() == expected.len() && found.iter().zip(*expected).all(same);
                if t.dtype != *dtype || t.layout.shape().extents() != *shape || !fits {
                    failures.push(format!(
                        "{source}: {} {} {found:?}",
                        t.dtype,
                        t.layout.shape()
                    ));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_keyword_given_twice_is_an_error() {
    for source in [
        "clip(x, min=maximum(x, b) + 1, min=b)",
        "add(x, b, axis=0, axis=1)",
        "add(x, b, rule='none', rule='numpy')",
    ] {
        assert!(
            matches!(parse(source), Err(Error::Syntax { .. })),
            "{source}"
        );
    }
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
        Case(
            "np.multiply(row, numpy.add(s, 1))",
            F32,
            &[3],
            &[30.0, 60.0, 90.0],
        ),
        Case("true_divide(i, j)", F32, &[3], &[-3.5, -2.0 / 3.0, 2.25]),
        Case("floor_divide(i, 2)", I32, &[3], &[-4.0, 1.0, 4.0]),
        Case("remainder(i, j)", I32, &[3], &[1.0, -1.0, 1.0]),
        Case("fmod(i, j)", I32, &[3], &[-1.0, 2.0, 1.0]),
        Case("absolute(i) + abs(j)", I32, &[3], &[9.0, 5.0, 13.0]),
        Case("negative(i)", I32, &[3], &[7.0, -2.0, -9.0]),
        Case("rint(row / 4)", F32, &[3], &[2.0, 5.0, 8.0]),
        Case("power(s, 3)", F32, &[], &[8.0]),
        Case("square(row)", F32, &[3], &[100.0, 400.0, 900.0]),
        Case("clip(i, -1, 5)", I32, &[3], &[-1.0, 2.0, 5.0]),
        Case("clip(i, None, 5)", I32, &[3], &[-7.0, 2.0, 5.0]),
        Case("clip(i, min=0)", I32, &[3], &[0.0, 2.0, 9.0]),
        Case("clip(i, 0, max=5)", I32, &[3], &[0.0, 2.0, 5.0]),
        Case("i.clip(a_min=0, a_max=5)", I32, &[3], &[0.0, 2.0, 5.0]),
        Case("clip(x=i, lo=0, hi=5)", I32, &[3], &[0.0, 2.0, 5.0]),
        Case("i.add_n(i, i)", I32, &[3], &[-21.0, 6.0, 27.0]),
        Case(
            "add(i, i, out=None, where=True, order='K', dtype=None)",
            I32,
            &[3],
            &[-14.0, 4.0, 18.0],
        ),
        Case(
            "where(row > 15, row, -row)",
            F32,
            &[3],
            &[-10.0, 20.0, 30.0],
        ),
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
    for op in crate::op::Op::all().filter(|op| !op.takes_dtype()) {
        assert_eq!(names::function(op.name()), Some(op));
    }
}

#[test]
fn casts_take_both_kinds_of_names() {
    use DType::*;
    check(&[
        Case("row.astype(f16)", F16, &[3], &[10.0, 20.0, 30.0]),
        Case("row.astype('float16') / 4", F16, &[3], &[2.5, 5.0, 7.5]),
        Case("i.astype(np.float32)", F32, &[3], &[-7.0, 2.0, 9.0]),
        Case("cast(row, \"uint8\") * 10", U8, &[3], &[100.0, 200.0, 44.0]),
        Case("uint8(row) * u8(10)", U8, &[3], &[100.0, 200.0, 44.0]),
        Case("i.astype(bool)", Bool, &[3], &[1.0, 1.0, 1.0]),
        Case("h * f32(0.1)", F32, &[2], &[0.1, -0.2]),
        Case("h * f32(-0.1 * 2)", F32, &[2], &[-0.2, 0.4]),
        Case("i + i32(2 - 3)", I32, &[3], &[-8.0, 1.0, 8.0]),
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
        Case(
            "two[:, None] + row",
            F32,
            &[2, 3],
            &[17.0, 27.0, 37.0, 18.0, 28.0, 38.0],
        ),
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
        Case(
            "expand_dims(two, 1) + squeeze(col, axis=1)",
            F32,
            &[2, 2],
            &[107.0, 207.0, 108.0, 208.0],
        ),
        Case(
            "broadcast_to(row, (2, 3))",
            F32,
            &[2, 3],
            &[10.0, 20.0, 30.0, 10.0, 20.0, 30.0],
        ),
        Case("broadcast_to(s, 2)", F32, &[2], &[2.0, 2.0]),
        Case(
            "expand(row, (2, 1))",
            F32,
            &[2, 3],
            &[10.0, 20.0, 30.0, 10.0, 20.0, 30.0],
        ),
        Case("expand(row, ())", F32, &[3], &[10.0, 20.0, 30.0]),
    ]);
}

#[test]
fn bools_are_small_integers_where_an_operator_takes_no_bools() {
    check(&[
        Case("b // b[::-1]", DType::I8, &[3], &[1.0, 0.0, 1.0]),
        Case("b ** ~b", DType::I8, &[3], &[1.0, 0.0, 1.0]),
        Case("b << b", DType::I8, &[3], &[2.0, 0.0, 2.0]),
        Case("b % b", DType::I8, &[3], &[0.0, 0.0, 0.0]),
        Case("b + b", DType::Bool, &[3], &[1.0, 0.0, 1.0]),
    ]);
}

#[test]
fn inputs_shadow_constants_and_keep_their_order() {
    let parsed = parse("pi * b + a * e - b + exp(c)").unwrap();
    assert_eq!(parsed.names(), ["b", "a", "c"]);
    assert!(parsed.uses("pi") && parsed.uses("a") && !parsed.uses("exp"));
    let expr = parse("e + pi").unwrap().bind(&["e"], &Rule::Numpy).unwrap();
    let sum = reference::run(&expr, &[f32s([], &[1.0])]).unwrap();
    assert_eq!(numbers(&sum), [f64::from(1.0f32 + std::f32::consts::PI)]);
    let swapped = parsed.bind(&["a", "b", "c"], &Rule::Numpy).unwrap();
    let one = |v: f32| f32s([], &[v]);
    assert_eq!(
        reference::run(&swapped, &[one(0.0), one(1.0), one(0.0)]).unwrap(),
        one(std::f32::consts::PI - 1.0 + 1.0)
    );
}

#[test]
fn a_part_written_twice_is_one_node() {
    let expr = lowered("(x - row) ** 2 / (x - row) ** 2 + x").unwrap();
    // x, row, the difference, its square, the quotient, the sum.
    assert_eq!(Expr::post_order(&[expr]).len(), 6);
    assert_eq!(
        Expr::post_order(&[lowered("add(x, x, axis=0) + (x + x)").unwrap()]).len(),
        4
    );
    // So are numbers, and arrays made of the same ones.
    for (text, nodes) in [
        ("arange(3) + arange(3)", 7),
        ("arange(3) + arange(4)", 13),
        ("x * 0.5 + x * 0.5", 4),
    ] {
        let expr = lowered(text).unwrap();
        assert_eq!(Expr::post_order(&[expr]).len(), nodes, "{text}");
    }
}
