//! Numbers, ranges and tuples as indices.

use super::super::*;

#[test]
#[allow(
    clippy::reversed_empty_ranges,
    reason = "ends that are negative count from the end"
)]
fn numbers_ranges_and_tuples_are_indices() {
    let r = |s, e, st| Index::Range(s, e, st);
    let own = [Index::At(2), Index::ALL];
    let cases: Vec<(&str, Vec<Index>, Vec<Index>)> = vec![
        ("2", 2.indices(), vec![Index::At(2)]),
        ("-1", (-1).indices(), vec![Index::At(-1)]),
        ("2usize", 2usize.indices(), vec![Index::At(2)]),
        ("..", (..).indices(), vec![Index::ALL]),
        ("1..3", (1..3).indices(), vec![r(Some(1), Some(3), 1)]),
        ("1..-1", (1..-1).indices(), vec![r(Some(1), Some(-1), 1)]),
        ("1usize..", (1usize..).indices(), vec![r(Some(1), None, 1)]),
        ("..-2", (..-2isize).indices(), vec![r(None, Some(-2), 1)]),
        ("1..=3", (1..=3).indices(), vec![r(Some(1), Some(4), 1)]),
        ("1..=-1", (1..=-1).indices(), vec![r(Some(1), None, 1)]),
        ("..=-2", (..=-2).indices(), vec![r(None, Some(-1), 1)]),
        (
            "step(.., -1)",
            Index::step(.., -1).indices(),
            vec![r(None, None, -1)],
        ),
        (
            "step(4..=0, -2)",
            Index::step(4..=0, -2).indices(),
            vec![r(Some(4), None, -2)],
        ),
        (
            "step(-1..=1, -1)",
            Index::step(-1..=1, -1).indices(),
            vec![r(Some(-1), Some(0), -1)],
        ),
        (
            "step(1..9, 2)",
            Index::step(1..9, 2).indices(),
            vec![r(Some(1), Some(9), 2)],
        ),
        ("(0,)", (0,).indices(), vec![Index::At(0)]),
        (
            "(.., 1.., -1, newaxis, ..., 0..2)",
            (.., 1.., -1, Index::NewAxis, Index::Ellipsis, 0..2u32).indices(),
            vec![
                Index::ALL,
                r(Some(1), None, 1),
                Index::At(-1),
                Index::NewAxis,
                Index::Ellipsis,
                r(Some(0), Some(2), 1),
            ],
        ),
        ("array", own.indices(), own.to_vec()),
        ("&array", (&own).indices(), own.to_vec()),
        ("slice", own[..].indices(), own.to_vec()),
        ("vector", own.to_vec().indices(), own.to_vec()),
        (
            "usize::MAX",
            usize::MAX.indices(),
            vec![Index::At(isize::MAX)],
        ),
    ];
    for (text, found, expected) in cases {
        assert_eq!(found, expected, "{text}");
    }
}

#[test]
fn an_index_beyond_an_axis_is_an_error_and_a_range_is_cut() {
    let shape = Shape::from([5]);
    let view = |items: Vec<Index>| View::Slice(items).map(&shape);
    assert_eq!(view((3..99).indices()).unwrap().shape, Shape::from([2]));
    assert!(view((5).indices()).is_err());
    assert!(view(usize::MAX.indices()).is_err());
    assert!(view((.., ..).indices()).is_err());
}
