//! `eval`: an expression over arrays from files.

mod report;
mod streamed;

use std::path::{Path, PathBuf};
use std::time::Instant;

use zerostride::{
    Accuracy, Context, DType, Error, Expr, HostTensor, Options, Plan, Promotion, Rule,
    ScheduleName, Slot, Tensor, npy, wgpu,
};

use report::{Computed, as_json, as_text};
use streamed::streamed;

use crate::advice::{self, Types};
use crate::expression::Expression;
use crate::failure::{self, Failure};
use crate::input::{self, Input, Value};
use crate::kernel::may_have;
use crate::{interrupt, output, stream, verify};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The expression, in Python's syntax with NumPy's function names
    #[arg(allow_hyphen_values = true, value_parser = crate::expression::argument)]
    expr: String,
    /// What its names stand for: NAME=FILE.npy, NAME=FILE.npz:ARRAY or NAME=NUMBER. `:bf16` after a
    /// file reads NumPy's two-byte void elements as bf16
    #[arg(value_name = "NAME=FILE|NUMBER")]
    inputs: Vec<Input>,
    /// Write the result to a .npy file, or as `arr_0` to a .npz archive
    #[arg(short, long, value_name = "FILE", value_parser = output_file)]
    output: Option<PathBuf>,
    /// The schedule of passes that may have it: one, beside, down, both, sections, blocks, tile or staged;
    /// --explain prints those that each pass may have
    #[arg(long, value_name = "NAME")]
    schedule: Option<ScheduleName>,
    /// How shapes that differ are brought to one: none, numpy, unidirectional, pdpd or pdpd:AXIS
    #[arg(long, default_value = "numpy", value_parser = input::rule)]
    rule: Rule,
    /// Print the plan: shapes, strides, mapping and passes
    #[arg(long)]
    explain: bool,
    /// Print the WGSL text of the kernels
    #[arg(long)]
    wgsl: bool,
    /// Compare with the reference on the CPU; exit with 1 if an element is beyond the
    /// expression's error bound. Where integers became f32 it also says how far the result is from
    /// exact arithmetic, which is no failure
    #[arg(long)]
    verify: bool,
    /// The adapter whose name, driver or backend contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Use no optional feature and WebGPU's default limits, which every browser has
    #[arg(long)]
    portable: bool,
    /// Print one JSON object
    #[arg(long)]
    json: bool,
    /// Give operators the types that NumPy 2 gives them, with f64 where integers become floats. Of
    /// functions, rint, fabs and square keep the type of their operand, and reciprocal of integers
    /// is a float
    #[arg(long)]
    numpy: bool,
    /// Use the adapter's own functions: faster, and without an error bound
    #[arg(long)]
    fast: bool,
    /// Cast f64 arrays while loading them
    #[arg(long, value_name = "DTYPE", value_parser = narrow)]
    f64_as: Option<DType>,
    /// Read and write .npy files piece by piece, holding at most so many bytes of elements, on the
    /// host and the device together, as in 512MiB. The program and the driver come on top, and so
    /// do arrays of .npz archives. A reduction that needs more than fits, as x.mean(axis=0), is
    /// computed first, by reading its operand once more. Other inputs that lie in another order than
    /// the result (transposed, in Fortran order) must fit as a whole, or are refused by name
    #[arg(long, value_name = "BYTES", value_parser = stream::bytes, requires = "output", conflicts_with_all = ["verify", "wgsl"])]
    memory: Option<u64>,
    /// Compute part K of N only, as in 3/16, and write it into the output file, which is made where
    /// it is not there. Parts may be written by several processes in any order, and again. A file
    /// that is there must have the result's type and shape; nothing else of it is checked. If the
    /// result is a reduction of everything or of columns, as x.mean(axis=0), parts are of what is
    /// read: each leaves some sums in OUTPUT.lanes, says which parts are missing, and the last one
    /// joins them to the output
    #[arg(long, value_name = "K/N", requires = "output", conflicts_with_all = ["verify", "wgsl"])]
    part: Option<stream::Share>,
}

const EXAMPLES: &str = "\
Examples:
  zerostride eval '(x - x.mean(axis=0)) / x.std(axis=0)' x=wine.npy -o z.npy --explain --verify
  zerostride eval 'where(x > limit, limit, x)' x=x.npy limit=1.5
  zerostride eval 'a[:, None] * b' a=table.npz:a b=table.npz:b --f64-as f32
  zerostride eval 'add(x, bias, axis=1)' x=x.npy bias=b.npy --json
  zerostride eval 'x * scale + shift' x=huge.npy scale=s.npy shift=0.5 -o y.npy --memory 2GiB
  zerostride eval '(x - x.mean(axis=0)) / x.std(axis=0)' x=huge.npy -o z.npy --memory 2GiB

Write a space before an expression that begins with a minus sign and could be taken for an option.";

fn output_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path
        .extension()
        .and_then(|e| e.to_str())
        .map(str::to_ascii_lowercase)
        .as_deref()
    {
        Some("npy" | "npz") => Ok(path),
        _ => Err("the file's name must end in .npy or .npz".into()),
    }
}

fn narrow(text: &str) -> Result<DType, String> {
    let found = text
        .parse()
        .ok()
        .filter(|d| [DType::F32, DType::F16, DType::Bf16].contains(d));
    found.ok_or_else(|| "the types are f32, f16 and bf16".into())
}

pub fn run(args: &Args) -> Result<(), Failure> {
    input::check_unique(args.inputs.iter().map(|i| i.name.as_str()))?;
    let numbers: Vec<(&str, String)> = args
        .inputs
        .iter()
        .filter_map(|i| {
            if let Value::Number(n) = &i.value {
                Some((i.name.as_str(), n.clone()))
            } else {
                None
            }
        })
        .collect();
    let files: Vec<(&str, &npy::Source)> = args
        .inputs
        .iter()
        .filter_map(|i| {
            if let Value::File(source) = &i.value {
                Some((i.name.as_str(), source))
            } else {
                None
            }
        })
        .collect();
    let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();

    let (expression, expr) = Expression::bound(&args.expr, &numbers, &names, &args.rule)?;

    if let Some(path) = &args.output {
        output::check_folder(path)?;
    }
    let promotion = if args.numpy {
        Promotion::Numpy
    } else {
        Promotion::F32
    };
    let accuracy = if args.fast {
        Accuracy::Fast
    } else {
        Accuracy::Precise
    };
    if args.memory.is_some() || args.part.is_some() {
        return streamed(
            args,
            &expression,
            &expr,
            &files,
            Options::default()
                .with_accuracy(accuracy)
                .with_promotion(promotion)
                .with_schedule(args.schedule),
        );
    }
    let inputs: Vec<HostTensor> = files
        .iter()
        .map(|(_, source)| input::load(source, args.f64_as))
        .collect::<Result<_, _>>()?;
    let dtypes: Vec<DType> = inputs.iter().map(|t| t.dtype).collect();
    let types = Types {
        names: &names,
        dtypes: &dtypes,
        promotion,
        portable: args.portable,
    };
    let failed = |e: Error| types.failure(&expression, e);
    check(&expr, &inputs, promotion).map_err(failed)?;
    advice::say_what_is_rounded(&expression, &expr, promotion, &dtypes).map_err(failed)?;

    let computed = compute(
        args,
        &expr,
        &inputs,
        Options::default()
            .with_accuracy(accuracy)
            .with_promotion(promotion)
            .with_schedule(args.schedule),
    )
    .map_err(failed)?;
    let report = match args.verify {
        true => Some(verify::verify(
            &expr,
            &inputs,
            &computed.plan,
            (accuracy, promotion),
            &computed.result,
        )?),
        false => None,
    };
    // A result that is wrong is not written.
    let is_right = report.as_ref().is_none_or(verify::Report::within);
    let written = args.output.as_deref().filter(|_| is_right);
    if let Some(path) = written {
        write(path, &computed.result)?;
    }
    if args.json {
        output::json(&as_json(args, &names, &computed, report.as_ref(), written))?;
    } else {
        output::text(&as_text(args, &names, &computed, report.as_ref(), written))?;
    }
    match report {
        Some(report) if !is_right => Err(report.failure()),
        _ => Ok(()),
    }
}

/// Finds what is wrong with types and shapes before an adapter is asked for. Sizes and features are
/// left to the adapter.
fn check(expr: &Expr<usize>, inputs: &[HostTensor], promotion: Promotion) -> Result<(), Error> {
    match Plan::new(
        expr,
        &input::slots(inputs),
        &Options::default()
            .with_promotion(promotion)
            .with_limits(input::NO_LIMITS),
    ) {
        Err(Error::TooLarge { .. }) | Ok(_) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Keeps the compiled kernels if a folder is named for them. The result is there all the same
/// if that fails.
fn keep_kernels(context: &Context) {
    if context.kernel_cache_file().is_none() {
        return;
    }
    if let Err(error) = interrupt::catch().and_then(|()| context.save_kernels()) {
        failure::warn(&format!(
            "compiled kernels are not kept where ZEROSTRIDE_KERNEL_CACHE says: {error}"
        ));
    }
}

/// The context that the command line asks for.
fn context(args: &Args) -> Result<Context, Error> {
    let mut builder = crate::context::builder(args.adapter.as_deref());
    if args.portable {
        builder = builder
            .features(wgpu::Features::empty())
            .limits(wgpu::Limits::default());
    }
    builder.request_blocking()
}

fn compute(
    args: &Args,
    expr: &Expr<usize>,
    inputs: &[HostTensor],
    options: Options,
) -> Result<Computed, Error> {
    let context = context(args)?;
    let started = Instant::now();
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|t| context.tensor_from_host(t))
        .collect::<Result<_, _>>()?;
    let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
    let options = options.with_limits(context.limits());
    let plan = context.plan(std::slice::from_ref(expr), &slots, &[], &options)?;
    may_have(&plan, options.schedule)?;
    let outputs = context.run(&plan, &tensors.iter().collect::<Vec<_>>())?;
    let found = &outputs[0];
    let result = HostTensor::new(found.dtype(), found.shape(), found.read_bytes_blocking()?)?;
    let wall_ms = started.elapsed().as_secs_f64() * 1e3;
    keep_kernels(&context);
    let info = context.adapter_info();
    Ok(Computed {
        result,
        plan,
        adapter: format!("{} ({:?})", info.name, info.backend),
        wall_ms,
    })
}

fn write(path: &Path, result: &HostTensor) -> Result<(), Failure> {
    interrupt::catch()?;
    let (dtype, shape) = (result.dtype, result.layout.shape());
    if path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("npz"))
    {
        return Ok(npy::write_npz(
            path,
            &[("arr_0", dtype, shape, result.bytes.as_slice())],
        )?);
    }
    Ok(npy::write(path, dtype, shape, &result.bytes)?)
}
