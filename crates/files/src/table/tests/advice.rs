//! The advice in errors of headers and cells.

use super::*;

#[test]
fn a_line_of_what_may_be_numbers_is_no_header_by_itself() {
    for first in [
        "18446744073709551616",
        "-99999999999999999999",
        "1_000",
        "\"1,000\"",
        "0x10",
        "1 # c",
        "1.0f",
        "5 000",
        "\u{2212}5",
        "1d5",
        "10%",
        "$5",
        "2024-01-05",
        "NA",
        "N/A,null",
        "2021Q1",
        "1st,2nd",
        "(1),(2)",
        "5kg,6kg",
        "1.5K",
        "1j,2j",
        "-0x1p3",
        "#N/A,<NA>",
        "missing,NaT",
        "\u{221e}",
        "\u{ff11},\u{661}",
        "_,-x",
        "x,1_000",
    ] {
        let second = first.split(',').map(|_| "2").collect::<Vec<_>>().join(",");
        let second = if first.starts_with('"') { "2" } else { &second };
        let text = format!("{first}\n{second}\n");
        let refused = read_as(".csv", "", text.as_bytes(), PLAIN).unwrap_err();
        assert!(
            refused.contains("may be a name or a number; --header yes")
                || refused.contains("is no number; "),
            "{text:?}: {refused}"
        );
        let header = Settings {
            header: Header::Yes,
            ..PLAIN
        };
        assert!(
            read_as(".csv", "", text.as_bytes(), header).is_ok(),
            "{text:?}"
        );
        let header = Settings {
            header: Header::No,
            ..PLAIN
        };
        assert!(
            read_as(".csv", "", text.as_bytes(), header).is_err(),
            "{text:?}"
        );
    }
    for first in ["a", "x1,y", "height (m)", "", "_,x", "e", "unit#2"] {
        let second = first.split(',').map(|_| "2").collect::<Vec<_>>().join(",");
        let text = format!(
            "{first}\n{second}\n3{}\n",
            ",4".repeat(first.split(',').count() - 1)
        );
        let found = read_as(".csv", "", text.as_bytes(), PLAIN).unwrap();
        assert_eq!(found.layout.shape().extents()[0], 2, "{text:?}");
    }
    // A column that is asked for by its title.
    let years = b"id,NA,2022\na,1,2\nb,3,4\n";
    for columns in ["NA", "!id,!2022"] {
        let found = read_as(".csv", columns, years, PLAIN).unwrap();
        assert_eq!(found.layout.shape().extents(), [2], "{columns}");
    }
    let refused = read_as(".csv", "2022", years, PLAIN).unwrap_err();
    assert!(
        refused.ends_with("3; with --header yes the first line is a header, which has this name")
    );
    let wide = Columns::parse(".csv", "f64").unwrap();
    let none = Settings {
        header: Header::No,
        ..PLAIN
    };
    let found = read_text(
        b"18446744073709551616\n1\n",
        Between::Byte(b','),
        &wide,
        &none,
    )
    .unwrap();
    assert_eq!(found.bytes[..8], 18446744073709551616f64.to_le_bytes());
}

#[test]
fn a_cell_that_is_no_number_is_told_what_to_do() {
    let semicolons = Settings {
        between: Some(Between::Byte(b';')),
        ..PLAIN
    };
    let nan = Settings {
        empty_is_nan: true,
        ..PLAIN
    };
    for (columns, text, settings, words) in [
        (
            "height",
            "name;height\nAda;1,7\n",
            semicolons,
            "`1,7` is no number; decimals are written with a point",
        ),
        (
            "!name",
            "name,city\nAda,\"London, UK\"\n",
            PLAIN,
            "`London, UK` is no number",
        ),
        (
            "",
            "a\n1;2\n",
            PLAIN,
            "`1;2` is no number; --delimiter sets the separator of cells",
        ),
        (
            "",
            "a\n1 2\n",
            PLAIN,
            "`1 2` is no number; --delimiter space",
        ),
        (
            "b",
            "a,b\n1,NA\n",
            nan,
            "`NA` is no number; write a missing value as nan, or as nothing with --empty-as-nan",
        ),
        ("", "na\u{ef}ve,b\n1,2\n", PLAIN, ""),
    ] {
        match read_as(".csv", columns, text.as_bytes(), settings) {
            Ok(_) => assert!(words.is_empty(), "{text:?}"),
            Err(refused) => {
                let (_, found) = refused.split_once(": ").unwrap();
                assert!(
                    found.starts_with(words) && !words.is_empty(),
                    "{text:?}: {refused}"
                );
                assert!(
                    !words.ends_with("number") || found == words,
                    "{text:?}: {refused}"
                );
            }
        }
    }
    for (text, words) in [
        (&b"na\xefve,b\n1,2\n"[..], "line 1: it is not UTF-8"),
        (b"\xff\xfe1\x00\n\x00", "it is UTF-16"),
        (b"\xfe\xff\x001\x00\n", "it is UTF-16"),
    ] {
        let refused = read_as(".csv", "", text, PLAIN).unwrap_err();
        assert!(refused.contains(words), "{text:?}: {refused}");
    }
}
