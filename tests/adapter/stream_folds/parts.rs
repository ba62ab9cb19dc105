//! Reductions in parts that are joined.

use zerostride::stream::{Input, Stream};
use zerostride::{DType, Expr, HostTensor};

use super::{advised, folds, load};
use crate::common::{Random, Turns, all, compare, context, on_adapter, thinned};

/// Computes an expression in parts, in this order, and compares it with what is computed in one go.
/// Gives whether they are shares of a reduction, and what each run found missing.
pub fn in_parts(
    what: &str,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    order: &[usize],
    memory: u64,
) -> Result<Vec<(bool, Vec<usize>)>, String> {
    let folder = tempfile::tempdir().unwrap();
    let n = order.iter().max().unwrap() + 1;
    let expected = on_adapter(expr, inputs).map_err(|e| format!("{what}: {e}"))?;
    let arrays: Vec<&dyn Input> = inputs.iter().map(|x| x as &dyn Input).collect();
    let out = folder.path().join("out.npy");
    let what = format!("{what} in {n} parts with {memory} bytes");
    let part = |k: usize| {
        let stream = Stream::new(expr, &arrays, &context().options())?;
        let report = stream.memory(memory).part(k, n).run(&context(), &out)?;
        Ok::<_, zerostride::Error>((report.is_shared, report.missing.unwrap()))
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
    // Of all shapes and orders, so that they share kernels.
    let memories: Vec<u64> = folds()
        .iter()
        .map(|_| [130 << 10, 1 << 20][random.below(2)])
        .collect();
    let mut turns = Turns::new(&mut random);
    let shapes = [[20_001, 5], [3000, 40], [100, 3]];
    let orders = [&[0][..], &[1, 0], &[2, 4, 0, 3, 1]];
    let variants: Vec<_> = shapes
        .iter()
        .flat_map(|&shape| orders.map(|order| (shape, order)))
        .collect();
    let cases = folds().into_iter().zip(memories);
    let cases = cases.filter(|((name, ..), _)| *name != "windows");
    for ((name, expr, used), memory) in thinned(&mut random, cases) {
        for ([rows, columns], order) in turns.of(&variants) {
            let inputs =
                [vec![rows, columns], vec![columns]].map(|s| random.host(DType::F32, &s, false));
            let what = format!("{name} of [{rows}, {columns}]");
            reports.push(in_parts(&what, &expr, &inputs[..used], order, memory).map(drop));
        }
    }
    all(reports);
}

#[test]
fn a_reduction_of_windows_is_not_shared_among_parts() {
    let input = [Random::new("windows").host(DType::F32, &[30_000, 3], false)];
    let sums = Expr::slot(0).windows([(0, 3)]).sum(0);
    let error = in_parts("windows", &sums, &input, &[0, 1], 200 << 10).unwrap_err();
    assert!(error.contains("cannot be divided into parts"), "{error}");
}

#[test]
fn a_part_says_which_are_missing_until_the_last_joins_them() {
    let input = [Random::new("missing").host(DType::F32, &[30_000, 3], false)];
    let x = Expr::slot(0);
    // Part 1 is written again.
    let missing = in_parts("mean", &x.mean(0), &input, &[1, 3, 1, 0, 2], 200 << 10).unwrap();
    let expected = [vec![0, 2, 3], vec![0, 2], vec![0, 2], vec![2], vec![]];
    assert_eq!(missing, expected.map(|parts| (true, parts)));
    // Rows are nobody's to share.
    let missing = in_parts("rows", &x.mean(1), &input, &[0, 1], 200 << 10).unwrap();
    assert_eq!(missing, [(false, vec![1]), (false, vec![])]);
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
