//! Where gradients flow.

use crate::expr::{Expr, Kind, Like};

/// The operands of which a node's values are made.
pub(super) fn passing<L>(node: &Expr<L>) -> &[Expr<L>] {
    match node.kind() {
        Kind::Detached | Kind::Count { .. } | Kind::Position(_) => &[],
        Kind::Gathered(gathered) => gathered.sources(node.args()),
        Kind::Like(like) if !matches!(like, Like::Factor(_)) => &node.args()[..1],
        _ => node.args(),
    }
}
