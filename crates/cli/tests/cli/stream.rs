//! `eval --memory` and `--part`: from file to file.

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
        text.contains("streamed: [3000, 100] in ") && text.contains(" of 2 inputs kept"),
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
            "not archives",
            vec![
                "eval", "x + 1", "x=x.npy", "--memory", "1GiB", "-o", "o.npz",
            ],
        ),
        (
            "--verify",
            vec![
                "eval", "x + 1", "x=x.npy", "--memory", "1GiB", "-o", "o.npy", "--verify",
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

#[cfg(unix)]
#[test]
fn ctrl_c_leaves_the_earlier_file_and_nothing_else() {
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

/// The most memory a run had, in bytes.
#[cfg(target_os = "linux")]
fn peak(mut child: Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let found = line.and_then(|l| l.trim().trim_end_matches(" kB").trim().parse::<u64>().ok());
        peak = peak.max(found.unwrap_or(0) << 10);
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success());
            return peak;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// A file of zeros with some other bytes, which takes no room on most file systems.
#[cfg(target_os = "linux")]
fn sparse(folder: &Folder, name: &str, rows: usize, columns: usize) {
    use std::os::unix::fs::FileExt;
    folder.save(name, &[1, 1], &[0u8]);
    let file = fs::OpenOptions::new()
        .write(true)
        .open(folder.path(name))
        .unwrap();
    let mut head =
        format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows}, {columns}), }}");
    head.push_str(&" ".repeat(117 - head.len()));
    head.push('\n');
    file.write_all_at(head.as_bytes(), 10).unwrap();
    file.set_len((128 + rows * columns) as u64).unwrap();
    for row in (0..rows).step_by(97) {
        file.write_all_at(&[row as u8], (128 + row * columns + row % columns) as u64)
            .unwrap();
    }
}

/// Streams bytes to floats with 128 MiB allowed and gives the seconds it took.
#[cfg(target_os = "linux")]
fn stream_large(rows: usize) -> f64 {
    use std::os::unix::fs::FileExt;
    let (folder, columns) = (Folder::new(), 16_385);
    sparse(&folder, "bytes.npy", rows, columns);
    let row: Vec<f32> = (0..columns).map(|i| i as f32).collect();
    folder.save("row.npy", &[columns], &row);
    let args = ["eval", "x * 2 + r", "r=row.npy", "--memory", "128MiB"];
    let run = |more: &[&str]| start(&folder, &[&args[..], more].concat());
    sparse(&folder, "small.npy", 2, columns);
    let base = peak(run(&["x=small.npy", "-o", "small_out.npy"]));
    let started = std::time::Instant::now();
    let most = peak(run(&["x=bytes.npy", "-o", "out.npy"]));
    let seconds = started.elapsed().as_secs_f64();
    eprintln!(
        "{rows} rows: {seconds:.1} s, at most {} MiB, {} of them without the arrays",
        most >> 20,
        base >> 20
    );
    assert!(
        most - base <= 128 << 20,
        "{} MiB are held",
        (most - base) >> 20
    );
    let out = fs::File::open(folder.path("out.npy")).unwrap();
    assert_eq!(
        out.metadata().unwrap().len(),
        (128 + rows * columns * 4) as u64
    );
    let mut found = vec![0u8; columns * 4];
    for number in (0..rows).step_by(97) {
        out.read_exact_at(&mut found, (128 + number * columns * 4) as u64)
            .unwrap();
        for (i, value) in found.chunks_exact(4).enumerate() {
            let x = if i == number % columns {
                (number as u8).wrapping_mul(2)
            } else {
                0
            };
            let expected = f32::from(x) + i as f32;
            assert_eq!(
                f32::from_le_bytes(value.try_into().unwrap()),
                expected,
                "row {number}, column {i}"
            );
        }
    }
    seconds
}

#[cfg(target_os = "linux")]
#[test]
fn a_gibibyte_is_computed_in_128_mebibytes() {
    stream_large(16_384);
}

/// On demand: `ZEROSTRIDE_HUGE=1 cargo test --release --all-features --test cli twenty --
/// --nocapture`. It needs 20 GiB of disk.
#[cfg(target_os = "linux")]
#[test]
fn twenty_gibibytes_are_computed_in_128_mebibytes() {
    if std::env::var_os("ZEROSTRIDE_HUGE").is_none() {
        eprintln!("not run: ZEROSTRIDE_HUGE is not set");
        return;
    }
    stream_large(20 * 16_384);
}
