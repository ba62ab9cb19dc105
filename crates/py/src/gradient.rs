//! Gradients of arrays by those that they are made of, whatever of them was computed since.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zerostride::{Expr, Plan, Slot, Tensor};

use crate::context::{context, options};
use crate::errors::raised;
use crate::lazy::{Lazy, unplaced};
use crate::origin::{Leaf, Origin};
use crate::step::{Part, Step};

/// The gradient of an array by others, each in the shape of its own.
#[pyfunction]
pub fn gradient(py: Python<'_>, of: &Lazy, by: Vec<PyRef<'_, Lazy>>) -> PyResult<Vec<Lazy>> {
    let context = context(py)?;
    of.check_trace()?;
    by.iter().try_for_each(|a| a.check_trace())?;
    let failed = |error| raised(py, unplaced(error), None);
    let by: Vec<Part> = by.iter().map(|a| a.part()).collect();
    let mut whole = Whole::new(&by).map_err(failed)?;
    let made = whole.built(&of.part()).map_err(failed)?;
    if let Some(i) = whole.unknown {
        let message = format!(
            "what array {i} has to do with what is differentiated is no longer known: of arrays that \
             were computed long ago, or of much memory that is gone, the elements alone are kept; take \
             the gradient sooner, or compute anew what is differentiated"
        );
        return Err(PyValueError::new_err(message));
    }
    if let Some(i) = whole.wanted.iter().position(|x| !made.contains(x)) {
        let message = format!("array {i} is no part of what is differentiated");
        return Err(PyValueError::new_err(message));
    }
    let exprs = made.gradient(&whole.wanted);
    let (numbered, tensors) = Expr::numbered(&exprs);
    let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
    let known = Plan::infer(&numbered, &slots, &options(&context)).map_err(failed)?;
    let lazy = |(expr, (dtype, shape))| {
        let steps = Expr::node_count(std::slice::from_ref(&expr));
        Lazy::new(dtype, shape, Part::Expr(expr), steps)
    };
    Ok(exprs.into_iter().zip(known).map(lazy).collect())
}

/// A part, and whether it was met in what a computed operand was made of. There a gradient that was taken before is a number:
/// arrays that were updated by it, and computed, are not differentiated through the update.
type Key = (Place, bool);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Leaf(*const Leaf),
    Step(*const Step, usize),
}

impl Place {
    fn of(part: &Part) -> Option<Self> {
        match part {
            Part::Leaf(leaf) => Some(Self::Leaf(Arc::as_ptr(leaf))),
            Part::Step(step, which) => Some(Self::Step(Arc::as_ptr(step), *which)),
            Part::Number(_) | Part::Expr(_) => None,
        }
    }
}

/// Whether what a computed operand was made of is met in such: a gradient that was read is one that was not.
fn is_within(made: &Part, within: bool) -> bool {
    within || !matches!(made, Part::Expr(_))
}

/// A part as an expression.
#[derive(Clone)]
struct Built {
    expr: Expr<Tensor>,
    /// Whether an array is in it by which is differentiated.
    is_of: bool,
    /// Whether it is another expression than the part's own.
    is_other: bool,
}

/// What is differentiated as one expression of what it is differentiated by.
struct Whole<'a> {
    by: &'a [Part],
    wanted: Vec<Expr<Tensor>>,
    /// The places of `by`, and whether there something else stands.
    stops: HashMap<Place, (Expr<Tensor>, bool)>,
    done: HashMap<Key, Built>,
    /// The results of steps that were made anew.
    again: HashMap<(*const Step, bool), Vec<Expr<Tensor>>>,
    /// An array that what is differentiated may have been made of.
    unknown: Option<usize>,
}

impl<'a> Whole<'a> {
    fn new(by: &'a [Part]) -> zerostride::Result<Self> {
        let wanted: Vec<_> = by
            .iter()
            .map(Part::expr)
            .collect::<zerostride::Result<_>>()?;
        let mut stops = HashMap::new();
        for (part, expr) in by.iter().zip(&wanted) {
            stops.extend(Place::of(part).map(|place| (place, (expr.clone(), false))));
            // What was made of it before it was computed has it as a step.
            if let Part::Leaf(leaf) = part
                && let Origin::Made(made) = leaf.origin()
            {
                stops.extend(Place::of(&made).map(|place| (place, (expr.clone(), true))));
            }
        }
        Ok(Self {
            by,
            wanted,
            stops,
            done: HashMap::new(),
            again: HashMap::new(),
            unknown: None,
        })
    }

    /// The expression of a part, and of what its computed operands were made of as far as something of `by` is in it.
    fn built(&mut self, root: &Part) -> zerostride::Result<Expr<Tensor>> {
        let mut root = root.clone();
        // Of what is differentiated itself the formula counts, gradients in it too.
        if let Part::Leaf(leaf) = &root
            && Place::of(&root).is_none_or(|place| !self.stops.contains_key(&place))
            && let Origin::Made(made) = leaf.origin()
        {
            root = made;
        }
        let mut stack = vec![(root.clone(), false, false)];
        while let Some((part, within, is_ready)) = stack.pop() {
            let Some(place) = Place::of(&part) else {
                continue;
            };
            if self.done.contains_key(&(place, within)) {
                continue;
            }
            if let Some((expr, is_other)) = self.stops.get(&place) {
                let built = Built {
                    expr: expr.clone(),
                    is_of: true,
                    is_other: *is_other,
                };
                self.done.insert((place, within), built);
                continue;
            }
            match (&part, is_ready) {
                (Part::Leaf(leaf), false) if matches!(leaf.origin(), Origin::Made(_)) => {
                    if let Origin::Made(made) = leaf.origin() {
                        let inner = is_within(&made, within);
                        stack.push((part, within, true));
                        stack.push((made, inner, false));
                    }
                }
                (Part::Step(step, _), false) => {
                    let operands = step.operands.clone();
                    stack.push((part, within, true));
                    stack.extend(operands.into_iter().map(|x| (x, within, false)));
                }
                _ => {
                    let built = self.joined(&part, within)?;
                    self.done.insert((place, within), built);
                }
            }
        }
        Ok(self.found(&root, false)?.expr)
    }

    /// A part whose own parts are built.
    fn joined(&mut self, part: &Part, within: bool) -> zerostride::Result<Built> {
        let own = |expr| Built {
            expr,
            is_of: false,
            is_other: false,
        };
        match part {
            Part::Leaf(leaf) => {
                match leaf.origin() {
                    Origin::Made(made) => {
                        let built = self.found(&made, is_within(&made, within))?;
                        if built.is_of {
                            return Ok(Built {
                                is_other: true,
                                ..built
                            });
                        }
                    }
                    Origin::Forgotten(ancestors) => {
                        let may_be = |by: &Part| leaf.may_be_of(&ancestors, by);
                        self.unknown = self.unknown.or(self.by.iter().position(may_be));
                    }
                    Origin::None => {}
                }
                Ok(own(leaf.tensor.expr()))
            }
            Part::Step(step, which) => {
                let operands: Vec<Built> = step
                    .operands
                    .iter()
                    .map(|x| self.found(x, within))
                    .collect::<zerostride::Result<_>>()?;
                let is_of = operands.iter().any(|x| x.is_of);
                let is_other = operands.iter().any(|x| x.is_other);
                let exprs = match is_other {
                    false => step.exprs()?,
                    true => {
                        let key = (Arc::as_ptr(step), within);
                        match self.again.entry(key) {
                            Entry::Occupied(made) => made.into_mut(),
                            Entry::Vacant(place) => {
                                let operands: Vec<_> =
                                    operands.into_iter().map(|x| x.expr).collect();
                                place.insert(Expr::substitute(&step.formula.exprs, &operands)?)
                            }
                        }
                    }
                };
                Ok(Built {
                    expr: exprs[*which].clone(),
                    is_of,
                    is_other,
                })
            }
            Part::Number(_) | Part::Expr(_) => Ok(own(part.expr()?)),
        }
    }

    /// What is built of a part.
    fn found(&self, part: &Part, within: bool) -> zerostride::Result<Built> {
        if let Some(built) = Place::of(part).and_then(|place| self.done.get(&(place, within))) {
            return Ok(built.clone());
        }
        let expr = part.expr()?;
        let is_of = match part {
            Part::Expr(expr) if !within => self.wanted.iter().any(|x| expr.contains(x)),
            _ => false,
        };
        Ok(Built {
            expr,
            is_of,
            is_other: false,
        })
    }
}
