//! The pass of elements that are taken by their indices.

use super::binding::Bound;
use super::body::Body;
use super::canonical::Canonical;
use super::fit::binds;
use super::fold::grid;
use super::limits::MAX_LEN;
use super::mapped::{Input, Mapped, Output, TAKE_WIDTH, Work};
use super::operand::{Arg, Destination, Operand};
use super::pass::Pass;
use super::planner::Planner;
use super::rank::MAX_UNROLLED;
use super::schedule::Load;
use super::slot::QUAD;
use super::store::Store;
use crate::error::{Error, Result};
use crate::layout::Layout;

impl Planner<'_> {
    /// Adds the pass that takes elements along an axis.
    pub fn push_taken(&mut self, n: usize, axis: usize, to: &Destination) -> Result<()> {
        let [x, positions] = self.taken_operands(n)?;
        let node = &self.graph.nodes[n];
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
        if extents.len() >= MAX_UNROLLED {
            let reason = format!("it walks {} axes, of which there may be 7", extents.len());
            return Err(Error::argument("take", reason));
        }
        // The axis that is taken along is the innermost.
        extents.push(of.shape().extents()[axis]);
        strides[0].push(of.strides()[axis]);
        strides[1].push(0);
        let mut inputs = Vec::with_capacity(2);
        for (operand, strides) in [&x, &positions].into_iter().zip(strides) {
            let Bound { range, offset, .. } = operand.bind(limits)?;
            inputs.push(Input {
                source: operand.source,
                access: operand.access(),
                dtype: operand.slot.dtype,
                layout: operand.slot.layout.clone(),
                strides,
                load: Load::GATHER,
                range,
                offset,
                per_word: 1,
            });
        }
        let Bound { range, offset, .. } = to.bind(limits)?;
        let groups = len.div_ceil(QUAD).div_ceil(TAKE_WIDTH as usize);
        let mapped = Mapped {
            inputs,
            output: Output {
                target: to.target,
                dtype: node.dtype,
                layout: to.slot.layout.clone(),
                store: Store::Wide,
                range,
                offset,
                per_word: 1,
                rows: None,
            },
            extents,
            work: Work::Take,
            candidates: Vec::new(),
            grid: grid(groups as u64, limits)?,
            turns: 0,
        };
        let body = Body {
            result: Some(Arg::Input(0)),
            ..Body::default()
        };
        let pass = Pass::new(mapped, shape, body, self.options)?;
        self.passes.push(pass);
        Ok(())
    }

    /// What is taken of, and the positions.
    fn taken_operands(&self, n: usize) -> Result<[Operand; 2]> {
        let operand = |k: usize| {
            let (arg, map) = &self.graph.nodes[n].args[k];
            let (source, map) = self.graph.resolve(*arg, map.clone());
            let found = self.sources.operand(self.graph, source, &map)?;
            found.ok_or_else(|| Error::argument("take", "an operand was given no buffer"))
        };
        Ok([operand(0)?, operand(1)?])
    }
}
