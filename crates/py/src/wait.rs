//! Waiting for the device with the interpreter free and Ctrl-C obeyed.

use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use zerostride::Tensor;

use crate::errors::raised;

/// How often signals are looked at.
const SIGNALS: Duration = Duration::from_millis(50);
/// How long the device is asked without a pause: a small computation is done sooner than a thread
/// wakes up.
const ASKED: Duration = Duration::from_micros(200);
/// Behind that each pause is this part of the time that has passed, up to the longest.
const PAUSES: u32 = 16;
const LONGEST: Duration = Duration::from_millis(1);

/// The elements' bytes of a tensor, asked for on this thread. Ctrl-C raises `KeyboardInterrupt`.
pub fn taken(py: Python<'_>, tensor: &Tensor) -> PyResult<Vec<u8>> {
    let begun = Instant::now();
    let mut read = None;
    loop {
        let found = py.detach(|| {
            let read = match &mut read {
                Some(read) => read,
                none => none.insert(tensor.start_read_bytes()?),
            };
            let until = Instant::now() + SIGNALS;
            while Instant::now() < until {
                if let Some(bytes) = read.try_take()? {
                    return Ok(Some(bytes));
                }
                match begun.elapsed() {
                    passed if passed < ASKED => thread::yield_now(),
                    passed => thread::sleep(LONGEST.min(passed / PAUSES)),
                }
            }
            Ok(None)
        });
        if let Some(bytes) = found.map_err(|error| raised(py, error, None))? {
            return Ok(bytes);
        }
        py.check_signals()?;
    }
}
