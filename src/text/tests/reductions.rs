//! What is a reduction in NumPy is never computed element by element.

use super::*;

/// NumPy's reductions and what each is between two operands.
const REDUCTIONS: &[(&str, &str)] = &[
    ("max", "maximum(x, "),
    ("min", "minimum(x, "),
    ("amax", "maximum(x, "),
    ("amin", "minimum(x, "),
    ("sum", "write x + "),
    ("mean", "write (x + "),
    ("average", "write (x + "),
    ("prod", "write x * "),
    ("any", "write x | "),
    ("all", "write x & "),
    ("std", ""),
    ("var", ""),
    ("median", ""),
    ("ptp", ""),
    ("argmax", ""),
    ("argmin", ""),
    ("cumsum", ""),
    ("cumprod", ""),
    ("count_nonzero", ""),
    ("nanmax", ""),
    ("nanmin", ""),
    ("nansum", ""),
    ("nanmean", ""),
];

/// What stands behind the first operand where NumPy has an axis.
const AXES: &[&str] = &[
    "",
    "0",
    "1",
    "-1",
    "(-1)",
    "(0, 1)",
    "(0,)",
    "[0]",
    "None",
    "0.0",
    "1.5",
    "True",
    "axis=0",
    "axis=-1",
    "axis=(0, 1)",
    "axis=None",
    "0, keepdims=True",
    "axis=1, keepdims=True",
    "1 - 1",
    "i32(1)",
];

/// The error of a source, which must be refused with these words.
fn refusal(source: &str, words: &[&str]) -> Option<String> {
    match eval(source) {
        Ok(_) => Some(format!("{source} is computed")),
        Err(e) if words.iter().all(|w| e.to_string().contains(w)) => None,
        Err(e) => Some(format!("{source}: {e}")),
    }
}

#[test]
fn methods_and_numpys_functions_are_refused_with_what_to_write() {
    let mut failures = Vec::new();
    for (name, instead) in REDUCTIONS {
        let words = ["no reductions", instead];
        for axis in AXES {
            let behind = if axis.is_empty() {
                String::new()
            } else {
                format!(", {axis}")
            };
            let sources = [
                format!("x.{name}({axis})"),
                format!("np.{name}(x{behind})"),
                format!("numpy.{name}(x{behind})"),
                format!("row - (x * 2).{name}({axis})"),
                format!("x - np.{name}(x{behind})"),
            ];
            failures.extend(sources.iter().filter_map(|source| refusal(source, &words)));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn bare_functions_with_a_whole_number_in_the_place_of_an_axis_are_refused() {
    let mut failures = Vec::new();
    for (name, instead) in &REDUCTIONS[..6] {
        let name = name.strip_prefix('a').unwrap_or(name);
        for (axis, shown) in [
            ("0", "0"),
            ("1", "1"),
            ("-1", "-1"),
            ("(-1)", "-1"),
            ("2 - 3", "-1"),
            ("i32(1)", "1"),
            ("+0", "0"),
        ] {
            failures.extend(refusal(
                &format!("{name}(x, {axis})"),
                &["no reductions", instead, shown],
            ));
            failures.extend(refusal(
                &format!("x + {name}(x, {axis}, row)"),
                &["no reductions", instead, shown],
            ));
        }
        failures.extend(refusal(&format!("{name}(x)"), &["no reductions", instead]));
        failures.extend(refusal(
            &format!("{name}(x, axis=0)"),
            &["no reductions", instead],
        ));
        failures.extend(refusal(&format!("{name}(x, None)"), &["None"]));
        failures.extend(refusal(&format!("{name}(x, (0, 1))"), &["tuple"]));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_message_names_the_very_number() {
    for (source, words) in [
        ("x.max(1)", "maximum(x, 1)"),
        ("np.min(x, -1)", "minimum(x, -1)"),
        ("max(x, 0)", "maximum(x, 0)"),
        ("sum(x, -1)", "x + (-1)"),
        ("x.mean(-1)", "(x + (-1)) / 2"),
        ("np.amax(x, 0)", "maximum(x, y)"),
    ] {
        assert_eq!(refusal(source, &[words]), None);
    }
}

#[test]
fn bare_functions_of_arrays_and_of_numbers_are_element_by_element() {
    use DType::F32;
    check(&[
        Case("max(row, s)", F32, &[3], &[10.0, 20.0, 30.0]),
        Case("min(row, two[0], s)", F32, &[3], &[2.0, 2.0, 2.0]),
        Case("max(row, 15.0)", F32, &[3], &[15.0, 20.0, 30.0]),
        Case("max(15, row)", F32, &[3], &[15.0, 20.0, 30.0]),
        Case("sum(row, row, 1)", F32, &[3], &[21.0, 41.0, 61.0]),
        Case("row + max(1, 2)", F32, &[3], &[12.0, 22.0, 32.0]),
        Case(
            "row + mean(1, 2, 6) + sum(1, 2) + min(4, 3)",
            F32,
            &[3],
            &[19.0, 29.0, 39.0],
        ),
        // An array is no axis.
        Case("row.max(s)", F32, &[3], &[10.0, 20.0, 30.0]),
        Case("np.min(row, two[0], s)", F32, &[3], &[2.0, 2.0, 2.0]),
        Case("(row * 2).max(row + s)", F32, &[3], &[20.0, 40.0, 60.0]),
        Case("maximum(row, 15)", F32, &[3], &[15.0, 20.0, 30.0]),
        Case("np.maximum(row, 15)", F32, &[3], &[15.0, 20.0, 30.0]),
    ]);
}

#[test]
fn what_to_write_instead_names_the_second_operand_only_where_it_is_one_number() {
    for (text, instead) in [
        ("np.max(x, 1)", "write maximum(x, 1)"),
        ("np.max(x, -1)", "write maximum(x, -1)"),
        ("np.max(x, (-1))", "write maximum(x, -1)"),
        ("np.max(x, 2, None)", "write maximum(x, 2)"),
        ("np.max(x, 2 * 1)", "write maximum(x, y)"),
        ("np.sum(x, 1 - 1)", "write x + y"),
        ("x.sum(-1 + 1)", "write x + y"),
        ("np.sum(x, (-1) + 1)", "write x + y"),
    ] {
        let message = parse(text).unwrap_err().to_string();
        assert!(
            message.lines().next().unwrap().ends_with(instead),
            "{text}: {message}"
        );
    }
}
