//! Views, reshapes, matrix products and broadcasts under every rule.

use super::*;
use crate::expr::Join;
use crate::rule::Rule;
use crate::view::{Index, View};

#[test]
fn views_give_each_element_what_its_places_get() {
    let range = |a: Option<isize>, b: Option<isize>, step: isize| Index::Range(a, b, step);
    let views = [
        View::Transpose,
        View::Permute(vec![1, 2, 0]),
        View::SwapAxes(0, -1),
        View::MoveAxis {
            from: vec![0],
            to: vec![1],
        },
        View::Flip(None),
        View::Flip(Some(vec![-1])),
        View::Rot90 {
            turns: 1,
            axes: [0, 2],
        },
        View::Unsqueeze(vec![0, -1]),
        View::Squeeze(None),
        View::Slice(vec![Index::At(1)]),
        View::Slice(vec![Index::At(-1), Index::At(0), Index::At(2)]),
        View::Slice(vec![Index::Ellipsis, Index::At(2), Index::NewAxis]),
        View::Slice(vec![Index::NewAxis, Index::ALL, Index::NewAxis]),
        View::Slice(vec![Index::Ellipsis, range(Some(1), Some(3), 1)]),
        View::Slice(vec![Index::Ellipsis, range(None, None, 2)]),
        View::Slice(vec![Index::Ellipsis, range(None, None, -1)]),
        View::Slice(vec![Index::Ellipsis, range(None, Some(0), -3)]),
        View::Slice(vec![
            range(Some(1), None, 1),
            Index::Ellipsis,
            range(Some(3), None, -2),
        ]),
        View::Slice(vec![range(Some(5), None, 1)]),
    ];
    let mut all = Vec::new();
    for shape in [[2, 1, 4], [3, 1, 5], [1, 1, 3]] {
        for view in &views {
            let expr = Expr::slot(0).view(view.clone()).square_of();
            let x = some_of(shape);
            // Shapes that a view does not fit are no cases.
            if view.map(x.layout.shape()).is_ok() {
                all.extend(faults(&format!("{view:?} of {shape:?}"), &expr, &[x]));
            }
        }
    }
    none(all);
}

trait SquareOf {
    /// The square, so that slopes depend on the place.
    fn square_of(&self) -> Self;
}

impl SquareOf for Expr<usize> {
    fn square_of(&self) -> Self {
        self.mul(self)
    }
}

#[test]
fn parts_of_one_input_add_up() {
    let x = Expr::slot(0);
    let part = |from: isize, to: Option<isize>| x.slice([Index::Range(Some(from), to, 1)]);
    let differences = part(1, None).sub(part(0, Some(-1))).square_of();
    none(faults("differences", &differences, &[some_of([6])]));
    let nested = x.slice([Index::Range(None, None, 2)]).reshape([-1, 1]);
    let nested = nested
        .transpose()
        .slice([Index::ALL, Index::Range(None, None, -2)]);
    none(faults("nested", &nested.square_of(), &[some_of([9, 2])]));
}

#[test]
fn a_reshape_gives_the_elements_back() {
    let mut all = Vec::new();
    for extents in [vec![6], vec![3, -1], vec![2, 1, 3], vec![-1, 6], vec![3, 2]] {
        let expr = Expr::slot(0).reshape(extents.clone()).square_of();
        all.extend(faults(&format!("{extents:?}"), &expr, &[some_of([2, 3])]));
    }
    none(all);
}

#[test]
fn matrix_products_have_slopes_by_both_factors() {
    let product = Expr::slot(0).matmul(Expr::slot(1));
    let inputs = [some_of([2, 3]), some_of([3, 4])];
    none(faults("matmul", &product, &inputs));
    let turned = Expr::slot(1).transpose().matmul(Expr::slot(0).transpose());
    none(faults("turned", &turned.tanh(), &inputs));
    let square = Expr::slot(0).matmul(Expr::slot(0).transpose());
    none(faults("square", &square, &inputs[..1]));
    for (a, b) in [
        (vec![2, 3], vec![2, 3, 2]),
        (vec![2, 1, 2, 3], vec![3, 3, 1]),
        (vec![1, 2, 2], vec![3, 2, 2]),
        (vec![3], vec![3]),
        (vec![3], vec![2, 3, 2]),
        (vec![2, 2, 3], vec![3]),
    ] {
        let inputs = [some_of(a), some_of(b)];
        none(faults("batches", &product.sin(), &inputs));
    }
    // Sums of nothing.
    let empty = [some_of([2, 0]), some_of([0, 4])];
    none(faults("empty", &product, &empty));
}

#[test]
fn what_is_broadcast_gets_a_sum_under_every_rule() {
    let to = |target: &[usize]| Rule::To {
        target: target.to_vec().into(),
    };
    type Case = (Rule, &'static [&'static [usize]]);
    let several: [Case; 12] = [
        (Rule::None, &[&[2, 3], &[2, 3]]),
        (Rule::Numpy, &[&[2, 3], &[3]]),
        (Rule::Numpy, &[&[3, 1], &[1, 4]]),
        (Rule::Numpy, &[&[], &[2, 1, 3]]),
        (Rule::Numpy, &[&[1], &[0]]),
        (Rule::Unidirectional, &[&[2, 3], &[2, 1]]),
        (Rule::Unidirectional, &[&[2, 3], &[]]),
        (Rule::Pdpd { axis: 0 }, &[&[2, 3], &[2]]),
        (Rule::Pdpd { axis: 1 }, &[&[2, 3, 4], &[3]]),
        (Rule::Pdpd { axis: 1 }, &[&[2, 3, 4], &[3, 1]]),
        (Rule::Pdpd { axis: 0 }, &[&[2, 3, 4], &[1, 3]]),
        (Rule::Pdpd { axis: -1 }, &[&[2, 3], &[1, 3]]),
    ];
    let single: [Case; 6] = [
        (to(&[2, 3]), &[&[3]]),
        (to(&[2, 3]), &[&[2, 1]]),
        (
            Rule::Bidirectional {
                target: [2, 1].into(),
            },
            &[&[1, 3]],
        ),
        (
            Rule::Bidirectional {
                target: [2, 1].into(),
            },
            &[&[]],
        ),
        (
            Rule::Explicit {
                target: [2, 3, 4].into(),
                axes: vec![0, 2],
            },
            &[&[2, 4]],
        ),
        (
            Rule::Explicit {
                target: [2, 3, 4].into(),
                axes: vec![1],
            },
            &[&[3]],
        ),
    ];
    let mut all = Vec::new();
    for (rule, shapes) in several {
        let inputs: Vec<HostTensor> = shapes.iter().map(|s| some_of(s.to_vec())).collect();
        let product = Expr::slot(0).mul(Expr::slot(1)).with_rule(rule.clone());
        all.extend(faults(&format!("{rule} {shapes:?}"), &product, &inputs));
    }
    for (rule, shapes) in single {
        let x = some_of(shapes[0].to_vec());
        let exp = Expr::slot(0).exp().with_rule(rule.clone());
        all.extend(faults(
            &format!("exp {rule} {shapes:?}"),
            &exp,
            std::slice::from_ref(&x),
        ));
        let moved = Expr::slot(0).broadcast(rule.clone()).square_of();
        all.extend(faults(&format!("{rule} {shapes:?}"), &moved, &[x]));
    }
    none(all);
}

#[test]
fn a_condition_and_its_operands_are_aligned_onto_the_first_choice() {
    let chosen = Expr::slot(0)
        .where_(Expr::slot(1), Expr::slot(2))
        .with_rule(Rule::Pdpd { axis: 0 });
    let condition = HostTensor::new(DType::Bool, [2], vec![1, 0]).unwrap();
    let inputs = [condition, some_of([2, 3]), some_of([2])];
    none(faults("where", &chosen, &inputs));
}

#[test]
fn joined_arrays_get_the_slopes_of_their_parts() {
    let cases: [(Join, [&[usize]; 2]); 10] = [
        (Join::Along(0), [&[2, 3], &[1, 3]]),
        (Join::Along(-1), [&[2, 3], &[2, 2]]),
        (Join::Flat, [&[2, 2], &[3]]),
        (Join::Stack(0), [&[2, 3], &[2, 3]]),
        (Join::Stack(-1), [&[3], &[3]]),
        (Join::Rows, [&[2, 3], &[3]]),
        (Join::Beside, [&[2], &[3]]),
        (Join::Deep, [&[2, 2], &[2, 2, 3]]),
        (Join::Columns, [&[3], &[3, 2]]),
        (Join::List, [&[], &[]]),
    ];
    let mut all = Vec::new();
    for (join, shapes) in cases {
        let inputs = shapes.map(|shape| some_of(shape.to_vec()));
        let joined = Expr::joined(join, [Expr::slot(0), Expr::slot(1)]);
        let square = joined.square_of();
        all.extend(faults(&format!("{join:?}"), &square, &inputs));
        // The slopes of the parts have slopes of their own.
        let product = joined.mul(joined.view(View::Flip(None))).sum(..);
        let slopes = product.gradient(&[Expr::slot(0)]);
        all.extend(faults(&format!("{join:?} again"), &slopes[0], &inputs));
    }
    none(all);
}

#[test]
fn functions_that_others_make_have_their_slopes() {
    let texts = [
        "logaddexp(x, y)",
        "logaddexp2(x, y)",
        "copysign(x, y)",
        "fmax(x, y) * fmin(x, y)",
        "heaviside(x, y)",
        "sinc(x) + deg2rad(y)",
        "modf(x)[0] * y",
        "reciprocal(x) * nan_to_num(y)",
        "ldexp(x, 3)",
        "x * tril(y) + triu(x)",
        "diff(x, axis=0)[:, 0] * y[0]",
        "outer(x, y)",
        "select([x > 1, y > 0], [x * y, x])",
        "nanmax(x, axis=0) + nanvar(y, axis=1)[:, None]",
        "full_like(x, 2) * y",
        "x * [1, 2]",
    ];
    let mut all = Vec::new();
    for source in texts {
        let inputs = [
            f64s([2, 2], &[-2.3, 0.7, 1.6, -0.45]),
            f64s([2, 2], &[0.9, -1.7, 2.4, 0.3]),
        ];
        let parsed = crate::text::parse(source).unwrap();
        let expr = parsed.bind(&["x", "y"], &Rule::Numpy).unwrap();
        all.extend(faults(source, &expr, &inputs));
    }
    none(all);
}
