//! `eval` from file to file: `--memory` and `--part`.

use std::path::Path;
use std::str::FromStr;
use std::time::Instant;

use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use zerostride::message::{self, count};
use zerostride::stream::{Input, Progress, Report, Stream};
use zerostride::{Context, Error, Expr, Options};

use crate::context::{adapter, described};
use crate::interrupt;
use crate::kernel::may_have;

/// Part `k` of `n`, as `k/n` with `k` from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Counted from 0.
    pub k: usize,
    /// Parts in all.
    pub n: usize,
}

/// The largest number of parts. OUTPUT.parts has a byte for each.
const MOST_PARTS: usize = 1 << 16;

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = text
            .split_once('/')
            .and_then(|(k, n)| Some((k.parse::<usize>().ok()?, n.parse::<usize>().ok()?)));
        match found {
            Some((_, n)) if n > MOST_PARTS => Err(format!("use at most {MOST_PARTS} parts")),
            Some((k, n)) if (1..=n).contains(&k) => Ok(Self { k: k - 1, n }),
            Some((_, n)) if n > 0 => Err(format!("the parts are 1/{n} to {n}/{n}")),
            _ => Err("write K/N, as in 3/16 for the third of sixteen parts".into()),
        }
    }
}

/// Bytes, as a number with a unit of 1024 or 1000: `512MiB`, `4GB`, `100000`.
pub fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u64); 14] = [
        ("", 1),
        ("b", 1),
        ("k", 1 << 10),
        ("kib", 1 << 10),
        ("kb", 1000),
        ("m", 1 << 20),
        ("mib", 1 << 20),
        ("mb", 1_000_000),
        ("g", 1 << 30),
        ("gib", 1 << 30),
        ("gb", 1_000_000_000),
        ("t", 1 << 40),
        ("tib", 1 << 40),
        ("tb", 1_000_000_000_000),
    ];
    let split = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let unit = text[split..].trim().to_ascii_lowercase();
    let unit = UNITS
        .iter()
        .find(|(name, _)| *name == unit)
        .map(|(_, bytes)| *bytes);
    let found = text[..split]
        .parse::<u64>()
        .ok()
        .zip(unit)
        .and_then(|(n, unit)| n.checked_mul(unit));
    found.filter(|&n| n > 0).ok_or_else(|| {
        "write a whole number of bytes, KiB, MiB, GiB or TiB, as in 512MiB, or of kB, MB, GB or TB".into()
    })
}

/// The options of a run.
pub struct Request<'a> {
    pub memory: Option<u64>,
    pub part: Option<Share>,
    pub output: &'a Path,
    pub explain: bool,
    /// The names of the inputs.
    pub names: &'a [&'a str],
    /// Whether to hide the progress.
    pub quiet: bool,
}

/// The report of a run.
pub struct Written {
    /// Whether no part of the result is missing.
    pub is_complete: bool,
    /// For --json.
    pub object: serde_json::Map<String, Value>,
    pub text: String,
}

/// Runs an expression from file to file.
pub fn run(
    context: &Context,
    expr: &Expr<usize>,
    arrays: &[Box<dyn Input>],
    options: &Options,
    request: &Request<'_>,
) -> Result<Written, Error> {
    let arrays: Vec<&dyn Input> = arrays.iter().map(|a| &**a).collect();
    let mut stream =
        Stream::new(expr, &arrays, options)?.memory(request.memory.unwrap_or(Stream::MEMORY));
    if let Some(Share { k, n }) = request.part {
        stream = stream.part(k, n);
    }
    let schedule = stream.schedule(context)?;
    if let Some(plan) = schedule.plan() {
        may_have(plan, options.schedule)?;
    }
    let bar = match request.quiet {
        true => ProgressBar::hidden(),
        false => ProgressBar::new(0),
    };
    let style = ProgressStyle::with_template("{bar:30} {percent:>3}% {msg} {eta} left");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let progress = |p: Progress| {
        bar.set_length(p.steps as u64);
        bar.set_position(p.done as u64);
        bar.set_message(format!(
            "{} of {} written",
            HumanBytes(p.written),
            HumanBytes(p.total)
        ));
    };
    let stream = stream.progress(&progress).stop(interrupt::flag()?);
    let started = Instant::now();
    let outcome = stream.run(context, request.output);
    bar.finish_and_clear();
    let report = outcome?;
    let seconds = started.elapsed().as_secs_f64();
    let explained = match request.explain {
        true => {
            let (adapter, floats) = adapter(context);
            format!(
                "{}{}",
                described(&adapter, &floats),
                schedule.explain(request.names)
            )
        }
        false => String::new(),
    };
    Ok(request.written(&report, schedule.bound(), explained, seconds))
}

impl Request<'_> {
    /// Reports what was written, and the missing parts.
    fn written(&self, report: &Report, bound: u64, explained: String, seconds: f64) -> Written {
        let part = self.part.map(|s| format!("{}/{}", s.k + 1, s.n));
        let missing = report.missing.as_deref();
        let object = [
            ("output", json!(self.output.to_string_lossy())),
            ("part", json!(part)),
            ("windows", json!(report.windows)),
            ("pieces", json!(report.pieces)),
            (
                "missing",
                json!(missing.map(zerostride_files::parts::numbers)),
            ),
            ("bytes_read", json!(report.read)),
            ("bytes_written", json!(report.written)),
            ("bytes_held", json!(bound)),
            ("wall_ms", json!(seconds * 1e3)),
        ];
        let path = message::path(self.output);
        let bytes = count(report.written, "byte");
        let pieces = count(report.pieces, "piece");
        let windows = count(report.windows, "window");
        let how = match (report.pieces, report.windows) {
            (0, _) => windows,
            (_, 0) => pieces,
            _ => format!("{pieces} and {windows}"),
        };
        let how = format!("{bytes} in {how}, {seconds:.1} s");
        let told = match (part, missing, report.is_shared) {
            (Some(part), Some([]), true) => {
                format!("part {part} written, the last one; all parts joined to {path}: {how}\n")
            }
            (Some(part), Some([]), false) => {
                format!("part {part} written to {path}: {how}; no part is missing\n")
            }
            (Some(part), Some(missing), is_shared) => {
                let file = if is_shared { ".lanes" } else { "" };
                let missing = zerostride_files::parts::are_missing(missing);
                format!("part {part} written to {path}{file}: {how}; {missing}\n")
            }
            _ => format!("written to {path}: {how}\n"),
        };
        Written {
            is_complete: missing.is_none_or(<[_]>::is_empty),
            object: object
                .map(|(key, value)| (key.into(), value))
                .into_iter()
                .collect(),
            text: explained + &told,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_parts_are_read_as_people_write_them() {
        assert_eq!(
            (bytes("512MiB"), bytes("2TiB")),
            (Ok(512 << 20), Ok(2 << 40))
        );
        assert_eq!(
            (bytes("4 gb"), bytes("70000"), bytes("1g")),
            (Ok(4_000_000_000), Ok(70_000), Ok(1 << 30))
        );
        for text in ["", "MiB", "-1", "1.5G", "99999999999G", "0"] {
            assert!(bytes(text).is_err(), "{text}");
        }
        assert_eq!("3/16".parse(), Ok(Share { k: 2, n: 16 }));
        for text in ["0/4", "5/4", "1/0", "1", "a/b"] {
            assert!(text.parse::<Share>().is_err(), "{text}");
        }
    }
}
