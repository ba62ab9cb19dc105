//! A whole expression as one kernel: the normalisation `(x - mean) * rstd * gamma + beta`.
//!
//! `cargo run --example fused`

use zerostride::{Context, Expr, Plan, Result};

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    let (rows, columns) = (4, 8);
    let values: Vec<f32> = (0..rows * columns).map(|i| (i * i % 17) as f32).collect();

    // The statistics of each row, here on the host.
    let row = |r: usize| &values[r * columns..(r + 1) * columns];
    let mean: Vec<f32> = (0..rows)
        .map(|r| row(r).iter().sum::<f32>() / columns as f32)
        .collect();
    let variance =
        |r: usize| row(r).iter().map(|x| (x - mean[r]).powi(2)).sum::<f32>() / columns as f32;
    let rstd: Vec<f32> = (0..rows)
        .map(|r| 1.0 / (variance(r) + 1e-5).sqrt())
        .collect();

    let x = context.tensor(&values, [rows, columns])?;
    let mean = context.tensor(&mean, [rows, 1])?;
    let rstd = context.tensor(&rstd, [rows, 1])?;
    let gamma = context.tensor(&vec![2.0f32; columns], [columns])?;
    let beta = context.tensor(&vec![0.5f32; columns], [columns])?;

    // Lazy: nothing runs until `eval`.
    let norm = (&x - &mean) * &rstd * &gamma + &beta;
    let y = norm.eval()?;
    println!("{:.3?}", &y.read_blocking::<f32>()?[..columns]);

    // The same decided ahead of time: the plan shows the zero strides, and that it is one pass.
    let [a, b, c, d, e] = [0, 1, 2, 3, 4].map(Expr::slot);
    let inputs = [&x, &mean, &rstd, &gamma, &beta];
    let slots: Vec<_> = inputs.iter().map(|t| t.slot()).collect();
    let plan = Plan::new(&((a - b) * c * d + e), &slots, &context.options())?;
    println!("{plan}");
    assert_eq!(
        context.run(&plan, &inputs)?[0].read_blocking::<f32>()?,
        y.read_blocking::<f32>()?
    );
    Ok(())
}
