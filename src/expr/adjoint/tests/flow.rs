//! What a gradient is of whole expressions: through which nodes it flows, by what, and to what.

use super::*;
use crate::error::Error;
use crate::expr::Scalar;
use crate::op::Op;
use crate::view::Index;

fn found(expr: &Expr<usize>, inputs: &[HostTensor]) -> Vec<f64> {
    values(&run(expr, inputs).unwrap())
}

/// Standardised along the last axis, scaled and moved.
fn layer_norm() -> Expr<usize> {
    let [x, gamma, beta] = [0, 1, 2].map(Expr::slot);
    let axes = || crate::expr::Axes::from(-1).keepdims();
    let deviation = x.sub(x.mean(axes()));
    let scale = (x.var(axes()) + 1e-5).sqrt().reciprocal();
    deviation.mul(&scale).mul(&gamma).add(&beta)
}

#[test]
fn a_layer_norm_has_the_slopes_of_its_finite_differences() {
    let inputs = [some_of([2, 3, 5]), some_of([5]), some_of([5])];
    none(faults("layer norm", &layer_norm(), &inputs));
    let softmax = {
        let x = Expr::slot(0);
        let axes = || crate::expr::Axes::from(-1).keepdims();
        let e = x.sub(x.max(axes()).detach()).exp();
        e.div(e.sum(axes()))
    };
    none(faults("softmax", &softmax, &inputs[..1]));
}

#[test]
fn gradients_are_differentiated_again() {
    let [x, w] = [0, 1].map(Expr::slot);
    let last = || crate::expr::Axes::from(-1).keepdims();
    let exprs = [
        ("products", x.mul(&w).tanh().mul(&x)),
        ("reductions", x.mul(x.var(last())).add(x.mul(x.mean(0)))),
        ("logsumexp", x.mul(&w).logsumexp(-1)),
        ("norm", x.reduce(crate::expr::Reduction::L2, 1)),
        ("prod", x.prod(1)),
        (
            "slices",
            x.slice([Index::ALL, Index::Range(Some(1), None, 2)]).exp(),
        ),
        (
            "reshape",
            x.reshape([-1]).exp().mul(x.transpose().reshape([-1])),
        ),
        ("matmul", x.matmul(x.transpose()).sin()),
        (
            "batches",
            x.matmul(x.transpose().slice([Index::NewAxis])).sin(),
        ),
        (
            "vectors",
            x.slice([Index::At(0)]).matmul(x.transpose()).sin(),
        ),
        ("sum_to", x.mul(&x).sum_to([3]).mul(&x).sum_to([2, 1])),
        (
            "place",
            x.mul(x.slice([Index::ALL, Index::At(0)]))
                .with_rule(crate::rule::Rule::Pdpd { axis: 0 })
                .exp(),
        ),
    ];
    let inputs = [some_of([2, 3]), f64s([3], &[0.5, 1.5, -0.7])];
    let mut all = Vec::new();
    for (name, expr) in exprs {
        let weight = Expr::literal(1.5);
        let first = &expr.pullback(&weight, std::slice::from_ref(&x))[0];
        all.extend(faults(name, first, &inputs));
        let third = first.gradient(std::slice::from_ref(&x)).swap_remove(0);
        all.extend(faults(&format!("third of {name}"), &third, &inputs));
    }
    none(all);
}

#[test]
fn equal_inputs_are_one_variable_and_parts_are_what_they_are() {
    let square = Expr::slot(0).mul(Expr::slot(0));
    let inputs = [f64s([2], &[3.0, -4.0])];
    let by = |expr: &Expr<usize>, x: &Expr<usize>| {
        found(&expr.gradient(std::slice::from_ref(x))[0], &inputs)
    };
    assert_eq!(by(&square, &Expr::slot(0)), [6.0, -8.0]);
    let part = Expr::slot(0).exp();
    let cube = part.mul(&part).mul(&part);
    let e = [3f64.exp(), (-4f64).exp()];
    assert_eq!(by(&cube, &part), e.map(|e| e * e + 2.0 * e * e));
    // Another node is another variable, also if it has the same values, and none of the expression's.
    let other = &cube.gradient(&[Expr::slot(0).exp()])[0];
    assert!(matches!(run(other, &inputs), Err(Error::Argument { .. })));
    assert_eq!(by(&cube, &cube), [1.0, 1.0]);
}

#[test]
fn where_nothing_flows_a_gradient_is_0_of_that_shape() {
    let expr = Expr::slot(0).sum(..) + Expr::slot(1).detach().sum(..);
    let inputs = [some_of([2]), some_of([3, 1])];
    let zero = run(&expr.gradient(&[Expr::slot(1)])[0], &inputs).unwrap();
    assert_eq!((values(&zero), shape(&zero)), (vec![0.0; 3], vec![3, 1]));
}

#[test]
fn nothing_flows_through_what_is_detached_or_no_float() {
    let x = Expr::slot(0);
    let inputs = [f64s([3], &[0.6, 2.0, -1.2])];
    let stops = [
        x.detach(),
        x.floor(),
        x.sign(),
        x.cast(DType::I32).cast(DType::F64),
        x.cast(DType::F32)
            .bit_cast(DType::U32)
            .bit_cast(DType::F32)
            .cast(DType::F64),
        x.less(Expr::literal(1.0)).cast(DType::F64),
    ];
    for stop in stops {
        let gradient = &x.mul(&stop).gradient(std::slice::from_ref(&x))[0];
        assert_eq!(found(gradient, &inputs), found(&stop, &inputs), "{stop:?}");
    }
}

#[test]
fn floats_of_other_types_are_passed_and_cast_back() {
    let x = Expr::slot(0);
    let narrow = x.cast(DType::F32).mul(x.cast(DType::F32)).cast(DType::F16);
    let gradient = &narrow.gradient(std::slice::from_ref(&x))[0];
    assert_eq!(found(gradient, &[f64s([2], &[1.5, -2.0])]), [3.0, -4.0]);
    // Promotion casts too.
    let i = HostTensor::new(DType::I8, [2], vec![2, 3]).unwrap();
    let product = &Expr::slot(1) * Expr::slot(0) * 2;
    let h = HostTensor::new(DType::F16, [2], vec![0, 0x3c, 0, 0x3c]).unwrap();
    let by = run(&product.gradient(&[Expr::slot(0)])[0], &[h, i]).unwrap();
    assert_eq!((by.dtype, by.bytes), (DType::F16, vec![0, 0x44, 0, 0x46]));
}

#[test]
fn factors_of_halves_get_gradients_of_halves() {
    let one = Scalar::of(DType::Bf16, 1.0).bits.to_le_bytes();
    let ones = |shape: [usize; 2]| {
        let bytes = one[..2].repeat(shape[0] * shape[1]);
        HostTensor::new(DType::Bf16, shape, bytes).unwrap()
    };
    let product = Expr::slot(0).matmul(Expr::slot(1));
    let inputs = [ones([2, 3]), ones([3, 4])];
    for (i, wanted) in [(0, 4.0), (1, 2.0)] {
        let found = run(&product.gradient(&[Expr::slot(i)])[0], &inputs).unwrap();
        let bits = Scalar::of(DType::Bf16, wanted).bits;
        assert_eq!(found.dtype, DType::Bf16);
        assert!(found.storage_bits().unwrap().iter().all(|&b| b == bits));
        assert_eq!(shape(&found), shape(&inputs[i]));
    }
}

#[test]
fn a_given_gradient_is_broadcast_and_of_any_type() {
    let x = Expr::slot(0);
    let inputs = [some_of([2, 3]), f64s([3], &[1.0, 2.0, 3.0])];
    let by = |given: &Expr<usize>| {
        found(
            &x.mul(&x).pullback(given, std::slice::from_ref(&x))[0],
            &inputs,
        )
    };
    let double: Vec<f64> = values(&inputs[0]).iter().map(|x| 2.0 * x).collect();
    let weighed: Vec<f64> = double
        .iter()
        .zip([1.0, 2.0, 3.0].iter().cycle())
        .map(|(x, w)| x * w)
        .collect();
    assert_eq!(by(&Expr::slot(1)), weighed);
    assert_eq!(by(&Expr::slot(1).cast(DType::U8)), weighed);
    assert_eq!(by(&Expr::literal(1)), double);
    let wrong = x
        .sum(1)
        .pullback(&Expr::slot(1), std::slice::from_ref(&x))
        .swap_remove(0);
    assert!(matches!(run(&wrong, &inputs), Err(Error::Extents { .. })));
}

#[test]
fn what_has_no_gradient_says_so() {
    let [x, i] = [0, 1].map(Expr::slot);
    let h = HostTensor::new(DType::F16, [2], vec![0; 4]).unwrap();
    let inputs = [h, HostTensor::new(DType::I32, [2], vec![0; 8]).unwrap()];
    let error = |expr: &Expr<usize>, by: &Expr<usize>| {
        run(&expr.gradient(std::slice::from_ref(by))[0], &inputs).unwrap_err()
    };
    let text = error(&i.add(&i), &i).to_string();
    assert!(text.starts_with("gradient: operand 0 is i32"), "{text}");
    let text = error(&x.mul(i.cast(DType::F16)), &i).to_string();
    assert!(text.starts_with("gradient: operand 1 is i32"), "{text}");
    let text = error(&x.bit_cast(DType::Bf16).exp(), &x).to_string();
    assert!(
        text.starts_with("unsupported: the gradient of bit_cast"),
        "{text}"
    );
    assert!(matches!(
        error(&x.exp(), &Expr::literal(1)),
        Error::Argument { .. }
    ));
}

#[test]
fn what_is_promoted_is_promoted_again_to_the_same() {
    let [c, x, y] = [0, 1, 2].map(Expr::slot);
    let rule = crate::rule::Rule::Pdpd { axis: 0 };
    let expr = c.where_(&x, &y).with_rule(rule).logsumexp(-1);
    let condition = HostTensor::new(DType::Bool, [2], vec![1, 0]).unwrap();
    let inputs = [condition, some_of([2, 3]), some_of([2])];
    for by in [&x, &y] {
        let gradient = &expr.gradient(std::slice::from_ref(by))[0];
        let dtype = |&i: &usize| Ok(inputs[i].dtype);
        let promoted = gradient.promoted(Default::default(), dtype).unwrap();
        assert_eq!(found(&promoted, &inputs), found(gradient, &inputs));
        assert!(
            gradient
                .rounded(Default::default(), dtype)
                .unwrap()
                .is_empty()
        );
    }
}

#[test]
fn inputs_that_are_put_into_a_gradient_count_once() {
    let x = || Expr::slot(0);
    let gradient = (x() * x() * Expr::slot(1)).gradient(&[x()]);
    let doubled = Expr::slot(0) * 2.0;
    let put = Expr::substitute(&gradient, &[doubled.clone(), Expr::slot(1)]).unwrap();
    let inputs = [f64s([2], &[3.0, 5.0]), f64s([2], &[1.0, 10.0])];
    assert_eq!(found(&gradient[0], &inputs), [6.0, 100.0]);
    assert_eq!(found(&put[0], &inputs), [12.0, 200.0]);
}

#[test]
fn a_long_chain_has_a_gradient() {
    let mut y = Expr::slot(0);
    for _ in 0..20_000 {
        y = Expr::step(Op::NEG, [y]);
    }
    let gradient = &y.gradient(&[Expr::slot(0)])[0];
    assert_eq!(found(gradient, &[f64s([1], &[3.0])]), [1.0]);
}

#[test]
fn a_gradient_and_its_expression_share_nodes() {
    let x = Expr::slot(0);
    let y = x.exp().mul(&x).tanh().sum(..);
    let both = [y.clone(), y.gradient(&[x])[0].clone()];
    let promoted = Expr::promote_all(&both, Default::default(), |_| Ok(DType::F64)).unwrap();
    let slot = |_| Ok((DType::F64, Shape::from([4])));
    let graph = crate::expr::Graph::new(&promoted, slot).unwrap();
    let count = |op: Op| {
        let is = |n: &&crate::expr::GraphNode| n.kind == crate::expr::GraphKind::Step(op);
        graph.nodes.iter().filter(is).count()
    };
    assert_eq!((count(Op::EXP), count(Op::TANH)), (1, 1));
}
