//! Reductions from file to file with little memory.

mod parts;

use std::path::Path;

use zerostride::npy::NpyFile;
use zerostride::stream::{Input, Report, Schedule, Stream};
use zerostride::{Axes, DType, Expr, HostTensor, Index, Layout, Reduction, View};

use crate::common::{Random, Turns, all, compare, context, count, on_adapter, thinned};

fn load(path: &Path, dtype: DType) -> HostTensor {
    let bf16 = (dtype == DType::Bf16).then_some(dtype);
    NpyFile::open(path, bf16).unwrap().read_all().unwrap()
}

/// The memory that an error says is enough.
fn advised(error: &str) -> Option<u64> {
    let (_, advice) = error.split_once("allow ")?;
    advice.split_whitespace().next()?.parse().ok()
}

/// Streams an expression and compares it with what is computed in one go, bit for bit.
fn streamed(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    memory: u64,
) -> Result<(Schedule, Report), String> {
    let folder = tempfile::tempdir().unwrap();
    let expected = on_adapter(expr, inputs).map_err(|e| format!("{what}: {e}"))?;
    let arrays: Vec<&dyn Input> = inputs.iter().map(|x| x as &dyn Input).collect();
    let out = folder.path().join("out.npy");
    let run = || {
        let stream = Stream::new(expr, &arrays, &context().options())?.memory(memory);
        let schedule = stream.schedule(&context())?;
        Ok::<_, zerostride::Error>((stream.run(&context(), &out)?, schedule))
    };
    let (report, schedule) = match run() {
        Ok(found) => found,
        // What is advised must do.
        Err(e) => match advised(&e.to_string()).filter(|&advised| advised > memory) {
            Some(advised) => return streamed(what, expr, inputs, advised),
            None => return Err(format!("{what}: {e}")),
        },
    };
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    let what = format!("{what} in {memory} bytes: {schedule}");
    if schedule.bound() > memory || left.len() != 1 {
        return Err(what);
    }
    let found = load(&out, expected.dtype);
    compare(&what, &found, &expected, 0.0)?;
    match found.bytes == expected.bytes {
        true => Ok((schedule, report)),
        false => Err(format!("{what}: other bits")),
    }
}

#[test]
fn rows_that_fit_are_folded_in_windows() {
    let mut random = Random::new("streamed rows");
    let [x, y] = [0, 1].map(Expr::slot);
    let kept = || Axes::from(-1).keepdims();
    let cases = [
        ("sum", x.sum(1)),
        ("mean", x.mul(&y).mean(1)),
        ("centred", x.sub(x.mean(kept()))),
        ("softmax", {
            let e = x.sub(x.max(kept())).exp();
            e.div(e.sum(kept()))
        }),
        ("argmax", x.argmax(-1)),
        ("windows in rows", x.windows([(1, 7)]).mean(2)),
        ("windows of rows", x.windows([(0, 4)]).max(2)),
        ("variance", x.var(1)),
    ];
    let inputs = [vec![3001, 70], vec![70]].map(|s| random.host(DType::F32, &s, false));
    let mut reports = Vec::new();
    for (name, expr) in &cases {
        let used = if *name == "mean" { 2 } else { 1 };
        let found = streamed(name, expr, &inputs[..used], 200 << 10);
        reports.push(found.and_then(|(_, report)| match report.windows > 20 {
            true => Ok(()),
            false => Err(format!("{name}: {} windows", report.windows)),
        }));
    }
    all(reports);
}

/// The expressions that need all of a column, or everything, with how many inputs each has.
fn folds() -> Vec<(&'static str, Expr<usize>, usize)> {
    let [x, y] = [0, 1].map(Expr::slot);
    let kept = || Axes::from(0).keepdims();
    vec![
        ("sum of columns", x.sum(0), 1),
        ("sum of all", x.sum(..), 1),
        ("mean", x.mean(0), 1),
        ("mean of all", x.mul(&y).mean(..), 2),
        ("maximum", x.max(0), 1),
        ("argmax", x.argmax(0), 1),
        ("argmin of all", x.argmin(..), 1),
        ("argmax of products", x.mul(&y).argmax(..), 2),
        ("z-scores", x.sub(x.mean(kept())).div(x.std(kept())), 1),
        ("variance of all", x.var(..), 1),
        ("range", x.max(..).sub(x.min(..)), 1),
        ("sum of sums", x.sum(1).max(..), 1),
        ("less the sums of rows", x.sub(x.sum(1).mean(..)), 1),
        ("transposed", x.transpose().sum(1), 1),
        (
            "every other row",
            x.slice([Index::Range(None, None, 2)]).sum(0),
            1,
        ),
        (
            "reversed",
            x.sub(x.slice([Index::Range(None, None, -1)])).max(0),
            1,
        ),
        ("any", x.less(&y).any(0), 2),
        ("count", x.less(&y).count_nonzero(..), 2),
        ("flattened", x.reshape([-1]).sum(0), 1),
        ("windows", x.windows([(0, 3)]).sum(0), 1),
        ("a column", x.slice([Index::ALL, Index::At(1)]).sum(0), 1),
    ]
}

#[test]
fn columns_and_everything_are_folded_piece_by_piece() {
    let mut random = Random::new("streamed columns");
    let mut reports = Vec::new();
    // Of all shapes, so that they share kernels.
    let memories: Vec<u64> = folds()
        .iter()
        .map(|_| [200 << 10, 500 << 10][random.below(2)])
        .collect();
    let mut turns = Turns::new(&mut random);
    let cases = folds().into_iter().zip(memories);
    for ((name, expr, used), memory) in thinned(&mut random, cases) {
        for [rows, columns] in turns.of(&[[40_001, 7], [300, 900], [5, 30_000], [70_000, 1]]) {
            let inputs =
                [vec![rows, columns], vec![columns]].map(|s| random.host(DType::F32, &s, false));
            if columns == 1 && name == "a column" {
                continue;
            }
            let what = format!("{name} of [{rows}, {columns}]");
            let found = streamed(&what, &expr, &inputs[..used], memory);
            reports.push(found.map(drop));
        }
    }
    all(reports);
}

#[test]
fn every_type_is_folded_in_pieces_as_in_one_go() {
    let mut random = Random::new("streamed types");
    let x = Expr::slot(0);
    let mut reports = Vec::new();
    let last = Reduction::ArgMin { last: true };
    let cases = [
        (DType::Bool, x.any(0)),
        (DType::Bool, x.sum(..)),
        (DType::U8, x.mean(0)),
        (DType::I16, x.reduce_as_is(Reduction::Sum, ..)),
        (DType::F16, x.mean(0)),
        (DType::Bf16, x.max(..)),
        (DType::I32, x.argmax(0)),
        (DType::I64, x.mean(..)),
        (DType::I64, x.prod(0)),
        (DType::U64, x.reduce(last, 0)),
        (DType::F32, x.argmax(..)),
        (DType::F64, x.sum(0)),
        (DType::F64, x.reduce(last, ..)),
    ];
    for (k, (dtype, expr)) in thinned(&mut random, cases.iter().enumerate()) {
        if *dtype == DType::F64 && !context().limits().float64 {
            continue;
        }
        let shape = [[20_003, 5], [3, 40_001]][(k + random.below(2)) % 2];
        let input = [random.host(*dtype, &shape, false)];
        let what = format!("{expr:?} of {dtype} {shape:?}");
        reports.push(streamed(&what, expr, &input, 200 << 10).map(drop));
    }
    all(reports);
}

#[test]
fn several_axes_are_folded_in_pieces_as_in_one_go() {
    let mut random = Random::new("streamed axes");
    let [x, y] = [0, 1].map(Expr::slot);
    let mut reports = Vec::new();
    let mut turns = Turns::new(&mut random);
    for axes in [[0, 1], [0, 2], [1, 2]] {
        for [a, b, c] in turns.of(&[[401, 3, 257], [2, 9000, 5], [3000, 7, 4]]) {
            let inputs = [vec![a, b, c], vec![b, 1]].map(|s| random.host(DType::F32, &s, false));
            let kept = Axes::from(axes).keepdims();
            let cases = [
                ("sum", x.sum(axes), 1),
                ("weighted", x.mul(&y).sum(axes), 2),
                ("position", x.mul(&y).argmax(axes), 2),
                ("centred", x.sub(x.mean(kept)), 1),
                (
                    "transposed",
                    x.transpose()
                        .mul(y.transpose().reshape([1, -1, 1]))
                        .max(axes),
                    2,
                ),
            ];
            for (name, expr, used) in thinned(&mut random, cases) {
                let what = format!("{name} of {:?} along {axes:?}", [a, b, c]);
                let memory = [120 << 10, 400 << 10][random.below(2)];
                reports.push(streamed(&what, &expr, &inputs[..used], memory).map(drop));
            }
        }
    }
    all(reports);
}

#[test]
fn files_in_any_order_are_folded_by_boxes() {
    let mut random = Random::new("streamed boxes");
    let x = Expr::slot(0);
    let mut reports = Vec::new();
    for shape in [[200, 3000], [3000, 200]] {
        let plain = random.host(DType::F32, &shape, false);
        let turned = HostTensor::with_layout(
            plain.dtype,
            Layout::contiguous([shape[1], shape[0]])
                .unwrap()
                .view(&View::Transpose)
                .unwrap(),
            plain.bytes.clone(),
        );
        for (order, input) in [("C", plain), ("Fortran", turned.unwrap())] {
            for (name, expr) in [
                ("columns", x.sum(0)),
                ("rows", x.sum(1)),
                ("all", x.mean(..)),
            ] {
                let what = format!("{name} of {shape:?} in {order} order");
                reports.push(
                    streamed(&what, &expr, std::slice::from_ref(&input), 200 << 10).map(drop),
                );
            }
        }
    }
    all(reports);
}

/// A random expression of three inputs, of two axes each, with reductions that keep their axes.
fn random_expression(random: &mut Random, depth: usize) -> Expr<usize> {
    if depth == 0 || random.below(6) == 0 {
        return Expr::slot(random.below(3));
    }
    let x = random_expression(random, depth - 1);
    let along = [Axes::from(0), Axes::from(1), Axes::ALL][random.below(3)].clone();
    let along = along.keepdims();
    match random.below(12) {
        0 => x.sum(along),
        1 => x.mean(along),
        2 => x.max(along).sub(&x),
        3 => x.argmin(along).cast(DType::F32),
        4 => x.var(along),
        5 => x.less(Expr::slot(0)).any(along).cast(DType::F32),
        6 => x.neg(),
        7 => x.abs().sqrt(),
        8 => x.slice([Index::Range(None, None, -1)]).add(Expr::slot(2)),
        n => {
            let y = random_expression(random, depth - 1);
            match n {
                9 => x.add(&y),
                10 => x.mul(&y),
                _ => x.maximum(&y),
            }
        }
    }
}

#[test]
fn random_expressions_are_streamed_and_cut_into_parts_as_in_one_go() {
    let mut random = Random::new("random folds");
    let mut reports = Vec::new();
    for case in 0..count(3, 24) {
        let (rows, columns) = [(3001, 5), (200, 77), (3, 9000), (1, 5000)][random.below(4)];
        let shapes = [[rows, columns], [1, columns], [rows, 1]];
        let inputs = shapes.map(|shape| random.host(DType::F32, &shape, false));
        let mut expr = random_expression(&mut random, 4);
        // Each input is read.
        for i in 0..3 {
            expr = expr.add(Expr::slot(i).max(Axes::ALL.keepdims()));
        }
        if random.below(2) == 0 {
            expr = expr.sum([Axes::from(0), Axes::from(1), Axes::ALL][random.below(3)].clone());
        }
        let what = format!("{case}: {expr:?} of [{rows}, {columns}]");
        let memory = 60 << 10;
        reports.push(streamed(&what, &expr, &inputs, memory).map(drop));
        let order = [&[1, 0][..], &[0, 2, 1], &[3, 0, 4, 2, 1]][random.below(3)];
        reports.push(parts::in_parts(&what, &expr, &inputs, order, memory).map(drop));
    }
    all(reports);
}
