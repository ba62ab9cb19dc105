//! Joined arrays: what does not fit, and what is said of it.

use super::*;

/// The message of a source that is refused.
fn refusal(source: &str) -> String {
    match eval(source) {
        Ok(found) => format!("{source} is computed: {:?}", found.layout.shape()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_does_not_fit_is_said() {
    let cases = [
        (
            "concatenate((x, row))",
            "shapes [2, 3] and [3] do not fit: they may differ along axis 0 alone",
        ),
        ("concatenate((x, col), axis=2)", "axis"),
        (
            "stack((x, col))",
            "shapes [2, 3] and [2, 1] do not fit: they must be equal",
        ),
        ("hstack((x, row))", "do not fit"),
        ("concatenate(())", "an operand was expected"),
        ("concatenate([])", "zeros(0)"),
        ("concatenate((s, s))", "a scalar has no axes"),
        ("x.concatenate(x)", "is no method"),
        ("stack((x, x), axis=3)", "it must be from -3 to 2"),
        ("select([x > 1], [x, x])", "1 conditions and 2 choices"),
        ("arange(row)", "these are numbers"),
        ("arange(0, 1, 0)", "a step that is not 0"),
        ("linspace(0, 1, -1)", "an extent is 0 or more"),
        ("eye(row)", "is a whole number"),
        ("round(x, 1.5)", "is a whole number"),
        ("isclose(x, row, out=x)", "isclose has no out="),
        ("zeros((2, 3), order='F')", "zeros has no order="),
        ("divmod(x, row) + 1", "of several values [0] is the first"),
        ("divmod(x, row)[2]", "there are 2 values"),
        ("d, e1 = x; d", "2 names stand for 1 values"),
        ("d = x; d = row; d", "another name"),
        ("x = row; x + 1; x", "only the last statement is a result"),
        ("x.sum(), x.max()", "there are 2 results"),
    ];
    let failures: Vec<String> = cases
        .into_iter()
        .map(|(source, words)| (refusal(source), source, words))
        .filter(|(said, _, words)| !said.contains(words))
        .map(|(said, source, words)| format!("{source}: `{words}` is not in: {said}"))
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn a_list_holds_sixty_four_numbers() {
    let list = |count: usize| format!("array([{}])", vec!["1"; count].join(", "));
    assert_eq!(eval(&list(64)).unwrap().layout.shape().extents(), [64]);
    assert!(refusal(&list(65)).contains("name it as an input"));
}

#[test]
fn parts_of_no_elements_are_left_out() {
    let joined = eval("concatenate((x[:0], x, x[2:]))").unwrap();
    assert_eq!(joined.layout.shape().extents(), [2, 3]);
    assert_eq!(numbers(&joined), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    assert_eq!(
        eval("concatenate((x[:0], x[2:]))")
            .unwrap()
            .layout
            .shape()
            .extents(),
        [0, 3]
    );
}

#[test]
fn a_name_stands_for_its_value_wherever_it_is_used() {
    let of = |source: &str| numbers(&eval(source).unwrap());
    assert_eq!(of("d = x - 1\nd[0] * d[1]"), of("(x - 1)[0] * (x - 1)[1]"));
    assert_eq!(of("sum = x.sum(); x / sum"), of("x / x.sum()"));
    assert_eq!(of("a, c = divmod(x, row); a * row + c"), of("x + 0 * row"));
    // What no result needs is not asked for.
    assert_eq!(parse("unused = y + 1; x").unwrap().names(), ["x"]);
}

#[test]
fn operands_have_the_names_of_their_rows() {
    let of = |source: &str| numbers(&eval(source).unwrap());
    assert_eq!(of("round(x=x / 4)"), of("round(x / 4)"));
    assert_eq!(of("where(b, a=1, b=2)"), of("where(b, 1, 2)"));
    assert_eq!(of("identity(x=row)"), of("row"));
}
