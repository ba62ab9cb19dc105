//! `eval` from file to file, for arrays larger than memory.

use std::path::Path;

use zerostride::{DType, Error, Expr, Options, npy};

use super::{Args, context, keep_kernels};
use crate::advice::{self, Types};
use crate::expression::Expression;
use crate::failure::Failure;
use crate::stream;

/// Runs the expression from file to file.
pub fn streamed(
    args: &Args,
    expression: &Expression,
    expr: &Expr<usize>,
    files: &[(&str, &npy::Source)],
    options: Options,
) -> Result<(), Failure> {
    let Some(output) = args.output.as_deref() else {
        return Err(Failure::Usage(
            "--memory and --part write to a file; name it with -o".into(),
        ));
    };
    if output
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npz"))
    {
        return Err(Failure::Usage(
            "--memory and --part write .npy files, not archives".into(),
        ));
    }
    let is_output = |source: &npy::Source| is_same_file(&source.path, output);
    if let Some((name, _)) = files
        .iter()
        .find(|(_, source)| args.part.is_some() && is_output(source))
    {
        let reason =
            "parts are written into the output file while inputs are read; name another output";
        return Err(Failure::Failed(format!(
            "`{name}` is the output file: {reason}"
        )));
    }
    let arrays = files
        .iter()
        .map(|(_, source)| stream::open(source, args.f64_as))
        .collect::<Result<Vec<_>, _>>()?;
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
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
    advice::say_what_is_rounded(expression, expr, options.promotion, &dtypes).map_err(failed)?;
    let context = context(args).map_err(failed)?;
    let options = options.with_limits(context.limits());
    let request = stream::Request {
        memory: args.memory,
        part: args.part,
        output,
        explain: args.explain,
        names: &names,
        json: args.json,
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
