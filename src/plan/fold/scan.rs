//! The passes of a scan: one if a workgroup does a row. Else the totals of chunks, a scan of
//! those, which says what comes before each chunk, and a pass that scans all chunks.
//!
//! A chunk is a power of [`GROUP`] long, so that it is a group of the [order](crate::op) that scans
//! keep, whatever its length.

use super::FoldSpace;
use super::chunks::{repeated, split, stretched, turned};
use super::pass::in_quads;
use super::place::Axes;
use super::ranges::{halves, moved};
use super::schedule::Across;
use super::step::{Begin, FoldStep, ScanStep};
use super::way::{OWN, Way};
use crate::error::{Error, Result};
use crate::layout::Layout;
use crate::op::GROUP;
use crate::plan::body::Body;
use crate::plan::operand::{Arg, Destination, Operand, Source, Target};
use crate::plan::planner::Planner;
use crate::plan::slot::{QUAD, Slot};
use crate::view::View;

/// Invocations that share a quad of columns at most, so that a workgroup has whole sectors of
/// memory.
const COLUMN_THREADS: usize = 64;

impl Body {
    /// The same scan of an operand alone, along another axis and in another way.
    fn of_scanned(&self, operand: Operand, axis: usize, scan: Option<ScanStep>) -> Self {
        let fold = FoldStep {
            arg: Arg::Input(0),
            ..self.folds[0]
        };
        Self {
            space: operand.slot.layout.shape().clone(),
            inputs: vec![operand],
            folds: vec![fold],
            result: Some(Arg::Fold(0)),
            reduced: vec![axis],
            scan,
            ..Self::default()
        }
    }
}

impl Planner<'_> {
    /// Adds the passes of a body that scans.
    pub fn push_scan(&mut self, body: &Body, reverse: bool, to: &Destination) -> Result<()> {
        if to.slot.layout.is_empty() {
            return Ok(());
        }
        let axis = body.reduced[0];
        let (from, there) = match reverse {
            false => (body.clone(), to.slot.layout.clone()),
            true => (body.turned(axis)?, turned(&to.slot.layout, axis)?),
        };
        let there = to.with_layout(there);
        let last = body.space.rank() - 1;
        match self.chunk(&from, &there) {
            // No binding holds a group of rows.
            Err(Error::TooLarge { .. }) if axis < last => self.push_moved(&from, reverse, to),
            _ => self.push_chunks(&from, &there),
        }
    }

    /// Adds the passes of a body whose axis is moved behind the others first, and back afterwards.
    fn push_moved(&mut self, body: &Body, reverse: bool, to: &Destination) -> Result<()> {
        let axis = body.reduced[0];
        let behind = |layout: &Layout| {
            layout.view(&View::MoveAxis {
                from: vec![axis.cast_signed()],
                to: vec![-1],
            })
        };
        let moving = body.folded().with_layouts(behind)?;
        let dtype = body.folds[0].dtype;
        let shape = behind(&to.slot.layout)?.shape().clone();
        let slot = Slot::new(dtype, shape.clone())?;
        let [moved, scanned] = [0, 1].map(|_| self.temporary(dtype, slot.layout.len()));
        let [there, back] =
            [moved, scanned].map(|t| Destination::new(Target::Temporary(t), slot.clone()));
        self.push(&moving, &there)?;
        let own = Operand::new(Source::Temporary(moved), slot.clone());
        let scanning = body.of_scanned(own, shape.rank() - 1, body.scan);
        self.push_chunks(&scanning, &back)?;
        let layout = slot.layout.view(&View::MoveAxis {
            from: vec![-1],
            to: vec![axis.cast_signed()],
        })?;
        let scanned = Operand::new(Source::Temporary(scanned), slot.with_layout(layout));
        let rest = body.behind_folds(&[scanned]);
        // Others than what was scanned are as they lie in the result.
        let rest = match reverse {
            false => rest,
            true => rest.turned(axis)?,
        };
        self.push(&rest, to)
    }

    /// Adds the passes of a body that scans: one, or those of its chunks.
    fn push_chunks(&mut self, body: &Body, to: &Destination) -> Result<()> {
        let (axis, scan) = (body.reduced[0], body.scan);
        let count = body.space.extents()[axis];
        let (way, chunk) = self.chunk(body, to)?;
        let Some(chunk) = chunk else {
            return self.push_scan_pass(body, to, way);
        };
        let (dtype, chunks) = (body.folds[0].dtype, count.div_ceil(chunk));
        let mut extents = body.space.extents().to_vec();
        extents[axis] = chunks;
        let slot = Slot::new(dtype, extents)?;
        let [totals, before] = [0, 1].map(|_| self.temporary(dtype, slot.layout.len()));

        // The last total is none that comes before a chunk.
        let full = (chunks - 1) * chunk;
        let mut body_of_totals = body
            .before_folds()
            .along(axis, 0, full)?
            .split(axis, chunk)?;
        body_of_totals.scan = scan.map(|scan| ScanStep {
            begin: Begin::Nothing,
            total: true,
            ..scan
        });
        let some = moved(&slot.layout, axis, 0, chunks - 1)?;
        let to_totals = Destination::new(
            Target::Temporary(totals),
            slot.clone().with_layout(repeated(&some, axis, chunk)?),
        );
        self.push_scan_pass(&body_of_totals, &to_totals, way)?;

        let own = Operand::new(Source::Temporary(totals), slot.clone());
        let exclusive = scan.map(|scan| ScanStep {
            exclusive: true,
            ..scan
        });
        let body_of_starts = body.of_scanned(own, axis, exclusive);
        let to_starts = Destination::new(Target::Temporary(before), slot.clone());
        self.push_chunks(&body_of_starts, &to_starts)?;

        // All whole chunks, and the rest.
        let whole = count / chunk;
        let mut body = body.clone();
        body.scan = scan.map(|scan| ScanStep {
            begin: Begin::Input(body.inputs.len()),
            ..scan
        });
        let with_starts = |mut part: Body, layout: Layout| {
            part.inputs.push(Operand::new(
                Source::Temporary(before),
                slot.clone().with_layout(layout),
            ));
            part
        };
        let own = to.along(axis, 0, whole * chunk)?;
        let own = own.with_layout(split(&own.slot.layout, axis, chunk)?);
        let starts = moved(&slot.layout, axis, 0, whole)?;
        let part = body.along(axis, 0, whole * chunk)?.split(axis, chunk)?;
        let part = with_starts(part, repeated(&starts, axis, chunk)?);
        self.push_scan_pass(&part, &own, way)?;
        let rest = count % chunk;
        if rest == 0 {
            return Ok(());
        }
        let part = body.along(axis, whole * chunk, rest)?;
        let layout = stretched(&moved(&slot.layout, axis, whole, 1)?, axis, rest)?;
        let own = to.along(axis, whole * chunk, rest)?;
        // Which is one row of each, for a workgroup if it has enough invocations.
        let alone = way.alone && rest > OWN * self.limits().width() as usize;
        let way = Way { alone, ..way };
        self.push_scan_pass(&with_starts(part, layout), &own, way)
    }

    /// How a body scans, and the elements of a chunk; `None` if its rows are whole.
    fn chunk(&self, body: &Body, to: &Destination) -> Result<(Way, Option<usize>)> {
        let limits = self.limits();
        let profile = limits.profile();
        let axis = body.reduced[0];
        let count = body.space.extents()[axis];
        let operands = body.inputs.iter().map(|x| &x.slot).chain([&to.slot]);
        let slots: Vec<&Slot> = operands.collect();
        let layouts: Vec<&Layout> = slots.iter().map(|slot| &slot.layout).collect();
        let sizes: Vec<usize> = slots.iter().map(|slot| slot.dtype.size()).collect();
        let axes = Axes::new(&body.space, &body.reduced, &layouts)?;
        let across = match in_quads(body, to) {
            true => self.across(body, true)?,
            false => axes.across(&sizes),
        };
        // What a binding holds of each operand.
        let binds = |(layout, size): (&&Layout, &usize)| {
            let stride = layout.strides()[axis].unsigned_abs().max(1) as u64;
            let room = limits
                .max_binding
                .saturating_sub(u64::from(limits.offset_alignment));
            let quads = (room / *size as u64).saturating_sub(2 * QUAD as u64);
            usize::try_from(quads / stride).unwrap_or(usize::MAX)
        };
        let bound = layouts.iter().zip(&sizes).map(binds).min();
        let bound = bound.unwrap_or(usize::MAX);
        let rows = axes.rows(across);
        let lone = |rows: usize| {
            let many = profile.alone[usize::from(across == Across::Kept)];
            Way::alone(self.options.schedule).unwrap_or(rows >= many)
        };
        let alone = lone(rows);
        let width = limits.width() as usize;
        let threads = match across {
            Across::Kept if axes.kept.inner() > QUAD => width.min(COLUMN_THREADS),
            Across::Kept | Across::Reduced => width,
        };
        let most = match (alone, across) {
            (true, Across::Reduced) => bound,
            (true, Across::Kept) => profile.alone_column.min(bound),
            (false, _) => (OWN * threads).min(bound),
        };
        // An invocation that does a row alone goes through it group by group.
        let quads = match across {
            Across::Reduced => OWN / QUAD,
            Across::Kept => OWN,
        };
        let groups =
            limits.profile().turns / (1 + quads * body.turns(limits)) * (GROUP - 1) / GROUP;
        let most = if alone { most.min(OWN * groups) } else { most };
        if count <= most {
            return Ok((Way { across, alone }, None));
        }
        let powers = std::iter::successors(Some(GROUP), |chunk| chunk.checked_mul(GROUP));
        let chunks: Vec<usize> = powers.take_while(|&c| c <= most && c < count).collect();
        let busy = |chunk: &&usize| lone(rows.saturating_mul(count / **chunk));
        // Chunks that have an invocation each should be many, and no shorter than they must.
        let within = |chunk: &&usize| (GROUP + 1..=OWN * groups).contains(chunk);
        let mut longest = chunks.iter().rev().filter(within);
        let lonely = longest.find(busy);
        let (alone, chunk) = match lonely.or(chunks.last()) {
            Some(&chunk) => (lonely.is_some(), chunk),
            None => return Err(to.too_large(limits)),
        };
        Ok((Way { across, alone }, Some(chunk)))
    }

    /// Adds the pass of a body that scans short rows, or those of fewer rows each.
    fn push_scan_pass(&mut self, body: &Body, to: &Destination, way: Way) -> Result<()> {
        let space = FoldSpace::of(&body.space, &body.reduced);
        let len = space.rows.saturating_mul(space.count);
        if self.push_short(body, len, |p| p.scan_pass(body, to, way))? {
            return Ok(());
        }
        let extents = body.space.extents();
        let is_inner = |axis: usize| axis + 1 == extents.len();
        // A quad stays together.
        let unit = |axis: usize| if is_inner(axis) { QUAD } else { 1 };
        let mut kept = (0..extents.len()).filter(|axis| !body.reduced.contains(axis));
        let Some(axis) = kept.find(|&axis| extents[axis] > unit(axis)) else {
            // A row goes in one dispatch.
            let pass = self.scan_pass(body, to, way)?;
            self.passes.push(pass);
            return Ok(());
        };
        for (start, count) in halves(extents[axis], unit(axis)) {
            let part = body.along(axis, start, count)?;
            self.push_scan_pass(&part, &to.along(axis, start, count)?, way)?;
        }
        Ok(())
    }
}
