//! What is exact on bits whatever an adapter makes of subnormal numbers: comparisons, selections,
//! and what is made of them.

use zerostride::inspect::FloatFact;
use zerostride::{
    Context, DType, Expr, HostTensor, Op, Options, Plan, Result, Tensor, reference, wgpu,
};

use crate::common::context;

/// Bits of zeros, subnormal numbers, numbers beside them, 1, infinities and NaN, each with either
/// sign.
fn special(dtype: DType) -> Vec<u64> {
    let positive: &[u64] = match dtype {
        DType::F16 => &[0, 1, 0x3ff, 0x400, 0x3c00, 0x7bff, 0x7c00, 0x7e00],
        DType::Bf16 => &[0, 1, 0x7f, 0x80, 0x3f80, 0x7f7f, 0x7f80, 0x7fc0],
        _ => &[
            0,
            1,
            2,
            0x0040_0000,
            0x007f_ffff,
            0x0080_0000,
            0x3f80_0000,
            0x7f7f_ffff,
            0x7f80_0000,
            0x7fc0_0000,
        ],
    };
    let sign = 1 << (8 * dtype.size() - 1);
    positive
        .iter()
        .flat_map(|&bits| [bits, bits | sign])
        .collect()
}

/// Every triple of special numbers, an operand each.
fn triples(dtype: DType) -> [HostTensor; 3] {
    let all = special(dtype);
    let n = all.len();
    [n * n, n, 1].map(|step| {
        let bits = (0..n * n * n).map(|i| all[i / step % n]);
        let bytes = bits
            .flat_map(|b| b.to_le_bytes().into_iter().take(dtype.size()))
            .collect();
        HostTensor::new(dtype, [n * n * n], bytes).unwrap()
    })
}

/// Operators that compare, select or round to whole numbers, and compute nothing else.
fn exact() -> Vec<(&'static str, Expr<usize>)> {
    let [a, b, c] = [0, 1, 2].map(Expr::<usize>::slot);
    let rows = [
        Op::EQUAL,
        Op::NOT_EQUAL,
        Op::LESS,
        Op::LESS_OR_EQUAL,
        Op::GREATER,
        Op::GREATER_OR_EQUAL,
        Op::MAXIMUM,
        Op::MINIMUM,
        Op::CLIP,
        Op::SIGN,
        Op::RELU,
        Op::THRESHOLDED_RELU,
        Op::FLOOR,
        Op::CEIL,
        Op::ROUND,
        Op::ROUND_AWAY,
        Op::TRUNC,
        Op::NEG,
        Op::ABS,
        Op::IDENTITY,
    ];
    let operands = [&a, &b, &c];
    let row = |op: Op| {
        let args: Vec<_> = operands
            .iter()
            .take(op.operands().len())
            .map(|&x| x.clone())
            .collect();
        (op.name(), Expr::step(op, args))
    };
    let mut all: Vec<_> = rows.into_iter().map(row).collect();
    // Selected and compared in one kernel with what selects.
    all.push((
        "where",
        Expr::step(Op::WHERE, [a.less(&b), b.clone(), c.clone()]),
    ));
    all.push(("largest", Expr::max_n(&[a.clone(), b.clone(), c.clone()])));
    all.push(("smallest", Expr::min_n(&[a.neg(), b.abs(), c.clone()])));
    all.push(("is a number", a.cast(DType::Bool)));
    all.push(("between", b.less(&a).logical_and(a.less_equal(&c))));
    all
}

/// The storage bits of a tensor's elements.
fn elements(t: &HostTensor) -> Vec<u64> {
    t.bytes
        .chunks_exact(t.dtype.size())
        .map(|c| c.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b)))
        .collect()
}

/// What an adapter makes of an expression.
fn on_context(
    context: &Context,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    options: &Options,
) -> Result<HostTensor> {
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|t| context.tensor_from_host(t))
        .collect::<Result<_>>()?;
    let plan = Plan::new(
        expr,
        &tensors.iter().map(Tensor::slot).collect::<Vec<_>>(),
        options,
    )?;
    let found = context
        .run(&plan, &tensors.iter().collect::<Vec<_>>())?
        .swap_remove(0);
    HostTensor::new(found.dtype(), found.shape(), found.read_bytes_blocking()?)
}

/// Reports where an adapter's bits are not the reference's; one NaN is as another.
fn differences(context: &Context, dtype: DType, options: &Options, what: &str) -> Vec<String> {
    let inputs = triples(dtype);
    let infinity = if dtype == DType::F16 {
        0x7c00
    } else {
        0x7f80_0000 >> (32 - 8 * dtype.size())
    };
    let sign = 1u64 << (8 * dtype.size() - 1);
    let is_nan = |bits: u64| bits & (sign - 1) > infinity;
    let check = |(name, expr): (&str, Expr<usize>)| {
        let expected = reference::run(&expr, &inputs).expect("the reference computes it");
        let found = on_context(context, &expr, &inputs, options).expect("the adapter computes it");
        let [a, b] = [elements(&found), elements(&expected)];
        let nan = |a: u64, b: u64| found.dtype == dtype && is_nan(a) && is_nan(b);
        let i = (0..a.len()).find(|&i| a[i] != b[i] && !nan(a[i], b[i]))?;
        let [x, y, z] = inputs.each_ref().map(|t| elements(t)[i]);
        Some(format!(
            "{what}: {name} {dtype} of {x:#x}, {y:#x}, {z:#x}: {:#x}, not {:#x}",
            a[i], b[i]
        ))
    };
    exact().into_iter().filter_map(check).collect()
}

const FLOATS: [DType; 3] = [DType::F16, DType::Bf16, DType::F32];

#[test]
fn comparisons_and_selections_are_exact_on_subnormal_numbers() {
    let context = &context();
    // As planned for this adapter, and as for one that flushes.
    let own = context.limits();
    let flushing = own.arithmetic.with(FloatFact::Subnormals, false);
    let portable = context.options().with_limits(own.with_arithmetic(flushing));
    let plans = [
        ("the adapter's plan", context.options()),
        ("a portable plan", portable),
    ];
    let of = |dtype| {
        plans
            .iter()
            .flat_map(move |(what, options)| differences(context, dtype, options, what))
    };
    let found: Vec<String> = FLOATS.into_iter().flat_map(of).collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn a_callers_device_compares_by_integers_until_it_is_known() {
    let callers = Context::from_wgpu(context().device(), context().queue());
    assert!(
        !callers.limits().arithmetic.has(FloatFact::Subnormals),
        "nothing was asked of the caller's device"
    );
    let found = differences(
        &callers,
        DType::F32,
        &callers.options(),
        "a caller's device",
    );
    assert!(found.is_empty(), "{}", found.join("\n"));
    assert_eq!(
        callers
            .flushes_subnormals_blocking()
            .expect("the device answers"),
        context()
            .flushes_subnormals_blocking()
            .expect("the device answers")
    );
}

#[test]
fn an_own_device_knows_whether_it_keeps_subnormal_numbers() {
    let flushes = context()
        .flushes_subnormals_blocking()
        .expect("it is known");
    let known = context().limits().arithmetic;
    assert_eq!(known.has(FloatFact::Subnormals), !flushes);
    let info = context().adapter_info().clone();
    if info.device_type == wgpu::DeviceType::Cpu {
        assert_eq!(flushes, info.name.to_lowercase().contains("swiftshader"));
    }
    assert_eq!(flushes, super::run::flushes());
}
