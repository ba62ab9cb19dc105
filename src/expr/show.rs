//! An expression as text, for debugging.

use std::fmt;

use super::{Expr, Kind};
use crate::rule::Rule;

impl<L: fmt::Debug> fmt::Debug for Expr<L> {
    /// The expression as nested calls; parts past a depth of 8 are shown as `...`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn show<L: fmt::Debug>(
            expr: &Expr<L>,
            depth: usize,
            f: &mut fmt::Formatter<'_>,
        ) -> fmt::Result {
            if depth > 8 {
                return f.write_str("...");
            }
            match expr.kind() {
                Kind::Leaf => return expr.as_leaf().map_or(Ok(()), |l| write!(f, "{l:?}")),
                Kind::Literal(x) => return write!(f, "{x}"),
                Kind::Given(x) => return write!(f, "given {}", x.index),
                Kind::Scalar(x) => return write!(f, "{x}"),
                Kind::Step {
                    op, to: Some(to), ..
                } => write!(f, "{op}[{to}](")?,
                Kind::Step {
                    op,
                    rule: Rule::Numpy,
                    ..
                } => write!(f, "{op}(")?,
                Kind::Step { op, rule, .. } => write!(f, "{op}[{rule}](")?,
                Kind::View(view) => write!(f, "{view:?}(")?,
                Kind::Reshape(extents) => write!(f, "reshape[{extents:?}](")?,
                Kind::Windows(windows) => write!(f, "windows[{windows:?}](")?,
                Kind::Product => f.write_str("matmul(")?,
                Kind::Reduce {
                    reduction, axes, ..
                } => write!(f, "{}[{axes}](", reduction.name())?,
                Kind::Fold { fold, axes, .. } => write!(f, "{fold:?}[{axes}](")?,
                Kind::Count { axes, .. } => write!(f, "count[{axes}](")?,
                Kind::Position(axes) => write!(f, "position[{axes}](")?,
                Kind::Scan { scan, along, .. } => write!(f, "{}[{along}](", scan.name())?,
                Kind::Scanned { op, along, .. } => write!(f, "scan {op:?}[{along}](")?,
                Kind::Like(like) => write!(f, "{like:?}(")?,
                Kind::Composed(composed) => write!(f, "{composed:?}(")?,
                Kind::Gathered(gathered) => write!(f, "{gathered:?}(")?,
                Kind::Call(call) => write!(f, "{}(", call.source)?,
                Kind::Detached => f.write_str("detach(")?,
                Kind::Gradient(at) => write!(f, "gradient[{}](", at.which)?,
            }
            for (i, arg) in expr.args().iter().enumerate() {
                if i > 0 {
                    f.write_str(", ")?;
                }
                show(arg, depth + 1, f)?;
            }
            f.write_str(")")
        }
        show(self, 0, f)
    }
}
