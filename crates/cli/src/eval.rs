//! `eval`: an expression over arrays from files.

mod report;
mod streamed;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::time::Instant;

use zerostride::{
    Accuracy, Context, DType, Error, Expr, HostTensor, Options, Plan, Promotion, Rule,
    ScheduleName, Slot, Tensor, wgpu,
};

use report::{Computed, Said};
use streamed::streamed;

use crate::advice::{self, Types};
use crate::expression::Expression;
use crate::failure::{self, Failure};
use crate::input::{self, Input, Value};
use crate::kernel::may_have;
use crate::source::{Between, Header, Reading, Settings, Source};
use crate::target::{Target, Targets};
use crate::{interrupt, output, plot, stream, verify};

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The expression, in Python's syntax with NumPy's function names
    #[arg(allow_hyphen_values = true, value_parser = crate::expression::argument)]
    expr: String,
    /// What its names stand for: a file (.npy, .npz, .csv, .tsv, .txt, .safetensors, or any with
    /// its element type and shape), a number, an array as in [1,2,3], or - for a .npy file from
    /// standard input
    #[arg(value_name = "NAME=FILE|NUMBER|[..]|-", long_help = INPUTS)]
    inputs: Vec<Input>,
    /// Write the result to a file (.npy, .npz, .csv, .tsv, .txt, .raw or .bin), or to standard
    /// output, where nothing else is written then: - for .npy, -:csv and the like. Once for each
    /// result; one .npz takes all as `arr_0`, `arr_1` and so on
    #[arg(short, long, value_name = "FILE|-", allow_hyphen_values = true)]
    output: Vec<Target>,
    /// Draw the result to a .png file: curves of one axis, a picture of two
    #[arg(long, value_name = "FILE.png", value_parser = picture, conflicts_with_all = ["memory", "part"])]
    plot: Option<PathBuf>,
    /// Print nothing but warnings and errors
    #[arg(short, long, conflicts_with_all = ["json", "explain", "wgsl"])]
    quiet: bool,
    #[command(flatten)]
    table: TableArgs,
    /// The schedule of passes that may have it: one, beside, down, both, cross, sections, blocks, tile or staged;
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
    /// exact arithmetic, which is no failure. With --memory or --part it compares the complete file
    /// that was written, and reads it and the inputs as a whole: the bound does not hold then
    #[arg(long)]
    verify: bool,
    /// The adapter whose name, driver or backend contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Use no optional feature and WebGPU's default limits, which every browser has
    #[arg(long)]
    portable: bool,
    /// Print one JSON object. It holds the result's elements as nested lists unless -o takes them;
    /// NaN and infinities are the texts "nan", "inf" and "-inf"
    #[arg(long)]
    json: bool,
    /// Give operators and functions the types that NumPy 2 gives them, with f64 where integers
    /// become floats
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
    #[arg(long, value_name = "BYTES", value_parser = stream::bytes, requires = "output", conflicts_with = "wgsl")]
    memory: Option<u64>,
    /// Compute part K of N only, as in 3/16, and write it into the output file, which is made where
    /// it is not there. Parts may be written by several processes in any order, and again. Each says
    /// which are missing; until none is, OUTPUT.parts tells it too, and the file is no input. If the
    /// result is a reduction of everything or of columns, as x.mean(axis=0), parts are of what is
    /// read: each leaves some sums in OUTPUT.lanes, and the last one joins them to the output.
    /// Whether a file that is there has the same expression's other parts is checked, not whether
    /// the inputs are the same
    #[arg(long, value_name = "K/N", requires = "output", conflicts_with = "wgsl")]
    part: Option<stream::Share>,
}

const EXAMPLES: &str = "\
Examples:
  zerostride eval '(x - x.mean(axis=0)) / x.std(axis=0)' x=wine.npy -o z.npy --explain --verify
  zerostride eval 'where(x > limit, limit, x)' x=x.npy limit=1.5
  zerostride eval 'a[:, None] * b' a=table.npz:a b=table.npz:b --f64-as f32
  zerostride eval 'add(x, bias, axis=1)' x=x.npy bias=b.npy --json
  zerostride eval 'x - x.mean(axis=0)' x=table.csv -o - | python3 script.py
  zerostride eval 'x * scale + shift' x=huge.npy scale=s.npy shift=0.5 -o y.npy --memory 2GiB
  zerostride eval '(x - x.mean(axis=0)) / x.std(axis=0)' x=huge.npy -o z.npy --memory 2GiB

Write a space before an expression that begins with a minus sign and could be taken for an option.";

const INPUTS: &str = "\
What the names of the expression stand for:
  x=x.npy               an array of NumPy's; x=x.npy:bf16 where its elements are two void bytes
  x=x.npz:w             the array w of an archive, which may be left out if it is the only one
  x=x.csv               a table of text, in rows and columns; also .tsv, and .txt as np.loadtxt reads it
  x=x.csv:width         a column by the name in the first line; x=x.csv:width,height; x=x.csv:width:f32
  x=x.csv:0,-1          the first column and the last; 'x=x.csv:!name' all columns but that one
  x=x.safetensors:w     a tensor of a safetensors file
  x=x.raw:f32[3,4]      little-endian elements alone, in a file of any name
  x=3                   a number, which takes the type of its surroundings
  'x=[[1,2],[3,4.5]]'   an array, of the type that np.array gives it; 'x=[1,2]:f32'
  x=-                   a .npy file from standard input; x=-:csv, x=-:f32[3,4] and the like";

/// How tables of text are read.
#[derive(clap::Args)]
struct TableArgs {
    /// What is between the cells of tables: one character, tab, or space for any white space.
    /// Otherwise the file's name says it: , in .csv, tab in .tsv, white space in .txt
    #[arg(short, long, value_name = "CHAR", help_heading = "Tables")]
    delimiter: Option<Between>,
    /// Whether the first line of a table is a header; auto: if none of its cells is a number
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Tables"
    )]
    header: Header,
    /// Read empty cells of tables as NaN; without it they are errors
    #[arg(long, help_heading = "Tables")]
    empty_as_nan: bool,
}

fn picture(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    match path.extension() {
        Some(e) if e.eq_ignore_ascii_case("png") => Ok(path),
        _ => Err("the file's name must end in .png".into()),
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
    let (numbers, arrays) = split(&args.inputs);
    let names: Vec<&str> = arrays.iter().map(|(name, _)| *name).collect();
    check_stdin(&arrays)?;

    let expression = Expression::new(&args.expr, &numbers, &names, &args.rule)?;
    let (mut read, mut known) = (None, Vec::new());
    if expression.asks_for_shapes() {
        let reading = reading(args);
        match args.memory.is_some() || args.part.is_some() {
            true => {
                for (_, source) in &arrays {
                    let array = source.open(&reading)?;
                    known.push((array.dtype(), array.layout()?.shape().clone()));
                }
            }
            false => {
                check_sizes(args, &arrays, &reading)?;
                let inputs = read_all(&arrays, &reading)?;
                let of = |t: &HostTensor| (t.dtype, t.layout.shape().clone());
                known.extend(inputs.iter().map(of));
                read = Some(inputs);
            }
        }
    }
    let exprs = expression.results(&names, |i| known[i].clone(), &args.rule)?;
    results(args, &expression, &exprs, &arrays, read)
}

/// Refuses a large array that no buffer of the device holds before its elements are read.
fn check_sizes(
    args: &Args,
    arrays: &[Named<'_, &Source>],
    reading: &Reading,
) -> Result<(), Failure> {
    /// Bytes that every device's buffers may have, or that are read soon enough.
    const SMALL: u64 = 1 << 30;
    for (name, source) in arrays {
        let Some(bytes) = source.bytes(reading)?.filter(|&bytes| bytes > SMALL) else {
            continue;
        };
        let limit = context(args)?.device().limits().max_buffer_size;
        if bytes > limit {
            let what = format!("input `{name}`");
            return Err(Error::BufferTooLarge { what, bytes, limit }.into());
        }
    }
    Ok(())
}

fn read_all(arrays: &[Named<'_, &Source>], reading: &Reading) -> Result<Vec<HostTensor>, Failure> {
    let read = |(_, source): &Named<'_, &Source>| source.read(reading);
    arrays.iter().map(read).collect()
}

/// Computes results, each an expression of the arrays' numbers, and writes and tells them. The
/// arrays may have been read already.
fn results(
    args: &Args,
    expression: &Expression,
    exprs: &[Expr<usize>],
    arrays: &[Named<'_, &Source>],
    read: Option<Vec<HostTensor>>,
) -> Result<(), Failure> {
    let names: Vec<&str> = arrays.iter().map(|(name, _)| *name).collect();
    let targets = Targets(&args.output);
    targets.check()?;
    let taken = targets.results(exprs.len())?;
    if args.json && targets.take_stdout() {
        return Err(Failure::Usage(
            "--json and -o - both write to standard output; name a file with -o".into(),
        ));
    }
    if let Some(path) = &args.plot {
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
    let options = Options::default()
        .with_accuracy(accuracy)
        .with_promotion(promotion)
        .with_schedule(args.schedule);
    let reading = reading(args);
    if args.memory.is_some() || args.part.is_some() {
        return streamed(args, expression, exprs, arrays, &reading, options);
    }
    let inputs = match read {
        Some(inputs) => inputs,
        None => {
            check_sizes(args, arrays, &reading)?;
            read_all(arrays, &reading)?
        }
    };
    let dtypes: Vec<DType> = inputs.iter().map(|t| t.dtype).collect();
    let types = Types {
        names: &names,
        dtypes: &dtypes,
        promotion,
        portable: args.portable,
    };
    let failed = |e: Error| types.failure(expression, e);
    let ranks = check(exprs, &inputs, promotion).map_err(failed)?;
    targets.check_ranks(&ranks)?;
    if args.plot.is_some() {
        plot::check_ranks(&ranks)?;
    }
    if !args.quiet {
        for expr in exprs {
            advice::say_what_is_rounded(expression, expr, promotion, &dtypes).map_err(failed)?;
        }
    }

    let computed = compute(args, exprs, &inputs, options).map_err(failed)?;
    let mut reports = Vec::new();
    if args.verify {
        for (expr, result) in exprs.iter().zip(&computed.results) {
            let how = (accuracy, promotion);
            let plan = match exprs.len() {
                1 => None,
                _ => Some(verify::alone(expr, &inputs, promotion)?),
            };
            let plan = plan.as_ref().unwrap_or(&computed.plan);
            reports.push(verify::verify(expr, &inputs, plan, how, result)?);
        }
    }
    // A result that is wrong is not written.
    let is_right = reports.iter().all(verify::Report::within);
    let written = if is_right { taken } else { Vec::new() };
    for (target, range) in &written {
        let results: Vec<&HostTensor> = computed.results[range.clone()].iter().collect();
        target.write(&results)?;
    }
    if let Some(path) = args.plot.as_deref() {
        plot::draw(path, &computed.results[0], &args.expr)?;
    }
    let said = Said {
        args,
        names: &names,
        computed: &computed,
        reports: &reports,
        written: &written,
    };
    match (args.quiet, args.json, targets.take_stdout()) {
        (true, ..) => {}
        (_, true, _) => output::json(&said.json())?,
        // What goes there is the result and nothing else.
        (_, _, true) => failure::say(&said.text(false)),
        _ => output::text(&said.text(true))?,
    }
    match reports.into_iter().find(|r| !r.within()) {
        Some(report) => Err(report.failure()),
        None => Ok(()),
    }
}

/// A name and what it stands for.
type Named<'a, T> = (&'a str, T);

/// The numbers, as text, and the arrays of a command line.
fn split(inputs: &[Input]) -> (Vec<Named<'_, String>>, Vec<Named<'_, &Source>>) {
    let (mut numbers, mut arrays) = (Vec::new(), Vec::new());
    for Input { name, value } in inputs {
        match value {
            Value::Number(number) => numbers.push((name.as_str(), number.clone())),
            Value::Array(source) => arrays.push((name.as_str(), source)),
        }
    }
    (numbers, arrays)
}

/// Standard input can be read once.
fn check_stdin(arrays: &[(&str, &Source)]) -> Result<(), Failure> {
    let mut names = arrays.iter().filter(|(_, source)| source.is_stdin());
    match (names.next(), names.next()) {
        (Some((a, _)), Some((b, _))) => Err(Failure::Usage(format!(
            "`{a}` and `{b}` are both standard input, which can be read once; save it to a file"
        ))),
        _ => Ok(()),
    }
}

fn reading(args: &Args) -> Reading {
    Reading {
        f64_as: args.f64_as,
        table: Settings {
            between: args.table.delimiter,
            header: args.table.header,
            empty_is_nan: args.table.empty_as_nan,
        },
    }
}

/// Finds what is wrong with types and shapes before an adapter is asked for; the ranks of the
/// results, or none if the adapter must say whether they are too large. Sizes and features are left
/// to it.
fn check(
    exprs: &[Expr<usize>],
    inputs: &[HostTensor],
    promotion: Promotion,
) -> Result<Vec<usize>, Error> {
    let options = Options::default()
        .with_promotion(promotion)
        .with_limits(input::NO_LIMITS);
    match Plan::many(exprs, &input::slots(inputs), &[], &options) {
        Ok(plan) => Ok(plan.outputs().map(|(_, shape)| shape.rank()).collect()),
        Err(Error::TooLarge { .. }) => Ok(Vec::new()),
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
    exprs: &[Expr<usize>],
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
    let plan = context.plan(exprs, &slots, &[], &options)?;
    may_have(&plan, options.schedule)?;
    let outputs = context.run(&plan, &tensors.iter().collect::<Vec<_>>())?;
    let results = outputs
        .iter()
        .map(Tensor::to_host_blocking)
        .collect::<Result<_, _>>()?;
    let wall_ms = started.elapsed().as_secs_f64() * 1e3;
    keep_kernels(&context);
    let info = context.adapter_info();
    Ok(Computed {
        results,
        plan,
        adapter: format!("{} ({:?})", info.name, info.backend),
        floats: context.limits().arithmetic.describe().join(", "),
        wall_ms,
    })
}
