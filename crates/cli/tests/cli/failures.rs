//! What goes wrong: exit codes, messages, and nothing left behind.

use std::fs;

use crate::Folder;

#[test]
fn errors_of_an_expression_point_at_their_column() {
    let folder = Folder::new();
    let inputs = ["x=x.npy", "row=row.npy", "two=two.npy"];
    let cases: [(&str, &[&str]); 8] = [
        (
            "x + rows * two",
            &[
                "column 5: unknown name `rows`; did you mean `row`?",
                "\n  x + rows * two\n      ^\n",
            ],
        ),
        (
            "x + row * two +",
            &["column 16: ", "\n                 ^\n"],
        ),
        (
            "x * row + exq(two)",
            &["did you mean `exp`", "\n            ^\n"],
        ),
        (
            "row + two * x",
            &[
                "column 11: mul: shapes [2] and [2, 3] do not align under Numpy: axis 1 has extents 2 and 3",
            ],
        ),
        ("x and row", &["write &"]),
        (
            "x.sum(two) + row",
            &["column 7: sum works along axes", "a + b", "\n        ^\n"],
        ),
        ("x + row + two[:, None] + (", &["operand was expected"]),
        ("x & row + two", &["column 3: "]),
    ];
    for (expr, words) in cases {
        folder.fails(
            1,
            words,
            &[&["eval", expr], inputs.as_slice(), &["-o", "o.npy"]].concat(),
        );
    }
    // The column is that of the text as it was given, whatever a number's length.
    folder.fails(
        1,
        &["column 7: unknown name `rows`", "\n  kk+x+ rows\n"],
        &["eval", "kk+x+ rows", "x=x.npy", "kk=0.000001"],
    );
}

#[test]
fn a_wrong_use_of_inputs_is_an_error_that_names_them() {
    let folder = Folder::new();
    folder.fails(
        1,
        &["the input `row` is not used"],
        &["eval", "x + 1", "x=x.npy", "row=row.npy"],
    );
    folder.fails(
        1,
        &["the inputs `k`, `row` are not used"],
        &["eval", "x + 1", "x=x.npy", "row=row.npy", "k=3"],
    );
    folder.fails(
        2,
        &["`x` is given twice"],
        &["eval", "x", "x=x.npy", "x=row.npy"],
    );
    folder.fails(2, &["NAME=FILE.npy"], &["eval", "x", "x.npy"]);
    folder.fails(2, &["`x` has no value"], &["eval", "x", "x="]);
    folder.fails(
        1,
        &["operand 1 has rank 1"],
        &[
            "eval",
            "x + row",
            "x=x.npy",
            "row=row.npy",
            "--rule",
            "none",
        ],
    );
    folder.fails(
        2,
        &["use none, numpy"],
        &["eval", "x", "x=x.npy", "--rule", "fit"],
    );
    folder.fails(2, &["--explain"], &["eval", "x", "x=x.npy", "--explian"]);
    folder.fails(2, &["unknown option"], &["eval", "--explian", "x=x.npy"]);
    folder.fails(
        2,
        &["must end in .npy or .npz"],
        &["eval", "x", "x=x.npy", "-o", "out.doc"],
    );
    folder.fails(2, &["Usage: zerostride eval"], &["eval"]);
}

#[test]
fn files_that_are_not_what_they_should_be_are_refused() {
    let folder = Folder::new();
    let whole = fs::read(folder.path("x.npy")).unwrap();
    fs::write(folder.path("short.npy"), &whole[..whole.len() - 4]).unwrap();
    fs::write(folder.path("head.npy"), &whole[..40]).unwrap();
    fs::write(folder.path("text.npy"), "1 2 3 4 5 6\n").unwrap();
    fs::write(folder.path("nothing.npy"), "").unwrap();
    let huge = |extents: &str| {
        let dict = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({extents}), }}\n");
        [
            b"\x93NUMPY\x01\x00".as_slice(),
            &(dict.len() as u16).to_le_bytes(),
            dict.as_bytes(),
        ]
        .concat()
    };
    fs::write(
        folder.path("huge.npy"),
        huge("1099511627776, 1099511627776"),
    )
    .unwrap();
    fs::write(folder.path("large.npy"), huge("1099511627776,")).unwrap();
    let cases = [
        ("x=short.npy", "truncated: f32 [2, 3] takes 24 bytes"),
        ("x=head.npy", "truncated: the file ends inside its header"),
        ("x=text.npy", "not a .npy file"),
        ("x=nothing.npy", "truncated"),
        ("x=huge.npy", "more bytes than can be counted"),
        ("x=large.npy", "truncated"),
        ("x=nosuch.npy", "nosuch.npy: "),
        ("x=.", "not a regular file"),
        ("x=x.npy:f64", "the elements are f32, not f64"),
        ("x=x.npy:f31", "`f31` is not an element type"),
    ];
    for (input, words) in cases {
        let code = if input.ends_with("f31") { 2 } else { 1 };
        folder.fails(code, &[words], &["eval", "x + 1", input, "-o", "out.npy"]);
    }
}

#[test]
fn a_plan_of_any_number_of_axes_is_shown() {
    let folder = Folder::new();
    let dict = format!(
        "{{'descr': '<f4', 'fortran_order': False, 'shape': ({}), }}\n",
        "1,".repeat(16_000)
    );
    let file = [
        b"\x93NUMPY\x01\x00".as_slice(),
        &(dict.len() as u16).to_le_bytes(),
        dict.as_bytes(),
        &[0; 4],
    ]
    .concat();
    fs::write(folder.path("axes.npy"), file).unwrap();
    let text = folder.ok(&["eval", "x + 1", "x=axes.npy", "--explain"]);
    assert!(
        text.contains("plan: 1 pass") && text.contains("  output 0  f32  shape ["),
        "{}",
        text.len()
    );
}

#[test]
fn results_are_streamed_one_at_a_time() {
    let folder = Folder::new();
    folder.save("x.npy", &[2, 3], &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let two = "x.mean(axis=0), x.std(axis=0)";
    let several = [
        "eval", two, "x=x.npy", "--memory", "1MiB", "-o", "a.npy", "-o", "b.npy",
    ];
    folder.fails(2, &["run the command once per result"], &several);
}

#[test]
fn a_result_too_large_for_the_adapter_is_refused() {
    let folder = Folder::new();
    folder.save("long.npy", &[70_000], &vec![1u8; 70_000]);
    folder.fails(
        1,
        &["max_buffer_size", "--memory"],
        &["eval", "a[:, None] + a", "a=long.npy", "-o", "out.npy"],
    );
    let text = folder.ok(&[
        "kernel",
        "a[:, None] + a",
        "a=u8[20000]",
        "--webgpu-limits",
        "--explain",
    ]);
    assert!(text.contains("window 1 of "), "{text}");
    folder.ok(&["kernel", "a[:, None] + a", "a=u8[70000]"]);
    folder.fails(
        1,
        &["more elements than"],
        &["kernel", "x + 1", "x=f32[1099511627776,1099511627776]"],
    );
}

#[test]
fn without_an_adapter_the_message_says_what_to_install() {
    let folder = Folder::new();
    folder.fails(
        1,
        &["no adapter: none is named `nosuch`; these are there: "],
        &[
            "eval",
            "x + 1",
            "x=x.npy",
            "--adapter",
            "nosuch",
            "-o",
            "o.npy",
        ],
    );
    let env = [
        ("VK_DRIVER_FILES", "/nonexistent"),
        ("VK_ICD_FILENAMES", "/nonexistent"),
        ("ZEROSTRIDE_ADAPTER", "Vulkan"),
    ];
    let run = folder.run_with(&["eval", "x + 1", "x=x.npy", "-o", "o.npy"], &env);
    assert!(
        run.code == 1 && run.stderr.contains("zerostride: error: no adapter: "),
        "{run:?}"
    );
    assert!(!folder.path("o.npy").exists());
    // An error of the expression is found without an adapter.
    let run = folder.run_with(&["eval", "x + two", "x=x.npy", "two=two.npy"], &env);
    assert!(
        run.code == 1 && run.stderr.contains("axis 1 has extents 3 and 2"),
        "{run:?}"
    );
}

#[test]
fn an_output_is_replaced_whole_or_not_at_all() {
    let folder = Folder::new();
    fs::write(folder.path("out.npy"), "old").unwrap();
    folder.fails(
        1,
        &["did you mean"],
        &[
            "eval",
            "x + rows",
            "x=x.npy",
            "row=row.npy",
            "-o",
            "out.npy",
        ],
    );
    assert_eq!(fs::read(folder.path("out.npy")).unwrap(), b"old");
    folder.ok(&["eval", "x + row", "x=x.npy", "row=row.npy", "-o", "out.npy"]);
    assert_eq!(folder.load::<f32>("out.npy").1[0], 11.0);
    assert_eq!(folder.files(), ["out.npy", "row.npy", "two.npy", "x.npy"]);
    // The output may be an input's own file.
    folder.ok(&["eval", "x + 1", "x=x.npy", "-o", "x.npy"]);
    assert_eq!(
        folder.load::<f32>("x.npy").1,
        [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    );
    fs::create_dir(folder.path("folder.npy")).unwrap();
    folder.fails(
        1,
        &["not a regular file"],
        &["eval", "x", "x=x.npy", "-o", "folder.npy"],
    );
    folder.fails(
        1,
        &["the folder nosuch does not exist"],
        &["eval", "x", "x=x.npy", "-o", "nosuch/out.npy"],
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_to_is_an_error() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    let locked = folder.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    // The superuser may write there all the same; no one may in /proc.
    let is_refused = fs::write(locked.join("probe"), "").is_err();
    let target = if is_refused {
        "locked/out.npy"
    } else {
        "/proc/out.npy"
    };
    folder.fails(1, &["out.npy: "], &["eval", "x", "x=x.npy", "-o", target]);
}
