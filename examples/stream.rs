//! From file to file with a bound on memory: larger arrays are computed window by window.
//!
//! `cargo run --features files --example stream`

use zerostride::npy::{self, NpyFile};
use zerostride::stream::Stream;
use zerostride::{Context, DType, Expr, Result, Shape};

const ROWS: usize = 20_000;
const COLUMNS: usize = 64;

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    let folder = std::env::temp_dir();
    let path = |name: &str| folder.join(format!("zerostride-{name}-{}.npy", std::process::id()));
    let (input, output) = (path("in"), path("out"));
    let values: Vec<u8> = (0..ROWS * COLUMNS)
        .flat_map(|i| (i as f32).to_le_bytes())
        .collect();
    npy::write(&input, DType::F32, &Shape::from([ROWS, COLUMNS]), &values)?;

    // 5 MB of elements, of which 2 MiB are held at a time.
    let x = NpyFile::open(&input, None)?;
    let report = Stream::new(&(Expr::slot(0) * 2 + 1), &[&x], &context.options())?
        .memory(2 << 20)
        .run(&context, &output)?;
    println!("{} bytes in {} windows", report.written, report.windows);
    assert!(report.windows > 1);

    let found = NpyFile::open(&output, None)?.read_all()?;
    let last = found.bytes.last_chunk().copied().map(f32::from_le_bytes);
    assert_eq!(last, Some((ROWS * COLUMNS - 1) as f32 * 2.0 + 1.0));
    for file in [input, output] {
        assert!(std::fs::remove_file(file).is_ok());
    }
    Ok(())
}
