//! What `eval` computes, prints and writes.

use std::fs;
use std::path::Path;

use serde_json::Value;
use zerostride::f16;

use crate::Folder;

pub fn data(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join("data/wine")
        .join(name)
        .display()
        .to_string()
}

#[test]
fn wine_z_scores_are_one_pass_and_agree_with_the_reference() {
    let folder = Folder::new();
    let inputs = [
        format!("x={}", data("wine.npy")),
        format!("mean={}", data("mean.npy")),
        format!("std={}", data("std.npy")),
    ];
    let args = [
        "eval",
        "(x - mean) / std",
        &inputs[0],
        &inputs[1],
        &inputs[2],
        "-o",
        "z.npy",
        "--verify",
        "--explain",
    ];
    let stdout = folder.ok(&args);
    for words in [
        "\nfloats: ",
        "plan: 1 pass, ",
        "mean      f32  shape [   1,  13]  strides [   0,   1]",
        "f32 [178, 13]\n[[",
        "verify: 2314 elements compared with the reference",
        "; within the bound of the expression",
        "written to z.npy",
    ] {
        assert!(stdout.contains(words), "`{words}` is not in {stdout}");
    }
    let (shape, z) = folder.load::<f32>("z.npy");
    assert_eq!(shape, [178, 13]);
    for column in 0..13 {
        let values: Vec<f64> = z
            .iter()
            .skip(column)
            .step_by(13)
            .map(|&v| v.into())
            .collect();
        let mean = values.iter().sum::<f64>() / 178.0;
        let variance = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 178.0;
        assert!(
            mean.abs() < 1e-5 && (variance - 1.0).abs() < 1e-5,
            "{column}: {mean} {variance}"
        );
    }
}

#[test]
fn a_normalisation_is_one_dispatch() {
    let folder = Folder::new();
    let expr = "(x - mean) / sqrt(var + eps) * gamma + beta";
    let args = [
        "eval",
        expr,
        "x=x.npy",
        "mean=row.npy",
        "var=row.npy",
        "gamma=row.npy",
        "beta=row.npy",
        "eps=1e-5",
        "--json",
    ];
    let json: Value = serde_json::from_str(&folder.ok(&args)).unwrap();
    assert_eq!(json["passes"], 1);
    let explained = folder.ok(&[
        "kernel",
        "(x - m) * r * g + b",
        "x=f32[8,16]",
        "m=f32[8,1]",
        "r=f32[8,1]",
        "g=f32[16]",
        "b=f32[16]",
        "--explain",
    ]);
    assert!(
        explained.contains("plan: 1 pass") && explained.contains("strides [   1,   0]"),
        "{explained}"
    );
}

#[test]
fn json_is_one_object_with_the_whole_report() {
    let folder = Folder::new();
    let stdout = folder.ok(&[
        "eval",
        "exp(x) * row",
        "x=x.npy",
        "row=row.npy",
        "-o",
        "y.npy",
        "--json",
        "--verify",
        "--explain",
        "--wgsl",
    ]);
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["dtype"], "f32");
    assert_eq!(json["shape"], serde_json::json!([2, 3]));
    assert!(json["floats"].as_str().unwrap().contains(", "), "{stdout}");
    assert_eq!(json["output"], "y.npy");
    assert_eq!(json["bytes_moved"], 24 + 12 + 24);
    assert_eq!(json["verify"]["compared"], 6);
    assert_eq!(json["verify"]["within"], true);
    assert!(json["adapter"].is_string() && json["wall_ms"].as_f64().unwrap() > 0.0);
    assert!(json["plan"].as_str().unwrap().starts_with("plan: 1 pass"));
    assert!(json["kernels"][0].as_str().unwrap().contains("@compute"));
}

#[test]
fn views_numbers_and_rules_give_numpys_results() {
    let folder = Folder::new();
    folder.save("s.npy", &[], &[2.0f32]);
    folder.save("col.npy", &[2, 1], &[1.0f32, -1.0]);
    type Case<'a> = (&'a str, &'a [&'a str], &'a [usize], &'a [f32]);
    let cases: [Case<'_>; 9] = [
        (
            "x[::-1]",
            &["x=x.npy"],
            &[2, 3],
            &[4.0, 5.0, 6.0, 1.0, 2.0, 3.0],
        ),
        (
            "two[:, None] + x",
            &["x=x.npy", "two=two.npy"],
            &[2, 3],
            &[101.0, 102.0, 103.0, 204.0, 205.0, 206.0],
        ),
        (
            "x.T * 2",
            &["x=x.npy"],
            &[3, 2],
            &[2.0, 8.0, 4.0, 10.0, 6.0, 12.0],
        ),
        (
            "add(x, two, axis=0)",
            &["x=x.npy", "two=two.npy"],
            &[2, 3],
            &[101.0, 102.0, 103.0, 204.0, 205.0, 206.0],
        ),
        (
            "x + two",
            &["x=x.npy", "two=two.npy", "--rule", "pdpd:0"],
            &[2, 3],
            &[101.0, 102.0, 103.0, 204.0, 205.0, 206.0],
        ),
        ("s * 3", &["s=s.npy"], &[], &[6.0]),
        ("-x[0] + k", &["x=x.npy", "k=-1"], &[3], &[-2.0, -3.0, -4.0]),
        (
            "row ** k",
            &["row=row.npy", "k=2"],
            &[3],
            &[100.0, 400.0, 900.0],
        ),
        (
            "broadcast_to(col, (2, 3)) * x",
            &["x=x.npy", "col=col.npy"],
            &[2, 3],
            &[1.0, 2.0, 3.0, -4.0, -5.0, -6.0],
        ),
    ];
    for (expr, inputs, shape, expected) in cases {
        folder.ok(&[&["eval", expr], inputs, &["-o", "out.npy", "--verify"]].concat());
        assert_eq!(
            folder.load::<f32>("out.npy"),
            (shape.to_vec(), expected.to_vec()),
            "{expr}"
        );
    }
}

#[test]
fn arrays_without_elements_give_arrays_without_elements() {
    let folder = Folder::new();
    folder.save::<f32>("none.npy", &[0, 3], &[]);
    let stdout = folder.ok(&[
        "eval",
        "none * row + 1",
        "none=none.npy",
        "row=row.npy",
        "-o",
        "out.npy",
        "--explain",
        "--verify",
    ]);
    assert!(
        stdout.contains("plan: 0 passes") && stdout.contains("f32 [0, 3]\n[]\n"),
        "{stdout}"
    );
    assert_eq!(folder.load::<f32>("out.npy"), (vec![0, 3], vec![]));
    folder.ok(&["eval", "none", "none=none.npy"]);
    folder.ok(&[
        "eval",
        "x[5:] + row",
        "x=x.npy",
        "row=row.npy",
        "-o",
        "out.npy",
    ]);
    assert_eq!(folder.load::<f32>("out.npy"), (vec![0, 3], vec![]));
}

#[test]
fn narrow_types_keep_their_width() {
    let folder = Folder::new();
    folder.save("u.npy", &[3], &[200u8, 100, 7]);
    folder.save("i.npy", &[3], &[-7i32, 2, i32::MAX]);
    folder.save("b.npy", &[3], &[true, false, true]);
    folder.save(
        "h.npy",
        &[3],
        &[f16::from_f32(1.5), f16::from_f32(-2.0), f16::from_f32(0.25)],
    );
    let h = |v: [f32; 3]| v.map(f16::from_f32).to_vec();
    folder.ok(&["eval", "u + 100", "u=u.npy", "-o", "o.npy", "--verify"]);
    assert_eq!(folder.load::<u8>("o.npy").1, [44, 200, 107]);
    folder.ok(&[
        "eval",
        "i // 2 + one",
        "i=i.npy",
        "one=1",
        "-o",
        "o.npy",
        "--verify",
    ]);
    assert_eq!(folder.load::<i32>("o.npy").1, [-3, 2, 1 << 30]);
    folder.ok(&[
        "eval", "h * k", "h=h.npy", "k=0.5", "-o", "o.npy", "--verify",
    ]);
    assert_eq!(folder.load::<f16>("o.npy").1, h([0.75, -1.0, 0.125]));
    folder.ok(&[
        "eval",
        "b & (u > 50)",
        "b=b.npy",
        "u=u.npy",
        "-o",
        "o.npy",
        "--verify",
    ]);
    assert_eq!(folder.load::<bool>("o.npy").1, [true, false, false]);
    folder.ok(&[
        "eval",
        "where(b, u, 1)",
        "b=b.npy",
        "u=u.npy",
        "-o",
        "o.npy",
        "--verify",
    ]);
    assert_eq!(folder.load::<u8>("o.npy").1, [200, 1, 7]);
}

#[test]
fn fortran_order_and_archives_are_read_and_archives_written() {
    let folder = Folder::new();
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    let dict = format!(
        "{:<117}\n",
        "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }"
    );
    file.extend((dict.len() as u16).to_le_bytes());
    file.extend(dict.bytes());
    file.extend(
        [1.0f32, 4.0, 2.0, 5.0, 3.0, 6.0]
            .iter()
            .flat_map(|x| x.to_le_bytes()),
    );
    fs::write(folder.path("f.npy"), file).unwrap();
    folder.ok(&[
        "eval", "f + x", "f=f.npy", "x=x.npy", "-o", "out.npz", "--verify",
    ]);
    assert_eq!(
        folder.load::<f32>("out.npz:arr_0").1,
        [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]
    );
    let stdout = folder.ok(&["eval", "a * 2", "a=out.npz:arr_0"]);
    assert_eq!(
        stdout,
        "f32 [2, 3]\n[[ 4.0  8.0 12.0]\n [16.0 20.0 24.0]]\n"
    );
}

#[test]
fn numbers_alone_are_computed_as_python_does() {
    let folder = Folder::new();
    for (text, found) in [
        ("2**3**2", "i64 []\n512\n"),
        ("1/3", "f64 []\n0.3333333333333333\n"),
        ("0.1 + 0.2 == 0.3", "bool []\nFalse\n"),
        ("arange(4) * 2", "i64 [4]\n[0 2 4 6]\n"),
    ] {
        assert_eq!(folder.ok(&["eval", text]), found, "{text}");
    }
}

#[test]
fn statements_and_remarks_are_lines_of_their_own() {
    let folder = Folder::new();
    let text = "n = arange(3)  # don't stop\nn * k";
    assert_eq!(folder.ok(&["eval", text, "k=2"]), "i64 [3]\n[0 2 4]\n");
    let shown = "  n +* k\n     ^";
    folder.fails(1, &[shown], &["eval", "n = arange(3)\nn +* k", "k=2"]);
    let both = "result 0: i64 []\n2\nresult 1: i64 []\n3\n";
    assert_eq!(folder.ok(&["eval", "1 + 1, 3"]), both);
    let one = ["kernel", "x, x + 1", "x=f32[3]"];
    folder.fails(2, &["has 2 results, but only one is supported here"], &one);
}

#[test]
fn the_language_is_listed_with_examples() {
    let folder = Folder::new();
    let listed = folder.ok(&["language"]);
    for words in ["statements", "concatenate((x, y), axis=1)", "np.newaxis"] {
        assert!(listed.contains(words), "{words}");
    }
    let json: serde_json::Value =
        serde_json::from_str(&folder.ok(&["language", "--json"])).unwrap();
    assert!(json["language"].as_array().is_some_and(|l| l.len() > 150));
}
