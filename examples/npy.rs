//! Reads a `.npy` file of NumPy's and writes another one.
//!
//! `cargo run --features files --example npy`

use zerostride::{Context, Result, npy};

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/data/wine/wine.npy");
    let table = npy::NpyFile::open(path, None)?.read_all()?;
    println!("{} {}", table.dtype, table.layout.shape());

    let x = context.tensor_from_host(&table)?;
    let z = ((&x - x.expr().mean(0)) / x.expr().std(0)).eval()?;
    println!("{:.3}", z.to_host_blocking()?);

    // The file appears whole or not at all; NumPy reads it.
    let out = std::env::temp_dir().join(format!("zerostride-npy-{}.npy", std::process::id()));
    npy::write(&out, z.dtype(), z.shape(), &z.read_bytes_blocking()?)?;
    let again = npy::NpyFile::open(&out, None)?.read_all()?;
    let removed = std::fs::remove_file(&out);
    assert_eq!(again, z.to_host_blocking()?);
    assert!(removed.is_ok());
    Ok(())
}
