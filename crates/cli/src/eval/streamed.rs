//! `eval` from file to file, for arrays larger than memory.

use std::path::Path;

use zerostride::{DType, Error, Expr, Options};

use super::{Args, context, keep_kernels};
use crate::advice::{self, Types};
use crate::expression::Expression;
use crate::failure::Failure;
use crate::source::{Reading, Source};
use crate::stream;

/// Runs the expression from file to file.
pub fn streamed(
    args: &Args,
    expression: &Expression,
    exprs: &[Expr<usize>],
    sources: &[(&str, &Source)],
    reading: &Reading,
    options: Options,
) -> Result<(), Failure> {
    let [expr] = exprs else {
        return Err(Failure::Usage(
            "--memory and --part compute one result at a time: run each of the results by itself"
                .into(),
        ));
    };
    let [target] = args.output.as_slice() else {
        return Err(Failure::Usage(
            "--memory and --part write the result to one file; name it with -o".into(),
        ));
    };
    let Some(output) = target.streamed(args.part.is_some()) else {
        return Err(Failure::Usage(
            "--memory writes .npy, .raw and .bin files, --part .npy files; archives, text and pipes are written \
             without them"
                .into(),
        ));
    };
    let is_output = |source: &Source| source.path().is_some_and(|p| is_same_file(p, output));
    if let Some((name, _)) = sources
        .iter()
        .find(|(_, source)| args.part.is_some() && is_output(source))
    {
        let reason =
            "parts are written into the output file while inputs are read; name another output";
        return Err(Failure::Failed(format!(
            "`{name}` is the output file: {reason}"
        )));
    }
    let arrays = sources
        .iter()
        .map(|(_, source)| source.open(reading))
        .collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = sources.iter().map(|(name, _)| *name).collect();
    let dtypes: Vec<DType> = arrays.iter().map(|a| a.dtype()).collect();
    let types = Types {
        names: &names,
        dtypes: &dtypes,
        promotion: options.promotion,
        portable: args.portable,
    };
    let failed = |e: Error| match e {
        Error::Interrupted { .. } => Failure::Interrupted,
        e => types.failure(expression, e),
    };
    if !args.quiet {
        advice::say_what_is_rounded(expression, expr, options.promotion, &dtypes)
            .map_err(failed)?;
    }
    let context = context(args).map_err(failed)?;
    let options = options.with_limits(context.limits());
    let request = stream::Request {
        memory: args.memory,
        part: args.part,
        output,
        explain: args.explain,
        names: &names,
        json: args.json,
        quiet: args.quiet,
    };
    let done = stream::run(&context, expr, &arrays, &options, &request).map_err(failed)?;
    keep_kernels(&context);
    done
}

/// Whether two paths name one file, be it by links.
fn is_same_file(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    if let (Ok(a), Ok(b)) = (a.metadata(), b.metadata()) {
        use std::os::unix::fs::MetadataExt as _;
        return (a.dev(), a.ino()) == (b.dev(), b.ino());
    }
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}
