//! Adds a row to every row of a table.
//!
//! `cargo run --example add`

use zerostride::{Context, Result};

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    println!("on {}", context.adapter_info().name);

    let table = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
    let row = context.tensor(&[10.0f32, 20.0, 30.0], [3])?;
    let sum = table.add(&row)?;

    println!("{} + {} = {}", table.shape(), row.shape(), sum.shape());
    println!("{:?}", sum.read_blocking::<f32>()?);

    // Shapes that do not fit are an error that names the axis.
    let short = context.tensor(&[1.0f32, 2.0], [2])?;
    if let Err(error) = table.add(&short) {
        println!("{error}");
    }
    Ok(())
}
