//! `Lazy`: an array that is an expression until somebody reads it.

use std::cell::Cell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyUntypedArray};
use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyTuple};
use zerostride::{Context, DType, Expr, Literal, Plan, Rule, Shape, Slot, Tensor, text};

use crate::context::{check_process, context, options};
use crate::errors::raised;
use crate::host;

/// An expression of more nodes is computed before it becomes a part of another.
const MOST_STEPS: usize = 96;
/// So many nodes an expression may have while a function is traced.
const MOST_TRACED: usize = 2048;
/// So many formulas are kept parsed.
const MOST_FORMULAS: usize = 4096;

thread_local! {
    /// Whether a function is traced on this thread: its arrays have no elements to look at.
    static TRACING: Cell<bool> = const { Cell::new(false) };
}

/// An array: what it is computed of, or its elements on the device.
#[pyclass(frozen, module = "zerostride._core")]
pub struct Lazy {
    pub dtype: DType,
    pub shape: Shape,
    state: Mutex<State>,
}

enum State {
    Pending(Expr<Tensor>, usize),
    Ready(Tensor),
}

impl Lazy {
    pub fn ready(tensor: Tensor) -> Self {
        Self {
            dtype: tensor.dtype(),
            shape: tensor.shape().clone(),
            state: Mutex::new(State::Ready(tensor)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn expr(&self) -> Expr<Tensor> {
        match &*self.state() {
            State::Pending(expr, _) => expr.clone(),
            State::Ready(tensor) => tensor.expr(),
        }
    }

    /// At most so many nodes that are not computed.
    fn steps(&self) -> usize {
        match &*self.state() {
            State::Pending(_, steps) => *steps,
            State::Ready(_) => 0,
        }
    }

    /// Whether there are more nodes than this. They are counted if there could be: a sum over the
    /// operands counts those that several share more than once.
    fn is_longer_than(&self, most: usize) -> bool {
        match &mut *self.state() {
            State::Pending(expr, steps) if *steps > most => {
                *steps = Expr::node_count(std::slice::from_ref(expr));
                *steps > most
            }
            _ => false,
        }
    }

    /// Its elements on the device, computed if they are not there.
    pub fn tensor(&self, py: Python<'_>) -> PyResult<Tensor> {
        Self::compute(py, &[self])?;
        match &*self.state() {
            State::Ready(tensor) => Ok(tensor.clone()),
            State::Pending(..) => Err(PyTypeError::new_err("the array was not computed")),
        }
    }

    /// Computes several by one plan.
    fn compute(py: Python<'_>, all: &[&Self]) -> PyResult<()> {
        check_process()?;
        if TRACING.get() {
            return Err(PyTypeError::new_err(
                "a function that is traced has no elements to look at: what it does may depend on \
                 shapes and types alone; zerostride.where chooses by value",
            ));
        }
        let pending: Vec<&&Self> = all.iter().filter(|a| a.steps() > 0).collect();
        if pending.is_empty() {
            return Ok(());
        }
        let context = context(py)?;
        let exprs: Vec<_> = pending.iter().map(|a| a.expr()).collect();
        let tensors = py
            .detach(|| context.eval_with(&exprs, &options(&context)))
            .map_err(|error| raised(py, unplaced(error), None))?;
        for (lazy, tensor) in pending.iter().zip(tensors) {
            *lazy.state() = State::Ready(tensor);
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
        host::read(py, &self.tensor(py)?)
    }

    /// The same elements in row-major order in memory of their own, for a function that is traced.
    fn settled(&self, py: Python<'_>) -> PyResult<Self> {
        let tensor = self.tensor(py)?;
        let failed = |error| raised(py, error, None);
        let own = Slot::new(self.dtype, self.shape.clone()).map_err(failed)?;
        let tensor = match tensor.slot() == own {
            true => tensor,
            false => py.detach(|| tensor.materialize()).map_err(failed)?,
        };
        Ok(Self::ready(tensor))
    }

    /// An array of this type and shape that is no other, in whose place a function is traced.
    fn stand_in(&self, py: Python<'_>) -> PyResult<Self> {
        let tensor = context(py)?.empty(self.dtype, self.shape.clone());
        Ok(Self::ready(tensor.map_err(|e| raised(py, e, None))?))
    }

    /// Whether the elements are computed.
    fn is_ready(&self) -> bool {
        self.steps() == 0
    }

    /// What computing it would do.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        let context = context(py)?;
        let (exprs, tensors) = Expr::numbered(&[self.expr()]);
        let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
        let plan = context
            .plan(&exprs, &slots, &[], &options(&context))
            .map_err(|error| raised(py, unplaced(error), None))?;
        Ok(plan.to_string())
    }
}

/// An error without the column of a formula that nobody typed.
pub fn unplaced(error: zerostride::Error) -> zerostride::Error {
    match error {
        zerostride::Error::At { source, .. } => *source,
        other => other,
    }
}

/// The array that a NumPy array's bytes are, as elements of this type.
#[pyfunction]
pub fn upload(array: &Bound<'_, PyUntypedArray>, dtype: &str) -> PyResult<Lazy> {
    let context = context(array.py())?;
    Ok(Lazy::ready(host::tensor(
        &context,
        array,
        host::dtype(dtype)?,
    )?))
}

/// Computes several arrays by one plan. It is recorded; a read waits for it.
#[pyfunction]
pub fn compute(py: Python<'_>, arrays: Vec<PyRef<'_, Lazy>>) -> PyResult<()> {
    let all: Vec<&Lazy> = arrays.iter().map(|a| &**a).collect();
    Lazy::compute(py, &all)
}

/// An operand of a formula: an array, or a number that takes the type of what it meets.
pub enum Operand<'py> {
    Array(PyRef<'py, Lazy>),
    Number(Literal),
}

/// A Python number.
pub fn literal(value: &Bound<'_, PyAny>) -> PyResult<Option<Literal>> {
    if value.is_instance_of::<PyBool>() {
        Ok(Some(Literal::Bool(value.extract()?)))
    } else if value.is_instance_of::<PyInt>() {
        let whole = value.extract::<i128>();
        let refused =
            |_| PyOverflowError::new_err(format!("{value} is outside every element type"));
        Ok(Some(Literal::Int(whole.map_err(refused)?)))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(Some(Literal::Float(value.extract()?)))
    } else {
        Ok(None)
    }
}

impl<'py> Operand<'py> {
    fn of(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(lazy) = value.cast::<Lazy>() {
            return Ok(Self::Array(lazy.borrow()));
        }
        match literal(value)? {
            Some(number) => Ok(Self::Number(number)),
            None => Err(PyTypeError::new_err(format!(
                "an operand is an array or a number, not {}",
                value.get_type().name()?
            ))),
        }
    }
}

/// The results of a formula in the text language over operands `x0`, `x1` and so on. Their types
/// and shapes are checked here.
#[pyfunction]
#[pyo3(signature = (formula, *operands))]
pub fn apply(formula: &str, operands: &Bound<'_, PyTuple>) -> PyResult<Vec<Lazy>> {
    let py = operands.py();
    let context = context(py)?;
    let operands: Vec<Operand<'_>> = operands
        .iter()
        .map(|x| Operand::of(&x))
        .collect::<PyResult<_>>()?;
    let formulas =
        parsed(formula, operands.len()).map_err(|error| raised(py, unplaced(error), None))?;
    let mut steps = 1;
    for operand in &operands {
        if let Operand::Array(lazy) = operand {
            if !TRACING.get() && lazy.is_longer_than(MOST_STEPS) {
                Lazy::compute(py, &[lazy])?;
            } else if lazy.is_longer_than(MOST_TRACED) {
                let message = format!("the traced function has over {MOST_TRACED} steps");
                return Err(PyValueError::new_err(message));
            }
            steps += lazy.steps();
        }
    }
    joined(&context, &formulas, &operands, steps).map_err(|error| raised(py, unplaced(error), None))
}

/// The formulas' expressions with the operands in the place of slots.
fn joined(
    context: &Context,
    formulas: &[Expr<usize>],
    operands: &[Operand<'_>],
    steps: usize,
) -> zerostride::Result<Vec<Lazy>> {
    let mut slots = Vec::new();
    let mut arrays = Vec::new();
    let mut leaves = Vec::with_capacity(operands.len());
    for operand in operands {
        leaves.push(match operand {
            Operand::Number(number) => Expr::literal(*number),
            Operand::Array(lazy) => {
                slots.push(Slot::new(lazy.dtype, lazy.shape.clone())?);
                arrays.push(lazy.expr());
                Expr::slot(slots.len() - 1)
            }
        });
    }
    let formulas = Expr::substitute(formulas, &leaves)?;
    let known = Plan::infer(&formulas, &slots, &options(context))?;
    let exprs = Expr::substitute(&formulas, &arrays)?;
    let lazy = |(expr, (dtype, shape))| Lazy {
        dtype,
        shape,
        state: Mutex::new(State::Pending(expr, steps)),
    };
    Ok(exprs.into_iter().zip(known).map(lazy).collect())
}

type Formulas = HashMap<(String, usize), Arc<Vec<Expr<usize>>>>;

/// A formula over so many operands, parsed once.
fn parsed(formula: &str, operands: usize) -> zerostride::Result<Arc<Vec<Expr<usize>>>> {
    static KNOWN: Mutex<Option<Formulas>> = Mutex::new(None);
    let key = (formula.to_owned(), operands);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let known = known.get_or_insert_default();
    if let Some(exprs) = known.get(&key) {
        return Ok(exprs.clone());
    }
    let names: Vec<String> = (0..operands).map(|i| format!("x{i}")).collect();
    let exprs = Arc::new(text::parse_all(formula)?.bind(&names, &Rule::Numpy)?);
    if known.len() >= MOST_FORMULAS {
        known.clear();
    }
    known.insert(key, exprs.clone());
    Ok(exprs)
}

/// The gradient of an array by others, each in the shape of its own.
#[pyfunction]
pub fn gradient(py: Python<'_>, of: &Lazy, by: Vec<PyRef<'_, Lazy>>) -> PyResult<Vec<Lazy>> {
    let context = context(py)?;
    let whole = of.expr();
    if let Some(i) = by.iter().position(|a| !whole.contains(&a.expr())) {
        let message = format!(
            "array {i} is no part of what is differentiated, or was read or computed since; take the \
             gradient before either is read"
        );
        return Err(PyValueError::new_err(message));
    }
    let wrt: Vec<_> = by.iter().map(|a| a.expr()).collect();
    let exprs = whole.gradient(&wrt);
    let (numbered, tensors) = Expr::numbered(&exprs);
    let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
    let known = Plan::infer(&numbered, &slots, &options(&context))
        .map_err(|error| raised(py, unplaced(error), None))?;
    let lazy = |(expr, (dtype, shape))| {
        let steps = Expr::node_count(std::slice::from_ref(&expr));
        Lazy {
            dtype,
            shape,
            state: Mutex::new(State::Pending(expr, steps)),
        }
    };
    Ok(exprs.into_iter().zip(known).map(lazy).collect())
}

/// Whether this thread traces a function from now on: reads raise, and nothing is computed on the
/// way.
#[pyfunction]
pub fn trace(on: bool) {
    TRACING.set(on);
}
