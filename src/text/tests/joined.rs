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
        ("topk(x, 4)[0]", "k is 4, but axis 1 has 3 elements"),
        ("topk(x, -1)[0]", "k is -1"),
        ("histogram(x, 4)", "linspace(low, high, n + 1)"),
        ("convolve(x, row)", "arrays of one axis"),
        ("sliding_window_view(row, 4)", "longer than axis 0"),
        (
            "take_along_axis(x, row)",
            "indices have 1 axes, but the array has 2",
        ),
        (
            "stack((x, col))",
            "shapes [2, 3] and [2, 1] do not fit: they must be equal",
        ),
        ("hstack((x, row))", "do not fit"),
        ("concatenate(())", "an operand was expected"),
        ("concatenate([])", "zeros(0)"),
        ("concatenate((s, s))", "a scalar has no axes"),
        ("x.concatenate(x)", "is not a method"),
        ("stack((x, x), axis=3)", "it must be from -3 to 2"),
        ("select([x > 1], [x, x])", "1 conditions and 2 choices"),
        ("arange(row)", "must be numbers"),
        ("arange(0, 1, 0)", "its step not 0"),
        ("linspace(0, 1, -1)", "an extent must be 0 or more"),
        ("eye(row)", "must be a whole number"),
        ("round(x, 1.5)", "must be a whole number"),
        ("isclose(x, row, out=x)", "isclose has no out="),
        ("zeros((2, 3), order='F')", "zeros has no order="),
        ("divmod(x, row) + 1", "[0] takes the first of several"),
        ("divmod(x, row)[2]", "there are 2 values"),
        ("d, e1 = x; d", "2 names do not match 1 values"),
        ("d = x; d = row; d", "another name"),
        ("x = row; x + 1; x", "only the last statement is a result"),
        ("x.sum(), x.max()", "the expression has 2 results"),
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

#[test]
fn whole_numbers_beyond_those_of_floats_are_counted_exactly() {
    for (source, count, last) in [
        (
            "arange(9007199254740992, 9007199254740995)",
            3,
            9_007_199_254_740_994i64,
        ),
        (
            "arange(4611686018427387904, 4611686018427387908)",
            4,
            4_611_686_018_427_387_907,
        ),
        (
            "arange(0, 10000000000000001, 100000000000000)",
            101,
            10_000_000_000_000_000,
        ),
        ("arange(10, -1, -5)", 3, 0),
        ("arange(10, 0, -5)", 2, 5),
        ("arange(-3, 4, 3)", 3, 3),
        (
            "arange(9223372036854775806, 9223372036854775807)",
            1,
            i64::MAX - 1,
        ),
    ] {
        let found = eval(source).unwrap();
        let numbers: Vec<i64> = found
            .bytes
            .chunks(8)
            .map(|b| i64::from_le_bytes(b.try_into().unwrap()))
            .collect();
        assert_eq!(
            (found.dtype, numbers.len(), numbers.last()),
            (DType::I64, count, Some(&last)),
            "{source}"
        );
    }
    let far = "100000000000000000000000000000000000000";
    for source in [format!("arange(-{far}, {far})"), format!("arange({far})")] {
        assert!(
            refusal(&source).contains("at most 2^32 - 1"),
            "{source}: {}",
            refusal(&source)
        );
    }
    for source in [
        "arange(9223372036854775800, 9223372036854775812)",
        "arange(0, -18446744073709551616, -4611686018427387904)",
    ] {
        assert!(
            refusal(source).contains("do not fit i64"),
            "{source}: {}",
            refusal(source)
        );
    }
    for source in ["arange(3, 3)", "arange(5, 3)", "arange(3, 5, -1)"] {
        assert_eq!(
            eval(source).unwrap().layout.shape().extents(),
            [0],
            "{source}"
        );
    }
}

#[test]
fn integers_at_equal_distances_are_rounded_down() {
    for (source, wanted) in [
        ("linspace(-1, 1, 4, dtype=int)", vec![-1.0, -1.0, 0.0, 1.0]),
        (
            "linspace(-393.0, 5.0, 7, endpoint=False, dtype=i32)",
            vec![-393.0, -337.0, -280.0, -223.0, -166.0, -109.0, -52.0],
        ),
        (
            "linspace(0, 100000000, 7, dtype=i64)",
            (0..7).map(|i| f64::from(i * 50_000_000 / 3)).collect(),
        ),
        (
            "linspace(5, -4, 4, endpoint=False, dtype=i16)",
            vec![5.0, 2.0, 0.0, -2.0],
        ),
        ("linspace(7, 9, 1, dtype=i32)", vec![7.0]),
        ("linspace(0.5, 2.5, 3, dtype=i32)", vec![0.0, 1.0, 2.0]),
        ("linspace(0, 3, 4, dtype=u8)", vec![0.0, 1.0, 2.0, 3.0]),
    ] {
        assert_eq!(numbers(&eval(source).unwrap()), wanted, "{source}");
    }
}

#[test]
fn integers_are_rounded_to_tens_in_their_own_type() {
    // Of all numbers of a byte, against whole numbers without bounds.
    for (dtype, low, high) in [(DType::U8, 0i64, 255i64), (DType::I8, -128, 127)] {
        let bytes: Vec<u8> = (low..=high).map(|n| n as u8).collect();
        let x = HostTensor::new(dtype, [256], bytes).unwrap();
        for power in 1..5u32 {
            let expr = parse(&format!("round(x, -{power})")).unwrap();
            let expr = expr.bind(&["x"], &Rule::Numpy).unwrap();
            let found = reference::run(&expr, std::slice::from_ref(&x)).unwrap();
            let unit = 10i64.pow(power);
            let wanted: Vec<u8> = (low..=high)
                .map(|n| {
                    let (below, rest) = (n.div_euclid(unit), n.rem_euclid(unit));
                    let up = 2 * rest > unit || 2 * rest == unit && below % 2 != 0;
                    ((below + i64::from(up)) * unit) as u8
                })
                .collect();
            assert_eq!(
                (found.dtype, found.bytes),
                (dtype, wanted),
                "{dtype} {power}"
            );
        }
    }
    let x = [
        123_456_789i64,
        4_611_686_018_427_387_904,
        -25,
        -15,
        i64::MIN,
    ];
    let bytes: Vec<u8> = x.iter().flat_map(|n| n.to_le_bytes()).collect();
    let x = HostTensor::new(DType::I64, [5], bytes).unwrap();
    let expr = parse("round(x, -1)")
        .unwrap()
        .bind(&["x"], &Rule::Numpy)
        .unwrap();
    let found = reference::run(&expr, &[x]).unwrap();
    let found: Vec<i64> = found
        .bytes
        .chunks(8)
        .map(|b| i64::from_le_bytes(b.try_into().unwrap()))
        .collect();
    let wanted = [
        123_456_790,
        4_611_686_018_427_387_900,
        -20,
        -20,
        -9_223_372_036_854_775_810i128 as i64,
    ];
    assert_eq!(found, wanted);
}

#[test]
fn the_largest_and_the_smallest_come_with_their_places() {
    let of = |source: &str| numbers(&eval(source).unwrap());
    let a = "array([2.0, nan, -inf, 7, 2, inf, -0.0, 0, 7])";
    let values = format!("topk({a}, 6)[0]");
    assert!(of(&values)[0].is_nan());
    assert_eq!(of(&values)[1..], [f64::INFINITY, 7.0, 7.0, 2.0, 2.0]);
    assert_eq!(
        of(&format!("topk({a}, 6)[1]")),
        [1.0, 5.0, 3.0, 8.0, 0.0, 4.0]
    );
    let smallest = format!("topk({a}, k=5, largest=False)");
    assert_eq!(
        of(&format!("{smallest}[0]")),
        [f64::NEG_INFINITY, 0.0, 0.0, 2.0, 2.0]
    );
    assert_eq!(of(&format!("{smallest}[1]")), [2.0, 6.0, 7.0, 0.0, 4.0]);
    assert_eq!(of("topk(x, 1, axis=0, largest=True)[1]"), [1.0, 1.0, 1.0]);
    assert_eq!(of("topk(x, 3)[0]"), of("x[:, ::-1]"));
    assert_eq!(
        eval("topk(x, 0)[1]").unwrap().layout.shape().extents(),
        [2, 0]
    );
}
