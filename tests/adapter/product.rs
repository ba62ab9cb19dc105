//! Matrix products and Gemm against the reference.

use zerostride::{DType, Error, Expr, Gemm, HostTensor, Limits, Options, Plan, Rule, Slot};
use zerostride_onnx::{self as onnx, Attr, Attrs, Call, Operand, Standard};

use crate::common::{Random, all, check, check_with, context, on_adapter, thinned};

const TYPES: [DType; 8] = [
    DType::F32,
    DType::F16,
    DType::Bf16,
    DType::I32,
    DType::U32,
    DType::I64,
    DType::U64,
    DType::F64,
];

fn types() -> impl Iterator<Item = DType> {
    TYPES.into_iter()
}

#[test]
fn products_of_every_type_and_size_agree() {
    let mut random = Random::new("products");
    let mut reports = Vec::new();
    let sizes = [
        [1, 1, 1],
        [3, 5, 7],
        [64, 16, 64],
        [65, 17, 63],
        [1, 100, 130],
        [130, 33, 1],
        // Sums of products of elements, whose result is narrow, and the narrowest that is none.
        [3, 300, 5],
        [70, 257, 4],
        [22, 300, 23],
        [24, 300, 24],
        [20, 0, 4],
        [0, 3, 4],
        [3, 4, 0],
    ];
    for dtype in types() {
        for [m, k, n] in sizes {
            let inputs = [random.whole(dtype, &[m, k]), random.whole(dtype, &[k, n])];
            let what = format!("{dtype} {m} x {k} x {n}");
            reports.push(check(
                &what,
                &Expr::slot(0).matmul(Expr::slot(1)),
                &inputs,
                0.0,
            ));
        }
    }
    all(reports);
}

#[test]
fn products_of_views_and_of_steps_agree() {
    let mut random = Random::new("products of views");
    let [a, b] = [
        random.whole(DType::F32, &[37, 21]),
        random.whole(DType::F32, &[37, 40]),
    ];
    let [x, y] = [0, 1].map(Expr::slot);
    let two = Expr::literal(2);
    let product = x.transpose().matmul(&y);
    let exprs = [
        ("x.T y", product.clone()),
        ("(x.T y).T", product.transpose()),
        ("2 x.T y + 2", product.mul(&two).add(&two)),
        ("x.T (y + 2)", x.transpose().matmul(y.add(&two))),
        ("(x.T y) (x.T y).T", product.matmul(product.transpose())),
        ("x.T y * x.T y", product.mul(&product)),
    ];
    all(exprs
        .into_iter()
        .map(|(what, expr)| check(what, &expr, &[a.clone(), b.clone()], 0.0)));
}

#[test]
fn integer_products_wrap_on_both_paths() {
    let mut random = Random::new("wrapping products");
    let native = context().options();
    let pairs = native.with_limits(native.limits.with_int64(false).with_float64(false));
    let mut reports = Vec::new();
    for dtype in [DType::I32, DType::U32, DType::I64, DType::U64] {
        let inputs = [[9, 30], [30, 11]].map(|s| random.host(dtype, &s, true));
        for options in [pairs, native] {
            let product = Expr::slot(0).matmul(Expr::slot(1));
            reports.push(check_with(
                &format!("{dtype}"),
                &product,
                &inputs,
                0.0,
                &options,
            ));
        }
    }
    all(reports);
}

/// Bindings of a few KiB and dispatches of a few products: blocks of rows, of columns and of what
/// is summed over, with factors that are moved together first.
#[test]
fn products_beyond_one_binding_and_one_dispatch_agree() {
    let mut random = Random::new("blocks of products");
    let mut reports = Vec::new();
    let [x, y] = [0, 1].map(Expr::slot);
    let small = |max_binding, max_elements| {
        let limits = context()
            .limits()
            .with_max_binding(max_binding)
            .with_max_elements(max_elements)
            .with_offset_alignment(256);
        context().options().with_limits(limits)
    };
    for dtype in types() {
        let shapes = [
            ([300, 40, 30], 8 << 10, 1 << 20),
            ([30, 40, 300], 8 << 10, 1 << 20),
            ([3, 3000, 5], 16 << 10, 1 << 20),
            ([30, 3000, 25], 64 << 10, 1 << 20),
            ([1, 50_000, 1], 64 << 10, 1 << 20),
            ([130, 150, 140], 16 << 10, 1 << 20),
            ([130, 150, 140], 1 << 20, 1 << 10),
            ([70, 3, 200], 2 << 10, 64),
        ];
        for ([m, k, n], binding, elements) in thinned(&mut random, shapes) {
            let options = small(binding, elements);
            let [a, b] = [[m, k], [k, n]].map(|shape| random.whole(dtype, &shape));
            let [at, bt] = [[k, m], [n, k]].map(|shape| random.whole(dtype, &shape));
            let what = format!("{dtype} {m} x {k} x {n}, {binding} bytes, {elements} elements");
            let cases = [
                ("x y", x.matmul(&y), [&a, &b]),
                ("x.T y.T", x.transpose().matmul(y.transpose()), [&at, &bt]),
                ("(x y) + (x y)", x.matmul(&y).add(x.matmul(&y)), [&a, &b]),
            ];
            // All ways on one type; on the others, whose kernels are their own, one.
            let most = if dtype == DType::F32 {
                3
            } else {
                usize::from(elements == 1 << 20 && k > 1000 && m != 3)
            };
            for (name, expr, inputs) in cases.into_iter().take(most) {
                let slots = inputs.map(|h| Slot::new(h.dtype, h.layout.shape().clone()).unwrap());
                let plan = Plan::new(&expr, &slots, &options)
                    .unwrap_or_else(|e| panic!("{name} of {what}: {e}"));
                assert!(plan.pass_count() > 1, "{what}: {plan}");
                // Sums of small whole numbers are exact, but as halves.
                let inputs = inputs.map(Clone::clone);
                reports.push(check_with(
                    &format!("{name} of {what}"),
                    &expr,
                    &inputs,
                    0.0,
                    &options,
                ));
            }
        }
    }
    all(reports);
}

#[test]
fn gemm_scales_transposes_and_adds_one_way() {
    let mut random = Random::new("gemm");
    let mut reports = Vec::new();
    for dtype in types() {
        for (trans_a, trans_b, c_shape) in [
            (false, false, vec![]),
            (true, false, vec![1]),
            (false, true, vec![9]),
            (true, true, vec![1, 9]),
            (false, false, vec![7, 1]),
            (false, false, vec![7, 9]),
        ] {
            let turned = |turn: bool, [a, b]: [usize; 2]| if turn { [b, a] } else { [a, b] };
            let a = random.whole(dtype, &turned(trans_a, [7, 5]));
            let b = random.whole(dtype, &turned(trans_b, [5, 9]));
            let len = c_shape.iter().product();
            let c = HostTensor::new(
                dtype,
                c_shape.as_slice(),
                random.whole(dtype, &[1, len]).bytes,
            )
            .unwrap();
            let (alpha, beta) = (0.5, -2.0);
            let gemm = Gemm::new()
                .alpha(alpha)
                .beta(beta)
                .trans_a(trans_a)
                .trans_b(trans_b);
            let expr = Expr::gemm(
                &Expr::slot(0),
                &Expr::slot(1),
                Some(&Expr::slot(2)),
                dtype,
                &gemm,
            );
            reports.push(check(
                &format!("{dtype} {c_shape:?}"),
                &expr,
                &[a, b, c],
                0.0,
            ));
        }
    }
    all(reports);
}

#[test]
fn gemm_by_its_name_has_its_defaults() {
    let operand =
        |slot: usize, shape: &[usize]| Some(Operand::new(Expr::slot(slot), DType::F32, shape));
    let host = |shape: [usize; 2], x: &[f32]| {
        HostTensor::new(
            DType::F32,
            shape,
            x.iter().flat_map(|v| v.to_le_bytes()).collect(),
        )
        .unwrap()
    };
    let attrs = Attrs::from([("transB".to_owned(), Attr::Int(1))]);
    let operands = [operand(0, &[1, 2]), operand(1, &[3, 2])];
    let call = Call::new(Standard::Onnx, "Gemm", &operands)
        .opset(Some(13))
        .attrs(&attrs);
    let inputs = [
        host([1, 2], &[1.0, 2.0]),
        host([3, 2], &[1.0, 0.0, 0.0, 1.0, 3.0, 4.0]),
    ];
    let found = on_adapter(&onnx::build(&call).unwrap(), &inputs).unwrap();
    assert_eq!(found, host([1, 3], &[1.0, 2.0, 11.0]));
}

#[test]
fn products_refuse_what_does_not_fit_and_write_over_no_factor() {
    let slots = |a: &[usize], b: &[usize]| [a, b].map(|s| Slot::new(DType::F32, s).unwrap());
    let product = Expr::slot(0).matmul(Expr::slot(1));
    let error = |a: &[usize], b: &[usize]| {
        Plan::new(&product, &slots(a, b), &Options::default())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        error(&[2, 3], &[4, 5]),
        "matmul: shapes [2, 3] and [4, 5]: the first has 3 columns, the second 4 rows"
    );
    let deep = |depth: usize| {
        let to = |n: usize, target: [usize; 2]| {
            let target = target.into();
            Expr::slot(n).broadcast(Rule::To { target })
        };
        let product = to(0, [30, depth]).matmul(to(1, [depth, 30]));
        Plan::new(&product, &slots(&[1, 1], &[1, 1]), &Options::default())
    };
    let refused = deep(1 << 32).unwrap_err();
    assert!(refused.to_string().contains("in parts"), "{refused}");
    let plan = deep(1 << 22).unwrap();
    assert!(
        plan.pass_count() > 100 && plan.kernels().len() == 1,
        "{} passes of {}",
        plan.pass_count(),
        plan.kernels().len()
    );
    let tiny = Options::default().with_limits(Limits::WEBGPU.with_max_elements(1));
    let refused = Plan::new(
        &product,
        &slots(&[1 << 13, 1 << 13], &[1 << 13, 1 << 13]),
        &tiny,
    )
    .unwrap_err();
    assert!(refused.to_string().contains("in parts"), "{refused}");
    let narrow = Limits::WEBGPU.with_max_workgroup_storage(16_352);
    let wide = [
        Slot::new(DType::I64, [2, 2]).unwrap(),
        Slot::new(DType::I64, [2, 2]).unwrap(),
    ];
    let refused = Plan::new(&product, &wide, &Options::default().with_limits(narrow)).unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("16384 bytes of workgroup memory for i64"),
        "{refused}"
    );
    assert_eq!(
        error(&[], &[2, 5]),
        "matmul: a scalar is no matrix; multiply with `*`"
    );

    let context = context();
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
    let plan = Plan::many(
        std::slice::from_ref(&product),
        &[x.slot(), x.slot()],
        &[x.slot()],
        &context.options(),
    )
    .unwrap();
    let mut encoder = crate::common::new_encoder(&context);
    let refused = context.encode(&mut encoder, &plan, &[&x, &x], &[&x]);
    assert!(matches!(refused, Err(Error::Overlap { .. })), "{refused:?}");
    assert_eq!(
        x.matmul(&x).unwrap().read_blocking::<f32>().unwrap(),
        [7.0, 10.0, 15.0, 22.0]
    );
}
