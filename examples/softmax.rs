//! Softmax of the rows of a table as one expression: its two reductions and the steps around them
//! are one dispatch.
//!
//! `cargo run --example softmax`

use zerostride::{Axes, Context, Expr, Plan, Result};

const ROWS: usize = 6;
const COLUMNS: usize = 1000;

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    println!("on {}", context.adapter_info().name);
    let logits: Vec<f32> = (0..ROWS * COLUMNS)
        .map(|i| (i * i % 1009) as f32 / 100.0 - 5.0)
        .collect();
    let x = context.tensor(&logits, [ROWS, COLUMNS])?;

    // Decided ahead of time: the elements are read once by the one dispatch.
    let softmax = softmax(Expr::slot(0));
    let plan = Plan::new(&softmax, &[x.slot()], &context.options())?;
    println!("{}", plan.explain(&["x"]));
    assert_eq!(plan.pass_count(), 1);
    let y = context.run(&plan, &[&x])?.swap_remove(0);
    println!("sums of the rows: {:?}", y.sum(1)?.read_blocking::<f32>()?);

    // The same on the host, in f64.
    let found = y.read_blocking::<f32>()?;
    let mut worst = 0.0f64;
    for (row, found) in logits.chunks(COLUMNS).zip(found.chunks(COLUMNS)) {
        let sum: f64 = row.iter().map(|&x| f64::from(x).exp()).sum();
        for (&x, &found) in row.iter().zip(found) {
            let expected = f64::from(x).exp() / sum;
            worst = worst.max((f64::from(found) - expected).abs() / expected);
        }
    }
    println!("off by {worst:.1e} of an element at most");
    assert!(worst < 1e-5);
    Ok(())
}

/// Exponentials relative to each row's largest element, so that none overflows, over their sum.
fn softmax<L>(x: Expr<L>) -> Expr<L> {
    let row = Axes::from(-1).keepdims();
    let e = (&x - x.max(row.clone())).exp();
    &e / e.sum(row)
}
