//! Models on a device.

use std::fmt;

use zerostride::{Context, Error, HostTensor, Plan, Result, Slot, Tensor};

use super::bound::{Bound, Output, Source};
use super::fault::{at, refused};
use super::file::Model;

/// The most plans that a session keeps.
const KEPT: usize = 16;

/// A model on a context. It keeps plans and their compiled kernels by the shapes of the inputs, so
/// another run with the same shapes compiles nothing.
pub struct Session {
    model: Model,
    context: Context,
    /// The initializers that are on the device.
    constants: Vec<Option<Tensor>>,
    /// The plans that are kept; the last one was used last.
    ready: Vec<Ready>,
}

/// The plan for inputs of some shapes, and its constants.
struct Ready {
    slots: Vec<Option<Slot>>,
    bound: Bound,
    /// `None` if all outputs are known.
    plan: Option<Plan>,
    /// The constants that the plan reads, by the numbers of its slots.
    constants: Vec<Option<Tensor>>,
    /// The outputs that are known, on the device.
    known: Vec<Option<Tensor>>,
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("model", &self.model)
            .field("ready", &self.ready.len())
            .finish_non_exhaustive()
    }
}

impl Model {
    /// A session, which runs the model on a context.
    ///
    /// ```no_run
    /// use zerostride::Context;
    /// use zerostride_onnx::Model;
    ///
    /// let context = Context::request_blocking()?;
    /// let x = context.tensor(&[1.0f32, -2.0, 3.0], [3])?;
    /// let mut session = Model::open("relu.onnx")?.session(&context);
    /// let outputs = session.run(&[("x", &x)])?;
    /// println!("{}", outputs[0].1.to_host_blocking()?);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    pub fn session(&self, context: &Context) -> Session {
        Session::new(self.clone(), context.clone())
    }
}

impl Session {
    fn new(model: Model, context: Context) -> Self {
        let count = model.0.constants.len();
        Self {
            model,
            context,
            constants: vec![None; count],
            ready: Vec::new(),
        }
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// Computes the outputs for these inputs, by name. Inputs on which shapes depend are read back
    /// from the device before anything runs.
    ///
    /// # Errors
    /// [`Error::Argument`] for inputs that are missing, unknown, or of another type or shape than
    /// declared, and for shapes that do not fit, with the node's name; those of
    /// [`Context::plan`] and [`Context::run`].
    pub fn run(&mut self, inputs: &[(&str, &Tensor)]) -> Result<Vec<(String, Tensor)>> {
        let given = self.given(inputs)?;
        let ready = self.ready(&given)?;
        let ready = &self.ready[ready];
        let made = match &ready.plan {
            Some(plan) => self.context.run(plan, &ready.operands(&given)?)?,
            None => Vec::new(),
        };
        ready.outputs(made)
    }

    /// Returns the model bound to these inputs: its nodes, their shapes, and the passes that
    /// compute them. Runs nothing.
    ///
    /// # Errors
    /// Those of [`run`](Self::run) that come before the plan runs.
    pub fn bound(&mut self, inputs: &[(&str, &Tensor)]) -> Result<&Bound> {
        let given = self.given(inputs)?;
        let ready = self.ready(&given)?;
        Ok(&self.ready[ready].bound)
    }

    /// Finds or makes the plan for these inputs, makes it the last one, and returns its index.
    fn ready(&mut self, given: &[Option<&Tensor>]) -> Result<usize> {
        match self.kept(given)? {
            Some(at) => self.ready[at..].rotate_left(1),
            None => {
                let ready = self.made(given)?;
                if self.ready.len() == KEPT {
                    self.ready.remove(0);
                }
                self.ready.push(ready);
            }
        }
        Ok(self.ready.len() - 1)
    }

    /// The tensors in the order of the model's inputs.
    fn given<'a>(&self, inputs: &[(&str, &'a Tensor)]) -> Result<Vec<Option<&'a Tensor>>> {
        let mut given = vec![None; self.model.inputs().len()];
        for (name, tensor) in inputs {
            self.model.put(name, *tensor, &mut given)?;
        }
        Ok(given)
    }

    /// The index of the plan that is kept for these inputs.
    fn kept(&self, given: &[Option<&Tensor>]) -> Result<Option<usize>> {
        let slots: Vec<Option<Slot>> = given.iter().map(|t| t.map(Tensor::slot)).collect();
        let mut read: Vec<Option<HostTensor>> = vec![None; given.len()];
        for (at, ready) in self.ready.iter().enumerate() {
            if ready.slots != slots {
                continue;
            }
            let mut fits = true;
            for (input, elements) in ready.bound.read() {
                let host = match (&mut read[input], given[input]) {
                    (Some(host), _) => &*host,
                    (none, Some(tensor)) => none.insert(tensor.to_host_blocking()?),
                    (_, None) => continue,
                };
                fits &= **elements == *host;
            }
            if fits {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Plans the model for these inputs.
    fn made(&mut self, given: &[Option<&Tensor>]) -> Result<Ready> {
        let slots: Vec<Option<Slot>> = given.iter().map(|t| t.map(Tensor::slot)).collect();
        let read = |input: usize| match given[input] {
            Some(tensor) => tensor.to_host_blocking(),
            None => Err(refused(format!("input {input} is not given"))),
        };
        let options = self.context.options();
        let bound = self.model.bind_with(&slots, &options, &read)?;
        let mut constants = Vec::with_capacity(bound.sources().len());
        let mut whole = Vec::with_capacity(bound.sources().len());
        for (source, slot) in bound.sources().iter().zip(bound.slots()) {
            let tensor = match source {
                Source::Input(_) => None,
                Source::Initializer(k) => Some(self.constant(*k)?),
                Source::Folded(host) => Some(self.context.tensor_from_host(host)?),
            };
            whole.push(tensor.as_ref().map_or_else(|| slot.clone(), Tensor::slot));
            constants.push(tensor);
        }
        let plan = match bound.exprs() {
            [] => None,
            exprs => {
                let plan = self.context.plan(exprs, &whole, &[], &options);
                Some(plan.map_err(|e| bound.named(e))?)
            }
        };
        let known = |output: &Output| match output.known() {
            Some(host) => self.context.tensor_from_host(host).map(Some),
            None => Ok(None),
        };
        let known = bound.outputs().iter().map(known).collect::<Result<_>>()?;
        Ok(Ready {
            slots,
            plan,
            constants,
            known,
            bound,
        })
    }

    /// An initializer on the device.
    fn constant(&mut self, k: usize) -> Result<Tensor> {
        if let Some(tensor) = &self.constants[k] {
            return Ok(tensor.clone());
        }
        let host = &self.model.0.constants[k].elements;
        let tensor = self.context.tensor_from_host(host)?;
        self.constants[k] = Some(tensor.clone());
        Ok(tensor)
    }
}

impl Ready {
    /// The tensors of the plan's slots.
    fn operands<'a>(&'a self, given: &[Option<&'a Tensor>]) -> Result<Vec<&'a Tensor>> {
        let operand = |(source, constant): (&Source, &'a Option<Tensor>)| match (source, constant) {
            (Source::Input(i), _) => given[*i].ok_or_else(|| missing(*i)),
            (_, Some(tensor)) => Ok(tensor),
            (_, None) => Err(refused("a constant is missing".into())),
        };
        let sources = self.bound.sources().iter();
        sources.zip(&self.constants).map(operand).collect()
    }

    /// The outputs: `made`, which the plan computed, and those that are known.
    fn outputs(&self, made: Vec<Tensor>) -> Result<Vec<(String, Tensor)>> {
        let mut made = made.into_iter();
        let outputs = self.bound.outputs().iter().zip(&self.known);
        outputs
            .map(|(output, known)| {
                let tensor = match known {
                    Some(tensor) => tensor.clone(),
                    None => made
                        .next()
                        .ok_or_else(|| at(output.name(), refused("it was not computed".into())))?,
                };
                Ok((output.name().to_owned(), tensor))
            })
            .collect()
    }
}

fn missing(i: usize) -> Error {
    refused(format!("input {i} is not given"))
}
