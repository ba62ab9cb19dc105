//! Reductions: axes, parameters, values, types and shapes, as NumPy has them.

use super::*;
use DType::*;

#[test]
fn axes_are_given_as_numpy_has_them() {
    check(&[
        Case("x.sum()", F32, &[], &[21.0]),
        Case("x.sum(0)", F32, &[3], &[5.0, 7.0, 9.0]),
        Case("x.sum(-1)", F32, &[2], &[6.0, 15.0]),
        Case("sum(x, 0)", F32, &[3], &[5.0, 7.0, 9.0]),
        Case("sum(x, axis=1)", F32, &[2], &[6.0, 15.0]),
        Case("np.sum(x, axis=-1)", F32, &[2], &[6.0, 15.0]),
        Case("numpy.sum(x, -2)", F32, &[3], &[5.0, 7.0, 9.0]),
        Case("x.sum(axis=None)", F32, &[], &[21.0]),
        Case("x.sum(axis=(0, 1))", F32, &[], &[21.0]),
        Case("x.sum((0,))", F32, &[3], &[5.0, 7.0, 9.0]),
        Case("x.sum((-1, 0))", F32, &[], &[21.0]),
        Case(
            "x.sum(axis=())",
            F32,
            &[2, 3],
            &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        ),
        Case("x.sum(axis=(1))", F32, &[2], &[6.0, 15.0]),
        Case("x.sum(keepdims=True)", F32, &[1, 1], &[21.0]),
        Case("x.sum(0, keepdims=True)", F32, &[1, 3], &[5.0, 7.0, 9.0]),
        Case("sum(x, axis=(0, 1), keepdims=True)", F32, &[1, 1], &[21.0]),
        Case("sum(x, axis=(1,), keepdims=False)", F32, &[2], &[6.0, 15.0]),
        Case("t.sum((0, 2))", I64, &[2], &[8.0, 6.0]),
        Case(
            "sum(t, axis=(0, 2), keepdims=True)",
            I64,
            &[1, 2, 1],
            &[8.0, 6.0],
        ),
        Case("t.sum(axis=1)", I64, &[2, 2], &[-3.0, 7.0, 7.0, 3.0]),
        Case("s.sum()", F32, &[], &[2.0]),
        Case("s.sum(axis=())", F32, &[], &[2.0]),
        Case("x.sum([0, 1])", F32, &[], &[21.0]),
        Case("x.sum([-1])", F32, &[2], &[6.0, 15.0]),
        Case("x.sum(axis=(0,),)", F32, &[3], &[5.0, 7.0, 9.0]),
    ]);
}

#[test]
fn every_reduction_has_numpys_values_types_and_shapes() {
    check(&[
        Case("i.sum()", I64, &[], &[4.0]),
        Case("u.sum()", U64, &[], &[300.0]),
        Case("b.sum()", I64, &[], &[2.0]),
        Case("h.sum()", F16, &[], &[-1.0]),
        Case("d.sum()", F64, &[], &[6.0]),
        Case("x.prod(1)", F32, &[2], &[6.0, 120.0]),
        Case("u.prod()", U64, &[], &[20000.0]),
        Case("b.prod()", I64, &[], &[0.0]),
        Case("t.prod((0, 2))", I64, &[2], &[105.0, 0.0]),
        Case("x.max()", F32, &[], &[6.0]),
        Case("x.max(axis=0)", F32, &[3], &[4.0, 5.0, 6.0]),
        Case("x.max(-1)", F32, &[2], &[3.0, 6.0]),
        Case("x.max(axis=-1, keepdims=True)", F32, &[2, 1], &[3.0, 6.0]),
        Case("u.max()", U8, &[], &[200.0]),
        Case("b.max()", Bool, &[], &[1.0]),
        Case("t.max((1, 2))", I16, &[2], &[5.0, 7.0]),
        Case("n.max(0)", F32, &[3], &[f64::NAN, f64::NAN, f64::NAN]),
        Case("amax(x, 1)", F32, &[2], &[3.0, 6.0]),
        Case("np.amax(x, 0)", F32, &[3], &[4.0, 5.0, 6.0]),
        Case("x.min(0)", F32, &[3], &[1.0, 2.0, 3.0]),
        Case("min(i)", I32, &[], &[-7.0]),
        Case("amin(x, axis=-1)", F32, &[2], &[1.0, 4.0]),
        Case("np.min(u, keepdims=True)", U8, &[1], &[100.0]),
        Case("t.min(axis=0)", I16, &[2, 2], &[-3.0, -1.0, 0.0, 2.0]),
        Case("h.min()", F16, &[], &[-2.0]),
        Case("x.any()", Bool, &[], &[1.0]),
        Case("b.any()", Bool, &[], &[1.0]),
        Case("any(x > 5, axis=1)", Bool, &[2], &[0.0, 1.0]),
        Case("np.any(i)", Bool, &[], &[1.0]),
        Case("all(x > 1, axis=0)", Bool, &[3], &[0.0, 1.0, 1.0]),
        Case("b.all()", Bool, &[], &[0.0]),
        Case("np.all(i, 0)", Bool, &[], &[1.0]),
        Case(
            "(x > 0).all(axis=-1, keepdims=True)",
            Bool,
            &[2, 1],
            &[1.0, 1.0],
        ),
        Case("x.argmax()", I64, &[], &[5.0]),
        Case("x.argmax(1)", I64, &[2], &[2.0, 2.0]),
        Case("np.argmax(-x, 1)", I64, &[2], &[0.0, 0.0]),
        Case("argmax(i)", I64, &[], &[2.0]),
        Case("argmin(i)", I64, &[], &[0.0]),
        Case("np.argmin(x, axis=0)", I64, &[3], &[0.0, 0.0, 0.0]),
        Case("n.argmax()", I64, &[], &[1.0]),
        Case(
            "argmin(n, axis=1, keepdims=True)",
            I64,
            &[2, 1],
            &[1.0, 0.0],
        ),
        Case("x.argmax(keepdims=True)", I64, &[1, 1], &[5.0]),
        Case("t.argmin(2)", I64, &[2, 2], &[0.0, 0.0, 1.0, 0.0]),
        Case("count_nonzero(i)", I64, &[], &[3.0]),
        Case(
            "count_nonzero(t, axis=0)",
            I64,
            &[2, 2],
            &[2.0, 2.0, 0.0, 2.0],
        ),
        Case("np.count_nonzero(b, keepdims=True)", I64, &[1], &[2.0]),
        Case("x.mean()", F32, &[], &[3.5]),
        Case("x.mean(axis=None)", F32, &[], &[3.5]),
        Case("x.mean(0)", F32, &[3], &[2.5, 3.5, 4.5]),
        Case("mean(x, (0, 1), keepdims=True)", F32, &[1, 1], &[3.5]),
        Case("np.mean(h)", F16, &[], &[-0.5]),
        Case("i.mean()", F32, &[], &[1.3333333]),
        Case("b.mean()", F32, &[], &[0.66666667]),
        Case("d.mean()", F64, &[], &[2.0]),
        Case("t.mean((0, 1))", F32, &[2], &[1.0, 2.5]),
        Case("average(x, axis=1)", F32, &[2], &[2.0, 5.0]),
        Case("np.average(x)", F32, &[], &[3.5]),
        Case("x.var()", F32, &[], &[2.9166667]),
        Case("x.var(axis=1)", F32, &[2], &[0.66666669, 0.66666669]),
        Case("x.var(0, ddof=1)", F32, &[3], &[4.5, 4.5, 4.5]),
        Case("var(x, correction=1)", F32, &[], &[3.5]),
        Case("np.var(i)", F32, &[], &[42.888889]),
        Case("std(x, axis=0)", F32, &[3], &[1.5, 1.5, 1.5]),
        Case(
            "x.std(axis=1, ddof=1, keepdims=True)",
            F32,
            &[2, 1],
            &[1.0, 1.0],
        ),
        Case("np.std(d, correction=1)", F64, &[], &[1.8027756]),
        Case("ptp(x, axis=1)", F32, &[2], &[2.0, 2.0]),
        Case("np.ptp(i)", I32, &[], &[16.0]),
        Case(
            "ptp(t, (0, 1), keepdims=True)",
            I16,
            &[1, 1, 2],
            &[10.0, 6.0],
        ),
    ]);
}

#[test]
fn norms_are_those_of_numpy() {
    check(&[
        Case("np.linalg.norm(x)", F32, &[], &[9.5393925]),
        Case("norm(i)", F32, &[], &[11.575837]),
        Case("norm(x, axis=1)", F32, &[2], &[3.7416575, 8.7749643]),
        Case(
            "norm(x, axis=(0, 1), keepdims=True)",
            F32,
            &[1, 1],
            &[9.5393925],
        ),
        Case("norm(x, 1, axis=0)", F32, &[3], &[5.0, 7.0, 9.0]),
        Case(
            "norm(x, ord=2, axis=-1)",
            F32,
            &[2],
            &[3.7416575, 8.7749643],
        ),
        Case("norm(i, ord=1, axis=0)", F32, &[], &[18.0]),
        Case("np.linalg.vector_norm(x, ord=1)", F32, &[], &[21.0]),
        Case("vector_norm(t, axis=(0, 1, 2))", F32, &[], &[10.198039]),
        Case(
            "np.linalg.norm(x, None, 1)",
            F32,
            &[2],
            &[3.7416575, 8.7749643],
        ),
        Case(
            "np.linalg.norm(row - x, axis=-1, keepdims=True)",
            F32,
            &[2, 1],
            &[33.674915, 28.930952],
        ),
        Case("vector_norm(x, axis=0, ord=1)", F32, &[3], &[5.0, 7.0, 9.0]),
        Case("norm(b, ord=1, axis=0)", F32, &[], &[2.0]),
    ]);
}

#[test]
fn the_logarithm_of_a_sum_of_exponentials_does_not_overflow() {
    check(&[
        Case("logsumexp(x)", F32, &[], &[6.4561934]),
        Case("logsumexp(x, axis=1)", F32, &[2], &[3.4076059, 6.4076061]),
        Case(
            "logsumexp(x, axis=0, keepdims=True)",
            F32,
            &[1, 3],
            &[4.0485873, 5.0485873, 6.0485873],
        ),
        Case("logsumexp(i)", F32, &[], &[9.0009117]),
        Case("logsumexp(x * 1000)", F32, &[], &[6000.0]),
        Case("logsumexp(-inf * row)", F32, &[], &[f64::NEG_INFINITY]),
    ]);
}

#[test]
fn shares_of_exponentials_run_along_axes_and_do_not_overflow() {
    const TWICE: &[f64] = &[
        0.09003057, 0.24472847, 0.66524096, 0.09003057, 0.24472847, 0.66524096,
    ];
    const COLUMNS: &[f64] = &[
        -3.0485873,
        -3.0485873,
        -3.0485873,
        -0.04858733,
        -0.04858733,
        -0.04858733,
    ];
    check(&[
        Case("softmax(x, axis=1)", F32, &[2, 3], TWICE),
        Case(
            "softmax(x * 0 + [9, 199, 399], 1)[0]",
            F32,
            &[3],
            &[0.0, 0.0, 1.0],
        ),
        Case("softmax(x).sum()", F32, &[], &[1.0]),
        Case("softmax(i * 0 + 5, 0).sum()", F32, &[], &[1.0]),
        Case("log_softmax(x, 0)", F32, &[2, 3], COLUMNS),
        Case("exp(log_softmax(x, -1))", F32, &[2, 3], TWICE),
        Case("log_softmax(x[0] * 1e30)", F32, &[3], &[-2e30, -1e30, 0.0]),
        Case(
            "log_softmax([-inf, 0, -inf] + x[0] * 0)",
            F32,
            &[3],
            &[f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY],
        ),
    ]);
}

#[test]
fn what_is_nan_is_left_out_if_the_name_says_so() {
    check(&[
        Case("nansum(n)", F32, &[], &[4.0]),
        Case("nansum(n, axis=0)", F32, &[3], &[1.0, 0.0, 3.0]),
        Case("np.nansum(n, axis=1)", F32, &[2], &[4.0, 0.0]),
        Case("nanprod(n, axis=0)", F32, &[3], &[1.0, 1.0, 3.0]),
        Case("nansum(i)", I64, &[], &[4.0]),
        Case("nanmean(n)", F32, &[], &[2.0]),
        Case("nanmean(n, axis=0)", F32, &[3], &[1.0, f64::NAN, 3.0]),
        Case(
            "nanmean(n, 1, keepdims=True)",
            F32,
            &[2, 1],
            &[2.0, f64::NAN],
        ),
        Case("nanmean(i)", F32, &[], &[1.3333333]),
        Case("nanmean(h)", F16, &[], &[-0.5]),
        Case("nanmean(b)", F32, &[], &[0.66666667]),
    ]);
}

#[test]
fn a_reduction_stands_wherever_an_operand_does() {
    check(&[
        Case(
            "(x - x.mean(axis=0)) / x.std(axis=0)",
            F32,
            &[2, 3],
            &[-1.0, -1.0, -1.0, 1.0, 1.0, 1.0],
        ),
        Case(
            "exp(x - x.max(axis=-1, keepdims=True))",
            F32,
            &[2, 3],
            &[0.13533528, 0.36787942, 1.0, 0.13533528, 0.36787942, 1.0],
        ),
        Case(
            "x / x.sum(axis=1, keepdims=True)",
            F32,
            &[2, 3],
            &[
                0.16666667, 0.33333334, 0.5, 0.26666668, 0.33333334, 0.40000001,
            ],
        ),
        Case("x.T.sum(0)", F32, &[2], &[6.0, 15.0]),
        Case("x[:, ::-1].argmax(1)", I64, &[2], &[0.0, 0.0]),
        Case("x[0].sum()", F32, &[], &[6.0]),
        Case("x.sum(1)[::-1]", F32, &[2], &[15.0, 6.0]),
        Case("x.sum(0, keepdims=True).T", F32, &[3, 1], &[5.0, 7.0, 9.0]),
        Case("(x * row).sum(1) - 1", F32, &[2], &[139.0, 319.0]),
        Case(
            "where(x > x.mean(), x, 0).max(0)",
            F32,
            &[3],
            &[4.0, 5.0, 6.0],
        ),
        Case("x.max(0).min()", F32, &[], &[4.0]),
        Case("-x.sum(1) ** 2", F32, &[2], &[-36.0, -225.0]),
        Case("(x == x.max()).sum()", I64, &[], &[1.0]),
        Case(
            "sum(x, 1)[:, None] + row",
            F32,
            &[2, 3],
            &[16.0, 26.0, 36.0, 25.0, 35.0, 45.0],
        ),
        Case("x.mean() * x.mean()", F32, &[], &[12.25]),
        Case("sum(max(x, 1)) + max(sum(x, 1))", F32, &[], &[24.0]),
        Case("x.reshape(3, 2).sum(1)", F32, &[3], &[3.0, 7.0, 11.0]),
        Case("abs(x.min(1) - x.max(1))", F32, &[2], &[2.0, 2.0]),
        Case("sum(x, axis=-(-1))", F32, &[2], &[6.0, 15.0]),
        Case("sum(x, ((-1)))", F32, &[2], &[6.0, 15.0]),
    ]);
}

#[test]
fn a_reduction_of_no_axes_is_the_operand_itself() {
    check(&[
        Case("row.max(axis=())", F32, &[3], &[10.0, 20.0, 30.0]),
        Case("row.mean(())", F32, &[3], &[10.0, 20.0, 30.0]),
        Case("i.any(axis=())", Bool, &[3], &[1.0, 1.0, 1.0]),
        Case("u.sum(axis=())", U64, &[2], &[200.0, 100.0]),
        Case("s.max()", F32, &[], &[2.0]),
        Case("s.argmin()", I64, &[], &[0.0]),
    ]);
}

#[test]
fn nothing_is_reduced_to_what_numpy_gives() {
    check(&[
        Case("row[3:].sum()", F32, &[], &[0.0]),
        Case("row[3:].prod(0)", F32, &[], &[1.0]),
        Case("row[3:].any()", Bool, &[], &[0.0]),
        Case("row[3:].all()", Bool, &[], &[1.0]),
        Case("row[3:].mean()", F32, &[], &[f64::NAN]),
        Case("x[:, 3:].sum(1)", F32, &[2], &[0.0, 0.0]),
        Case("x[:, 3:].max(0)", F32, &[0], &[]),
        Case("count_nonzero(row[3:])", I64, &[], &[0.0]),
    ]);
}

#[test]
fn the_rule_of_other_steps_does_not_reach_a_reduction() {
    let source = "sum(ptp(x, axis=1)) + sum(nanmean(x, axis=0)) + norm(x, ord=1, axis=0).max() + x.std(0).sum()";
    let tensors: Vec<_> = inputs().into_iter().map(|(_, t)| t).collect();
    let names: Vec<&str> = inputs().iter().map(|(name, _)| *name).collect();
    for rule in [
        Rule::None,
        Rule::Numpy,
        Rule::Unidirectional,
        Rule::Pdpd { axis: 0 },
    ] {
        let expr = parse(source).unwrap().bind(&names, &rule).unwrap();
        let found = reference::run(&expr, &tensors).unwrap();
        assert_eq!(numbers(&found), [4.0 + 10.5 + 9.0 + 4.5], "{rule}");
    }
}

#[test]
fn operands_are_joined_element_by_element_under_names_of_their_own() {
    check(&[
        Case("max_n(row, i, 15)", F32, &[3], &[15.0, 20.0, 30.0]),
        Case("min_n(row, i)", F32, &[3], &[-7.0, 2.0, 9.0]),
        Case(
            "mean_n(row, s, 0)",
            F32,
            &[3],
            &[4.0, 22.0 / 3.0, 32.0 / 3.0],
        ),
        Case(
            "add_n(x, row, col)",
            F32,
            &[2, 3],
            &[111.0, 122.0, 133.0, 214.0, 225.0, 236.0],
        ),
        Case("np.max_n(row, s)", F32, &[3], &[10.0, 20.0, 30.0]),
        Case("row.add_n(row, 1)", F32, &[3], &[21.0, 41.0, 61.0]),
        Case(
            "row + mean_n(1, 2, 6) + add_n(1, 2) + min_n(4, 3)",
            F32,
            &[3],
            &[19.0, 29.0, 39.0],
        ),
        Case(
            "add_n(x, two, rule='pdpd', axis=0).sum()",
            F32,
            &[],
            &[66.0],
        ),
    ]);
}

#[test]
fn an_input_may_have_the_name_of_a_reduction() {
    let expr = parse("(x - mean) / std + sum.sum()").unwrap();
    assert_eq!(expr.names(), ["x", "mean", "std", "sum"]);
    let expr = expr.bind(expr.names(), &Rule::Numpy).unwrap();
    let [x, mean, std] = [5.0, 3.0, 2.0].map(|x| f32s([], &[x]));
    let found = reference::run(&expr, &[x, mean, std, f32s([2], &[1.0, 2.0])]).unwrap();
    assert_eq!(numbers(&found), [4.0]);
}

#[test]
fn a_reduction_written_twice_is_one_node() {
    let nodes = |source: &str| Expr::post_order(&[lowered(source).unwrap()]).len();
    // x, the mean, the difference, its square, which is a product of it by itself.
    assert_eq!(nodes("(x - x.mean(0)) * (x - mean(x, axis=0))"), 4);
    assert_eq!(nodes("x.sum(0) + x.sum(1)"), 4);
}
