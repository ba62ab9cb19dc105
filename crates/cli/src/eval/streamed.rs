//! `eval` from file to file, for arrays larger than memory.

use std::fs;
use std::path::Path;

use zerostride::message::path;
use zerostride::npy::NpyFile;
use zerostride::{DType, Error, Expr, HostTensor, Options};
use zerostride_files::Source;

use super::args::Args;
use super::task::{Arrays, Task};
use crate::context::keep_kernels;
use crate::failure::Failure;
use crate::{output, stream, verify};

/// How a run from file to file ended.
pub enum Streamed {
    /// The output, or the requested part of it, is written.
    Done,
    /// Such a run was not requested, and the expression does not support it.
    Refused(Error),
}

/// Runs the expression from file to file.
pub fn streamed(task: &Task<'_>) -> Result<Streamed, Failure> {
    let [expr] = task.exprs else {
        return Err(Failure::Usage(
            "--memory and --part compute one result at a time; run the command once per result"
                .into(),
        ));
    };
    let Arrays { args, names, .. } = task.arrays;
    let output = output_file(task.arrays)?;
    let arrays = task.arrays.open()?;
    let dtypes: Vec<DType> = arrays.iter().map(|a| a.dtype()).collect();
    let failed = |e: Error| match e {
        Error::Interrupted { .. } => Failure::Interrupted,
        e => task.failure(e),
    };
    let context = args.context().map_err(failed)?;
    let options = args.options().with_limits(context.limits());
    let request = stream::Request {
        memory: args.memory.or_else(|| memory(args)),
        part: args.part,
        output,
        explain: args.explain,
        names,
        quiet: args.quiet,
    };
    let written = match stream::run(&context, expr, &arrays, &options, &request) {
        Err(error) if !args.is_streamed() && is_refusal(&error) => {
            return Ok(Streamed::Refused(error));
        }
        written => written.map_err(failed)?,
    };
    task.say_what_is_rounded(&dtypes).map_err(failed)?;
    keep_kernels(&context);
    let report = match args.verify && written.is_complete {
        true => Some(compare(expr, &task.arrays.read()?, &options, output)?),
        false => None,
    };
    tell(args, written, report.as_ref())?;
    match report {
        Some((report, _)) if !report.within() => Err(report.failure()),
        _ => Ok(Streamed::Done),
    }
}

/// Whether an error says that the expression cannot be computed piece by piece.
fn is_refusal(error: &Error) -> bool {
    match error {
        Error::At { source, .. } => is_refusal(source),
        error => matches!(error, Error::Argument { .. } | Error::TooLarge { .. }),
    }
}

/// The default memory limit of a run: a quarter of the machine's memory, or of the process's limit if that is less.
/// Parts, which may run side by side, have the library's default: `None`.
fn memory(args: &Args) -> Option<u64> {
    if args.part.is_some() {
        return None;
    }
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let own = system
        .cgroup_limits()
        .map_or(u64::MAX, |limits| limits.total_memory);
    match system.total_memory().min(own) / 4 {
        0 => None,
        quarter => Some(quarter),
    }
}

/// Returns the output file. Refuses inputs that must be read again but could not be.
fn output_file<'a>(arrays: &Arrays<'a>) -> Result<&'a Path, Failure> {
    let args = arrays.args;
    let [target] = args.output.as_slice() else {
        return Err(Failure::Usage(
            "--memory and --part write the result to one file; name it with -o".into(),
        ));
    };
    let Some(output) = target.streamed(args.part.is_some()) else {
        return Err(Failure::Usage(
            "--memory writes .npy, .raw and .bin files, --part writes .npy files; to write archives, text and pipes, \
             leave out both"
                .into(),
        ));
    };
    let is_output = |source: &Source| source.path().is_some_and(|p| is_same_file(p, output));
    for (name, source) in arrays.names.iter().zip(&arrays.sources) {
        let reason = match (is_output(source), source.is_stdin()) {
            (true, _) if args.part.is_some() || args.verify => {
                "the output file, which is written before inputs are read for the last time; name another output"
            }
            (_, true) if args.verify => {
                "standard input, but --verify reads the inputs again; save it to a file"
            }
            _ => continue,
        };
        return Err(Failure::Failed(format!("`{name}` is {reason}")));
    }
    Ok(output)
}

/// Prints what was written and the outcome of the comparison, with whether the result is a float.
fn tell(
    args: &Args,
    mut written: stream::Written,
    report: Option<&(verify::Report, bool)>,
) -> Result<(), Failure> {
    if args.json {
        if args.verify {
            let found = report.map(|(report, _)| report.json());
            written.object.insert("verify".into(), found.into());
        }
        return output::json(&written.object.into());
    }
    if args.quiet {
        return Ok(());
    }
    match report {
        Some((report, is_float)) => {
            written.text.push_str(&report.text(*is_float));
            written.text.push('\n');
        }
        None if args.verify => written
            .text
            .push_str("verify: not possible before all parts are written\n"),
        None => {}
    }
    output::text(&written.text)
}

/// Compares the written file with the reference, which reads the inputs as a whole. Also returns
/// whether the elements are floats.
fn compare(
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    options: &Options,
    output: &Path,
) -> Result<(verify::Report, bool), Failure> {
    let plan = verify::alone(expr, inputs, options.promotion)?;
    let (dtype, shape) = plan
        .outputs()
        .next()
        .ok_or_else(|| Failure::Failed("no result was planned".into()))?;
    let found = match output.extension() {
        Some(e) if e.eq_ignore_ascii_case("npy") => {
            NpyFile::open(output, Some(dtype))?.read_all()?
        }
        _ => {
            let bytes =
                fs::read(output).map_err(|e| Failure::Failed(format!("{}: {e}", path(output))))?;
            HostTensor::new(dtype, shape.clone(), bytes)?
        }
    };
    let how = (options.accuracy, options.promotion);
    let report = verify::verify(expr, inputs, &plan, how, &found)?;
    Ok((report, dtype.is_float()))
}

/// Whether two paths name the same file, links included.
fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        use std::os::unix::fs::MetadataExt as _;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
