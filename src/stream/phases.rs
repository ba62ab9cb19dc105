//! Which reductions of an expression are computed before its result, and in which order.

use super::bounds::{Bounds, NoSchedule};
use super::fit::WindowSearch;
use super::phase::Phase;
use super::schedule::Schedule;
use super::shared::SharedReduction;
use crate::error::Result;
use crate::plan::Partition;

/// The reductions that are computed one after the other, before the result.
pub(super) struct Phases {
    /// The rest of the expression, in which the results of those are inputs.
    pub partition: Partition,
    pub found: Vec<Phase>,
    /// Bytes of their results that stay in memory.
    pub results: u64,
    /// The most bytes that are held while one is computed.
    pub most: u64,
    bounds: Bounds,
}

impl Phases {
    pub fn new(partition: &Partition, bounds: Bounds) -> Self {
        Self {
            partition: partition.clone(),
            found: Vec::new(),
            results: 0,
            most: 0,
            bounds,
        }
    }

    fn left(&self) -> Bounds {
        Bounds {
            memory: self.bounds.memory.saturating_sub(self.results),
            ..self.bounds
        }
    }

    fn push(&mut self, node: usize, phase: Phase) -> Result<()> {
        self.most = self.most.max(self.results + phase.bound);
        self.results += phase.held_bytes;
        self.found.push(phase);
        self.partition = self.partition.given(node)?;
        Ok(())
    }

    /// Finds the reductions without which no windows of the result fit, and the windows.
    pub fn before_windows(&mut self) -> Result<Schedule, NoSchedule> {
        loop {
            match WindowSearch::schedule(&self.partition, self.left()) {
                Err(NoSchedule::Other(error)) => return Err(NoSchedule::Other(error)),
                Err(refused) => {
                    let all = self.partition.graph().reductions();
                    self.next(all, refused)?;
                }
                Ok(schedule) => return Ok(schedule),
            }
        }
    }

    /// Finds the reductions before the one that parts share, and that one.
    pub fn up_to(&mut self, shared: &SharedReduction) -> Result<(), NoSchedule> {
        if shared.share.elements.is_empty() {
            return Ok(());
        }
        loop {
            let mut inner = self.partition.of_node(shared.node).graph().reductions();
            inner.retain(|&node| node != shared.node);
            let refused = match self.first_refused(&inner)? {
                Some(_) => NoSchedule::Memory,
                None => {
                    let share = Some(shared.share.clone());
                    match Phase::new(&self.partition, shared.node, share, self.left()) {
                        Err(NoSchedule::Other(error)) => return Err(NoSchedule::Other(error)),
                        Err(refused) => refused,
                        Ok(phase) => {
                            self.most = self.most.max(self.results + phase.bound);
                            self.found.push(phase);
                            return Ok(());
                        }
                    }
                }
            };
            self.next(inner, refused)?;
        }
    }

    /// Adds one of these reductions: the first that cannot be computed in windows of its result,
    /// or, if all can or its pieces do not fit, the first whose pieces fit.
    fn next(&mut self, mut nodes: Vec<usize>, mut refused: NoSchedule) -> Result<(), NoSchedule> {
        if let Some(k) = self.first_refused(&nodes)? {
            nodes[..=k].rotate_right(1);
        }
        for node in nodes {
            match Phase::new(&self.partition, node, None, self.left()) {
                Ok(phase) => return Ok(self.push(node, phase)?),
                Err(NoSchedule::Other(error)) => return Err(NoSchedule::Other(error)),
                Err(other) if !matches!(refused, NoSchedule::Whole(_)) => refused = other,
                Err(_) => {}
            }
        }
        Err(refused)
    }

    fn first_refused(&self, nodes: &[usize]) -> Result<Option<usize>> {
        let bounds = Bounds {
            part: None,
            ..self.left()
        };
        for (k, &node) in nodes.iter().enumerate() {
            match WindowSearch::schedule(&self.partition.of_node(node), bounds) {
                Ok(_) => {}
                Err(NoSchedule::Other(error)) => return Err(error),
                Err(_) => return Ok(Some(k)),
            }
        }
        Ok(None)
    }
}
