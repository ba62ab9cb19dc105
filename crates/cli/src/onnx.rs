//! `onnx`: models from ONNX files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use zerostride::message::{count, escape};
use zerostride::{Context, DType, HostTensor, Options, Shape, Slot, message, npy};
use zerostride_files::{Reading, Source};
use zerostride_onnx::{Bound, Extent, Given, InputInfo, MAX_KNOWN, Model};

use crate::failure::{self, Failure};
use crate::tables::TableArgs;
use crate::{context, input, interrupt, output, show};

#[derive(clap::Args)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Run a model on arrays from files
    Run(RunArgs),
    /// Show a model's inputs and outputs, its nodes, and the passes that compute them; needs no GPU
    Explain(ExplainArgs),
}

#[derive(clap::Args)]
#[command(after_help = RUN_EXAMPLES)]
struct RunArgs {
    /// The model, a .onnx file. Its initializers may be in files of the same folder
    model: PathBuf,
    /// The model's inputs: a file (.npy, .npz, .csv, .safetensors, or any with its element type and
    /// shape), an array as in [1,2,3], or - for a .npy file from standard input. Numbers in text take the
    /// model's declared type
    #[arg(value_name = "NAME=FILE|[..]|-")]
    inputs: Vec<Input>,
    #[command(flatten)]
    table: TableArgs,
    /// Write each output to a .npy file of its name in this folder, which is created if missing.
    /// In file names, _ replaces all characters but letters, digits, points and hyphens
    #[arg(short, long, value_name = "FOLDER")]
    output: Option<PathBuf>,
    /// Print nothing but warnings and errors
    #[arg(short, long)]
    quiet: bool,
    /// The adapter whose name, driver or backend contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
}

#[derive(clap::Args)]
#[command(after_help = EXPLAIN_EXAMPLES)]
struct ExplainArgs {
    /// The model, a .onnx file
    model: PathBuf,
    /// The type and shape of inputs whose extents the model leaves open, or an array if a shape
    /// depends on its elements. Give each named extent once: other inputs share it
    #[arg(value_name = "NAME=DTYPE[SHAPE]|FILE|[..]")]
    inputs: Vec<Input>,
    #[command(flatten)]
    table: TableArgs,
}

const RUN_EXAMPLES: &str = "\
Examples:
  zerostride onnx run model.onnx x=x.npy -o out/
  zerostride onnx run model.onnx 'tokens=[[1,15,7]]' mask=mask.npy";

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  zerostride onnx explain model.onnx
  zerostride onnx explain model.onnx 'x=f32[1,128]' 'shape=[2,64]'";

/// An input's name, which may hold anything but `=`, and its value.
#[derive(Clone, Debug)]
struct Input {
    name: String,
    value: Value,
}

#[derive(Clone, Debug)]
enum Value {
    Slot(DType, Shape),
    Array(Source),
}

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "write NAME=FILE.npy, NAME=[1,2,3] or NAME=DTYPE[SHAPE]";
        let (name, value) = text
            .split_once('=')
            .filter(|(name, value)| !name.is_empty() && !value.is_empty())
            .ok_or(FORM)?;
        // Behind a colon it is the form of a file's elements.
        let slot = (!value.starts_with('[') && !value.contains(':'))
            .then(|| zerostride_files::typed_shape(value, FORM))
            .flatten();
        let is_dtype = value
            .split('[')
            .next()
            .is_some_and(|name| name.parse::<DType>().is_ok());
        let value = match slot {
            None if is_dtype => return Err(format!("`{value}` is not a shape; {FORM}")),
            Some(slot) => slot.map(|(dtype, shape)| Value::Slot(dtype, shape))?,
            None => Value::Array(value.parse()?),
        };
        Ok(Self {
            name: name.into(),
            value,
        })
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    match &args.command {
        Command::Run(args) => compute(args),
        Command::Explain(args) => explain(args),
    }
}

/// Refuses a name that is given twice, and standard input that is read twice.
fn check(inputs: &[Input]) -> Result<(), Failure> {
    input::check_unique(inputs.iter().map(|i| i.name.as_str()))?;
    input::check_stdin(inputs.iter().filter_map(|i| match &i.value {
        Value::Array(source) => Some((i.name.as_str(), source)),
        Value::Slot(..) => None,
    }))
}

/// Reads an input's elements. Text takes the model's declared type, unless the input names one.
fn read(
    model: &Model,
    name: &str,
    source: &Source,
    table: &TableArgs,
) -> Result<HostTensor, Failure> {
    let declared = model.inputs().iter().find(|i| i.name == name);
    let source = match declared {
        Some(input) => source.clone().with_dtype(input.dtype).map_err(|e| {
            Failure::Failed(format!("the input {}: {e}", message::shorten(name, 100)))
        })?,
        None => source.clone(),
    };
    let array = source.read(&Reading {
        table: table.settings(),
        ..Reading::default()
    })?;
    // A table of one column has one axis, or two where the model declares so.
    let is_table = matches!(source, Source::Table(..)) && array.layout.shape().rank() == 1;
    match declared.and_then(|input| input.extents.as_deref()) {
        Some([_, Extent::Fixed(1) | Extent::Named(_) | Extent::Any]) if is_table => {
            let shape = [array.layout.len(), 1];
            Ok(HostTensor::new(array.dtype, shape, array.bytes)?)
        }
        _ => Ok(array),
    }
}

fn compute(args: &RunArgs) -> Result<(), Failure> {
    check(&args.inputs)?;
    let model = Model::open(&args.model)?;
    let files = match &args.output {
        Some(folder) => Some(files(folder, &model)?),
        None => None,
    };
    let mut arrays = Vec::with_capacity(args.inputs.len());
    for Input { name, value } in &args.inputs {
        match value {
            Value::Array(source) => {
                arrays.push((name.as_str(), read(&model, name, source, &args.table)?))
            }
            Value::Slot(..) => {
                let name = message::shorten(name, 100);
                return Err(Failure::Usage(format!(
                    "the input {name} needs its elements, not only its shape"
                )));
            }
        }
    }
    // What is wrong with types and shapes is found before an adapter is asked for.
    let mut known = Vec::with_capacity(arrays.len());
    for (name, host) in &arrays {
        // Those that a shape depends on are small.
        known.push(match host.layout.len() <= MAX_KNOWN {
            true => (*name, Given::Elements(host.clone())),
            false => (
                *name,
                Given::Slot(Slot::new(host.dtype, host.layout.shape().clone())?),
            ),
        });
    }
    note(&model.bind(&known)?);
    let context: Context = context::builder(args.adapter.as_deref()).request_blocking()?;
    let mut tensors = Vec::with_capacity(arrays.len());
    for (name, host) in &arrays {
        tensors.push((*name, context.tensor_from_host(host)?));
    }
    let inputs: Vec<_> = tensors
        .iter()
        .map(|(name, tensor)| (*name, tensor))
        .collect();
    let outputs = model.session(&context).run(&inputs)?;
    let mut results = Vec::with_capacity(outputs.len());
    for (name, tensor) in outputs {
        results.push((name, tensor.to_host_blocking()?));
    }
    context::keep_kernels(&context);
    tell(args, &results, files.as_deref())
}

/// Writes the outputs, or prints them.
fn tell(
    args: &RunArgs,
    results: &[(String, HostTensor)],
    files: Option<&[PathBuf]>,
) -> Result<(), Failure> {
    if let (Some(folder), Some(_)) = (&args.output, files) {
        std::fs::create_dir_all(folder)
            .map_err(|e| Failure::Failed(format!("{}: {e}", message::path(folder))))?;
    }
    let mut text = String::new();
    for (k, (name, host)) in results.iter().enumerate() {
        let (dtype, shape) = (host.dtype, host.layout.shape());
        let name = message::shorten(name, 100);
        text.push_str(&format!("{name}: {dtype} {shape}\n"));
        match files.and_then(|files| files.get(k)) {
            Some(path) => {
                interrupt::catch()?;
                npy::write(path, dtype, shape, &host.bytes)?;
                text.push_str(&format!("written to {}\n", message::path(path)));
            }
            None if args.quiet => {}
            None => text.push_str(&format!("{}\n", show::array(host))),
        }
    }
    match args.quiet {
        true => Ok(()),
        false => output::text(&text),
    }
}

/// The file in the folder for each output.
fn files(folder: &Path, model: &Model) -> Result<Vec<PathBuf>, Failure> {
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for name in model.outputs() {
        let is_kept = |c: char| c.is_alphanumeric() || c == '.' || c == '-';
        let stem: String = name
            .chars()
            .map(|c| if is_kept(c) { c } else { '_' })
            .collect();
        if stem.len() > 200 {
            return Err(Failure::Failed(format!(
                "the name of the output {} is too long for a file; leave out -o, or rename it in the model",
                message::shorten(name, 100)
            )));
        }
        if !seen.insert(stem.to_lowercase()) {
            return Err(Failure::Failed(format!(
                "two outputs have the file name {stem}.npy; leave out -o, or rename one in the model"
            )));
        }
        files.push(folder.join(format!("{stem}.npy")));
    }
    Ok(files)
}

fn explain(args: &ExplainArgs) -> Result<(), Failure> {
    check(&args.inputs)?;
    let model = Model::open(&args.model)?;
    let mut text = declared(&model);
    let mut given = Vec::with_capacity(args.inputs.len());
    for Input { name, value } in &args.inputs {
        let known = match value {
            Value::Slot(dtype, shape) => Given::Slot(Slot::new(*dtype, shape.clone())?),
            Value::Array(source) => Given::Elements(read(&model, name, source, &args.table)?),
        };
        given.push((name.as_str(), known));
    }
    let missing = model.missing(&given)?;
    let open: Vec<String> = missing
        .iter()
        .map(|i| format!("'{}={}'", escape(&i.name), shape_of(i)))
        .collect();
    if !open.is_empty() {
        text.push_str(&format!(
            "the plan depends on extents that the model leaves open; give numbers for them: {}\n",
            open.join(" ")
        ));
        return output::text(&text);
    }
    let options = Options::default().with_limits(input::NO_LIMITS);
    let bound = model.bind(&given)?;
    note(&bound);
    text.push_str(&bound.explain(&options)?);
    output::text(&text)
}

/// Prints notes on what differs from the model's declarations.
fn note(bound: &Bound) {
    bound.notes().iter().for_each(|text| failure::note(text));
}

/// The inputs and outputs as the model declares them.
fn declared(model: &Model) -> String {
    let mut text = String::new();
    for input in model.inputs() {
        let optional = if input.is_optional {
            ", which has a default"
        } else {
            ""
        };
        text.push_str(&format!(
            "input {}: {}{optional}\n",
            message::shorten(&input.name, 100),
            shape_of(input)
        ));
    }
    for name in model.outputs() {
        text.push_str(&format!("output {}\n", message::shorten(name, 100)));
    }
    text.push_str(&format!("{} in all\n", count(model.node_count(), "node")));
    text
}

/// An input's type and extents, named ones by their names.
fn shape_of(input: &InputInfo) -> String {
    match &input.extents {
        Some(extents) => {
            let extents: Vec<String> = extents.iter().map(Extent::to_string).collect();
            format!("{}[{}]", input.dtype, extents.join(","))
        }
        None => format!("{}[..]", input.dtype),
    }
}
