//! `Program`: a text that is parsed once and planned once for each kind of operands.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use numpy::{PyArray1, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use zerostride::{Context, Expr, Literal, Options, Plan, Promotion, Rule, Slot, Tensor, text};

use crate::context::context;
use crate::errors::raised;
use crate::host;
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
    promotion: Promotion,
    plans: Mutex<HashMap<Kind, Arc<Plan>>>,
}

/// The names of constants for which operands are given, and what is known of all operands.
type Kind = (Vec<String>, Vec<Known>);

/// What a plan knows of an operand.
#[derive(PartialEq, Eq, Hash)]
enum Known {
    Slot(Slot),
    Bool(bool),
    Int(i128),
    Float(u64),
}

/// An operand of a program.
enum Given {
    Tensor(Tensor),
    Number(Literal),
}

impl Given {
    fn known(&self) -> Known {
        match self {
            Self::Tensor(tensor) => Known::Slot(tensor.slot()),
            Self::Number(Literal::Bool(x)) => Known::Bool(*x),
            Self::Number(Literal::Int(x)) => Known::Int(*x),
            Self::Number(Literal::Float(x)) => Known::Float(x.to_bits()),
        }
    }
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
        let promotion = if wide {
            Promotion::Numpy
        } else {
            Promotion::F32
        };
        Ok(Self {
            source,
            program,
            promotion,
            plans: Mutex::default(),
        })
    }

    /// The names of the operands.
    #[getter]
    fn names(&self) -> Vec<String> {
        self.program.names().to_vec()
    }

    /// The names of constants in it, for which operands may be given.
    #[getter]
    fn constants(&self) -> Vec<&'static str> {
        let uses = |name: &&str| self.program.uses(name);
        CONSTANTS.into_iter().filter(uses).collect()
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
        let (plan, tensors) = self.planned(py, &context, &operands, constants)?;
        let results = py
            .detach(|| context.run(&plan, &tensors.iter().collect::<Vec<_>>()))
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
        Ok(self
            .planned(py, &context, &operands, constants)?
            .0
            .to_string())
    }
}

impl Program {
    fn planned(
        &self,
        py: Python<'_>,
        context: &Context,
        operands: &[Bound<'_, PyAny>],
        constants: Vec<String>,
    ) -> PyResult<(Arc<Plan>, Vec<Tensor>)> {
        let names = self.names_with(&constants, operands.len())?;
        let given: Vec<Given> = operands
            .iter()
            .map(|x| self.given(py, context, x))
            .collect::<PyResult<_>>()?;
        let key: Kind = (constants, given.iter().map(Given::known).collect());
        let known = self
            .plans
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&key)
            .cloned();
        let plan = match known {
            Some(plan) => plan,
            None => {
                let plan = py.detach(|| self.plan(context, &names, &given));
                let plan = plan.map_err(|e| raised(py, text::with_hint(e), Some(&self.source)))?;
                let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
                if plans.len() >= MOST_PLANS {
                    plans.clear();
                }
                plans.insert(key, plan.clone());
                plan
            }
        };
        let tensors = given.into_iter().filter_map(|x| match x {
            Given::Tensor(tensor) => Some(tensor),
            Given::Number(_) => None,
        });
        Ok((plan, tensors.collect()))
    }

    fn given(
        &self,
        py: Python<'_>,
        context: &Context,
        operand: &Bound<'_, PyAny>,
    ) -> PyResult<Given> {
        if let Ok(lazy) = operand.cast::<Lazy>() {
            return Ok(Given::Tensor(lazy.get().tensor(py)?));
        }
        if let Some(number) = literal(operand)? {
            return Ok(Given::Number(number));
        }
        let pair: (Bound<'_, PyUntypedArray>, String) = operand.extract().map_err(|_| {
            PyTypeError::new_err("an operand is a number, a lazy array or (array, type name)")
        })?;
        let (array, dtype) = pair;
        Ok(Given::Tensor(host::tensor(
            context,
            &array,
            host::dtype(&dtype)?,
        )?))
    }

    fn plan(
        &self,
        context: &Context,
        names: &[String],
        given: &[Given],
    ) -> zerostride::Result<Arc<Plan>> {
        let slots: Vec<Slot> = given
            .iter()
            .filter_map(|x| match x {
                Given::Number(_) => None,
                Given::Tensor(tensor) => Some(tensor.slot()),
            })
            .collect();
        let numbers = given.iter().map(|x| match x {
            Given::Number(number) => Some(*number),
            Given::Tensor(_) => None,
        });
        let exprs = self.exprs(names, numbers)?;
        let options = self.options(context);
        Ok(Arc::new(context.plan(&exprs, &slots, &[], &options)?))
    }

    /// The results as expressions of slots, which are the operands that are no numbers, in order.
    pub fn exprs(
        &self,
        names: &[String],
        operands: impl Iterator<Item = Option<Literal>>,
    ) -> zerostride::Result<Vec<Expr<usize>>> {
        let mut slots = 0..;
        let leaves: Vec<Expr<usize>> = operands
            .map(|number| match number {
                Some(number) => Expr::literal(number),
                None => Expr::slot(slots.next().unwrap_or_default()),
            })
            .collect();
        Expr::substitute(&self.program.bind(names, &Rule::Numpy)?, &leaves)
    }

    pub fn options(&self, context: &Context) -> Options {
        context.options().with_promotion(self.promotion)
    }

    /// The names of operands, behind them those of constants for which there are some.
    pub fn names_with(&self, constants: &[String], found: usize) -> PyResult<Vec<String>> {
        let names = [self.program.names(), constants].concat();
        if found != names.len() {
            let wanted = names.len();
            let message = format!("the text has {wanted} names, {found} operands were given");
            return Err(PyValueError::new_err(message));
        }
        Ok(names)
    }
}

/// The text language: section, name, example and sentence of each entry.
#[pyfunction]
pub fn language() -> Vec<(&'static str, String, String, String)> {
    text::language()
        .map(|e| (e.chapter, e.form, e.example, e.doc))
        .collect()
}
