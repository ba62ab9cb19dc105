//! `eval --memory` and `--part`: from file to file.

mod folds;
#[cfg(target_os = "linux")]
mod memory;
mod parts;

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use crate::Folder;
#[cfg(unix)]
use crate::signals::{Signal, send};

#[test]
fn a_streamed_file_is_the_file_of_eval() {
    let folder = Folder::new();
    let x: Vec<f32> = (0..300_000).map(|i| i as f32 / 7.0 - 9000.0).collect();
    folder.save("big.npy", &[3000, 100], &x);
    folder.save(
        "wide.npy",
        &[100],
        &x[..100].iter().map(|&v| f64::from(v)).collect::<Vec<_>>(),
    );
    let args = [
        "eval",
        "sin(x) * w + x[::-1, :1]",
        "x=big.npy",
        "w=wide.npy",
        "--f64-as",
        "f32",
        "-o",
    ];
    folder.ok(&[&args[..], &["whole.npy"]].concat());
    // `x` is read forwards and backwards, so that it has to stay.
    let text = folder.ok(&[&args[..], &["piece.npy", "--memory", "8MiB", "--explain"]].concat());
    assert!(
        text.contains("\nfloats: ")
            && text.contains("streamed: [3000, 100] in ")
            && text.contains(" of 2 inputs kept"),
        "{text}"
    );
    assert!(
        text.contains("of a window, plan: ") && text.contains("  w       "),
        "{text}"
    );
    assert!(
        text.contains("written to piece.npy: 1200000 bytes in "),
        "{text}"
    );
    assert_eq!(
        fs::read(folder.path("whole.npy")).unwrap(),
        fs::read(folder.path("piece.npy")).unwrap()
    );
    let args = [
        "eval",
        "sin(x) * w",
        "x=big.npy",
        "w=wide.npy",
        "--f64-as",
        "f32",
        "-o",
    ];
    folder.ok(&[&args[..], &["whole.npy"]].concat());
    let text = folder.ok(&[&args[..], &["piece.npy", "--memory", "400KiB", "--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert!(
        json["windows"].as_u64().unwrap() > 10 && json["bytes_written"] == 1_200_000,
        "{json}"
    );
    assert_eq!(
        fs::read(folder.path("whole.npy")).unwrap(),
        fs::read(folder.path("piece.npy")).unwrap()
    );
    for (words, args) in [
        ("-o", vec!["eval", "x + 1", "x=x.npy", "--memory", "1GiB"]),
        (
            "archives, text and pipes",
            vec![
                "eval", "x + 1", "x=x.npy", "--memory", "1GiB", "-o", "o.npz",
            ],
        ),
        (
            "512MiB",
            vec![
                "eval", "x + 1", "x=x.npy", "--memory", "much", "-o", "o.npy",
            ],
        ),
        (
            "1/4 to 4/4",
            vec!["eval", "x + 1", "x=x.npy", "--part", "5/4", "-o", "o.npy"],
        ),
    ] {
        let run = folder.run(&args);
        assert!(
            run.code == 2 && run.stderr.contains(words),
            "{args:?}: {run:?}"
        );
    }
    folder.fails(
        1,
        &["big.npy cannot be streamed", "C order"],
        &[
            "eval",
            "x.T + 1",
            "x=big.npy",
            "-o",
            "o.npy",
            "--memory",
            "400KiB",
        ],
    );
    folder.fails(
        1,
        &[
            "column 9",
            "computed as a whole and cannot be streamed",
            "in C order",
        ],
        &[
            "eval",
            "(x + 1).ravel()",
            "x=big.npy",
            "-o",
            "o.npy",
            "--memory",
            "400KiB",
        ],
    );
    folder.ok(&[
        "eval",
        "x.ravel() + 1",
        "x=big.npy",
        "-o",
        "o.npy",
        "--memory",
        "400KiB",
    ]);
    folder.ok(&["eval", "(x + 1).ravel()", "x=big.npy", "-o", "whole.npy"]);
    assert!(fs::read(folder.path("o.npy")).unwrap() == fs::read(folder.path("whole.npy")).unwrap());
}

#[test]
fn the_memory_that_is_advised_suffices_and_little_less_does_not() {
    let folder = Folder::new();
    folder.save("a.npy", &[300, 200], &vec![1.0f32; 60_000]);
    folder.save("b.npy", &[200, 300], &vec![2.0f32; 60_000]);
    folder.save("c.npy", &[50, 40, 30], &vec![3i64; 60_000]);
    let run = |expr: &str, inputs: &[&str], memory: u64| {
        folder.run(
            &[
                &["eval", expr, "-o", "o.npy", "--memory", &memory.to_string()],
                inputs,
            ]
            .concat(),
        )
    };
    let cases: [(&str, &[&str], u64); 5] = [
        ("a.T + b", &["a=a.npy", "b=b.npy"], 100 << 10),
        ("a.T + a.T[::-1]", &["a=a.npy"], 100 << 10),
        ("a + 1", &["a=a.npy"], 1),
        ("c.T * 2", &["c=c.npy"], 20_000),
        (
            "sin(a.T[:, :, None] + b[:, 0]) * c[0, 0, 0]",
            &["a=a.npy", "b=b.npy", "c=c.npy"],
            50 << 10,
        ),
    ];
    for (expr, inputs, memory) in cases {
        let refused = run(expr, inputs, memory);
        let (_, advice) = refused
            .stderr
            .split_once("allow ")
            .unwrap_or_else(|| panic!("{expr}: {refused:?}"));
        let advised: u64 = advice.split_whitespace().next().unwrap().parse().unwrap();
        assert!(refused.code == 1 && advised > memory, "{expr}: {refused:?}");
        let allowed = run(expr, inputs, advised);
        assert_eq!(allowed.code, 0, "{expr} with {advised}: {allowed:?}");
        let less = advised - advised / 16 - 1024;
        let refused = run(expr, inputs, less);
        assert!(
            refused.code == 1 && refused.stderr.contains("allow "),
            "{expr} with {less}: {refused:?}"
        );
    }
}

fn start(folder: &Folder, args: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zerostride"));
    command
        .args(args)
        .current_dir(folder.0.path())
        .env("NODEVICE_SELECT", "1");
    command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
fn parts_of_processes_that_are_killed_and_run_again_make_the_file() {
    let folder = Folder::new();
    let x: Vec<u8> = (0..12_000_000u32)
        .map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8)
        .collect();
    folder.save("bytes.npy", &[6000, 2000], &x);
    let args = ["eval", "x * x + 7", "x=bytes.npy", "--memory", "2MiB", "-o"];
    folder.ok(&[&args[..], &["whole.npy"]].concat());
    let part = |k: &'static str| [&args[..], &["parts.npy", "--part", k]].concat();
    let mut children: Vec<Child> = ["1/3", "2/3", "3/3"]
        .iter()
        .map(|k| start(&folder, &part(k)))
        .collect();
    // The file is there at once; two of its makers are killed.
    while !folder.path("parts.npy").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    children[0].kill().unwrap();
    children[2].kill().unwrap();
    for child in &mut children {
        child.wait().unwrap();
    }
    for k in ["3/3", "1/3", "2/3", "1/3"] {
        folder.ok(&part(k));
    }
    assert!(
        fs::read(folder.path("whole.npy")).unwrap() == fs::read(folder.path("parts.npy")).unwrap()
    );
    folder.fails(
        1,
        &["is the output file"],
        &[
            "eval",
            "x + 1",
            "x=parts.npy",
            "--part",
            "1/2",
            "-o",
            "parts.npy",
        ],
    );
    folder.fails(
        1,
        &["remove it or name another output"],
        &[
            "eval",
            "x + 1",
            "x=x.npy",
            "--part",
            "1/2",
            "-o",
            "parts.npy",
        ],
    );
}

/// A process that has a handler of a signal leaves children the usual one, where a shell that runs
/// it in the background would have them ignore it.
#[cfg(unix)]
fn children_are_interrupted() {
    static HANDLER: std::sync::Once = std::sync::Once::new();
    HANDLER.call_once(|| ctrlc::set_handler(|| std::process::exit(130)).unwrap());
}

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_earlier_file_and_nothing_else() {
    children_are_interrupted();
    let folder = Folder::new();
    folder.save("bytes.npy", &[8000, 4000], &vec![3u8; 32_000_000]);
    fs::write(folder.path("out.npy"), b"earlier").unwrap();
    let before = folder.files();
    let args = [
        "eval",
        "x * 2",
        "x=bytes.npy",
        "--memory",
        "100KiB",
        "-o",
        "out.npy",
    ];
    // On a busy machine a run may end before its signal arrives.
    for _ in 0..5 {
        let mut child = start(&folder, &args);
        while folder.files() == before && child.try_wait().unwrap().is_none() {
            std::thread::sleep(Duration::from_millis(2));
        }
        if child.try_wait().unwrap().is_none() {
            send(&child, Signal::SIGINT);
        }
        if child.wait().unwrap().code() == Some(130) {
            let file = fs::read(folder.path("out.npy")).unwrap();
            return assert_eq!((folder.files(), file), (before, b"earlier".to_vec()));
        }
        assert_eq!(folder.files(), before);
        fs::write(folder.path("out.npy"), b"earlier").unwrap();
    }
    panic!("five runs ended before they were stopped");
}

#[test]
fn a_streamed_result_is_compared_with_the_reference() {
    let folder = Folder::new();
    let x: Vec<f32> = (0..300_000).map(|i| i as f32 / 7.0 - 9000.0).collect();
    folder.save("x.npy", &[3000, 100], &x);
    let args = [
        "eval",
        "sin(x) - x.mean(axis=0)",
        "x=x.npy",
        "--verify",
        "-o",
    ];
    for output in ["y.npy", "y.raw"] {
        let text = folder.ok(&[&args[..], &[output, "--memory", "1MiB"]].concat());
        assert!(
            text.contains("verify: 300000 elements compared with the reference"),
            "{text}"
        );
        assert!(
            text.contains("; within the bound of the expression"),
            "{text}"
        );
    }
    let json = folder.ok(&[&args[..], &["y.npy", "--memory", "1MiB", "--json"]].concat());
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["verify"]["compared"], 300_000);
    // Parts are compared when none is missing.
    let part = |k: &str| folder.ok(&[&args[..], &["parts.npy", "--part", k]].concat());
    let text = part("2/2");
    assert!(
        text.ends_with("verify: not possible before all parts are written\n"),
        "{text}"
    );
    let text = part("1/2");
    assert!(text.contains("verify: 300000 elements compared"), "{text}");
    // Sums of everything leave lanes until the last part.
    let args = [
        "eval", "x.sum()", "x=x.npy", "--verify", "-o", "sum.npy", "--part",
    ];
    let text = folder.ok(&[&args[..], &["1/2"]].concat());
    assert!(
        text.contains("verify: not possible before all parts are written"),
        "{text}"
    );
    let text = folder.ok(&[&args[..], &["2/2"]].concat());
    assert!(text.contains("verify: 1 element compared"), "{text}");
}

#[test]
fn inputs_that_cannot_be_read_again_are_not_verified() {
    let folder = Folder::new();
    folder.save("x.npy", &[300], &[1f32; 300]);
    #[cfg(unix)]
    std::os::unix::fs::symlink("x.npy", folder.path("link.npy")).unwrap();
    let args = ["eval", "x * 2", "--memory", "1M", "--verify", "-o"];
    for input in ["x=x.npy", "x=link.npy"] {
        if cfg!(unix) || input == "x=x.npy" {
            let args = [&args[..], &["x.npy", input]].concat();
            folder.fails(1, &["`x` is the output file", "name another output"], &args);
        }
    }
    let args = [&args[..], &["y.npy", "x=-"]].concat();
    folder.fails(1, &["`x` is standard input", "save it to a file"], &args);
    // Without it both may be.
    folder.ok(&["eval", "x * 2", "--memory", "1M", "-o", "x.npy", "x=x.npy"]);
    assert_eq!(folder.load::<f32>("x.npy").1, [2f32; 300]);
}
