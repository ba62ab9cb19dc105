//! What is no axis of a reduction, and what to write instead: every error has its column.

use super::*;

/// Names of reductions and what each is between two operands.
const BETWEEN: &[(&str, &str)] = &[
    ("max", "write maximum(a, b), or max_n(a, b, c) for more"),
    ("min", "write minimum(a, b), or min_n(a, b, c) for more"),
    ("amax", "write maximum(a, b)"),
    ("amin", "write minimum(a, b)"),
    ("sum", "write a + b, or add_n(a, b, c) for more"),
    ("mean", "write (a + b) / 2, or mean_n(a, b, c) for more"),
    ("average", "write (a + b) / 2"),
    ("prod", "write a * b"),
    ("any", "write a | b"),
    ("all", "write a & b"),
    ("std", "this is not one"),
    ("var", "this is not one"),
    ("ptp", "this is not one"),
    ("argmax", "this is not one"),
    ("argmin", "this is not one"),
    ("count_nonzero", "this is not one"),
    ("logsumexp", "this is not one"),
    ("nansum", "write a + b"),
    ("nanmean", "this is not one"),
];

/// Why a source's error is not this one at this column.
pub(super) fn refusal(source: &str, column: usize, words: &[&str]) -> Option<String> {
    let error = match eval(source) {
        Ok(_) => return Some(format!("{source} is computed")),
        Err(error) => error,
    };
    let (Error::Syntax { column: found, .. }
    | Error::UnknownName { column: found, .. }
    | Error::At { column: found, .. }) = error
    else {
        return Some(format!("{source}: no column: {error}"));
    };
    let message = error.to_string();
    let first = message.lines().next().unwrap_or_default();
    let fits = found == column && words.iter().all(|w| first.contains(w));
    (!fits).then(|| format!("{source}: expected column {column} and {words:?}: {message}"))
}

#[test]
fn a_second_operand_that_is_no_axis_is_refused_with_what_to_write() {
    let seconds = [
        "row",
        "x * 2",
        "1.5",
        "(row + 1)",
        "row, s",
        "pi",
        "True",
        "row[0]",
        "3 / 2",
        "x.size / 2",
    ];
    let mut failures = Vec::new();
    for ((name, instead), second) in BETWEEN.iter().flat_map(|b| seconds.map(|s| (b, s))) {
        let words = [&format!("{name} works along axes")[..], instead];
        for before in [
            format!("{name}(x, "),
            format!("np.{name}(x, "),
            format!("x.{name}("),
            format!("row - (x * 2).{name}("),
            format!("{name}(1, "),
        ] {
            let source = format!("{before}{second})");
            failures.extend(refusal(&source, before.len() + 1, &words));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn errors_of_reductions_point_at_their_cause() {
    let cases: &[(&str, usize, &str)] = &[
        (
            "x.sum(2)",
            3,
            "sum: axis 2 is out of range for rank 2: it must be from -2 to 1",
        ),
        ("sum(x, axis=(0, -3))", 1, "axis -3 is out of range"),
        ("1 + x.max(5)", 7, "max: axis 5 is out of range"),
        ("x.argmax(2)", 3, "argmax: axis 2"),
        ("1 + median(x, 5)", 5, "median: axis 5 is out of range"),
        ("roll(x, 1, axis=2)", 1, "roll: axis 2 is out of range"),
        ("s.sum(0)", 3, "a scalar has no axes"),
        ("x.sum((0, 0))", 3, "axis 0 is named twice in [0, 0]"),
        ("x.sum(axis=(1, -1))", 3, "axis 1 is named twice in [1, -1]"),
        ("x.sum(axis=1.5)", 12, "axis= must be a whole number"),
        ("x.sum(axis=row)", 12, "axis= must be a whole number"),
        (
            "x.sum(axis='0')",
            12,
            "'0' was found, but an axis must be a whole number",
        ),
        (
            "x.sum((0, 1.5))",
            11,
            "`1.5` was found, but an axis must be a whole number",
        ),
        (
            "sum(x, (row, 1))",
            9,
            "`row` was found, but an axis must be a whole number",
        ),
        (
            "x.sum([0, row])",
            11,
            "`row` was found, but an axis must be a whole number",
        ),
        ("x.sum(99999999999999999999)", 7, "an axis is out of range"),
        (
            "x.sum(0, 1)",
            10,
            "put several axes in brackets: sum(x, axis=(0, 1))",
        ),
        (
            "max(x, 0, -1)",
            11,
            "put several axes in brackets: max(x, axis=(0, 1))",
        ),
        ("sum(x, exq(row))", 8, "did you mean `exp`"),
        ("sum(x, 0", 9, "`,` or `)`"),
        ("sum(x, (0, 1)", 14, "`,` or `)`"),
        (
            "sum(x, 0 1)",
            10,
            "without an operator, `,` or `)` was expected",
        ),
        ("sum(x", 6, "`,` or `)` was expected"),
        ("sum()", 5, "an operand was expected"),
        (
            "sum(axis=0)",
            5,
            "sum takes its array first, without a name",
        ),
        ("np.sum(a=x)", 8, "takes its array first, without a name"),
        ("x.sum(axis=0, axis=1)", 15, "sum has axis= twice"),
        ("x.sum(0, axis=1)", 10, "sum has axis= twice"),
        (
            "x.sum(dim=0)",
            7,
            "sum has no dim=; it takes axis=, dtype=, keepdims=, initial= and where=",
        ),
        (
            "x.max(dtype=f32)",
            7,
            "max has no dtype=; it takes axis=, keepdims=, initial= and where=",
        ),
        ("sum(x, rule='numpy')", 8, "sum has no rule="),
        ("x.mean(ddof=1)", 8, "mean has no ddof="),
        (
            "argmax(x, where=b)",
            11,
            "argmax has no where=; it takes axis= and keepdims=",
        ),
        (
            "count_nonzero(x, 0, True)",
            21,
            "count_nonzero is given too much; it takes axis= and keepdims=",
        ),
        ("x.sum(keepdims=3)", 16, "keepdims must be True or False"),
        ("x.sum(keepdims=1)", 16, "keepdims must be True or False"),
        ("x.sum(keepdims=row)", 16, "keepdims must be True or False"),
        (
            "x.argmax((0,))",
            10,
            "argmax takes one axis, or None for all",
        ),
        ("argmin(x, axis=(0, 1))", 16, "argmin takes one axis"),
        ("argmin(x, axis=[0])", 16, "argmin takes one axis"),
        ("x.var(ddof=-1)", 12, "ddof must be 0 or more"),
        ("x.var(ddof=None)", 12, "ddof must be a whole number"),
        ("x.sum(keepdims=None)", 16, "keepdims must be True or False"),
        ("x.var(ddof=1, ddof=2)", 15, "var has ddof= twice"),
        (
            "x.nanvar(ord=2)",
            10,
            "it takes axis=, dtype=, ddof=, correction= and keepdims=",
        ),
        (
            "x.std(ddof=0.5)",
            12,
            "`0.5` was found, but ddof must be a whole number",
        ),
        (
            "x.std(ddof=1, correction=1)",
            15,
            "std has ddof= and correction=, which are the same",
        ),
        ("x.sum(dtype=f31)", 13, "not an element type"),
        (
            "x.mean(dtype=i32)",
            14,
            "the result of mean is a float; write mean(x.astype(i32))",
        ),
        ("x.std(dtype=u8)", 13, "the result of std is a float"),
        (
            "x.sum(out=row)",
            7,
            "sum has no out=; it returns one new array",
        ),
        ("amin(x, where=b)", 1, "amin: where= needs initial="),
        ("average(x, returned=True)", 12, "it returns one new array"),
        (
            "linspace(0, 1, 5, retstep=True)",
            19,
            "linspace has no retstep=",
        ),
        ("x.sum(out=True)", 7, "sum has no out="),
        ("x.max(where=b)", 3, "max: where= needs initial="),
        ("logsumexp(x, where=b)", 14, "logsumexp has no where="),
        (
            "average(x, axis=5, weights=row)",
            1,
            "average: axis 5 is out of range",
        ),
        (
            "argmax(x, axis=row)",
            16,
            "or None for all elements as one axis",
        ),
        ("vector_norm(x, ord=3)", 20, "ord must be 1, 2, inf or -inf"),
        ("vector_norm(x, ord='fro')", 20, "ord must be 1"),
        ("nanmax(3)", 1, "nanmax: a number has no axes to reduce"),
        ("norm(3)", 1, "norm: a number has no axes to reduce"),
        ("nancumsum(3)", 1, "nancumsum: a number has no axis to scan"),
        (
            "nanmean(x, where=b)",
            12,
            "write nanmean(where(mask, x, nan), axis)",
        ),
        (
            "average(x, weights=row)",
            1,
            "weights= must have the shape of the array",
        ),
        (
            "logsumexp(x, b=row)",
            14,
            "write log(sum(b * exp(x), axis))",
        ),
        ("norm(x, 3)", 9, "ord must be 1, 2, inf or -inf"),
        ("norm(x, row)", 9, "ord must be 1, 2, inf or -inf"),
        ("norm(x, ord=inf)", 13, "another norm in NumPy"),
        (
            "norm(x, 1)",
            9,
            "name one axis, or write vector_norm(x, ord=1)",
        ),
        ("norm(x, 2, axis=(0, 1))", 9, "another norm in NumPy"),
        (
            "norm(t, axis=(0, 1, 2))",
            1,
            "vector_norm takes any number of them",
        ),
        (
            "vector_norm(x, 1)",
            16,
            "vector_norm is given too much; it takes axis=, keepdims= and ord=",
        ),
        ("sum(3)", 1, "sum: a number has no axes to reduce"),
        ("x + max(1 + 2)", 5, "max: a number has no axes to reduce"),
        ("mean(pi, axis=0)", 1, "a number has no axes to reduce"),
        ("sum(f32(2))", 1, "a number has no axes to reduce"),
        ("row[3:].max()", 9, "the operand has no elements"),
        ("row[3:].argmin(0)", 9, "the operand has no elements"),
        ("torch.sum(x, 0)", 1, "write sum, alone or after np."),
        ("linalg.norm(x)", 1, "write norm, alone or after np."),
        ("x.sum", 3, "views and functions with their brackets"),
    ];
    let failures: Vec<String> = cases
        .iter()
        .filter_map(|(source, column, words)| refusal(source, *column, &[words]))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn what_is_not_there_is_named_with_what_to_write() {
    let cases = [
        ("partition", "only sort, argsort, topk, searchsorted"),
        ("cummax", "only cumsum and cumprod are supported"),
        ("cumulative_sum", "write cumsum(x)"),
        ("nancumsun", "did you mean `nancumsum`"),
        ("cat", "write concatenate((x, y), axis=0)"),
        ("product", "write prod(x)"),
        ("sumx", "did you mean `sum`"),
        ("arg_max", "did you mean `argmax`"),
        ("logsumex", "did you mean `logsumexp`"),
    ];
    let mut failures = Vec::new();
    for (name, words) in cases {
        let words = [&format!("unknown name `{name}`")[..], words];
        failures.extend(refusal(&format!("{name}(x, 0)"), 1, &words));
        failures.extend(refusal(&format!("np.{name}(x, axis=0)"), 4, &words));
        failures.extend(refusal(&format!("x.{name}(0)"), 3, &words));
    }
    failures.extend(refusal(
        "x + mean",
        5,
        &["it is a function and needs operands: mean(...)"],
    ));
    failures.extend(refusal(
        "x + np.double",
        8,
        &["it is a function and needs operands: double(...)"],
    ));
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
