//! Waiting for the device without the interpreter's lock; Ctrl-C ends a wait.

use std::thread;
use std::time::{Duration, Instant};

use pyo3::prelude::*;
use zerostride::Tensor;

use crate::errors::raised;

/// The interval at which signals are checked.
const SIGNALS: Duration = Duration::from_millis(50);
/// The time for which the device is polled without a pause: a small computation ends sooner than a
/// thread wakes up.
const ASKED: Duration = Duration::from_micros(200);
/// After that, each pause is the elapsed time divided by this, up to the longest.
const PAUSES: u32 = 16;
const LONGEST: Duration = Duration::from_millis(1);

/// Reads the elements' bytes of a tensor on this thread. Ctrl-C raises `KeyboardInterrupt`.
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
