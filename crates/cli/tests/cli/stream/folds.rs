//! `eval --memory` and `--part` of reductions.

use std::fs;
use std::process::Child;
use std::time::Duration;

use super::start;
use crate::Folder;

/// Numbers that look random, the same in every run.
fn floats(len: usize) -> Vec<f32> {
    let number = |i: usize| ((i as u32).wrapping_mul(2_654_435_761) >> 8) as f32;
    (0..len).map(|i| number(i) / 8_388_608.0 - 0.7).collect()
}

const EXPRESSIONS: [&str; 12] = [
    "x.mean(axis=0)",
    "x.sum()",
    "(x - x.mean(axis=0)) / x.std(axis=0)",
    "x.argmax(axis=0)",
    "x.argmin()",
    "(x > 0.9999).any(axis=0)",
    "x.var(axis=1)",
    "(x * w).max(axis=0)",
    "exp(x - x.max(axis=1, keepdims=True)).sum(axis=0)",
    "x.max() - x.min()",
    "i.mean(axis=0)",
    "i.sum() + x.sum()",
];

/// All expressions in the check of each change, one of each three where plain `cargo test` runs.
fn drawn() -> impl Iterator<Item = &'static str> {
    let all = std::env::var_os("ZEROSTRIDE_DRAWS").is_some();
    let first = std::process::id() as usize % 3;
    let numbered = EXPRESSIONS.into_iter().enumerate();
    let drawn = numbered.filter(move |(i, _)| all || i % 3 == first);
    drawn.map(|(_, expression)| expression)
}

#[test]
fn a_streamed_reduction_is_the_reduction_of_eval() {
    let folder = Folder::new();
    folder.save("x.npy", &[9000, 70], &floats(630_000));
    folder.save("w.npy", &[70], &floats(70));
    let integers: Vec<i64> = (0..630_000)
        .map(|i| i * i * 7919 - 40_000_000_000)
        .collect();
    folder.save("i.npy", &[90_000, 7], &integers);
    for expression in drawn() {
        let mut args = vec!["eval", expression];
        for name in ["x", "w", "i"] {
            let names = [format!("{name}."), format!("({name} "), format!("{name})")];
            if names.iter().any(|n| expression.contains(n)) {
                args.push(match name {
                    "x" => "x=x.npy",
                    "w" => "w=w.npy",
                    _ => "i=i.npy",
                });
            }
        }
        folder.ok(&[&args[..], &["-o", "whole.npy"]].concat());
        let whole = fs::read(folder.path("whole.npy")).unwrap();
        folder.ok(&[&args[..], &["-o", "piece.npy", "--memory", "500KiB"]].concat());
        assert!(
            fs::read(folder.path("piece.npy")).unwrap() == whole,
            "{expression}"
        );
        for part in ["2/3", "3/3", "1/3"] {
            folder.ok(&[&args[..], &["-o", "parts.npy", "--part", part]].concat());
        }
        assert!(
            fs::read(folder.path("parts.npy")).unwrap() == whole,
            "{expression} in parts"
        );
        assert!(!folder.path("parts.npy.lanes").exists(), "{expression}");
        fs::remove_file(folder.path("parts.npy")).unwrap();
    }
}

#[test]
fn a_reduction_says_how_it_is_streamed_and_what_it_needs() {
    let folder = Folder::new();
    folder.save("x.npy", &[9000, 70], &floats(630_000));
    let args = [
        "eval",
        "x - x.mean(axis=0)",
        "x=x.npy",
        "-o",
        "o.npy",
        "--memory",
    ];
    let text = folder.ok(&[&args[..], &["500KiB", "--explain"]].concat());
    for words in [
        "reduction 0: mean of [9000, 70] to [70], in ",
        "of a piece, plan: 1 pass",
        "streamed: [9000, 70] in ",
        "of a window, plan: 1 pass",
        "  reduction 0  f32",
        " pieces and ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    let json = folder.ok(&[&args[..], &["500KiB", "--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(
        json["pieces"].as_u64().unwrap() > 5 && json["missing"].is_null(),
        "{json}"
    );
    let refused = folder.run(&[&args[..], &["17000"]].concat());
    assert!(
        refused.code == 1
            && refused
                .stderr
                .contains("column 7: stream: a memory of 17000 bytes"),
        "{refused:?}"
    );
    assert!(
        refused
            .stderr
            .contains("does not suffice for mean of [9000, 70]; allow "),
        "{refused:?}"
    );
}

#[test]
fn parts_of_a_reduction_say_which_are_missing() {
    let folder = Folder::new();
    folder.save("x.npy", &[9000, 70], &floats(630_000));
    let args = ["eval", "x.mean(axis=0)", "x=x.npy", "-o", "m.npy", "--part"];
    let part = |k: &'static str| folder.ok(&[&args[..], &[k]].concat());
    let text = part("2/5");
    assert!(text.contains("part 2/5 written to m.npy.lanes: "), "{text}");
    assert!(text.ends_with("; parts 1, 3 to 5 are missing\n"), "{text}");
    let json = folder.ok(&[&args[..], &["4/5", "--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["missing"], serde_json::json!([1, 3, 5]));
    part("1/5");
    assert!(part("2/5").ends_with("; parts 3, 5 are missing\n"));
    assert!(part("5/5").ends_with("; part 3 is missing\n"));
    assert!(!folder.path("m.npy").exists());
    let text = part("3/5");
    assert!(
        text.contains("the last one; all parts joined to m.npy: "),
        "{text}"
    );
    folder.ok(&["eval", "x.mean(axis=0)", "x=x.npy", "-o", "whole.npy"]);
    let [parts, whole] = ["m.npy", "whole.npy"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(parts == whole && !folder.path("m.npy.lanes").exists());
    // What is left of other parts is not joined.
    folder.ok(&[
        "eval",
        "x.max(axis=0)",
        "x=x.npy",
        "-o",
        "m.npy",
        "--part",
        "1/2",
    ]);
    folder.fails(
        1,
        &["m.npy.lanes", "remove it"],
        &[
            "eval",
            "x.min(axis=0)",
            "x=x.npy",
            "-o",
            "m.npy",
            "--part",
            "1/2",
        ],
    );
    fs::write(folder.path("m.npy.lanes"), b"something else").unwrap();
    folder.fails(
        1,
        &["m.npy.lanes", "remove it"],
        &[&args[..], &["1/5"]].concat(),
    );
}

#[test]
fn parts_of_a_reduction_that_are_killed_and_run_again_are_joined() {
    let folder = Folder::new();
    folder.save("x.npy", &[10_000, 100], &floats(1_000_000));
    let args = [
        "eval",
        "x.std(axis=0)",
        "x=x.npy",
        "--memory",
        "300KiB",
        "-o",
    ];
    folder.ok(&[&args[..], &["whole.npy"]].concat());
    let part = |k: &'static str| [&args[..], &["parts.npy", "--part", k]].concat();
    let mut children: Vec<Child> = ["1/3", "2/3", "3/3"]
        .iter()
        .map(|k| start(&folder, &part(k)))
        .collect();
    while !folder.path("parts.npy.lanes").exists() && !folder.path("parts.npy").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    children[0].kill().unwrap();
    children[2].kill().unwrap();
    for child in &mut children {
        child.wait().unwrap();
    }
    for k in ["3/3", "1/3", "2/3"] {
        if folder.run(&["check", "parts.npy"]).code != 0 {
            folder.ok(&part(k));
        }
    }
    let [parts, whole] =
        ["parts.npy", "whole.npy"].map(|name| fs::read(folder.path(name)).unwrap());
    assert!(parts == whole);
}

/// What is held for a file of 64 MB is no more than is allowed.
#[cfg(target_os = "linux")]
#[test]
fn sixty_four_megabytes_are_reduced_in_eight_mebibytes() {
    use super::memory::peak;
    let folder = Folder::new();
    folder.save("x.npy", &[160_000, 100], &floats(16_000_000));
    folder.save("small.npy", &[5000, 100], &floats(500_000));
    let run = |args: &[&str]| start(&folder, &[&["eval"], args].concat());
    for expression in drawn().filter(|e| !e.contains("i.") && !e.contains('w')) {
        // With the kernels of a run in pieces, for which there is little to hold.
        let little = ["x=small.npy", "-o", "o.npy", "--memory", "400KiB"];
        let base = peak(run(&[&[expression][..], &little].concat()));
        let allowed = ["x=x.npy", "-o", "piece.npy", "--memory", "8MiB"];
        // A driver compiles a kernel once and keeps it; that is not what is measured.
        let runs = (0..2).map(|_| peak(run(&[&[expression][..], &allowed].concat())));
        let most = runs.min().unwrap();
        let held = most.saturating_sub(base);
        assert!(held <= 8 << 20, "{expression}: {} KiB are held", held >> 10);
        folder.ok(&["eval", expression, "x=x.npy", "-o", "whole.npy"]);
        let files = ["piece.npy", "whole.npy"].map(|name| fs::read(folder.path(name)).unwrap());
        assert!(files[0] == files[1], "{expression}");
    }
}
