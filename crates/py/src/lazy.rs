//! `Lazy`: an array that is an expression until it is read.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyUntypedArray};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use zerostride::{DType, Expr, Shape, Slot, Tensor};

use crate::context::{check_process, context, is_wide, options_of};
use crate::errors::raised;
use crate::host;
use crate::origin;
use crate::part::{Formula, Leaf, Part, Step};

thread_local! {
    /// The number of the trace that this thread makes of a function, whose arrays have no elements;
    /// 0 if it makes none.
    static TRACE: Cell<u64> = const { Cell::new(0) };
}

/// The number of traces that were begun.
static TRACES: AtomicU64 = AtomicU64::new(0);

/// Whether a function is traced on this thread.
#[pyfunction]
pub fn is_tracing() -> bool {
    TRACE.get() != 0
}

/// An array: the formula that computes it, or its elements on the device.
#[pyclass(frozen, module = "zerostride._core")]
pub struct Lazy {
    pub dtype: DType,
    pub shape: Shape,
    state: Mutex<State>,
    /// Whether integers become 64-bit floats in it: the default when it was made.
    pub wide: bool,
    /// The trace in which it was made, outside of which it has no elements; 0 if none.
    trace: u64,
}

struct State {
    part: Part,
    /// An upper bound of the number of nodes that are not computed.
    steps: usize,
}

impl Lazy {
    pub fn new(dtype: DType, shape: Shape, part: Part, steps: usize) -> Self {
        let state = Mutex::new(State { part, steps });
        Self {
            dtype,
            shape,
            state,
            wide: is_wide(),
            trace: TRACE.get(),
        }
    }

    /// Takes over the default of floats of another array.
    pub fn with_default_of(self, other: &Self) -> Self {
        let wide = other.wide;
        Self { wide, ..self }
    }

    /// Refuses an array outside of the trace in which it was made.
    pub fn check_trace(&self) -> PyResult<()> {
        match self.trace {
            0 => Ok(()),
            trace if trace == TRACE.get() => Ok(()),
            _ => Err(PyTypeError::new_err(
                "the array was made while a function was traced, and has no elements outside of \
                 the function; the function must return it",
            )),
        }
    }

    pub fn ready(tensor: Tensor) -> Self {
        Self::of_leaf(Arc::new(Leaf::new(Arc::new(tensor))))
    }

    pub fn of_leaf(leaf: Arc<Leaf>) -> Self {
        let (dtype, shape) = (leaf.tensor.dtype(), leaf.tensor.shape().clone());
        Self::new(dtype, shape, Part::Leaf(leaf), 0)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The formula that computes it, or its elements.
    pub fn part(&self) -> Part {
        self.state().part.clone()
    }

    pub fn expr(&self) -> zerostride::Result<Expr<Tensor>> {
        self.part().expr()
    }

    /// An upper bound of the number of nodes that are not computed.
    pub fn steps(&self) -> usize {
        self.state().steps
    }

    /// Whether there are more nodes than this. They are counted only if the upper bound is larger,
    /// since it counts shared nodes more than once.
    pub fn is_longer_than(&self, most: usize) -> zerostride::Result<bool> {
        let mut state = self.state();
        if state.steps > most {
            state.steps = Expr::node_count(&[state.part.expr()?]);
        }
        Ok(state.steps > most)
    }

    /// Its elements on the device, computed if necessary.
    pub fn tensor(&self, py: Python<'_>) -> PyResult<Arc<Tensor>> {
        Ok(Arc::clone(&self.leaf(py)?.tensor))
    }

    /// Its elements on the device with their origin, computed if necessary.
    pub fn leaf(&self, py: Python<'_>) -> PyResult<Arc<Leaf>> {
        Self::compute(py, &[self])?;
        match self.part() {
            Part::Leaf(leaf) => Ok(leaf),
            _ => Err(PyTypeError::new_err("the array was not computed")),
        }
    }

    /// Computes it if it was made with another default of floats: an expression has only one.
    pub fn settle(&self, py: Python<'_>) -> PyResult<()> {
        match self.wide == is_wide() || is_tracing() {
            true => Ok(()),
            false => Self::compute(py, &[self]),
        }
    }

    /// Computes several with one plan, or with two if they have different defaults of floats.
    pub fn compute(py: Python<'_>, all: &[&Self]) -> PyResult<()> {
        check_process()?;
        all.iter().try_for_each(|a| a.check_trace())?;
        if is_tracing() {
            return Err(PyTypeError::new_err(
                "arrays have no elements while a function is traced: the function may depend only \
                 on shapes and types; use zerostride.where to choose by value",
            ));
        }
        let pending: Vec<&Self> = all.iter().copied().filter(|a| a.steps() > 0).collect();
        if pending.is_empty() {
            return Ok(());
        }
        let wide = pending[0].wide;
        let (pending, others): (Vec<&Self>, Vec<&Self>) =
            pending.into_iter().partition(|a| a.wide == wide);
        Self::compute(py, &others)?;
        let context = context(py)?;
        let failed = |error| raised(py, unplaced(error), None);
        let parts: Vec<Part> = pending.iter().map(|a| a.part()).collect();
        let compute = || {
            origin::trim();
            let exprs = parts.iter().map(Part::expr);
            let exprs: Vec<_> = exprs.collect::<zerostride::Result<_>>()?;
            context.eval_with(&exprs, &options_of(&context, wide))
        };
        let tensors = py.detach(compute).map_err(failed)?;
        for ((lazy, tensor), part) in pending.iter().zip(tensors).zip(parts) {
            let is_short = !lazy.is_longer_than(origin::MOST_NODES).map_err(failed)?;
            let leaf = origin::computed(tensor, part, is_short);
            *lazy.state() = State {
                part: Part::Leaf(leaf),
                steps: 0,
            };
        }
        Ok(())
    }
}

#[pymethods]
impl Lazy {
    /// The name of the element type.
    #[getter]
    fn dtype(&self) -> &'static str {
        self.dtype.name()
    }

    /// The extents.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.shape.extents())
    }

    /// The elements' bytes in row-major order.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u8>>> {
        host::read(py, &*self.tensor(py)?)
    }

    /// The elements in row-major order in memory of their own, as an argument of a traced function.
    fn settled(&self, py: Python<'_>) -> PyResult<Self> {
        let leaf = self.leaf(py)?;
        let failed = |error| raised(py, error, None);
        let own = Slot::new(self.dtype, self.shape.clone()).map_err(failed)?;
        if leaf.tensor.slot() == own {
            return Ok(Self::of_leaf(leaf));
        }
        let tensor = py.detach(|| leaf.tensor.materialize()).map_err(failed)?;
        let same = Step::new(Formula::new(vec![Expr::slot(0)]), vec![Part::Leaf(leaf)]);
        let part = Part::Step(Arc::new(same), 0);
        Ok(Self::of_leaf(origin::computed(tensor, part, true)))
    }

    /// A new array of this type and shape, as a placeholder while a function is traced.
    fn stand_in(&self, py: Python<'_>) -> PyResult<Self> {
        let tensor = context(py)?.empty(self.dtype, self.shape.clone());
        Ok(Self::ready(tensor.map_err(|e| raised(py, e, None))?))
    }

    /// Whether the elements are computed.
    fn is_ready(&self) -> bool {
        self.steps() == 0
    }

    /// The plan of computing it.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        let context = context(py)?;
        let planned = || {
            let (exprs, tensors) = Expr::numbered(&[self.expr()?]);
            let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
            context.plan(&exprs, &slots, &[], &options_of(&context, self.wide))
        };
        let plan = planned().map_err(|error| raised(py, unplaced(error), None))?;
        Ok(plan.to_string())
    }
}

/// Removes the column from an error, since the user did not type the formula.
pub fn unplaced(error: zerostride::Error) -> zerostride::Error {
    match error {
        zerostride::Error::At { source, .. } => *source,
        other => other,
    }
}

/// Uploads a NumPy array whose bytes are elements of this type.
#[pyfunction]
pub fn upload(array: &Bound<'_, PyUntypedArray>, dtype: &str) -> PyResult<Lazy> {
    let context = context(array.py())?;
    origin::trim();
    let tensor = host::tensor(&context, array, host::dtype(dtype)?)?;
    // It has its elements after a trace, too.
    Ok(Lazy {
        trace: 0,
        ..Lazy::ready(tensor)
    })
}

/// Computes several arrays with one plan. Does not wait for the device; a read does.
#[pyfunction]
pub fn compute(py: Python<'_>, arrays: Vec<PyRef<'_, Lazy>>) -> PyResult<()> {
    let all: Vec<&Lazy> = arrays.iter().map(|a| &**a).collect();
    Lazy::compute(py, &all)
}

/// Starts or ends tracing a function on this thread. Meanwhile reads raise, and nothing is
/// computed.
#[pyfunction]
pub fn trace(on: bool) {
    TRACE.set(match on {
        true => 1 + TRACES.fetch_add(1, Ordering::Relaxed),
        false => 0,
    });
}
