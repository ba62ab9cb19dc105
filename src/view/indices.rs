//! Indices from Rust's numbers, ranges and tuples.

use std::ops::{
    Bound, Range, RangeBounds, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive,
};

use super::Index;

mod sealed {
    pub trait Sealed {}

    /// A number that counts indices.
    pub trait Number: TryInto<isize> {}
}

use sealed::{Number, Sealed};

/// What `slice` methods accept: an [`Index`], a number or a range, a tuple of up to six of these, or
/// an array, slice or vector of `Index`.
///
/// Negative numbers and ends of ranges count from the end, as in NumPy; a range beyond the end is
/// cut off, a number beyond the end is an error. Clippy reports `1..-1` as an empty range
/// (`reversed_empty_ranges`): allow the lint there, or write `Index::Range(Some(1), Some(-1), 1)`.
///
/// ```
/// use zerostride::{Expr, Index, Indices};
///
/// let x = Expr::slot(0);
/// let parts = [
///     x.slice(0),                         // x[0]
///     x.slice((.., 1..3)),                // x[:, 1:3]
///     x.slice((Index::Ellipsis, -1)),     // x[..., -1]
///     x.slice((1.., Index::NewAxis)),     // x[1:, None]
///     x.slice((.., Index::step(.., -2))), // x[:, ::-2]
/// ];
/// assert_eq!((.., 1..3).indices(), [Index::ALL, Index::Range(Some(1), Some(3), 1)]);
/// # let _ = parts;
/// ```
pub trait Indices: Sealed {
    /// The indices, outermost axis first.
    fn indices(self) -> Vec<Index>;
}

impl Index {
    /// Every `by`-th index of a range, as `start:stop:by`. A negative step goes from the start
    /// downwards: `Index::step(.., -1)` is `::-1`.
    pub fn step(range: impl RangeBounds<isize>, by: isize) -> Self {
        // Behind the last index, and before the first, there is none.
        let last = if by < 0 { 0 } else { -1 };
        let next = |i: isize| i.saturating_add(by.signum());
        let start = match range.start_bound() {
            Bound::Included(&start) => Some(start),
            Bound::Excluded(&start) => Some(next(start)),
            Bound::Unbounded => None,
        };
        let stop = match range.end_bound() {
            Bound::Included(&end) => (end != last).then(|| next(end)),
            Bound::Excluded(&end) => Some(end),
            Bound::Unbounded => None,
        };
        Self::Range(start, stop, by)
    }
}

/// Converts a number to `isize`; a larger number, beyond every axis, becomes `isize::MAX`.
fn whole<T: Number>(x: T) -> isize {
    x.try_into().unwrap_or(isize::MAX)
}

macro_rules! numbers {
    ($($t:ty),+) => { $(impl Number for $t {})+ };
}

/// Conversions to an index.
macro_rules! indices {
    ($([$($T:ident)?] $t:ty: $x:pat => $index:expr;)+) => {
        $(impl$(<$T: Number>)? From<$t> for Index {
            fn from($x: $t) -> Self {
                $index
            }
        })+
    };
}

numbers!(i32, isize, u32, usize);
indices! {
    [] RangeFull: _ => Self::ALL;
    [T] T: i => Self::At(whole(i));
    [T] Range<T>: range => Self::step(whole(range.start)..whole(range.end), 1);
    [T] RangeFrom<T>: range => Self::step(whole(range.start).., 1);
    [T] RangeTo<T>: range => Self::step(..whole(range.end), 1);
    [T] RangeToInclusive<T>: range => Self::step(..=whole(range.end), 1);
    [T] RangeInclusive<T>: range => {
        let (start, end) = range.into_inner();
        Self::step(whole(start)..=whole(end), 1)
    };
}

impl<T: Into<Index>> Sealed for T {}
impl<T: Into<Index>> Indices for T {
    fn indices(self) -> Vec<Index> {
        vec![self.into()]
    }
}

macro_rules! tuples {
    ($(($($T:ident $i:tt),*))+) => {
        $(impl<$($T: Into<Index>),*> Sealed for ($($T,)*) {}
        impl<$($T: Into<Index>),*> Indices for ($($T,)*) {
            fn indices(self) -> Vec<Index> {
                vec![$(self.$i.into()),*]
            }
        })+
    };
}

/// Lists of indices.
macro_rules! lists {
    ($([$($N:ident)?] $t:ty;)+) => {
        $(impl$(<const $N: usize>)? Sealed for $t {}
        impl$(<const $N: usize>)? Indices for $t {
            fn indices(self) -> Vec<Index> {
                self.to_vec()
            }
        })+
    };
}

tuples! {
    (A 0)
    (A 0, B 1)
    (A 0, B 1, C 2)
    (A 0, B 1, C 2, D 3)
    (A 0, B 1, C 2, D 3, E 4)
    (A 0, B 1, C 2, D 3, E 4, F 5)
}
lists! {
    [N] [Index; N];
    [N] &[Index; N];
    [] &[Index];
    [] Vec<Index>;
    [] &Vec<Index>;
}
