//! Columns of which there are so many that an invocation of a software adapter folds whole quads of
//! them alone, the lanes of their order in turn.

use zerostride::{Axes, DType, Expr, HostTensor, Index, Options, Slot, View};

use crate::common::{Random, SOFTMAX, Thinned, all, check_with, thinned};
use crate::mapping::{options, transposed, viewed};

fn software() -> Options {
    options(|limits| limits.software = true)
}

fn slots(inputs: &[HostTensor]) -> Vec<Slot> {
    let slot = |x: &HostTensor| {
        let whole = Slot::new(x.dtype, [x.bytes.len() / x.dtype.size()]).unwrap();
        whole.with_layout(x.layout.clone())
    };
    inputs.iter().map(slot).collect()
}

/// Compares with the reference, of a plan that folds so.
fn check(what: &str, expr: &Expr<usize>, inputs: &[HostTensor], bound: f64) -> Result<(), String> {
    let options = software();
    let plan = zerostride::Plan::new(expr, &slots(inputs), &options).map_err(|e| e.to_string())?;
    if !plan.to_string().contains("at a time") {
        return Err(format!("{what}: no columns are folded in turn: {plan}"));
    }
    check_with(what, expr, inputs, bound, &options)
}

#[test]
fn columns_that_are_folded_in_turn_have_the_reference_s_bits() {
    let mut random = Random::new("columns in turn");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    // Whole turns and ends of them; one quad, two and four beside one another; quads that end
    // beyond a row; rows in parts.
    let shapes = [
        &[300usize, 512][..],
        &[4100, 64],
        &[37, 320],
        &[600, 132],
        &[270, 67],
        &[3, 70, 256],
        &[17_000, 64],
    ];
    for shape in thinned(&mut random, shapes) {
        let input = [random.host(DType::F32, shape, false)];
        let axis = shape.len() as isize - 2;
        reports.push(check(
            &format!("sum of {shape:?}"),
            &x.sum(axis),
            &input,
            0.0,
        ));
    }
    let input = [random.host(DType::F32, &[300, 256], false)];
    let kept = || Axes::from(0).keepdims();
    let exps = x.sub(x.max(kept())).exp();
    let exprs = [
        ("largest less smallest", x.max(0).sub(x.min(0)), 0.0),
        ("place", x.argmax(0), 0.0),
        ("variance", x.var(0), 0.0),
        ("less the mean", x.sub(x.mean(kept())), 0.0),
        ("softmax", exps.div(exps.sum(kept())), SOFTMAX),
    ];
    for (what, expr, bound) in thinned(&mut random, exprs) {
        reports.push(check(what, &expr, &input, bound));
    }
    for dtype in [DType::U8, DType::F16, DType::I64] {
        let input = [random.host(dtype, &[270, 192], false)];
        reports.push(check(&format!("sum of {dtype}"), &x.sum(0), &input, 0.0));
    }
    all(reports);
}

#[test]
fn columns_of_views_and_broadcast_operands_are_folded_in_turn() {
    let mut random = Random::new("views of columns in turn");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let mut t = |shape: &[usize]| random.host(DType::F32, shape, false);
    let cut = |host: HostTensor, rows: Index, columns: Index| {
        viewed(host, &View::Slice(vec![rows, columns]))
    };
    let backwards = Index::Range(None, None, -1);
    let from_one = Index::Range(Some(1), None, 1);
    let cases = [
        ("a row for all", vec![t(&[300, 256]), t(&[256])]),
        ("a column for all", vec![t(&[300, 256]), t(&[300, 1])]),
        (
            "a column and a row for all",
            vec![t(&[300, 1]), t(&[256]), t(&[300, 256])],
        ),
        (
            "rows backwards",
            vec![cut(t(&[300, 256]), backwards, Index::ALL), t(&[256])],
        ),
        (
            "columns backwards",
            vec![cut(t(&[300, 256]), Index::ALL, backwards), t(&[300, 256])],
        ),
        (
            "columns that begin within a quad",
            vec![cut(t(&[300, 261]), Index::ALL, from_one), t(&[300, 260])],
        ),
        (
            "one transposed",
            vec![transposed(t(&[256, 300])), t(&[300, 256]), t(&[300, 256])],
        ),
    ];
    let mut some = Thinned::new(&mut random);
    for (what, inputs) in cases {
        let product = (1..inputs.len()).fold(x.clone(), |all, i| all.mul(Expr::slot(i)));
        let centred = x.sub(product.sum(Axes::from(0).keepdims()));
        let written = format!("{what}, written");
        for (what, expr) in [(what, product.sum(0)), (&written, centred)] {
            if some.takes() {
                reports.push(check(what, &expr, &inputs, 0.0));
            }
        }
    }
    all(reports);
}
