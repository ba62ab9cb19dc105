//! Programs that return from `main` right after a read: each ends well, whatever threads and
//! devices it leaves behind.
//!
//! No test harness: it runs tests in threads of its own and leaves by `exit`, so that `main` would
//! not return. The program runs itself again, once for each time.

use std::process::{Command, ExitCode};

use zerostride::{Context, Result};

/// Names the program that a child process runs.
const PROGRAM: &str = "ZEROSTRIDE_EXIT";
/// Times that each program is run.
const RUNS: usize = 200;
/// Children at a time, so that they disturb one another.
const TOGETHER: usize = 4;

/// A program's name, and what it does.
type Program = (&'static str, fn() -> Result<()>);

/// A read that is awaited, on a context that goes with `main`.
fn awaited() -> Result<()> {
    pollster::block_on(async {
        let context = Context::builder().from_env().request().await?;
        let x = context.tensor(&[1f32, 2., 3.], [3])?;
        assert_eq!(x.add(&x)?.read::<f32>().await?, [2.0, 4.0, 6.0]);
        Ok(())
    })
}

/// A read that is dropped before it was answered.
fn dropped() -> Result<()> {
    let context = Context::builder().from_env().request_blocking()?;
    let x = context.tensor(&[1f32; 3000], [3000])?;
    let sum = x.add(&x)?;
    let mut read = Box::pin(sum.read::<f32>());
    let mut waiting = std::task::Context::from_waker(std::task::Waker::noop());
    let _ = std::future::Future::poll(read.as_mut(), &mut waiting);
    Ok(())
}

/// Runs a program again and again; the outcomes that are no success.
fn failures(program: &str) -> Vec<String> {
    let itself = std::env::current_exe().expect("this program has a path");
    let run = || {
        Command::new(&itself)
            .env(PROGRAM, program)
            .output()
            .expect("this program can be run again")
    };
    let thread = |_| {
        std::iter::repeat_with(run)
            .take(RUNS / TOGETHER)
            .collect::<Vec<_>>()
    };
    let outputs: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..TOGETHER)
            .map(|n| scope.spawn(move || thread(n)))
            .collect();
        threads
            .into_iter()
            .flat_map(|t| t.join().expect("no thread panics"))
            .collect()
    });
    assert_eq!(outputs.len(), RUNS);
    let failed = outputs.iter().filter(|output| !output.status.success());
    failed
        .map(|output| {
            format!(
                "{}: {}",
                output.status,
                String::from_utf8_lossy(&output.stderr)
            )
        })
        .collect()
}

fn main() -> ExitCode {
    let programs: [Program; 2] = [("awaited", awaited), ("dropped", dropped)];
    if let Ok(name) = std::env::var(PROGRAM) {
        let (_, program) = programs
            .iter()
            .find(|(n, _)| *n == name)
            .expect("a program of this file");
        program().expect("an adapter is needed for these tests");
        return ExitCode::SUCCESS;
    }
    // As a test harness does, it runs what the command line names.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let mut all_well = true;
    for (name, _) in programs {
        let test = format!("a_program_returns_well_after_a_read_that_was_{name}");
        if !wanted.is_empty() && !wanted.iter().any(|w| test.contains(w.as_str())) {
            continue;
        }
        let failed = failures(name);
        println!("test {test} ... {} of {RUNS} runs failed", failed.len());
        if let Some(first) = failed.first() {
            println!("{first}");
        }
        all_well &= failed.is_empty();
    }
    if all_well {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
