//! What kernels would read and write on a GPU, by warp, L1, L2 and DRAM. None is needed.

mod launch;
mod limits;
mod memory;
mod model;
mod report;
mod trace;

#[cfg(test)]
mod tests;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;
use zerostride::Options;
use zerostride_bench::gpu::Gpu;
use zerostride_bench::workload::Kind;
use zerostride_bench::{catalog, parallel, workload};

use launch::Launch;
use memory::{H200, Machine};

/// What the kernels of plans would read and write on a GPU, without one
#[derive(Parser, Debug)]
#[command(name = "zerostride-traffic", version)]
struct Args {
    /// Workloads by name, where `*` stands for any text, or lines `EXPR; x=f32[4,5] y=f32[5]`; all
    /// workloads and the lines of `shapes.txt` if none is given
    #[arg(value_name = "WORKLOAD|LINE")]
    names: Vec<String>,
    /// Trace the kernels by hand too
    #[arg(long)]
    hand: bool,
    /// log2 of the workloads' elements
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(10..=28))]
    log2: u32,
    /// Trace so many workgroups at most, those in the middle: by default twice what an H200 holds; of
    /// products of matrices 16 at most
    #[arg(long, value_name = "N", default_value_t = 1584)]
    most: u64,
    /// KiB of an L1 that hold what is loaded
    #[arg(long, value_name = "KIB", default_value_t = H200.l1 >> 10)]
    l1: u64,
    /// MiB of the L2
    #[arg(long, value_name = "MIB", default_value_t = H200.l2 >> 20)]
    l2: u64,
    /// Plan for a software adapter
    #[arg(long)]
    software: bool,
    /// Plan for an adapter whose shaders have no 64-bit floats, so that integers compute f64
    #[arg(long)]
    no_float64: bool,
    /// Print one line of JSON for each kernel
    #[arg(long)]
    json: bool,
    /// Fail if a plan's traffic is below the limits
    #[arg(long)]
    check: bool,
    /// Write the table as Markdown too
    #[arg(long, value_name = "FILE.md")]
    write: Option<PathBuf>,
}

/// What stands above the table of the file.
const TITLE: &str = "\
# What kernels would read and write on a GPU

Written by `scripts/traffic.sh --write`: every workload of the benchmark at 2^24 elements, and the lines of
`tools/traffic/shapes.txt`, on a model of an H200. [docs/internals/traffic.md](../../docs/internals/traffic.md) says what the columns are.
";

/// Lines of shapes that networks and arrays have.
const SHAPES: &str = include_str!("../shapes.txt");

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Result<(), String> {
    let machine = Machine {
        l1: args.l1 << 10,
        l2: args.l2 << 20,
        ..H200
    };
    let launches = launches(args)?;
    let traced = parallel::map(&launches, |launch| {
        let traced = trace::trace(launch, machine, launch.most(args.most))?;
        Ok(model::figures(launch, &traced))
    });
    let all = traced.into_iter().collect::<Result<Vec<_>, String>>()?;
    let table: Vec<String> = all.iter().map(report::row).collect();
    let table = format!("{}\n{}\n", report::HEAD, table.join("\n"));
    if args.json {
        for figures in &all {
            print(&format!(
                "{}\n",
                serde_json::to_string(figures).map_err(|e| e.to_string())?
            ))?;
        }
    } else {
        print(&table)?;
    }
    if let Some(path) = &args.write {
        std::fs::write(path, format!("{TITLE}\n{table}")).map_err(|e| at(path, &e))?;
    }
    let failures = match args.check {
        true => report::judge(&all, limits::EXCEPTIONS),
        false => Vec::new(),
    };
    match failures.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} below the limits:\n{}",
            failures.len(),
            failures.join("\n")
        )),
    }
}

/// The dispatches that the command line names.
fn launches(args: &Args) -> Result<Vec<Launch>, String> {
    // An H200's driver gives shaders 64-bit types.
    let gpu = Gpu {
        fused: true,
        int64: true,
        float64: !args.no_float64,
    };
    let options = Options::default().with_limits(gpu.limits().with_software(args.software));
    let named = args.names.iter().cloned();
    let (lines, names): (Vec<String>, Vec<String>) = named.partition(|name| name.contains(';'));
    let mut all = Vec::new();
    if !names.is_empty() || lines.is_empty() {
        let mut workloads = catalog::all();
        workloads.retain(|w| w.kind == Kind::Stream);
        for w in workload::choose(workloads, &names).map_err(|e| e.to_string())? {
            let case = (w.build)(args.log2);
            // Buffers hold zeros, so that all indices would be one.
            if !case.has_indices() {
                all.extend(launch::workload(&w.name, &case, &options, args.hand)?);
            }
        }
    }
    let shapes = SHAPES
        .lines()
        .filter(|l| args.names.is_empty() && !l.starts_with('#'));
    for line in lines.iter().map(String::as_str).chain(shapes) {
        all.extend(launch::line(line, &options)?);
    }
    Ok(all)
}

fn print(text: &str) -> Result<(), String> {
    write!(std::io::stdout().lock(), "{text}").map_err(|e| format!("standard output: {e}"))
}

fn at(path: &Path, e: &std::io::Error) -> String {
    format!("{}: {e}", path.display())
}
