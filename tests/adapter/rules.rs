//! Rules inside expressions, each of the seven rules, and `broadcast_all` with `materialize` for
//! every type.

use zerostride::{DType, Error, Expr, HostTensor, Index, Op, Rule, Shape, View, broadcast_all};

use crate::common::{Random, all, check, context};

fn slot(i: usize) -> Expr<usize> {
    Expr::slot(i)
}

fn pdpd(axis: i64) -> Rule {
    Rule::Pdpd { axis }
}

#[test]
fn one_step_under_two_rules_is_two_values() {
    // y = exp(x) is aligned right under Numpy and to axis 0 under PDPD. A product does not magnify
    // its error.
    let mut random = Random::new("two rules");
    let y = slot(0).exp();
    let right = slot(1).mul(&y);
    let left = Expr::step(Op::MUL, [slot(1), y]).with_rule(pdpd(0));
    all([DType::F32, DType::F16].map(|dtype| {
        let inputs = [
            random.host(dtype, &[4], false),
            random.host(dtype, &[4, 4], false),
        ];
        check(
            &format!("exp(x) twice, {dtype}"),
            &right.maximum(&left),
            &inputs,
            4.0,
        )
    }));
}

#[test]
fn one_leaf_is_a_row_and_a_column() {
    let mut random = Random::new("row and column");
    let x = slot(0);
    let column = x.slice([Index::ALL, Index::NewAxis]);
    let mut reports = Vec::new();
    for len in [3, 4, 7, 64] {
        for dtype in [DType::U8, DType::F16, DType::I32] {
            let inputs = [random.host(dtype, &[len], false)];
            reports.push(check(
                &format!("{dtype}[{len}]"),
                &column.sub(&x),
                &inputs,
                0.0,
            ));
            reports.push(check(
                &format!("{dtype}[{len}] of a step"),
                &column.neg().sub(x.neg()),
                &inputs,
                0.0,
            ));
        }
    }
    all(reports);
}

#[test]
fn squaring_64_times_is_one_kernel() {
    let mut random = Random::new("squares");
    let mut r = slot(0);
    for _ in 0..64 {
        r = r.mul(&r);
    }
    all([DType::U8, DType::I32, DType::U16].map(|dtype| {
        let inputs = [random.host(dtype, &[33], true)];
        check(&format!("64 squares of {dtype}"), &r, &inputs, 0.0)
    }));
}

#[test]
fn every_rule_agrees_with_the_reference() {
    let mut random = Random::new("rules");
    let explicit = |target: &[usize], axes: &[usize]| Rule::Explicit {
        target: Shape::new(target),
        axes: axes.to_vec(),
    };
    let to = |target: &[usize]| Rule::To {
        target: Shape::new(target),
    };
    let both = |target: &[usize]| Rule::Bidirectional {
        target: Shape::new(target),
    };
    let cases: Vec<(Rule, Vec<Vec<usize>>)> = vec![
        (Rule::None, vec![vec![2, 3], vec![2, 3]]),
        (Rule::None, vec![vec![], vec![]]),
        (Rule::Numpy, vec![vec![8, 1, 6, 1], vec![7, 1, 5]]),
        (Rule::Numpy, vec![vec![1, 4, 5], vec![2, 1, 1], vec![5]]),
        (Rule::Unidirectional, vec![vec![3, 4, 5], vec![5]]),
        (Rule::Unidirectional, vec![vec![3, 4, 5], vec![3, 1, 5]]),
        (Rule::Unidirectional, vec![vec![2, 8], vec![]]),
        (pdpd(-1), vec![vec![2, 3, 4, 5], vec![4, 5]]),
        (pdpd(1), vec![vec![2, 3, 4, 5], vec![3, 4]]),
        (pdpd(0), vec![vec![2, 3, 4, 5], vec![2]]),
        (pdpd(1), vec![vec![2, 3, 4, 8], vec![3, 1, 1]]),
        (pdpd(0), vec![vec![2, 3, 4], vec![1, 3]]),
        (to(&[2, 3, 4]), vec![vec![3, 1]]),
        (to(&[2, 3, 4]), vec![vec![]]),
        (both(&[3, 1, 4]), vec![vec![2, 1]]),
        (both(&[1, 4]), vec![vec![3, 1]]),
        (explicit(&[2, 3, 4], &[1]), vec![vec![3]]),
        (explicit(&[2, 3, 4], &[0, 2]), vec![vec![2, 4]]),
        (explicit(&[5, 3, 7], &[0, 1]), vec![vec![1, 3]]),
    ];
    let mut reports = Vec::new();
    for (rule, shapes) in cases {
        for dtype in [DType::I8, DType::F16, DType::U32] {
            let inputs: Vec<HostTensor> = shapes
                .iter()
                .map(|s| random.host(dtype, s, false))
                .collect();
            let op = if shapes.len() == 1 {
                Op::NEG
            } else {
                Op::ADD_N
            };
            let expr = Expr::step(op, (0..shapes.len()).map(slot).collect::<Vec<_>>())
                .with_rule(rule.clone());
            reports.push(check(
                &format!("{rule:?} {dtype} {shapes:?}"),
                &expr,
                &inputs,
                0.0,
            ));
        }
    }
    all(reports);
}

#[test]
fn rules_of_several_steps_compose() {
    // A PDPD channel bias, a NumPy row and an explicit slope in one expression.
    let mut random = Random::new("composed rules");
    let biased = Expr::step(Op::ADD, [slot(0), slot(1)]).with_rule(pdpd(1));
    let slope = slot(2).broadcast(Rule::Explicit {
        target: Shape::new([2, 3, 4, 5]),
        axes: vec![1],
    });
    let expr = Expr::step(Op::PRELU, [biased, slope])
        .with_rule(Rule::None)
        .maximum(slot(3))
        .transpose();
    all([DType::F16, DType::I32].map(|dtype| {
        let inputs =
            [vec![2, 3, 4, 5], vec![3], vec![3], vec![5]].map(|s| random.host(dtype, &s, false));
        check(&format!("{dtype}"), &expr, &inputs, 0.0)
    }));
}

#[test]
fn select_under_pdpd_has_the_shape_of_then() {
    let mut random = Random::new("select");
    let expr = Expr::step(Op::WHERE, [slot(0), slot(1), slot(2)]).with_rule(pdpd(1));
    let inputs = [
        random.host(DType::Bool, &[3], false),
        random.host(DType::F16, &[2, 3, 5], false),
        random.host(DType::F16, &[3, 5], false),
    ];
    all([check("select", &expr, &inputs, 0.0)]);
}

#[test]
fn shapes_that_do_not_align_are_errors_on_the_device_too() {
    let context = context();
    let a = context.tensor(&[0u8; 6], [2, 3]).unwrap();
    let b = context.tensor(&[0u8; 4], [4]).unwrap();
    assert!(matches!(
        a.add(&b),
        Err(Error::Extents {
            axis: 1,
            left: 3,
            right: 4,
            ..
        })
    ));
    assert!(broadcast_all(&[&a, &b]).is_err());
}

/// The bytes of a layout's elements in row-major order, from the host.
fn gathered(host: &HostTensor) -> Vec<u8> {
    let size = host.dtype.size();
    host.layout
        .offsets()
        .flat_map(|at| host.bytes[at * size..(at + 1) * size].to_vec())
        .collect()
}

#[test]
fn broadcast_all_gives_views_and_materialize_every_bit() {
    let mut random = Random::new("broadcast_all");
    let context = context();
    let mut reports = Vec::new();
    for dtype in DType::ALL {
        for shapes in [
            [vec![3, 1], vec![1, 5], vec![]],
            [vec![4, 8], vec![8], vec![4, 1]],
            [vec![1], vec![7], vec![1, 1]],
        ] {
            // All bit patterns: signalling NaN, subnormals, bool bytes above 1.
            let hosts = shapes.map(|shape| {
                let len: usize = shape.iter().product();
                HostTensor::new(
                    dtype,
                    shape,
                    random.bytes(DType::U8, len * dtype.size(), true),
                )
                .unwrap()
            });
            let tensors = hosts
                .each_ref()
                .map(|h| context.tensor_from_host(h).unwrap());
            for (tensor, host) in broadcast_all(&tensors.each_ref())
                .unwrap()
                .iter()
                .zip(&hosts)
            {
                let what = format!("{dtype}{} to {}", host.layout.shape(), tensor.shape());
                let mut expected = host.clone();
                let target = tensor.shape().clone();
                expected.layout = Rule::To { target }
                    .align(&[host.layout.shape()])
                    .unwrap()
                    .layout(0, &host.layout);
                assert_eq!(tensor.layout(), &expected.layout, "{what} is not a view");
                let found = tensor.materialize().unwrap();
                assert!(found.layout().is_contiguous());
                if found.read_bytes_blocking().unwrap() != gathered(&expected) {
                    reports.push(Err(format!("{what}: other bytes")));
                }
            }
        }
    }
    all(reports);
}

#[test]
fn moves_keep_every_bit() {
    // `where`, identity of views, and neg and abs of floats touch nothing but what they say.
    let mut random = Random::new("moves");
    let context = context();
    for dtype in crate::common::COMPUTABLE {
        let len = 64;
        let hosts = [(); 2].map(|()| {
            HostTensor::new(
                dtype,
                [len],
                random.bytes(DType::U8, len * dtype.size(), true),
            )
            .unwrap()
        });
        let condition: Vec<u8> = (0..len).map(|_| random.next() as u8 & 3).collect();
        let c = context
            .tensor_from_bytes(DType::Bool, [len], &condition)
            .unwrap();
        let [a, b] = hosts
            .each_ref()
            .map(|h| context.tensor_from_host(h).unwrap());
        let size = dtype.size();
        let expected: Vec<u8> = (0..len * size)
            .map(|i| hosts[usize::from(condition[i / size] == 0)].bytes[i])
            .collect();
        assert_eq!(
            c.where_(&a, &b).unwrap().read_bytes_blocking().unwrap(),
            expected,
            "where {dtype}"
        );
        let mut turned = hosts[0].clone();
        turned.layout = turned
            .layout
            .view(&View::Slice(vec![Index::Range(None, None, -1)]))
            .unwrap();
        let view = a.slice([Index::Range(None, None, -1)]).unwrap();
        assert_eq!(
            view.read_bytes_blocking().unwrap(),
            gathered(&turned),
            "reversed {dtype}"
        );
        if dtype.is_float() {
            let flip =
                |i: usize, x: u8, f: fn(u8) -> u8| if i % size == size - 1 { f(x) } else { x };
            let map = |f: fn(u8) -> u8| -> Vec<u8> {
                hosts[0]
                    .bytes
                    .iter()
                    .enumerate()
                    .map(|(i, &x)| flip(i, x, f))
                    .collect()
            };
            assert_eq!(
                a.neg().unwrap().read_bytes_blocking().unwrap(),
                map(|x| x ^ 0x80),
                "neg {dtype}"
            );
            assert_eq!(
                a.abs().unwrap().read_bytes_blocking().unwrap(),
                map(|x| x & 0x7f),
                "abs {dtype}"
            );
        }
    }
}
