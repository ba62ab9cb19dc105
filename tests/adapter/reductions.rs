//! Reductions: the same bits as the reference, whose order of operations is the one that the
//! documents state.

use zerostride::{Axes, DType, Expr, HostTensor, Index, Reduction, View};

use crate::common::{
    Random, SOFTMAX, Thinned, Turns, all, check_with, context, few, machines, thinned,
};
use crate::mapping::{options, transposed, viewed};

/// Both kinds of machines' schedules.
fn both() -> [zerostride::Options; 2] {
    [true, false].map(|software| options(|l| l.software = software))
}

fn check(what: &str, expr: &Expr<usize>, inputs: &[HostTensor]) -> Vec<Result<(), String>> {
    let one = |kind| check_one(kind, what, expr, inputs);
    machines(what).into_iter().map(one).collect()
}

/// By the schedule of one kind of machine.
fn check_one(
    kind: usize,
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
) -> Result<(), String> {
    let (options, name) = (&both()[kind], ["software", "GPU"][kind]);
    check_with(&format!("{what}, {name}"), expr, inputs, 0.0, options)
}

#[test]
fn sums_of_every_extent_and_axis_have_the_reference_s_bits() {
    let mut random = Random::new("sums");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let shapes: [&[usize]; 22] = [
        &[1],
        &[2],
        &[3],
        &[5],
        &[64],
        &[255],
        &[257],
        &[1024],
        &[4097],
        &[70_001],
        &[3, 4],
        &[7, 16],
        &[130, 33],
        &[5, 260],
        &[2, 5000],
        &[3, 1, 7],
        &[4, 6, 8],
        &[5, 33, 7],
        &[2, 3, 4, 5],
        &[300, 4],
        &[4100, 3],
        &[70_000, 2],
    ];
    for shape in shapes {
        let input = [random.host(DType::F32, shape, false)];
        let rank = shape.len() as isize;
        let mut sets: Vec<Vec<isize>> = (0..rank).map(|a| vec![a]).collect();
        sets.push((0..rank).collect());
        if rank > 2 {
            sets.push(vec![0, rank - 1]);
            sets.push(vec![0, 1]);
            sets.push(vec![1, rank - 1]);
        }
        for axes in sets {
            let what = format!("{shape:?} along {axes:?}");
            reports.extend(check(&what, &x.sum(Axes::new(axes.clone())), &input));
        }
    }
    all(reports);
}

#[test]
fn every_reduction_of_every_type_agrees() {
    let mut random = Random::new("reductions");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let of_all = [
        Reduction::Sum,
        Reduction::Max,
        Reduction::ArgMax { last: false },
        Reduction::Any,
    ];
    let of_some = [
        Reduction::Prod,
        Reduction::Min,
        Reduction::All,
        Reduction::ArgMax { last: true },
        Reduction::ArgMin { last: false },
        Reduction::CountNonzero,
        Reduction::SumSquare,
        Reduction::L1,
    ];
    let some = [DType::U8, DType::I64, DType::F32];
    let schedules = both();
    let mut turn = random.below(2);
    let mut turns = Turns::new(&mut random);
    let mut drawn = Thinned::new(&mut random);
    for dtype in DType::ALL {
        if dtype == DType::F64 && !context().limits().float64 {
            continue;
        }
        let own = of_some.iter().filter(|_| some.contains(&dtype));
        for &reduction in of_all.iter().chain(own).filter(|_| drawn.takes()) {
            // Rows and columns, on schedules in turn.
            for (shape, axis) in turns.of(&[([6, 301], 1), ([301, 6], 0)]) {
                let special = !matches!(reduction, Reduction::Sum | Reduction::Prod);
                let input = [random.host(dtype, &shape, special)];
                let what = format!("{reduction:?} of {dtype} {shape:?}");
                let options = &schedules[turn % 2];
                turn += axis as usize + random.below(2);
                reports.push(check_with(
                    &what,
                    &x.reduce(reduction, axis),
                    &input,
                    0.0,
                    options,
                ));
            }
        }
    }
    all(reports);
}

#[test]
fn views_and_broadcast_operands_are_folded_where_they_lie() {
    let mut random = Random::new("reduced views");
    let mut some = Thinned::new(&mut random);
    let mut reports = Vec::new();
    let [x, y] = [0, 1].map(Expr::slot);
    let mut t = |shape: &[usize]| random.host(DType::F32, shape, false);
    let reversed = |host: HostTensor| {
        viewed(
            host,
            &View::Slice(vec![Index::ALL, Index::Range(None, None, -1)]),
        )
    };
    let from_one = |host: HostTensor| {
        viewed(
            host,
            &View::Slice(vec![Index::ALL, Index::Range(Some(1), None, 1)]),
        )
    };
    let cases = [
        vec![transposed(t(&[40, 70])), t(&[70, 40])],
        vec![reversed(t(&[7, 90])), t(&[90])],
        vec![from_one(t(&[7, 93])), t(&[7, 1])],
        vec![from_one(t(&[7, 97])), t(&[96])],
        vec![t(&[20, 1]), t(&[300])],
        vec![t(&[600, 8]), t(&[8])],
        vec![t(&[600, 9]), t(&[600, 1])],
    ];
    let product = x.mul(&y);
    for inputs in cases {
        let what = format!("{} {}", inputs[0].layout.shape(), inputs[1].layout.shape());
        for axes in [Axes::from(0), Axes::from(1), Axes::ALL] {
            if !some.takes() {
                continue;
            }
            reports.extend(check(
                &format!("{what} {axes:?}"),
                &product.sum(axes.clone()),
                &inputs,
            ));
            let deviation = x.sub(&y);
            let squares = deviation.mul(&deviation).sum(axes);
            reports.extend(check(&format!("{what} squares"), &squares, &inputs));
        }
    }
    all(reports);
}

#[test]
fn expressions_of_reductions_have_the_reference_s_bits() {
    let mut random = Random::new("programs");
    let mut some = Thinned::new(&mut random);
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    for shape in [
        [3usize, 7],
        [40, 13],
        [5, 300],
        [300, 5],
        [2, 6000],
        [6000, 8],
        [64, 64],
    ] {
        let input = [random.host(DType::F32, &shape, false)];
        for axis in [0isize, 1] {
            let kept = Axes::from(axis).keepdims();
            let cases = [
                ("relative", x.sub(x.max(kept.clone()))),
                ("two", x.max(axis).sub(x.min(axis))),
                ("nested", x.sum(axis).max(..)),
                ("centred", x.sub(x.sum(kept.clone()))),
                ("mean", x.mean(axis)),
                ("variance", x.var(axis)),
                ("again", x.sub(x.sum(kept.clone())).max(axis)),
            ];
            for (what, expr) in cases.iter().filter(|_| some.takes()) {
                let what = format!("{what} {shape:?} along {axis}");
                reports.extend(check(&what, expr, &input));
            }
        }
    }
    all(reports);
}

#[test]
fn the_first_of_equal_elements_is_found_also_of_the_least_there_are() {
    let mut random = Random::new("the first of equal elements");
    let mut some = Thinned::new(&mut random);
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let least = i32::MIN.to_le_bytes();
    // The last is folded in parts.
    for shape in [[40usize, 300], [2, 9000], [9000, 2], [2, 200_000]] {
        let count = shape[0] * shape[1];
        // All of them are equal, or some rows and columns have two that are larger.
        for larger in [0, 12] {
            let mut words = vec![least; count];
            for _ in 0..larger {
                words[random.below(count)] = 7i32.to_le_bytes();
            }
            let bytes = words.concat();
            let places = |of: &[u8]| of.chunks(4).map(|x| u8::from(x[0] == 7)).collect();
            let inputs = [
                HostTensor::new(DType::U8, shape, places(&bytes)).unwrap(),
                HostTensor::new(DType::I32, shape, bytes).unwrap(),
            ];
            let each = inputs.iter().flat_map(|input| [(input, 0), (input, 1)]);
            for (input, axis) in each.filter(|_| some.takes()) {
                let what = format!("{} {shape:?} along {axis}, {larger}", input.dtype);
                let input = std::slice::from_ref(input);
                reports.extend(check(&what, &x.argmax(axis), input));
            }
            let downwards = x.bit_not();
            reports.extend(check(
                &format!("the smallest of {shape:?}, {larger}"),
                &downwards.argmin(1),
                &inputs[1..],
            ));
        }
    }
    all(reports);
}

#[test]
fn rows_of_every_length_are_written_as_wholes() {
    let mut random = Random::new("rows of every length");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let kept = Axes::from(1).keepdims();
    let lengths = (1..=34).chain([
        63, 65, 67, 127, 129, 130, 255, 257, 259, 511, 767, 768, 1021, 1280, 4097, 4352, 8193, 9001,
    ]);
    for count in thinned(&mut random, lengths) {
        let rows = if count < 300 { 131 } else { 3 };
        let input = [random.host(DType::F32, &[rows, count], false)];
        let centred = x.sub(x.sum(kept.clone()));
        reports.extend(check(&format!("[{rows}, {count}]"), &centred, &input));
    }
    // Other types, positions, several stages, and rows that lie apart or are of two axes.
    for count in thinned(&mut random, [5, 33, 130, 257, 1023]) {
        for dtype in [DType::I64, DType::I32, DType::F16] {
            let input = [random.host(dtype, &[13, count], false)];
            let far = x.sub(x.max(kept.clone())).max(kept.clone());
            let what = format!("{dtype} [13, {count}]");
            let wide = x.sub(&far).cast(DType::I64);
            reports.extend(check(&what, &wide, &input));
        }
        let input = [random.host(DType::F32, &[13, count], false)];
        let centred = x.sub(x.sum(kept.clone()));
        let place = centred.argmax(kept.clone());
        let found = centred.equal(centred.max(kept.clone())).cast(DType::I64);
        reports.extend(check(
            &format!("places, {count}"),
            &found.add(&place),
            &input,
        ));
        let every = [Index::Range(None, None, 2), Index::Range(None, None, -1)];
        let seen = x.slice(every);
        let seen = seen.sub(seen.sum(kept.clone()));
        reports.extend(check(&format!("a view, {count}"), &seen, &input));
        let input = [random.host(DType::F32, &[3, 5, count], false)];
        let apart = x.sub(x.sum(Axes::new([0, 2]).keepdims()));
        reports.extend(check(&format!("two axes, {count}"), &apart, &input));
        let inner = x.sub(x.sum(Axes::new([1, 2]).keepdims()));
        reports.extend(check(&format!("inner axes, {count}"), &inner, &input));
        let row = [
            random.host(DType::F32, &[7, 5, count], false),
            random.host(DType::F32, &[5, count], false),
            random.host(DType::F32, &[7, 1, 1], false),
        ];
        let [y, z] = [1, 2].map(Expr::slot);
        let scaled = x.sub(x.sum(Axes::from(2).keepdims())).mul(&y).sub(&z);
        reports.extend(check(&format!("scaled, {count}"), &scaled, &row));
    }
    all(reports);
}

#[test]
fn narrow_results_share_no_word_between_invocations() {
    let mut random = Random::new("narrow programs");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    for dtype in [DType::F16, DType::I8] {
        for shape in [[64usize, 24], [40, 300]] {
            let input = [random.host(dtype, &shape, false)];
            let turned = [transposed(input[0].clone())];
            for axis in [0isize, 1] {
                let centred = x.sub(x.max(Axes::from(axis).keepdims()));
                let what = format!("{dtype} {shape:?} along {axis}");
                reports.extend(check(&what, &centred, &input));
                reports.extend(check(&format!("{what}, transposed"), &centred, &turned));
            }
        }
    }
    all(reports);
}

#[test]
fn softmax_of_rows_and_columns_is_one_dispatch_and_right() {
    let mut random = Random::new("softmax");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let cases = [
        (DType::F32, [30usize, 300], 1isize),
        (DType::F32, [30, 301], 1),
        (DType::F32, [300, 30], 0),
        (DType::F32, [5, 4000], 1),
        (DType::F16, [30, 301], 1),
    ];
    for (dtype, shape, axis) in thinned(&mut random, cases) {
        let input = [random.host(dtype, &shape, false)];
        let kept = Axes::from(axis).keepdims();
        let exps = x.sub(x.max(kept.clone())).exp();
        let softmax = exps.div(exps.sum(kept));
        for (options, name) in both().iter().zip(["software", "GPU"]) {
            let slots = [zerostride::Slot::new(dtype, shape).unwrap()];
            let plan = zerostride::Plan::new(&softmax, &slots, options).unwrap();
            assert_eq!(plan.pass_count(), 1, "{plan}");
            let what = format!("{shape:?} along {axis}, {name}");
            reports.push(check_with(&what, &softmax, &input, SOFTMAX, options));
        }
    }
    all(reports);
}

#[test]
fn gradients_of_slices_are_placed_among_zeros() {
    let mut random = Random::new("placed");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let range = |a, b, step| Index::Range(a, b, step);
    let slices = [
        vec![range(Some(1), None, 1)],
        vec![range(None, None, -3), range(Some(2), Some(-1), 2)],
        vec![Index::At(4)],
        vec![Index::Ellipsis, Index::At(-1)],
        vec![range(Some(4), Some(8), 1), range(Some(4), Some(12), 1)],
        vec![range(Some(3), Some(4), 1), Index::At(5)],
    ];
    for dtype in [DType::F32, DType::F16] {
        for slice in &slices {
            let input = [random.host(dtype, &[12, 16], false)];
            let gradient = x
                .mul(&x)
                .slice(slice.clone())
                .gradient(std::slice::from_ref(&x));
            let what = format!("{dtype} {slice:?}");
            reports.extend(check(&what, &gradient[0], &input));
            reports.extend(check(&what, &gradient[0].add(&x), &input));
        }
    }
    all(reports);
}

#[test]
fn hard_sums_and_variances_keep_their_digits() {
    let f32s = |values: Vec<f32>| {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        HostTensor::new(DType::F32, [values.len()], bytes).unwrap()
    };
    let x = Expr::slot(0);
    let mut reports = Vec::new();
    let ones = [f32s(vec![1.0; (1 << 24) + 1])];
    reports.extend(check("ones", &x.sum(..), &ones));
    if !few() {
        reports.extend(check("mean of ones", &x.mean(..), &ones));
    }
    let cancelling = [f32s(
        (0..100_001).map(|i| [1e8f32, 1.0, -1e8][i % 3]).collect(),
    )];
    reports.extend(check("cancelling", &x.sum(..), &cancelling));
    // Spaced by 1/16 there.
    let far = [f32s(
        (0..9000).map(|i| 1e6 + [-1.0f32, 1.0][i % 2]).collect(),
    )];
    reports.extend(check("variance far from 0", &x.var(..), &far));
    let variance = crate::common::on_adapter(&x.var(..), &far).unwrap();
    let variance = f32::from_le_bytes(variance.bytes[..].try_into().unwrap());
    assert!((variance - 1.0).abs() < 1e-5, "{variance}");
    let values = (0..9000).map(|i| 1e8 + [-1.0f64, 1.0][i % 2]);
    let bytes = values.flat_map(f64::to_le_bytes).collect();
    let far = [HostTensor::new(DType::F64, [9000], bytes).unwrap()];
    reports.extend(check("variance of f64", &x.var(..), &far));
    let variance = crate::common::on_adapter(&x.var(..), &far).unwrap();
    let variance = f64::from_le_bytes(variance.bytes[..].try_into().unwrap());
    assert!((variance - 1.0).abs() < 1e-8, "{variance}");
    all(reports);
}
