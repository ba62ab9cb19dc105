//! Windows: a result that one dispatch cannot compute is cut into boxes, each an ordinary pass.
//!
//! A window is a run of the result in row-major order: one index along the outer axes, a range
//! along one axis, and all of the axes inside it. So its elements are contiguous in the output, and
//! every input is looked at through smaller extents and a moved offset. An input in another axis
//! order, of which every window would reach nearly everything, is first gathered: the elements a
//! window needs are moved, in the input's own order, to an intermediate result that fits.

use super::body::Body;
use super::boxes::Window;
use super::canonical::Canonical;
use super::fit::{Fit, distinct, gather_layouts};
use super::joined::{OwnPiece, held, own_pieces};
use super::lower::lower;
use super::operand::{Destination, Operand, Source, Target};
use super::pass::Pass;
use super::planner::Planner;
use super::slot::Slot;
use super::windowed::{Group, Part, Place, Role};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::shape::Shape;
use crate::view::Map;

/// Windows a pass may be cut into.
pub(super) const MAX_WINDOWS: usize = 1 << 16;

impl Planner<'_> {
    /// Adds the passes of a body window by window: of a part of a result, or of all of it.
    pub fn push_windows(
        &mut self,
        body: &Body,
        to: &Destination,
        part: Option<Part>,
    ) -> Result<()> {
        let (limits, slot) = (self.limits(), &to.slot);
        let shape = slot.layout.shape();
        let layouts: Vec<&Layout> = body.inputs.iter().map(|x| &x.slot.layout).collect();
        let canonical = Canonical::new(shape, &layouts);
        let fit = Fit {
            canonical: &canonical,
            sizes: body.inputs.iter().map(|x| x.slot.dtype.size()).collect(),
            taken: body.inputs.iter().map(Operand::taken).collect(),
            output: slot.dtype.size(),
            elements: limits.elements(body.is_dense()),
            limits,
        };
        let (cut, gathered) = fit.choose().ok_or_else(|| to.too_large(limits))?;
        let extents = &canonical.extents;
        let count = cut.len(extents);
        if count > MAX_WINDOWS {
            let reason = format!(
                "shape {shape} would be computed in {count} windows, of which a plan has at most {MAX_WINDOWS}; \
                 materialize inputs in the order of the result, or compute it in parts"
            );
            return Err(Error::argument("plan", reason));
        }
        let on_canonical = |(layout, strides): (&&Layout, &Vec<isize>)| {
            Layout::new(extents.clone(), strides.clone(), layout.offset())
        };
        let whole = layouts.iter().zip(&canonical.strides).map(on_canonical);
        let whole: Vec<Layout> = whole.collect::<Result<_>>()?;
        let largest = cut.largest(extents);
        let mut temporaries = Vec::new();
        for (i, input) in body.inputs.iter().enumerate() {
            let len = distinct(&largest, &canonical.strides[i]).unwrap_or(usize::MAX);
            temporaries.push(gathered[i].then(|| self.temporary(input.slot.dtype, len)));
        }
        let windows: Vec<Window> = cut.windows(extents).collect();
        let part = part.unwrap_or_else(|| self.group(shape, to.target));
        let begun = self.groups[part.group].windows;
        self.groups[part.group].windows += windows.len();
        let (mut temporary, len) = (None, largest.iter().product());
        for (number, window) in windows.iter().enumerate() {
            let first = window.first(extents);
            let place = |role| Place {
                group: part.group,
                number: begun + number,
                first: part.first + first,
                role,
            };
            let mut own = body.clone();
            for (i, input) in own.inputs.iter_mut().enumerate() {
                input.slot.layout = window.slice(&whole[i])?;
                if let Some(t) = temporaries[i] {
                    *input = self.gather(input, t, Some(place(Role::Gather)))?;
                }
            }
            let is_last = number + 1 == windows.len();
            let to = to.elements(first, window.extents.clone().into(), is_last)?;
            let place = Some(place(Role::Compute));
            self.push_pass(&own, &to, place, (&mut temporary, len))?;
        }
        Ok(())
    }

    /// All of a new group's result.
    pub fn group(&mut self, shape: &Shape, target: Target) -> Part {
        let group = self.groups.len();
        self.groups.push(Group {
            shape: shape.clone(),
            windows: 0,
            target,
        });
        Part { group, first: 0 }
    }

    /// Adds the passes of a node that is written piece by piece, a group of windows.
    pub fn push_pieces(&mut self, n: usize, places: &[Map], to: &Destination) -> Result<()> {
        let node = &self.graph.nodes[n];
        let held = held(node)?;
        let strides = held.layout.strides().iter().zip(to.slot.layout.strides());
        let mut strides = strides.zip(node.shape.extents());
        if !strides.all(|((held, to), &extent)| extent < 2 || held == to) {
            let t = self.temporary(node.dtype, node.shape.len()?);
            self.push_pieces(n, places, &Destination::new(Target::Temporary(t), held))?;
            return self.push_copied(n, t, to);
        }
        if places.len() > MAX_WINDOWS {
            let reason = format!(
                "{} arrays are joined, of which a plan writes at most {MAX_WINDOWS}",
                places.len()
            );
            return Err(Error::argument("plan", reason));
        }
        let mut part = self.group(&node.shape, to.target);
        let pieces = own_pieces(self.graph, n, places);
        let longest = pieces.iter().filter_map(|piece| piece.shape.len().ok());
        let longest = longest.max().unwrap_or_default();
        let (mut temporary, mut pieces) = (None, pieces.into_iter().peekable());
        while let Some(OwnPiece { seen, shape }) = pieces.next() {
            let body = lower(self.graph, n, &self.sources, Some(seen))?;
            let len = shape.len()?;
            let own = to.elements(part.first, shape, pieces.peek().is_none())?;
            self.push_part(&body, &own, Some(part), (&mut temporary, longest))?;
            part.first += len;
        }
        Ok(())
    }

    /// The window of an input as an operand in temporary `t`, to which its elements are moved first
    /// if a `place` is given, by passes that work for it.
    pub fn gather(&mut self, input: &Operand, t: usize, place: Option<Place>) -> Result<Operand> {
        let (from, found) = gather_layouts(&input.slot.layout)?;
        if let Some(place) = place {
            self.push_gather(&input.with_layout(from), t, place)?;
        }
        let slot = Slot::padded(input.slot.dtype, found);
        Ok(Operand::new(Source::Temporary(t), slot))
    }

    /// Adds the passes that move one input's elements for a window to a temporary, in the input's
    /// own order.
    fn push_gather(&mut self, input: &Operand, t: usize, place: Place) -> Result<()> {
        let Slot { dtype, layout, .. } = &input.slot;
        let (limits, size) = (self.limits(), dtype.size());
        let extents = layout.shape().extents().to_vec();
        let whole = Slot::new(*dtype, extents.clone())?;
        let whole = Destination::new(Target::Temporary(t), whole);
        let canonical = Canonical {
            extents: extents.clone(),
            strides: vec![layout.strides().to_vec()],
        };
        let fit = Fit {
            canonical: &canonical,
            sizes: vec![size],
            taken: vec![input.taken()],
            output: size,
            elements: limits.elements(false),
            limits,
        };
        let too_large = || {
            let reached = layout.reach().map_or(0, |r| r.end() - r.start() + 1);
            limits.too_large(input.source.name_in_errors(), reached as u64 * size as u64)
        };
        let cut = fit.cut(&[false]).ok_or_else(too_large)?;
        let (mut temporary, len) = (None, cut.largest(&extents).iter().product());
        for window in cut.windows(&extents) {
            let first = window.first(&extents);
            let to = whole.elements(first, window.extents.clone().into(), false)?;
            let body = Body::moving(input.with_layout(window.slice(layout)?));
            self.push_pass(&body, &to, Some(place), (&mut temporary, len))?;
        }
        Ok(())
    }

    /// Adds the pass of a body, for a window if it has a place; two if the output begins inside a word
    /// and the elements must be shifted, by way of a temporary of so many elements.
    pub fn push_pass(
        &mut self,
        body: &Body,
        to: &Destination,
        place: Option<Place>,
        (temporary, len): (&mut Option<usize>, usize),
    ) -> Result<()> {
        if let Some(pass) = self.pass(body, to)? {
            let window = place;
            self.passes.push(Pass { window, ..pass });
            return Ok(());
        }
        let t = *temporary.get_or_insert_with(|| self.temporary(to.slot.dtype, len));
        let slot = Slot::new(to.slot.dtype, to.slot.layout.shape().clone())?;
        let between = Destination::new(Target::Temporary(t), slot.clone());
        let moving = Body::moving(Operand::new(Source::Temporary(t), slot));
        let moves = place.map(|place| match place.role {
            Role::Gather => place,
            Role::Compute | Role::Move => Place {
                role: Role::Move,
                ..place
            },
        });
        let passes = [self.pass(body, &between)?, self.pass(&moving, to)?];
        for (pass, window) in passes.into_iter().zip([place, moves]) {
            self.passes.extend(pass.map(|pass| Pass { window, ..pass }));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
