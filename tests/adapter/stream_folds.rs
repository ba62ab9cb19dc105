//! Reductions from file to file with little memory.

use std::path::Path;

use zerostride::npy::NpyFile;
use zerostride::stream::{Input, Report, Schedule, Stream};
use zerostride::{Axes, DType, Expr, HostTensor};

use crate::common::{Random, all, compare, context, on_adapter};

fn load(path: &Path) -> HostTensor {
    NpyFile::open(path, None).unwrap().read_all().unwrap()
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
    let (report, schedule) = run().map_err(|e| format!("{what}: {e}"))?;
    let what = format!("{what} in {memory} bytes: {schedule}");
    if schedule.bound() > memory {
        return Err(what);
    }
    let found = load(&out);
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
