//! The cache lines and sectors that the invocations of a warp touch together.

use super::{ACCESS, Moved, Nest};
use crate::plan::schedule::policy::Profile;
use crate::plan::schedule::{Along, LaneLoad, Lanes, Spread, Threads};
use crate::plan::slot::QUAD;

impl Nest<'_> {
    /// How many invocations of a warp lie beside one another, and how many of such rows it has.
    fn warp(&self) -> (f64, f64) {
        let [w, _] = self.schedule.workgroup;
        let wide = match (self.schedule.lanes, self.schedule.threads) {
            (_, Threads::Tiles) => f64::from(w),
            (Lanes::Rows, _) => {
                let in_row = (self.extents[self.extents.len() - 1] / self.schedule.unit()) as f64;
                (in_row / f64::from(self.schedule.in_row())).ceil()
            }
            _ => self.profile.warp,
        };
        let wide = within(wide, 1.0, self.profile.warp);
        (wide, (self.profile.warp / wide).floor().max(1.0))
    }

    /// Lines and sectors of a warp's store, for each quad.
    pub(super) fn stored(&self, size: usize) -> (f64, f64) {
        if self.schedule.lanes == Lanes::Column {
            return self.column(size);
        }
        let (wide, high) = self.warp_of_output();
        self.accessed(wide, high, self.unit() * size as f64, self.apart())
    }

    /// The warp as what walks as the output does sees it: numbered rows follow one another.
    fn warp_of_output(&self) -> (f64, f64) {
        let neighbours = self.schedule.down.map(|down| down.along);
        match (self.schedule.threads, neighbours) {
            (Threads::Tiles, _) | (_, Some(Along::Axis(_))) => self.warp(),
            _ => (self.profile.warp, 1.0),
        }
    }

    /// Quads from one invocation's to its neighbour's.
    fn apart(&self) -> f64 {
        match self.schedule.spread {
            Spread::Consecutive => f64::from(self.schedule.beside),
            // A short row has all of its quads in one invocation.
            Spread::Interleaved | Spread::Axis { .. } => 1.0,
        }
    }

    /// Lines and sectors that a warp touches if it loads what [`run`](Self::run) is of: lines by each
    /// access, but sectors once, since the L1 keeps them from one access to the next.
    fn loaded(&self, wide: f64, high: f64, piece: f64, apart: f64) -> (f64, f64) {
        let (lines, _) = self.accessed(wide, high, piece, apart);
        (lines, self.run(wide, high, piece, apart).1)
    }

    /// Lines and sectors that a warp touches by each of the accesses that a piece takes.
    fn accessed(&self, wide: f64, high: f64, piece: f64, apart: f64) -> (f64, f64) {
        let accesses = (piece / ACCESS).ceil();
        let (lines, sectors) = self.run(wide, high, piece / accesses, apart * accesses);
        (accesses * lines, accesses * sectors)
    }

    /// Lines and sectors of `high` runs of `wide` pieces of so many bytes, as far `apart` as so many
    /// pieces, for a quad.
    fn run(&self, wide: f64, high: f64, piece: f64, apart: f64) -> (f64, f64) {
        let of = |unit: f64| {
            let run = if apart * piece >= unit + piece {
                wide * (piece / unit).ceil()
            } else {
                (wide * apart * piece / unit).ceil()
            };
            // Rows one above the other that follow in memory share their last one.
            high * run
        };
        (
            of(self.profile.line) / self.profile.warp,
            of(self.profile.sector) / self.profile.warp,
        )
    }

    /// Lines and sectors of a load, for a quad.
    pub(super) fn touched(&self, operand: &Moved<'_>) -> (f64, f64) {
        let ((wide, high), warp) = (self.warp(), self.profile.warp);
        let size = operand.size as f64;
        let piece = self.unit() * size;
        let inner = operand.strides.last().copied().unwrap_or(0).unsigned_abs() as f64;
        let outside = operand.strides.iter().rev().skip(1).any(|s| *s != 0);
        let rows = if outside { high } else { 1.0 };
        if self.schedule.lanes == Lanes::Column && operand.load.lanes == LaneLoad::Gather {
            return self.column(inner as usize * operand.size);
        }
        match operand.load.lanes {
            LaneLoad::Vector { .. } if operand.load.linear => {
                let (wide, high) = self.warp_of_output();
                self.loaded(wide, high, piece, self.apart())
            }
            LaneLoad::Vector { .. } | LaneLoad::Unaligned => {
                let (lines, sectors) = self.loaded(wide, rows, piece, self.apart());
                let loads = match operand.load.lanes {
                    LaneLoad::Vector { misaligned: 0 } => 1.0,
                    LaneLoad::Unaligned if self.is_of_words() => 10.0,
                    _ => 2.0,
                };
                (loads * lines, sectors)
            }
            LaneLoad::Splat => (rows / warp, rows / warp),
            LaneLoad::Straddling => (2.0 * rows / warp, 2.0 * rows / warp),
            LaneLoad::Periodic(_) => (3.0 / warp, 1.0 / warp),
            LaneLoad::Staged => self.column(operand.size),
            LaneLoad::Interleaved => {
                // Each of an invocation's vectors is in the lines of the others.
                let own = f64::from(self.schedule.rows());
                let (lines, sectors) = self.loaded(wide, rows, piece * own, 1.0);
                (lines / own, sectors / own)
            }
            LaneLoad::Transposed => {
                // The rows of a tile are neighbours in memory.
                self.loaded(high, wide, piece, 1.0)
            }
            LaneLoad::Gather => {
                let apart = self.unit() * inner * size;
                let one = |unit: f64| {
                    let run = within((wide * apart / unit).ceil(), 1.0, wide);
                    rows * run / warp
                };
                // What the L1 keeps from one lane to the next is not fetched again.
                let again = within(inner * size / self.profile.sector, 1.0 / self.unit(), 1.0);
                (
                    self.unit() * one(self.profile.line),
                    self.unit() * one(self.profile.sector) * again,
                )
            }
        }
    }

    /// Lines and sectors of a quad in a column, one element by one, if neighbouring invocations'
    /// elements lie so many bytes apart and begin anywhere.
    fn column(&self, apart: usize) -> (f64, f64) {
        let Profile {
            warp, line, sector, ..
        } = *self.profile;
        let touched = |unit: f64| {
            let run = (warp - 1.0) * apart as f64 / unit + 1.0;
            QUAD as f64 * run.min(warp) / warp
        };
        (touched(line), touched(sector))
    }
}

/// `clamp` without its panic: what that says has floats in it, which the standard library would
/// write, and in browsers nothing else asks it to.
fn within(x: f64, low: f64, high: f64) -> f64 {
    x.max(low).min(high)
}
