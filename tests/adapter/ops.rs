//! Every operator on every type it takes, and every cast, with special values.

use zerostride::{Arity, DType, Expr, HostTensor, Op, Scalar};

use crate::common::{COMPUTABLE, Random, Thinned, all, check};

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
    ("atan2", 4.0, 1.0),
    ("hypot", 4.0, 1.0),
    ("cbrt", 4.0, 1.0),
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
    ("hard_sigmoid", 0.0, 0.0),
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
    let mut some = Thinned::new(&mut random);
    let mut reports = Vec::new();
    for op in Op::table().filter(|op| !op.takes_dtype()) {
        let Arity::Exactly(n) = op.arity() else {
            continue;
        };
        let signatures = signatures(op, n);
        // Those of 64 bits are in `wide`.
        let is_wide = !signatures.is_empty() || op.accepts().contains(DType::U64);
        assert!(is_wide, "{op} takes no type");
        for dtypes in signatures.into_iter().filter(|_| some.takes()) {
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
        for op in Op::table().filter(by_words) {
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
                .mul(Expr::scalar(Scalar::of(whole, 3.0)))
                .add(step.cast(whole));
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
    for op in Op::table().filter(|op| op.arity() == Arity::Variadic) {
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
