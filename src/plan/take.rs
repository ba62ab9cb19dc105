//! The passes that look up elements of a whole operand: at positions, or the places of values in a row.

use super::body::Body;
use super::canonical::Canonical;
use super::fit::binds;
use super::fold::grid;
use super::limits::MAX_LEN;
use super::mapped::{Candidates, Mapped, OwnWork, Work};
use super::operand::{Arg, Destination};
use super::pass::Pass;
use super::planner::Planner;
use super::rank::MAX_UNROLLED;
use super::schedule::Load;
use super::slot::QUAD;
use super::store::Store;
use super::table::{header, with_axes};
use crate::error::{Error, Result};
use crate::expr::GraphKind;
use crate::layout::Layout;

/// Invocations of a workgroup; each computes a quad.
const WIDTH: u32 = 64;

/// Elements of the first input are taken at the positions that the second one is.
pub(crate) static TAKE: OwnWork = lookup("take");
/// How many elements of the first input are less than those of the second one.
static SEARCH: OwnWork = lookup("search");
/// How many are not greater.
pub(crate) static SEARCH_RIGHT: OwnWork = lookup("search_right");

const fn lookup(name: &'static str) -> OwnWork {
    OwnWork {
        name,
        header: LookupHeader::FIELDS,
        workgroup: [WIDTH, 1],
        quads: 1,
        multiplies: false,
    }
}

header! {
    /// The first words of the table of a pass that looks elements up.
    LookupHeader {
        /// Elements of the output.
        elements,
        /// Of the first element in the output's binding.
        output,
    }
}

impl Planner<'_> {
    /// Adds the pass that looks up elements along an axis.
    pub fn push_lookup(&mut self, n: usize, to: &Destination) -> Result<()> {
        let [x, positions] = self.sources.pair(self.graph, n)?;
        let node = &self.graph.nodes[n];
        let (work, axis) = match node.kind {
            GraphKind::Taken { axis } => (&TAKE, axis),
            GraphKind::Searched { right: true } => (&SEARCH_RIGHT, 0),
            _ => (&SEARCH, 0),
        };
        if node.shape.is_empty() {
            return Ok(());
        }
        let limits = self.limits();
        let len = to.slot.layout.len();
        if !binds(len, node.dtype.size(), limits) || len >= MAX_LEN {
            return Err(to.too_large(limits));
        }
        let by = positions.slot.layout.shape().rank();
        let [of, at] = [&x.slot.layout, &positions.slot.layout];
        let zeros = |count: usize| vec![0isize; count];
        let rest = of.shape().rank() - axis - 1;
        let of_result = [&of.strides()[..axis], &zeros(by), &of.strides()[axis + 1..]].concat();
        let at_result = [&zeros(axis)[..], at.strides(), &zeros(rest)].concat();
        let shape = node.shape.clone();
        let of_result = Layout::new(shape.clone(), of_result, of.offset())?;
        let at_result = Layout::new(shape.clone(), at_result, at.offset())?;
        let Canonical {
            mut extents,
            mut strides,
        } = Canonical::new(&shape, &[&of_result, &at_result]);
        let (rank, most) = (extents.len(), MAX_UNROLLED - 1);
        if rank > most {
            let reason = format!("it walks {rank} axes, of which there may be {most}");
            let name = if *work == TAKE {
                "take"
            } else {
                "searchsorted"
            };
            return Err(Error::argument(name, reason));
        }
        // The axis that is looked along is the innermost.
        extents.push(of.shape().extents()[axis]);
        strides[0].push(of.strides()[axis]);
        strides[1].push(0);
        let mut inputs = Vec::with_capacity(2);
        for (operand, strides) in [&x, &positions].into_iter().zip(strides) {
            inputs.push(operand.input(&operand.bind(limits)?, strides, Load::GATHER));
        }
        let groups = len.div_ceil(QUAD).div_ceil(WIDTH as usize);
        let mapped = Mapped {
            inputs,
            output: to.output(&to.bind(limits)?, Store::Wide),
            extents,
            work: Work::Own(work),
            candidates: Candidates::NONE,
            grid: grid(groups as u64, limits)?,
            // Halves of a row for each element of a quad.
            turns: if *work == TAKE { 0 } else { QUAD * 32 },
        };
        let body = Body {
            result: Some(Arg::Input(0)),
            ..Body::default()
        };
        let header = LookupHeader {
            elements: len as u32,
            output: mapped.output.offset,
        };
        let table = with_axes(&mapped, header.words());
        let pass = Pass::new(mapped, table, shape, body, self.options)?;
        self.passes.push(pass);
        Ok(())
    }
}
