//! Types, shapes and elements of a model's inputs before it is bound.

use std::collections::HashMap;

use zerostride::{DType, HostTensor, Result, Shape, Slot};

use super::fault::{at, refused, shown};
use super::file::Model;
use super::loaded::{Extent, InputInfo, check};

/// An input for binding.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Given {
    /// Its type and shape.
    Slot(Slot),
    /// Its elements.
    Elements(HostTensor),
}

impl Model {
    /// The inputs that are not given and whose shapes are unknown: an extent is declared neither as
    /// a number nor by a name that an extent of a given input has.
    ///
    /// # Errors
    /// [`Error::Argument`](zerostride::Error::Argument) for a name that no input has, and for an input of
    /// another type or shape than declared.
    pub fn missing(&self, inputs: &[(&str, Given)]) -> Result<Vec<&InputInfo>> {
        let slots = self.slots(inputs)?;
        let all = self.inputs().iter().zip(slots);
        let missing = all.filter(|(input, slot)| slot.is_none() && !input.is_optional);
        Ok(missing.map(|(input, _)| input).collect())
    }

    /// The types and shapes of all inputs in the model's order; `None` if the shape is unknown.
    pub(super) fn slots(&self, inputs: &[(&str, Given)]) -> Result<Vec<Option<Slot>>> {
        let mut slots: Vec<Option<Slot>> = vec![None; self.inputs().len()];
        let slot = |name: &str, dtype: DType, shape: Shape| {
            let slot = Slot::new(dtype, shape);
            slot.map_err(|e| at(format!("input \"{}\"", shown(name)), e))
        };
        for (name, given) in inputs {
            let slot = match given {
                Given::Slot(slot) => slot.clone(),
                Given::Elements(host) => slot(name, host.dtype, host.layout.shape().clone())?,
            };
            self.put(name, slot, &mut slots)?;
        }
        let mut extents = HashMap::new();
        for (input, slot) in self.inputs().iter().zip(&slots) {
            if let Some(slot) = slot {
                check(input, slot, &mut extents)?;
            }
        }
        for (input, given) in self.inputs().iter().zip(&mut slots) {
            if given.is_none()
                && !input.is_optional
                && let Some(shape) = shape(input, &extents)
            {
                *given = Some(slot(&input.name, input.dtype, shape)?);
            }
        }
        Ok(slots)
    }

    /// Stores the value of an input at its place in the model's order.
    pub(super) fn put<T>(&self, name: &str, given: T, all: &mut [Option<T>]) -> Result<()> {
        let known = self.inputs();
        let Some(place) = known.iter().position(|i| i.name == name) else {
            let names: Vec<String> = known.iter().take(12).map(|i| shown(&i.name)).collect();
            let more = ["", " ..."][usize::from(known.len() > names.len())];
            return Err(refused(format!(
                "it has no input \"{}\"; its inputs are {}{more}",
                shown(name),
                names.join(", ")
            )));
        };
        if all[place].replace(given).is_some() {
            let name = shown(name);
            return Err(refused(format!("the input \"{name}\" is given twice")));
        }
        Ok(())
    }
}

/// The shape of an input, if all its extents are declared as numbers or by names that have one.
fn shape(input: &InputInfo, named: &HashMap<&str, usize>) -> Option<Shape> {
    let number = |extent: &Extent| match extent {
        Extent::Fixed(n) => Some(*n),
        Extent::Named(name) => named.get(&**name).copied(),
        Extent::Any => None,
    };
    let extents = input.extents.as_ref()?.iter().map(number);
    extents.collect::<Option<Vec<_>>>().map(Shape::from)
}
