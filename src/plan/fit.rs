//! How large the windows of a pass may be, and which inputs are gathered for them.

use super::boxes::{ALIGNED, Cut};
use super::canonical::Canonical;
use super::limits::Limits;
use super::ordered::ordered;
use super::slot::{QUAD, Slot};
use crate::error::Result;
use crate::layout::Layout;

/// An input is gathered if that makes passes fewer by this factor.
const GATHER_FACTOR: usize = 4;
/// Positions that an input of one dispatch may reach: they are counted with 32 bits.
const MAX_REACH: usize = u32::MAX as usize - ALIGNED;

/// Whether what a slot's layout reaches fits a binding.
pub(super) fn fits(slot: &Slot, limits: &Limits) -> bool {
    let positions = slot.layout.reach().map_or(0, |r| r.end() - r.start() + 1);
    binds(positions, slot.dtype.size(), limits)
}

/// What decides the size of the windows of a pass.
pub(super) struct Fit<'a> {
    pub canonical: &'a Canonical,
    /// Bytes an element of each input.
    pub sizes: Vec<usize>,
    /// Positions that an input takes at most, of one that is seen beyond its elements; 0 of numbers,
    /// which no buffer has.
    pub taken: Vec<Option<usize>>,
    /// Bytes an element of the output.
    pub output: usize,
    /// Elements that one dispatch may compute.
    pub elements: usize,
    pub limits: &'a Limits,
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
                    self.reached(i, window, strides)
                };
                self.binds(reached, self.sizes[i])
            })
    }

    /// Positions that a window reaches of input `i` by these strides.
    fn reached(&self, i: usize, window: &[usize], strides: &[isize]) -> Option<usize> {
        let reached = reach(window, strides)?;
        Some(self.taken[i].map_or(reached, |taken| reached.min(taken)))
    }

    pub fn cut(&self, gathered: &[bool]) -> Option<Cut> {
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
            let strides = order.steps();
            let fits =
                |window: &[usize]| self.binds(self.reached(i, window, &strides), self.sizes[i]);
            Cut::new(&order.extents(), &fits).map_or(usize::MAX, |c| c.len(&order.extents()))
        };
        let each = (0..gathered.len())
            .filter(|&i| gathered[i])
            .fold(1usize, |n, i| n.saturating_add(gathers(i)));
        cut.len(extents).saturating_mul(each)
    }

    /// The cut, and which inputs are gathered for its windows.
    pub fn choose(&self) -> Option<(Cut, Vec<bool>)> {
        let count = self.sizes.len();
        let none = vec![false; count];
        let plain = self.cut(&none)?;
        let extents = &self.canonical.extents;
        // What the windows would be if no input mattered.
        let free = self.cut(&vec![true; count]).map_or(1, |c| c.len(extents));
        let many = free.saturating_mul(GATHER_FACTOR);
        let matters = |i: usize| {
            let others: Vec<bool> = (0..count).map(|j| j != i).collect();
            self.taken[i] != Some(0) && self.cut(&others).is_some_and(|c| c.len(extents) >= many)
        };
        let gathered: Vec<bool> = (0..count).map(matters).collect();
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
    let order = InputOrder::new(window.shape().extents(), window.strides());
    let low = window.reach().map_or(0, |r| *r.start());
    let from = Layout::new(order.extents(), order.steps(), low)?;
    let mut strides = vec![0isize; window.shape().rank()];
    let (mut step, mut offset) = (1usize, 0);
    for &(axis, extent, _) in order.axes.iter().rev() {
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

/// Positions from the lowest to the highest that a window reaches.
fn reach(window: &[usize], strides: &[isize]) -> Option<usize> {
    let mut axes = window.iter().zip(strides);
    axes.try_fold(1usize, |n, (&extent, &stride)| {
        let last = extent.saturating_sub(1);
        n.checked_add(last.checked_mul(stride.unsigned_abs())?)
    })
}

/// Elements that a window needs of an input.
pub(super) fn distinct(window: &[usize], strides: &[isize]) -> Option<usize> {
    let mut walked = window.iter().zip(strides).filter(|(_, s)| **s != 0);
    walked.try_fold(1usize, |n, (e, _)| n.checked_mul(*e))
}

/// The axes that an input really walks, largest steps first, as (axis, extent, step).
struct InputOrder {
    axes: Vec<(usize, usize, usize)>,
}

impl InputOrder {
    fn new(window: &[usize], strides: &[isize]) -> Self {
        let all = window.iter().zip(strides).enumerate();
        let walked = all.filter(|(_, (e, s))| **e > 1 && **s != 0);
        let axes = walked.map(|(a, (&e, &s))| (a, e, s.unsigned_abs()));
        let axes = ordered(axes, |a, b| a.2 > b.2);
        Self { axes }
    }

    fn extents(&self) -> Vec<usize> {
        self.axes.iter().map(|&(_, extent, _)| extent).collect()
    }

    fn steps(&self) -> Vec<isize> {
        let steps = self.axes.iter().map(|&(_, _, step)| step);
        steps.map(usize::cast_signed).collect()
    }
}
