//! Gradients of arrays with respect to those from which they were computed, also after reads.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use zerostride::{Expr, Plan, Slot, Tensor};

use crate::context::{context, options_of};
use crate::errors::raised;
use crate::lazy::{Lazy, unplaced};
use crate::origin::leaves;
use crate::part::{Gradient, Leaf, Origin, Part, Step, bytes_of};

/// The gradients of an array with respect to others, each in the other's shape.
#[pyfunction]
pub fn gradient(py: Python<'_>, of: &Lazy, by: Vec<PyRef<'_, Lazy>>) -> PyResult<Vec<Lazy>> {
    let context = context(py)?;
    of.check_trace()?;
    by.iter().try_for_each(|a| a.check_trace())?;
    let failed = |error| raised(py, unplaced(error), None);
    let by: Vec<Part> = by.iter().map(|a| a.part()).collect();
    let mut whole = Whole::new(&by);
    let made = whole.built(&of.part()).map_err(failed)?;
    if let Some(i) = whole.unknown {
        let message = format!(
            "it is no longer known how the differentiated array depends on array {i}: only the \
             latest computed arrays keep their operations, within a limit of memory; call gradient \
             sooner, or compute the arrays again"
        );
        return Err(PyValueError::new_err(message));
    }
    let wanted = whole.wanted().map_err(failed)?;
    if let Some(i) = wanted.iter().position(|x| !made.contains(x)) {
        let message = format!("the differentiated array does not depend on array {i}");
        return Err(PyValueError::new_err(message));
    }
    let exprs = made.gradient(&wanted);
    let (numbered, tensors) = Expr::numbered(&exprs);
    let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
    let known = Plan::infer(&numbered, &slots, &options_of(&context, of.wide)).map_err(failed)?;
    let bytes = tensors.iter().map(bytes_of).fold(0, usize::saturating_add);
    let mut computed: Vec<Arc<Leaf>> = whole.computed.into_values().collect();
    computed.retain(|leaf| tensors.iter().any(|tensor| leaf.is_of(tensor)));
    let lazy = |(expr, (dtype, shape))| {
        let steps = Expr::node_count(std::slice::from_ref(&expr));
        let computed = computed.clone();
        let gradient = Gradient {
            expr,
            bytes,
            computed,
        };
        let part = Part::Gradient(Arc::new(gradient));
        Lazy::new(dtype, shape, part, steps).with_default_of(of)
    };
    Ok(exprs.into_iter().zip(known).map(lazy).collect())
}

/// A part, and whether it was met inside a computed operand. There an earlier gradient is a constant: arrays that were
/// updated by it, and computed, are not differentiated through the update.
type Key = (Place, bool);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    Leaf(*const Leaf),
    /// A step by its number, and which of its results.
    Step(u64, usize),
    Gradient(*const Gradient),
}

impl Place {
    fn of(part: &Part) -> Option<Self> {
        match part {
            Part::Leaf(leaf) => Some(Self::Leaf(Arc::as_ptr(leaf))),
            Part::Step(step, which) => Some(Self::Step(step.number, *which)),
            Part::Gradient(gradient) => Some(Self::Gradient(Arc::as_ptr(gradient))),
            Part::Number(_) => None,
        }
    }
}

/// Whether the origin of a computed operand is inside one. A gradient that was read counts as one that was not.
fn is_within(made: &Part, within: bool) -> bool {
    within || !matches!(made, Part::Gradient(_))
}

/// A part as an expression.
#[derive(Clone)]
struct Built {
    expr: Expr<Tensor>,
    /// Whether it contains an array of `by`.
    is_of: bool,
    /// Whether it differs from the part's own expression.
    is_other: bool,
}

/// The differentiated array as one expression of the arrays `by`, with respect to which it is differentiated.
struct Whole<'a> {
    by: &'a [Part],
    /// The index in `by` of the array at a place: the place of its elements, or of the step that computed them.
    stops: HashMap<Place, usize>,
    /// The number of the oldest of `by`: parts with no higher number contain none of them.
    oldest: u64,
    done: HashMap<Key, Built>,
    /// The results of steps that were rebuilt.
    again: HashMap<(*const Step, bool), Vec<Expr<Tensor>>>,
    /// The computed arrays whose elements the built expressions contain, and perhaps others.
    computed: HashMap<*const Leaf, Arc<Leaf>>,
    /// An array of `by` on which the differentiated one may depend in a way that was forgotten.
    unknown: Option<usize>,
}

impl<'a> Whole<'a> {
    fn new(by: &'a [Part]) -> Self {
        let mut stops = HashMap::new();
        let mut oldest = u64::MAX;
        for (i, part) in by.iter().enumerate() {
            stops.extend(Place::of(part).map(|place| (place, i)));
            oldest = oldest.min(match part {
                Part::Leaf(leaf) => leaf.since(),
                Part::Step(step, _) => step.number,
                Part::Number(_) | Part::Gradient(_) => 0,
            });
            // What was made of it before it was computed has it as a step.
            if let Part::Leaf(leaf) = part
                && let Some((step, which)) = leaf.step()
            {
                stops.insert(Place::Step(step, which), i);
            }
        }
        Self {
            by,
            stops,
            oldest,
            done: HashMap::new(),
            again: HashMap::new(),
            computed: HashMap::new(),
            unknown: None,
        }
    }

    /// The key of a place. An array of `by` is one expression wherever it occurs.
    fn key(&self, place: Place, within: bool) -> Key {
        (place, within && !self.stops.contains_key(&place))
    }

    /// Whether a part is too old to contain anything of `by`.
    fn is_old(&self, part: &Part) -> bool {
        match part {
            Part::Leaf(leaf) => leaf.number <= self.oldest,
            Part::Step(step, _) => step.number <= self.oldest,
            Part::Number(_) | Part::Gradient(_) => false,
        }
    }

    /// Builds the expression of a part, with the origins of those computed operands that contain something of `by`.
    fn built(&mut self, root: &Part) -> zerostride::Result<Expr<Tensor>> {
        let mut root = root.clone();
        // Of what is differentiated itself the formula counts, gradients in it too.
        if let Part::Leaf(leaf) = &root
            && Place::of(&root).is_none_or(|place| !self.stops.contains_key(&place))
            && let Origin::Made(made) = leaf.origin()
        {
            root = made;
        }
        self.check(&root)?;
        let mut stack = vec![(root.clone(), false, false)];
        while let Some((part, within, is_ready)) = stack.pop() {
            let Some(place) = Place::of(&part) else {
                continue;
            };
            let key = self.key(place, within);
            if self.done.contains_key(&key) {
                continue;
            }
            if !is_ready && !self.is_old(&part) {
                let below = self.below(&part, key.1);
                if !below.is_empty() {
                    stack.push((part, within, true));
                    stack.extend(below.into_iter().map(|(x, within)| (x, within, false)));
                    continue;
                }
            }
            let built = self.joined(&part, key.1)?;
            self.done.insert(key, built);
        }
        Ok(self.found(&root, false)?.expr)
    }

    /// The operands of a part, and whether each is inside a computed operand.
    fn below(&self, part: &Part, within: bool) -> Vec<(Part, bool)> {
        match part {
            Part::Leaf(leaf) => match leaf.origin() {
                Origin::Made(made) => {
                    let inner = is_within(&made, within);
                    vec![(made, inner)]
                }
                Origin::Forgotten(_) | Origin::None => Vec::new(),
            },
            Part::Step(step, _) => {
                let within = self.is_within_step(step, within);
                step.operands.iter().map(|x| (x.clone(), within)).collect()
            }
            Part::Gradient(gradient) if !within => {
                let part = |leaf| (Part::Leaf(Arc::clone(leaf)), false);
                gradient.computed.iter().map(part).collect()
            }
            Part::Number(_) | Part::Gradient(_) => Vec::new(),
        }
    }

    /// Whether the operands of a step are inside a computed operand: those of a computed array of `by` are.
    fn is_within_step(&self, step: &Step, within: bool) -> bool {
        let is_computed = |which| {
            let stop = self.stops.get(&Place::Step(step.number, which));
            stop.is_some_and(|&i| matches!(self.by[i], Part::Leaf(_)))
        };
        within || (0..step.formula.exprs.len()).any(is_computed)
    }

    /// Builds a part whose operands are built.
    fn joined(&mut self, part: &Part, within: bool) -> zerostride::Result<Built> {
        let stop = Place::of(part).and_then(|place| self.stops.get(&place).copied());
        match part {
            Part::Leaf(leaf) => self.joined_leaf(leaf, stop, within),
            Part::Step(step, which) => self.joined_step(step, *which, stop, within),
            Part::Gradient(gradient) if !within => self.joined_gradient(gradient),
            Part::Number(_) | Part::Gradient(_) => self.found(part, within),
        }
    }

    fn joined_leaf(
        &mut self,
        leaf: &Arc<Leaf>,
        stop: Option<usize>,
        within: bool,
    ) -> zerostride::Result<Built> {
        match leaf.origin() {
            Origin::Made(made) if !self.is_old(&Part::Leaf(Arc::clone(leaf))) => {
                let mut built = self.found(&made, is_within(&made, within))?;
                if built.is_of {
                    built.is_other = true;
                    return Ok(built);
                }
            }
            Origin::Forgotten(forgotten) => {
                let may_be =
                    |i: &usize| Some(*i) != stop && leaf.may_be_of(&forgotten, &self.by[*i]);
                self.unknown = self.unknown.or((0..self.by.len()).find(may_be));
            }
            Origin::Made(_) | Origin::None => {}
        }
        self.keep(leaf);
        Ok(Built {
            expr: leaf.tensor.expr(),
            is_of: stop.is_some(),
            is_other: false,
        })
    }

    fn joined_step(
        &mut self,
        step: &Arc<Step>,
        which: usize,
        stop: Option<usize>,
        within: bool,
    ) -> zerostride::Result<Built> {
        let within = self.is_within_step(step, within);
        let own = Part::Step(Arc::clone(step), which);
        if self.is_old(&own) {
            leaves(&own).iter().for_each(|leaf| self.keep(leaf));
        }
        if !within {
            step.operands.iter().try_for_each(|x| self.check(x))?;
        }
        let operands: Vec<Built> = step
            .operands
            .iter()
            .map(|x| self.found(x, within))
            .collect::<zerostride::Result<_>>()?;
        let is_of = operands.iter().any(|x| x.is_of);
        // The elements of what was computed are there, if nothing else is in it that is differentiated by.
        let by = self.by;
        if let Some(Part::Leaf(leaf)) = stop.map(|i| &by[i])
            && (!is_of || matches!(leaf.origin(), Origin::Forgotten(_)))
        {
            if is_of {
                self.unknown = self.unknown.or(stop);
            }
            self.keep(leaf);
            return Ok(Built {
                expr: leaf.tensor.expr(),
                is_of: true,
                is_other: true,
            });
        }
        let is_other = operands.iter().any(|x| x.is_other);
        let exprs = match is_other {
            false => step.exprs()?,
            true => match self.again.entry((Arc::as_ptr(step), within)) {
                Entry::Occupied(made) => made.into_mut(),
                Entry::Vacant(place) => {
                    let operands: Vec<_> = operands.into_iter().map(|x| x.expr).collect();
                    place.insert(Expr::substitute(&step.formula.exprs, &operands)?)
                }
            },
        };
        Ok(Built {
            expr: exprs[which].clone(),
            is_of: is_of || stop.is_some(),
            is_other,
        })
    }

    /// Builds an earlier gradient, with the origins of its computed operands.
    fn joined_gradient(&mut self, gradient: &Arc<Gradient>) -> zerostride::Result<Built> {
        let own = self.found(&Part::Gradient(Arc::clone(gradient)), false)?;
        let found = |leaf| self.found(&Part::Leaf(Arc::clone(leaf)), false);
        let made = gradient.computed.iter().map(found);
        let made: Vec<Built> = made.collect::<zerostride::Result<_>>()?;
        // What stands for the elements themselves is no other.
        let is_own = |(leaf, x): (&Arc<Leaf>, &Built)| leaf.tensor.expr().contains(&x.expr);
        if gradient.computed.iter().zip(&made).all(is_own) {
            return Ok(own);
        }
        // A step of its own stays behind where it is made anew.
        let is_in = |x: &Part| x.expr().is_ok_and(|x| own.expr.contains(&x));
        let is_left = |x: &Part| matches!(x, Part::Step(..)) && is_in(x);
        self.unknown = self.unknown.or(self.by.iter().position(is_left));
        let (numbered, tensors) = Expr::numbered(&[own.expr]);
        let operand = |tensor: &Tensor| {
            let known = gradient.computed.iter().position(|leaf| leaf.is_of(tensor));
            known.map_or_else(|| tensor.expr(), |i| made[i].expr.clone())
        };
        let operands: Vec<_> = tensors.iter().map(operand).collect();
        Ok(Built {
            expr: Expr::substitute(&numbered, &operands)?.swap_remove(0),
            is_of: true,
            is_other: true,
        })
    }

    fn keep(&mut self, leaf: &Arc<Leaf>) {
        if !matches!(leaf.origin(), Origin::None) {
            self.computed.insert(Arc::as_ptr(leaf), Arc::clone(leaf));
        }
    }

    /// Finds an array of `by` that an earlier gradient contains as a step, which the array's elements do not replace.
    fn check(&mut self, part: &Part) -> zerostride::Result<()> {
        let Part::Gradient(gradient) = part else {
            return Ok(());
        };
        for (i, by) in self.by.iter().enumerate() {
            if let Part::Leaf(leaf) = by
                && let Origin::Made(made @ Part::Step(..)) = leaf.origin()
                && gradient.expr.contains(&made.expr()?)
            {
                self.unknown = self.unknown.or(Some(i));
            }
        }
        Ok(())
    }

    /// The built expression of a part.
    fn found(&self, part: &Part, within: bool) -> zerostride::Result<Built> {
        let place = Place::of(part);
        if let Some(built) = place.and_then(|place| self.done.get(&self.key(place, within))) {
            return Ok(built.clone());
        }
        let is_of = match part {
            Part::Gradient(gradient) if !within => {
                let by = self.by.iter().map(Part::expr);
                by.collect::<zerostride::Result<Vec<_>>>()?
                    .iter()
                    .any(|x| gradient.expr.contains(x))
            }
            _ => false,
        };
        Ok(Built {
            expr: part.expr()?,
            is_of,
            is_other: false,
        })
    }

    /// The arrays of `by` as they occur in the built expression.
    fn wanted(&self) -> zerostride::Result<Vec<Expr<Tensor>>> {
        let expr = |(i, part): (usize, &Part)| {
            let own = self.found(part, false)?;
            // Nobody may have it but by its step.
            let mut places = self.stops.iter().filter(|(_, stop)| **stop == i);
            let met = places.find_map(|(place, _)| self.done.get(&(*place, false)));
            Ok(met.unwrap_or(&own).expr.clone())
        };
        self.by.iter().enumerate().map(expr).collect()
    }
}
