//! What a stream asks of the expression that it computes in parts.

use super::boxes::Window;
use super::lower::Sources;
use super::options::Options;
use super::partition::{Partition, no_part};
use super::reads::{Read, reads};
use super::slot::Slot;
use crate::error::{Error, Result};
use crate::expr::{Graph, GraphNode};
use crate::layout::Layout;
use crate::op::LANES;
use crate::shape::Shape;

impl Partition {
    /// The box of part `k` of `n`, or of the whole.
    pub(crate) fn whole(&self, part: Option<(usize, usize)>) -> Result<Window> {
        match part {
            None => Ok(Window::whole(self.shape().extents())),
            Some((k, n)) if k < n => Ok(self.share(k, n)),
            Some((k, n)) => Err(no_part(k, n)),
        }
    }

    /// What the result reads of the inputs. One may be there several times.
    pub(crate) fn reads(&self) -> Result<Vec<Read>> {
        let layouts: Vec<Layout> = self.slots.iter().map(|s| s.layout.clone()).collect();
        reads(&self.graph, &self.slots, &layouts)
    }

    /// What is wrong with a result that needs a value of more than so many bytes as a whole, of
    /// which no window computes a part.
    pub(crate) fn whole_value(&self, bytes: u64) -> Option<Error> {
        let layouts: Vec<Layout> = self.slots.iter().map(|s| s.layout.clone()).collect();
        let sources = Sources::inputs(&self.graph, &self.slots, &layouts);
        let own = sources.own_passes(&self.graph);
        // A result that is a reshape takes no pass, yet no window of it is one of what it is made of.
        let roots = self.graph.roots.iter().zip(&sources.roots);
        let reshaped = roots.filter(|(root, computed)| root != computed);
        let reshaped = reshaped.map(|(&root, _)| self.graph.behind(root));
        let mut all = own.into_iter().chain(reshaped);
        all.find_map(|n| {
            let node = &self.graph.nodes[n];
            let len = node.held_shape().len().unwrap_or(usize::MAX) as u64;
            let is_large = len.saturating_mul(node.dtype.size() as u64) > bytes;
            let reason = node.kind.streams(&node.shape).err().filter(|_| is_large)?;
            Some(Error::argument("stream", reason).at(node.origin.column))
        })
    }

    /// The inputs.
    pub(crate) fn slots(&self) -> &[Slot] {
        &self.slots
    }

    pub(crate) fn graph(&self) -> &Graph {
        &self.graph
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// What a node of the graph computes.
    pub(crate) fn of_node(&self, node: usize) -> Self {
        Self {
            graph: self.graph.rooted(node),
            ..self.clone()
        }
    }

    /// The same with a node's elements as one more input, in row-major order.
    pub(crate) fn given(&self, node: usize) -> Result<Self> {
        let GraphNode { dtype, shape, .. } = &self.graph.nodes[node];
        let slot = Slot::new(*dtype, shape.clone())?;
        Ok(self.with_slot(self.graph.given(node, self.slots.len()), slot))
    }

    /// The same slots and one more, of this graph.
    fn with_slot(&self, graph: Graph, slot: Slot) -> Self {
        Self {
            graph,
            slots: [&self.slots[..], &[slot]].concat(),
            options: self.options,
        }
    }

    /// The same with a reduction computed of its lanes, which are one more input of this shape: of
    /// so many chunks, of the result's elements, 256 each.
    pub(crate) fn of_lanes(&self, node: usize, chunks: usize) -> Result<(Self, Shape)> {
        let GraphNode { dtype, shape, .. } = &self.graph.nodes[node];
        let lanes = Shape::from([&[chunks][..], shape.extents(), &[LANES]].concat());
        let slot = Slot::new(*dtype, lanes.clone())?;
        let graph = self.graph.of_lanes(node, self.slots.len(), &lanes);
        Ok((self.with_slot(graph, slot), lanes))
    }

    /// The reduction whose elements parts share, so that each reads its own: the only one that the
    /// result needs, which needs nothing else, if there are fewer elements of the result than parts
    /// or each would read much more than its share.
    pub(crate) fn shared_reduction(&self, parts: usize) -> Result<Option<usize>> {
        let (last, alone) = self.graph.last_reductions();
        let &[node] = &last[..] else {
            return Ok(None);
        };
        if !alone || self.shape().is_empty() {
            return Ok(None);
        }
        let window = self.share(0, parts);
        let (mut own, mut all) = (0u128, 0u128);
        for read in self.reads()? {
            let slot = &self.slots[read.slot];
            let len = slot.layout.reach().map_or(0, |r| r.end() - r.start() + 1);
            let reached = read.reached(&window.extents);
            own += (reached.min(len) * slot.dtype.size()) as u128;
            all += (len * slot.dtype.size()) as u128;
        }
        let few = self.shape().len()? < parts;
        Ok((few || 2 * own * parts as u128 > 3 * all).then_some(node))
    }
}
