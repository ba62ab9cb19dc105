//! Where results go besides `.npy` files, and what is said of them.

use std::fs;

use serde_json::{Value, json};
use zerostride::npy;

use crate::Folder;

#[test]
fn standard_output_takes_the_array_and_nothing_else() {
    let folder = Folder::new();
    let x = fs::read(folder.path("x.npy")).unwrap();
    let out = folder.piped(&["eval", "x", "x=-", "-o", "-"], &x);
    assert_eq!(out.stdout, x);
    assert!(out.stderr.is_empty(), "{out:?}");
    // A pipe of two.
    let out = folder.piped(&["eval", "x + 1", "x=-", "-o", "-"], &x);
    let out = folder.piped(&["eval", "x * 2", "x=-", "-o", "-"], &out.stdout);
    let found = npy::read_from(&out.stdout[..], "pipe".as_ref(), None).unwrap();
    assert_eq!(
        found.bytes[..8],
        [4.0f32, 6.0].map(f32::to_le_bytes).concat()
    );
    // Reports go to stderr.
    let args = ["eval", "x", "x=x.npy", "-o", "-", "--verify", "--explain"];
    let out = folder.piped(&args, b"");
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.stdout, x);
    for words in ["plan: ", "verify: 6 elements compared"] {
        assert!(stderr.contains(words), "{stderr}");
    }
    assert!(!stderr.contains("[[1.0"), "{stderr}");
    for (target, expected) in [
        ("-:csv", "1.0,2.0,3.0\n4.0,5.0,6.0\n"),
        ("-:tsv", "1.0\t2.0\t3.0\n4.0\t5.0\t6.0\n"),
        ("-:txt", "1.0 2.0 3.0\n4.0 5.0 6.0\n"),
    ] {
        assert_eq!(folder.ok(&["eval", "x", "x=x.npy", "-o", target]), expected);
    }
    let out = folder.piped(&["eval", "x[0]", "x=x.npy", "-o", "-:raw"], b"");
    assert_eq!(
        out.stdout,
        [1.0f32, 2.0, 3.0].map(f32::to_le_bytes).concat()
    );
    folder.fails(
        2,
        &["--json and -o - both write to standard output"],
        &["eval", "x", "x=x.npy", "-o", "-", "--json"],
    );
    folder.fails(
        2,
        &["`-:npz` is not a form of standard output"],
        &["eval", "x", "x=x.npy", "-o", "-:npz"],
    );
    folder.fails(
        2,
        &["--memory writes .npy, .raw and .bin files, --part writes .npy files"],
        &["eval", "x", "x=x.npy", "-o", "-", "--memory", "1MiB"],
    );
}

#[test]
fn text_and_raw_elements_are_written_and_read_back() {
    let folder = Folder::new();
    for target in ["o.csv", "o.tsv", "o.txt"] {
        let stdout = folder.ok(&["eval", "x / 3", "x=x.npy", "-o", target]);
        assert!(
            stdout.ends_with(&format!("written to {target}\n")),
            "{stdout}"
        );
        let back = format!("y={target}:f32");
        let args = ["eval", "y == x / 3", "x=x.npy", &back, "-o", "-:csv"];
        assert_eq!(folder.ok(&args), "True,True,True\nTrue,True,True\n");
    }
    folder.ok(&["eval", "x[0]", "x=x.npy", "-o", "row.csv"]);
    assert_eq!(
        fs::read_to_string(folder.path("row.csv")).unwrap(),
        "1.0\n2.0\n3.0\n"
    );
    folder.ok(&["eval", "x.sum()", "x=x.npy", "-o", "sum.txt"]);
    assert_eq!(
        fs::read_to_string(folder.path("sum.txt")).unwrap(),
        "21.0\n"
    );
    let stdout = folder.ok(&["eval", "x", "x=x.npy", "-o", "o.raw"]);
    assert!(stdout.ends_with("written to o.raw: f32[2,3]\n"), "{stdout}");
    let args = ["eval", "(x == y).all()", "x=x.npy", "y=o.raw:f32[2,3]"];
    assert_eq!(folder.ok(&args), "bool []\nTrue\n");
    let before = folder.files();
    folder.fails(
        1,
        &["a result of 3 axes does not fit in a text table; write .npy or .raw"],
        &["eval", "x[:, :, None]", "x=x.npy", "-o", "cube.csv"],
    );
    folder.fails(
        2,
        &["must end in .npy or .npz, .csv, .tsv or .txt, .raw or .bin"],
        &["eval", "x", "x=x.npy", "-o", "x.png"],
    );
    folder.fails(
        2,
        &["the expression has 1 result, and -o is given 2 times; name a file for each"],
        &["eval", "x", "x=x.npy", "-o", "a.npy", "-o", "b.npy"],
    );
    folder.fails(
        2,
        &["two outputs are called a.npy"],
        &["eval", "x", "x=x.npy", "-o", "a.npy", "-o", "a.npy"],
    );
    assert_eq!(folder.files(), before);
}

#[test]
fn json_holds_the_values_unless_a_file_does() {
    let folder = Folder::new();
    let object = |args: &[&str]| -> Value {
        let args = [&["eval"], args, &["--json"]].concat();
        serde_json::from_str(&folder.ok(&args)).unwrap()
    };
    let found = object(&["x * 0.1", "x=x.npy"]);
    assert_eq!(
        found["values"],
        json!([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]),
        "the shortest text of an f32"
    );
    assert_eq!(
        (&found["min"], &found["max"], &found["nan"]),
        (&json!(0.1), &json!(0.6), &json!(0))
    );
    assert_eq!(found["output"], Value::Null);
    let found = object(&["x", "x=[1, nan, inf, -inf, -0.0]:f32"]);
    assert_eq!(found["values"], json!([1.0, "nan", "inf", "-inf", -0.0]));
    assert_eq!(
        (&found["min"], &found["mean"], &found["nan"]),
        (&json!("-inf"), &json!("nan"), &json!(1))
    );
    let found = object(&["x", "x=[18446744073709551615]"]);
    assert_eq!(found["values"], json!([u64::MAX]));
    let found = object(&["x > 2", "x=[1, 3]"]);
    assert_eq!(found["values"], json!([false, true]));
    let found = object(&["x.sum()", "x=x.npy"]);
    assert_eq!(
        (&found["values"], &found["shape"]),
        (&json!(21.0), &json!([]))
    );
    let found = object(&["x", "x=x.npy", "-o", "o.npy"]);
    assert!(
        found.get("values").is_none() && found["mean"] == 3.5,
        "{found}"
    );
    // Rows stay on their lines.
    let text = folder.ok(&["eval", "x", "x=x.npy", "--json"]);
    assert!(text.contains("\n    [1.0,2.0,3.0],\n"), "{text}");
}

#[test]
fn what_is_not_shown_in_full_is_summed_up() {
    let folder = Folder::new();
    let mut long: Vec<f32> = (0..200).map(|i| i as f32).collect();
    folder.save("long.npy", &[200], &long);
    let stdout = folder.ok(&["eval", "x", "x=long.npy"]);
    assert!(
        stdout.ends_with("]\nmin 0.0, max 199.0, mean 99.5\n"),
        "{stdout}"
    );
    long[7] = f32::NAN;
    folder.save("long.npy", &[200], &long);
    let stdout = folder.ok(&["eval", "x", "x=long.npy"]);
    assert!(stdout.ends_with(", 1 NaN\n"), "{stdout}");
    assert!(!folder.ok(&["eval", "x", "x=x.npy"]).contains("min"));
}

#[test]
fn quiet_runs_say_nothing_but_errors() {
    let folder = Folder::new();
    folder.save("i.npy", &[2], &[1i64, 2]);
    for args in [
        &["eval", "x / 2", "x=i.npy", "-q"][..],
        &[
            "eval", "x / 2", "x=i.npy", "-o", "o.npy", "--quiet", "--verify",
        ],
        &[
            "eval", "x / 2", "x=i.npy", "-o", "o.npy", "-q", "--memory", "1MiB",
        ],
        &["eval", "x / 2", "x=i.npy", "-q", "--plot", "o.png"],
    ] {
        let run = folder.run(args);
        let said = (run.code, run.stdout.as_str(), run.stderr.as_str());
        assert_eq!(said, (0, "", ""), "{args:?}");
    }
    folder.fails(
        1,
        &["unknown name `y`"],
        &["eval", "x + y", "x=i.npy", "-q"],
    );
    folder.fails(
        2,
        &["cannot be used with"],
        &["eval", "x", "x=i.npy", "-q", "--json"],
    );
}

/// Width, height, and the rows' bytes.
fn pixels(path: &std::path::Path) -> (u32, u32, Vec<u8>) {
    let decoder = png::Decoder::new(std::io::BufReader::new(fs::File::open(path).unwrap()));
    let mut reader = decoder.read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgb);
    (info.width, info.height, bytes)
}

/// The files that name Vulkan's drivers, as the loader takes them.
fn drivers() -> String {
    if let Ok(named) = std::env::var("VK_DRIVER_FILES") {
        return named;
    }
    let folders = ["/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d"];
    let found = folders
        .iter()
        .filter_map(|folder| fs::read_dir(folder).ok());
    let files = found.flat_map(|folder| folder.map(|file| file.unwrap().path()));
    let files: Vec<String> = files.map(|file| file.display().to_string()).collect();
    files.join(":")
}

#[test]
fn results_of_one_and_two_axes_are_drawn() {
    let folder = Folder::new();
    // Without the folders that fonts are found in: no font of the system is used. Vulkan's drivers
    // are found there too, so they are named.
    let drivers = drivers();
    let env = [
        ("HOME", "/nonexistent"),
        ("XDG_DATA_DIRS", "/nonexistent"),
        ("VK_DRIVER_FILES", drivers.as_str()),
    ];
    let draw = |args: &[&str]| {
        let run = folder.run_with(&[&["eval"], args, &["--plot", "o.png"]].concat(), &env);
        assert_eq!(run.code, 0, "{run:?}");
        assert!(run.stdout.ends_with("drawn to o.png\n"), "{run:?}");
        pixels(&folder.path("o.png"))
    };
    let (width, height, curve) = draw(&["x", "x=[1, 5, 2, nan, 4, inf, 3]:f32"]);
    assert_eq!((width, height), (960, 600));
    let has = |pixels: &[u8], colour: [u8; 3]| pixels.chunks(3).any(|p| p == colour);
    assert!(has(&curve, [31, 78, 140]) && has(&curve, [0, 0, 0]));
    let (.., picture) = draw(&["x", "x=[[1, 2, 3], [4, 5, nan]]:f32"]);
    // NaN is grey, the largest light.
    assert!(has(&picture, [200, 200, 200]));
    let light = |p: &[u8]| p[0] > 200 && p[1] > 200 && p[2] < 120;
    assert!(picture.chunks(3).filter(|p| light(p)).count() > 10_000);
    assert_ne!(curve, picture);
    // Whatever the numbers and shapes.
    for input in [
        "x=[nan, nan]:f32",
        "x=[3]",
        "x=[1e308, -1e308]",
        "x=[0, 5e-324]",
        "x=[1, 1.0000000000000002]",
        "x=[1e16, 1.0000000000000002e16]",
        "x=[0, 0, 0]",
        "x=[True, False]",
        "x=[[18446744073709551615]]",
        "x=[[nan]]:f32",
        "x=[[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]]",
    ] {
        draw(&["x", input]);
    }
    fs::remove_file(folder.path("o.png")).unwrap();
    for (code, args, words) in [
        (
            1,
            &["x.sum()", "x=x.npy"][..],
            "--plot draws results of one or two axes, but this one has 0 axes",
        ),
        (1, &["x[None]", "x=x.npy"], "this one has 3 axes"),
        (
            1,
            &["x[5:]", "x=x.npy"],
            "--plot: the result has no elements",
        ),
    ] {
        let args = [&["eval"], args, &["--plot", "o.png"]].concat();
        folder.fails(code, &[words], &args);
    }
    folder.fails(
        2,
        &["must end in .png"],
        &["eval", "x", "x=x.npy", "--plot", "o.jpg"],
    );
    folder.fails(
        1,
        &["the folder nosuch does not exist"],
        &["eval", "x", "x=x.npy", "--plot", "nosuch/o.png"],
    );
}
