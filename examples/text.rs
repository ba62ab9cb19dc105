//! Evaluates an expression written as in NumPy on tensors by name; an error tells its column.
//!
//! `cargo run --example text`

use zerostride::{Context, Result};

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 5.0, 6.0, 7.0], [2, 3])?;
    let gain = context.tensor(&[1.0f32, 10.0, 100.0], [3])?;

    let y = context.eval_text(
        "(x - x.mean(axis=0)) / x.std(axis=0) * gain",
        [("x", &x), ("gain", &gain)],
    )?;
    println!("{}", y.to_host_blocking()?);
    assert_eq!(
        y.read_blocking::<f32>()?,
        [-1.0, -10.0, -100.0, 1.0, 10.0, 100.0]
    );

    // Several results of one plan.
    let both = context.eval_text_all("d = x - x.min(); d, d.max()", [("x", &x)])?;
    assert_eq!(both[1].item_blocking::<f32>()?, 6.0);

    let error = context.eval_text("x - maen", [("x", &x)]).unwrap_err();
    println!("{error}");
    assert!(
        error
            .to_string()
            .starts_with("column 5: unknown name `maen`")
    );
    Ok(())
}
