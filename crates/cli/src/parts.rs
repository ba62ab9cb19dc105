//! Which parts of a file are there: `check`, and inputs that are not complete.

use std::path::{Path, PathBuf};

use zerostride::message::{self, count};
use zerostride::npy::{self, NpyFile};
use zerostride::stream::{MissingParts, missing_parts, parts_file};
use zerostride::{DType, Error};
use zerostride_files::Source;

use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// Files that --part writes
    #[arg(required = true, value_name = "FILE.npy")]
    files: Vec<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  zerostride eval 'x * 2' x=huge.npy -o y.npy --part 1/2
  zerostride check y.npy && cp y.npy /elsewhere";

/// Tells of each file what it holds, or which parts are missing: then it fails.
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

/// What a whole file holds.
///
/// # Errors
/// What is missing.
fn whole(path: &Path) -> Result<String, String> {
    let told = |e: Error| e.to_string();
    if let Some(found) = missing_parts(path).map_err(told)?
        && !found.missing.is_empty()
    {
        return Err(fault(path, &found));
    }
    // The type is told, not asked.
    let file = NpyFile::open(path, None).or_else(|e| {
        let bf16 = NpyFile::open(path, Some(DType::Bf16));
        bf16.map_err(|_| e.to_string())
    })?;
    let header = file.header();
    Ok(format!("{} {}, complete", header.dtype, header.shape))
}

/// Refuses an input of which parts are missing.
pub fn check(source: &Source) -> Result<(), Failure> {
    let Source::Numpy(npy::Source { path, .. }) = source else {
        return Ok(());
    };
    if !parts_file(path).exists() {
        return Ok(());
    }
    match missing_parts(path)? {
        Some(found) if !found.missing.is_empty() => Err(Failure::Failed(fault(path, &found))),
        _ => Ok(()),
    }
}

fn fault(path: &Path, found: &MissingParts) -> String {
    let file = message::path(&found.file);
    format!(
        "{}: {} of {}, as {file} tells; compute them, or remove {file} if it is not so",
        message::path(path),
        are_missing(&found.missing),
        count(found.of, "part")
    )
}

/// `part 2 is missing`, `parts 1, 3 to 5 are missing`.
pub fn are_missing(missing: &[usize]) -> String {
    let (noun, verb) = match missing.len() {
        1 => ("part", "is"),
        _ => ("parts", "are"),
    };
    format!("{noun} {} {verb} missing", listed(&numbers(missing)))
}

/// Parts as people count them.
pub fn numbers(parts: &[usize]) -> Vec<usize> {
    parts.iter().map(|k| k + 1).collect()
}

/// Numbers in their order, neighbours as a range, and not all of very many.
fn listed(numbers: &[usize]) -> String {
    const SHOWN: usize = 12;
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &n in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => ranges.push((n, n)),
        }
    }
    let one = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let shown: Vec<String> = ranges.iter().take(SHOWN).map(one).collect();
    let rest = if ranges.len() > SHOWN {
        " and others"
    } else {
        ""
    };
    shown.join(", ") + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_missing_are_listed_as_ranges() {
        assert_eq!(are_missing(&[2]), "part 3 is missing");
        assert_eq!(
            are_missing(&[0, 1, 3, 4, 5, 6, 8]),
            "parts 1, 2, 4 to 7, 9 are missing"
        );
        let odd: Vec<usize> = (0..40).map(|n| 2 * n).collect();
        assert!(listed(&odd).ends_with("20, 22 and others"));
    }
}
