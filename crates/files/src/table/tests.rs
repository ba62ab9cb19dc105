mod advice;

use super::*;

fn read_as(
    ending: &str,
    columns: &str,
    text: &[u8],
    settings: Settings,
) -> Result<HostTensor, String> {
    let columns = Columns::parse(ending, columns)?;
    let between = settings.between.unwrap_or(columns.between);
    read_text(text, between, &columns, &settings)
}

const PLAIN: Settings = Settings {
    between: None,
    header: Header::Auto,
    empty_is_nan: false,
    words: Words {
        header: "--header yes",
        no_header: "--header no",
        empty: "--empty-as-nan",
        between: "--delimiter",
        space: "--delimiter space",
    },
};

#[test]
fn types_and_shapes_follow_from_the_cells() {
    for (ending, columns, text, dtype, shape) in [
        (".csv", "", "1,2\n3,4\n", DType::I64, vec![2, 2]),
        (".csv", "", "a,b\n1,2\n3,4.5\n", DType::F64, vec![2, 2]),
        (
            ".csv",
            "",
            "\u{feff}a,\"b, c\"\r\n1,\"2\"\r\n\r\n3,4\r\n",
            DType::I64,
            vec![2, 2],
        ),
        (".csv", "", "True\nfalse\n", DType::Bool, vec![2]),
        (".csv", "", "18446744073709551615\n1", DType::U64, vec![2]),
        (".csv", "", "1,2", DType::I64, vec![1, 2]),
        (".csv", "b", "a,b\nx,1\ny,2\n", DType::I64, vec![2]),
        (
            ".csv",
            "c,b",
            "a,b,c\nx,1,0.5\ny,2,1\n",
            DType::F64,
            vec![2, 2],
        ),
        (".csv", "f32", "1,2\n", DType::F32, vec![1, 2]),
        (
            ".csv",
            "f64",
            "True,99999999999999999999\n",
            DType::F64,
            vec![1, 2],
        ),
        (".csv", "b:u8", "a,b\nx,1\n", DType::U8, vec![1]),
        (".csv", "b:int", "a,b\nx,1\n", DType::I64, vec![1]),
        (".csv", "b:np.float32", "a,b\nx,1\n", DType::F32, vec![1]),
        // The name of a column.
        (".csv", "int", "int,b\n1,2\n", DType::I64, vec![1]),
        (".tsv", "", "1\t2\n", DType::I64, vec![1, 2]),
        (
            ".txt",
            "",
            "# x y\n 1  2\n\n3\t4 # last\n",
            DType::I64,
            vec![2, 2],
        ),
        (".txt", "", "1e3\nnan\n-inf\n", DType::F64, vec![3]),
        (".txt", "", "1 2 # c\r3 4\r", DType::I64, vec![2, 2]),
        (".txt", "", "1 2\r\n\r\n3 4", DType::I64, vec![2, 2]),
        (".csv", "", "1,2\r3,4\r", DType::I64, vec![2, 2]),
    ] {
        let found = read_as(ending, columns, text.as_bytes(), PLAIN).unwrap();
        let extents = found.layout.shape().extents();
        assert_eq!((found.dtype, extents), (dtype, &shape[..]), "{text:?}");
    }
    let nan = Settings {
        empty_is_nan: true,
        ..PLAIN
    };
    let found = read_as(".csv", "", b"1,\n2,3\n", nan).unwrap();
    assert_eq!(found.dtype, DType::F64);
    assert!(f64::from_le_bytes(found.bytes[8..16].try_into().unwrap()).is_nan());
    let semicolons = Settings {
        between: Some(Between::Byte(b';')),
        ..PLAIN
    };
    assert_eq!(
        read_as(".csv", "", b"1;2\n", semicolons)
            .unwrap()
            .layout
            .shape()
            .extents(),
        [1, 2]
    );
    let header = Settings {
        header: Header::Yes,
        ..PLAIN
    };
    let empty = read_as(".csv", "", b"a,b\n", header).unwrap();
    assert_eq!(
        (empty.dtype, empty.layout.shape().extents()),
        (DType::F64, &[0, 2][..])
    );
    assert_eq!(
        read_as(".csv", "", b"1,2\n3,4\n", header).unwrap().bytes[0],
        3
    );
}

#[test]
fn a_bad_cell_is_an_error_with_line_and_column() {
    let none = Settings {
        header: Header::No,
        ..PLAIN
    };
    let nan = Settings {
        empty_is_nan: true,
        ..PLAIN
    };
    for (ending, columns, text, settings, words) in [
        (
            ".csv",
            "",
            &b"1,2\n3,x\n"[..],
            PLAIN,
            "line 2, column 2: `x` is no number",
        ),
        (
            ".csv",
            "",
            b"a,b\n\n\n1,2\n3,",
            PLAIN,
            "line 5, column 2: the cell is empty; --empty-as-nan",
        ),
        (
            ".csv",
            "",
            b"1,2\r3,x\r",
            PLAIN,
            "line 2, column 2: `x` is no number",
        ),
        (
            ".txt",
            "",
            b"1 2\r\n\r\n3 x\r\n",
            PLAIN,
            "line 3, column 2: `x` is no number",
        ),
        (
            ".csv",
            "",
            b"1,2\n3\n",
            PLAIN,
            "line 2: it has 1 cell, the first line has 2",
        ),
        (
            ".csv",
            "",
            b"1,2\n\n3,4,5\n",
            PLAIN,
            "line 3: it has 3 cells, the first line has 2",
        ),
        (
            ".csv",
            "",
            b"1,2\n3,\xff\n",
            PLAIN,
            "line 2, column 2: it is not UTF-8",
        ),
        (
            ".csv",
            "",
            b"a,b\n",
            none,
            "line 1, column 1: `a` is no number",
        ),
        (".csv", "", b"\n\n", PLAIN, "every line is empty"),
        (".csv", "", b"", PLAIN, "every line is empty"),
        (
            ".csv",
            "c",
            b"a,b\n1,2\n",
            PLAIN,
            "no column `c`; its columns are a, b",
        ),
        (
            ".csv",
            "c",
            b"1,2\n",
            PLAIN,
            "no header that names a column `c`",
        ),
        (
            ".csv",
            "a",
            b"a,a\n1,2\n",
            PLAIN,
            "two columns are called `a`",
        ),
        (
            ".csv",
            "u8",
            b"1,256\n",
            PLAIN,
            "line 1, column 2: `256` does not fit u8",
        ),
        (
            ".csv",
            "",
            b"True,1\n",
            PLAIN,
            "line 1, column 2: truth values and numbers",
        ),
        (
            ".csv",
            "",
            b"True\n\"\"\n",
            nan,
            "line 2, column 1: truth values and numbers",
        ),
        (
            ".csv",
            "i32",
            b"1,\n",
            nan,
            "line 1, column 2: an empty cell is NaN, which does not fit i32",
        ),
        (
            ".csv",
            "",
            b"-1\n18446744073709551615\n",
            PLAIN,
            "line 2, column 1: a whole number does not fit i64",
        ),
        (
            ".csv",
            "",
            b"1\n99999999999999999999\n",
            PLAIN,
            "line 2, column 1: `99999999999999999999` does not fit 64 bits; name a type, as in FILE.csv:f64",
        ),
        (
            ".txt",
            "",
            b"1 2\n# c\n3\n",
            PLAIN,
            "line 3: it has 1 cell, the first line has 2",
        ),
        (
            ".csv",
            "",
            b"1 2\n3 4\n",
            none,
            "line 1, column 1: `1 2` is no number",
        ),
    ] {
        let error = read_as(ending, columns, text, settings).unwrap_err();
        assert!(error.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn columns_are_named_by_number_or_left_out() {
    let text = b"a,b,3\n1,2,3\n4,5,6\n";
    for (columns, shape) in [
        ("0", vec![2]),
        ("-1,0", vec![2, 2]),
        ("3", vec![2]),
        ("!b", vec![2, 2]),
        ("!0,!-1", vec![2]),
    ] {
        let settings = Settings {
            header: Header::Yes,
            ..PLAIN
        };
        let read = read_as(".csv", columns, text, settings).unwrap();
        assert_eq!(read.layout.shape().extents(), shape, "{columns}");
    }
    let plain = read_as(".csv", "1", b"1,2\n3,4\n", PLAIN).unwrap();
    assert_eq!(plain.bytes[..8], 2i64.to_le_bytes());
    for (columns, text, reason) in [
        ("2", "1,2\n", "no column 2: the table has 2"),
        ("-3", "1,2\n", "no column -3: the table has 2"),
        ("a", "1,2\n", "the first column is 0"),
        (
            "!0,1",
            "1,2\n",
            "read, as NAME,NAME, or to leave out, as !NAME,!NAME: !0,!1 leaves",
        ),
        ("!0,!1", "1,2\n", "no column is left"),
    ] {
        let refused = read_as(".csv", columns, text.as_bytes(), PLAIN).unwrap_err();
        assert!(refused.contains(reason), "{columns}: {refused}");
    }
}

#[test]
fn a_quote_that_does_not_end_is_refused() {
    for text in ["1,\"2\n3,4\n", "\"1", "1,2\n3,\"4\"\"", "a,\"b\n"] {
        let refused = read_as(".csv", "", text.as_bytes(), PLAIN).unwrap_err();
        assert!(refused.contains("does not end"), "{text:?}: {refused}");
    }
    for text in ["1,\"2\"\n", "\"1\",2", "\"a \"\"b\"\"\",b\n1,2\n"] {
        read_as(".csv", "", text.as_bytes(), PLAIN).unwrap();
    }
}
