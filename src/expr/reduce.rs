//! Reductions along axes: the methods, and the nodes that promotion expands to folds and steps.

use std::fmt;

use super::{Expr, Kind};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Folding;
use crate::view::axis_among;

/// The axes that a reduction runs along, and whether they stay as axes of extent 1.
///
/// ```
/// use zerostride::{Axes, Expr};
///
/// let x = Expr::slot(0);
/// // Along one axis, along two, along all; the second keeps them with extent 1.
/// let sums = [x.sum(1), x.sum(Axes::from([0, -1]).keepdims()), x.sum(..)];
/// # let _ = sums;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Axes {
    /// `None` for all.
    axes: Option<Vec<isize>>,
    keepdims: bool,
}

impl Axes {
    /// All axes.
    pub const ALL: Self = Self {
        axes: None,
        keepdims: false,
    };

    /// These axes, counted from the last if they are negative. An empty list reduces nothing.
    pub fn new(axes: impl Into<Vec<isize>>) -> Self {
        Self {
            axes: Some(axes.into()),
            keepdims: false,
        }
    }

    /// Keeps each reduced axis with extent 1.
    #[must_use]
    pub fn keepdims(self) -> Self {
        Self {
            keepdims: true,
            ..self
        }
    }

    /// Whether reduced axes are kept.
    pub(crate) fn keeps(&self) -> bool {
        self.keepdims
    }

    /// Resolves the axes for a shape of `rank` axes, in order; errors name `op`.
    ///
    /// # Errors
    /// [`Error::Axis`] for an axis out of range, [`Error::Argument`] for one that is named twice.
    pub fn of(&self, op: &str, rank: usize) -> Result<Vec<usize>> {
        let Some(axes) = &self.axes else {
            return Ok((0..rank).collect());
        };
        let mut named = vec![false; rank];
        for &axis in axes {
            let place = axis_among(op, axis, rank, rank)?;
            if std::mem::replace(&mut named[place], true) {
                let reason = format!("axis {place} is named twice in {axes:?}");
                return Err(Error::argument(op, reason));
            }
        }
        Ok((0..rank).filter(|&axis| named[axis]).collect())
    }
}

impl fmt::Display for Axes {
    /// Writes the axes as the expression language does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.axes.as_deref() {
            None => f.write_str("axis=None")?,
            Some([axis]) => write!(f, "axis={axis}")?,
            Some(axes) => {
                let axes: Vec<String> = axes.iter().map(isize::to_string).collect();
                write!(f, "axis=({})", axes.join(", "))?;
            }
        }
        match self.keepdims {
            true => f.write_str(", keepdims=True"),
            false => Ok(()),
        }
    }
}

impl From<isize> for Axes {
    fn from(axis: isize) -> Self {
        Self::new([axis])
    }
}

impl<const N: usize> From<[isize; N]> for Axes {
    fn from(axes: [isize; N]) -> Self {
        Self::new(axes)
    }
}

impl From<&[isize]> for Axes {
    fn from(axes: &[isize]) -> Self {
        Self::new(axes)
    }
}

impl From<Vec<isize>> for Axes {
    fn from(axes: Vec<isize>) -> Self {
        Self::new(axes)
    }
}

impl From<std::ops::RangeFull> for Axes {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::ALL
    }
}

/// A reduction of the elements along axes. [docs/reductions.md] describes the types, the order in
/// which floats are added, and the error bounds that follow.
///
/// [docs/reductions.md]: https://github.com/zerostride/zerostride/blob/main/docs/reductions.md
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reduction {
    /// The sum. Integers and bool give i64 or u64, which wrap; f16 and bf16 are added in f32 and
    /// rounded once.
    Sum,
    /// The product, in the types of a sum.
    Prod,
    /// The largest element; NaN if one is NaN.
    Max,
    /// The smallest element; NaN if one is NaN.
    Min,
    /// Whether any element is not 0.
    Any,
    /// Whether no element is 0.
    All,
    /// The index of the largest element, in row-major order of the reduced axes, as i64. A NaN is
    /// larger than every number.
    ArgMax {
        /// Returns the last of equal elements, not the first.
        last: bool,
    },
    /// The index of the smallest element, as i64. A NaN is smaller than every number.
    ArgMin {
        /// Returns the last of equal elements, not the first.
        last: bool,
    },
    /// The number of elements that are not 0, as i64.
    CountNonzero,
    /// The sum divided by the number of elements: a float.
    Mean,
    /// The mean of the squared deviations from the mean, computed in two passes over the elements.
    Var {
        /// Subtracted from the number of elements in the divisor.
        ddof: usize,
    },
    /// The square root of the variance.
    Std {
        /// Subtracted from the number of elements in the divisor.
        ddof: usize,
    },
    /// The logarithm of the sum.
    LogSum,
    /// The logarithm of the sum of exponentials, computed relative to the largest element.
    LogSumExp,
    /// The sum of absolute values.
    L1,
    /// The square root of the sum of squares.
    L2,
    /// The sum of squares.
    SumSquare,
}

impl Reduction {
    /// Its name in texts and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max => "max",
            Self::Min => "min",
            Self::Any => "any",
            Self::All => "all",
            Self::ArgMax { .. } => "argmax",
            Self::ArgMin { .. } => "argmin",
            Self::CountNonzero => "count_nonzero",
            Self::Mean => "mean",
            Self::Var { .. } => "var",
            Self::Std { .. } => "std",
            Self::LogSum => "logsum",
            Self::LogSumExp => "logsumexp",
            Self::L1 => "norm1",
            Self::L2 => "norm2",
            Self::SumSquare => "sum_square",
        }
    }
}

/// The rule for the type of a reduction's result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Results {
    /// NumPy's type.
    Numpy,
    /// The operand's type, as in ONNX; indices, counts and truth values keep their own types.
    Kept,
    /// NumPy's type, but for integers a mean's float, in which no sum wraps.
    Float,
    /// NumPy's type, for a reduction of the elements that are not NaN.
    WithoutNan,
}

/// A fold of the elements along axes: by a row of the table, or to the index of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fold {
    /// Folds by a row.
    Row(Folding),
    /// Finds the index of the extreme element.
    Extreme {
        /// The largest or the smallest.
        largest: bool,
        /// The last of equal elements or the first.
        last: bool,
    },
}

/// The reductions that are methods, of expressions and of tensors.
macro_rules! reductions {
    ($each:ident) => {
        $each! {
            /// The sum along axes; see [`Reduction::Sum`].
            sum Reduction::Sum;
            /// The product along axes; see [`Reduction::Prod`].
            prod Reduction::Prod;
            /// The largest element along axes; see [`Reduction::Max`].
            max Reduction::Max;
            /// The smallest element along axes; see [`Reduction::Min`].
            min Reduction::Min;
            /// Whether any element along axes is not 0.
            any Reduction::Any;
            /// Whether no element along axes is 0.
            all Reduction::All;
            /// The index of the first largest element along axes, i64; see [`Reduction::ArgMax`].
            argmax Reduction::ArgMax { last: false };
            /// The index of the first smallest element along axes, i64; see [`Reduction::ArgMin`].
            argmin Reduction::ArgMin { last: false };
            /// The number of elements along axes that are not 0, as i64.
            count_nonzero Reduction::CountNonzero;
            /// The mean along axes; see [`Reduction::Mean`].
            mean Reduction::Mean;
            /// The variance along axes, divided by the number of elements; see [`Reduction::Var`].
            var Reduction::Var { ddof: 0 };
            /// The square root of [`var`](Self::var).
            std Reduction::Std { ddof: 0 };
            /// The logarithm of the sum of exponentials along axes; see [`Reduction::LogSumExp`].
            logsumexp Reduction::LogSumExp;
        }
    };
}
pub(crate) use reductions;

/// Methods of one reduction each, along given axes.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $method:ident $reduction:expr;)+) => {
        impl<L> Expr<L> {
            $($(#[doc = $doc])+
            pub fn $method(&self, axes: impl Into<Axes>) -> Self {
                self.reduce($reduction, axes)
            })+
        }
    };
}

reductions!(methods);

impl<L> Expr<L> {
    /// A reduction along axes, with the result types of NumPy.
    pub fn reduce(&self, reduction: Reduction, axes: impl Into<Axes>) -> Self {
        self.reduced(reduction, axes.into(), Results::Numpy)
    }

    /// A reduction whose result has the operand's type, as in ONNX: integers wrap in their own
    /// type, and the mean of integers is truncated.
    pub fn reduce_as_is(&self, reduction: Reduction, axes: impl Into<Axes>) -> Self {
        self.reduced(reduction, axes.into(), Results::Kept)
    }

    pub(crate) fn reduced(&self, reduction: Reduction, axes: Axes, results: Results) -> Self {
        let kind = Kind::Reduce {
            reduction,
            axes,
            results,
        };
        Self::node(kind, vec![self.clone()])
    }

    pub(super) fn fold(&self, fold: Fold, axes: &Axes) -> Self {
        let kind = Kind::Fold {
            fold,
            axes: axes.clone(),
        };
        Self::node(kind, vec![self.clone()])
    }

    /// The number of elements along axes, less `ddof` but not below 0, as a number of a type.
    pub(super) fn count(&self, axes: &Axes, ddof: usize, dtype: DType) -> Self {
        let kind = Kind::Count {
            axes: axes.clone(),
            ddof,
            dtype,
        };
        Self::node(kind, vec![self.clone()])
    }

    /// The index of each element along axes, in row-major order of these axes, as u32; the other
    /// axes have extent 1.
    pub fn position(&self, axes: impl Into<Axes>) -> Self {
        Self::node(Kind::Position(axes.into()), vec![self.clone()])
    }

    pub(super) fn folded(&self, op: Folding, axes: &Axes) -> Self {
        self.fold(Fold::Row(op), axes)
    }
}
