//! `Program`: an expression that is parsed once, and planned once for each kind of operands.

use std::sync::Arc;

use numpy::{PyArray1, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use zerostride::{
    Context, DType, Expr, Layout, Literal, Options, Plan, Rule, Shape, Slot, Tensor, text,
};

use crate::context::{context, is_wide, options_of};
use crate::errors::raised;
use crate::host::{self, Placed};
use crate::lazy::Lazy;
use crate::number::{Number, literal};
use crate::origin;
use crate::plans::{Made, Plans};
use crate::rounding;

/// The names of constants, which operands of the same name replace.
const CONSTANTS: [&str; 7] = ["pi", "e", "euler_gamma", "inf", "nan", "True", "False"];
/// The largest number of plans that a program keeps.
const MOST_PLANS: usize = 64;

/// A program in the expression language, with its names.
#[pyclass(frozen, module = "zerostride._core")]
pub struct Program {
    pub source: String,
    program: text::Program,
    /// The names of the operands.
    #[pyo3(get)]
    names: Py<PyTuple>,
    /// The names of the constants in it, which operands may replace.
    #[pyo3(get)]
    constants: Py<PyTuple>,
    wide: bool,
    plans: Plans<Kind>,
}

/// The key of a plan: whether 64-bit floats were chosen, the names of constants that operands replace, and the operands.
type Kind = (bool, Vec<String>, Vec<Known>);

/// An operand in the key of a plan.
#[derive(PartialEq, Eq, Hash)]
enum Known {
    Slot(Slot),
    Number(Number),
}

/// An operand of a program.
enum Given {
    Tensor(Arc<Tensor>),
    Number(Literal),
}

impl Given {
    /// Its type and shape.
    fn kind(&self) -> (DType, Shape) {
        match self {
            Self::Number(_) => (DType::F64, Shape::scalar()),
            Self::Tensor(tensor) => (tensor.dtype(), tensor.shape().clone()),
        }
    }

    /// `by_value`: for a plan that depends on numbers.
    fn known(&self, by_value: bool) -> Known {
        match self {
            Self::Tensor(tensor) => Known::Slot(tensor.slot()),
            Self::Number(number) => Known::Number(Number::of(number, by_value)),
        }
    }
}

/// A plan and its operands.
struct Planned {
    made: Arc<Made>,
    tensors: Vec<Arc<Tensor>>,
    numbers: Vec<Literal>,
}

/// An operand that may still be in NumPy's memory.
enum Operand<'py> {
    Given(Given),
    Host(DType, Placed<'py>),
}

/// A result: its element type, its extents, its bytes in row-major order.
type Result_<'py> = (&'static str, Bound<'py, PyTuple>, Bound<'py, PyArray1<u8>>);

/// Operands, and the names of the constants that are among them.
type Found<'py> = (Vec<Bound<'py, PyAny>>, Vec<Bound<'py, PyAny>>);

#[pymethods]
impl Program {
    /// `wide`: integers become 64-bit floats as in NumPy, not 32-bit ones.
    #[new]
    #[pyo3(signature = (source, wide = false))]
    fn new(py: Python<'_>, source: String, wide: bool) -> PyResult<Self> {
        let program = text::parse_all(&source).map_err(|e| raised(py, e, Some(&source)))?;
        let used = CONSTANTS.into_iter().filter(|name| program.uses(name));
        let constants = PyTuple::new(py, used.collect::<Vec<_>>())?.unbind();
        Ok(Self {
            names: PyTuple::new(py, program.names())?.unbind(),
            constants,
            source,
            program,
            wide,
            plans: Plans::new(MOST_PLANS),
        })
    }

    /// Finds the operands among a caller's variables, those that replace constants last, and the
    /// names of these constants. `given` makes an operand from a name and its value; `plain`: NumPy
    /// arrays of supported element types are operands themselves.
    fn found<'py>(
        &self,
        py: Python<'py>,
        local: &Bound<'py, PyAny>,
        outer: &Bound<'py, PyAny>,
        given: &Bound<'py, PyAny>,
        plain: bool,
    ) -> PyResult<Found<'py>> {
        let operand = |name: &Bound<'py, PyAny>, value: Bound<'py, PyAny>| {
            let is_plain = plain
                && value
                    .cast_exact::<PyUntypedArray>()
                    .is_ok_and(host::is_plain);
            match is_plain {
                true => Ok(value),
                false => given.call1((name, value)),
            }
        };
        let value = |name: &Bound<'py, PyAny>| match named(local, name)? {
            Some(value) => Ok(Some(value)),
            None => named(outer, name),
        };
        let mut operands = Vec::new();
        for name in self.names.bind(py) {
            let found = value(&name)?.ok_or_else(|| {
                PyValueError::new_err(format!(
                    "unknown name `{name}`: neither the caller nor local_dict has a variable of this name"
                ))
            })?;
            operands.push(operand(&name, found)?);
        }
        let mut constants = Vec::new();
        for name in self.constants.bind(py) {
            // A caller's `e` is meant, where there is one.
            if let Some(found) = value(&name)? {
                operands.push(operand(&name, found)?);
                constants.push(name);
            }
        }
        Ok((operands, constants))
    }

    /// Computes the results for operands in the order of the names, followed by those of
    /// `constants`: numbers, lazy arrays, NumPy arrays, or pairs of a NumPy array and the name of
    /// its element type.
    #[pyo3(signature = (operands, constants = Vec::new()))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        operands: Vec<Bound<'py, PyAny>>,
        constants: Vec<String>,
    ) -> PyResult<Vec<Result_<'py>>> {
        let context = context(py)?;
        let planned = self.planned(py, &context, &operands, constants)?;
        if let Some(note) = &planned.made.note {
            rounding::warn(py, note)?;
        }
        let results = py
            .detach(|| {
                origin::trim();
                let inputs: Vec<&Tensor> = planned.tensors.iter().map(|t| &**t).collect();
                context.run_given(&planned.made.plan, &inputs, &planned.numbers)
            })
            .map_err(|e| raised(py, e, Some(&self.source)))?;
        drop(planned);
        let result = |tensor: &Tensor| {
            let shape = PyTuple::new(py, tensor.shape().extents())?;
            Ok((tensor.dtype().name(), shape, host::read(py, tensor)?))
        };
        results.iter().map(result).collect()
    }

    /// The plan of running it on these operands.
    #[pyo3(signature = (operands, constants = Vec::new()))]
    fn explain(
        &self,
        py: Python<'_>,
        operands: Vec<Bound<'_, PyAny>>,
        constants: Vec<String>,
    ) -> PyResult<String> {
        let context = context(py)?;
        self.check_count(&constants, operands.len())?;
        let names = self.names_with(&constants);
        let given = Self::given(py, &context, &operands)?;
        // With the numbers themselves, not those that another plan was made with.
        Ok(self.plan(py, &context, &names, &given)?.to_string())
    }
}

impl Program {
    fn planned(
        &self,
        py: Python<'_>,
        context: &Context,
        operands: &[Bound<'_, PyAny>],
        constants: Vec<String>,
    ) -> PyResult<Planned> {
        self.check_count(&constants, operands.len())?;
        let given = Self::given(py, context, operands)?;
        let number = |x: &Given| match x {
            Given::Number(number) => Some(*number),
            Given::Tensor(_) => None,
        };
        let numbers: Vec<Literal> = given.iter().filter_map(number).collect();
        let kind = |by_value| -> Kind {
            let known = given.iter().map(|x| x.known(by_value)).collect();
            (is_wide(), constants.clone(), known)
        };
        let make = || {
            let names = self.names_with(&constants);
            let plan = self.plan(py, context, &names, &given)?;
            let note = self.note(context, &names, &given);
            Ok::<_, PyErr>(Made { plan, note })
        };
        let made = self.plans.get(&numbers, kind, make)?;
        let tensor = |x| match x {
            Given::Tensor(tensor) => Some(tensor),
            Given::Number(_) => None,
        };
        let tensors = given.into_iter().filter_map(tensor).collect();
        Ok(Planned {
            made,
            tensors,
            numbers,
        })
    }

    /// Puts the operands on the device; uploads NumPy arrays together.
    fn given(
        py: Python<'_>,
        context: &Context,
        operands: &[Bound<'_, PyAny>],
    ) -> PyResult<Vec<Given>> {
        let operands: Vec<Operand<'_>> = operands
            .iter()
            .map(|x| Self::operand(py, x))
            .collect::<PyResult<_>>()?;
        let placed: Vec<(DType, Layout, &[u8])> = operands
            .iter()
            .filter_map(|x| match x {
                Operand::Host(dtype, placed) => {
                    Some((*dtype, placed.layout.clone(), placed.memory()))
                }
                Operand::Given(_) => None,
            })
            .collect();
        let uploaded = py
            .detach(|| context.tensors_with_layouts(&placed))
            .map_err(|error| raised(py, error, None))?;
        let mut uploaded = uploaded.into_iter().map(|t| Given::Tensor(Arc::new(t)));
        let given = operands.into_iter().map(|x| match x {
            Operand::Given(given) => Ok(given),
            Operand::Host(..) => uploaded
                .next()
                .ok_or_else(|| PyTypeError::new_err("an operand was not uploaded")),
        });
        given.collect()
    }

    fn operand<'py>(py: Python<'py>, operand: &Bound<'py, PyAny>) -> PyResult<Operand<'py>> {
        if let Ok(lazy) = operand.cast::<Lazy>() {
            return Ok(Operand::Given(Given::Tensor(lazy.get().tensor(py)?)));
        }
        if let Ok(array) = operand.cast::<PyUntypedArray>()
            && let Some(dtype) = host::native(array)
        {
            return Ok(Operand::Host(dtype, host::placed(array, dtype)?));
        }
        if let Some(number) = literal(operand)? {
            return Ok(Operand::Given(Given::Number(number)));
        }
        let refused = |_| {
            PyTypeError::new_err(
                "an operand must be a number, an array, a lazy array or (array, type name)",
            )
        };
        let pair = operand.cast::<PyTuple>().map_err(refused)?;
        let (array, dtype) = (pair.get_item(0)?, pair.get_item(1)?);
        let array = array.cast::<PyUntypedArray>().map_err(refused)?;
        let dtype = host::dtype(dtype.cast::<PyString>().map_err(refused)?.to_str()?)?;
        Ok(Operand::Host(dtype, host::placed(array, dtype)?))
    }

    fn plan(
        &self,
        py: Python<'_>,
        context: &Context,
        names: &[String],
        given: &[Given],
    ) -> PyResult<Plan> {
        let planned = || {
            let mut numbers = 0..;
            let operands = given.iter().map(|x| match x {
                Given::Number(stand_in) => {
                    let index = numbers.next().unwrap_or_default();
                    Some(Expr::given(index, *stand_in))
                }
                Given::Tensor(_) => None,
            });
            let exprs = self.exprs(names, |i| given[i].kind(), operands)?;
            context.plan(&exprs, &slots(given), &[], &self.options(context))
        };
        let plan = py.detach(planned);
        plan.map_err(|e| raised(py, text::with_hint(e), Some(&self.source)))
    }

    /// The warning for a run on these operands, for which a plan was made.
    fn note(&self, context: &Context, names: &[String], given: &[Given]) -> Option<String> {
        let numbers = given.iter().map(|x| match x {
            Given::Number(number) => Some(Expr::literal(*number)),
            Given::Tensor(_) => None,
        });
        let exprs = self.exprs(names, |i| given[i].kind(), numbers).ok()?;
        rounding::note(&exprs, &slots(given), &self.options(context), false)
    }

    /// The results as expressions over slots: the operands other than numbers, in order. `known` is
    /// the type and shape of each operand.
    pub fn exprs(
        &self,
        names: &[String],
        known: impl Fn(usize) -> (DType, Shape),
        numbers: impl Iterator<Item = Option<Expr<usize>>>,
    ) -> zerostride::Result<Vec<Expr<usize>>> {
        let mut slots = 0..;
        let leaves: Vec<Expr<usize>> = numbers
            .map(|x| x.unwrap_or_else(|| Expr::slot(slots.next().unwrap_or_default())))
            .collect();
        let exprs = self.program.bind_to(names, known, &Rule::Numpy)?;
        Expr::substitute(&exprs, &leaves)
    }

    pub fn options(&self, context: &Context) -> Options {
        options_of(context, self.wide || is_wide())
    }

    /// The names of operands, followed by those of constants that operands replace.
    pub fn names_with(&self, constants: &[String]) -> Vec<String> {
        [self.program.names(), constants].concat()
    }

    /// Fails unless each name has an operand.
    pub fn check_count(&self, constants: &[String], operands: usize) -> PyResult<()> {
        let names = self.program.names().len() + constants.len();
        if operands == names {
            return Ok(());
        }
        let message = format!("{operands} operands were given for {names} names");
        Err(PyValueError::new_err(message))
    }
}

/// The slots of the operands other than numbers.
fn slots(given: &[Given]) -> Vec<Slot> {
    let slot = |x: &Given| match x {
        Given::Number(_) => None,
        Given::Tensor(tensor) => Some(tensor.slot()),
    };
    given.iter().filter_map(slot).collect()
}

/// The value of a name in a mapping.
fn named<'py>(
    of: &Bound<'py, PyAny>,
    name: &Bound<'py, PyAny>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if let Ok(names) = of.cast_exact::<PyDict>() {
        return names.get_item(name);
    }
    match of.contains(name)? {
        true => of.get_item(name).map(Some),
        false => Ok(None),
    }
}

/// The expression language: chapter, form, example and description of each entry.
#[pyfunction]
pub fn language() -> Vec<(&'static str, String, String, String)> {
    text::language()
        .map(|e| (e.chapter, e.form, e.example, e.doc))
        .collect()
}
