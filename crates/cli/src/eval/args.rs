//! The command line of `eval`.

use std::path::PathBuf;

use zerostride::{Context, DType, Error, Options, Rule, ScheduleName, wgpu};
use zerostride_files::Reading;

use crate::input::{self, Input};
use crate::stream;
use crate::tables::TableArgs;
use crate::target::Target;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The expression, in Python's syntax with NumPy's function names
    #[arg(allow_hyphen_values = true, value_parser = crate::expression::argument)]
    pub expr: String,
    /// The values of its names: a file (.npy, .npz, .csv, .tsv, .txt, .safetensors, or any with
    /// its element type and shape), a number, an array as in [1,2,3], or - for a .npy file from
    /// standard input
    #[arg(value_name = "NAME=FILE|NUMBER|[..]|-", long_help = INPUTS)]
    pub inputs: Vec<Input>,
    /// Write the result to a file (.npy, .npz, .csv, .tsv, .txt, .raw or .bin), or to standard
    /// output (messages then go to stderr): - for .npy, -:csv and the like. Repeat for each
    /// result; one .npz takes all as `arr_0`, `arr_1` and so on
    #[arg(short, long, value_name = "FILE|-", allow_hyphen_values = true)]
    pub output: Vec<Target>,
    /// Draw the result to a .png file: one axis as a curve, two as a picture
    #[arg(long, value_name = "FILE.png", value_parser = picture, conflicts_with_all = ["memory", "part"])]
    pub plot: Option<PathBuf>,
    /// Print nothing but warnings and errors
    #[arg(short, long, conflicts_with_all = ["json", "explain", "wgsl"])]
    pub quiet: bool,
    #[command(flatten)]
    table: TableArgs,
    /// Use this schedule in passes that allow it: one, beside, down, both, cross, sections, blocks, tile or staged, and in
    /// reductions alone, shared, lanes, groups or again; --explain lists the schedules that each pass allows
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<ScheduleName>,
    /// The broadcast rule: none, numpy, unidirectional, pdpd or pdpd:AXIS
    #[arg(long, default_value = "numpy", value_parser = input::rule)]
    pub rule: Rule,
    /// Print the plan: shapes, strides, mapping and passes
    #[arg(long)]
    pub explain: bool,
    /// Print the WGSL source of the kernels
    #[arg(long)]
    pub wgsl: bool,
    /// Compare with the reference on the CPU; exit with 1 if an element is beyond the
    /// expression's error bound. If integers became f32, also report how far the result is from
    /// exact arithmetic; that is no failure. With --memory or --part, compare the complete output
    /// file: it and the inputs are then read as a whole, beyond the limit of --memory
    #[arg(long)]
    pub verify: bool,
    /// The adapter whose name, driver or backend contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// Use only WebGPU's default limits, which every browser has, and no optional feature
    #[arg(long)]
    pub portable: bool,
    /// Print one JSON object. It holds the result's elements as nested lists unless -o writes them;
    /// NaN and infinities are the strings "nan", "inf" and "-inf"
    #[arg(long)]
    pub json: bool,
    /// Use NumPy 2's result types for operators and functions, with f64 where integers become
    /// floats
    #[arg(long)]
    numpy: bool,
    /// Use the adapter's own functions: faster, and without an error bound
    #[arg(long)]
    fast: bool,
    /// Cast f64 arrays while loading them
    #[arg(long, value_name = "DTYPE", value_parser = narrow)]
    f64_as: Option<DType>,
    /// Read and write files piece by piece, with at most this many bytes of elements in memory, host and
    /// device together, as in 512MiB. The program, the driver and arrays of .npz archives take more on
    /// top. This is also the default, with a quarter of the machine's memory, if one result goes to a
    /// .npy, .raw or .bin file and the inputs have 64 MiB or more, unless --json, --plot, --verify or
    /// --wgsl is given. A reduction of more elements than fit, as x.mean(axis=0), is computed first, by
    /// reading its operand once more. Any other input in another order than the result (transposed, in
    /// Fortran order) must fit as a whole; otherwise an error names it
    #[arg(long, value_name = "BYTES", value_parser = stream::bytes, requires = "output", conflicts_with = "wgsl")]
    pub memory: Option<u64>,
    /// Compute only part K of N, as in 3/16, and write it into the output file, which is created if
    /// missing. Several processes may write parts, in any order and repeatedly. Each reports the
    /// missing parts; until none is missing, OUTPUT.parts records them too, and the file cannot be an
    /// input. If the result is a reduction of everything or of columns, as x.mean(axis=0), each part
    /// reads its share of the input and leaves sums in OUTPUT.lanes; the last one joins them to the
    /// output. The command checks that existing parts belong to the same expression, but not that the
    /// inputs are the same
    #[arg(long, value_name = "K/N", requires = "output", conflicts_with = "wgsl")]
    pub part: Option<stream::Share>,
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
The values of the expression's names:
  x=x.npy               a NumPy array; x=x.npy:bf16 if its elements are two-byte voids
  x=x.npz:w             the array w of an archive; x=x.npz if it is the only one
  x=x.csv               a text table of rows and columns; also .tsv, and .txt as np.loadtxt reads it
  x=x.csv:width         the column with this name in the first line; x=x.csv:width,height; x=x.csv:width:f32
  x=x.csv:0,-1          the first column and the last; 'x=x.csv:!name' all columns but that one
  x=x.safetensors:w     a tensor of a safetensors file
  x=x.raw:f32[3,4]      a file of any name with nothing but little-endian elements
  x=3                   a number, as if it were written in the expression
  'x=[[1,2],[3,4.5]]'   an array, of the type that np.array gives it; 'x=[1,2]:f32'
  x=-                   a .npy file from standard input; x=-:csv, x=-:f32[3,4] and the like";

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
    found.ok_or_else(|| "use f32, f16 or bf16".into())
}

impl Args {
    /// Whether files are read and written piece by piece.
    pub fn is_streamed(&self) -> bool {
        self.memory.is_some() || self.part.is_some()
    }

    /// The settings for reading arrays.
    pub fn reading(&self) -> Reading {
        Reading {
            f64_as: self.f64_as,
            table: self.table.settings(),
        }
    }

    /// The options of the plan, without the adapter's limits.
    pub fn options(&self) -> Options {
        input::options(self.fast, self.numpy, self.schedule)
    }

    /// Requests the context that the options describe.
    pub fn context(&self) -> Result<Context, Error> {
        let mut builder = crate::context::builder(self.adapter.as_deref());
        if self.portable {
            builder = builder
                .features(wgpu::Features::empty())
                .limits(wgpu::Limits::default());
        }
        builder.request_blocking()
    }
}
