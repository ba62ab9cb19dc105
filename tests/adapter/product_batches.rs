//! Matrix products of batches and of vectors against sums of products of elements.

use zerostride::{DType, Expr, HostTensor, Index, Options, Plan, Scalar, Slot, View, reference};

use crate::common::{Random, all, check_with, context, thinned};

/// Small whole numbers, whose sums of products are exact; no zeros, whose signs sums of their own
/// begin with.
fn whole(random: &mut Random, dtype: DType, shape: &[usize]) -> HostTensor {
    let mut bytes = Vec::new();
    for _ in 0..shape.iter().product() {
        let x = random.below(4) as f64 + 1.0;
        let x = match dtype.is_signed() && random.below(2) == 1 {
            true => -x,
            false => x,
        };
        bytes.extend_from_slice(&Scalar::of(dtype, x).bits.to_le_bytes()[..dtype.size()]);
    }
    HostTensor::new(dtype, shape, bytes).unwrap()
}

/// The same product by its definition: elements are multiplied and summed.
fn by_definition(a: &Expr<usize>, b: &Expr<usize>, ranks: [usize; 2]) -> Expr<usize> {
    let rest = Index::Ellipsis;
    match ranks {
        [1, 1] => a.mul(b).sum(0),
        [1, _] => a.slice([rest, Index::NewAxis]).mul(b).sum(-2),
        [_, 1] => a.mul(b).sum(-1),
        _ => {
            let a = a.slice([rest, Index::NewAxis]);
            let b = b.slice([rest, Index::NewAxis, Index::ALL, Index::ALL]);
            a.mul(&b).sum(-2)
        }
    }
}

/// Shapes of two factors.
const SHAPES: &[(&[usize], &[usize])] = &[
    (&[3, 4, 5], &[3, 5, 6]),
    (&[3, 4, 5], &[5, 6]),
    (&[4, 5], &[3, 5, 6]),
    (&[3, 1, 5], &[5, 6]),
    (&[2, 1, 4, 5], &[3, 5, 6]),
    (&[2, 3, 4, 5], &[2, 1, 5, 6]),
    (&[2, 3, 4, 5], &[3, 5, 6]),
    (&[7, 65, 17], &[7, 17, 66]),
    (&[2, 1, 3, 1, 2, 2, 4], &[1, 2, 1, 3, 2, 4, 3]),
    (&[2, 1, 3, 1, 2, 1, 2, 2, 4], &[1, 2, 1, 3, 1, 2, 2, 4, 3]),
    (&[5], &[5]),
    (&[5], &[5, 6]),
    (&[4, 5], &[5]),
    (&[3, 4, 5], &[5]),
    (&[5], &[3, 5, 6]),
    (&[2, 3, 700], &[700]),
    (&[3, 4, 0], &[3, 0, 6]),
    (&[0, 4, 5], &[5, 6]),
    (&[3, 0, 5], &[3, 5, 2]),
    (&[0], &[0]),
];

#[test]
fn products_of_batches_and_vectors_are_sums_of_products() {
    let mut random = Random::new("batches of products");
    let mut reports = Vec::new();
    let (x, y) = (Expr::slot(0), Expr::slot(1));
    for (n, &(a, b)) in SHAPES.iter().enumerate() {
        let dtypes = [DType::F32, DType::F16, DType::I64, DType::U32];
        let several = if n < 6 || b.len() == 1 { 4 } else { 1 };
        for dtype in dtypes.into_iter().take(several) {
            let inputs = [a, b].map(|shape| whole(&mut random, dtype, shape));
            let wide = match dtype {
                DType::F16 => [&x, &y].map(|e| e.cast(DType::F32)),
                _ => [x.clone(), y.clone()],
            };
            let definition = by_definition(&wide[0], &wide[1], [a.len(), b.len()]);
            let definition = match dtype {
                DType::F16 | DType::F32 => definition,
                // A sum of narrow integers is wide.
                _ => definition.cast(dtype),
            };
            let product = x.matmul(&y);
            let [found, wanted] =
                [&product, &definition].map(|e| reference::run(e, &inputs).unwrap());
            assert_eq!(found, wanted, "{dtype} {a:?} with {b:?}");
            let what = format!("{dtype} {a:?} with {b:?}");
            let options = context().options();
            reports.push(check_with(&what, &product, &inputs, 0.0, &options));
        }
    }
    all(reports);
}

#[test]
fn products_of_views_of_batches_agree() {
    let mut random = Random::new("batches of views");
    let mut reports = Vec::new();
    let (x, y) = (Expr::slot(0), Expr::slot(1));
    let back = Index::Range(None, None, -1);
    let moved = |e: &Expr<usize>, axes: &[usize]| e.view(View::Permute(axes.to_vec()));
    let exprs = [
        (
            "turned",
            moved(&x, &[2, 0, 1]).matmul(moved(&y, &[2, 1, 0])),
        ),
        (
            "backwards",
            x.slice([back, Index::ALL, back])
                .matmul(moved(&y, &[0, 2, 1])),
        ),
        (
            "computed",
            x.exp()
                .matmul(moved(&y.add(&x), &[0, 2, 1]))
                .add(Expr::literal(1)),
        ),
        (
            "looked at",
            moved(&x.matmul(moved(&y, &[0, 2, 1])), &[2, 0, 1]),
        ),
        (
            "a row of it",
            x.matmul(moved(&y, &[0, 2, 1]))
                .slice([Index::At(1), Index::At(-1)]),
        ),
        ("softmax", {
            let scores = x.matmul(moved(&y, &[0, 2, 1]));
            let exps = scores
                .sub(scores.max(zerostride::Axes::from(-1).keepdims()))
                .exp();
            exps.div(exps.sum(zerostride::Axes::from(-1).keepdims()))
                .matmul(&y)
        }),
    ];
    for (what, expr) in exprs {
        let inputs = [0, 1].map(|_| random.host(DType::F32, &[4, 9, 6], false));
        let options = context().options();
        let expr = expr
            .promoted(Default::default(), |_| Ok(DType::F32))
            .unwrap();
        reports.push(check_with(what, &expr, &inputs, 1e4, &options));
    }
    all(reports);
}

fn small(binding: u64, elements: u64, workgroups: u32) -> Options {
    let limits = context()
        .limits()
        .with_max_binding(binding)
        .with_max_elements(elements)
        .with_max_workgroups(workgroups)
        .with_offset_alignment(256);
    context().options().with_limits(limits)
}

/// Runs of batches, batches in blocks, and factors that are moved together first.
#[test]
fn batches_beyond_one_binding_and_one_dispatch_agree() {
    let mut random = Random::new("blocks of batches");
    let mut reports = Vec::new();
    let (x, y) = (Expr::slot(0), Expr::slot(1));
    let cases = [
        (
            &[40, 8, 9][..],
            &[40, 9, 7][..],
            small(4 << 10, 1 << 20, 65535),
            2..=20,
        ),
        (&[40, 8, 9], &[40, 9, 7], small(1 << 20, 64, 65535), 2..=20),
        (&[40, 8, 9], &[40, 9, 7], small(1 << 20, 1 << 20, 7), 6..=8),
        (
            &[5, 2, 8, 9],
            &[2, 9, 7],
            small(2 << 10, 1 << 20, 65535),
            2..=10,
        ),
        (
            &[3, 70, 40],
            &[3, 40, 90],
            small(8 << 10, 1 << 20, 65535),
            9..=200,
        ),
        (
            &[3, 30, 2000],
            &[3, 2000, 30],
            small(64 << 10, 1 << 20, 65535),
            6..=600,
        ),
        // Few rows and columns: products of elements, summed in parts.
        (
            &[3, 2, 2000],
            &[3, 2000, 2],
            small(32 << 10, 1 << 20, 65535),
            2..=100,
        ),
    ];
    for (a, b, options, passes) in thinned(&mut random, cases) {
        for dtype in [DType::F32, DType::U64] {
            let inputs = [a, b].map(|shape| whole(&mut random, dtype, shape));
            let slots = [&inputs[0], &inputs[1]]
                .map(|h| Slot::new(h.dtype, h.layout.shape().clone()).unwrap());
            let turned = y
                .view(View::SwapAxes(-1, -2))
                .matmul(x.view(View::SwapAxes(-1, -2)));
            for (name, expr) in [("x y", x.matmul(&y)), ("y.T x.T", turned)] {
                let plan = Plan::new(&expr, &slots, &options).unwrap();
                let what = format!("{name} of {dtype} {a:?} with {b:?}");
                if dtype == DType::F32 {
                    assert!(passes.contains(&plan.pass_count()), "{what}: {plan}");
                }
                reports.push(check_with(&what, &expr, &inputs, 0.0, &options));
            }
        }
    }
    all(reports);
}

#[test]
fn batches_are_read_where_they_lie_in_one_dispatch() {
    let options = context().options();
    let product = Expr::slot(0).matmul(Expr::slot(1));
    for (a, b) in [
        (vec![8, 1, 32, 16], vec![12, 16, 32]),
        (vec![8, 12, 32, 16], vec![16, 32]),
        (vec![8, 1, 16], vec![16, 32]),
    ] {
        let slots = [a, b].map(|shape| Slot::new(DType::F32, shape).unwrap());
        let plan = Plan::new(&product, &slots, &options).unwrap();
        assert_eq!(plan.pass_count(), 1, "{plan}");
    }
}

#[test]
fn factors_that_do_not_meet_are_refused_by_their_shapes() {
    let product = Expr::slot(0).matmul(Expr::slot(1));
    for (a, b, says) in [
        (
            vec![2, 3],
            vec![4, 5],
            "the first has 3 columns, the second 4 rows",
        ),
        (
            vec![2, 2, 3],
            vec![3, 3, 5],
            "their batches [2] and [3] cannot be broadcast",
        ),
        (
            vec![3],
            vec![4],
            "the extents 3 and 4 to be multiplied differ",
        ),
        (vec![], vec![3], "a scalar is no matrix"),
    ] {
        let slots = [a, b].map(|shape| Slot::new(DType::F32, shape).unwrap());
        let error = Plan::new(&product, &slots, &context().options()).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
    }
}
