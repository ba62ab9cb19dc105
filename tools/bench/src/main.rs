//! Workloads beside hand-written kernels and plain copies, on one adapter.

mod chart;
mod clocks;
mod cold;
mod contest;
mod copy;
mod data;
mod device;
mod peer_chart;
mod report;
mod session;
mod small;
mod stream;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;

use clocks::Profile;
use contest::Arena;
use device::{Clock, Timer};
use session::Session;
use stream::Bench;
use zerostride::{Context, Error, Result, ScheduleName};
use zerostride_bench::{broadcasts, catalog, workload};

/// Time workloads beside hand-written kernels and plain copies
///
/// All results are verified against the reference before any is timed. `of copy` is the rate as a
/// share of a copy kernel's for as many bytes read and written; `to hand` is the time over
/// a hand-written kernel's, `to same` over that of the sum of two tensors of the result's shape.
#[derive(Parser, Clone, Debug)]
#[command(
    name = "zerostride-bench",
    version,
    after_help = "Examples:
  zerostride-bench                          all workloads, as a table
  zerostride-bench row_add 'chain_*'        some of them
  zerostride-bench --json --log2 26 > out.jsonl
  zerostride-bench --broadcasts             sums of many shapes
  zerostride-bench --chart chart.svg
  zerostride-bench --from out.jsonl --chart chart.svg
  zerostride-bench --from out.jsonl --peer torch.jsonl --chart chart.svg"
)]
struct Args {
    /// Workloads by name, where `*` stands for any text; all where none is given
    #[arg(value_name = "WORKLOAD")]
    workloads: Vec<String>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// The adapter whose name, driver or backend contains this text
    #[arg(long, value_name = "NAME")]
    adapter: Option<String>,
    /// The least number of timed runs
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    runs: u16,
    /// log2 of the number of elements, of workloads whose name does not say it; 24 where none is
    /// given, and 28 on a GPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=30))]
    log2: Option<u32>,
    /// Write the ratios as a bar chart
    #[arg(long, value_name = "FILE.svg")]
    chart: Option<PathBuf>,
    /// Measure nothing: draw --chart of what --json has printed
    #[arg(long, value_name = "FILE.jsonl", requires = "chart", conflicts_with_all = ["workloads", "json"])]
    from: Option<PathBuf>,
    /// Draw rates beside those of PyTorch, from what tools/gpu-day/torch_peer.py has printed
    #[arg(long, value_name = "FILE.jsonl", requires = "from")]
    peer: Option<PathBuf>,
    /// List the workloads and stop
    #[arg(long)]
    list: bool,
    /// Measure how cost grows with elements, inputs, steps and rank instead; --list names these
    /// workloads
    #[arg(long)]
    growth: bool,
    /// Measure many broadcast shapes beside the sum of two tensors of the result's shape instead;
    /// --list names them
    #[arg(long, conflicts_with = "growth")]
    broadcasts: bool,
    /// The schedule of kernels that may have it: one, beside, down, both, cross, sections, blocks, tile or staged
    #[arg(long, value_name = "NAME")]
    schedule: Option<ScheduleName>,
    /// What times the runs
    #[arg(long, value_enum, default_value_t = Clock::Auto)]
    clock: Clock,
    /// How to warm up, and whether to meter the device's clocks beside each round
    #[arg(long, value_enum, default_value_t = Warming::Auto)]
    profile: Warming,
    /// Compute one sum and stop: what cold_start times
    #[arg(long, hide = true)]
    cold_child: bool,
    /// A folder with other texts of hand-written kernels, NAME.wgsl each
    #[arg(long, value_name = "FOLDER")]
    kernels: Option<PathBuf>,
}

/// The profile that a workload is timed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Warming {
    /// By the adapter.
    Auto,
    /// Until metered clocks are steady, for 0.3 to 3 seconds.
    Gpu,
    /// For 0.2 seconds or 50 rounds, without a meter.
    Software,
}

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(e) => {
            let text = e.to_string();
            let text = zerostride::message::escape(&text);
            // Nobody reads it if that pipe is closed too.
            let _ = writeln!(std::io::stderr(), "error: {text}");
            ExitCode::FAILURE
        }
    }
}

/// Runs the workloads and prints their results as they come.
///
/// # Errors
/// Those of the adapter; [`Error::Argument`] for an unknown workload, or where a result was wrong.
/// A workload that this adapter or version cannot run is reported and passed over.
fn run(args: &Args) -> Result<()> {
    if let (Some(from), Some(path)) = (&args.from, &args.chart) {
        return redraw(from, args.peer.as_deref(), path);
    }
    let all = match (args.growth, args.broadcasts) {
        (true, _) => catalog::growth(),
        (_, true) => broadcasts::all(),
        _ => catalog::all(),
    };
    let chosen = workload::choose(all, &args.workloads)?;
    let width = chosen
        .iter()
        .map(|w| w.name.len())
        .max()
        .unwrap_or_default()
        .max(16);
    if let Some(path) = &args.chart {
        writable(path)?;
    }
    if args.list {
        return chosen
            .iter()
            .try_for_each(|w| print(&format!("{:<width$} {}", w.name, w.about)));
    }
    if let Some(folder) = &args.kernels {
        std::fs::read_dir(folder).map_err(|e| io(folder, e))?;
    }
    let context = open(args.adapter.as_deref())?;
    if args.cold_child {
        return cold::child(&context);
    }
    let timer = Timer::new(&context, args.clock)?;
    let profile = match args.profile {
        Warming::Auto => Profile::of(context.limits().software, timer.is_of_device()),
        Warming::Gpu => Profile::GPU,
        Warming::Software => Profile::SOFTWARE,
    };
    let bench = Bench {
        context: &context,
        timer: &timer,
        arena: &Arena::new(&context, &timer, profile)?,
        runs: usize::from(args.runs),
        kernels: args.kernels.as_deref(),
        schedule: args.schedule,
    };
    let session = Session {
        default: args
            .log2
            .unwrap_or(if context.limits().software { 24 } else { 28 }),
        bench,
        args,
        width,
    };
    session.head()?;
    let (rows, wrong) = session.all(&chosen)?;
    if let Some(path) = &args.chart {
        let info = context.adapter_info();
        let title = format!("zerostride on {} ({:?})", info.name, info.backend);
        let bars: Vec<chart::Bars> = rows.iter().map(chart::Bars::from).collect();
        std::fs::write(path, chart::svg(&bars, &title, context.limits().software))
            .map_err(|e| io(path, e))?;
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::Argument {
        op: "bench".into(),
        reason: format!("these workloads failed: {}", wrong.join(", ")),
    })
}

/// Draws the chart of what earlier runs have printed.
fn redraw(from: &Path, peer: Option<&Path>, path: &Path) -> Result<()> {
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| io(path, e));
    let lines = read(from)?;
    let drawn = match peer {
        None => chart::of_lines(&lines),
        Some(peer) => peer_chart::of_lines(&lines, &read(peer)?),
    };
    let chart = drawn.map_err(|reason| Error::Argument {
        op: from.display().to_string(),
        reason,
    })?;
    std::fs::write(path, chart).map_err(|e| io(path, e))
}

/// A context on the adapter that the command line names, or the environment.
#[allow(
    unsafe_code,
    reason = "the folder of compiled kernels is the user's own word"
)]
fn open(adapter: Option<&str>) -> Result<Context> {
    // SAFETY: whoever runs this program and names the folder vouches for it, as for the program.
    let builder = unsafe { Context::builder().from_env().kernel_cache_from_env() };
    adapter
        .into_iter()
        .fold(builder, zerostride::Builder::adapter)
        .request_blocking()
}

/// Fails before anything is measured if a chart cannot be written.
fn writable(path: &Path) -> Result<()> {
    if path
        .extension()
        .is_none_or(|e| !e.eq_ignore_ascii_case("svg"))
    {
        return Err(Error::Argument {
            op: path.display().to_string(),
            reason: "a chart is a file that ends with .svg".into(),
        });
    }
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.map_or(Ok(()), |folder| {
        std::fs::read_dir(folder)
            .map(drop)
            .map_err(|e| io(folder, e))
    })
}

/// Prints a line. Whoever closed the pipe has seen enough.
fn print(line: &str) -> Result<()> {
    match writeln!(std::io::stdout().lock(), "{line}") {
        Err(e) if e.kind() == std::io::ErrorKind::BrokenPipe => std::process::exit(0),
        done => done.map_err(|e| io("standard output", e)),
    }
}

fn io(path: impl Into<PathBuf>, source: std::io::Error) -> Error {
    Error::Io {
        path: path.into(),
        source: Arc::new(source),
    }
}
