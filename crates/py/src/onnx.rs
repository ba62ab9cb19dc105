//! ONNX models.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use pyo3::prelude::*;
use zerostride::Tensor;
use zerostride_onnx::{Extent, Model, Session};

use crate::context::context;
use crate::errors::raised;
use crate::lazy::Lazy;

/// An input: its name, element type and extents; `None` for an extent that may be anything, and for
/// all if the rank is not known.
type Input = (String, &'static str, Option<Vec<Option<String>>>);

/// A model, and its plans on the only context.
#[pyclass(frozen, module = "zerostride._core")]
pub struct OnnxModel {
    model: Model,
    session: Mutex<Option<Session>>,
}

#[pymethods]
impl OnnxModel {
    /// Reads the model of a file.
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let model = py.detach(|| Model::open(path));
        Ok(Self {
            model: model.map_err(|error| raised(py, error, None))?,
            session: Mutex::new(None),
        })
    }

    /// The inputs as they are declared.
    #[getter]
    fn inputs(&self) -> Vec<Input> {
        let extent = |extent: &Extent| match extent {
            Extent::Any => None,
            other => Some(other.to_string()),
        };
        let all = self.model.inputs().iter();
        all.map(|input| {
            let extents = input.extents.as_ref();
            let extents = extents.map(|all| all.iter().map(extent).collect());
            (input.name.clone(), input.dtype.name(), extents)
        })
        .collect()
    }

    /// The names of the outputs.
    #[getter]
    fn outputs(&self) -> Vec<String> {
        self.model.outputs().map(str::to_owned).collect()
    }

    /// Computes the outputs for inputs of these names.
    fn run(
        &self,
        py: Python<'_>,
        names: Vec<String>,
        arrays: Vec<PyRef<'_, Lazy>>,
    ) -> PyResult<Vec<Lazy>> {
        let context = context(py)?;
        Lazy::compute(py, &arrays.iter().map(|a| &**a).collect::<Vec<_>>())?;
        let tensors = arrays.iter().map(|array| array.tensor(py));
        let tensors: Vec<Arc<Tensor>> = tensors.collect::<PyResult<_>>()?;
        let found = py.detach(|| {
            let names = names.iter().map(String::as_str);
            let inputs: Vec<(&str, &Tensor)> = names.zip(tensors.iter().map(|t| &**t)).collect();
            let mut session = self.session.lock().unwrap_or_else(PoisonError::into_inner);
            let session = session.get_or_insert_with(|| self.model.session(&context));
            session.run(&inputs)
        });
        let found = found.map_err(|error| raised(py, error, None))?;
        Ok(found.into_iter().map(|(_, y)| Lazy::ready(y)).collect())
    }
}
