//! The axes that the steps of a listed pass live on.

use crate::error::Result;
use crate::expr::without;
use crate::layout::Layout;
use crate::plan::body::Body;
use crate::shape::Shape;

/// What a body walks. Values have an element for each of it, or one for each row: for each index of
/// the axes that are kept.
pub(super) struct Space {
    shape: Shape,
    /// The axes that are folded; none of one that does not fold.
    pub reduced: Vec<usize>,
}

impl Space {
    /// That of one that folds nothing.
    pub fn whole(shape: &Shape) -> Self {
        Self {
            shape: shape.clone(),
            reduced: Vec::new(),
        }
    }

    /// That of a body that folds, scans or numbers elements.
    pub fn of(body: &Body) -> Self {
        Self {
            shape: body.space.clone(),
            reduced: body.reduced.clone(),
        }
    }

    /// Whether a result of this shape has an element for each of the space.
    pub fn is_full(&self, shape: &Shape) -> Result<bool> {
        Ok(shape.len()? == self.shape.len()?)
    }

    /// The shape of values with an element for each of the space, or for each row.
    pub fn shape(&self, full: bool) -> Shape {
        match full {
            true => self.shape.clone(),
            false => without(&self.shape, &self.reduced),
        }
    }

    /// Whether elements differ along the reduced axes.
    pub fn moves(&self, layout: &Layout) -> bool {
        let strides = layout.strides();
        let moves = |&axis: &usize| strides[axis] != 0 && self.shape.extents()[axis] > 1;
        self.reduced.iter().any(moves)
    }

    /// An input's layout; `full`: for a step on the whole space, not on the kept axes.
    pub fn seen(&self, layout: &Layout, full: bool) -> Result<Layout> {
        if full {
            return Ok(layout.clone());
        }
        let own = (0..self.shape.rank()).filter(|axis| !self.reduced.contains(axis));
        let strides = own.map(|axis| layout.strides()[axis]).collect();
        Layout::new(self.shape(false), strides, layout.offset())
    }

    /// The layout of a number.
    pub fn nowhere(&self, full: bool) -> Result<Layout> {
        let shape = self.shape(full);
        let strides = vec![0; shape.rank()];
        Layout::new(shape, strides, 0)
    }

    /// The layout of a value of this body: with an element for each of the space, if it is `of`,
    /// or for each row.
    pub fn made(&self, of: bool, full: bool) -> Result<Layout> {
        if of || !full {
            return Layout::contiguous(self.shape(full));
        }
        let mut next = self.shape(false).row_major().into_iter();
        let along = |axis: usize| match self.reduced.contains(&axis) {
            true => 0,
            false => next.next().unwrap_or_default(),
        };
        let strides = (0..self.shape.rank()).map(along).collect();
        Layout::new(self.shape.clone(), strides, 0)
    }

    /// The layout that says which element of its row each is.
    pub fn numbered(&self) -> Result<Layout> {
        let mut strides = vec![0; self.shape.rank()];
        let mut before = 1isize;
        for &axis in self.reduced.iter().rev() {
            strides[axis] = before;
            before = before.wrapping_mul(self.shape.extents()[axis].cast_signed());
        }
        Layout::new(self.shape.clone(), strides, 0)
    }
}
