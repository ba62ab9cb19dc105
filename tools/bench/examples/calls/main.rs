//! What the steps of a small call cost, and transfers of many sizes: lines of JSON, for the kit of
//! `scripts/gpu-day.sh`.
//!
//!     calls steps [TIMES]          submits, waits, dispatches, passes, bindings and reads, each alone and together
//!     calls transfers [LARGEST]    uploads and reads of 2^12 bytes to 2^LARGEST, by the library and by wgpu alone

mod steps;
mod transfers;

use std::error::Error;
use std::io::Write as _;
use std::time::Instant;

use serde_json::Value;
use zerostride::{Context, wgpu};

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let context = Context::builder().from_env().request_blocking()?;
    match arguments[..] {
        ["steps"] => steps::all(&context, if context.limits().software { 20 } else { 300 }),
        ["steps", times] => steps::all(&context, times.parse()?),
        ["transfers"] => transfers::all(&context, 28),
        ["transfers", largest] => transfers::all(&context, largest.parse()?),
        _ => Err("write `calls steps [TIMES]` or `calls transfers [LARGEST]`".into()),
    }
}

/// Prints a line as soon as it is known, so that what is cut off leaves the lines before.
fn say(line: &Value) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Microseconds since then.
fn since(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}

/// The median and the first decile, to a hundredth.
fn summary(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    let at = |k: usize| (times[k.min(times.len() - 1)] * 100.0).round() / 100.0;
    [at(times.len() / 2), at(times.len() / 10)]
}

/// Waits for all submitted work.
fn wait(context: &Context) -> Result<(), Failure> {
    let polled = context.device().poll(wgpu::PollType::wait_indefinitely());
    Ok(polled.map(drop)?)
}
