//! Ctrl-C, and other signals that ask the program to end, while files are written.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
use nix::sys::signal::{self, SigHandler, Signal};
use zerostride::{Error, files};

use crate::failure::Failure;

/// Set by the first signal if a run checks this flag.
static STOP: AtomicBool = AtomicBool::new(false);
/// Whether a run checks [`STOP`].
static IS_ASKED: AtomicBool = AtomicBool::new(false);

/// Makes signals end the program only after the files that it is writing are removed. Call it
/// before anything is written; until then the system ends the program, which is quicker.
pub fn catch() -> Result<(), Error> {
    static CAUGHT: OnceLock<Result<(), String>> = OnceLock::new();
    let caught = CAUGHT.get_or_init(|| {
        let ignored = ignored();
        ctrlc::set_handler(end).map_err(|e| e.to_string())?;
        ignore(&ignored)
    });
    caught.clone().map_err(|e| Error::Unsupported {
        what: format!("catching Ctrl-C: {e}"),
    })
}

/// Like [`catch`], for a run that ends by itself soon after the returned flag is set. A second
/// signal does not wait for that.
pub fn flag() -> Result<&'static AtomicBool, Error> {
    IS_ASKED.store(true, Ordering::Relaxed);
    catch()?;
    Ok(&STOP)
}

/// Returns the signals that the program was started to ignore, as by `nohup` or a shell's `&`.
/// Ignores all three signals from here on.
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "SIG_IGN runs no code, so that nothing is asked of what a handler may do"
)]
fn ignored() -> Vec<Signal> {
    let was_ignored = |signal: &Signal| {
        // SAFETY: no handler is installed.
        let before = unsafe { signal::signal(*signal, SigHandler::SigIgn) };
        matches!(before, Ok(SigHandler::SigIgn))
    };
    [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP]
        .into_iter()
        .filter(was_ignored)
        .collect()
}

/// Ignores these signals again.
#[cfg(unix)]
#[allow(
    unsafe_code,
    reason = "SIG_IGN runs no code, so that nothing is asked of what a handler may do"
)]
fn ignore(signals: &[Signal]) -> Result<(), String> {
    // SAFETY: no handler is installed.
    let ignored = |signal: &Signal| unsafe { signal::signal(*signal, SigHandler::SigIgn) };
    signals
        .iter()
        .try_for_each(|signal| ignored(signal).map(drop).map_err(|e| e.to_string()))
}

#[cfg(not(unix))]
fn ignored() {}

#[cfg(not(unix))]
fn ignore(_signals: &()) -> Result<(), String> {
    Ok(())
}

fn end() {
    if IS_ASKED.load(Ordering::Relaxed) && !STOP.swap(true, Ordering::Relaxed) {
        return;
    }
    let _removed = files::remove_unfinished();
    let code = Failure::Interrupted.message();
    std::process::exit(code.into())
}
