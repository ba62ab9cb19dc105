//! Integers that become floats: the command says so, and `--verify` says how far the result is from
//! exact arithmetic.

use serde_json::Value;

use crate::Folder;

const NOTE: &str = "zerostride: note: integers become f32";

fn stamps() -> Folder {
    let folder = Folder::new();
    folder.save(
        "t.npy",
        &[3],
        &[1_700_000_000_123i64, 1_700_000_059_999, 1_700_000_060_000],
    );
    folder.save("u.npy", &[3], &[1u64 << 60, 2, 3]);
    folder.save("i.npy", &[3], &[1i32, 2, 7]);
    folder.save("w.npy", &[3], &[1u32, 2, 7]);
    folder.save("h.npy", &[3], &[1i16, 2, 7]);
    folder.save("f.npy", &[3], &[1f32, 2.0, 7.0]);
    folder
}

#[test]
fn integers_of_32_and_64_bits_that_become_f32_are_told_in_one_line() {
    let folder = stamps();
    let inputs = ["t", "u", "i", "w", "h", "f"].map(|name| (name, format!("{name}={name}.npy")));
    let run = |expr: &str, more: &[&str]| {
        let used = inputs.iter().filter(|(name, _)| {
            expr.split(|c: char| !c.is_alphanumeric())
                .any(|w| w == *name)
        });
        let given: Vec<&str> = used.map(|(_, input)| input.as_str()).collect();
        let run = folder.run(&[&["eval", expr], &given[..], more].concat());
        assert_eq!(run.code, 0, "{run:?}");
        run.stderr
    };
    for (expr, words) in [
        ("t / 1000", "i64 in div at column 3"),
        ("1 + u / 3", "u64 in div at column 7"),
        ("sqrt(i)", "i32 in sqrt at column 1"),
        ("w * 0.5", "u32 in mul at column 3"),
        ("i + f", "i32 in add at column 3"),
        (
            "exp(i) + t / 2",
            "i32 in exp at column 1 and i64 in div at column 12",
        ),
    ] {
        let stderr = run(expr, &[]);
        assert!(
            stderr.starts_with(NOTE) && stderr.lines().count() == 1,
            "{expr}: {stderr}"
        );
        for word in [words, "--numpy", ".astype"] {
            assert!(stderr.contains(word), "{expr}: `{word}` is not in {stderr}");
        }
    }
    for expr in [
        "t.astype(f32) / 1000",
        "t // 1000 + 1",
        "h / 3 + f",
        "t > 5",
        "where(f > 2, i, 7)",
        "f / 3",
    ] {
        assert_eq!(run(expr, &[]), "", "{expr}");
    }
    assert!(run("t / 1000", &["-o", "o.npy", "--memory", "1MiB"]).starts_with(NOTE));
    // No file is needed for a kernel's note.
    for more in [["--explain"], ["--emit=msl"], ["--words"]] {
        let kernel = folder.run(&[&["kernel", "t / 1000", "t=i64[3]"], &more[..]].concat());
        assert!(
            kernel.stderr.starts_with(NOTE) && kernel.code == 0,
            "{kernel:?}"
        );
    }
    assert_eq!(folder.run(&["kernel", "t / 1000", "t=f32[3]"]).stderr, "");
    // A number of the command line moves columns.
    let stderr = folder
        .run(&["eval", "kk + t / 2", "t=t.npy", "kk=0.000001"])
        .stderr;
    assert!(stderr.contains("i64 in div at column 8"), "{stderr}");
}

#[test]
fn verify_tells_how_far_a_result_is_from_exact_arithmetic() {
    let folder = stamps();
    let text = folder.ok(&[
        "eval",
        "t / 1000 - 1700000000",
        "t=t.npy",
        "--verify",
        "-o",
        "o.npy",
    ]);
    let told = "verify: integers became f32: 3 of 3 elements are more than 4 ULP from exact arithmetic; the worst differs by ";
    assert!(
        text.contains(told) && text.contains("use --numpy to compute in f64"),
        "{text}"
    );
    assert_eq!(folder.load::<f32>("o.npy").1, [0.0; 3]);
    let text = folder.ok(&["eval", "t / 1000", "t=t.npy", "--verify"]);
    assert!(
        text.contains(
            "none of 3 elements is more than 4 ULP from exact arithmetic; the worst differs by 0."
        ),
        "{text}"
    );
    assert!(text.contains(", 60 in value,"), "{text}");
    let text = folder.ok(&["eval", "t / 1000 > 1700000000", "t=t.npy", "--verify"]);
    assert!(
        text.contains("elements are different from the exact result; the worst differs at [0]"),
        "{text}"
    );
    let json = folder.ok(&[
        "eval",
        "t / 1000 - 1700000000",
        "t=t.npy",
        "--verify",
        "--json",
    ]);
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (
            &json["verify"]["within"],
            &json["verify"]["integers_as_f32"]["far"]
        ),
        (&true.into(), &3.into())
    );
    for expr in ["i / 4", "sqrt(i * i)"] {
        let text = folder.ok(&["eval", expr, "i=i.npy", "--verify"]);
        assert!(
            text.contains("none of 3 elements is more than 4 ULP from exact"),
            "{text}"
        );
    }
    let text = folder.ok(&["eval", "f / 3 + h", "f=f.npy", "h=h.npy", "--verify"]);
    assert!(
        !text.contains("integers") && text.contains("within the bound"),
        "{text}"
    );
}

#[test]
fn numpys_types_need_no_optional_feature() {
    let folder = stamps();
    for expr in ["t / 1000", "t.astype(f64) * 0.5"] {
        let args = ["eval", expr, "t=t.npy", "--numpy", "--json"];
        let values = |args: &[&str]| {
            let json: serde_json::Value = serde_json::from_str(&folder.ok(args)).unwrap();
            json["values"].clone()
        };
        assert_eq!(
            values(&args),
            values(&[&args[..], &["--portable"]].concat())
        );
    }
}
