//! Uploads arrays of `ndarray` and reads a result back.
//!
//! `cargo run --features ndarray --example ndarrays`

use ndarray::{Array2, Axis, array};
use zerostride::{Context, Result};

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    let host: Array2<f32> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];

    // Any order of axes will do; elements are taken in that of the indices.
    let x = context.tensor_from_ndarray(&host.t())?;
    assert_eq!(x.shape().extents(), [3, 2]);
    let y = ((&x - x.expr().mean(0)) * 2).eval()?.to_ndarray::<f32>()?;
    println!("{y}");

    let mean = host.mean_axis(Axis(1)).expect("there are elements");
    let expected = (&host.t() - &mean) * 2.0;
    assert_eq!(y, expected.into_dyn());
    Ok(())
}
