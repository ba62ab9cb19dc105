//! Plans of several passes: more inputs than bindings, hoisting, long chains. A result never
//! depends on the cuts.

use zerostride::{DType, Expr, HostTensor, Options, Plan, Slot};

use crate::common::{Random, all, check_with, compare, context, on_context, thinned};

const TYPES: [DType; 4] = [DType::U8, DType::F16, DType::I32, DType::F32];

fn with_buffers(n: u32) -> Options {
    let context = context();
    let n = n.min(context.limits().max_storage_buffers);
    Options::default().with_limits(context.limits().with_max_storage_buffers(n))
}

fn plan(expr: &Expr<usize>, inputs: &[HostTensor], options: &Options) -> Plan {
    let slots: Vec<Slot> = inputs
        .iter()
        .map(|h| Slot::new(h.dtype, h.layout.shape()).unwrap())
        .collect();
    Plan::new(expr, &slots, options).unwrap()
}

/// Every number of bindings gives the reference's result, and the bits of the largest number's.
fn agrees(what: &str, expr: &Expr<usize>, inputs: &[HostTensor], bound: f64) -> Result<(), String> {
    let context = context();
    let whole = on_context(&context, expr, inputs, &context.options())
        .map_err(|e| format!("{what}: {e}"))?;
    for buffers in [4, 5, 8, 16] {
        let what = format!("{what} with {buffers} buffers");
        let options = with_buffers(buffers);
        check_with(&what, expr, inputs, bound, &options)?;
        let cut =
            on_context(&context, expr, inputs, &options).map_err(|e| format!("{what}: {e}"))?;
        // The bits of a NaN that arithmetic makes are free, all others are not.
        compare(&format!("{what} and uncut"), &cut, &whole, 0.0)?;
    }
    Ok(())
}

#[test]
fn a_sum_of_forty_inputs_equals_the_reference() {
    let mut random = Random::new("sum of 40");
    let sum = Expr::add_n((0..40).map(Expr::slot).collect::<Vec<_>>());
    all(thinned(&mut random.fork(), TYPES).into_iter().map(|dtype| {
        let shapes: [&[usize]; 4] = [&[7, 9], &[9], &[7, 1], &[]];
        let inputs: Vec<HostTensor> = (0..40)
            .map(|i| random.host(dtype, shapes[i % 4], false))
            .collect();
        assert!(plan(&sum, &inputs, &with_buffers(8)).pass_count() > 1);
        agrees(&format!("{dtype}"), &sum, &inputs, 0.0)
    }));
}

#[test]
fn other_folds_of_forty_inputs_are_cut_too() {
    let mut random = Random::new("folds of 40");
    let slots: Vec<Expr<usize>> = (0..40).map(Expr::slot).collect();
    let mut reports = Vec::new();
    for (name, expr, bound) in [
        ("max", Expr::max_n(&slots), 0.0),
        ("min", Expr::min_n(&slots), 0.0),
        ("mean", Expr::mean_n(&slots), 3.0),
    ] {
        let inputs: Vec<HostTensor> = (0..40)
            .map(|_| random.host(DType::F32, &[65], true))
            .collect();
        reports.push(agrees(name, &expr, &inputs, bound));
    }
    all(reports);
}

#[test]
fn an_expression_of_thirty_inputs_equals_the_uncut_one() {
    // A tree with products, quotients and a select, so that cuts fall on values of several types.
    let mut random = Random::new("30 inputs");
    let mut reports = Vec::new();
    for dtype in TYPES {
        let leaf = |i: usize| Expr::slot(i);
        let pairs: Vec<Expr<usize>> = (0..15).map(|i| leaf(2 * i).sub(leaf(2 * i + 1))).collect();
        let mut x = pairs[0].clone();
        for (i, pair) in pairs.iter().enumerate().skip(1) {
            x = match i % 3 {
                0 => x.maximum(pair.neg()),
                1 => x.less(pair).where_(&x, pair),
                _ => pair.add(&x),
            };
        }
        let inputs: Vec<HostTensor> = (0..30)
            .map(|i| random.host(dtype, if i % 2 == 0 { &[6, 10] } else { &[10] }, false))
            .collect();
        reports.push(agrees(&format!("{dtype}"), &x, &inputs, 0.0));
    }
    all(reports);
}

#[test]
fn a_narrow_type_wraps_at_a_cut_as_it_does_inside() {
    // u8: (200 + 100 + ...) / 2 wraps after every step, wherever the cut is.
    let context = context();
    let sum = Expr::add_n((0..12).map(Expr::slot).collect::<Vec<_>>()).floor_div(Expr::literal(2));
    let inputs: Vec<HostTensor> = (0..12)
        .map(|i| HostTensor::new(DType::U8, [1], vec![100 + 10 * i as u8]).unwrap())
        .collect();
    let expected = (0..12u32).map(|i| 100 + 10 * i).sum::<u32>() as u8 / 2;
    for buffers in [4, 8, 31] {
        assert_eq!(
            on_context(&context, &sum, &inputs, &with_buffers(buffers))
                .unwrap()
                .bytes,
            [expected]
        );
    }
}

#[test]
fn a_costly_row_is_computed_once() {
    let mut random = Random::new("hoisting");
    let expr = Expr::slot(0).maximum(Expr::slot(1).exp());
    let small = [
        random.host(DType::F32, &[100, 64], false),
        random.host(DType::F32, &[64], false),
    ];
    let large = [
        random.host(DType::F32, &[1100, 64], false),
        random.host(DType::F32, &[64], false),
    ];
    assert_eq!(plan(&expr, &small, &context().options()).pass_count(), 1);
    assert_eq!(plan(&expr, &large, &context().options()).pass_count(), 2);
    all([
        check_with("inside", &expr, &small, 4.0, &context().options()),
        check_with("hoisted vector", &expr, &large, 4.0, &context().options()),
    ]);
    // The rows of both have the same bits for the same operands.
    let head = |t: &HostTensor, rows: usize| t.bytes[..rows * 64 * 4].to_vec();
    let same = [
        HostTensor::new(DType::F32, [100, 64], head(&large[0], 100)).unwrap(),
        large[1].clone(),
    ];
    let inside = on_context(&context(), &expr, &same, &context().options()).unwrap();
    let hoisted = on_context(&context(), &expr, &large, &context().options()).unwrap();
    assert_eq!(inside.bytes, head(&hoisted, 100));
}

#[test]
fn hoisted_values_of_every_width_agree() {
    let mut random = Random::new("hoisted widths");
    all(
        [DType::F16, DType::Bf16, DType::U8, DType::I16].map(|dtype| {
            let heavy = if dtype.is_float() {
                Expr::slot(1).exp()
            } else {
                Expr::slot(1).rem_floor(Expr::literal(7))
            };
            let expr = Expr::slot(0).sub(&heavy).maximum(heavy.neg());
            let inputs = [
                random.host(dtype, &[1031, 65], false),
                random.host(dtype, &[65], false),
            ];
            assert_eq!(
                plan(&expr, &inputs, &context().options()).pass_count(),
                2,
                "{dtype}"
            );
            check_with(
                &format!("{dtype}"),
                &expr,
                &inputs,
                if dtype.is_float() { 1.0 } else { 0.0 },
                &context().options(),
            )
        }),
    );
}

#[test]
fn chains_of_600_steps_agree() {
    let mut random = Random::new("chains");
    let mut x = Expr::slot(0);
    for i in 0..300 {
        x = x
            .mul(Expr::literal(3 + i % 2))
            .sub(Expr::slot(i as usize % 2));
    }
    all(
        [DType::U8, DType::I32, DType::U64, DType::I64].map(|dtype| {
            let inputs = [
                random.host(dtype, &[5, 7], true),
                random.host(dtype, &[7], true),
            ];
            let plan = plan(&x, &inputs, &context().options());
            assert!(plan.pass_count() > 1, "{dtype}");
            check_with(&format!("{dtype}"), &x, &inputs, 0.0, &context().options())
        }),
    );
}

/// Where integers round them, their code is long, and a compiler may fail on a kernel of too many.
#[test]
fn chains_of_quotients_and_sums_of_every_float_agree() {
    let mut random = Random::new("chains of quotients");
    let types = [DType::F16, DType::Bf16, DType::F32, DType::F64];
    all(thinned(&mut random.fork(), types).into_iter().map(|dtype| {
        let y = Expr::slot(1).cast(dtype);
        let chain = (0..50).fold(Expr::slot(0), |x, _| x.div(&y).add(&y));
        let least = |_| (1.25 + random.below(64) as f32 / 80.0).to_le_bytes();
        let by = (0..68).flat_map(least).collect();
        let inputs = [
            random.host(dtype, &[9, 68], false),
            HostTensor::new(DType::F32, [68], by).unwrap(),
        ];
        let (what, options) = (dtype.to_string(), context().options());
        check_with(&what, &chain, &inputs, 0.0, &options)
    }));
}

#[test]
fn several_roots_share_their_parts() {
    let context = context();
    let mut random = Random::new("roots");
    let host = [
        random.host(DType::I32, &[6, 8], false),
        random.host(DType::I32, &[8], false),
    ];
    let [a, b] = host
        .each_ref()
        .map(|h| context.tensor_from_host(h).unwrap());
    let difference = a.expr().sub(b.expr());
    let roots = [
        difference.clone(),
        difference.mul(&difference),
        difference.less(a.expr()),
    ];
    let found = context.eval_with(&roots, &context.options()).unwrap();
    let d = Expr::slot(0).sub(Expr::slot(1));
    let exprs = [d.clone(), d.mul(&d), d.less(Expr::slot(0))];
    for (tensor, expr) in found.iter().zip(&exprs) {
        let expected = zerostride::reference::run(expr, &host).unwrap();
        assert_eq!(
            tensor.read_bytes_blocking().unwrap(),
            expected.bytes,
            "{expr:?}"
        );
    }
}
