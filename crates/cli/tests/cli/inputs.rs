//! What `NAME=` may stand for besides `.npy` files: safetensors, raw elements, literals and pipes.

use std::fs;

use zerostride::{DType, Element, Shape, npy};

use crate::Folder;

/// A safetensors file of this header and these bytes.
fn safetensors(header: &str, data: &[u8]) -> Vec<u8> {
    [
        &(header.len() as u64).to_le_bytes(),
        header.as_bytes(),
        data,
    ]
    .concat()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|x| x.to_le_bytes()).collect()
}

const TWO: &str = r#"{"a.w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},"b":{"dtype":"I8","shape":[2],"data_offsets":[24,26]},"__metadata__":{"format":"pt"}}"#;

#[test]
fn tensors_of_safetensors_files_are_read_by_name() {
    let folder = Folder::new();
    let mut data = floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    data.extend([7, 0xff]);
    fs::write(folder.path("m.safetensors"), safetensors(TWO, &data)).unwrap();
    let args = [
        "eval",
        "w * b[:, None]",
        "w=m.safetensors:a.w",
        "b=m.safetensors:b",
        "-o",
        "o.npy",
        "--verify",
    ];
    folder.ok(&args);
    let (shape, found) = folder.load::<f32>("o.npy");
    assert_eq!(shape, [2, 3]);
    assert_eq!(found, [7.0, 14.0, 21.0, -4.0, -5.0, -6.0]);
    // From file to file.
    folder.ok(&[
        "eval",
        "w + 1",
        "w=m.safetensors:a.w",
        "-o",
        "s.npy",
        "--memory",
        "1MiB",
    ]);
    assert_eq!(
        folder.load::<f32>("s.npy").1,
        [2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    );
    let one = r#"{"x":{"dtype":"BF16","shape":[1],"data_offsets":[0,2]}}"#;
    fs::write(
        folder.path("one.safetensors"),
        safetensors(one, &[0x80, 0x3f]),
    )
    .unwrap();
    assert_eq!(
        folder.ok(&["eval", "x + x", "x=one.safetensors"]),
        "bf16 [1]\n[2.0]\n"
    );
}

#[test]
fn safetensors_files_that_are_not_whole_are_refused() {
    let folder = Folder::new();
    let data = [0; 26];
    let file = |name: &str, bytes: &[u8]| fs::write(folder.path(name), bytes).unwrap();
    file("m.safetensors", &safetensors(TWO, &data));
    file("empty.safetensors", b"");
    file("huge.safetensors", &u64::MAX.to_le_bytes());
    file("long.safetensors", &(90_000_000u64).to_le_bytes());
    file("short.safetensors", &safetensors(TWO, &data[..25]));
    file("more.safetensors", &safetensors(TWO, &[0; 27]));
    file("text.safetensors", &safetensors("not json", &data));
    let with = |name: &str, entry: &str| file(name, &safetensors(entry, &data));
    with(
        "hole.safetensors",
        r#"{"x":{"dtype":"I8","shape":[2],"data_offsets":[24,26]}}"#,
    );
    with(
        "size.safetensors",
        r#"{"x":{"dtype":"I8","shape":[27],"data_offsets":[0,26]}}"#,
    );
    with(
        "over.safetensors",
        r#"{"x":{"dtype":"F64","shape":[4611686018427387904,4],"data_offsets":[0,26]}}"#,
    );
    with(
        "f8.safetensors",
        r#"{"x":{"dtype":"F8_E4M3","shape":[26],"data_offsets":[0,26]}}"#,
    );
    file(
        "deep.safetensors",
        &safetensors(&"[".repeat(100_000), &data),
    );
    let one = r#""a":{"dtype":"U8","shape":[26],"data_offsets":[0,26]}"#;
    with("twice.safetensors", &format!("{{{one},{one}}}"));
    fs::create_dir(folder.path("d.safetensors")).unwrap();
    for (input, words) in [
        (
            "m.safetensors",
            "name one tensor as m.safetensors:TENSOR; its tensors are a.w, b",
        ),
        (
            "m.safetensors:c",
            "the file has no tensor `c`; its tensors are a.w, b",
        ),
        (
            "empty.safetensors",
            "not a safetensors file: it has no header",
        ),
        (
            "huge.safetensors",
            "its header takes 18446744073709551615 bytes; the file has 8",
        ),
        (
            "long.safetensors",
            "its header takes 90000000 bytes; the file has 8",
        ),
        ("short.safetensors:b", "bytes in all; the file has "),
        ("more.safetensors:b", "bytes in all; the file has "),
        ("text.safetensors", "the header cannot be read: "),
        ("hole.safetensors", "the header cannot be read: "),
        ("size.safetensors", "the header cannot be read: "),
        ("over.safetensors", "the header cannot be read: "),
        ("deep.safetensors", "the header cannot be read: "),
        (
            "twice.safetensors:a",
            "the header cannot be read: `a` appears twice",
        ),
        (
            "f8.safetensors",
            "F8_E4M3 is not supported; use bool, integers",
        ),
        ("nosuch.safetensors", "nosuch.safetensors: "),
        ("d.safetensors", "not a regular file"),
    ] {
        let input = format!("x={input}");
        folder.fails(1, &[words], &["eval", "x", &input, "-o", "o.npy"]);
        folder.fails(
            1,
            &[words],
            &["eval", "x", &input, "-o", "o.npy", "--memory", "1MiB"],
        );
    }
}

#[test]
fn raw_elements_are_read_with_their_type_and_shape() {
    let folder = Folder::new();
    fs::write(
        folder.path("x.raw"),
        floats(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
    )
    .unwrap();
    assert_eq!(
        folder.ok(&["eval", "x * 2", "x=x.raw:f32[2,3]"]),
        "f32 [2, 3]\n[[ 2.0  4.0  6.0]\n [ 8.0 10.0 12.0]]\n"
    );
    fs::write(folder.path("frame.yuv"), [1, 2, 3, 4]).unwrap();
    assert_eq!(
        folder.ok(&["eval", "x", "x=frame.yuv:uint8[4]"]),
        "u8 [4]\n[1 2 3 4]\n"
    );
    assert_eq!(
        folder.ok(&["eval", "x", "x=frame.yuv:i32[]"]),
        "i32 []\n67305985\n"
    );
    // As large as memory need not be.
    let large: Vec<f32> = (0..300_000).map(|i| i as f32).collect();
    fs::write(folder.path("large.raw"), floats(&large)).unwrap();
    folder.ok(&[
        "eval",
        "x + 1",
        "x=large.raw:f32[300000]",
        "-o",
        "o.npy",
        "--memory",
        "512KiB",
    ]);
    let found = folder.load::<f32>("o.npy").1;
    assert!(found.iter().zip(&large).all(|(a, b)| *a == b + 1.0));
    // Parts too, and f64 that is rounded on the way.
    let wide: Vec<u8> = (0..100).flat_map(|i| f64::from(i).to_le_bytes()).collect();
    fs::write(folder.path("wide.raw"), wide).unwrap();
    for part in ["1/2", "2/2"] {
        folder.ok(&[
            "eval",
            "x * 0.5",
            "x=wide.raw:f64[100]",
            "--f64-as",
            "f32",
            "-o",
            "p.npy",
            "--part",
            part,
        ]);
    }
    let found = folder.load::<f32>("p.npy").1;
    assert!(found.iter().enumerate().all(|(i, x)| *x == i as f32 / 2.0));
}

#[test]
fn raw_elements_of_another_length_are_refused() {
    let folder = Folder::new();
    fs::write(folder.path("x.raw"), [0; 24]).unwrap();
    for (code, input, words) in [
        (
            1,
            "x=x.raw:f32[2,2]",
            "x.raw: f32 [2, 2] takes 16 bytes; the file has 24",
        ),
        (
            1,
            "x=x.raw:f32[7]",
            "f32 [7] takes 28 bytes; the file has 24",
        ),
        (
            1,
            "x=x.raw:f32[4611686018427387904]",
            "more bytes than can be counted",
        ),
        (
            1,
            "x=x.raw:f64[99999999999,99999999999]",
            "has more bytes than can be counted",
        ),
        (2, "x=x.raw", "`x.raw` has no header; say what it holds"),
        (2, "x=x.raw:f32", "`x.raw` has no header"),
        (2, "x=x.raw:f32[2", "`x.raw` has no header"),
        (2, "x=x.raw:f32[-2]", "`-2` is not an extent"),
        (
            2,
            "x=x.raw:complex64[3]",
            "complex numbers are not supported",
        ),
        (
            2,
            "x=x.npy:f32[6]",
            "a .npy file contains its shape; leave out",
        ),
        (1, "x=nosuch.raw:f32[2]", "nosuch.raw: "),
        (1, "x=.:f32[2]", "not a regular file"),
    ] {
        folder.fails(code, &[words], &["eval", "x + 1", input, "-o", "o.npy"]);
    }
}

#[test]
fn arrays_may_be_written_on_the_command_line() {
    let folder = Folder::new();
    for (input, expected) in [
        ("x=[1, 2, 3]", "i64 [3]\n[1 2 3]\n"),
        (
            "x=[[1,2],[3,4.5]]:f32",
            "f32 [2, 2]\n[[1.0 2.0]\n [3.0 4.5]]\n",
        ),
        ("x=[True, False]", "bool [2]\n[ True False]\n"),
        ("x=[True, 2]", "i64 [2]\n[1 2]\n"),
        ("x=[1.5, nan]", "f64 [2]\n[1.5 nan]\n"),
        ("x=[]", "f64 [0]\n[]\n"),
    ] {
        assert_eq!(folder.ok(&["eval", "x", input]), expected, "{input}");
    }
    let stdout = folder.ok(&["eval", "x * w", "x=x.npy", "w=[1, 10, 100]:f32"]);
    assert_eq!(
        stdout,
        "f32 [2, 3]\n[[  1.0  20.0 300.0]\n [  4.0  50.0 600.0]]\n"
    );
    folder.fails(
        2,
        &["its lists must all have one length"],
        &["eval", "x", "x=[[1,2],[3]]"],
    );
    folder.fails(2, &["a `]` is missing"], &["eval", "x", "x=[1,2"]);
    folder.fails(2, &["`y` is no number"], &["eval", "x", "x=[1,y]"]);
}

#[test]
fn an_array_of_an_archive_is_named_if_there_are_several() {
    let folder = Folder::new();
    let (shape, bytes) = (Shape::new([2]), f32::to_bytes(&[1.0, 2.0]));
    let array = |name| (name, DType::F32, &shape, &bytes[..]);
    npy::write_npz(folder.path("two.npz"), &[array("a"), array("b")]).unwrap();
    npy::write_npz(folder.path("one.npz"), &[array("a")]).unwrap();
    folder.fails(
        1,
        &["name one array as two.npz:ARRAY; its arrays are a, b"],
        &["eval", "x", "x=two.npz"],
    );
    folder.fails(
        1,
        &["no array `c` in the archive; its arrays are a, b"],
        &["eval", "x", "x=two.npz:c"],
    );
    assert_eq!(
        folder.ok(&["eval", "x", "x=one.npz"]),
        "f32 [2]\n[1.0 2.0]\n"
    );
    assert_eq!(
        folder.ok(&["eval", "x + y", "x=two.npz:a", "y=two.npz:b"]),
        "f32 [2]\n[2.0 4.0]\n"
    );
}

#[test]
fn standard_input_is_an_array() {
    let folder = Folder::new();
    let x = fs::read(folder.path("x.npy")).unwrap();
    let raw = floats(&[1.0, 2.0]);
    for (input, stdin, expected) in [
        (
            "x=-",
            x.as_slice(),
            "f32 [2, 3]\n[[1.0 2.0 3.0]\n [4.0 5.0 6.0]]\n",
        ),
        (
            "x=-:npy",
            &x,
            "f32 [2, 3]\n[[1.0 2.0 3.0]\n [4.0 5.0 6.0]]\n",
        ),
        (
            "x=/dev/stdin",
            &x,
            "f32 [2, 3]\n[[1.0 2.0 3.0]\n [4.0 5.0 6.0]]\n",
        ),
        ("x=-:csv", b"1,2\n3,4\n", "i64 [2, 2]\n[[1 2]\n [3 4]]\n"),
        ("x=-:txt:f32", b"1 2\n", "f32 [1, 2]\n[[1.0 2.0]]\n"),
        ("x=-:f32[2]", &raw, "f32 [2]\n[1.0 2.0]\n"),
    ] {
        let out = folder.piped(&["eval", "x", input], stdin);
        let stdout = String::from_utf8_lossy(&out.stdout);
        assert_eq!(stdout, expected, "{input}: {out:?}");
    }
    // Streams read it as a whole.
    let out = folder.piped(
        &["eval", "x + 1", "x=-", "-o", "o.npy", "--memory", "1MiB"],
        &x,
    );
    assert!(out.status.success(), "{out:?}");
    assert_eq!(folder.load::<f32>("o.npy").1[5], 7.0);
    let longer = [x.as_slice(), b"!"].concat();
    let huge = {
        let mut huge = x.clone();
        let wide = b"(2, 1000000000000), }";
        let at = huge.windows(6).position(|w| w == b"(2, 3)").unwrap();
        huge[at..at + wide.len()].copy_from_slice(wide);
        huge
    };
    for (input, stdin, words) in [
        (
            "x=-",
            &b""[..],
            "standard input: truncated: the file ends inside its header",
        ),
        (
            "x=-",
            b"1,2\n3,4\n5,6\n7,8\n",
            "standard input: not a .npy file",
        ),
        (
            "x=-",
            &x[..x.len() - 1],
            "truncated: f32 [2, 3] takes 24 bytes",
        ),
        (
            "x=-",
            &longer,
            "bytes follow the array: f32 [2, 3] takes 24 bytes",
        ),
        ("x=-", &huge, "truncated: f32 [2, 1000000000000] takes"),
        (
            "x=-:f32[3]",
            &raw,
            "standard input: f32 [3] takes 12 bytes; the input has 8",
        ),
        (
            "x=-:f32[1]",
            &raw,
            "standard input: f32 [1] takes 4 bytes; the input has more",
        ),
        ("x=-:csv", b"z,x\n2,3\n", "no column"),
    ] {
        let input = if words == "no column" {
            "x=-:csv:y"
        } else {
            input
        };
        let out = folder.piped(&["eval", "x", input], stdin);
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(1), "{input}: {out:?}");
        assert!(stderr.contains(words) && out.stdout.is_empty(), "{stderr}");
    }
    folder.fails(
        2,
        &["`x` and `y` are both standard input, which can be read only once"],
        &["eval", "x + y", "x=-", "y=-:csv"],
    );
    folder.fails(
        2,
        &["`doc` is not the form of a pipe; use npy, csv, tsv, txt"],
        &["eval", "x", "x=-:doc"],
    );
}

#[test]
fn an_array_that_no_buffer_holds_is_refused_before_it_is_read() {
    let folder = Folder::new();
    folder.save("x.npy", &[2], &[1u8, 2]);
    // 2^40 bytes that no disk holds, behind the header.
    let header = fs::read(folder.path("x.npy")).unwrap();
    let shape = header.windows(4).position(|w| w == b"(2,)").unwrap();
    let mut large = header[..128].to_vec();
    let long = format!("({},), }}", 1u64 << 40);
    large[shape..shape + long.len()].copy_from_slice(long.as_bytes());
    fs::write(folder.path("large.npy"), &large).unwrap();
    let file = fs::OpenOptions::new()
        .write(true)
        .open(folder.path("large.npy"))
        .unwrap();
    file.set_len(128 + (1 << 40)).unwrap();
    let wanted =
        "input `x` needs a buffer of 1099511627776 bytes, the device has buffers of at most";
    folder.fails(1, &[wanted], &["eval", "argmax(x)", "x=large.npy"]);
}
