//! `check`: whether all parts of a file are written.

use std::path::{Path, PathBuf};

use zerostride::message;
use zerostride::npy::NpyFile;
use zerostride::stream::missing_parts;
use zerostride::{DType, Error};
use zerostride_files::parts::fault;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files that eval --part writes
    #[arg(required = true, value_name = "FILE.npy")]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  zerostride eval 'x * 2' x=huge.npy -o y.npy --part 1/2
  zerostride check y.npy && cp y.npy /elsewhere";

/// Prints the type and shape of each complete file; fails if parts of any are missing.
pub fn run(args: &Args) -> Result<(), Failure> {
    let mut faults = Vec::new();
    let mut text = String::new();
    for path in &args.files {
        match whole(path) {
            Ok(found) => text.push_str(&format!("{}: {found}\n", message::path(path))),
            Err(fault) => faults.push(fault),
        }
    }
    output::text(&text)?;
    match faults.as_slice() {
        [] => Ok(()),
        faults => Err(Failure::Failed(faults.join("\n"))),
    }
}

/// The type and shape of a complete file.
///
/// # Errors
/// The missing parts, or why the file cannot be read.
fn whole(path: &Path) -> Result<String, String> {
    let told = |e: Error| e.to_string();
    if let Some(found) = missing_parts(path).map_err(told)?
        && !found.missing.is_empty()
    {
        return Err(format!("{}: {}", message::path(path), fault(&found)));
    }
    // The type is reported, not required.
    let file = NpyFile::open(path, None).or_else(|e| {
        let bf16 = NpyFile::open(path, Some(DType::Bf16));
        bf16.map_err(|_| e.to_string())
    })?;
    let header = file.header();
    Ok(format!("{} {}, complete", header.dtype, header.shape))
}
