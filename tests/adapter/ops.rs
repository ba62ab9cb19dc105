//! Every operator on every type it takes, and every cast, with special values.

use zerostride::op::{Arity, Op};
use zerostride::{DType, Expr, HostTensor, Scalar};

use crate::common::{COMPUTABLE, Random, all, check};

/// Bounds in ULP: operator, f32, f16 and bf16. What is not named is exact.
const BOUNDS: &[(&str, f64, f64)] = &[
    // WGSL allows 2.5 ULP for a division.
    ("div", 3.0, 1.0),
    ("reciprocal", 3.0, 1.0),
    ("mean_n", 3.0, 1.0),
    ("sqrt", 3.0, 1.0),
    ("floor_div", 2.0, 1.0),
    ("exp", 4.0, 1.0),
    ("log", 4.0, 1.0),
    ("pow", 4.0, 1.0),
    ("tanh", 4.0, 1.0),
    ("sigmoid", 4.0, 1.0),
    ("exp2", 4.0, 1.0),
    ("expm1", 4.0, 1.0),
    ("log2", 4.0, 1.0),
    ("log10", 4.0, 1.0),
    ("log1p", 4.0, 1.0),
    ("sin", 4.0, 1.0),
    ("cos", 4.0, 1.0),
    ("tan", 4.0, 1.0),
    ("asin", 4.0, 1.0),
    ("acos", 4.0, 1.0),
    ("atan", 4.0, 1.0),
    ("sinh", 4.0, 1.0),
    ("cosh", 4.0, 1.0),
    ("asinh", 4.0, 1.0),
    ("acosh", 4.0, 1.0),
    ("atanh", 4.0, 1.0),
    ("erf", 4.0, 1.0),
    ("softplus", 4.0, 1.0),
    ("gelu", 4.0, 1.0),
    ("gelu_tanh", 4.0, 1.0),
    ("mish", 4.0, 1.0),
    ("softsign", 4.0, 1.0),
    ("hard_swish", 4.0, 1.0),
    ("hard_sigmoid", 4.0, 1.0),
    ("elu", 4.0, 1.0),
    ("selu", 4.0, 1.0),
    ("celu", 4.0, 1.0),
    ("swish", 4.0, 1.0),
];

fn bound(op: Op, dtype: DType) -> f64 {
    let row = BOUNDS.iter().find(|(name, ..)| *name == op.name());
    row.map_or(0.0, |(_, single, half)| match dtype {
        DType::F32 => *single,
        DType::F16 | DType::Bf16 => *half,
        _ => 0.0,
    })
}

/// Values at the edges of a type. No subnormal f32 or bf16, which adapters may flush.
fn specials(dtype: DType) -> Vec<u64> {
    let f32s = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        3.0,
        -7.0,
        88.5,
        -87.0,
        8_388_609.0,
        16_777_216.0,
        1e10,
        -1e10,
        2_147_483_648.0,
        4_294_967_296.0,
        1.000_001,
        1e-20,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::MIN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
    ];
    let width = 8 * dtype.size() as u32;
    let top = 1u64 << (width - 1);
    match dtype {
        DType::Bool => vec![0, 1],
        DType::F32 => f32s.iter().map(|x| u64::from(x.to_bits())).collect(),
        DType::Bf16 => {
            let mut bits: Vec<u64> = f32s.iter().map(|x| u64::from(x.to_bits() >> 16)).collect();
            bits.push(0x7f81);
            bits
        }
        DType::F16 => vec![
            0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0xb800, 0x3e00, 0x4100, 0xc100, 0x4700, 0xc700,
            0x3c01, 0x0400, 0x0001, 0x8001, 0x03ff, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0x7d01,
            0x498c, 0xc98c, 0x6400, 0x6401,
        ],
        _ => vec![
            0,
            1,
            2,
            3,
            7,
            31,
            32,
            100,
            top - 1,
            top,
            top + 1,
            2 * (top - 1) - 1,
            2 * (top - 1) + 1,
        ],
    }
}

/// Operands whose elements are all pairs of special values, then random ones.
fn operands(random: &mut Random, dtypes: &[DType]) -> Vec<HostTensor> {
    const RANDOM: usize = 203;
    let lists: Vec<Vec<u64>> = dtypes.iter().map(|&d| specials(d)).collect();
    let pairs = lists[dtypes.len() - 1].len() * lists[dtypes.len().saturating_sub(2)].len();
    let mut tensors = Vec::new();
    for (k, (&dtype, list)) in dtypes.iter().zip(&lists).enumerate() {
        let mut bytes = Vec::new();
        for i in 0..pairs {
            let at = match dtypes.len() - 1 - k {
                0 => i % list.len(),
                1 => i / lists[k + 1].len() % list.len(),
                _ => random.below(list.len()),
            };
            bytes.extend_from_slice(&list[at].to_le_bytes()[..dtype.size()]);
        }
        bytes.extend(random.bytes(dtype, RANDOM, true));
        tensors.push(HostTensor::new(dtype, [pairs + RANDOM], bytes).unwrap());
    }
    tensors
}

fn slots(n: usize) -> Vec<Expr<usize>> {
    (0..n).map(Expr::slot).collect()
}

/// The types of an operator's operands, for every type it takes.
fn signatures(op: Op, operands: usize) -> Vec<Vec<DType>> {
    let dtypes = |d: DType| match op.is_select() {
        true => [vec![DType::Bool], vec![d; operands - 1]].concat(),
        false => vec![d; operands],
    };
    COMPUTABLE
        .iter()
        .map(|&d| dtypes(d))
        .filter(|all| op.result(all, Some(DType::F32)).is_ok())
        .collect()
}

#[test]
fn every_operator_agrees_on_every_type_it_takes() {
    let mut random = Random::new("operators");
    let mut reports = Vec::new();
    for op in Op::all().filter(|op| !op.takes_dtype()) {
        let Arity::Exactly(n) = op.arity() else {
            continue;
        };
        let signatures = signatures(op, n);
        assert!(!signatures.is_empty(), "{op} takes no type");
        for dtypes in signatures {
            let last = dtypes[n - 1];
            let mut inputs = operands(&mut random, &dtypes);
            // Parameters are ordinary numbers: with others a step has subnormals inside, which
            // adapters may flush.
            for (input, _) in inputs
                .iter_mut()
                .zip(op.operands())
                .filter(|(_, n)| ["alpha", "beta", "gamma"].contains(n))
            {
                let size = last.size();
                for element in input.bytes.chunks_exact_mut(size) {
                    let number = Scalar::of(last, 1.0 + random.below(300) as f64 / 100.0);
                    element.copy_from_slice(&number.bits.to_le_bytes()[..size]);
                }
            }
            let expr = Expr::step(op, slots(n));
            reports.push(check(
                &format!("{op} {last}"),
                &expr,
                &inputs,
                bound(op, last),
            ));
        }
    }
    all(reports);
}

/// Steps that work on whole words work on single elements too, as views and neighbours in an
/// expression demand it.
#[test]
fn steps_on_words_agree_with_steps_on_elements() {
    let mut random = Random::new("words");
    let mut reports = Vec::new();
    for dtype in [DType::Bool, DType::U8, DType::I8, DType::U16, DType::I16] {
        let by_words = |op: &Op| op.works_on_words(dtype);
        let mut inputs = operands(&mut random, &[DType::Bool, dtype, dtype, dtype]);
        // Every byte but 0 is true.
        for (i, byte) in inputs[0].bytes.iter_mut().enumerate() {
            *byte = byte.wrapping_mul(i as u8 | 1);
        }
        if dtype == DType::Bool {
            inputs[1].bytes.iter_mut().for_each(|byte| *byte *= 0x82);
        }
        let whole = if dtype == DType::Bool {
            DType::U8
        } else {
            dtype
        };
        let mut joined = Expr::slot(1).cast(whole);
        for op in Op::all().filter(by_words) {
            let Arity::Exactly(n) = op.arity() else {
                continue;
            };
            // Slot 0 is a condition.
            let first = usize::from(!op.is_select());
            let step = Expr::step(op, (first..first + n).map(Expr::slot).collect::<Vec<_>>());
            reports.push(check(
                &format!("{op} {dtype} on words"),
                &step,
                &inputs[..first + n],
                0.0,
            ));
            // An odd factor keeps every difference.
            joined = joined
                .mul(&Expr::scalar(Scalar::of(whole, 3.0)))
                .add(&step.cast(whole));
        }
        reports.push(check(
            &format!("all steps on words, {dtype}, on elements"),
            &joined,
            &inputs,
            0.0,
        ));
    }
    all(reports);
}

#[test]
fn variadic_operators_take_one_to_five_operands() {
    let mut random = Random::new("variadic");
    let mut reports = Vec::new();
    for op in Op::all().filter(|op| op.arity() == Arity::Variadic) {
        for n in 1..=5 {
            for dtypes in signatures(op, n) {
                // Every type once, every number of operands on two types.
                if n == 3 || [DType::F32, DType::I16].contains(&dtypes[0]) {
                    let inputs = operands(&mut random, &dtypes);
                    let what = format!("{op} of {n} {}", dtypes[0]);
                    reports.push(check(
                        &what,
                        &Expr::step(op, slots(n)),
                        &inputs,
                        bound(op, dtypes[0]),
                    ));
                }
            }
        }
    }
    all(reports);
}

#[test]
fn every_cast_agrees() {
    let mut random = Random::new("casts");
    let mut reports = Vec::new();
    for from in COMPUTABLE {
        for to in COMPUTABLE {
            let mut inputs = operands(&mut random, &[from]);
            if from == DType::Bool {
                // Every byte but 0 is true.
                inputs[0]
                    .bytes
                    .iter_mut()
                    .enumerate()
                    .for_each(|(i, b)| *b = (*b).wrapping_mul(i as u8 | 1));
            }
            reports.push(check(
                &format!("{from} to {to}"),
                &Expr::slot(0).cast(to),
                &inputs,
                0.0,
            ));
        }
    }
    all(reports);
}

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
    let sum = Expr::slot(0).add(&Expr::slot(1));
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
        ("(x + 1e8) - 1e8", x.add(&big()).sub(&big())),
        ("x * y + x * z", x.mul(&y).add(&x.mul(&z))),
        ("x + y - y", x.add(&y).sub(&y)),
        ("x / y * y", x.div(&y).mul(&y)),
        ("y + (x - y)", y.add(&x.sub(&y))),
        (
            "x * z + y * z - (x + y) * z",
            x.mul(&z).add(&y.mul(&z)).sub(&x.add(&y).mul(&z)),
        ),
        ("f16(x) - x", x.cast(DType::F16).cast(DType::F32).sub(&x)),
        ("isnan(x - x)", x.sub(&x).is_nan()),
        (
            "1 / (1 / x)",
            x.mul(&Expr::scalar(1e-30f32)).reciprocal().reciprocal(),
        ),
        ("sqrt(x) * sqrt(x)", x.sqrt().mul(&x.sqrt())),
        ("sqrt(x * x)", x.mul(&x).sqrt()),
        ("x * f32(i - i)", x.mul(&none.cast(DType::F32))),
        ("x / f32(i - i)", x.div(&none.cast(DType::F32))),
        (
            "x + bf16(i ^ i) * y",
            x.add(
                &whole
                    .bit_xor(&whole)
                    .cast(DType::Bf16)
                    .cast(DType::F32)
                    .mul(&y),
            ),
        ),
        (
            "x * f32(y < y)",
            x.mul(&whole.less(&whole).cast(DType::F32)),
        ),
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
