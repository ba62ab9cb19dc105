//! `Program`: a text that is parsed once and planned once for each kind of operands.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use numpy::{PyArray1, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedStr;
use pyo3::types::PyTuple;
use zerostride::{
    Context, DType, Expr, Layout, Literal, Options, Plan, Promotion, Rule, Shape, Slot, Tensor,
    text,
};

use crate::context::{context, promotion};
use crate::errors::raised;
use crate::host::{self, Placed};
use crate::lazy::{Lazy, literal};

/// What has these names is a constant, unless an operand is given by the name.
const CONSTANTS: [&str; 7] = ["pi", "e", "euler_gamma", "inf", "nan", "True", "False"];
/// So many plans of a program are kept.
const MOST_PLANS: usize = 64;

/// A text in the text language with its names.
#[pyclass(frozen, module = "zerostride._core")]
pub struct Program {
    pub source: String,
    program: text::Program,
    /// The names of the operands.
    #[pyo3(get)]
    names: Py<PyTuple>,
    /// The names of constants in it, for which operands may be given.
    #[pyo3(get)]
    constants: Py<PyTuple>,
    promotion: Promotion,
    plans: Mutex<HashMap<Kind, Arc<Plan>>>,
}

/// The names of constants for which operands are given, and what is known of all operands.
type Kind = (Vec<String>, Vec<Known>);

/// What a plan knows of an operand. Of a number that is its kind, unless it is one of those that a
/// plan depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Known {
    Slot(Slot),
    Bool(Option<bool>),
    Int(Option<i128>),
    Float(Option<u64>),
}

/// An operand of a program.
#[derive(Clone)]
enum Given {
    Tensor(Tensor),
    Number(Literal),
}

impl Given {
    /// `by_value`: for a plan that depends on numbers.
    fn known(&self, by_value: bool) -> Known {
        match self {
            Self::Tensor(tensor) => Known::Slot(tensor.slot()),
            Self::Number(Literal::Bool(x)) => Known::Bool(by_value.then_some(*x)),
            Self::Number(Literal::Int(x)) => Known::Int(by_value.then_some(*x)),
            Self::Number(Literal::Float(x)) => Known::Float(by_value.then_some(x.to_bits())),
        }
    }
}

/// A plan and what it is run on.
struct Planned {
    plan: Arc<Plan>,
    tensors: Vec<Tensor>,
    numbers: Vec<Literal>,
}

/// An operand that may still be NumPy's.
enum Operand<'py> {
    Given(Given),
    Host(DType, Placed<'py>),
}

/// A result: its element type, its extents, its bytes in row-major order.
type Result_<'py> = (&'static str, Bound<'py, PyTuple>, Bound<'py, PyArray1<u8>>);

#[pymethods]
impl Program {
    /// `wide`: integers become 64-bit floats where NumPy makes them so, not 32-bit ones.
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
            promotion: promotion(wide),
            plans: Mutex::default(),
        })
    }

    /// Computes the results of these operands, which stand in the order of the names, behind them
    /// those of `constants`: numbers, lazy arrays, or pairs of a NumPy array and the name of its
    /// element type.
    #[pyo3(signature = (operands, constants = Vec::new()))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        operands: Vec<Bound<'py, PyAny>>,
        constants: Vec<String>,
    ) -> PyResult<Vec<Result_<'py>>> {
        let context = context(py)?;
        let Planned {
            plan,
            tensors,
            numbers,
        } = self.planned(py, &context, &operands, constants)?;
        let results = py
            .detach(|| {
                let inputs: Vec<&Tensor> = tensors.iter().collect();
                context.run_given(&plan, &inputs, &numbers)
            })
            .map_err(|e| raised(py, e, Some(&self.source)))?;
        drop(tensors);
        let result = |tensor: &Tensor| {
            let shape = PyTuple::new(py, tensor.shape().extents())?;
            Ok((tensor.dtype().name(), shape, host::read(py, tensor)?))
        };
        results.iter().map(result).collect()
    }

    /// What running it on these operands does.
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
        let (mut tensors, mut numbers) = (Vec::new(), Vec::new());
        for operand in &given {
            match operand {
                Given::Tensor(tensor) => tensors.push(tensor.clone()),
                Given::Number(number) => numbers.push(*number),
            }
        }
        let kind = |by_value: bool| -> Kind {
            let known = given.iter().map(|x| x.known(by_value)).collect();
            (constants.clone(), known)
        };
        let known = |kind: &Kind| {
            self.plans()
                .get(kind)
                .filter(|p| p.is_for(&numbers))
                .cloned()
        };
        let any = kind(false);
        let found = known(&any).or_else(|| known(&kind(true)));
        let plan = match found {
            Some(plan) => plan,
            None => {
                let names = self.names_with(&constants);
                let plan = Arc::new(self.plan(py, context, &names, &given)?);
                let mut plans = self.plans();
                if plans.len() >= MOST_PLANS {
                    plans.clear();
                }
                let kind = match plans.contains_key(&any) {
                    true => kind(true),
                    false => any,
                };
                plans.insert(kind, plan.clone());
                plan
            }
        };
        Ok(Planned {
            plan,
            tensors,
            numbers,
        })
    }

    fn plans(&self) -> MutexGuard<'_, HashMap<Kind, Arc<Plan>>> {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The operands on the device; what is NumPy's is uploaded together.
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
        let mut uploaded = uploaded.into_iter().map(Given::Tensor);
        let given = operands.iter().map(|x| match x {
            Operand::Given(given) => Ok(given.clone()),
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
        if let Some(number) = literal(operand)? {
            return Ok(Operand::Given(Given::Number(number)));
        }
        let pair: (Bound<'_, PyUntypedArray>, PyBackedStr) = operand.extract().map_err(|_| {
            PyTypeError::new_err("an operand is a number, a lazy array or (array, type name)")
        })?;
        let (array, dtype) = pair;
        let dtype = host::dtype(&dtype)?;
        Ok(Operand::Host(dtype, host::placed(&array, dtype)?))
    }

    fn plan(
        &self,
        py: Python<'_>,
        context: &Context,
        names: &[String],
        given: &[Given],
    ) -> PyResult<Plan> {
        let planned = || {
            let slots: Vec<Slot> = given
                .iter()
                .filter_map(|x| match x {
                    Given::Number(_) => None,
                    Given::Tensor(tensor) => Some(tensor.slot()),
                })
                .collect();
            let mut numbers = 0..;
            let operands = given.iter().map(|x| match x {
                Given::Number(stand_in) => {
                    let index = numbers.next().unwrap_or_default();
                    Some(Expr::given(index, *stand_in))
                }
                Given::Tensor(_) => None,
            });
            let known = |i: usize| match &given[i] {
                Given::Number(_) => (DType::F64, Shape::scalar()),
                Given::Tensor(tensor) => (tensor.dtype(), tensor.shape().clone()),
            };
            let exprs = self.exprs(names, known, operands)?;
            context.plan(&exprs, &slots, &[], &self.options(context))
        };
        let plan = py.detach(planned);
        plan.map_err(|e| raised(py, text::with_hint(e), Some(&self.source)))
    }

    /// The results as expressions of slots, which are the operands that are no numbers, in order.
    /// `known` is the type and shape of each operand.
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
        context.options().with_promotion(self.promotion)
    }

    /// The names of operands, behind them those of constants for which there are some.
    pub fn names_with(&self, constants: &[String]) -> Vec<String> {
        [self.program.names(), constants].concat()
    }

    /// Fails if there is not an operand for each name.
    pub fn check_count(&self, constants: &[String], operands: usize) -> PyResult<()> {
        let names = self.program.names().len() + constants.len();
        if operands == names {
            return Ok(());
        }
        let message = format!("the text has {names} names, {operands} operands were given");
        Err(PyValueError::new_err(message))
    }
}

/// The text language: section, name, example and sentence of each entry.
#[pyfunction]
pub fn language() -> Vec<(&'static str, String, String, String)> {
    text::language()
        .map(|e| (e.chapter, e.form, e.example, e.doc))
        .collect()
}
