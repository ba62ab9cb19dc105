//! Accuracy, measured on the adapter: every function of one float on every f16 and bf16, and on f32
//! bit patterns.
//!
//! `ZEROSTRIDE_SWEEP` says which f32 are swept: `all` of the 2^32, or with a step from a random
//! one; a release build is fit for that. Without it the step is 8,191.
//! `ZEROSTRIDE_FUNCTIONS=exp,log` sweeps some functions alone, and `ZEROSTRIDE_SEED` repeats a run.
//! The reports are Markdown tables of the worst errors in units in the last place, past the capture
//! of the test harness.

mod format;
mod oracle;
mod pairs;
mod power;
mod run;
mod subnormals;

use std::time::{SystemTime, UNIX_EPOCH};

use format::{BF16, F16, F32, Format};
use oracle::{ROWS, Row};
use run::{Subject, Tally, Verdict, evaluate, report, tensor};

/// Arguments in one tensor.
pub const CHUNK: usize = 1 << 20;

/// The step that `ZEROSTRIDE_SWEEP` asks for.
pub fn requested_step() -> Option<u64> {
    let text = std::env::var("ZEROSTRIDE_SWEEP")
        .ok()
        .filter(|text| !text.is_empty())?;
    let step = if text == "all" {
        Some(1)
    } else {
        text.parse().ok().filter(|&step| step > 0)
    };
    Some(step.unwrap_or_else(|| {
        panic!("ZEROSTRIDE_SWEEP is `{text}`; it takes `all` or a step of at least 1")
    }))
}

/// A seed, from `ZEROSTRIDE_SEED` or the clock.
pub fn seed() -> u64 {
    let given = std::env::var("ZEROSTRIDE_SEED")
        .ok()
        .and_then(|s| s.parse().ok());
    given.unwrap_or_else(|| {
        SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(1, |d| d.as_nanos() as u64)
    })
}

/// f32 that a step may miss.
fn special_arguments() -> Vec<u32> {
    let magnitudes = [
        0.0,
        0.5,
        1.0,
        1.5,
        2.0,
        2.5,
        3.0,
        6.0,
        8_388_608.0,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::INFINITY,
    ];
    let near = |bits: u32| [bits.saturating_sub(1), bits, bits + 1];
    let positive: Vec<u32> = magnitudes
        .iter()
        .flat_map(|x| near(x.to_bits()))
        .chain([0x7fc0_0000])
        .collect();
    positive
        .iter()
        .flat_map(|&bits| [bits, bits | 0x8000_0000])
        .collect()
}

/// The rows that are swept: all, or those that `ZEROSTRIDE_FUNCTIONS` names, separated by commas.
fn swept() -> Vec<&'static Row> {
    let names = std::env::var("ZEROSTRIDE_FUNCTIONS").unwrap_or_default();
    let names: Vec<&str> = names.split(',').filter(|name| !name.is_empty()).collect();
    for name in &names {
        assert!(
            ROWS.iter().any(|row| row.name == *name),
            "ZEROSTRIDE_FUNCTIONS names {name}, which has no oracle"
        );
    }
    ROWS.iter()
        .filter(|row| names.is_empty() || names.contains(&row.name))
        .collect()
}

/// Counts the results of functions on these arguments into their tallies.
fn count(rows: &[&Row], from: Format, arguments: &[u32], tallies: &mut [Tally]) {
    let argument = tensor(from.dtype, arguments).expr();
    for (row, tally) in rows.iter().zip(tallies) {
        let found = evaluate(&row.expr(from.dtype, argument.clone()));
        let subject = Subject::new(row, from);
        tally.join(Tally::of(arguments.len(), |range| {
            let mut part = Tally::default();
            for i in range {
                let (argument, found) = (arguments[i], found[i]);
                let verdict = subject
                    .judge_normal(argument, found)
                    .unwrap_or_else(|| subject.judge(argument, found));
                part.add(&[argument], found, &verdict, subject.bound);
            }
            part
        }));
    }
}

/// Sweeps chunks of arguments and reports.
fn sweep(title: &str, from: Format, chunks: impl Iterator<Item = Vec<u32>>) {
    let rows = swept();
    let mut tallies: Vec<Tally> = rows.iter().map(|_| Tally::default()).collect();
    for arguments in chunks {
        count(&rows, from, &arguments, &mut tallies);
    }
    let what = from.dtype.name();
    let rows = rows.iter().zip(&tallies).map(|(row, tally)| {
        let bound = Subject::new(row, from).bound;
        (
            tally.row(row.name, what),
            tally.failure(row.name, what, bound),
        )
    });
    report(title, &rows.collect::<Vec<_>>());
}

#[test]
fn functions_of_every_f16_are_within_one_ulp() {
    sweep("every f16", F16, std::iter::once((0..0x1_0000).collect()));
}

#[test]
fn functions_of_every_bf16_are_within_one_ulp() {
    sweep("every bf16", BF16, std::iter::once((0..0x1_0000).collect()));
}

#[test]
fn functions_of_f32_are_within_their_bounds() {
    let step = requested_step().unwrap_or(8191);
    let seed = seed();
    let offset = seed % step;
    let mut arguments = (offset..1 << 32)
        .step_by(step as usize)
        .map(|bits| bits as u32);
    let chunks = std::iter::from_fn(|| Some(arguments.by_ref().take(CHUNK).collect::<Vec<_>>()));
    let title = match step {
        1 => "every f32".into(),
        _ => format!("one f32 in {step} from {offset:#x} (ZEROSTRIDE_SEED={seed})"),
    };
    sweep(
        &title,
        F32,
        std::iter::once(special_arguments()).chain(chunks.take_while(|chunk| !chunk.is_empty())),
    );
}

#[test]
fn casts_between_floats_are_the_nearest() {
    let step = requested_step().unwrap_or(8191).max(1021);
    let offset = seed() % step;
    let singles = (offset..1 << 32)
        .step_by(step as usize)
        .map(|bits| bits as u32);
    let singles: Vec<u32> = special_arguments().into_iter().chain(singles).collect();
    let halves: Vec<u32> = (0..0x1_0000).collect();
    let mut rows = Vec::new();
    for (from, arguments) in [(F16, &halves), (BF16, &halves), (F32, &singles)] {
        for to in [F16, BF16, F32].into_iter().filter(|to| *to != from) {
            let found = evaluate(&tensor(from.dtype, arguments).expr().cast(to.dtype));
            let mut tally = Tally::default();
            for (&argument, &found) in arguments.iter().zip(&found) {
                let x = from.value(argument);
                let right = found == to.nearest(x) || (x.is_nan() && to.is_nan(found));
                let verdict = Verdict {
                    error: to.error(x, found),
                    ..Verdict::exact(right)
                };
                tally.add(&[argument], found, &verdict, 0.5);
            }
            let what = format!("{} to {}", from.dtype, to.dtype);
            rows.push((tally.row("cast", &what), tally.failure("cast", &what, 0.5)));
        }
    }
    report("casts", &rows);
}

#[test]
fn a_wrong_result_is_found() {
    for from in [F16, BF16, F32] {
        for row in ROWS {
            let subject = Subject::new(row, from);
            for x in [0.625, -0.625, 0.0, 40.0, f64::INFINITY, f64::NAN] {
                let argument = from.nearest(x);
                let right =
                    evaluate(&row.expr(from.dtype, tensor(from.dtype, &[argument; 4]).expr()))[0];
                assert!(
                    subject.judge(argument, right).error <= subject.bound,
                    "{} {x}",
                    row.name
                );
                let nan = from.is_nan(right) && !matches!(row.oracle, oracle::Oracle::Bits(_));
                let wrong = if nan { from.nearest(1.0) } else { right ^ 8 };
                let verdict = subject.judge(argument, wrong);
                assert!(
                    verdict.error > subject.bound && !verdict.flushed,
                    "{} {x}: {verdict:?}",
                    row.name
                );
            }
        }
    }
}
