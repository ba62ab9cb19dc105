//! `cargo bench`: the same as `zerostride bench`. Options follow `--`, as in `cargo bench --
//! row_add --json`.

#[path = "../src/bin/zerostride/bench/mod.rs"]
mod bench;
#[path = "../src/bin/zerostride/context.rs"]
mod context;

use std::process::ExitCode;

use clap::Parser;

/// Workloads beside hand-written kernels and plain copies
#[derive(Parser)]
#[command(name = "workloads")]
struct Command {
    #[command(flatten)]
    args: bench::Args,
}

fn main() -> ExitCode {
    // Cargo passes `--bench`; `cargo test --benches` does not, and only sees that this builds and
    // starts.
    let (flags, rest): (Vec<_>, Vec<_>) = std::env::args_os().partition(|a| a == "--bench");
    if flags.is_empty() {
        return ExitCode::SUCCESS;
    }
    match bench::run(Command::parse_from(rest).args, |path, bytes| {
        zerostride::npy::replace(path, bytes)
    }) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            eprintln!("error: {e}");
            ExitCode::FAILURE
        }
    }
}
