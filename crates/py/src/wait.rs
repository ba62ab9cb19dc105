//! Waiting for the device with the interpreter free and Ctrl-C obeyed.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

use crate::errors::raised;

/// How often signals are looked at.
const SIGNALS: Duration = Duration::from_millis(50);

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// What a future gives. Ctrl-C raises `KeyboardInterrupt`; what was submitted goes on without it.
pub fn wait<T: Send>(
    py: Python<'_>,
    future: impl Future<Output = zerostride::Result<T>> + Send,
) -> PyResult<T> {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        let ready = py.detach(|| {
            let until = Instant::now() + SIGNALS;
            loop {
                if let Poll::Ready(x) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
                    return Some(x);
                }
                let left = until.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    return None;
                }
                thread::park_timeout(left);
            }
        });
        if let Some(result) = ready {
            return result.map_err(|error| raised(py, error, None));
        }
        py.check_signals()?;
    }
}
