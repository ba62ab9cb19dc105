//! From file to file with little memory.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use zerostride::npy::{self, NpyFile};
use zerostride::stream::{Input, Progress, Stream, missing_parts};
use zerostride::{DType, Error, Expr, HostTensor, Index, reference};

use crate::common::{Random, compare, context, on_adapter, thinned};

fn save(folder: &Path, name: &str, host: &HostTensor) -> NpyFile {
    let path = folder.join(name);
    npy::write(&path, host.dtype, host.layout.shape(), &host.bytes).unwrap();
    NpyFile::open(&path, (host.dtype == DType::Bf16).then_some(DType::Bf16)).unwrap()
}

fn load(path: &Path) -> HostTensor {
    NpyFile::open(path, None).unwrap().read_all().unwrap()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_streamed_result_is_the_result_in_memory() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("stream");
    let [x, y, z] = [0, 1, 2].map(Expr::slot);
    let cases: Vec<(&str, Expr<usize>)> = vec![
        ("row", x.add(&y).maximum(&z)),
        ("no step", x.clone()),
        (
            "steps",
            x.slice([Index::Range(Some(1), None, 2)])
                .add(z.slice([Index::Range(Some(1), None, 2)])),
        ),
        ("reversed", x.slice([Index::Range(None, None, -1)]).sub(&y)),
        (
            "reshaped",
            x.reshape([-1])
                .neg()
                .add(y.reshape([-1, 1, 1]).slice([Index::At(-1)])),
        ),
        (
            "reshaped twice",
            x.reshape([-1])
                .reshape([1, -1, 1])
                .slice([Index::ALL, Index::Range(None, None, -1)]),
        ),
        ("costly row", x.mul(y.exp())),
        ("long", (0..520).fold(x.clone(), |sum, _| sum.neg()).add(&y)),
    ];
    let (mut most, mut inputs_used) = (0, 0);
    for (name, expr) in thinned(&mut random, &cases) {
        for dtype in [DType::F32, DType::F16, DType::U8] {
            // One array of each expression is large enough for many windows, whatever the seed.
            let least = if dtype == DType::F32 { 300 } else { 1 };
            let (rows, columns) = (least + 1 + random.below(100), least + random.below(300));
            if dtype == DType::U8 && *name == "costly row" || dtype != DType::F32 && *name == "long"
            {
                continue;
            }
            let inputs = [vec![rows, columns], vec![columns], vec![rows, 1]]
                .map(|s| random.host(dtype, &s, false));
            let used = match *name {
                "row" | "steps" => 3,
                "no step" => 1,
                _ => 2,
            };
            inputs_used = inputs_used.max(used);
            let files: Vec<NpyFile> = (0..used)
                .map(|i| save(folder.path(), &format!("{i}.npy"), &inputs[i]))
                .collect();
            let arrays: Vec<&dyn Input> = files.iter().map(|f| f as &dyn Input).collect();
            let expected = on_adapter(expr, &inputs[..used]).unwrap();
            for memory in [48 << 10, 300 << 10, 64 << 20] {
                let out = folder.path().join("out.npy");
                let stream = Stream::new(expr, &arrays, &context().options())
                    .unwrap()
                    .memory(memory);
                let schedule = stream.schedule(&context()).unwrap();
                assert!(schedule.bound() <= memory, "{schedule}");
                let report = stream.run(&context(), &out).unwrap();
                assert_eq!(report.windows, schedule.windows());
                most = most.max(report.windows);
                let what =
                    format!("{name} {dtype} [{rows}, {columns}] in {memory} bytes: {schedule}");
                compare(&what, &load(&out), &expected, 0.0).unwrap();
            }
        }
    }
    assert!(most > 20, "{most} windows at most");
    let mut known: Vec<String> = (0..inputs_used).map(|i| format!("{i}.npy")).collect();
    known.push("out.npy".into());
    assert_eq!(names(folder.path()), known);
}

#[test]
fn slices_that_lie_apart_along_the_streamed_axis_are_streamed() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("slices apart");
    let from = |low, high| Expr::slot(0).slice([Index::Range(low, high, 1)]);
    for (what, shape) in [("elements", vec![180_007]), ("rows", vec![3_009, 60])] {
        let inputs = [random.host(DType::F32, &shape, false)];
        let files = [save(folder.path(), "x.npy", &inputs[0])];
        let arrays: Vec<&dyn Input> = files.iter().map(|f| f as &dyn Input).collect();
        for by in [1, 2, 3, 7, 40] {
            let (low, high) = (from(None, Some(-2 * by)), from(Some(2 * by), None));
            let middle = from(Some(by), Some(-by));
            for (order, expr) in [
                ("falling", high.sub(&low)),
                ("rising", low.sub(&high)),
                ("three", low.sub(&middle).add(&high)),
            ] {
                let stream = Stream::new(&expr, &arrays, &context().options()).unwrap();
                let stream = stream.memory(256 << 10);
                let schedule = stream.schedule(&context()).unwrap();
                let what = format!("{what} {by} apart, {order}: {schedule}");
                assert!(schedule.bound() <= 256 << 10, "{what}");
                assert!(schedule.windows() > 5, "{what}");
                let out = folder.path().join("out.npy");
                stream.run(&context(), &out).unwrap();
                let expected = reference::run(&expr, &inputs).unwrap();
                compare(&what, &load(&out), &expected, 0.0).unwrap();
            }
        }
    }
}

#[test]
fn calls_know_the_shapes_of_whole_arrays() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("calls");
    let inputs = [random.host(DType::F32, &[3_001, 70], false)];
    let files = [save(folder.path(), "x.npy", &inputs[0])];
    let arrays: Vec<&dyn Input> = files.iter().map(|f| f as &dyn Input).collect();
    let x = || Expr::<usize>::slot(0);
    for (what, expr) in [
        ("size", x() / x().size() + x().len()),
        ("rows", x().softmax(1) / x().len()),
        ("turned", x().flip(1) + x().broadcast_to([3_001, 70])),
        ("sums", x().heaviside(0.5).nansum(0) / x().len()),
    ] {
        let stream = Stream::new(&expr, &arrays, &context().options()).unwrap();
        let stream = stream.memory(256 << 10);
        let schedule = stream.schedule(&context()).unwrap();
        let in_pieces = schedule.to_string().contains(" pieces of ");
        assert!(in_pieces || schedule.windows() > 3, "{what}: {schedule}");
        let out = folder.path().join("out.npy");
        stream.run(&context(), &out).unwrap();
        let expected = on_adapter(&expr, &inputs).unwrap();
        compare(what, &load(&out), &expected, 0.0).unwrap();
    }
}

#[test]
fn few_rows_are_streamed_along_the_inner_axis() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("few rows");
    let inputs = [[3, 50_001], [1, 50_001], [3, 1]].map(|s| random.host(DType::I16, &s, false));
    let files: Vec<NpyFile> = (0..3)
        .map(|i| save(folder.path(), &format!("{i}.npy"), &inputs[i]))
        .collect();
    let arrays: Vec<&dyn Input> = files.iter().map(|f| f as &dyn Input).collect();
    let expr = Expr::slot(0).add(Expr::slot(1)).mul(Expr::slot(2));
    let stream = Stream::new(&expr, &arrays, &context().options())
        .unwrap()
        .memory(200 << 10);
    let out = folder.path().join("out.npy");
    assert!(stream.run(&context(), &out).unwrap().windows > 20);
    compare(
        "few rows",
        &load(&out),
        &reference::run(&expr, &inputs).unwrap(),
        0.0,
    )
    .unwrap();
}

#[test]
fn inputs_in_another_order_are_kept_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("other order");
    let inputs = [[300, 200], [200, 300]].map(|s| random.host(DType::F32, &s, false));
    let files: Vec<NpyFile> = (0..2)
        .map(|i| save(folder.path(), &format!("{i}.npy"), &inputs[i]))
        .collect();
    let arrays: Vec<&dyn Input> = files.iter().map(|f| f as &dyn Input).collect();
    let expr = Expr::slot(0).transpose().add(Expr::slot(1));
    let out = folder.path().join("out.npy");
    let stream = |memory| {
        Stream::new(&expr, &arrays, &context().options())
            .unwrap()
            .memory(memory)
    };
    let refused = stream(100 << 10)
        .run(&context(), &out)
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("0.npy cannot be streamed") && refused.contains("C order"),
        "{refused}"
    );
    assert!(!out.exists());
    // The advice holds.
    let advised: u64 = refused
        .split("or allow ")
        .nth(1)
        .unwrap()
        .split(' ')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    stream(advised).run(&context(), &out).unwrap();
    compare(
        "kept",
        &load(&out),
        &reference::run(&expr, &inputs).unwrap(),
        0.0,
    )
    .unwrap();
    // Two of them, none of which is in the way alone.
    let both = Expr::slot(0).transpose().add(Expr::slot(1).transpose());
    let arrays = [arrays[0]; 2];
    let stream_both = |memory| {
        Stream::new(&both, &arrays, &context().options())
            .unwrap()
            .memory(memory)
    };
    let refused = stream_both(100 << 10)
        .run(&context(), &out)
        .unwrap_err()
        .to_string();
    assert!(refused.contains("0.npy cannot be streamed"), "{refused}");
    stream_both(4 << 20).run(&context(), &out).unwrap();
    let expected = reference::run(&both, &[inputs[0].clone(), inputs[0].clone()]).unwrap();
    compare("both kept", &load(&out), &expected, 0.0).unwrap();
    let nothing = stream(100).run(&context(), &out).unwrap_err();
    assert!(matches!(nothing, Error::Argument { .. }), "{nothing}");
}

/// An array whose reading fails from a position on.
struct Failing(HostTensor, usize);

impl Input for Failing {
    fn name(&self) -> String {
        "failing".into()
    }
    fn dtype(&self) -> DType {
        self.0.dtype
    }
    fn layout(&self) -> zerostride::Result<zerostride::Layout> {
        self.0.layout()
    }
    fn read(&self, positions: std::ops::Range<usize>, out: &mut [u8]) -> zerostride::Result<()> {
        if positions.end > self.1 {
            return Err(Error::Unsupported {
                what: "reading further".into(),
            });
        }
        self.0.read(positions, out)
    }
}

#[test]
fn a_run_that_fails_or_is_stopped_leaves_the_earlier_file() {
    let folder = tempfile::tempdir().unwrap();
    let host = Random::new("failing").host(DType::F32, &[1000, 100], false);
    let out = folder.path().join("out.npy");
    std::fs::write(&out, b"earlier").unwrap();
    let expr = Expr::slot(0).neg();
    let failing = Failing(host.clone(), 50_000);
    let arrays: [&dyn Input; 1] = [&failing];
    let stream = Stream::new(&expr, &arrays, &context().options())
        .unwrap()
        .memory(100 << 10);
    let error = stream.run(&context(), &out).unwrap_err();
    assert!(error.to_string().contains("reading further"), "{error}");
    let flag = AtomicBool::new(false);
    let arrays: [&dyn Input; 1] = [&host];
    let progress = |p: Progress| {
        assert!(p.written < p.total);
        flag.store(true, Ordering::Relaxed);
    };
    let stream = Stream::new(&expr, &arrays, &context().options())
        .unwrap()
        .memory(100 << 10);
    let stopped = stream.progress(&progress).stop(&flag).run(&context(), &out);
    assert!(
        matches!(stopped, Err(Error::Interrupted { .. })),
        "{stopped:?}"
    );
    assert_eq!(std::fs::read(&out).unwrap(), b"earlier");
    assert_eq!(names(folder.path()), ["out.npy"]);
}

#[test]
fn parts_in_any_order_and_again_make_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("part files");
    for shape in [vec![301, 33], vec![2, 4001], vec![3], vec![], vec![0, 3]] {
        let host = random.host(DType::U8, &shape, false);
        let arrays: [&dyn Input; 1] = [&host];
        let expr = Expr::slot(0).add(Expr::slot(0));
        let stream = || {
            Stream::new(&expr, &arrays, &context().options())
                .unwrap()
                .memory(16 << 10)
        };
        let (whole, parts) = (
            folder.path().join("whole.npy"),
            folder.path().join("parts.npy"),
        );
        stream().run(&context(), &whole).unwrap();
        let mut missing = Vec::new();
        for k in [3, 0, 6, 1, 3, 5, 2, 4] {
            let report = stream().part(k, 7).run(&context(), &parts).unwrap();
            missing.push(report.missing.unwrap());
            let beside = missing_parts(&parts).unwrap().map(|found| found.missing);
            assert_eq!(beside.unwrap_or_default(), missing[missing.len() - 1]);
        }
        assert_eq!(missing[3], [2, 4, 5]);
        assert_eq!((&missing[6][..], &missing[7][..]), (&[4][..], &[][..]));
        assert_eq!(names(folder.path()), ["parts.npy", "whole.npy"]);
        // One that is written again after that begins anew.
        let report = stream().part(0, 7).run(&context(), &parts).unwrap();
        assert_eq!(report.missing.unwrap(), [1, 2, 3, 4, 5, 6]);
        assert_eq!(
            std::fs::read(&whole).unwrap(),
            std::fs::read(&parts).unwrap(),
            "{shape:?}"
        );
        std::fs::remove_file(&parts).unwrap();
    }
    let host = random.host(DType::U8, &[4], false);
    let other = random.host(DType::U8, &[5], false);
    let parts = folder.path().join("parts.npy");
    for (host, is_right) in [(&host, true), (&other, false)] {
        let arrays: [&dyn Input; 1] = [host];
        let stream = Stream::new(&Expr::slot(0), &arrays, &context().options())
            .unwrap()
            .part(0, 2);
        assert_eq!(stream.run(&context(), &parts).is_ok(), is_right);
    }
}

#[test]
fn joined_arrays_and_numbers_are_streamed_where_they_fit() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("joined");
    let inputs = [[300, 200], [100, 200]].map(|s| random.host(DType::F32, &s, false));
    let files: Vec<NpyFile> = (0..2)
        .map(|i| save(folder.path(), &format!("{i}.npy"), &inputs[i]))
        .collect();
    let arrays: Vec<&dyn Input> = files.iter().map(|f| f as &dyn Input).collect();
    let out = folder.path().join("out.npy");
    for text in [
        "concatenate((x, y)) * 2",
        "concatenate((y, x, y))[::-1] + arange(200)",
        "concatenate((x * x, y)).sum(axis=0)",
        "x + arange(200)",
        "concatenate((y, x[100:]))",
        "concatenate((x[:, 100:], x[:, :7]), 1)",
        "pad(x[100:], 3)",
        "roll(x[200:], 7, 0)",
    ] {
        let parsed = zerostride::text::parse(text).unwrap();
        let known = |i: usize| (inputs[i].dtype, inputs[i].layout.shape().clone());
        let expr = parsed
            .bind_to(&["x", "y"], known, &zerostride::Rule::Numpy)
            .unwrap();
        let stream = |memory| {
            Stream::new(&expr, &arrays, &context().options())
                .unwrap()
                .memory(memory)
        };
        let expected = reference::run(&expr, &inputs).unwrap();
        for memory in [8 << 20, 2 << 20] {
            stream(memory).run(&context(), &out).unwrap();
            let what = format!("{text} in {memory} bytes");
            compare(&what, &load(&out), &expected, 0.0).unwrap();
        }
    }
}
