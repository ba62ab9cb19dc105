//! An expression in independent parts, as several devices or processes would compute them; joined,
//! they are the whole result, bit for bit.
//!
//! `cargo run --example partition`

use zerostride::{Context, Expr, Partition, Result, Tensor};

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    let x: Vec<f32> = (0..1000 * 64).map(|i| i as f32 / 7.0).collect();
    let row: Vec<f32> = (0..64).map(|i| i as f32).collect();
    let host = [&x, &row];
    let tensors = [context.tensor(&x, [1000, 64])?, context.tensor(&row, [64])?];
    let sum = Expr::slot(0).sin() + Expr::slot(1);

    let slots = tensors.each_ref().map(Tensor::slot);
    let partition = Partition::new(&sum, &slots, &context.options())?;
    let mut found: Vec<f32> = Vec::new();
    for part in partition.parts(3)? {
        println!("elements {:?} need {:?}", part.elements, part.inputs);
        // Only what this part needs goes to its device.
        let inputs = part
            .inputs
            .iter()
            .zip(host)
            .map(|(range, host)| context.tensor(&host[range.clone()], [range.len()]));
        let inputs: Vec<Tensor> = inputs.collect::<Result<_>>()?;
        let inputs: Vec<&Tensor> = inputs.iter().collect();
        found.extend(context.run(&part.plan, &inputs)?[0].read_blocking::<f32>()?);
    }

    let whole = (tensors[0].expr().sin() + &tensors[1]).read_blocking::<f32>()?;
    assert_eq!(found, whole);
    Ok(())
}
