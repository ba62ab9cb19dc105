//! The text of SONNX's n-ary Broadcast.

use super::*;

const SETS: &[(&[&[usize]], &[usize])] = &[
    (&[&[2, 3], &[3], &[]], &[2, 3]),
    (&[&[1, 3], &[2, 1]], &[2, 3]),
    (&[&[4, 1, 1], &[1, 5, 1], &[1, 1, 6]], &[4, 5, 6]),
    (&[&[4, 1, 1], &[6], &[5, 1]], &[4, 5, 6]),
    (&[&[2, 2], &[2, 2], &[2, 2], &[2, 2]], &[2, 2]),
    (&[&[7]], &[7]),
];

#[test]
fn every_output_has_the_largest_rank_and_the_largest_extents() {
    for (shapes, result) in SETS {
        check(&Rule::Numpy, &[(shapes, Some(result))]);
    }
}

#[test]
fn each_output_repeats_the_first_element_of_an_extended_axis() {
    for (shapes, result) in SETS {
        for (k, shape) in shapes.iter().enumerate() {
            // Output k is operand k alone, seen through its part of the common alignment.
            let owned: Vec<Shape> = shapes.iter().map(|&s| Shape::from(s)).collect();
            let aligned = Rule::Numpy
                .align(&owned.iter().collect::<Vec<_>>())
                .unwrap();
            let layout = zerostride::Layout::contiguous(*shape).unwrap();
            let seen = aligned.layout(k, &layout);
            let own = data(0, shape.iter().product());
            let found: Vec<i32> = seen.offsets().map(|at| own[at]).collect();
            let to = Rule::To {
                target: Shape::from(*result),
            };
            assert_eq!(found, expected(&to, &[shape], result), "{shapes:?} {k}");
        }
    }
}

#[test]
fn permuting_the_inputs_permutes_the_outputs() {
    for (shapes, result) in SETS {
        let mut turned = shapes.to_vec();
        for _ in 0..shapes.len() {
            turned.rotate_left(1);
            check(&Rule::Numpy, &[(&turned, Some(result))]);
        }
        turned.reverse();
        check(&Rule::Numpy, &[(&turned, Some(result))]);
    }
}

#[test]
fn n_inputs_are_the_binary_operator_applied_again_and_again() {
    for (shapes, result) in SETS {
        let folded = shapes.iter().fold(Shape::scalar(), |left, &right| {
            Rule::Numpy
                .align(&[&left, &Shape::from(right)])
                .unwrap()
                .shape
        });
        assert_eq!(folded.extents(), *result);
    }
}

#[test]
fn constraint_c1_refuses_other_extents() {
    let cases: &[Case<'_>] = &[
        (&[&[2], &[3], &[1]], None),
        (&[&[2, 3], &[2, 4]], None),
        (&[&[1, 2], &[3, 1], &[3, 3]], None),
        (&[&[0], &[2]], None),
    ];
    check_both_orders(&Rule::Numpy, cases);
}
