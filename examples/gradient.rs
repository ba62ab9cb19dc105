//! A least-squares fit by gradient descent: how much alcohol a wine has, from its other twelve
//! measurements. The loss and its gradient are planned together.
//!
//! `cargo run --features files --example gradient`

use zerostride::{Axes, Context, Result, Tensor, npy};

const STEPS: usize = 100;
const RATE: f64 = 0.05;

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    println!("on {}", context.adapter_info().name);
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/wine/wine.npy");
    let file = npy::NpyFile::open(path, None)?.read_all()?;
    let table = context.tensor_from_host(&file)?.expr();

    // Each column less its mean, in units of its deviation: one expression.
    let column = Axes::from(0).keepdims();
    let z = ((&table - table.mean(column.clone())) / table.std(column)).eval()?;
    let alcohol = z.slice((.., 0))?.expr();
    let others = z.slice((.., 1..))?.expr();

    // A weight for each of the others. The gradient is an expression like any other.
    let mut weights: Tensor = context.tensor(&[0.0f32; 12], [12])?;
    let mut last = f32::INFINITY;
    for step in 0..=STEPS {
        let w = weights.expr();
        let off = (&others * &w).sum(1) - &alcohol;
        let loss = (&off * &off).mean(..);
        let gradient = loss.gradient(&[weights.expr()]).swap_remove(0);
        let next = w - gradient * RATE;
        let both = context.eval_with(&[loss, next], &context.options())?;
        if step % 20 == 0 {
            let loss = both[0].read_blocking::<f32>()?[0];
            println!("step {step:3}: loss {loss:.5}");
            assert!(loss < last, "the loss must fall");
            last = loss;
        }
        weights = both[1].clone();
    }
    // The columns have variance 1, so that the loss is the part that the fit leaves unexplained.
    assert!(last < 0.45);
    println!("weights {:.3?}", weights.read_blocking::<f32>()?);
    Ok(())
}
