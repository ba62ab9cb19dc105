//! A reduction whose elements are divided among parts: each part folds a range of the elements of
//! every row to lanes, which are joined when the lanes of all parts are there.

use std::path::Path;

use super::marks::{Head, Marks};
use super::phase::Share;
use crate::dtype::DType;
use crate::error::Result;
use crate::layout::Layout;
use crate::plan::{Partition, Pieces, chunk};
use crate::shape::Shape;

/// The least chunks of a row in a part, so that all parts have nearly one size.
const CHUNKS: usize = 8;

/// One part of a reduction.
#[derive(Clone, Debug)]
pub(super) struct SharedReduction {
    /// The reduction.
    pub node: usize,
    /// The part, from 0, and how many there are.
    pub part: usize,
    pub of: usize,
    /// The part's share of each row.
    pub share: Share,
    /// The shape of the lanes of all parts: chunks, the kept axes, lanes.
    pub lanes: Shape,
    pub dtype: DType,
    /// The result, computed from the lanes, which are its last input.
    pub joined: Partition,
    /// A number that tells expressions apart.
    pub fingerprint: u64,
}

impl SharedReduction {
    /// The reduction that part `k` of `n` computes its share of, if the result is not cut.
    pub fn new(partition: &Partition, (k, n): (usize, usize)) -> Result<Option<Self>> {
        let Some(node) = partition.shared_reduction(n)? else {
            return Ok(None);
        };
        let count = Pieces::new(partition, node)?.count();
        // Nothing but the number of elements and parts decides, so that all parts do alike.
        let level = |least: usize| (0..8).rev().find(|&l| count.div_ceil(chunk(l)) >= least);
        let wanted = n.saturating_mul(CHUNKS);
        let levels = level(wanted).or_else(|| level(n)).unwrap_or(0);
        let chunks = count.div_ceil(chunk(levels));
        let scaled = |k: usize| (chunks as u128 * k as u128 / n as u128) as usize;
        let at = |k: usize| scaled(k).saturating_mul(chunk(levels)).min(count);
        let (joined, lanes) = partition.of_lanes(node, chunks)?;
        Ok(Some(Self {
            node,
            part: k,
            of: n,
            share: Share {
                elements: at(k)..at(k + 1),
                levels,
            },
            lanes,
            dtype: partition.graph().nodes[node].dtype,
            joined,
            fingerprint: fingerprint(partition),
        }))
    }

    /// The first of its chunks.
    pub fn first_chunk(&self) -> usize {
        self.share.elements.start / chunk(self.share.levels)
    }

    /// The file beside the output that parts write their lanes into, behind the marks; created if
    /// it does not exist. The run that finds all parts written joins them.
    pub fn marks(&self, output: &Path) -> Result<Marks> {
        let lanes = Layout::contiguous(&self.lanes)?;
        let head = Head {
            kind: "lanes",
            what: format!("{} {}", self.dtype, self.lanes),
            of: self.of,
            fingerprint: self.fingerprint,
            more: lanes.byte_len(self.dtype.size())? as u64,
        };
        Marks::open(output, &head, true)
    }
}

/// A number that differs from one expression to the next, the same in every process.
pub(super) fn fingerprint(partition: &Partition) -> u64 {
    let graph = partition.graph();
    let mut text = format!("{:?} {:?}", graph.roots, partition.options().accuracy);
    for node in &graph.nodes {
        text += &format!(
            "{:?} {} {} {:?};",
            node.kind, node.dtype, node.shape, node.args
        );
    }
    for slot in partition.slots() {
        text += &format!("{} {:?};", slot.dtype, slot.layout);
    }
    // FNV-1a.
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
