//! Windows: a result that one dispatch cannot compute is cut into boxes, each an ordinary pass.
//!
//! A window is a run of the result in row-major order: one index along the outer axes, a range
//! along one axis, and all of the axes inside it. So its elements are contiguous in the output, and
//! every input is looked at through smaller extents and a moved offset. An input in another axis
//! order, of which every window would reach nearly everything, is first gathered: the elements a
//! window needs are moved, in the input's own order, to an intermediate result that fits.

use super::boxes::{ALIGNED, Cut, Window};
use super::canonical::Canonical;
use super::lower::Body;
use super::{Arg, Limits, Options, Pass, Plan, QUAD, Room, Slot, Source, Target, Temporary};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::shape::Shape;

/// Windows a pass may be cut into.
pub(super) const MAX_WINDOWS: usize = 1 << 16;
/// An input is gathered where that makes passes fewer by this factor.
const GATHER_FACTOR: usize = 4;
/// Elements a dispatch of costly steps computes, as a fraction of what others compute.
const DENSE_FRACTION: usize = 16;
/// Positions that an input of one dispatch may reach: they are counted with 32 bits.
const MAX_REACH: usize = u32::MAX as usize - ALIGNED;

/// What a pass does for the windows of its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It computes the window.
    Compute,
    /// It gathers an input's elements for the window.
    Gather,
    /// It moves the window's elements from an intermediate result to where they begin inside a
    /// word.
    Move,
}

/// The window that a pass works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    /// The group's number in the plan.
    pub group: usize,
    /// The window's number in the group.
    pub number: usize,
    /// The number of its first element in the result.
    pub first: usize,
    pub role: Role,
}

/// The windows of one result: what they would be as one pass.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub shape: Shape,
    pub inputs: Vec<(Source, DType, Layout)>,
    pub windows: usize,
    /// Where the windows are written.
    pub target: Target,
}

impl Pass {
    /// Where the elements that this pass is for lie in its group's or its own output `whole`;
    /// `None` for a pass that gathers.
    pub(crate) fn output_layout(&self, whole: &Layout) -> Option<Layout> {
        match self.window {
            None => Some(whole.clone()),
            Some(Place {
                role: Role::Gather, ..
            }) => None,
            Some(place) => {
                let strides = match self.output.rows {
                    Some(rows) => vec![rows.pitch as isize, 1],
                    None => self.shape.row_major(),
                };
                Layout::new(self.shape.clone(), strides, whole.offset() + place.first).ok()
            }
        }
    }
}

/// What decides the size of the windows of a pass.
struct Fit<'a> {
    canonical: &'a Canonical,
    /// Bytes an element of each input.
    sizes: Vec<usize>,
    output: usize,
    elements: usize,
    limits: &'a Limits,
}

impl Fit<'_> {
    /// Whether as many elements fit a binding wherever they begin.
    fn binds(&self, elements: Option<usize>, size: usize) -> bool {
        elements.is_some_and(|n| binds(n, size, self.limits))
    }

    /// Whether a window of these extents fits, `gathered` saying which inputs are.
    fn fits(&self, window: &[usize], gathered: &[bool]) -> bool {
        let len = window.iter().try_fold(1usize, |n, &e| n.checked_mul(e));
        len.is_some_and(|n| n <= self.elements)
            && self.binds(len, self.output)
            && (0..self.sizes.len()).all(|i| {
                let strides = &self.canonical.strides[i];
                let reached = if gathered[i] {
                    distinct(window, strides)
                } else {
                    reach(window, strides)
                };
                self.binds(reached, self.sizes[i])
            })
    }

    fn cut(&self, gathered: &[bool]) -> Option<Cut> {
        Cut::new(&self.canonical.extents, &|window| {
            self.fits(window, gathered)
        })
    }

    /// Passes that a cut needs, those that gather among them.
    fn cost(&self, cut: Cut, gathered: &[bool]) -> usize {
        let extents = &self.canonical.extents;
        let largest = cut.largest(extents);
        let gathers = |i: usize| {
            let order = InputOrder::new(&largest, &self.canonical.strides[i]);
            let strides: Vec<isize> = order
                .axes
                .iter()
                .map(|&(_, _, s)| s.cast_signed())
                .collect();
            let fits = |window: &[usize]| self.binds(reach(window, &strides), self.sizes[i]);
            Cut::new(&order.extents(), &fits).map_or(usize::MAX, |c| c.len(&order.extents()))
        };
        let each = (0..gathered.len())
            .filter(|&i| gathered[i])
            .fold(1usize, |n, i| n.saturating_add(gathers(i)));
        cut.len(extents).saturating_mul(each)
    }

    /// The cut, and which inputs are gathered for its windows.
    fn choose(&self) -> Option<(Cut, Vec<bool>)> {
        let count = self.sizes.len();
        let none = vec![false; count];
        let plain = self.cut(&none)?;
        let extents = &self.canonical.extents;
        // What the windows would be if no input mattered.
        let free = self.cut(&vec![true; count]).map_or(1, |c| c.len(extents));
        let gathered: Vec<bool> = (0..count)
            .map(|i| {
                let others: Vec<bool> = (0..count).map(|j| j != i).collect();
                self.cut(&others)
                    .is_some_and(|c| c.len(extents) >= free.saturating_mul(GATHER_FACTOR))
            })
            .collect();
        let cut = self.cut(&gathered)?;
        let pays = gathered.contains(&true)
            && self.cost(cut, &gathered).saturating_mul(GATHER_FACTOR) <= self.cost(plain, &none);
        Some(if pays { (cut, gathered) } else { (plain, none) })
    }
}

/// Whether so many elements of a size fit a binding wherever they begin.
pub(super) fn binds(elements: usize, size: usize, limits: &Limits) -> bool {
    let slack = u64::from(limits.offset_alignment.max(4)) + (QUAD * size.max(4)) as u64;
    elements <= MAX_REACH && elements as u64 * size as u64 + slack <= limits.max_binding
}

/// What is moved of an input for a window of it, in the input's own order, and where the window
/// finds it then.
pub(super) fn gather_layouts(window: &Layout) -> Result<(Layout, Layout)> {
    InputOrder::new(window.shape().extents(), window.strides()).layouts(window)
}

/// Positions from the lowest to the highest that a window reaches.
fn reach(window: &[usize], strides: &[isize]) -> Option<usize> {
    window
        .iter()
        .zip(strides)
        .try_fold(1usize, |n, (&extent, &stride)| {
            n.checked_add(
                extent
                    .saturating_sub(1)
                    .checked_mul(stride.unsigned_abs())?,
            )
        })
}

/// Elements that a window needs of an input.
fn distinct(window: &[usize], strides: &[isize]) -> Option<usize> {
    let walked = window.iter().zip(strides).filter(|(_, s)| **s != 0);
    walked
        .map(|(e, _)| *e)
        .try_fold(1usize, |n, e| n.checked_mul(e))
}

/// The axes that an input really walks, largest steps first, as (axis, extent, step).
struct InputOrder {
    axes: Vec<(usize, usize, usize)>,
}

impl InputOrder {
    fn new(window: &[usize], strides: &[isize]) -> Self {
        let walked = window
            .iter()
            .zip(strides)
            .enumerate()
            .filter(|(_, (e, s))| **e > 1 && **s != 0);
        let mut axes: Vec<_> = walked
            .map(|(a, (&e, &s))| (a, e, s.unsigned_abs()))
            .collect();
        axes.sort_by_key(|&(_, _, step)| std::cmp::Reverse(step));
        Self { axes }
    }

    fn extents(&self) -> Vec<usize> {
        self.axes.iter().map(|&(_, extent, _)| extent).collect()
    }

    /// What is moved, and where a window finds it then.
    fn layouts(&self, window: &Layout) -> Result<(Layout, Layout)> {
        let low = window.reach().map_or(0, |r| *r.start());
        let steps = self
            .axes
            .iter()
            .map(|&(_, _, step)| step.cast_signed())
            .collect();
        let from = Layout::new(self.extents(), steps, low)?;
        let mut strides = vec![0isize; window.shape().rank()];
        let (mut step, mut offset) = (1usize, 0);
        for &(axis, extent, _) in self.axes.iter().rev() {
            if window.strides()[axis] < 0 {
                strides[axis] = -step.cast_signed();
                offset += (extent - 1) * step;
            } else {
                strides[axis] = step.cast_signed();
            }
            step *= extent;
        }
        Ok((from, Layout::new(window.shape().clone(), strides, offset)?))
    }
}

impl Limits {
    /// Elements one dispatch may compute. `dense`: its steps cost much more than its loads.
    pub(super) fn elements(&self, dense: bool) -> usize {
        let limit = usize::try_from(self.max_elements).unwrap_or(usize::MAX);
        let limit = if dense { limit / DENSE_FRACTION } else { limit };
        limit.clamp(1, super::MAX_LEN - ALIGNED)
    }
}

impl Slot {
    /// Bytes of the buffer that are known to be there.
    pub(super) fn bytes(&self) -> u64 {
        match self.room {
            Room::Bytes(bytes) => bytes,
            Room::Padding => self.quad_bytes(),
        }
    }
}

impl Plan {
    /// The layout of output `k`, where pass `p` computes it or a window of it.
    pub(crate) fn written_by(&self, p: usize, k: usize) -> Option<&Layout> {
        let pass = &self.passes[p];
        let target = pass
            .window
            .map_or(pass.output.target, |w| self.groups[w.group].target);
        (target == Target::Output(k)).then(|| &self.outputs[k].layout)
    }

    /// Whether output `k` may be written over input `i`, which has its layout: nothing reads the
    /// input after that but the passes that write, each the elements that it writes itself.
    pub(crate) fn may_overwrite(&self, i: usize, k: usize) -> bool {
        let output = &self.outputs[k];
        let writes = self
            .passes
            .iter()
            .position(|p| p.output.target == Target::Output(k))
            .unwrap_or(0);
        // A product reads elements that others have already been written over.
        let in_place = |p: usize| self.passes[p].mapping.kind != super::MappingKind::Product;
        let same = |p: usize, x: &super::Input| {
            let own = self
                .written_by(p, k)
                .and_then(|layout| self.passes[p].output_layout(layout));
            own.as_ref() == Some(&x.layout) && x.dtype.size() == output.dtype.size()
        };
        let mut uses = self
            .passes
            .iter()
            .enumerate()
            .flat_map(|(p, pass)| pass.inputs.iter().map(move |x| (p, x)));
        uses.all(|(p, x)| x.source != Source::Slot(i) || p < writes || (in_place(p) && same(p, x)))
    }

    /// Adds the passes of a body window by window.
    pub(super) fn push_windows(
        &mut self,
        body: &Body,
        target: Target,
        slot: &Slot,
        options: &Options,
    ) -> Result<()> {
        let limits = &options.limits;
        let shape = slot.layout.shape();
        let layouts: Vec<&Layout> = body.inputs.iter().map(|(_, _, layout)| layout).collect();
        let canonical = Canonical::new(shape, &layouts);
        let fit = Fit {
            canonical: &canonical,
            sizes: body
                .inputs
                .iter()
                .map(|(_, dtype, _)| dtype.size())
                .collect(),
            output: slot.dtype.size(),
            elements: limits.elements(body.is_dense()),
            limits,
        };
        let too_large = || Error::TooLarge {
            operand: super::binding::target_name(target),
            bytes: slot.bytes(),
            limit: limits.max_binding,
        };
        let (cut, gathered) = fit.choose().ok_or_else(too_large)?;
        let extents = canonical.extents.clone();
        if cut.len(&extents) > MAX_WINDOWS {
            let reason = format!(
                "shape {shape} would be computed in {} windows, of which a plan has at most {MAX_WINDOWS}; materialize \
                 inputs in the order of the result, or compute it in parts",
                cut.len(&extents)
            );
            return Err(Error::argument("plan", reason));
        }
        // On the canonical axes.
        let whole: Vec<Layout> = (0..layouts.len())
            .map(|i| {
                Layout::new(
                    extents.clone(),
                    canonical.strides[i].clone(),
                    layouts[i].offset(),
                )
            })
            .collect::<Result<_>>()?;
        let largest = cut.largest(&extents);
        let mut temporaries = Vec::new();
        for (i, (_, dtype, _)) in body.inputs.iter().enumerate() {
            let len = distinct(&largest, &canonical.strides[i]).unwrap_or(usize::MAX);
            temporaries.push(gathered[i].then(|| self.temporary(*dtype, len)));
        }
        let mut shifted = None;
        let windows: Vec<Window> = cut.windows(&extents).collect();
        let group = self.groups.len();
        self.groups.push(Group {
            shape: shape.clone(),
            inputs: body.inputs.clone(),
            windows: windows.len(),
            target,
        });
        let bytes = slot.bytes();
        for (number, window) in windows.iter().enumerate() {
            let first = window.first(&extents);
            let place = |role| Place {
                group,
                number,
                first,
                role,
            };
            let mut part = body.clone();
            for (i, input) in part.inputs.iter_mut().enumerate() {
                input.2 = window.slice(&whole[i])?;
                let Some(t) = temporaries[i] else { continue };
                let (from, found) = gather_layouts(&input.2)?;
                self.push_gather((input.0, input.1, from), t, place(Role::Gather), options)?;
                (input.0, input.2) = (Source::Temporary(t), found);
            }
            let shape = Shape::from(window.extents.clone());
            let layout = Layout::new(
                shape.clone(),
                shape.row_major(),
                slot.layout.offset() + first,
            )?;
            let last = number + 1 == windows.len();
            let room = if last { slot.room } else { Room::Bytes(bytes) };
            let out = Slot {
                dtype: slot.dtype,
                layout,
                room,
            };
            let len = largest.iter().product();
            self.push_window(
                &part,
                target,
                &out,
                place(Role::Compute),
                (&mut shifted, len),
                options,
            )?;
        }
        Ok(())
    }

    pub(super) fn temporary(&mut self, dtype: DType, len: usize) -> usize {
        self.temporaries.push(Temporary { dtype, len });
        self.temporaries.len() - 1
    }

    /// Adds the passes that move one input's elements for a window to a temporary, in the input's
    /// own order.
    pub(super) fn push_gather(
        &mut self,
        input: (Source, DType, Layout),
        t: usize,
        place: Place,
        options: &Options,
    ) -> Result<()> {
        let (source, dtype, layout) = input;
        let extents = layout.shape().extents().to_vec();
        let whole = Slot::new(dtype, extents.clone())?;
        let canonical = Canonical {
            extents: extents.clone(),
            strides: vec![layout.strides().to_vec()],
        };
        let fit = Fit {
            canonical: &canonical,
            sizes: vec![dtype.size()],
            output: dtype.size(),
            elements: options.limits.elements(false),
            limits: &options.limits,
        };
        let too_large = || Error::TooLarge {
            operand: super::binding::operand_name(source),
            bytes: layout.reach().map_or(0, |r| {
                (r.end() - r.start() + 1) as u64 * dtype.size() as u64
            }),
            limit: options.limits.max_binding,
        };
        let cut = fit.cut(&[false]).ok_or_else(too_large)?;
        let mut shifted = None;
        for window in cut.windows(&extents) {
            let shape = Shape::from(window.extents.clone());
            let from = window.slice(&layout)?;
            let to = Layout::new(shape.clone(), shape.row_major(), window.first(&extents))?;
            let out = Slot {
                dtype,
                layout: to,
                room: Room::Bytes(whole.bytes()),
            };
            let body = Body {
                inputs: vec![(source, dtype, from)],
                result: Some(Arg::Input(0)),
                ..Body::default()
            };
            let len = cut.largest(&extents).iter().product();
            self.push_window(
                &body,
                Target::Temporary(t),
                &out,
                place,
                (&mut shifted, len),
                options,
            )?;
        }
        Ok(())
    }

    /// Adds the pass of a window; two where it begins inside a word and has several axes. `shifted`
    /// is the temporary of such windows, once there is one, and its number of elements.
    fn push_window(
        &mut self,
        body: &Body,
        target: Target,
        out: &Slot,
        place: Place,
        shifted: (&mut Option<usize>, usize),
        options: &Options,
    ) -> Result<()> {
        let shape = out.layout.shape();
        let at = |pass: Pass, role| Pass {
            window: Some(Place { role, ..place }),
            ..pass
        };
        if let Some(pass) = self.pass(body, target, out, shape, options)? {
            self.passes.push(at(pass, place.role));
            return Ok(());
        }
        let (between, len) = shifted;
        let t = *between.get_or_insert_with(|| self.temporary(out.dtype, len));
        let whole = Slot::new(out.dtype, shape.clone())?;
        let pass = self.pass(body, Target::Temporary(t), &whole, shape, options)?;
        self.passes.extend(pass.map(|p| at(p, place.role)));
        let inputs = vec![(Source::Temporary(t), out.dtype, whole.layout)];
        let moved = Body {
            inputs,
            result: Some(Arg::Input(0)),
            ..Body::default()
        };
        let pass = self.pass(&moved, target, out, shape, options)?;
        let role = if place.role == Role::Gather {
            Role::Gather
        } else {
            Role::Move
        };
        self.passes.extend(pass.map(|p| at(p, role)));
        Ok(())
    }
}

#[cfg(test)]
mod tests;
