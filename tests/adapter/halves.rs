//! Halves: the adapter's own conversions against integer code, bit for bit.

use zerostride::{DType, Error, Expr, HostTensor, Index, Limits, Op, Plan, Slot};

use crate::common::{Random, all, context, on_context};

/// Half patterns: all of them, in an order that brings each beside another of every kind.
fn patterns() -> [HostTensor; 3] {
    let host = |of: &dyn Fn(u32) -> u32| {
        let bits = (0..1u32 << 16).flat_map(|i| (of(i) as u16).to_le_bytes());
        HostTensor::new(DType::F16, [256, 256], bits.collect()).unwrap()
    };
    [
        host(&|i| i),
        host(&|i| i.wrapping_mul(0x9e37).wrapping_add(0x7c01)),
        host(&|i| i.wrapping_mul(0x4f1b) ^ 0x83ff),
    ]
}

/// f32 numbers at, between and beside halves, and NaNs with payloads.
fn around_halves() -> HostTensor {
    let mut random = Random::new("numbers around halves");
    let each = |i: u32, random: &mut Random| {
        let half = half::f16::from_bits(i as u16).to_f32().to_bits();
        let lower = [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff][random.below(6)];
        let any = random.below(1 << 30) as u32 ^ i << 16;
        if i % 8 == 7 { any } else { half ^ lower }
    };
    let bits: Vec<u8> = (0..1u32 << 16)
        .flat_map(|i| each(i, &mut random).to_le_bytes())
        .collect();
    HostTensor::new(DType::F32, [256, 256], bits).unwrap()
}

/// The adapter's limits with its own conversions, as far as it has them, and with integer code.
fn limits() -> [Limits; 2] {
    let own = context().limits();
    [own, own.with_halves(false).with_half_nans(false)]
}

/// The bits that the expression gives with the adapter's own conversions and with integer code,
/// which must be the same. `nans`: those of a NaN too, else it may be another NaN, since of two NaN
/// operands a sum keeps one or the other.
fn same(what: &str, expr: &Expr<usize>, inputs: &[HostTensor], nans: bool) -> Result<(), String> {
    let [own, integers] = limits().map(|limits| {
        let options = context().options().with_limits(limits);
        on_context(&context(), expr, inputs, &options).map_err(|e| format!("{what}: {e}"))
    });
    let (own, integers) = (own?, integers?);
    let dtype = own.dtype;
    let elements = |t: &HostTensor| -> Vec<u64> {
        let word = |c: &[u8]| c.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b));
        t.bytes.chunks_exact(dtype.size()).map(word).collect()
    };
    let is_nan = |bits: u64| match dtype {
        DType::F16 => bits & 0x7fff > 0x7c00,
        DType::F32 => bits & 0x7fff_ffff > 0x7f80_0000,
        _ => false,
    };
    let (a, b) = (elements(&own), elements(&integers));
    assert_eq!(a.len(), b.len());
    let differ = |i: &usize| a[*i] != b[*i] && (nans || !is_nan(a[*i]) || !is_nan(b[*i]));
    match (0..b.len()).find(differ) {
        None => Ok(()),
        Some(i) => Err(format!("{what}: element {i}: {:#x}, not {:#x}", a[i], b[i])),
    }
}

/// Operators whose bits one kernel puts together.
const TOGETHER: usize = 8;

/// An operator on the first inputs, and whether its NaNs are the same too.
fn operator(op: Op) -> (Expr<usize>, bool) {
    let operands = (0..op.operands().len()).map(|i| match (op.is_select(), i) {
        (true, 0) => Expr::slot(0).less(&Expr::slot(1)),
        _ => Expr::slot(i),
    });
    let expr = Expr::step(op, operands.collect::<Vec<_>>());
    let computes = op.operands().len() > 1 && !op.keeps_subnormals();
    (expr, !computes)
}

/// The bits of a result as u16; of a NaN that may be another one, 0.
fn bits((expr, nans): (Expr<usize>, bool)) -> Expr<usize> {
    let slots: Vec<Slot> = (0..3)
        .map(|_| Slot::new(DType::F16, [1]).unwrap())
        .collect();
    match expr.infer(&slots).unwrap().0 {
        DType::F16 if nans => expr.bit_cast(DType::U16),
        DType::F16 => {
            let none = Expr::scalar(0u16);
            expr.is_nan().where_(&none, &expr.bit_cast(DType::U16))
        }
        _ => expr.cast(DType::U16),
    }
}

#[test]
fn every_operator_gives_the_bits_of_integer_code_for_every_half() {
    let inputs = patterns();
    let operators: Vec<Op> = Op::all()
        .filter(|op| {
            !op.takes_dtype() && op.fold_step().is_none() && op.accepts().contains(DType::F16)
        })
        .collect();
    all(operators.chunks(TOGETHER).flat_map(|ops| {
        let together = ops
            .iter()
            .map(|&op| bits(operator(op)))
            .enumerate()
            // Equal differences of two operators do not cancel.
            .map(|(k, bits)| {
                bits.bit_xor(&Expr::scalar(k as u16))
                    .mul(&Expr::scalar(2 * k as u16 + 1))
            })
            .reduce(|sum, bits| sum.bit_xor(&bits))
            .unwrap();
        let names: Vec<String> = ops.iter().map(Op::to_string).collect();
        let used = ops.iter().map(|op| op.operands().len()).max().unwrap_or(1);
        let report = same(&names.join(", "), &together, &inputs[..used], true);
        match report {
            Ok(()) => vec![Ok(())],
            // Which one it is.
            Err(_) => ops
                .iter()
                .map(|&op| {
                    let (expr, nans) = operator(op);
                    same(&op.to_string(), &expr, &inputs[..op.operands().len()], nans)
                })
                .chain([report])
                .collect(),
        }
    }));
}

#[test]
fn casts_give_the_bits_of_integer_code() {
    let [halves, ..] = patterns();
    let floats = around_halves();
    let types = DType::ALL.into_iter().filter(|&d| d != DType::F16);
    let from = types.clone().map(|to| {
        same(
            &format!("f16 to {to}"),
            &Expr::slot(0).cast(to),
            std::slice::from_ref(&halves),
            true,
        )
    });
    let back = types.map(|by| {
        let there_and_back = Expr::slot(0).cast(by).cast(DType::F16);
        same(
            &format!("f32 to {by} to f16"),
            &there_and_back,
            std::slice::from_ref(&floats),
            true,
        )
    });
    all(from.chain(back).collect::<Vec<_>>());
    let rounded = Expr::slot(0).cast(DType::F16);
    all([same("f32 to f16", &rounded, &[floats], true)]);
}

#[test]
fn fused_steps_and_every_access_give_the_bits_of_integer_code() {
    let inputs = patterns();
    let [x, y, z] = [0, 1, 2].map(Expr::slot);
    let part = |e: &Expr<usize>, first: isize, step: isize| {
        e.slice(vec![Index::ALL, Index::Range(Some(first), None, step)])
    };
    let row = |e: &Expr<usize>| e.slice(vec![Index::Range(Some(7), Some(8), 1), Index::ALL]);
    let column = |e: &Expr<usize>| e.slice(vec![Index::ALL, Index::Range(Some(9), Some(10), 1)]);
    let cases = [
        ("(x + y) * z - x", x.add(&y).mul(&z).sub(&x)),
        ("-(x * y) + abs(z)", x.mul(&y).neg().add(&z.abs())),
        ("min(x + y, z) / x", x.add(&y).minimum(&z).div(&x)),
        ("x - x", x.sub(&x)),
        (
            "where(x < y, x + y, -z)",
            x.less(&y).where_(&x.add(&y), &z.neg()),
        ),
        (
            "f32(x * y) + 1",
            x.mul(&y).cast(DType::F32).add(&Expr::scalar(1.0f32)),
        ),
        ("a row", x.add(&row(&y))),
        ("a column", x.mul(&column(&y)).add(&z)),
        ("x.T", x.transpose().sub(&y)),
        ("misaligned", part(&x, 1, 1).add(&part(&y, 1, 1))),
        (
            "misaligned by 2 and 3",
            part(&x, 2, 1).neg().add(&part(&y, 2, 1)),
        ),
        ("turned round", part(&x, 255, -1).add(&y)),
        (
            "every third",
            part(&x, 0, 3).mul(&part(&y, 0, 3)).add(&part(&z, 0, 3)),
        ),
        ("matmul", x.matmul(&y)),
    ];
    all(cases.map(|(what, expr)| same(what, &expr, &inputs, false)));
}

#[test]
fn plans_for_conversions_that_the_adapter_lacks_are_refused() {
    let limits = context().limits();
    if limits.halves && limits.half_nans {
        return assert!(limits.subnormals || context().flushes_subnormals_blocking().unwrap());
    }
    let lacking = limits.with_halves(true).with_half_nans(true);
    let slot = Slot::new(DType::F16, [8]).unwrap();
    let options = context().options().with_limits(lacking);
    let plan = Plan::new(&Expr::slot(0).neg(), &[slot], &options).unwrap();
    assert!(matches!(
        context().compile(&plan),
        Err(Error::Argument { .. })
    ));
}
