//! Reads as futures, here under tokio: a helper thread of the context polls the device, so that no
//! thread of the executor waits for it.
//!
//! `cargo run --example async_reads`

use zerostride::{Context, Result};

#[tokio::main]
async fn main() -> Result<()> {
    let context = Context::request().await?;
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2])?;

    // Both are computed and read while this task waits for the two.
    let (sums, squares) = ((&x + 1).sum(0), &x * &x);
    let (sums, squares) = tokio::join!(sums.read::<f32>(), squares.read::<f32>());
    let (sums, squares) = (sums?, squares?);
    println!("{sums:?} {squares:?}");
    assert_eq!(sums, [6.0, 8.0]);
    assert_eq!(squares, [1.0, 4.0, 9.0, 16.0]);

    // From a task of its own, on any thread.
    let task = tokio::spawn(async move { (&x - 1).max(..).item::<f32>().await });
    let largest = task.await.expect("the task does not panic")?;
    assert_eq!(largest, 3.0);
    Ok(())
}
