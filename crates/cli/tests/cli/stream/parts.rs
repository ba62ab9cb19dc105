//! Parts of a result: which are there, and files of which some are missing.

use std::fs;

use serde_json::{Value, json};

use crate::Folder;

const ARGS: [&str; 6] = ["eval", "x * 2", "x=x.npy", "-o", "p.npy", "--part"];

fn part(folder: &Folder, k: &str) -> String {
    folder.ok(&[&ARGS[..], &[k]].concat())
}

#[test]
fn parts_say_which_are_missing_until_none_is() {
    let folder = Folder::new();
    let long: Vec<f32> = (0..500).map(|i| i as f32).collect();
    folder.save("x.npy", &[500], &long);
    let text = part(&folder, "2/5");
    assert!(
        text.starts_with("part 2/5 written to p.npy: 400 bytes"),
        "{text}"
    );
    assert!(text.ends_with("; parts 1, 3 to 5 are missing\n"), "{text}");
    let json = folder.ok(&[&ARGS[..], &["4/5", "--json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["missing"], json!([1, 3, 5]));
    // Again: what was written stays written.
    for (k, missing) in [
        ("1/5", "parts 3, 5 are"),
        ("2/5", "parts 3, 5 are"),
        ("5/5", "part 3 is"),
    ] {
        let text = part(&folder, k);
        assert!(text.ends_with(&format!("; {missing} missing\n")), "{text}");
    }
    // Nobody takes the file for a whole one.
    let words = "p.npy: part 3 is missing of 5 parts, according to p.npy.parts; compute them, or remove p.npy.parts";
    folder.fails(1, &[words], &["eval", "y + 1", "y=p.npy"]);
    folder.fails(
        1,
        &[words],
        &[
            "eval", "y + 1", "y=p.npy", "-o", "z.npy", "--memory", "1MiB",
        ],
    );
    folder.fails(1, &[words], &["check", "p.npy"]);
    let text = part(&folder, "3/5");
    assert!(text.ends_with("; no part is missing\n"), "{text}");
    assert!(!folder.path("p.npy.parts").exists());
    assert_eq!(
        folder.ok(&["check", "p.npy"]),
        "p.npy: f32 [500], complete\n"
    );
    let found = folder.load::<f32>("p.npy").1;
    assert!(found.iter().zip(&long).all(|(y, x)| *y == 2.0 * x));
    // One that is run later begins anew.
    let text = part(&folder, "1/5");
    assert!(text.ends_with("; parts 2 to 5 are missing\n"), "{text}");
    // Until the file is written as a whole.
    folder.ok(&["eval", "x * 2", "x=x.npy", "-o", "p.npy", "-q"]);
    folder.ok(&["check", "p.npy"]);
    part(&folder, "1/5");
    folder.ok(&[
        "eval", "x * 2", "x=x.npy", "-o", "p.npy", "--memory", "1MiB",
    ]);
    folder.ok(&["check", "p.npy"]);
}

#[test]
fn parts_of_another_result_are_refused_and_nothing_is_changed() {
    let folder = Folder::new();
    part(&folder, "1/3");
    let words = [
        "p.npy.parts: it exists and does not hold this number of parts",
        "remove it, or name another output than p.npy",
    ];
    for (expr, k) in [("x * 2", "1/2"), ("x * 3", "2/3")] {
        folder.fails(
            1,
            &words,
            &["eval", expr, "x=x.npy", "-o", "p.npy", "--part", k],
        );
    }
    folder.fails(
        1,
        &["p.npy: it exists and does not hold parts of this result"],
        &["eval", "x[0]", "x=x.npy", "-o", "p.npy", "--part", "1/3"],
    );
    // A file that is no output gets nothing beside it.
    folder.fails(
        1,
        &["row.npy: it exists and does not hold parts"],
        &["eval", "x", "x=x.npy", "-o", "row.npy", "--part", "1/3"],
    );
    // Marks of a file that was removed are of no use.
    fs::remove_file(folder.path("p.npy")).unwrap();
    let text = part(&folder, "2/3");
    assert!(text.ends_with("; parts 1, 3 are missing\n"), "{text}");
    fs::remove_file(folder.path("p.npy")).unwrap();
    let text = folder.ok(&["eval", "x[0]", "x=x.npy", "-o", "p.npy", "--part", "1/2"]);
    assert!(text.ends_with("; part 2 is missing\n"), "{text}");
    fs::write(folder.path("p.npy.parts"), "notes").unwrap();
    folder.fails(
        1,
        &["p.npy.parts: not a list of parts; remove it"],
        &["eval", "p", "p=p.npy"],
    );
}

#[test]
fn check_tells_of_every_file() {
    let folder = Folder::new();
    part(&folder, "1/2");
    folder.ok(&[
        "eval",
        "x.sum(axis=0)",
        "x=x.npy",
        "-o",
        "s.npy",
        "--part",
        "1/2",
    ]);
    fs::write(
        folder.path("short.npy"),
        &fs::read(folder.path("x.npy")).unwrap()[..140],
    )
    .unwrap();
    assert_eq!(
        folder.ok(&["check", "x.npy", "row.npy"]),
        "x.npy: f32 [2, 3], complete\nrow.npy: f32 [3], complete\n"
    );
    let run = folder.run(&["check", "p.npy", "x.npy", "short.npy", "nosuch.npy"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (1, "x.npy: f32 [2, 3], complete\n")
    );
    for words in [
        "p.npy: part 2 is missing of 2 parts",
        "short.npy: truncated",
        "nosuch.npy: ",
    ] {
        assert!(run.stderr.contains(words), "{run:?}");
    }
    folder.fails(2, &["FILE.npy"], &["check"]);
}
