//! Tables of text as inputs: `.csv`, `.tsv` and `.txt`.

use std::fs;

use crate::Folder;

#[test]
fn tables_are_arrays() {
    let folder = Folder::new();
    let file = |name: &str, text: &str| fs::write(folder.path(name), text).unwrap();
    file("ints.csv", "1,2,3\n4,5,6\n");
    file("named.csv", "kind,width,height\nbird,1.5,2\nfish,0.5,4\n");
    file("tabs.tsv", "1\t2\n3\t4\n");
    file("plain.txt", "# by hand\n1.5 2\n 3   4 # the last\n");
    file("column.txt", "1\n2\n3\n");
    file("flags.csv", "True,False\nfalse,true\n");
    file("german.csv", "1;2\n3;4\n");
    file("holes.csv", "1,\n,4\n");
    for (args, expected) in [
        (&["x=ints.csv"][..], "i64 [2, 3]\n[[1 2 3]\n [4 5 6]]\n"),
        (&["x=ints.csv:u8"], "u8 [2, 3]\n[[1 2 3]\n [4 5 6]]\n"),
        (&["x=named.csv:width"], "f64 [2]\n[1.5 0.5]\n"),
        (&["x=named.csv:height"], "i64 [2]\n[2 4]\n"),
        (&["x=named.csv:height:f32"], "f32 [2]\n[2.0 4.0]\n"),
        (
            &["x=named.csv:height,width:f32"],
            "f32 [2, 2]\n[[2.0 1.5]\n [4.0 0.5]]\n",
        ),
        (
            &["x=named.csv:width", "--f64-as", "f16"],
            "f16 [2]\n[1.5 0.5]\n",
        ),
        (&["x=tabs.tsv"], "i64 [2, 2]\n[[1 2]\n [3 4]]\n"),
        (&["x=plain.txt"], "f64 [2, 2]\n[[1.5 2.0]\n [3.0 4.0]]\n"),
        (&["x=column.txt"], "i64 [3]\n[1 2 3]\n"),
        (
            &["x=flags.csv"],
            "bool [2, 2]\n[[ True False]\n [False  True]]\n",
        ),
        (
            &["x=german.csv", "--delimiter", ";"],
            "i64 [2, 2]\n[[1 2]\n [3 4]]\n",
        ),
        (
            &["x=holes.csv", "--empty-as-nan"],
            "f64 [2, 2]\n[[1.0 nan]\n [nan 4.0]]\n",
        ),
        (
            &["x=ints.csv", "--header", "yes"],
            "i64 [1, 3]\n[[4 5 6]]\n",
        ),
    ] {
        let stdout = folder.ok(&[&["eval", "x"], args].concat());
        assert_eq!(stdout, expected, "{args:?}");
    }
    // What is read is computed with, from file to file too.
    folder.ok(&[
        "eval",
        "x - x[0]",
        "x=ints.csv:f32",
        "-o",
        "o.npy",
        "--memory",
        "1MiB",
    ]);
    assert_eq!(
        folder.load::<f32>("o.npy").1,
        [0.0, 0.0, 0.0, 3.0, 3.0, 3.0]
    );
}

#[test]
fn a_table_that_is_not_one_is_refused_with_line_and_column() {
    let folder = Folder::new();
    let file = |name: &str, bytes: &[u8]| fs::write(folder.path(name), bytes).unwrap();
    file("word.csv", b"a,b\n1,2\n3,four\n");
    file("hole.csv", b"1,2\n,4\n");
    file("ragged.csv", b"1,2\n3\n");
    file("wide.csv", b"1,2\n3,4,5\n");
    file("latin.csv", b"1,2\n3,\xe9\n");
    file("quote.csv", b"1,2\n3,\"4\n5,6\n");
    file("nothing.csv", b"");
    file("binary.csv", &[0; 100]);
    file("mixed.csv", b"1,2\n3,True\n");
    file("german.csv", b"1,5;2\n3;4\n");
    file("plain.txt", b"1 2\n3\n");
    for (code, args, words) in [
        (
            1,
            &["x=word.csv"][..],
            "word.csv: line 3, column 2: `four` is no number",
        ),
        (
            1,
            &["x=word.csv", "--header", "no"],
            "line 1, column 1: `a` is no number",
        ),
        (1, &["x=word.csv:c"], "no column `c`; its columns are a, b"),
        (
            1,
            &["x=word.csv:b"],
            "line 3, column 2: `four` is no number",
        ),
        (
            1,
            &["x=hole.csv"],
            "line 2, column 1: the cell is empty; --empty-as-nan reads NaN",
        ),
        (
            1,
            &["x=hole.csv:i32", "--empty-as-nan"],
            "line 2, column 1: an empty cell is NaN, which does not fit i32",
        ),
        (
            1,
            &["x=ragged.csv"],
            "line 2: it has 1 cell, the first line has 2",
        ),
        (
            1,
            &["x=wide.csv"],
            "line 2: it has 3 cells, the first line has 2",
        ),
        (1, &["x=latin.csv"], "line 2, column 2: it is not UTF-8"),
        (
            1,
            &["x=quote.csv"],
            "line 2: a quote in one of its cells does not end",
        ),
        (
            1,
            &["x=nothing.csv"],
            "it holds no numbers: every line is empty",
        ),
        (
            1,
            &["x=binary.csv"],
            "line 1: it has no numbers, and no line follows it",
        ),
        (
            1,
            &["x=mixed.csv"],
            "line 2, column 2: truth values and numbers are in one table",
        ),
        (
            1,
            &["x=german.csv"],
            "line 1, column 2: `5;2` is no number; --delimiter sets the separator of cells",
        ),
        (
            1,
            &["x=plain.txt"],
            "line 2: it has 1 cell, the first line has 2",
        ),
        (1, &["x=nosuch.csv"], "nosuch.csv: "),
        (
            2,
            &["x=word.csv", "--delimiter", "ab"],
            "write one character",
        ),
        (
            2,
            &["x=word.csv", "--delimiter", "."],
            "write one character",
        ),
        (
            2,
            &["x=word.csv", "--header", "maybe"],
            "possible values: auto, yes, no",
        ),
    ] {
        let args = [&["eval", "x", "-o", "o.npy"], args].concat();
        folder.fails(code, &[words], &args);
    }
}
