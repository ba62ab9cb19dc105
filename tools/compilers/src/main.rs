//! What the compilers of real GPUs make of the kernels, without a GPU: `scripts/compilers.sh`.

mod driver;
mod limits;
mod measure;
mod report;
mod spirv;
mod statistics;
mod texts;
mod vendors;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// What the compilers of real GPUs make of the kernels, without a GPU
#[derive(Parser, Debug)]
#[command(name = "zerostride-compilers", version)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Compile workloads with the driver that is there, and print what it tells as JSON
    Measure {
        /// Whose driver it is: amd, nvidia, apple or adreno
        vendor: String,
        /// Workloads by name, where `*` stands for any text; all where none is given
        workloads: Vec<String>,
        /// Write the texts, their SPIR-V and the compiler's assembly to a folder
        #[arg(long, value_name = "FOLDER")]
        texts: Option<PathBuf>,
    },
    /// Compile workloads for the adapter that is there, and print all that its driver tells of each
    /// kernel, a line of JSON each
    Statistics {
        /// Workloads by name, where `*` stands for any text; all where none is given
        workloads: Vec<String>,
    },
    /// Compile WGSL texts with the driver that is there: some hundreds, since the memory of a fake
    /// GPU is small and none of it is given back
    Texts {
        /// Whose driver it is: amd, nvidia, apple or adreno
        vendor: String,
        #[arg(required = true)]
        files: Vec<PathBuf>,
    },
    /// Print a table of what was measured and compare it with the limits
    Report {
        /// What `measure` has printed, a file for each vendor
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// Write the table as Markdown too
        #[arg(long, value_name = "FILE.md")]
        write: Option<PathBuf>,
    },
}

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
    match &args.command {
        Command::Measure {
            vendor,
            workloads,
            texts,
        } => {
            if let Some(folder) = texts {
                std::fs::create_dir_all(folder).map_err(|e| at(folder, &e))?;
            }
            let measured = measure::all(vendor, workloads, texts.as_deref())?;
            print(&serde_json::to_string_pretty(&measured).map_err(|e| e.to_string())?)
        }
        Command::Statistics { workloads } => statistics::all(workloads, print),
        Command::Texts { vendor, files } => texts::check(vendor, files),
        Command::Report { files, write } => report(files, write.as_deref()),
    }
}

/// What stands above the tables of the file.
const HEAD: &str = "\
# What compilers of real GPUs make of the kernels

Written by `scripts/compilers.sh --all --write`; [docs/internals/compilers.md](../../docs/internals/compilers.md) says what the figures are.
Each workload has 2^24 elements. First comes the plan's kernel, then the kernel by hand.
";

fn report(files: &[PathBuf], write: Option<&Path>) -> Result<(), String> {
    let read = |path: &PathBuf| {
        let text = std::fs::read_to_string(path).map_err(|e| at(path, &e))?;
        serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))
    };
    let all = files
        .iter()
        .map(read)
        .collect::<Result<Vec<measure::Measured>, String>>()?;
    let tables = report::markdown(&all);
    print(&tables)?;
    if let Some(path) = write {
        let exceptions = report::exceptions(report::KNOWN);
        let text = format!(
            "{HEAD}\n{tables}## Exceptions from the limit of {}\n\n{exceptions}",
            limits::RATIO
        );
        std::fs::write(path, text).map_err(|e| at(path, &e))?;
    }
    let verdict = report::judge(&all, report::KNOWN);
    if !verdict.others.is_empty() {
        print(&format!(
            "above the limits, of vendors that do not decide:\n{}",
            verdict.others.join("\n")
        ))?;
    }
    match verdict.failures.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} above the limits:\n{}",
            verdict.failures.len(),
            verdict.failures.join("\n")
        )),
    }
}

fn print(line: &str) -> Result<(), String> {
    writeln!(std::io::stdout().lock(), "{line}").map_err(|e| format!("standard output: {e}"))
}

fn at(path: &Path, e: &std::io::Error) -> String {
    format!("{}: {e}", path.display())
}
