//! `kernel`: the plan and the kernels of an expression, without a GPU.

mod words;

use std::path::PathBuf;
use std::str::FromStr;

use zerostride::inspect::FloatFact;
use zerostride::kernel::{Language, Translation};
use zerostride::{Arithmetic, DType, Error, Limits, Plan, Rule, ScheduleName, Slot, UnknownDType};

use crate::advice;
use crate::expression::Expression;
use crate::failure::Failure;
use crate::input;
use crate::output;
use words::Words;

#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The expression, in Python's syntax with NumPy's function names
    #[arg(allow_hyphen_values = true, value_parser = crate::expression::argument)]
    expr: String,
    /// Element type and shape of each input, or a number: NAME=DTYPE[SHAPE] or NAME=NUMBER
    #[arg(value_name = "NAME=DTYPE[SHAPE]|NUMBER")]
    inputs: Vec<Input>,
    /// The language of the kernels: wgsl (the default), spirv, hlsl, msl or glsl
    #[arg(long, value_name = "LANGUAGE", value_parser = language)]
    emit: Option<Language>,
    /// Write to a file instead of stdout
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Show only the kernel of this pass, counted from 0
    #[arg(long, value_name = "N")]
    pass: Option<usize>,
    /// Print the plan, and kernels only with --emit, -o, --pass or --words
    #[arg(long)]
    explain: bool,
    /// Also print the bindings, uniform words and grid of each dispatch: as comments after the
    /// kernels, or alone if -o writes the kernels
    #[arg(long)]
    words: bool,
    /// Print the output of --words as a JSON object, which holds the kernels unless -o writes them
    #[arg(long, requires = "words", conflicts_with = "explain")]
    json: bool,
    /// Plan with WebGPU's default limits, which every browser has, instead of a desktop GPU's:
    /// numbers are then a uniform, not immediate data; not with --probed or --native-64
    #[arg(long)]
    webgpu_limits: bool,
    /// Plan for a CPU that runs shaders, instead of a GPU
    #[arg(long)]
    software: bool,
    /// Plan for 64-bit integers and floats in shaders, which some desktop GPUs have
    #[arg(long, conflicts_with = "webgpu_limits")]
    native_64: bool,
    /// Plan for a GPU whose arithmetic passes a context's probes, all of them or these: subnormals
    /// (are kept), halves (are converted exactly), order (of sums is kept), products (are rounded
    /// before they are added), fma (rounds once), doubles (order and products of f64), quotients
    /// (are rounded once), fused-quotients (a remainder by fma corrects quotients)
    #[arg(long, conflicts_with = "webgpu_limits", value_name = "PROBE,..", num_args = 0..=1)]
    #[arg(require_equals = true, value_delimiter = ',', default_missing_value = ALL_PROBES)]
    probed: Vec<Probe>,
    /// Use this schedule in passes that allow it: one, beside, down, both, cross, sections, blocks, tile or staged, and in
    /// reductions alone, shared, lanes, groups or again; --explain lists the schedules that each pass allows
    #[arg(long, value_name = "NAME")]
    schedule: Option<ScheduleName>,
    /// The broadcast rule: none, numpy, unidirectional, pdpd or pdpd:AXIS
    #[arg(long, default_value = "numpy", value_parser = input::rule)]
    rule: Rule,
    /// Use NumPy 2's result types for operators and functions, with f64 where integers become
    /// floats
    #[arg(long)]
    numpy: bool,
    /// Use the adapter's own functions
    #[arg(long)]
    fast: bool,
}

/// A context's probe of an adapter's arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Probe {
    Subnormals,
    Halves,
    Order,
    Products,
    Fma,
    Doubles,
    Quotients,
    FusedQuotients,
}

impl Probe {
    fn fact(self) -> FloatFact {
        match self {
            Self::Subnormals => FloatFact::Subnormals,
            Self::Halves => FloatFact::Halves,
            Self::Order => FloatFact::Order,
            Self::Products => FloatFact::Products,
            Self::Fma => FloatFact::Fma,
            Self::Doubles => FloatFact::Doubles,
            Self::Quotients => FloatFact::Quotients,
            Self::FusedQuotients => FloatFact::FusedQuotients,
        }
    }
}

const ALL_PROBES: &str = "subnormals,halves,order,products,fma,doubles,quotients,fused-quotients";

const EXAMPLES: &str = "\
Examples:
  zerostride kernel 'x * y' 'x=f32[8,1,4]' 'y=f32[3,1]' --explain
  zerostride kernel 'x - x.max(axis=1, keepdims=True)' 'x=f32[64,1000]' --explain
  zerostride kernel 'exp(x) + eps' 'x=f16[1000]' eps=1e-3 --emit msl --words
  zerostride kernel 'x + 1' 'x=u8[100]' --emit spirv -o kernel.spv";

/// The limits of a desktop GPU under Vulkan.
const DESKTOP: Limits = Limits::WEBGPU
    .with_max_binding((1 << 31) - 16)
    .with_max_storage_buffers(32)
    .with_offset_alignment(32)
    .with_max_invocations(1024)
    .with_max_workgroup_height(256)
    .with_max_immediates(128);

/// Metal's 31 buffers without those for the table, the numbers and the buffers' sizes.
const METAL: u32 = 28;

fn language(text: &str) -> Result<Language, String> {
    text.parse().map_err(|e: Error| match e {
        Error::Argument { reason, .. } => reason,
        other => other.to_string(),
    })
}

/// A name and its value.
#[derive(Clone, Debug)]
struct Input {
    name: String,
    value: Value,
}

#[derive(Clone, Debug)]
enum Value {
    Number(String),
    Array(DType, Vec<usize>),
}

impl FromStr for Input {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        const FORM: &str = "NAME=DTYPE[SHAPE], for example x=f32[8,1,4], or NAME=NUMBER";
        let (name, value) = input::named(text, FORM)?;
        if let Some(number) = input::number(value) {
            return Ok(Self {
                name: name.into(),
                value: Value::Number(number),
            });
        }
        let (dtype, shape) = match value.split_once('[') {
            None => (value, ""),
            Some((dtype, shape)) => (
                dtype,
                shape
                    .strip_suffix(']')
                    .ok_or_else(|| format!("write {FORM}"))?,
            ),
        };
        let dtype: Result<DType, UnknownDType> = dtype.trim().parse();
        let dtype = dtype.map_err(|e| format!("{}; write {FORM}", Error::from(e)))?;
        let shape = shape.trim().trim_end_matches(',');
        let extent = |text: &str| {
            text.trim()
                .parse()
                .map_err(|_| match text.trim().bytes().all(|b| b.is_ascii_digit()) {
                    true if !text.trim().is_empty() => {
                        format!("the extent {} is too large", text.trim())
                    }
                    _ => format!("`{}` is not an extent; write {FORM}", text.trim()),
                })
        };
        let extents = if shape.is_empty() {
            Ok(Vec::new())
        } else {
            shape.split(',').map(extent).collect()
        };
        Ok(Self {
            name: name.into(),
            value: Value::Array(dtype, extents?),
        })
    }
}

pub fn run(args: &Args) -> Result<(), Failure> {
    input::check_unique(args.inputs.iter().map(|i| i.name.as_str()))?;
    let mut numbers = Vec::new();
    let mut arrays = Vec::new();
    for input in &args.inputs {
        match &input.value {
            Value::Number(n) => numbers.push((input.name.as_str(), n.clone())),
            Value::Array(dtype, extents) => {
                arrays.push((input.name.as_str(), Slot::new(*dtype, extents.clone())?))
            }
        }
    }
    let (names, slots): (Vec<&str>, Vec<Slot>) = arrays.into_iter().unzip();
    let expression = Expression::new(&args.expr, &numbers, &names, &args.rule)?;
    let known = |i: usize| (slots[i].dtype, slots[i].layout.shape().clone());
    let expr = expression.bound(&names, known, &args.rule)?;
    let options = input::options(args.fast, args.numpy, args.schedule)
        .with_limits(limits(args).with_software(args.software));
    let plan = Plan::new(&expr, &slots, &options).map_err(|e| expression.failure(e))?;
    may_have(&plan, args.schedule)?;
    let dtypes: Vec<DType> = slots.iter().map(|slot| slot.dtype).collect();
    advice::say_what_is_rounded(&expression, &expr, options.promotion, &dtypes)?;
    if args.explain {
        output::text(&plan.explain(&names).to_string())?;
    }
    let wants_kernels = !args.explain
        || args.emit.is_some()
        || args.output.is_some()
        || args.pass.is_some()
        || args.words;
    if wants_kernels {
        emit(args, &plan, &names)
    } else {
        Ok(())
    }
}

/// The limits of the adapter to plan for.
fn limits(args: &Args) -> Limits {
    if args.webgpu_limits {
        return Limits::WEBGPU;
    }
    let max_storage_buffers = match args.emit {
        Some(Language::Msl) => METAL,
        _ => DESKTOP.max_storage_buffers,
    };
    let known = args
        .probed
        .iter()
        .fold(Arithmetic::UNKNOWN, |known, probe| {
            known.with(probe.fact(), true)
        });
    DESKTOP
        .with_max_storage_buffers(max_storage_buffers)
        .with_int64(args.native_64)
        .with_float64(args.native_64)
        .with_arithmetic(known)
}

fn emit(args: &Args, plan: &Plan, names: &[&str]) -> Result<(), Failure> {
    let kernels = plan.kernels();
    let chosen: Vec<(usize, &String)> = match args.pass {
        None => kernels.iter().enumerate().collect(),
        Some(n) => vec![(n, kernels.get(n).ok_or_else(|| no_pass(n, kernels.len()))?)],
    };
    if chosen.is_empty() {
        return Err(Failure::Failed(
            "the result has no elements, so no kernel is needed".into(),
        ));
    }
    let language = args.emit.unwrap_or(Language::Wgsl);
    let is_binary = language == Language::Spirv;
    let is_one_module = is_binary && !(args.json && args.output.is_none());
    if is_one_module && chosen.len() > 1 {
        let reason = format!(
            "the plan has {} passes, but a SPIR-V module holds one kernel; choose one with --pass",
            chosen.len()
        );
        return Err(Failure::Usage(reason));
    }
    if is_one_module && args.output.is_none() {
        if args.explain || args.words {
            let reason = "SPIR-V is binary and cannot be mixed with text; name a file with -o, or use --words --json";
            return Err(Failure::Usage(reason.into()));
        }
        if output::is_terminal() {
            return Err(Failure::Usage(
                "SPIR-V is binary; name a file with -o or redirect stdout".into(),
            ));
        }
    }
    let translated: Vec<(usize, Translation)> = chosen
        .into_iter()
        .map(|(n, wgsl)| Ok((n, language.translate(wgsl)?)))
        .collect::<Result<_, Error>>()?;
    let dispatches: Vec<_> = match args.words {
        true => plan
            .dispatches()
            .into_iter()
            .enumerate()
            .filter(|(_, d)| args.pass.is_none_or(|n| n == d.kernel))
            .collect(),
        false => Vec::new(),
    };
    let words = Words {
        language,
        kernels: &translated,
        dispatches: &dispatches,
        names,
    };
    let mut bytes = Vec::new();
    for (n, translation) in &translated {
        if translated.len() > 1 {
            bytes.extend(format!("// pass {n}\n").into_bytes());
        }
        bytes.extend(&translation.code);
    }
    if let Some(path) = &args.output {
        output::check_folder(path).and_then(|()| output::file(path, &bytes))?;
    }
    match &args.output {
        _ if args.json => output::json(&words.json(args.output.is_none())),
        Some(_) => output::text(&words.text()),
        None if is_binary => output::bytes(&bytes),
        None => {
            output::text(&String::from_utf8_lossy(&bytes))?;
            output::text(
                &words
                    .text()
                    .lines()
                    .map(|line| format!("// {line}\n"))
                    .collect::<String>(),
            )
        }
    }
}

fn no_pass(n: usize, count: usize) -> Failure {
    Failure::Failed(match count {
        0 => "the result has no elements, so no kernel is needed".into(),
        1 => format!("pass {n} does not exist; the plan has pass 0 only"),
        _ => format!(
            "pass {n} does not exist; the plan has passes 0 to {}",
            count - 1
        ),
    })
}

/// The WGSL source of all kernels, each after a comment that names its pass.
pub fn wgsl(plan: &Plan) -> String {
    let mut text = String::new();
    for (n, kernel) in plan.kernels().iter().enumerate() {
        text.push_str(&format!("// pass {n}\n{kernel}\n"));
    }
    text
}

/// Fails if no pass allows the requested schedule.
pub fn may_have(plan: &Plan, schedule: Option<ScheduleName>) -> Result<(), Error> {
    match schedule.filter(|&name| !plan.may_have(name)) {
        None => Ok(()),
        Some(name) => Err(Error::Argument {
            op: "schedule".into(),
            reason: format!(
                "no pass of this plan allows `{name}`; --explain lists the schedules that each allows"
            ),
        }),
    }
}
