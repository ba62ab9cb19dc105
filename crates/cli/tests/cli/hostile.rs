//! Text of files, paths and arguments in what the command prints: nothing that a terminal obeys but
//! line ends, and no line that the text brought along.
#![cfg(unix)]

use std::fs;

use serde_json::Value;

use crate::{Folder, Run};

/// Escape, bell, line end, tab, C1 controls, delete, right-to-left override and isolate, line
/// separator.
const HOSTILE: &str =
    "\u{1b}]0;t\u{7}\u{1b}[31m\nzerostride fine\t\u{9b}2J\u{85}\u{7f}\u{202e}\u{2066}\u{2028}";

#[track_caller]
fn check(run: &Run, what: &str) {
    for text in [&run.stdout, &run.stderr] {
        let obeyed = |c: char| {
            c.is_control() && c != '\n'
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}')
        };
        assert!(!text.contains(obeyed), "{what}: {text:?}");
        assert!(!text.contains("\nzerostride fine"), "{what}: {text:?}");
    }
    assert!(!run.stderr.contains("panicked"), "{what}: {run:?}");
}

/// Runs and checks; the exit code must be this one, and the hidden text be spelled out somewhere.
#[track_caller]
fn shows(folder: &Folder, code: i32, args: &[&str], env: &[(&str, &str)]) -> Run {
    let run = folder.run_with(args, env);
    check(&run, &format!("{args:?}"));
    assert_eq!(run.code, code, "{args:?}: {run:?}");
    assert!(
        format!("{}{}", run.stdout, run.stderr).contains("1b"),
        "{args:?}: {run:?}"
    );
    run
}

fn header(dict: &str) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x03\x00".to_vec();
    file.extend((dict.len() as u32).to_le_bytes());
    file.extend(dict.bytes());
    file.extend([0; 24]);
    file
}

#[test]
fn what_files_hold_is_spelled_out() {
    let folder = Folder::new();
    for dict in [
        format!("{{'descr': '{HOSTILE}', 'fortran_order': False, 'shape': (2, 3), }}"),
        format!("{{'{HOSTILE}': 1, }}"),
        format!("{{'descr': '|V2{HOSTILE}', 'fortran_order': False, 'shape': (2, 3), }}"),
    ] {
        // A header's strings hold no line end.
        fs::write(folder.path("h.npy"), header(&dict.replace('\n', ""))).unwrap();
        shows(&folder, 1, &["eval", "x + 1", "x=h.npy"], &[]);
        shows(
            &folder,
            1,
            &[
                "eval", "x + 1", "x=h.npy", "--memory", "1MiB", "-o", "o.npy",
            ],
            &[],
        );
        // A file that parts are to be written into.
        shows(
            &folder,
            1,
            &["eval", "x + 1", "x=x.npy", "--part", "1/2", "-o", "h.npy"],
            &[],
        );
    }
    let mut zip = zip::ZipWriter::new(fs::File::create(folder.path("e.npz")).unwrap());
    for name in [HOSTILE, "b.npy"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        std::io::Write::write_all(&mut zip, b"junk").unwrap();
    }
    zip.finish().unwrap();
    let member = format!("x=e.npz:{HOSTILE}");
    for input in ["x=e.npz", "x=e.npz:none", &member] {
        shows(&folder, 1, &["eval", "x", input], &[]);
    }
}

#[test]
fn what_tables_and_tensors_hold_is_spelled_out() {
    let folder = Folder::new();
    let quoted = format!("\"{HOSTILE}\"");
    fs::write(folder.path("t.csv"), format!("a,{quoted}\n1,{quoted}\n")).unwrap();
    let entry = serde_json::json!({
        HOSTILE: { "dtype": "I8", "shape": [1], "data_offsets": [0, 1] },
        "b": { "dtype": HOSTILE, "shape": [1], "data_offsets": [1, 2] },
    });
    let names = serde_json::json!({
        HOSTILE: { "dtype": "I8", "shape": [1], "data_offsets": [0, 1] },
        "b": { "dtype": "I8", "shape": [1], "data_offsets": [1, 2] },
    });
    for (name, header) in [("entry.safetensors", entry), ("names.safetensors", names)] {
        let header = header.to_string();
        let len = (header.len() as u64).to_le_bytes();
        let file = [&len, header.as_bytes(), &[1, 2]].concat();
        fs::write(folder.path(name), file).unwrap();
    }
    for input in [
        "x=t.csv",
        "x=t.csv:b",
        "x=entry.safetensors",
        "x=names.safetensors",
        "x=names.safetensors:c",
    ] {
        shows(&folder, 1, &["eval", "x", input], &[]);
    }
    for input in [
        format!("x=[{HOSTILE}]"),
        format!("x=[1] {HOSTILE}"),
        format!("x=-:{HOSTILE}"),
        format!("x=t.csv:a:{HOSTILE}"),
        format!("x=t.raw:f32[{HOSTILE}]"),
    ] {
        shows(&folder, 2, &["eval", "x", &input], &[]);
    }
}

#[test]
fn paths_and_arguments_are_spelled_out() {
    let folder = Folder::new();
    let name = format!("{HOSTILE}.npy");
    let (input, missing) = (format!("x={name}"), format!("x={HOSTILE}none.npy"));
    let (far, archive) = (format!("{HOSTILE}/o.npy"), format!("{HOSTILE}.npz"));
    let dtype = format!("{input}:{HOSTILE}");
    fs::write(folder.path(&name), "junk").unwrap();
    let option = format!("--{HOSTILE}");
    let (table, plot) = (format!("x={HOSTILE}.csv"), format!("{HOSTILE}/o.png"));
    let cases: [(i32, &[&str]); 18] = [
        (1, &["eval", "x", &input]),
        (1, &["eval", "x", &missing]),
        (1, &["eval", "x", "x=x.npy", "-o", &far]),
        (1, &["eval", "x", "x=x.npy", "--memory", "1MiB", "-o", &far]),
        (1, &["eval", "x", &input, "--memory", "1MiB", "-o", "o.npy"]),
        (1, &["eval", "x", "x=x.npy", "--adapter", HOSTILE]),
        (2, &["eval", "x", "x=x.npy", "--rule", HOSTILE]),
        (2, &["eval", "x", &dtype]),
        (2, &["eval", "x", HOSTILE]),
        (2, &["eval", "x", "x=x.npy", &option]),
        (2, &["eval", "x", "x=x.npy", "-o", HOSTILE]),
        (2, &[HOSTILE]),
        (1, &["kernel", "x", "x=f32[2]", "-o", &far]),
        (1, &["eval", "x", &table]),
        (1, &["eval", "x", "x=x.npy", "--plot", &plot]),
        (2, &["eval", "x", "x=x.npy", "-d", HOSTILE]),
        (2, &["man", HOSTILE]),
        (1, &["check", &name]),
    ];
    for (code, args) in cases {
        shows(&folder, code, args, &[]);
    }
    shows(
        &folder,
        1,
        &["adapters"],
        &[("ZEROSTRIDE_ADAPTER", HOSTILE)],
    );
    fs::write(folder.path(HOSTILE), "no folder").unwrap();
    let kept = folder.path(HOSTILE);
    let run = folder.run_with(
        &["eval", "x", "x=x.npy"],
        &[("ZEROSTRIDE_KERNEL_CACHE", kept.to_str().unwrap())],
    );
    check(&run, "kernel cache");
    // What succeeds names the file it wrote, and says the same in JSON without loss.
    let outputs: [(&str, &[&str]); 4] = [
        (&name, &[]),
        (&archive, &[]),
        (&name, &["--memory", "1MiB"]),
        (&name, &["--part", "1/1"]),
    ];
    for (output, more) in outputs {
        let _ = fs::remove_file(folder.path(output));
        let args = [
            &["eval", "x + 1", "x=x.npy", "-o", output, "--explain"],
            more,
        ]
        .concat();
        assert!(
            shows(&folder, 0, &args, &[]).stdout.contains("written to "),
            "{args:?}"
        );
        let json = shows(&folder, 0, &[&args[..], &["--json"]].concat(), &[]).stdout;
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["output"], output);
    }
    // An input that a stream refuses by name.
    folder.save(&name, &[300, 300], &vec![1.0f32; 90_000]);
    let args = [
        "eval", "x.T + 1", &input, "-o", "o.npy", "--memory", "100KiB",
    ];
    assert!(
        shows(&folder, 1, &args, &[])
            .stderr
            .contains("cannot be streamed")
    );
}
