//! Reductions: what `eval` computes, checks and refuses, and what the other subcommands show.

use serde_json::Value;
use zerostride::{bf16, f16};

use crate::Folder;
use crate::eval::data;

/// Evaluates with --verify and gives what was written.
fn eval<T: zerostride::Element>(
    folder: &Folder,
    expr: &str,
    inputs: &[&str],
) -> (Vec<usize>, Vec<T>) {
    let args = [&["eval", expr], inputs, &["-o", "out.npy", "--verify"]].concat();
    let stdout = folder.ok(&args);
    let bound = "; within the bound of the expression";
    assert!(stdout.contains(bound), "{expr}: {stdout}");
    assert!(!stdout.contains(" none\n"), "{expr}: {stdout}");
    folder.load("out.npy")
}

#[test]
fn z_scores_of_a_table_are_one_pass_and_within_their_bound() {
    let folder = Folder::new();
    let wine = format!("x={}", data("wine.npy"));
    let expr = "(x - x.mean(axis=0)) / x.std(axis=0)";
    let args = ["eval", expr, &wine, "-o", "z.npy", "--verify", "--explain"];
    let stdout = folder.ok(&args);
    for words in [
        "plan: 1 pass, ",
        "fold 0: f32 = sum of x along axes [0]\n  step 0: f32 = rounded_div(fold 0, 178.0f32)",
        "quads of columns a workgroup",
        "f32 [178, 13]\n[[",
        "verify: 2314 elements compared with the reference",
        "; within the bound of the expression\nwritten to z.npy",
    ] {
        assert!(stdout.contains(words), "`{words}` is not in {stdout}");
    }
    let (shape, z) = folder.load::<f32>("z.npy");
    assert_eq!(shape, [178, 13]);
    for column in 0..13 {
        let values = z.iter().skip(column).step_by(13).map(|&v| f64::from(v));
        let (sum, squares) = values.fold((0.0, 0.0), |(s, q), v| (s + v, q + v * v));
        let (mean, variance) = (sum / 178.0, squares / 178.0);
        assert!(
            mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-5,
            "{column}: {mean} {variance}"
        );
    }
}

#[test]
fn values_types_and_shapes_are_numpys() {
    let folder = Folder::new();
    folder.save("u.npy", &[2, 2], &[200u8, 100, 7, 0]);
    folder.save("i.npy", &[3], &[-7i32, 2, i32::MAX]);
    folder.save("b.npy", &[2, 2], &[true, false, true, true]);
    folder.save("n.npy", &[4], &[1.0f32, f32::NAN, 3.0, -0.0]);
    folder.save("h.npy", &[3], &[1.5, -2.0, 0.25].map(f16::from_f32));
    folder.save("w.npy", &[3], &[1.5, -2.0, 0.25].map(bf16::from_f32));
    let x = ["x=x.npy"];
    let floats = |expr: &str| eval::<f32>(&folder, expr, &x);
    assert_eq!(floats("x.sum()"), (vec![], vec![21.0]));
    assert_eq!(floats("x.sum(0)"), (vec![3], vec![5.0, 7.0, 9.0]));
    assert_eq!(floats("x.prod(axis=-1)"), (vec![2], vec![6.0, 120.0]));
    assert_eq!(
        floats("x.mean(1, keepdims=True)"),
        (vec![2, 1], vec![2.0, 5.0])
    );
    assert_eq!(floats("x.T.max(0)"), (vec![2], vec![3.0, 6.0]));
    assert_eq!(floats("x.max(0) - x.min(0)"), (vec![3], vec![3.0; 3]));
    assert_eq!(floats("x.var()"), (vec![], vec![2.9166667]));
    assert_eq!(floats("x / x.sum((0, 1))").0, [2, 3]);
    assert_eq!(floats("logsumexp(x * 0, axis=1)").1, [3f32.ln(); 2]);
    let softmax = floats(
        "exp(x - x.max(1, keepdims=True)) / exp(x - x.max(1, keepdims=True)).sum(1, keepdims=True)",
    );
    assert!(
        (softmax.1.iter().sum::<f32>() - 2.0).abs() < 1e-6,
        "{softmax:?}"
    );
    assert_eq!(
        eval::<i64>(&folder, "x.argmax(axis=1)", &x),
        (vec![2], vec![2, 2])
    );
    assert_eq!(eval::<i64>(&folder, "n.argmax()", &["n=n.npy"]).1, [1]);
    assert_eq!(
        eval::<bool>(&folder, "any(x > 4, axis=0)", &x),
        (vec![3], vec![false, true, true])
    );
    assert_eq!(
        eval::<bool>(&folder, "(x > 0).all()", &x),
        (vec![], vec![true])
    );
    assert_eq!(eval::<u64>(&folder, "u.sum()", &["u=u.npy"]).1, [307]);
    assert_eq!(
        eval::<u8>(&folder, "u.max(axis=0)", &["u=u.npy"]).1,
        [200, 100]
    );
    assert_eq!(
        eval::<i64>(&folder, "i.sum()", &["i=i.npy"]).1,
        [i64::from(i32::MAX) - 5]
    );
    assert_eq!(
        eval::<i64>(&folder, "b.sum(axis=1)", &["b=b.npy"]).1,
        [1, 2]
    );
    assert_eq!(
        eval::<f16>(&folder, "h.sum()", &["h=h.npy"]).1,
        [f16::from_f32(-0.25)]
    );
    folder.ok(&["eval", "w.mean()", "w=w.npy:bf16", "--verify"]);
    folder.ok(&["eval", "u.std()", "u=u.npy", "--numpy"]);
}

#[test]
fn long_rows_are_folded_in_parts_and_verified() {
    let folder = Folder::new();
    let long: Vec<f32> = (0..600_000)
        .map(|i| (i % 1013) as f32 / 8.0 - 60.0)
        .collect();
    folder.save("long.npy", &[2, 300_000], &long);
    let x = ["x=long.npy"];
    for (expr, shape) in [("x.sum()", vec![]), ("x.max(axis=1)", vec![2])] {
        assert_eq!(eval::<f32>(&folder, expr, &x).0, shape, "{expr}");
    }
    assert_eq!(eval::<i64>(&folder, "x.argmin(axis=1)", &x).0, [2]);
}

#[test]
fn scans_are_explained_and_verified() {
    let folder = Folder::new();
    let long: Vec<f32> = (0..90_000)
        .map(|i| (i % 1013) as f32 / 8.0 - 60.0)
        .collect();
    folder.save("long.npy", &[2, 45_000], &long);
    let x = ["x=x.npy"];
    let sums = (vec![2, 3], vec![1.0, 3.0, 6.0, 4.0, 9.0, 15.0]);
    assert_eq!(eval::<f32>(&folder, "np.cumsum(x, axis=1)", &x), sums);
    assert_eq!(eval::<f32>(&folder, "x.cumprod()", &x).1[5], 720.0);
    let wide = ["x=long.npy"];
    for (expr, shape) in [
        ("x.cumsum()", vec![90_000]),
        ("(x / 3).cumsum(axis=1) + x", vec![2, 45_000]),
        ("x[:, ::-1].cumsum(1)", vec![2, 45_000]),
        ("x.T.cumsum(0)", vec![45_000, 2]),
    ] {
        assert_eq!(eval::<f32>(&folder, expr, &wide).0, shape, "{expr}");
    }
    let stdout = folder.ok(&[
        "kernel",
        "(x * 2).cumsum(0) + x",
        "x=f32[60000]",
        "--explain",
    ]);
    for words in [
        "plan: 4 passes, ",
        "the scan: f32 = sum of step 0 along axes [1], of all elements",
        "the scan: f32 = sum of temporary 0 along axes [0], of those before each element",
        "the scan: f32 = sum of step 0 along axes [1], up to each element, behind temporary 1",
        "step 1: f32 = add(the scan, x)",
    ] {
        assert!(stdout.contains(words), "`{words}` is not in {stdout}");
    }
}

#[test]
fn what_may_be_anything_is_said() {
    let folder = Folder::new();
    let stdout = folder.ok(&["eval", "exp(x).argmax(axis=1)", "x=x.npy", "--verify"]);
    assert!(
        stdout.contains("within the bound of the expression; 2 elements have no bound"),
        "{stdout}"
    );
    let args = [
        "eval",
        "exp(x).argmax(axis=1)",
        "x=x.npy",
        "--verify",
        "--json",
    ];
    let json: Value = serde_json::from_str(&folder.ok(&args)).unwrap();
    assert_eq!(
        (&json["verify"]["unbounded"], &json["verify"]["within"]),
        (&2.into(), &true.into())
    );
    let args = [
        "eval",
        "x.argmax(axis=1)",
        "x=x.npy",
        "--verify",
        "--json",
        "--explain",
        "--wgsl",
    ];
    let json: Value = serde_json::from_str(&folder.ok(&args)).unwrap();
    assert_eq!(
        (&json["dtype"], &json["shape"]),
        (&"i64".into(), &serde_json::json!([2]))
    );
    assert_eq!(
        (&json["passes"], &json["verify"]["unbounded"]),
        (&1.into(), &0.into())
    );
    assert!(json["plan"].as_str().unwrap().contains("the position"));
    assert!(json["kernels"][0].as_str().unwrap().contains("@compute"));
}

#[test]
fn arrays_without_elements_are_reduced_where_they_can_be() {
    let folder = Folder::new();
    folder.save::<f32>("none.npy", &[0, 3], &[]);
    let x = ["x=none.npy"];
    assert_eq!(
        eval::<f32>(&folder, "x.sum(0)", &x),
        (vec![3], vec![0.0; 3])
    );
    assert_eq!(eval::<f32>(&folder, "x.prod()", &x), (vec![], vec![1.0]));
    assert_eq!(eval::<f32>(&folder, "x.max(axis=1)", &x), (vec![0], vec![]));
    assert_eq!(
        eval::<f32>(&folder, "x - x.max(1, keepdims=True)", &x).0,
        [0, 3]
    );
    assert!(eval::<f32>(&folder, "x.mean()", &x).1[0].is_nan());
    for (name, words) in [
        (
            "argmax",
            "argmax: the operand has no elements (shape [0, 3])",
        ),
        ("max", "max: the operand has no elements (shape [0, 3])"),
    ] {
        let expr = format!("1 + x.{name}(axis=0)");
        let args = ["eval", &expr, x[0], "-o", "none-of-it.npy"];
        folder.fails(1, &["column 7: ", words, "\n        ^\n"], &args);
    }
}

#[test]
fn errors_name_the_reduction_its_column_and_the_axis_and_write_nothing() {
    let folder = Folder::new();
    for (expr, words) in [
        (
            "1 + x.sum(axis=2)",
            [
                "column 7: sum: axis 2 is out of range for rank 2",
                "from -2 to 1",
            ],
        ),
        (
            "x.mean(-3)",
            ["column 3: mean: axis -3 is out of range", "from -2 to 1"],
        ),
        (
            "x.sum(axis=(0, -2))",
            ["column 3: sum: axis 0 is named twice", "[0, -2]"],
        ),
        (
            "x.sum(0).sum(1)",
            [
                "column 10: sum: axis 1 is out of range for rank 1",
                "from -1 to 0",
            ],
        ),
        (
            "x.sum(1) + x",
            ["column 10: add: shapes [2] and [2, 3]", "axis 1"],
        ),
        (
            "2 * sum(3)",
            ["column 5: sum", "a number has no axes to reduce"],
        ),
        ("max(x, x)", ["column 8", "maximum(a, b)"]),
        ("x.std(ddof=-1)", ["column 12", "ddof must be 0 or more"]),
        (
            "x.sum(axis=0.5)",
            ["column 12", "axis= must be a whole number"],
        ),
    ] {
        let args = ["eval", expr, "x=x.npy", "-o", "out.npy", "--verify"];
        folder.fails(1, &words, &args);
        let args = ["kernel", expr, "x=f32[2,3]"];
        folder.fails(1, &words, &args);
    }
    folder.save("d.npy", &[2], &[1.0f64, 2.0]);
    folder.ok(&[
        "eval",
        "d.sum()",
        "d=d.npy",
        "--portable",
        "-o",
        "out.npy",
        "--verify",
    ]);
    assert_eq!(folder.load::<f64>("out.npy").1, [3.0]);
}

#[test]
fn kernels_of_reductions_are_shown_in_every_language() {
    let folder = Folder::new();
    let z = "(x - x.mean(axis=0)) / x.std(axis=0)";
    for (expr, shape) in [
        (z, "x=f32[178,13]"),
        ("x.argmax(1)", "x=i16[64,100]"),
        ("x.sum()", "x=u8[9000000]"),
    ] {
        for (language, mark) in [
            ("wgsl", "@compute"),
            ("hlsl", "[numthreads("),
            ("msl", "kernel void"),
            ("glsl", "#version 310 es"),
        ] {
            let stdout = folder.ok(&["kernel", expr, shape, "--emit", language, "--words"]);
            assert!(stdout.contains(mark), "{expr} as {language}: {stdout}");
            assert!(
                stdout.contains("dispatch 0: pass 0"),
                "{expr} as {language}: {stdout}"
            );
        }
        for limits in ["--webgpu-limits", "--software", "--probed"] {
            let stdout = folder.ok(&["kernel", expr, shape, limits, "--explain"]);
            assert!(stdout.contains("fold 0: "), "{expr}: {stdout}");
        }
    }
    let parts = folder.ok(&["kernel", "x.sum()", "x=f32[9000000]", "--explain"]);
    assert!(
        parts.contains("leave their 256 lanes to what comes next"),
        "{parts}"
    );
}

#[test]
fn reductions_are_listed_with_their_parameters_and_result_types() {
    let folder = Folder::new();
    let stdout = folder.ok(&["ops"]);
    let line = |name: &str| {
        let found = stdout.lines().find(|l| l.starts_with(&format!("{name} ")));
        found
            .unwrap_or_else(|| panic!("{name}: {stdout}"))
            .to_owned()
    };
    assert!(
        line("sum").contains("axis, dtype, keepdims, initial, where "),
        "{stdout}"
    );
    assert!(line("sum").contains(" i64, u64 or same "), "{stdout}");
    assert!(line("argmax").contains(" i64 "), "{stdout}");
    assert!(line("max").contains(" same "), "{stdout}");
    assert!(line("mean").contains(" f32 or same "), "{stdout}");
    assert!(line("cumsum").contains("axis, dtype "), "{stdout}");
    assert!(line("cumprod").contains(" i64, u64 or same "), "{stdout}");
    let json: Value = serde_json::from_str(&folder.ok(&["ops", "--json"])).unwrap();
    let all = json["reductions"].as_array().unwrap();
    let any = all.iter().find(|r| r["name"] == "any").unwrap();
    assert_eq!(
        any["parameters"],
        serde_json::json!(["axis", "keepdims", "where"])
    );
    assert_eq!(any["results"]["f64"], "bool");
    assert!(all.iter().all(|r| !r["doc"].as_str().unwrap().is_empty()));
}
