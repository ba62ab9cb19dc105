//! Measures the models that `scripts/make_onnx_models.py` writes, with the inputs of their first case. Prints a line for each:
//! its name, its number of passes, and the median of the seconds from a session's call to its outputs on the host.
//!
//! `cargo run -p zerostride-onnx --example onnx_times -- FOLDER`

use std::path::PathBuf;
use std::time::Instant;

use prost::Message as _;
use zerostride::{Context, Error};
use zerostride_onnx::{Model, proto::ModelProto, read_tensor};

const REPEATS: usize = 15;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("name a folder")?;
    let context = Context::builder().from_env().request_blocking()?;
    println!("on {}", context.adapter_info().name);
    let entries = std::fs::read_dir(folder)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<std::io::Result<Vec<PathBuf>>>()?;
    paths.sort();
    for path in &paths {
        let values = path.with_extension("values.onnx");
        if path.extension().is_some_and(|e| e == "onnx") && values.exists() {
            let values = ModelProto::decode(&*std::fs::read(values)?)?;
            let mut inputs = Vec::new();
            for tensor in values.graph.unwrap_or_default().initializer {
                if let Some(name) = tensor.name.strip_prefix("0/in/") {
                    let host = read_tensor(&tensor.encode_to_vec())?;
                    inputs.push((name.to_owned(), context.tensor_from_host(&host)?));
                }
            }
            let given: Vec<_> = inputs.iter().map(|(name, x)| (&**name, x)).collect();
            let mut session = Model::open(path)?.session(&context);
            let mut times = Vec::with_capacity(REPEATS);
            for _ in 0..REPEATS + 3 {
                let begun = Instant::now();
                for (_, y) in session.run(&given)? {
                    y.to_host_blocking()?;
                }
                times.push(begun.elapsed().as_secs_f64());
            }
            let times = &mut times[3..];
            times.sort_by(f64::total_cmp);
            let passes = session
                .bound(&given)?
                .plan(&context.options())?
                .pass_count();
            let name = path.file_stem().ok_or(Error::argument("path", "no name"))?;
            println!(
                "{} {passes} passes {:.6}",
                name.to_string_lossy(),
                times[REPEATS / 2]
            );
        }
    }
    Ok(())
}
