//! Sums and roundings of floats.

use zerostride::{DType, Expr, HostTensor};

use crate::common::{all, check};

#[test]
fn half_types_round_every_sum_to_nearest_even() {
    // 2048 + 1 and 2050 + 1 are ties of f16, 256 + 1 and 258 + 1 of bf16.
    let f16 = |x: f32| half::f16::from_f32(x).to_bits();
    let bf16 = |x: f32| half::bf16::from_f32(x).to_bits();
    let host = |dtype, bits: &[u16]| {
        HostTensor::new(
            dtype,
            [bits.len()],
            bits.iter().flat_map(|b| b.to_le_bytes()).collect(),
        )
        .unwrap()
    };
    let sum = Expr::slot(0).add(Expr::slot(1));
    let cases = [
        (
            DType::F16,
            [f16(2048.0), f16(2050.0)],
            [f16(1.0), f16(1.0)],
            [f16(2048.0), f16(2052.0)],
        ),
        (
            DType::Bf16,
            [bf16(256.0), bf16(258.0)],
            [bf16(1.0), bf16(1.0)],
            [bf16(256.0), bf16(260.0)],
        ),
        (
            DType::F16,
            [0x7bff, 0x0001],
            [f16(16.0), 0x0001],
            [0x7c00, 0x0002],
        ),
    ];
    all(cases.map(|(dtype, a, b, expected)| {
        let inputs = [host(dtype, &a), host(dtype, &b)];
        let found = crate::common::on_adapter(&sum, &inputs).map_err(|e| e.to_string())?;
        crate::common::compare(
            &format!("{dtype} {a:x?} + {b:x?}"),
            &found,
            &host(dtype, &expected),
            0.0,
        )
    }));
}

#[test]
fn sums_are_computed_as_they_are_written() {
    // A driver that treats float addition as associative gives 0 for x - x, and x for (x + 1e8) -
    // 1e8.
    let f32s = |v: &[f32]| {
        let bytes = v.iter().flat_map(|x| x.to_le_bytes()).collect();
        HostTensor::new(DType::F32, [v.len()], bytes).unwrap()
    };
    let (inf, nan) = (f32::INFINITY, f32::NAN);
    let inputs = [
        f32s(&[inf, nan, 1.0, 5.0, 1e8, -inf, 0.1, 3e38]),
        f32s(&[1.0, 2.0, 1e8, 1e8, 1.0, inf, 0.2, 3e38]),
        f32s(&[0.0, 1.0, -1e8, 3.0, -1.0, -inf, 0.3, -3e38]),
    ];
    let [x, y, z] = [0, 1, 2].map(Expr::slot);
    let big = || Expr::scalar(1e8f32);
    let one = || Expr::scalar(1.0f32);
    // Zeros that a compiler can see.
    let whole = z.cast(DType::I32);
    let none = whole.sub(&whole);
    let cases = [
        ("x - x", x.sub(&x)),
        ("1 - x + x", one().sub(&x).add(&x)),
        ("(x + 1e8) - 1e8", x.add(big()).sub(big())),
        ("x * y + x * z", x.mul(&y).add(x.mul(&z))),
        ("x + y - y", x.add(&y).sub(&y)),
        ("x / y * y", x.div(&y).mul(&y)),
        ("y + (x - y)", y.add(x.sub(&y))),
        (
            "x * z + y * z - (x + y) * z",
            x.mul(&z).add(y.mul(&z)).sub(x.add(&y).mul(&z)),
        ),
        ("f16(x) - x", x.cast(DType::F16).cast(DType::F32).sub(&x)),
        ("isnan(x - x)", x.sub(&x).is_nan()),
        (
            "1 / (1 / x)",
            x.mul(Expr::scalar(1e-30f32)).reciprocal().reciprocal(),
        ),
        ("sqrt(x) * sqrt(x)", x.sqrt().mul(x.sqrt())),
        ("sqrt(x * x)", x.mul(&x).sqrt()),
        ("x * f32(i - i)", x.mul(none.cast(DType::F32))),
        ("x / f32(i - i)", x.div(none.cast(DType::F32))),
        (
            "x + bf16(i ^ i) * y",
            x.add(
                whole
                    .bit_xor(&whole)
                    .cast(DType::Bf16)
                    .cast(DType::F32)
                    .mul(&y),
            ),
        ),
        ("x * f32(y < y)", x.mul(whole.less(&whole).cast(DType::F32))),
    ];
    all(cases
        .into_iter()
        .map(|(what, expr)| check(what, &expr, &inputs, 0.0)));
}

#[test]
fn the_probe_for_subnormals_says_what_sums_do() {
    let context = crate::common::context();
    let flushes = context.flushes_subnormals_blocking().unwrap();
    let small = context.tensor(&[f32::from_bits(0x0040_0000)], [1]).unwrap();
    let zero = context.tensor(&[0f32], [1]).unwrap();
    let sum = small.add(&zero).unwrap().read_blocking::<f32>().unwrap();
    assert_eq!(sum[0] == 0.0, flushes, "{sum:?}");
    // What touches bits alone keeps them everywhere.
    assert_eq!(
        small.neg().unwrap().read_blocking::<f32>().unwrap()[0].to_bits(),
        0x8040_0000
    );
    let halves = small.cast(DType::F64).unwrap().cast(DType::F32).unwrap();
    assert_eq!(
        halves.read_blocking::<f32>().unwrap()[0].to_bits(),
        0x0040_0000
    );
}

#[test]
fn arguments_near_the_ends_of_f32_agree() {
    let f32s = |v: &[f32]| {
        HostTensor::new(
            DType::F32,
            [v.len()],
            v.iter().flat_map(|x| x.to_le_bytes()).collect(),
        )
        .unwrap()
    };
    let [x, y] = [0, 1].map(Expr::slot);
    let largest = [3.4e38, f32::MAX, -3.4e38, f32::MAX, f32::MIN, 1e38];
    let by = [-3e37, -3.3e38, 2e38, 1.5, 3e38, -1e38];
    let large = [1e29, -1e35, 3e38, 1e20, 5.0, -1e30];
    let factor = [-1.3e-27, 1e-33, -3e-37, -1e-18, -30.0, 1.6e-28];
    let roots = [
        f32::from_bits(0x3f7f_ffff),
        f32::MAX,
        f32::MIN_POSITIVE,
        f32::from_bits(0x3f80_0001),
    ];
    all([
        check("//", &x.floor_div(&y), &[f32s(&largest), f32s(&by)], 0.0),
        check("swish", &x.swish(&y), &[f32s(&large), f32s(&factor)], 4.0),
        check("sqrt", &x.sqrt(), &[f32s(&roots)], 0.0),
    ]);
}
