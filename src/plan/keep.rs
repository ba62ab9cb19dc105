//! What passes compute as a whole is kept, for lists of steps.

use super::body::Body;
use super::operand::Destination;
use super::planner::Planner;
use super::wholes::{Whole, WholeKind};

impl Planner<'_> {
    /// Keeps what is computed and written there.
    pub fn keep(&mut self, kind: WholeKind, to: &Destination) {
        self.wholes.push(Whole {
            kind,
            target: to.target,
            dtype: to.slot.dtype,
            shape: to.slot.layout.shape().clone(),
        });
    }

    /// Keeps a body; a scan may run from the last element to the first.
    pub fn keep_body(&mut self, body: &Body, reverse: bool, to: &Destination) {
        let body = body.clone();
        self.keep(WholeKind::Body { body, reverse }, to);
    }
}
