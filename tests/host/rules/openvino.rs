//! OpenVINO's *Broadcast Rules For Elementwise Operations*, in its three versions.

use super::*;

/// The examples of the OpenVINO text, in all three of its versions.
const NUMPY_EXAMPLES: &[Case<'_>] = &[
    (&[&[], &[]], Some(&[])),
    (&[&[2, 3], &[1]], Some(&[2, 3])),
    (&[&[3], &[2, 3]], Some(&[2, 3])),
    (&[&[2, 3, 5], &[]], Some(&[2, 3, 5])),
    (&[&[2, 1, 5], &[1, 4, 5]], Some(&[2, 4, 5])),
    (&[&[6, 5], &[2, 1, 5]], Some(&[2, 6, 5])),
    (&[&[2, 1, 5], &[4, 1]], Some(&[2, 4, 5])),
    (&[&[3, 2, 1, 4], &[5, 4]], Some(&[3, 2, 5, 4])),
    (&[&[1, 5, 3], &[5, 2, 1, 3]], Some(&[5, 2, 5, 3])),
    (&[&[3], &[2]], None),
    (&[&[3, 1, 5], &[4, 4, 5]], None),
];

/// The examples of both texts that have them: an operand, a target and the result.
fn check_bidirectional_examples() {
    let examples: &[(&[usize], &[usize], &[usize])] = &[
        (&[5], &[1], &[5]),
        (&[2, 3], &[3], &[2, 3]),
        (&[3, 1], &[3, 4], &[3, 4]),
        (&[3, 4], &[], &[3, 4]),
        (&[3, 1], &[2, 1, 6], &[2, 3, 6]),
    ];
    for (a, target, result) in examples {
        check(
            &Rule::Bidirectional {
                target: Shape::from(*target),
            },
            &[(&[a], Some(result))],
        );
    }
}

/// The text of the newest version, which has None, Numpy, PDPD and Bidirectional.
mod newest_version {
    use super::*;

    const A: &[usize] = &[2, 3, 4, 5];

    #[test]
    fn none_asks_for_equal_shapes() {
        let cases: &[Case<'_>] = &[
            (&[&[], &[]], Some(&[])),
            (&[&[2, 3], &[2, 3]], Some(&[2, 3])),
            (&[&[2, 3], &[2, 3], &[2, 3]], Some(&[2, 3])),
            (&[&[0, 3], &[0, 3]], Some(&[0, 3])),
            (&[&[1], &[]], None),
            (&[&[2, 3], &[1, 3]], None),
            (&[&[2, 3], &[3]], None),
            (&[&[1, 2, 3], &[2, 3]], None),
        ];
        check_both_orders(&Rule::None, cases);
    }

    #[test]
    fn numpy_examples() {
        check_both_orders(&Rule::Numpy, NUMPY_EXAMPLES);
    }

    #[test]
    fn pdpd_examples() {
        let examples: &[(i64, &[usize])] = &[
            (1, &[3, 4]),
            (1, &[3, 1]),
            (-1, &[4, 5]),
            (2, &[4, 5]),
            (0, &[1, 3]),
            (-1, &[]),
            (-1, &[5]),
            (3, &[5]),
        ];
        for &(axis, b) in examples {
            check(&Rule::Pdpd { axis }, &[(&[A, b], Some(A))]);
        }
    }

    #[test]
    fn pdpd_rejects_wider_b() {
        check(
            &Rule::Pdpd { axis: 1 },
            &[(&[&[8, 1, 6, 1], &[7, 1, 5]], None)],
        );
    }

    #[test]
    fn pdpd_allows_no_negative_axis_but_the_default() {
        for axis in [-2, -3, -4, i64::MIN] {
            check(
                &Rule::Pdpd { axis },
                &[(&[A, &[4, 5]], None), (&[A, &[]], None)],
            );
        }
    }

    #[test]
    fn bidirectional_examples() {
        check_bidirectional_examples();
    }

    #[test]
    fn bidirectional_asks_for_equal_extents_or_1() {
        for (a, target) in [(&[2][..], &[3][..]), (&[2, 3], &[2]), (&[3, 4], &[4, 2, 1])] {
            check(
                &Rule::Bidirectional {
                    target: Shape::from(target),
                },
                &[(&[a], None)],
            );
        }
    }
}

/// The text of the revision of Add, where a B of (5,) is placed by the default axis.
mod revision_of_add {
    use super::*;

    #[test]
    fn numpy_examples() {
        check_both_orders(&Rule::Numpy, NUMPY_EXAMPLES);
    }

    #[test]
    fn pdpd_examples() {
        let a: &[usize] = &[2, 3, 4, 5];
        let examples: &[(i64, &[usize])] = &[
            (1, &[3, 4]),
            (1, &[3, 1]),
            (-1, &[4, 5]),
            (2, &[4, 5]),
            (0, &[1, 3]),
            (-1, &[]),
            (-1, &[5]),
        ];
        for &(axis, b) in examples {
            check(&Rule::Pdpd { axis }, &[(&[a, b], Some(a))]);
        }
    }

    #[test]
    fn bidirectional_examples() {
        check_bidirectional_examples();
    }

    #[test]
    fn none_asks_for_equal_shapes() {
        check_both_orders(
            &Rule::None,
            &[
                (&[&[2, 3], &[2, 3]], Some(&[2, 3])),
                (&[&[2, 3], &[1, 3]], None),
            ],
        );
    }
}

/// The oldest text: Numpy, and Bidirectional without examples.
mod first_version {
    use super::*;

    #[test]
    fn numpy_examples() {
        check_both_orders(&Rule::Numpy, NUMPY_EXAMPLES);
    }

    #[test]
    fn bidirectional_is_a_product_with_ones_of_the_target_shape() {
        let shapes: &[&[usize]] = &[&[], &[1], &[3], &[2, 1], &[1, 3], &[2, 3], &[4, 1, 3]];
        for a in shapes {
            for target in shapes {
                let ones = Rule::Numpy
                    .align(&[&Shape::from(*a), &Shape::from(*target)])
                    .map(|x| x.shape);
                let result = ones.as_ref().ok().map(Shape::extents);
                check(
                    &Rule::Bidirectional {
                        target: Shape::from(*target),
                    },
                    &[(&[a], result)],
                );
            }
        }
    }
}
