//! Workloads beside hand-written kernels and plain copies, on one adapter.

mod args;
mod chart;
mod clocks;
mod cold;
mod contest;
mod copy;
mod data;
mod device;
mod peer_chart;
mod print;
mod report;
mod session;
mod small;
mod stream;

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use args::{Args, Warming};
use clocks::Profile;
use contest::Arena;
use device::Timer;
use print::{io, print};
use session::Session;
use stream::Bench;
use zerostride::{Context, Error, Result};
use zerostride_bench::{broadcasts, catalog, workload};

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
        _ => [catalog::all(), catalog::sorts()]
            .into_iter()
            .flatten()
            .collect(),
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
        let steady = rows.iter().filter(|r| r.clocks.is_none_or(|c| !c.are_low));
        let bars: Vec<chart::Bars> = steady.map(chart::Bars::from).collect();
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
