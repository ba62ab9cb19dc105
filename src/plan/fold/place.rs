//! Where the elements of a pass that folds lie: its kept and reduced axes, and the load of each
//! input.

use super::schedule::Across;
use super::stages::Stages;
use crate::error::Result;
use crate::layout::Layout;
use crate::plan::binding::Bound;
use crate::plan::body::Body;
use crate::plan::canonical::Canonical;
use crate::plan::schedule::{LaneLoad, Load, Per, Profile};
use crate::plan::slot::QUAD;
use crate::shape::Shape;

/// The axes that a pass walks, kept and reduced apart, with each operand's strides.
#[derive(Clone, Debug)]
pub(super) struct Axes {
    pub kept: Canonical,
    pub reduced: Canonical,
}

impl Axes {
    /// Merges axes that all operands of a space allow to.
    pub fn new(shape: &Shape, axes: &[usize], operands: &[&Layout]) -> Result<Self> {
        let part = |reduced: bool| -> Result<Canonical> {
            let own: Vec<usize> = (0..shape.rank())
                .filter(|axis| axes.contains(axis) == reduced)
                .collect();
            let extents: Vec<usize> = own.iter().map(|&axis| shape.extents()[axis]).collect();
            let layout = |of: &&Layout| {
                let strides = own.iter().map(|&axis| of.strides()[axis]).collect();
                Layout::new(extents.clone(), strides, of.offset())
            };
            let layouts: Vec<Layout> = operands.iter().map(layout).collect::<Result<_>>()?;
            let layouts: Vec<&Layout> = layouts.iter().collect();
            Ok(Canonical::new(&extents.into(), &layouts))
        };
        Ok(Self {
            kept: part(false)?,
            reduced: part(true)?,
        })
    }

    /// Along what quads should lie: where loads are fewest.
    pub fn across(&self, sizes: &[usize]) -> Across {
        let cost = |stride: isize| match stride {
            0 | 1 => 1.0,
            -1 => 4.0,
            _ => 8.0,
        };
        let all = |of: &Canonical| -> f64 {
            let strides = of.strides.iter().zip(sizes);
            strides
                .map(|(s, &size)| cost(s.last().copied().unwrap_or_default()) * size as f64)
                .sum()
        };
        let inner = self.kept.inner();
        let lost = inner.next_multiple_of(QUAD) as f64 / inner as f64;
        match all(&self.kept) * lost < all(&self.reduced) {
            true => Across::Kept,
            false => Across::Reduced,
        }
    }

    /// The axes that quads lie along, and the others.
    pub fn along(&self, across: Across) -> (&Canonical, &Canonical) {
        match across {
            Across::Reduced => (&self.reduced, &self.kept),
            Across::Kept => (&self.kept, &self.reduced),
        }
    }

    /// The strides of operand `i`, along the kept axes first.
    pub fn strides(&self, i: usize) -> Vec<isize> {
        [&self.kept.strides[i][..], &self.reduced.strides[i]].concat()
    }

    /// Rows, or quads of them.
    pub fn rows(&self, across: Across) -> usize {
        match across {
            Across::Reduced => self.kept.len(),
            Across::Kept => self.kept.len() / self.kept.inner() * self.kept.inner().div_ceil(QUAD),
        }
    }

    /// Whether operand `i` moves along the reduced axes.
    pub fn moves(&self, i: usize) -> bool {
        self.reduced.strides[i].iter().any(|&s| s != 0)
    }

    /// What is known of the values of a body that folds on these axes.
    pub fn stages(&self, body: &Body) -> Stages {
        let moving = (0..body.inputs.len()).map(|i| self.moves(i)).collect();
        Stages::new(moving, &body.steps, &body.folds, false)
    }

    /// How operand `i` is loaded.
    pub fn load(
        &self,
        i: usize,
        across: Across,
        bound: &Bound,
        size: usize,
        profile: &Profile,
    ) -> Load {
        let (along, other) = self.along(across);
        let strides = &along.strides[i];
        let (&lane, outer) = strides.split_last().unwrap_or((&0, &[]));
        let whole_quads = |s: &isize| s.unsigned_abs().is_multiple_of(QUAD);
        let begins = outer.iter().chain(&other.strides[i]).all(whole_quads);
        // Several axes are walked quad by quad, so that no quad may lie in two rows.
        let ends =
            along.inner().is_multiple_of(QUAD) || bound.holds_quads() && along.extents.len() == 1;
        let misaligned = (bound.offset as usize % QUAD) as u8;
        let joins = bound.holds_quads() && size <= profile.joined;
        let moves = match across {
            Across::Reduced => self.moves(i),
            Across::Kept => lane != 0,
        };
        let lanes = match lane {
            _ if !moves => LaneLoad::Splat,
            1 if begins && ends && (misaligned == 0 || joins) => LaneLoad::Vector { misaligned },
            1 if joins && along.extents.len() == 1 => LaneLoad::Unaligned,
            _ => LaneLoad::Gather,
        };
        Load {
            lanes,
            per: if self.moves(i) { Per::Quad } else { Per::Row },
            linear: false,
        }
    }
}
