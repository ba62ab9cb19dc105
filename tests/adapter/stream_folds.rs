//! Reductions from file to file with little memory.

use std::path::Path;

use zerostride::npy::NpyFile;
use zerostride::stream::{Input, Report, Schedule, Stream};
use zerostride::{Axes, DType, Expr, HostTensor, Layout, Reduction, View};

use crate::common::{Random, all, compare, context, on_adapter};

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
    let began = std::time::Instant::now();
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
    eprintln!(
        "{:6.0} ms {what} {memory} {} pieces {} windows",
        began.elapsed().as_secs_f64() * 1e3,
        report.pieces,
        report.windows
    );
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
        ("centred", x.sub(&x.mean(kept()))),
        ("softmax", {
            let e = x.sub(&x.max(kept())).exp();
            e.div(&e.sum(kept()))
        }),
        ("argmax", x.argmax(-1)),
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
        ("z-scores", x.sub(&x.mean(kept())).div(&x.std(kept())), 1),
        ("variance of all", x.var(..), 1),
        ("range", x.max(..).sub(&x.min(..)), 1),
        ("sum of sums", x.sum(1).max(..), 1),
        ("less the sums of rows", x.sub(&x.sum(1).mean(..)), 1),
        ("transposed", x.transpose().sum(1), 1),
        (
            "every other row",
            x.slice([zerostride::Index::Range(None, None, 2)]).sum(0),
            1,
        ),
        (
            "reversed",
            x.sub(&x.slice([zerostride::Index::Range(None, None, -1)]))
                .max(0),
            1,
        ),
        ("any", x.less(&y).any(0), 2),
        ("count", x.less(&y).count_nonzero(..), 2),
        ("flattened", x.reshape([-1]).sum(0), 1),
        (
            "a column",
            x.slice([zerostride::Index::ALL, zerostride::Index::At(1)])
                .sum(0),
            1,
        ),
    ]
}

#[test]
fn columns_and_everything_are_folded_piece_by_piece() {
    let mut random = Random::new("streamed columns");
    let mut reports = Vec::new();
    for [rows, columns] in [
        [40_001, 7],
        [9000, 33],
        [300, 2000],
        [5, 60_000],
        [70_000, 1],
    ] {
        let inputs =
            [vec![rows, columns], vec![columns]].map(|s| random.host(DType::F32, &s, false));
        for (name, expr, used) in folds() {
            if columns == 1 && name == "a column" {
                continue;
            }
            let what = format!("{name} of [{rows}, {columns}]");
            for memory in [250 << 10, 700 << 10] {
                let found = streamed(&what, &expr, &inputs[..used], memory);
                reports.push(found.map(drop));
            }
        }
    }
    all(reports);
}

#[test]
fn every_type_is_folded_in_pieces_as_in_one_go() {
    let mut random = Random::new("streamed types");
    let x = Expr::slot(0);
    let mut reports = Vec::new();
    for dtype in DType::ALL {
        if dtype == DType::F64 && !context().limits().float64 {
            continue;
        }
        for shape in [vec![20_003, 5], vec![3, 40_001]] {
            let input = [random.host(dtype, &shape, false)];
            let cases = [
                ("sum", x.sum(0)),
                ("mean", x.mean(..)),
                ("product", x.prod(0)),
                ("least", x.min(..)),
                ("all", x.all(0)),
                ("position", x.argmax(..)),
                ("last", x.reduce(Reduction::ArgMin { last: true }, 0)),
                ("as it is", x.reduce_as_is(Reduction::Sum, ..)),
            ];
            for (name, expr) in cases {
                if dtype == DType::Bool && name == "as it is" {
                    continue;
                }
                let what = format!("{name} of {dtype} {shape:?}");
                reports.push(streamed(&what, &expr, &input, 200 << 10).map(drop));
            }
        }
    }
    all(reports);
}

#[test]
fn several_axes_are_folded_in_pieces_as_in_one_go() {
    let mut random = Random::new("streamed axes");
    let [x, y] = [0, 1].map(Expr::slot);
    let mut reports = Vec::new();
    for [a, b, c] in [[401, 3, 257], [30, 40, 90], [2, 9000, 5], [3000, 7, 4]] {
        let inputs = [vec![a, b, c], vec![b, 1]].map(|s| random.host(DType::F32, &s, false));
        for axes in [[0, 1], [0, 2], [1, 2]] {
            let kept = Axes::from(axes).keepdims();
            let cases = [
                ("sum", x.sum(axes), 1),
                ("weighted", x.mul(&y).sum(axes), 2),
                ("position", x.mul(&y).argmax(axes), 2),
                ("centred", x.sub(&x.mean(kept)), 1),
                (
                    "transposed",
                    x.transpose()
                        .mul(&y.transpose().reshape([1, -1, 1]))
                        .max(axes),
                    2,
                ),
            ];
            for (name, expr, used) in cases {
                let what = format!("{name} of {:?} along {axes:?}", [a, b, c]);
                for memory in [120 << 10, 400 << 10] {
                    reports.push(streamed(&what, &expr, &inputs[..used], memory).map(drop));
                }
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
                reports.push(streamed(&what, &expr, &[input.clone()], 200 << 10).map(drop));
            }
        }
    }
    all(reports);
}

/// Computes an expression in parts, in this order, and compares it with what is computed in one go.
/// Gives what each run found missing.
fn in_parts(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    order: &[usize],
    memory: u64,
) -> Result<Vec<Option<Vec<usize>>>, String> {
    let folder = tempfile::tempdir().unwrap();
    let n = order.iter().max().unwrap() + 1;
    let expected = on_adapter(expr, inputs).map_err(|e| format!("{what}: {e}"))?;
    let arrays: Vec<&dyn Input> = inputs.iter().map(|x| x as &dyn Input).collect();
    let out = folder.path().join("out.npy");
    let what = format!("{what} in {n} parts with {memory} bytes");
    let part = |k: usize| {
        let stream = Stream::new(expr, &arrays, &context().options())?;
        let report = stream.memory(memory).part(k, n).run(&context(), &out)?;
        Ok::<_, zerostride::Error>(report.missing)
    };
    let mut missing = Vec::new();
    for &k in order {
        match part(k) {
            Ok(found) => missing.push(found),
            Err(e) => match advised(&e.to_string()).filter(|&advised| advised > memory) {
                Some(advised) => return in_parts(&what, expr, inputs, order, advised),
                None => return Err(format!("{what}: {e}")),
            },
        }
    }
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().collect();
    if left.len() != 1 {
        return Err(format!("{what}: {left:?}"));
    }
    let found = load(&out, expected.dtype);
    compare(&what, &found, &expected, 0.0)?;
    match found.bytes == expected.bytes {
        true => Ok(missing),
        false => Err(format!("{what}: other bits")),
    }
}

#[test]
fn parts_share_the_elements_of_a_reduction() {
    let mut random = Random::new("shared");
    let mut reports = Vec::new();
    for [rows, columns] in [[20_001, 5], [3000, 40], [100, 3]] {
        let inputs =
            [vec![rows, columns], vec![columns]].map(|s| random.host(DType::F32, &s, false));
        for (name, expr, used) in folds() {
            for order in [&[0][..], &[1, 0], &[2, 4, 0, 3, 1]] {
                let what = format!("{name} of [{rows}, {columns}]");
                let memory = [130 << 10, 1 << 20][random.below(2)];
                reports.push(in_parts(&what, &expr, &inputs[..used], order, memory).map(drop));
            }
        }
    }
    all(reports);
}

#[test]
fn a_part_says_which_are_missing_until_the_last_joins_them() {
    let input = [Random::new("missing").host(DType::F32, &[30_000, 3], false)];
    let x = Expr::slot(0);
    // Part 1 is written again.
    let missing = in_parts("mean", &x.mean(0), &input, &[1, 3, 1, 0, 2], 200 << 10).unwrap();
    let expected = [vec![0, 2, 3], vec![0, 2], vec![0, 2], vec![2], vec![]];
    assert_eq!(missing, expected.map(Some));
    // Rows are nobody's to share.
    let missing = in_parts("rows", &x.mean(1), &input, &[0, 1], 200 << 10).unwrap();
    assert_eq!(missing, [None, None]);
}

#[test]
fn parts_of_another_expression_are_not_joined() {
    let folder = tempfile::tempdir().unwrap();
    let input = Random::new("others").host(DType::F32, &[30_000, 3], false);
    let arrays: [&dyn Input; 1] = [&input];
    let out = folder.path().join("out.npy");
    let part = |expr: Expr<usize>, k, n| {
        let stream = Stream::new(&expr, &arrays, &context().options()).unwrap();
        stream.part(k, n).run(&context(), &out)
    };
    let x = Expr::slot(0);
    part(x.sum(0), 0, 2).unwrap();
    assert!(!out.exists() && folder.path().join("out.npy.lanes").exists());
    for (expr, n) in [(x.max(0), 2), (x.sum(0), 3), (x.sum(..), 2)] {
        let error = part(expr, 1, n).unwrap_err().to_string();
        assert!(
            error.contains("out.npy.lanes") && error.contains("remove it"),
            "{error}"
        );
    }
    let report = part(x.sum(0), 1, 2).unwrap();
    assert!(report.missing == Some(Vec::new()) && out.exists());
    assert!(!folder.path().join("out.npy.lanes").exists());
}
