//! The only context of a process.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::prelude::*;
use zerostride::{Context, Options, Promotion};

use crate::errors::{Error, raised};

static CONTEXT: Mutex<Option<Context>> = Mutex::new(None);
/// Whether this process was forked from one that had opened an adapter.
static FORKED: AtomicBool = AtomicBool::new(false);

/// The context, opened at the first call.
pub fn context(py: Python<'_>) -> PyResult<Context> {
    check_process()?;
    if let Ok(known) = CONTEXT.try_lock()
        && let Some(context) = &*known
    {
        return Ok(context.clone());
    }
    // Others may wait here for the first to have opened it, so not under the interpreter's lock.
    py.detach(|| {
        let mut known = CONTEXT.lock().unwrap_or_else(|e| e.into_inner());
        if let Some(context) = &*known {
            return Ok(context.clone());
        }
        let context = Context::builder().from_env().request_blocking()?;
        *known = Some(context.clone());
        Ok(context)
    })
    .map_err(|error| raised(py, error, None))
}

/// Whether floats made from integers have 64 bits, as in NumPy.
static WIDE: AtomicBool = AtomicBool::new(false);

/// Chooses whether floats made from integers have 64 bits in this process.
#[pyfunction]
pub fn set_wide(wide: bool) {
    WIDE.store(wide, Ordering::Relaxed);
}

/// Whether 64-bit floats were chosen.
#[pyfunction]
pub fn is_wide() -> bool {
    WIDE.load(Ordering::Relaxed)
}

/// The options of plans.
pub fn options(context: &Context) -> Options {
    options_of(context, is_wide())
}

/// The options of plans. `wide`: floats made from integers have 64 bits.
pub fn options_of(context: &Context, wide: bool) -> Options {
    context.options().with_promotion(promotion(wide))
}

fn promotion(wide: bool) -> Promotion {
    if wide {
        Promotion::Numpy
    } else {
        Promotion::F32
    }
}

/// Fails in a process that was forked from one with an open adapter, whose threads it lacks.
pub fn check_process() -> PyResult<()> {
    match FORKED.load(Ordering::Relaxed) {
        false => Ok(()),
        true => Err(Error::new_err(
            "this process was forked after zerostride had opened an adapter, and lacks its threads; \
             start processes with multiprocessing's \"spawn\" or \"forkserver\", or fork before the \
             first array",
        )),
    }
}

/// Must be called in a child after a fork.
#[pyfunction]
pub fn forked() {
    // The lock may be held by a thread that is not here.
    let is_open = match CONTEXT.try_lock() {
        Ok(known) => known.is_some(),
        Err(_) => true,
    };
    if is_open {
        FORKED.store(true, Ordering::Relaxed);
    }
}

/// The name of the adapter that computes.
#[pyfunction]
pub fn adapter(py: Python<'_>) -> PyResult<String> {
    Ok(context(py)?.adapter_info().name.clone())
}

/// The adapters of this machine: name, backend and driver of each.
#[pyfunction]
pub fn adapters(py: Python<'_>) -> PyResult<Vec<(String, String, String)>> {
    check_process()?;
    let all = py.detach(|| pollster::block_on(zerostride::adapters()));
    Ok(all
        .into_iter()
        .map(|a| (a.name, a.backend, a.driver))
        .collect())
}
