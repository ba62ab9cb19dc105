//! Halves: the adapter's own conversions against integer code, bit for bit.

use zerostride::inspect::FloatFact;
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
    [
        own,
        own.with_arithmetic(own.arithmetic.with(FloatFact::Halves, false)),
    ]
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

/// Cases whose bits one kernel puts together.
const TOGETHER: usize = 16;

/// An operator on the first inputs.
fn operator(op: Op) -> Case {
    let operands = (0..op.operands().len()).map(|i| match (op.is_select(), i) {
        (true, 0) => Expr::slot(0).less(Expr::slot(1)),
        _ => Expr::slot(i),
    });
    let expr = Expr::step(op, operands.collect::<Vec<_>>());
    let computes = op.operands().len() > 1 && !op.keeps_subnormals();
    Case {
        what: op.to_string(),
        expr,
        nans: !computes,
    }
}

/// The bits of a result as u32, the halves of eight bytes together; of a NaN that may be another
/// one, 0.
fn bits(expr: &Expr<usize>, of: DType, nans: bool) -> Expr<usize> {
    let slots: Vec<Slot> = (0..3).map(|_| Slot::new(of, [1]).unwrap()).collect();
    let dtype = expr.infer(&slots).unwrap().0;
    let bits = match dtype.size() {
        1 => expr.cast(DType::U8),
        2 => expr.bit_cast(DType::U16),
        4 => expr.bit_cast(DType::U32),
        _ => {
            let whole = expr.bit_cast(DType::U64);
            whole.bit_xor(whole.shr(Expr::scalar(32u64)))
        }
    };
    let bits = bits.cast(DType::U32);
    match dtype {
        DType::F16 if !nans => expr.is_nan().where_(Expr::scalar(0u32), &bits),
        _ => bits,
    }
}

/// A named expression, and whether its NaNs are the same too.
struct Case {
    what: String,
    expr: Expr<usize>,
    nans: bool,
}

/// As [`same`] for each case, computed by one kernel for several; only where that differs each by
/// its own, to say which it is.
fn same_together(cases: &[Case], inputs: &[HostTensor]) -> Vec<Result<(), String>> {
    let alone = |case: &Case| same(&case.what, &case.expr, inputs, case.nans);
    let some = |cases: &[Case]| {
        let together = cases
            .iter()
            .map(|case| bits(&case.expr, inputs[0].dtype, case.nans))
            .enumerate()
            // Equal differences of two cases do not cancel.
            .map(|(k, bits)| bits.mul(Expr::scalar(2 * k as u32 + 1)))
            .reduce(|all, bits| all.bit_xor(&bits))
            .unwrap();
        let names: Vec<&str> = cases.iter().map(|case| &*case.what).collect();
        match same(&names.join(", "), &together, inputs, true) {
            Ok(()) => vec![Ok(())],
            Err(report) => cases.iter().map(alone).chain([Err(report)]).collect(),
        }
    };
    cases.chunks(TOGETHER).flat_map(some).collect()
}

#[test]
fn every_operator_gives_the_bits_of_integer_code_for_every_half() {
    let takes_halves = |op: &Op| {
        !op.takes_dtype() && op.fold_step().is_none() && op.accepts().contains(DType::F16)
    };
    for operands in 1..=3 {
        let operators: Vec<Case> = Op::table()
            .filter(|op| takes_halves(op) && op.operands().len() == operands)
            .map(operator)
            .collect();
        all(same_together(&operators, &patterns()[..operands]));
    }
}

#[test]
fn casts_give_the_bits_of_integer_code() {
    let [halves, ..] = patterns();
    let types = DType::ALL.into_iter().filter(|&d| d != DType::F16);
    let case = |what, expr| Case {
        what,
        expr,
        nans: true,
    };
    let from: Vec<Case> = types
        .clone()
        .map(|to| case(format!("f16 to {to}"), Expr::slot(0).cast(to)))
        .collect();
    all(same_together(&from, &[halves]));
    let rounded = |by: DType| {
        let there_and_back = Expr::slot(0).cast(by).cast(DType::F16);
        case(format!("f32 to {by} to f16"), there_and_back)
    };
    let back: Vec<Case> = types.map(rounded).collect();
    let floats = around_halves();
    all(same_together(&back, std::slice::from_ref(&floats)));
    // Alone, it is stored as it is rounded.
    let stored = Expr::slot(0).cast(DType::F16);
    all([same("f32 to f16", &stored, &[floats], true)]);
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
    let steps = [
        ("(x + y) * z - x", x.add(&y).mul(&z).sub(&x)),
        ("-(x * y) + abs(z)", x.mul(&y).neg().add(z.abs())),
        ("min(x + y, z) / x", x.add(&y).minimum(&z).div(&x)),
        ("x - x", x.sub(&x)),
        (
            "where(x < y, x + y, -z)",
            x.less(&y).where_(x.add(&y), z.neg()),
        ),
    ];
    let steps = steps.map(|(what, expr)| Case {
        what: what.into(),
        expr,
        nans: false,
    });
    all(same_together(&steps, &inputs));
    let accesses = [
        (
            "f32(x * y) + 1",
            x.mul(&y).cast(DType::F32).add(Expr::scalar(1.0f32)),
        ),
        ("a row", x.add(row(&y))),
        ("a column", x.mul(column(&y)).add(&z)),
        ("x.T", x.transpose().sub(&y)),
        ("misaligned", part(&x, 1, 1).add(part(&y, 1, 1))),
        (
            "misaligned by 2 and 3",
            part(&x, 2, 1).neg().add(part(&y, 2, 1)),
        ),
        ("turned round", part(&x, 255, -1).add(&y)),
        (
            "every third",
            part(&x, 0, 3).mul(part(&y, 0, 3)).add(part(&z, 0, 3)),
        ),
        ("matmul", x.matmul(&y)),
    ];
    all(accesses.map(|(what, expr)| same(what, &expr, &inputs, false)));
}

#[test]
fn plans_for_conversions_that_the_adapter_lacks_are_refused() {
    let limits = context().limits();
    let known = limits.arithmetic;
    if known.has(FloatFact::Halves) {
        return assert!(
            known.has(FloatFact::Subnormals) || context().flushes_subnormals_blocking().unwrap()
        );
    }
    let lacking = limits.with_arithmetic(known.with(FloatFact::Halves, true));
    let slot = Slot::new(DType::F16, [8]).unwrap();
    let options = context().options().with_limits(lacking);
    let plan = Plan::new(&Expr::slot(0).neg(), &[slot], &options).unwrap();
    assert!(matches!(
        context().compile(&plan),
        Err(Error::Argument { .. })
    ));
}
