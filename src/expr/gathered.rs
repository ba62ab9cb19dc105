//! Nodes that move elements of their operands, or give the indices of places.

use super::common::Typed;
use super::graph::Graph;
use super::join::Join;
use super::like::Like;
use super::step::Promoter;
use super::{Expr, Kind};
use crate::dtype::DType;
use crate::error::{Error, Result};

/// The source of such a node's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Gathered {
    /// The operands, joined to one array.
    Joined(Join),
    /// Elements of operand 0 along an axis, at the indices in operand 1.
    Taken(isize),
    /// The indices along an axis of the one operand, as u32.
    Indices(isize),
    /// For each element of operand 1, the number of elements of operand 0, a sorted array, that are
    /// less, or with `right` not greater, as i64.
    Searched { right: bool },
    /// The elements sorted along an axis, or the indices that sort them, as i64.
    Sorted { axis: isize, places: bool },
}

impl Gathered {
    /// The node on promoted operands.
    pub(super) fn promoted<L: Clone>(
        self,
        promoter: &Promoter,
        args: &[&Typed<L>],
    ) -> Result<Typed<L>> {
        match self {
            Self::Joined(join) => promoter.joined(join, args),
            Self::Taken(axis) => promoter.taken(axis, args),
            Self::Indices(axis) => Ok((args[0].0.indices(axis), Some(DType::U32))),
            Self::Searched { right } => promoter.searched(right, args),
            Self::Sorted { axis, places } => promoter.sorted(axis, places, args[0]),
        }
    }

    /// The type of its elements.
    pub fn dtype(self, args: &[DType]) -> DType {
        match self {
            Self::Joined(_) | Self::Taken(_) | Self::Sorted { places: false, .. } => {
                args.first().copied().unwrap_or(DType::F32)
            }
            Self::Indices(_) => DType::U32,
            Self::Searched { .. } | Self::Sorted { .. } => DType::I64,
        }
    }

    /// The operands whose elements it has.
    pub fn sources<T>(self, args: &[T]) -> &[T] {
        match self {
            Self::Joined(_) | Self::Sorted { places: false, .. } => args,
            Self::Taken(_) => &args[..1],
            Self::Indices(_) | Self::Searched { .. } | Self::Sorted { .. } => &[],
        }
    }

    /// The gradients of its operands, given its own.
    ///
    /// # Errors
    /// [`Error::Unsupported`] if it is not differentiable.
    pub fn pulled_back<L: Clone>(
        self,
        gradient: &Expr<L>,
        args: &[Expr<L>],
    ) -> Result<Vec<Option<Expr<L>>>> {
        match self {
            Self::Joined(join) => {
                let part = |which| Some(gradient.like(Like::Unjoin(join, which), args));
                Ok((0..args.len()).map(part).collect())
            }
            Self::Taken(_) => Err(Error::unsupported(
                "the gradient of take, whose indices may name an element twice",
            )),
            Self::Sorted { places: false, .. } => {
                Err(Error::unsupported("the gradient of sorted elements"))
            }
            // Numbers of indices, and places, jump.
            Self::Indices(_) | Self::Searched { .. } | Self::Sorted { .. } => {
                Ok(args.iter().map(|_| None).collect())
            }
        }
    }
}

impl<L> Expr<L> {
    /// Elements of operands, moved or looked up.
    pub(crate) fn gathered(gathered: Gathered, args: impl Into<Vec<Self>>) -> Self {
        Self::node(Kind::Gathered(gathered), args.into())
    }

    /// Arrays joined to one.
    pub(crate) fn joined(join: Join, args: impl Into<Vec<Self>>) -> Self {
        Self::gathered(Gathered::Joined(join), args)
    }

    /// The indices along an axis of this operand, as u32.
    pub(crate) fn indices(&self, axis: isize) -> Self {
        Self::gathered(Gathered::Indices(axis), [self.clone()])
    }
}

impl Graph {
    /// The node of moved elements.
    pub(super) fn gathered(&mut self, gathered: Gathered, args: &[usize]) -> Result<usize> {
        match gathered {
            Gathered::Joined(join) => self.join(join, args),
            Gathered::Taken(axis) => self.taken(args[0], args[1], axis),
            Gathered::Indices(axis) => self.indices(args[0], axis),
            Gathered::Searched { right } => self.searched(args[0], args[1], right),
            Gathered::Sorted { axis, places } => self.sorted(args[0], axis, places),
        }
    }
}
