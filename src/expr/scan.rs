//! Scans: cumulative sums and products, as methods, and what promotion and the typed graph make of
//! each.

use std::fmt;

use super::common::{Typed, not_accepted};
use super::expand::{folded_in, summed};
use super::graph::Graph;
use super::kind::GraphKind;
use super::reduce::{Axes, Results};
use super::{Expr, Kind, Scalar};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, Result};
use crate::op::Folding;

/// The axis and direction of a scan, and whether each result includes its own element.
///
/// ```
/// use zerostride::{Along, Expr};
///
/// let x = Expr::slot(0);
/// // Along the first axis; over all elements as one row; from the last element to the first, of
/// // those behind each.
/// let sums = [x.cumsum(0), x.cumsum(..), x.cumsum(Along::axis(-1).reverse().exclusive())];
/// # let _ = sums;
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Along {
    /// `None` for all elements in row-major order.
    axis: Option<isize>,
    exclusive: bool,
    reverse: bool,
}

impl Along {
    /// All elements as one axis, in row-major order.
    pub const ALL: Self = Self {
        axis: None,
        exclusive: false,
        reverse: false,
    };

    /// This axis, counted from the last if it is negative.
    pub const fn axis(axis: isize) -> Self {
        Self {
            axis: Some(axis),
            ..Self::ALL
        }
    }

    /// Leaves each result's own element out: the first result is 0, for products 1.
    #[must_use]
    pub const fn exclusive(self) -> Self {
        Self {
            exclusive: true,
            ..self
        }
    }

    /// Scans from the last element to the first.
    #[must_use]
    pub const fn reverse(self) -> Self {
        Self {
            reverse: true,
            ..self
        }
    }

    /// Reverses the direction.
    pub(super) fn turned(self) -> Self {
        Self {
            reverse: !self.reverse,
            ..self
        }
    }

    /// Includes each result's own element.
    pub(super) fn inclusive(self) -> Self {
        Self {
            exclusive: false,
            ..self
        }
    }
}

impl fmt::Display for Along {
    /// Writes the axis as the expression language does.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.axis {
            None => f.write_str("axis=None")?,
            Some(axis) => write!(f, "axis={axis}")?,
        }
        let flags = [("exclusive", self.exclusive), ("reverse", self.reverse)];
        for (name, _) in flags.into_iter().filter(|(_, set)| *set) {
            write!(f, ", {name}")?;
        }
        Ok(())
    }
}

impl From<isize> for Along {
    fn from(axis: isize) -> Self {
        Self::axis(axis)
    }
}

impl From<std::ops::RangeFull> for Along {
    fn from(_: std::ops::RangeFull) -> Self {
        Self::ALL
    }
}

/// A scan: each result combines the elements up to its own. [docs/reductions.md] describes the
/// types, the order in which floats are added, and the error bounds that follow.
///
/// [docs/reductions.md]: https://github.com/zerostride/zerostride/blob/main/docs/reductions.md
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Scan {
    /// Their sum. Integers and bool give i64 or u64, which wrap; f16 and bf16 are added in f32, and
    /// each result is rounded once.
    Sum,
    /// Their product, in the types of a sum.
    Prod,
}

impl Scan {
    /// Its name in texts and errors.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "cumsum",
            Self::Prod => "cumprod",
        }
    }

    fn folding(self) -> Folding {
        match self {
            Self::Sum => Folding::Sum,
            Self::Prod => Folding::Prod,
        }
    }
}

impl<L> Expr<L> {
    /// The sum of the elements up to each one: [`scan`](Self::scan) of [`Scan::Sum`].
    ///
    /// ```
    /// use zerostride::{Along, DType, Expr, HostTensor, reference};
    ///
    /// let x = [HostTensor::new(DType::U8, [2, 3], vec![1, 2, 3, 4, 5, 6])?];
    /// let found = |sums: Expr<usize>| -> zerostride::Result<Vec<u8>> {
    ///     Ok(reference::run(&sums.cast(DType::U8), &x)?.bytes)
    /// };
    /// assert_eq!(found(Expr::slot(0).cumsum(1))?, [1, 3, 6, 4, 9, 15]);
    /// assert_eq!(found(Expr::slot(0).cumsum(..))?, [1, 3, 6, 10, 15, 21]);
    /// let behind = Along::axis(1).exclusive().reverse();
    /// assert_eq!(found(Expr::slot(0).cumsum(behind))?, [5, 3, 0, 11, 6, 0]);
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    pub fn cumsum(&self, along: impl Into<Along>) -> Self {
        self.scan(Scan::Sum, along)
    }

    /// The product of the elements up to each one: [`scan`](Self::scan) of [`Scan::Prod`].
    pub fn cumprod(&self, along: impl Into<Along>) -> Self {
        self.scan(Scan::Prod, along)
    }

    /// A scan along an axis, with the result types of NumPy. A scan of all elements (`..`) gives
    /// one axis.
    pub fn scan(&self, scan: Scan, along: impl Into<Along>) -> Self {
        self.scanned(scan, along.into(), Results::Numpy)
    }

    /// A scan whose result has the operand's type, as in ONNX: integers wrap in their own type.
    pub fn scan_as_is(&self, scan: Scan, along: impl Into<Along>) -> Self {
        self.scanned(scan, along.into(), Results::Kept)
    }

    fn scanned(&self, scan: Scan, along: Along, results: Results) -> Self {
        let of = match along.axis {
            Some(_) => self.clone(),
            None => self.reshape([-1]),
        };
        let along = Along {
            axis: along.axis.or(Some(0)),
            ..along
        };
        let kind = Kind::Scan {
            scan,
            along,
            results,
        };
        Self::node(kind, vec![of])
    }

    /// A scan by a row, of elements of 32 or 64 bits.
    pub(super) fn scan_by(&self, op: Folding, along: Along) -> Self {
        Self::node(Kind::Scanned { op, along }, vec![self.clone()])
    }
}

/// A scan of a promoted operand by a row and casts.
pub(super) fn expand<L>(
    scan: Scan,
    along: Along,
    results: Results,
    (x, dtype): &Typed<L>,
) -> Result<Typed<L>> {
    let Some(dtype) = *dtype else {
        let reason = "a number has no axis to scan";
        return Err(Error::argument(scan.name(), reason));
    };
    let result = match results {
        Results::Kept if dtype == DType::Bool => {
            return Err(not_accepted(scan.name(), 0, dtype, DTypes::NUMERIC));
        }
        Results::Kept => dtype,
        _ => summed(dtype),
    };
    let wide = folded_in(result);
    let made = x.cast_from(dtype, wide).scan_by(scan.folding(), along);
    Ok((made.cast_from(wide, result), Some(result)))
}

impl Graph {
    /// The node of a scan.
    ///
    /// # Errors
    /// [`Error::Axis`] for an axis out of range.
    pub(super) fn scan(&mut self, arg: usize, op: Folding, along: Along) -> Result<usize> {
        let name = "scan";
        let (dtype, shape) = self.parts(arg);
        let axes = Axes::new(along.axis.map_or(Vec::new(), |axis| vec![axis]));
        let Some(&axis) = axes.of(name, shape.rank())?.first() else {
            return Err(Error::argument(name, "it needs one axis"));
        };
        op.row().result(&[dtype, dtype], None)?;
        if shape.is_empty() || shape.extents()[axis] == 1 && !along.exclusive {
            return Ok(arg);
        }
        if shape.extents()[axis] == 1 {
            let number = Scalar::of_bits(dtype, op.of_nothing(dtype));
            return Ok(self.everywhere(number, shape));
        }
        let kind = GraphKind::Scan {
            op,
            axis,
            exclusive: along.exclusive,
            reverse: along.reverse,
        };
        let args = vec![self.whole_of(arg)];
        Ok(self.push(kind, dtype, shape, args))
    }
}
