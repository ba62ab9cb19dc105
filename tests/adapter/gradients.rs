//! Gradients: planned together they are few dispatches, and agree with the reference's.

use zerostride::{
    Axes, DType, Expr, HostTensor, Layout, Op, Options, Plan, Result, Rule, Shape, Slot, Tensor,
    reference,
};

use crate::common::{Random, all, check_with, compare, context, machines, thinned};
use crate::mapping::options;

/// How far off a result of functions may be, as a part of its largest element.
const PART: f32 = 4e-6;

/// Both kinds of machines' schedules.
fn both() -> [(&'static str, Options); 2] {
    [("software", true), ("GPU", false)].map(|(name, is)| (name, options(|l| l.software = is)))
}

fn floats(x: &HostTensor) -> Vec<f32> {
    let chunks = x.bytes.chunks_exact(4);
    chunks
        .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]))
        .collect()
}

/// Compares f32 elements within a part of the largest expected one; bits where the part is 0.
fn agree(
    what: &str,
    found: &HostTensor,
    expected: &HostTensor,
    part: f32,
) -> std::result::Result<(), String> {
    let kind = |x: &HostTensor| (x.dtype, x.layout.shape().clone());
    if part == 0.0 || kind(found) != kind(expected) {
        return compare(what, found, expected, 0.0);
    }
    let expected = floats(expected);
    let largest = expected.iter().fold(0.0f32, |m, x| m.max(x.abs()));
    let off = |(i, (a, b)): (usize, (f32, &f32))| {
        let is_near = (a - b).abs() <= part * largest;
        (!is_near).then(|| format!("{what}: element {i} is {a}, the reference has {b}"))
    };
    let first = floats(found).into_iter().zip(&expected).enumerate();
    first.map(off).find_map(|off| off).map_or(Ok(()), Err)
}

/// Expressions computed together: by at most `most` dispatches, each within `part` of its largest
/// element.
fn together(
    what: &str,
    exprs: &[Expr<usize>],
    inputs: &[HostTensor],
    (most, part): (usize, f32),
) -> Vec<std::result::Result<(), String>> {
    let context = context();
    let run = |what: &str, options: &Options| -> Result<Vec<std::result::Result<(), String>>> {
        let tensors = inputs.iter().map(|t| context.tensor_from_host(t));
        let tensors: Vec<Tensor> = tensors.collect::<Result<_>>()?;
        let slots: Vec<_> = tensors.iter().map(Tensor::slot).collect();
        let plan = Plan::many(exprs, &slots, &[], options)?;
        let (count, bytes) = (plan.dispatches().len(), plan.bytes_moved());
        eprintln!("{what}: {count} dispatches, {bytes} bytes moved");
        let mut reports = Vec::new();
        if count > most {
            let plan = format!("{what}: {count} dispatches, not {most}:\n{plan}");
            reports.push(Err(plan));
        }
        let found = context.run(&plan, &tensors.iter().collect::<Vec<_>>())?;
        for (i, (found, expr)) in found.iter().zip(exprs).enumerate() {
            let bytes = found.read_bytes_blocking()?;
            let found = HostTensor::new(found.dtype(), found.shape(), bytes)?;
            let expected = reference::run(expr, inputs)?;
            reports.push(agree(
                &format!("{what}, result {i}"),
                &found,
                &expected,
                part,
            ));
        }
        Ok(reports)
    };
    let each = machines(what).into_iter().flat_map(|kind| {
        let (name, options) = &both()[kind];
        let what = format!("{what}, {name}");
        run(&what, options).unwrap_or_else(|e| vec![Err(format!("{what}: {e}"))])
    });
    each.collect()
}

fn slots<const N: usize>() -> [Expr<usize>; N] {
    std::array::from_fn(Expr::slot)
}

#[test]
fn gradients_of_a_layer_norm_agree() {
    let mut random = Random::new("layer norm");
    let mut reports = Vec::new();
    let [x, gamma, beta, given] = slots();
    let row = Axes::from(-1).keepdims();
    let rstd = (x.var(row.clone()) + 1e-5).sqrt().reciprocal();
    let norm = (&x - x.mean(row)) * rstd * &gamma + &beta;
    let by = norm.pullback(&given, &[x, gamma, beta]);
    let exprs = [&[norm], &by[..]].concat();
    for shape in thinned(&mut random, [[37usize, 128], [5, 3001], [700, 12]]) {
        let [_, columns] = shape;
        let inputs = [&shape[..], &[columns], &[columns], &shape[..]];
        let inputs = inputs.map(|s| random.host(DType::F32, s, false));
        let what = format!("layer norm {shape:?}");
        reports.extend(together(&what, &exprs, &inputs, (6, PART)));
        reports.extend(together(&what, &exprs[1..2], &inputs, (1, PART)));
    }
    all(reports);
}

#[test]
fn gradients_of_a_softmax_cross_entropy_agree() {
    let mut random = Random::new("cross entropy");
    let mut reports = Vec::new();
    let [x, share] = slots();
    let losses = x.logsumexp(-1) - (&x * &share).sum(-1);
    let loss = losses.mean(..);
    let by = loss.gradient(&[x]);
    let exprs = [&[loss], &by[..]].concat();
    for [rows, columns] in [[33usize, 1000], [1000, 7]] {
        // Each row is of one class.
        let mut one = vec![0.0f32; rows * columns];
        for row in one.chunks_mut(columns) {
            row[random.below(columns)] = 1.0;
        }
        let bytes = bytemuck::cast_slice(&one).to_vec();
        let inputs = [
            random.host(DType::F32, &[rows, columns], false),
            HostTensor::new(DType::F32, [rows, columns], bytes).unwrap(),
        ];
        let what = format!("cross entropy [{rows}, {columns}]");
        reports.extend(together(&what, &exprs, &inputs, (5, PART)));
        reports.extend(together(&what, &exprs[1..], &inputs, (1, PART)));
    }
    all(reports);
}

#[test]
fn gradients_of_squared_errors_agree() {
    let mut random = Random::new("squared errors");
    let mut reports = Vec::new();
    let [x, w, y] = slots();
    let off = x.matmul(&w) - &y;
    let loss = (&off * &off).sum(..);
    let by = loss.gradient(&[x, w, y]);
    let exprs = [&[loss], &by[..]].concat();
    for [m, k, n] in [[3usize, 5, 2], [64, 32, 16], [178, 12, 1]] {
        let inputs = [[m, k], [k, n], [m, n]];
        let inputs = inputs.map(|s| random.host(DType::F32, &s, false));
        let what = format!("squared errors {m} x {k} x {n}");
        reports.extend(together(&what, &exprs, &inputs, (6, PART)));
    }
    all(reports);
}

/// A rule, the shape of its result, and one that it broadcasts to that.
fn broadcasts() -> Vec<(Rule, Vec<usize>, Vec<usize>)> {
    let target = Shape::new([2, 3, 8]);
    let explicit = Rule::Explicit {
        target: target.clone(),
        axes: vec![0, 2],
    };
    let both = Rule::Bidirectional {
        target: [2, 1, 8].into(),
    };
    let whole = || vec![2, 3, 8];
    vec![
        (Rule::None, whole(), whole()),
        (Rule::Numpy, whole(), vec![8]),
        (Rule::Numpy, whole(), vec![3, 1]),
        (Rule::Unidirectional, whole(), vec![2, 1, 8]),
        (Rule::Pdpd { axis: 0 }, whole(), vec![2, 3]),
        (Rule::Pdpd { axis: 1 }, whole(), vec![3, 1]),
        (both, whole(), vec![3, 1]),
        (Rule::To { target }, whole(), vec![1, 8]),
        (explicit.clone(), whole(), vec![2, 8]),
        (explicit, whole(), vec![1, 8]),
    ]
}

/// Whether a rule brings one operand to a shape.
fn has_target(rule: &Rule) -> bool {
    matches!(
        rule,
        Rule::To { .. } | Rule::Bidirectional { .. } | Rule::Explicit { .. }
    )
}

#[test]
fn gradients_of_a_broadcast_under_every_rule_have_the_reference_s_bits() {
    let mut random = Random::new("broadcasts");
    let mut reports = Vec::new();
    let [x, small] = slots();
    for (rule, shape, from) in broadcasts() {
        let what = format!("{rule} {shape:?} {from:?}");
        let product = match has_target(&rule) {
            true => x.mul(small.broadcast(rule)),
            false => Expr::step(Op::MUL, [x.clone(), small.clone()]).with_rule(rule),
        };
        let exprs = product.mul(&product).gradient(&[x.clone(), small.clone()]);
        let inputs = [shape, from].map(|s| random.host(DType::F32, &s, false));
        reports.extend(together(&what, &exprs, &inputs, (3, 0.0)));
    }
    all(reports);
}

#[test]
fn sums_to_a_shape_under_every_rule_have_the_reference_s_bits() {
    let mut random = Random::new("sums to shapes");
    let mut reports = Vec::new();
    for (rule, shape, to) in broadcasts() {
        let sum = Expr::slot(0).sum_to(to.clone()).with_rule(rule.clone());
        for (dtype, (name, options)) in [DType::F32, DType::F16].into_iter().zip(both()) {
            let input = [random.host(dtype, &shape, false)];
            let what = format!("{rule} {dtype} {shape:?} to {to:?}, {name}");
            reports.push(check_with(&what, &sum, &input, 0.0, &options));
        }
    }
    all(reports);
}

#[test]
fn tensors_have_gradients_by_tensors_and_by_parts() {
    let context = context();
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
    let w = context.tensor(&[3.0f32, 5.0], [2]).unwrap();
    let read = |expr: &Expr<Tensor>| expr.eval().unwrap().read_blocking::<f32>().unwrap();
    let part = x.expr() * &w.expr();
    // A clone is the same variable, and so is a transposed expression of it; a transposed tensor is
    // one of its own.
    let loss = (&part * &part).sum(..) + x.clone().expr().transpose().sum(..);
    let loss = loss + x.transpose().expr().sum(..);
    let by = loss.gradient(&[x.expr(), w.expr(), part, x.transpose().expr()]);
    assert_eq!(read(&by[0]), [19.0, 101.0, 55.0, 201.0]);
    assert_eq!(read(&by[1]), [60.0, 200.0]);
    assert_eq!(read(&by[2]), [6.0, 20.0, 18.0, 40.0]);
    assert_eq!(read(&by[3]), [1.0; 4]);
    // Differentiated again.
    let again = by[1].gradient(&[w.expr()]).swap_remove(0);
    assert_eq!(read(&again), [20.0, 40.0]);
    // By what nothing flows to, and each element counted as often as is said.
    let given = context.tensor(&[2.0f32, 0.0], [2, 1]).unwrap();
    let product = x.expr() * &w.expr() + x.expr().detach();
    let detached = (x.expr().detach() * &w.expr()).gradient(&[x.expr()]);
    assert_eq!(read(&detached[0]), [0.0; 4]);
    let by = product.pullback(&given.expr(), &[w.expr()]);
    assert_eq!(read(&by[0]), [2.0, 4.0]);
    assert_eq!(
        x.sum_to([2, 1]).unwrap().read_blocking::<f32>().unwrap(),
        [3.0, 7.0]
    );
    assert!(x.sum_to([3]).is_err());
}

#[test]
fn a_variable_that_the_expression_lacks_is_an_error() {
    let context = context();
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2]).unwrap();
    let y = context.tensor(&[1.0f32, 2.0], [2]).unwrap();
    let refused = |loss: Expr<Tensor>, wrt: &[Expr<Tensor>], which: usize| {
        let error = loss.gradient(wrt)[which].eval().unwrap_err().to_string();
        error.split(';').next().unwrap().to_owned()
    };
    let squares = |x: &Tensor| (x.expr() * &x.expr()).sum(..);
    // Another array, another node that computes the same, and a gradient that lost its variable.
    let lacks = "gradient: the expression does not contain variable 1";
    assert_eq!(refused(squares(&x), &[x.expr(), y.expr()], 1), lacks);
    assert_eq!(
        refused(squares(&x), &[x.expr(), x.expr() * &x.expr()], 1),
        lacks
    );
    let by_x = squares(&x).gradient(&[x.expr()]).swap_remove(0);
    assert_eq!(refused(by_x.sum(..), &[x.expr(), y.expr()], 1), lacks);
    // A view of it, alone and beside it, which is a variable of its own only if it is named.
    let row = x.slice(1).unwrap();
    let hides = "gradient: an input of the expression may be a view of variable 0, and its gradient \
                 would be left out";
    for view in [&row, &x.transpose(), &x.reshape([4]).unwrap()] {
        assert_eq!(refused(squares(view), &[x.expr()], 0), hides);
        assert_eq!(refused(squares(view) + squares(&x), &[x.expr()], 0), hides);
    }
    let read = |expr: &Expr<Tensor>| expr.eval().unwrap().read_blocking::<f32>().unwrap();
    let both = (squares(&row) + squares(&x)).gradient(&[x.expr(), row.expr()]);
    assert_eq!(read(&both[0]), [2.0, 4.0, 6.0, 8.0]);
    assert_eq!(read(&both[1]), [6.0, 8.0]);
    // Elements of the buffer that it does not have are no part of it.
    let other = squares(&x.slice(0).unwrap()) + squares(&row);
    assert_eq!(read(&other.gradient(&[row.expr()])[0]), [6.0, 8.0]);
    // Nor are those that no gradient flows to.
    let fixed = (x.expr() * &x.transpose().expr().detach()).sum(..);
    assert_eq!(read(&fixed.gradient(&[x.expr()])[0]), [1.0, 3.0, 2.0, 4.0]);
    let slots = (Expr::slot(0) * &Expr::slot(1)).gradient(&[Expr::slot(2)]);
    let inputs = [(); 3].map(|()| Slot::new(DType::F32, [2]).unwrap());
    let error = Plan::new(&slots[0], &inputs, &context.options()).unwrap_err();
    assert!(
        error.to_string().contains("does not contain variable 0"),
        "{error}"
    );
}

#[test]
fn tensors_of_one_buffer_are_told_apart_by_their_bytes() {
    let context = context();
    let read = |expr: &Expr<Tensor>| expr.eval().unwrap().read_blocking::<f32>().unwrap();
    // Bytes before floats, whose positions would overlap in elements.
    let ones: Vec<u8> = [1.0f32; 64].iter().flat_map(|x| x.to_le_bytes()).collect();
    let parts = [
        (
            DType::U8,
            Layout::contiguous([1024]).unwrap(),
            &[1u8; 1024][..],
        ),
        (DType::F32, Layout::contiguous([64]).unwrap(), &ones[..]),
    ];
    let [bytes, floats] = &context.tensors_with_layouts(&parts).unwrap()[..] else {
        panic!("two tensors");
    };
    let loss = bytes.expr().cast(DType::F32).sum(..) * &floats.expr().sum(..);
    assert_eq!(read(&loss.gradient(&[floats.expr()])[0]), [1024.0; 64]);
    // A buffer of the caller's is one, however often it is wrapped.
    let buffer = context
        .tensor(&[1.0f32, 2.0, 3.0, 4.0], [4])
        .unwrap()
        .buffer()
        .unwrap();
    let wrapped = || {
        let layout = Layout::contiguous([2, 2]).unwrap();
        context.wrap(&buffer, DType::F32, layout).unwrap()
    };
    let [a, b] = [wrapped(), wrapped()];
    let sum = (a.expr() * &a.expr() + &b.expr()).sum(..);
    assert_eq!(read(&sum.gradient(&[a.expr()])[0]), [3.0, 5.0, 7.0, 9.0]);
    let turned = (a.expr() * &b.transpose().expr()).sum(..);
    assert!(turned.gradient(&[a.expr()])[0].eval().is_err());
}
