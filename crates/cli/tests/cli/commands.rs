//! `kernel`, `adapters`, `ops`, and what all subcommands share.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::Folder;

#[test]
fn kernels_are_written_in_all_five_languages() {
    let folder = Folder::new();
    let marks = [
        ("wgsl", "@compute"),
        ("hlsl", "[numthreads("),
        ("msl", "kernel void"),
        ("glsl", "#version 310 es"),
    ];
    let args = [
        "kernel",
        "exp(x) * y",
        "x=f32[8,1,4]",
        "y=f32[3,1]",
        "--emit",
    ];
    for (language, mark) in marks {
        let stdout = folder.ok(&[args.as_slice(), &[language]].concat());
        assert!(stdout.contains(mark), "{language}: {stdout}");
    }
    folder.ok(&[args.as_slice(), &["spirv", "-o", "kernel.spv"]].concat());
    assert_eq!(
        fs::read(folder.path("kernel.spv")).unwrap()[..4],
        0x0723_0203u32.to_le_bytes()
    );
    assert!(
        folder
            .run(&[args.as_slice(), &["spirv"]].concat())
            .stdout
            .starts_with("\u{3}\u{2}#\u{7}")
    );
    folder.fails(
        2,
        &["wgsl, spirv, hlsl, msl, glsl"],
        &[args.as_slice(), &["metal"]].concat(),
    );
    let explained = folder.ok(&[
        "kernel",
        "x * y",
        "x=f32[8,1,4]",
        "y=f32[3,1]",
        "--explain",
        "--webgpu-limits",
    ]);
    assert!(
        explained.contains("x         f32  shape [   8,   1,   4]  strides [   4,   0,   1]"),
        "{explained}"
    );
    assert!(!explained.contains("@compute"), "{explained}");
    folder.fails(2, &["x=f32[8,1,4]"], &["kernel", "x", "x=f32[8"]);
    folder.fails(
        2,
        &["`f31` is not an element type"],
        &["kernel", "x", "x=f31[8]"],
    );
    folder.fails(1, &["no elements"], &["kernel", "x", "x=f32[0]"]);
    folder.fails(
        1,
        &["the plan has pass 0 only"],
        &["kernel", "x", "x=f32", "--pass", "1"],
    );
}

#[test]
fn more_inputs_than_bindings_are_several_passes_with_one_result() {
    let folder = Folder::new();
    let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let inputs: Vec<String> = names.iter().map(|n| format!("{n}=f32[16]")).collect();
    let expr = names.join(" + ");
    let args: Vec<&str> = ["kernel", &expr]
        .into_iter()
        .chain(inputs.iter().map(String::as_str))
        .collect();
    let text = folder.ok(&[args.as_slice(), &["--webgpu-limits"]].concat());
    assert!(
        text.starts_with("// pass 0\n") && text.contains("// pass 1\n"),
        "{text}"
    );
    folder.fails(
        2,
        &["choose one with --pass"],
        &[
            args.as_slice(),
            &["--webgpu-limits", "--emit", "spirv", "-o", "k"],
        ]
        .concat(),
    );
    folder.ok(&[
        args.as_slice(),
        &[
            "--webgpu-limits",
            "--emit",
            "spirv",
            "--pass",
            "1",
            "-o",
            "k",
        ],
    ]
    .concat());
}

#[test]
fn adapters_and_operators_are_listed() {
    let folder = Folder::new();
    let json: Value = serde_json::from_str(&folder.ok(&["adapters", "--json"])).unwrap();
    let defaults = json
        .as_array()
        .unwrap()
        .iter()
        .filter(|a| a["default"] == true)
        .count();
    assert_eq!(defaults, 1);
    assert!(
        folder
            .ok(&["adapters"])
            .lines()
            .filter(|l| l.starts_with("* "))
            .count()
            == 3
    );
    assert!(folder.ok(&["adapters"]).contains("* floats, as tested: "));
    let tried = |a: &&Value| !a["floats"].is_null();
    assert_eq!(json.as_array().unwrap().iter().filter(tried).count(), 1);
    let run = folder.run_with(&["adapters"], &[("ZEROSTRIDE_ADAPTER", "nosuch")]);
    assert!(
        run.code == 1 && run.stderr.contains("named `nosuch`"),
        "{run:?}"
    );
    assert!(folder.ok(&["ops"]).contains("\nwhere "));
    let page = include_str!("../../../../docs/operators.md");
    assert_eq!(
        folder.ok(&["ops", "--markdown"]),
        page,
        "write it anew: zerostride ops --markdown > docs/operators.md"
    );
    let json: Value = serde_json::from_str(&folder.ok(&["ops", "--json"])).unwrap();
    assert!(
        json["operators"]
            .as_array()
            .unwrap()
            .iter()
            .any(|o| o["name"] == "exp")
    );
    assert!(
        json["standards"]
            .as_array()
            .unwrap()
            .iter()
            .any(|o| o["name"] == "PRelu")
    );
}

#[cfg(unix)]
#[test]
fn drivers_that_look_for_a_desktop_do_not_complain() {
    let folder = Folder::new();
    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zerostride"));
        command
            .args(args)
            .current_dir(folder.path(""))
            .env_remove("XDG_RUNTIME_DIR")
            .env_remove("NODEVICE_SELECT");
        let done = command.output().unwrap();
        assert!(done.status.success(), "{done:?}");
        String::from_utf8(done.stderr).unwrap()
    };
    for args in [&["adapters"][..], &["eval", "x + 1", "x=x.npy"]] {
        assert_eq!(run(args), "", "{args:?}");
    }
}

#[test]
fn one_of_a_kind_is_singular() {
    let folder = Folder::new();
    folder.save("one.npy", &[1], &[7u8]);
    let said = [
        folder.ok(&["eval", "x + 1", "x=one.npy", "--explain", "--verify"]),
        folder.ok(&[
            "eval",
            "x + 1",
            "x=one.npy",
            "--explain",
            "--memory",
            "1MiB",
            "-o",
            "o.npy",
        ]),
    ]
    .concat();
    for words in [
        "1 element compared",
        "in 1 window of at most 1 element, ",
        "of 1 input kept",
        "1 byte in 1 window,",
    ] {
        assert!(said.contains(words), "`{words}` is not in {said}");
    }
    let nouns = ["bytes", "windows", "elements", "passes", "inputs", "quads"];
    let plural = |line: &str| {
        nouns
            .iter()
            .any(|noun| format!(" {line}").contains(&format!(" 1 {noun}")))
    };
    assert!(!said.lines().any(plural), "{said}");
}

#[test]
fn help_has_examples_and_needs_nothing() {
    let folder = Folder::new();
    for command in ["eval", "adapters", "ops", "kernel"] {
        let help = folder.ok(&[command, "--help"]);
        assert!(
            help.contains("Usage: zerostride") && help.contains("Examples:"),
            "{command}: {help}"
        );
        assert!(!help.contains('\u{1b}'), "{command}: {help}");
    }
    assert!(folder.ok(&["--help"]).contains("Examples:"));
    assert!(folder.ok(&["--version"]).starts_with("zerostride "));
    let run = folder.run(&[]);
    assert!(
        run.code == 2 && run.stderr.contains("Usage: zerostride"),
        "{run:?}"
    );
    assert_eq!(folder.run(&["evaluate"]).code, 2);
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    let folder = Folder::new();
    let mut command = Command::new(env!("CARGO_BIN_EXE_zerostride"));
    let piped = || std::process::Stdio::piped();
    let mut child = command
        .arg("ops")
        .current_dir(folder.0.path())
        .stdout(piped())
        .stderr(piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!(
        (out.status.code(), out.stderr.as_slice()),
        (Some(0), [].as_slice())
    );
}
