//! Every example of the five source texts, and the decisions where they leave a case open.
//!
//! Each case is aligned, and also run on distinct data against plain index arithmetic written here:
//! element `i` of the result reads operand element `i[on] % extent`, where `on` is the axis of the
//! result the operand's axis is on.

mod decisions;
mod onnx;
mod openvino;
mod rules_per_step;
mod sonnx;

use zerostride::{DType, Error, Expr, HostTensor, Index, Op, Rule, Shape, reference};

/// Operands' shapes and the shape of the result; `None` if they do not align.
type Case<'a> = (&'a [&'a [usize]], Option<&'a [usize]>);

/// The operands' data: distinct within an operand and between operands.
fn data(operand: usize, len: usize) -> Vec<i32> {
    let weight = [1, 131, 17_161, 2_248_091][operand % 4];
    (1..=len as i32).map(|i| i.wrapping_mul(weight)).collect()
}

fn tensor(shape: &[usize], data: &[i32]) -> HostTensor {
    HostTensor::new(
        DType::I32,
        shape,
        data.iter().flat_map(|x| x.to_le_bytes()).collect(),
    )
    .unwrap()
}

fn f32s(shape: &[usize], data: &[f32]) -> HostTensor {
    HostTensor::new(
        DType::F32,
        shape,
        data.iter().flat_map(|x| x.to_le_bytes()).collect(),
    )
    .unwrap()
}

fn numbers(tensor: &HostTensor) -> Vec<i32> {
    tensor
        .bytes
        .chunks(4)
        .map(|b| i32::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// The axis of the result that axis 0 of an operand is on; its other axes follow. Explicit axes are
/// handled apart.
fn start(rule: &Rule, operand: usize, rank: usize, result: usize) -> usize {
    match rule {
        Rule::Pdpd { axis: 0.. } if operand == 0 => 0,
        Rule::Pdpd { axis: axis @ 0.. } => *axis as usize,
        _ => result - rank,
    }
}

/// The sum over the operands, by index arithmetic.
fn expected(rule: &Rule, shapes: &[&[usize]], result: &[usize]) -> Vec<i32> {
    let len: usize = result.iter().product();
    let all: Vec<Vec<i32>> = shapes
        .iter()
        .enumerate()
        .map(|(k, s)| data(k, s.iter().product()))
        .collect();
    let element = |flat: usize| {
        let mut index = vec![0; result.len()];
        let mut rest = flat;
        for axis in (0..result.len()).rev() {
            index[axis] = rest % result[axis];
            rest /= result[axis];
        }
        let mut sum = 0i32;
        for (k, shape) in shapes.iter().enumerate() {
            let first = start(rule, k, shape.len(), result.len());
            let mut at = 0;
            for (axis, &extent) in shape.iter().enumerate() {
                let on = match rule {
                    Rule::Explicit { axes, .. } => axes[axis],
                    _ => first + axis,
                };
                at = at * extent + index.get(on).map_or(0, |i| i % extent);
            }
            sum = sum.wrapping_add(all[k][at]);
        }
        sum
    };
    (0..len).map(element).collect()
}

/// The sum of the operands under the rule.
fn run(rule: &Rule, shapes: &[&[usize]]) -> Result<HostTensor, Error> {
    let inputs: Vec<_> = shapes
        .iter()
        .enumerate()
        .map(|(k, s)| tensor(s, &data(k, s.iter().product())))
        .collect();
    let slots: Vec<_> = (0..shapes.len()).map(Expr::slot).collect();
    let one_operand = matches!(
        rule,
        Rule::Bidirectional { .. } | Rule::To { .. } | Rule::Explicit { .. }
    );
    let op = if one_operand { Op::IDENTITY } else { Op::ADD_N };
    reference::run(&Expr::step(op, slots).with_rule(rule.clone()), &inputs)
}

fn check(rule: &Rule, cases: &[Case<'_>]) {
    let mut failures = Vec::new();
    for (shapes, result) in cases {
        let owned: Vec<Shape> = shapes.iter().map(|&s| Shape::from(s)).collect();
        let aligned = rule.align(&owned.iter().collect::<Vec<_>>());
        let found = run(rule, shapes);
        match (result, aligned, found) {
            (None, Err(a), Err(b)) => {
                let typed = |e: &Error| {
                    matches!(
                        e,
                        Error::Extents { .. } | Error::Rank { .. } | Error::Axis { .. }
                    )
                };
                if !typed(&a) || !typed(&b) {
                    failures.push(format!("{rule} {shapes:?}: {a}; {b}"));
                }
            }
            (Some(shape), Ok(aligned), Ok(found)) => {
                if aligned.shape.extents() != *shape || found.layout.shape().extents() != *shape {
                    failures.push(format!(
                        "{rule} {shapes:?}: {} {}",
                        aligned.shape,
                        found.layout.shape()
                    ));
                } else if numbers(&found) != expected(rule, shapes, shape) {
                    failures.push(format!("{rule} {shapes:?}: wrong elements"));
                }
            }
            (_, aligned, found) => {
                failures.push(format!(
                    "{rule} {shapes:?}: {:?} {:?}",
                    aligned.map(|a| a.shape),
                    found.map(|_| ())
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The cases, and the same with the operands in the opposite order.
fn check_both_orders(rule: &Rule, cases: &[Case<'_>]) {
    check(rule, cases);
    for (shapes, result) in cases {
        let swapped: Vec<_> = shapes.iter().rev().copied().collect();
        check(rule, &[(&swapped, *result)]);
    }
}
