//! Formulas in the expression language on lazy arrays.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use zerostride::text::{self, Program};
use zerostride::{Context, DType, Expr, Literal, Plan, Rule, Shape, Slot};

use crate::context::{context, is_wide, options};
use crate::errors::raised;
use crate::lazy::{Lazy, is_tracing, unplaced};
use crate::number::literal;
use crate::part::{Formula, Part, Step};
use crate::rounding;

/// An expression of more nodes is computed before it becomes a part of another.
const MOST_STEPS: usize = 96;
/// The largest number of nodes of an expression while a function is traced.
const MOST_TRACED: usize = 2048;
/// The largest number of parsed formulas that are kept.
const MOST_FORMULAS: usize = 4096;
/// The largest number of bindings that are kept of a formula that needs shapes.
const MOST_BOUND: usize = 256;
/// The largest number of calls whose result types and shapes are kept.
const MOST_KNOWN: usize = 4096;

/// An operand of a formula: an array, or a number, which takes the type of the other operand.
enum Operand<'py> {
    Array(PyRef<'py, Lazy>),
    Number(Literal),
}

impl<'py> Operand<'py> {
    fn of(value: &Bound<'py, PyAny>) -> PyResult<Self> {
        if let Ok(lazy) = value.cast::<Lazy>() {
            let lazy = lazy.borrow();
            lazy.check_trace()?;
            lazy.settle(value.py())?;
            return Ok(Self::Array(lazy));
        }
        match literal(value)? {
            Some(number) => Ok(Self::Number(number)),
            None => Err(PyTypeError::new_err(format!(
                "an operand must be an array or a number, not {}",
                value.get_type().name()?
            ))),
        }
    }

    fn kind(&self) -> Kind {
        match self {
            Self::Array(lazy) => Kind::Array(lazy.dtype, lazy.shape.clone()),
            // Whether it fits a type depends on its value.
            Self::Number(number) => Kind::Number(*number),
        }
    }

    fn part(&self) -> Part {
        match self {
            Self::Array(lazy) => lazy.part(),
            Self::Number(number) => Part::Number(*number),
        }
    }
}

/// The results of a formula in the expression language over operands `x0`, `x1` and so on. Checks
/// their types and shapes.
#[pyfunction]
#[pyo3(signature = (formula, *operands))]
pub fn apply(formula: &str, operands: &Bound<'_, PyTuple>) -> PyResult<Vec<Lazy>> {
    let py = operands.py();
    let (operands, formula, known) = asked(formula, operands)?;
    let failed = |error| raised(py, unplaced(error), None);
    let mut steps = 1;
    for operand in &operands {
        if let Operand::Array(lazy) = operand {
            if !is_tracing() && lazy.is_longer_than(MOST_STEPS).map_err(failed)? {
                Lazy::compute(py, &[lazy])?;
            } else if lazy.is_longer_than(MOST_TRACED).map_err(failed)? {
                let message = format!("the traced function has more than {MOST_TRACED} steps");
                return Err(PyValueError::new_err(message));
            }
            steps += lazy.steps();
        }
    }
    if let Some(note) = &known.note {
        rounding::warn(py, note)?;
    }
    let step = Arc::new(Step::new(
        formula,
        operands.iter().map(Operand::part).collect(),
    ));
    let lazy = |(which, (dtype, shape)): (usize, &(DType, Shape))| {
        let part = Part::Step(Arc::clone(&step), which);
        Lazy::new(*dtype, shape.clone(), part, steps)
    };
    Ok(known.results.iter().enumerate().map(lazy).collect())
}

/// The names of the result types of [`apply`], without its warning.
#[pyfunction]
#[pyo3(signature = (formula, *operands))]
pub fn infer(formula: &str, operands: &Bound<'_, PyTuple>) -> PyResult<Vec<&'static str>> {
    let (.., known) = asked(formula, operands)?;
    let names = known.results.iter().map(|(dtype, _)| dtype.name());
    Ok(names.collect())
}

/// Operands of a formula, the formula, and the types and shapes of its results.
type Asked<'py> = (Vec<Operand<'py>>, Arc<Formula>, Arc<Known>);

fn asked<'py>(formula: &str, operands: &Bound<'py, PyTuple>) -> PyResult<Asked<'py>> {
    let py = operands.py();
    let context = context(py)?;
    let operands: PyResult<Vec<_>> = operands.iter().map(|x| Operand::of(&x)).collect();
    let operands = operands?;
    let failed = |error| raised(py, unplaced(error), None);
    let formula = parsed(formula, &operands).map_err(failed)?;
    let known = known(&context, &formula, &operands).map_err(failed)?;
    Ok((operands, formula, known))
}

/// The key of a formula's result types and shapes: the formula, whether integers become 64-bit
/// floats, and the operands.
type Call = (u64, bool, Vec<Kind>);

/// An operand as a part of a key.
#[derive(PartialEq, Eq, Hash)]
enum Kind {
    Array(DType, Shape),
    Number(Literal),
}

impl Kind {
    /// The element type and shape to bind to; a number takes the type of the other operand.
    fn input(&self) -> (DType, Shape) {
        match self {
            Self::Array(dtype, shape) => (*dtype, shape.clone()),
            Self::Number(_) => (DType::F32, Shape::default()),
        }
    }
}

/// The types and shapes of a formula's results.
struct Known {
    results: Vec<(DType, Shape)>,
    /// The warning at each place where the formula is applied.
    note: Option<String>,
}

/// Infers the types and shapes of a formula's results, and keeps them for further calls.
fn known(
    context: &Context,
    formula: &Formula,
    operands: &[Operand<'_>],
) -> zerostride::Result<Arc<Known>> {
    static KNOWN: Mutex<Option<HashMap<Call, Arc<Known>>>> = Mutex::new(None);
    let call = (
        formula.number,
        is_wide(),
        operands.iter().map(Operand::kind).collect(),
    );
    let mut kept = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let kept = kept.get_or_insert_default();
    if let Some(known) = kept.get(&call) {
        return Ok(Arc::clone(known));
    }
    let mut slots = Vec::new();
    let mut leaves = Vec::with_capacity(operands.len());
    for operand in operands {
        leaves.push(match operand {
            Operand::Number(number) => Expr::literal(*number),
            Operand::Array(lazy) => {
                slots.push(Slot::new(lazy.dtype, lazy.shape.clone())?);
                Expr::slot(slots.len() - 1)
            }
        });
    }
    let exprs = Expr::substitute(&formula.exprs, &leaves)?;
    let options = options(context);
    let known = Arc::new(Known {
        note: rounding::note(&exprs, &slots, &options, true),
        results: Plan::infer(&exprs, &slots, &options)?,
    });
    if kept.len() >= MOST_KNOWN {
        kept.clear();
    }
    kept.insert(call, Arc::clone(&known));
    Ok(known)
}

/// Parsed formulas by number of operands and source string.
type Formulas = HashMap<usize, HashMap<String, Parsed>>;

/// A parsed formula over a number of operands.
enum Parsed {
    Bound(Arc<Formula>),
    /// One that needs shapes, with its bindings by operands.
    Asking(Program, HashMap<Vec<Kind>, Arc<Formula>>),
}

/// A formula over these operands, parsed once; one that needs shapes is bound once for each kind.
fn parsed(formula: &str, operands: &[Operand<'_>]) -> zerostride::Result<Arc<Formula>> {
    static KNOWN: Mutex<Option<Formulas>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let all = known.get_or_insert_default();
    let of = all.entry(operands.len()).or_default();
    if let Some(Parsed::Bound(made)) = of.get(formula) {
        return Ok(Arc::clone(made));
    }
    let names: Vec<String> = (0..operands.len()).map(|i| format!("x{i}")).collect();
    let kinds: Vec<Kind> = operands.iter().map(Operand::kind).collect();
    if let Some(Parsed::Asking(program, bound)) = of.get_mut(formula) {
        if let Some(made) = bound.get(&kinds) {
            return Ok(Arc::clone(made));
        }
        let made = Formula::new(program.bind_to(&names, |i| kinds[i].input(), &Rule::Numpy)?);
        if bound.len() >= MOST_BOUND {
            bound.clear();
        }
        bound.insert(kinds, Arc::clone(&made));
        return Ok(made);
    }
    let program = text::parse_all(formula)?;
    let made = Formula::new(program.bind_to(&names, |i| kinds[i].input(), &Rule::Numpy)?);
    let parsed = match program.asks_for_shapes() {
        true => Parsed::Asking(program, HashMap::from([(kinds, Arc::clone(&made))])),
        false => Parsed::Bound(Arc::clone(&made)),
    };
    if all.values().map(HashMap::len).sum::<usize>() >= MOST_FORMULAS {
        all.clear();
    }
    let of = all.entry(operands.len()).or_default();
    of.insert(formula.to_owned(), parsed);
    Ok(made)
}
