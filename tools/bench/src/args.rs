//! The command line.

use std::path::PathBuf;

use clap::Parser;

use super::device::Clock;
use zerostride::ScheduleName;

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
pub struct Args {
    /// Workloads by name, where `*` stands for any text; all where none is given
    #[arg(value_name = "WORKLOAD")]
    pub workloads: Vec<String>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// The adapter whose name, driver or backend contains this text
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,
    /// The least number of timed runs
    #[arg(long, value_name = "N", default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: u16,
    /// log2 of the number of elements, of workloads whose name does not say it; 24 where none is
    /// given, and 28 on a GPU
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(10..=30))]
    pub log2: Option<u32>,
    /// Write the ratios as a bar chart
    #[arg(long, value_name = "FILE.svg")]
    pub chart: Option<PathBuf>,
    /// Measure nothing: draw --chart of what --json has printed
    #[arg(long, value_name = "FILE.jsonl", requires = "chart", conflicts_with_all = ["workloads", "json"])]
    pub from: Option<PathBuf>,
    /// Draw rates beside those of PyTorch, from what tools/gpu-day/torch_peer.py has printed
    #[arg(long, value_name = "FILE.jsonl", requires = "from")]
    pub peer: Option<PathBuf>,
    /// List the workloads and stop
    #[arg(long)]
    pub list: bool,
    /// Measure how cost grows with elements, inputs, steps and rank instead; --list names these
    /// workloads
    #[arg(long)]
    pub growth: bool,
    /// Measure many broadcast shapes beside the sum of two tensors of the result's shape instead;
    /// --list names them
    #[arg(long, conflicts_with = "growth")]
    pub broadcasts: bool,
    /// The schedule of kernels that may have it: one, beside, down, both, cross, sections, blocks, tile or staged, and of
    /// reductions alone, shared, lanes, groups or again
    #[arg(long, value_name = "NAME")]
    pub schedule: Option<ScheduleName>,
    /// What times the runs
    #[arg(long, value_enum, default_value_t = Clock::Auto)]
    pub clock: Clock,
    /// How to warm up, and whether to meter the device's clocks beside each round
    #[arg(long, value_enum, default_value_t = Warming::Auto)]
    pub profile: Warming,
    /// Compute one sum and stop: what cold_start times
    #[arg(long, hide = true)]
    pub cold_child: bool,
    /// A folder with other texts of hand-written kernels, NAME.wgsl each
    #[arg(long, value_name = "FOLDER")]
    pub kernels: Option<PathBuf>,
}

/// The profile that a workload is timed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Warming {
    /// By the adapter.
    Auto,
    /// Until metered clocks are steady, for 0.3 to 3 seconds.
    Gpu,
    /// For 0.2 seconds or 50 rounds, without a meter.
    Software,
}
