//! `stream`: an expression computed window by window, from files and arrays into a file.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread;
use std::time::Duration;

use numpy::PyUntypedArray;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use zerostride::npy::NpyFile;
use zerostride::stream::{Input, Progress, Report, Stream};
use zerostride::{Context, DType, Error, Expr, Layout, Literal, Shape, Slot};
use zerostride_files::parts;

use crate::context::context;
use crate::errors::raised;
use crate::host::{self, Placed};
use crate::number::literal;
use crate::program::Program;
use crate::rounding;

/// The interval at which signals are checked and progress is reported.
const TOLD: Duration = Duration::from_millis(50);

/// An operand: a `.npy` file, NumPy's memory, or a number.
enum Operand<'py> {
    File(NpyFile),
    Memory(DType, Placed<'py>),
    Number(Literal),
}

/// A NumPy array that can be read without the interpreter.
struct Memory<'a> {
    name: &'a str,
    dtype: DType,
    layout: &'a Layout,
    bytes: &'a [u8],
}

impl Input for Memory<'_> {
    fn name(&self) -> String {
        format!("the array `{}`", self.name)
    }

    fn dtype(&self) -> DType {
        self.dtype
    }

    fn layout(&self) -> zerostride::Result<Layout> {
        Ok(self.layout.clone())
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> zerostride::Result<()> {
        let size = self.dtype.size();
        let bytes = self
            .bytes
            .get(positions.start * size..positions.end * size)
            .filter(|bytes| bytes.len() == out.len());
        let bytes = bytes.ok_or_else(|| Error::Argument {
            op: "stream".into(),
            reason: format!("elements {positions:?} are not in {}", self.name()),
        })?;
        out.copy_from_slice(bytes);
        Ok(())
    }
}

/// Computes a program of one result into a `.npy` file. Returns the parts that are still missing if
/// `part` is given. `progress` is called with the numbers of windows written and of all windows.
#[pyfunction]
pub fn stream(
    program: &Bound<'_, Program>,
    operands: Vec<Bound<'_, PyAny>>,
    constants: Vec<String>,
    out: PathBuf,
    memory: u64,
    part: Option<(usize, usize)>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<Vec<usize>>> {
    let py = program.py();
    let context = context(py)?;
    let program = program.get();
    program.check_count(&constants, operands.len())?;
    let names = program.names_with(&constants);
    let given: Vec<Operand<'_>> = operands.iter().map(operand).collect::<PyResult<_>>()?;
    let raised = |error| raised(py, error, Some(&program.source));
    let numbers = given.iter().map(|x| match x {
        Operand::Number(number) => Some(Expr::literal(*number)),
        _ => None,
    });
    let known = |i: usize| match &given[i] {
        Operand::File(file) => (file.header().dtype, file.header().shape.clone()),
        Operand::Memory(dtype, placed) => (*dtype, placed.layout.shape().clone()),
        Operand::Number(_) => (DType::F64, Shape::scalar()),
    };
    let exprs = program.exprs(&names, known, numbers).map_err(raised)?;
    let [expr] = exprs.as_slice() else {
        let message = format!("a stream writes one result, not {}", exprs.len());
        return Err(PyValueError::new_err(message));
    };
    let arrays: Vec<Option<Memory<'_>>> = names
        .iter()
        .zip(&given)
        .map(|(name, x)| match x {
            Operand::Memory(dtype, placed) => Some(Memory {
                name,
                dtype: *dtype,
                layout: &placed.layout,
                bytes: placed.memory(),
            }),
            _ => None,
        })
        .collect();
    let inputs: Vec<&dyn Input> = given
        .iter()
        .zip(&arrays)
        .filter_map(|(x, array)| match (x, array) {
            (Operand::File(file), _) => Some(file as &dyn Input),
            (_, array) => array.as_ref().map(|a| a as &dyn Input),
        })
        .collect();
    let options = program.options(&context);
    let slots = inputs.iter().map(|x| {
        let layout = x.layout()?;
        Slot::new(x.dtype(), layout.shape().clone())
    });
    let slots: Vec<_> = slots.collect::<zerostride::Result<_>>().map_err(raised)?;
    if let Some(note) = rounding::note(&exprs, &slots, &options, false) {
        rounding::warn(py, &note)?;
    }
    let stream = Stream::new(expr, &inputs, &options).map_err(raised)?;
    let stream = stream.memory(memory);
    let stream = match part {
        Some((k, n)) => stream.part(k, n),
        None => stream,
    };
    let report = run(py, stream, &context, &out, progress, &program.source)?;
    Ok(report.missing)
}

fn operand<'py>(operand: &Bound<'py, PyAny>) -> PyResult<Operand<'py>> {
    if let Some(number) = literal(operand)? {
        return Ok(Operand::Number(number));
    }
    if let Ok(path) = operand.extract::<PathBuf>() {
        let file = parts::check(&path).and_then(|()| NpyFile::open(path, None));
        let file = file.map_err(|e| raised(operand.py(), e, None))?;
        return Ok(Operand::File(file));
    }
    let (array, dtype): (Bound<'py, PyUntypedArray>, String) = operand.extract().map_err(|_| {
        PyTypeError::new_err("an operand must be a number, a path or (array, type name)")
    })?;
    let dtype = host::dtype(&dtype)?;
    Ok(Operand::Memory(dtype, host::placed(&array, dtype)?))
}

/// Runs a stream on its own thread, while this one reports progress and handles Ctrl-C.
fn run(
    py: Python<'_>,
    stream: Stream<'_>,
    context: &Context,
    out: &PathBuf,
    progress: Option<Bound<'_, PyAny>>,
    source: &str,
) -> PyResult<Report> {
    let stop = AtomicBool::new(false);
    let latest: Mutex<Option<Progress>> = Mutex::new(None);
    let note = |progress: Progress| {
        *latest.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress);
    };
    let stream = stream.progress(&note).stop(&stop);
    let tell = || {
        let new = latest.lock().unwrap_or_else(PoisonError::into_inner).take();
        match (&progress, new) {
            (Some(call), Some(new)) => call.call1((new.done, new.steps)).map(drop),
            _ => Ok(()),
        }
    };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let receiver = Mutex::new(receiver);
        let stream = &stream;
        scope.spawn(move || sender.send(stream.run(context, out)));
        loop {
            let ended = py.detach(|| {
                let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                receiver.recv_timeout(TOLD)
            });
            let told = py.check_signals().and_then(|()| tell());
            match (ended, told) {
                (_, Err(error)) => {
                    stop.store(true, Ordering::Relaxed);
                    // The scope waits for the thread, which may need the interpreter.
                    py.detach(|| {
                        let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
                        let _ = receiver.recv();
                    });
                    return Err(error);
                }
                (Ok(report), _) => return report.map_err(|e| raised(py, e, Some(source))),
                (Err(mpsc::RecvTimeoutError::Timeout), _) => {}
                (Err(mpsc::RecvTimeoutError::Disconnected), _) => {
                    return Err(crate::errors::Error::new_err("the stream's thread ended"));
                }
            }
        }
    })
}
