//! Arrays made of numbers, for the expression language and contexts.

use super::{Composed, Expr, Literal};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Op;
use crate::rule::Rule;
use crate::shape::Shape;

/// Steps of a size, which is not 0, that lead from a number to another or beyond it; none in the
/// other direction. `None` if they are too many to be counted.
fn steps_to(from: i128, to: i128, by: i128) -> Option<i128> {
    let distance = to.checked_sub(from)?;
    let (whole, rest) = (distance.checked_div(by)?, distance % by);
    let steps = whole + i128::from(rest != 0 && (rest < 0) == (by < 0));
    Some(steps.max(0))
}

impl<L> Expr<L> {
    /// Broadcasts this number, or array, to a shape. A number without a type gets a type.
    pub(crate) fn filled(&self, shape: impl Into<Shape>, dtype: Option<DType>) -> Self {
        let target = shape.into();
        Self::composed(Composed::Typed, [self.clone()])
            .typed_if(dtype)
            .broadcast(Rule::To { target })
    }

    /// A cast, if there is a type.
    fn typed_if(self, dtype: Option<DType>) -> Self {
        match dtype {
            Some(dtype) => self.cast(dtype),
            None => self,
        }
    }

    /// Compares each column's index with its row's index plus `k`.
    pub(crate) fn beside(&self, k: isize, comparison: Op) -> Self {
        let places = |axis| self.indices(axis).cast(DType::I64);
        let k = Self::literal(Literal::Int(k as i128));
        let row = Self::promoting(Op::ADD, [places(-2), k]);
        Self::promoting(comparison, [places(-1), row])
    }

    /// Rows and columns, 1 on the diagonal `k` and 0 elsewhere.
    pub(crate) fn eye_of(extents: [usize; 2], k: isize, dtype: Option<DType>) -> Self {
        let whole = Self::literal(0.0).filled(extents, dtype);
        let on = whole.beside(k, Op::EQUAL);
        // A number that meets bool would be an i64.
        Self::promoting(Op::WHERE, [on, Self::literal(1), whole]).typed_if(dtype)
    }

    /// The numbers from one to below another by a step: i64 if all are whole, else the float that
    /// i64 becomes.
    ///
    /// # Errors
    /// [`Error::Argument`] for a step of 0, numbers that are not finite, and 2^32 elements or more.
    pub(crate) fn arange_of(
        start: Literal,
        stop: Literal,
        step: Literal,
        dtype: Option<DType>,
    ) -> Result<Self> {
        let fail = |reason: &str| Err(Error::argument("arange", reason));
        let [from, to, by] = [start, stop, step].map(Literal::float);
        if by == 0.0 || !(from.is_finite() && to.is_finite() && by.is_finite()) {
            return fail("its numbers must be finite and its step not 0");
        }
        let whole = [start, stop, step].map(Literal::whole);
        // Whole numbers are counted as such: beyond 2^53 a float has neighbours of them in one.
        let (count, is_whole) = match whole {
            [Some(from), Some(to), Some(by)] => match steps_to(from, to, by) {
                Some(count) => (count, true),
                None => return fail("at most 2^32 - 1 elements are supported"),
            },
            _ => (((to - from) / by).ceil().max(0.0) as i128, false),
        };
        let Ok(count) = u32::try_from(count) else {
            return fail("at most 2^32 - 1 elements are supported");
        };
        if let ([Some(from), _, Some(by)], None, 1..) = (whole, dtype, count) {
            let last = from + i128::from(count - 1) * by;
            if [from, last].iter().any(|&n| i64::try_from(n).is_err()) {
                return fail("its numbers do not fit i64; give a type, as dtype=f64");
            }
        }
        let [start, step] = match is_whole {
            true => [start, step],
            // As NumPy has it: the second element less the first.
            false => [Literal::Float(from), Literal::Float((from + by) - from)],
        };
        let place = Self::line(count as usize);
        Ok(place.stepped(start, step, is_whole).typed_if(dtype))
    }

    /// `count` numbers at equal distances from one to another, including the last if `ends`.
    pub(crate) fn evenly(
        start: Literal,
        stop: Literal,
        count: usize,
        ends: bool,
        dtype: Option<DType>,
    ) -> Self {
        let gaps = if ends { count.saturating_sub(1) } else { count };
        if let Some(dtype) = dtype.filter(|dtype| dtype.is_int())
            && let Some(numbers) = Self::whole_numbers([start, stop], count, gaps)
        {
            return numbers.cast(dtype);
        }
        let [start, stop] = [start, stop].map(Literal::float);
        let step = if gaps > 0 {
            (stop - start) / gaps as f64
        } else {
            0.0
        };
        let place = Self::line(count);
        let mut numbers = place.stepped(Literal::Float(start), Literal::Float(step), false);
        if ends && count > 1 {
            let last = Self::literal(Literal::Int(gaps as i128));
            let is_last = Self::promoting(Op::EQUAL, [place, last]);
            numbers = Self::promoting(Op::WHERE, [is_last, Self::literal(stop), numbers]);
        }
        // As NumPy has it: integers are the next lower ones.
        let numbers = match dtype {
            Some(dtype) if dtype.is_int() => Self::promoting(Op::FLOOR, [numbers]),
            _ => numbers,
        };
        numbers.typed_if(dtype)
    }

    /// So many whole numbers at distances that are a whole one's share of the gaps, rounded down; `None`
    /// if an end is no whole number, or i64 does not hold the products.
    fn whole_numbers(ends: [Literal; 2], count: usize, gaps: usize) -> Option<Self> {
        let whole = |end: Literal| match end {
            Literal::Float(x) if x.fract() == 0.0 && x.abs() < 2f64.powi(53) => Some(x as i128),
            end => end.whole(),
        };
        let [from, to] = ends.map(whole);
        let (from, distance) = (from?, to?.checked_sub(from?)?);
        let gaps = gaps.max(1) as i128;
        let largest = distance.checked_mul(gaps)?;
        if [from, from + distance, largest]
            .iter()
            .any(|&n| i64::try_from(n).is_err())
        {
            return None;
        }
        let number = |n: i128| Self::literal(Literal::Int(n));
        let place = Self::line(count).cast(DType::I64);
        let passed = Self::promoting(Op::MUL, [place, number(distance)]);
        let passed = Self::promoting(Op::FLOOR_DIV, [passed, number(gaps)]);
        Some(Self::promoting(Op::ADD, [passed, number(from)]))
    }

    /// The numbers of so many elements.
    fn line(count: usize) -> Self {
        let zeros = Self::literal(0).filled([count], Some(DType::U32));
        zeros.indices(0)
    }

    /// A first number and steps from it, for the numbers of elements.
    fn stepped(&self, start: Literal, step: Literal, is_whole: bool) -> Self {
        let mut made = match is_whole {
            true => self.cast(DType::I64),
            false => Self::composed(Composed::Places, [self.clone()]),
        };
        if step.float() != 1.0 {
            made = Self::promoting(Op::MUL, [made, Self::literal(step)]);
        }
        if start.float() != 0.0 {
            made = Self::promoting(Op::ADD, [made, Self::literal(start)]);
        }
        made
    }
}
