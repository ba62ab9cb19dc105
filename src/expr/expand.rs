//! What promotion makes of reductions: folds and steps on known types.

use super::common::{Promotion, Typed, float_of, not_accepted};
use super::reduce::{Axes, Fold, Reduction, Results};
use super::{Expr, Scalar};
use crate::dtype::{Class, DType, DTypes};
use crate::error::{Error, Result};
use crate::op::{Folding, Op};

/// The type that elements are folded in: of 32 or 64 bits, the narrower ones exact in it.
pub(super) fn folded_in(dtype: DType) -> DType {
    match dtype.class() {
        _ if dtype.size() >= 4 => dtype,
        Class::I32 => DType::I32,
        Class::F32 => DType::F32,
        _ => DType::U32,
    }
}

/// The type that a sum has in NumPy.
pub(super) fn summed(dtype: DType) -> DType {
    match dtype.class() {
        _ if dtype.is_float() => dtype,
        Class::U32 | Class::U64 => DType::U64,
        _ => DType::I64,
    }
}

/// A value and its type.
struct TypedExpr<L> {
    expr: Expr<L>,
    dtype: DType,
}

impl<L> TypedExpr<L> {
    fn new(expr: Expr<L>, dtype: DType) -> Self {
        Self { expr, dtype }
    }

    fn cast(&self, to: DType) -> Self {
        Self::new(self.expr.cast_from(self.dtype, to), to)
    }

    fn map(self, f: impl FnOnce(Expr<L>) -> Expr<L>) -> Self {
        Self::new(f(self.expr), self.dtype)
    }

    fn number(&self, x: f64) -> Expr<L> {
        Expr::scalar(Scalar::of(self.dtype, x))
    }

    fn absolute(self) -> Self {
        match self.dtype {
            DType::U32 | DType::U64 => self,
            _ => self.map(|x| x.abs()),
        }
    }

    /// The number of the largest or smallest element along axes.
    fn extreme(&self, largest: bool, last: bool, axes: &Axes) -> Self {
        let x = self.cast(folded_in(self.dtype)).expr;
        Self::new(x.fold(Fold::Extreme { largest, last }, axes), DType::I64)
    }
}

/// A reduction of a promoted operand as folds and steps.
pub(super) fn expand<L: Clone>(
    reduction: Reduction,
    axes: &Axes,
    results: Results,
    (x, dtype): &Typed<L>,
    promotion: Promotion,
) -> Result<Typed<L>> {
    let Some(dtype) = *dtype else {
        let reason = "a number has no axes to reduce";
        return Err(Error::argument(reduction.name(), reason));
    };
    let kept = results == Results::Kept;
    if kept && dtype == DType::Bool && !reduction.keeps_bools() {
        return Err(not_accepted(reduction.name(), 0, dtype, DTypes::NUMERIC));
    }
    let x = TypedExpr::new(x.clone(), dtype);
    // The types of sums, of float results, and those that they are computed in.
    let sum = if kept { dtype } else { summed(dtype) };
    let adds = folded_in(sum);
    let computed = match (dtype.is_float(), kept) {
        (true, _) => dtype,
        (false, true) => DType::F32,
        (false, false) => float_of(dtype, promotion, true),
    };
    let float = if kept { dtype } else { computed };
    let wide = folded_in(computed);
    let counted = || match results {
        Results::WithoutNan if dtype.is_float() => Counted::without_nan(&x, wide),
        _ => Counted::all(&x, wide),
    };
    let fold = |x: TypedExpr<L>, op: Folding| x.map(|x| x.folded(op, axes));
    let truths = x.cast(DType::Bool);
    let made = match reduction {
        Reduction::Sum => fold(x.cast(adds), Folding::Sum).cast(sum),
        Reduction::Prod => fold(x.cast(adds), Folding::Prod).cast(sum),
        Reduction::Max => fold(x.cast(folded_in(dtype)), Folding::Max).cast(dtype),
        Reduction::Min => fold(x.cast(folded_in(dtype)), Folding::Min).cast(dtype),
        Reduction::Any => fold(truths.cast(DType::U32), Folding::Or).cast(DType::Bool),
        Reduction::All => fold(truths.cast(DType::U32), Folding::And).cast(DType::Bool),
        Reduction::ArgMax { last } => x.extreme(true, last, axes),
        Reduction::ArgMin { last } => x.extreme(false, last, axes),
        Reduction::CountNonzero => fold(truths.cast(DType::I64), Folding::Sum),
        Reduction::Mean if kept && !dtype.is_float() => fold(x.cast(adds), Folding::Sum)
            .map(|sum| sum.div(x.expr.count(axes, 0, adds)))
            .cast(dtype),
        Reduction::Mean if results == Results::WithoutNan && dtype.is_float() => {
            counted().mean(axes).cast(float)
        }
        Reduction::Mean => sum_as_float(&x, axes, wide)
            .map(|sum| sum.rounded_div(x.expr.count(axes, 0, wide)))
            .cast(float),
        Reduction::Var { ddof } => counted().variance(axes, ddof).cast(float),
        Reduction::Std { ddof } => {
            let variance = counted().variance(axes, ddof);
            variance.map(|v| v.sqrt()).cast(float)
        }
        Reduction::LogSum => fold(x.cast(wide), Folding::Sum)
            .map(|sum| sum.log())
            .cast(float),
        Reduction::LogSumExp => log_sum_exp(&x.cast(wide), axes).cast(float),
        Reduction::L1 if results == Results::Float && !dtype.is_float() => {
            sum_as_float(&sizes(&x), axes, wide).cast(float)
        }
        Reduction::L1 => fold(x.cast(adds).absolute(), Folding::Sum).cast(sum),
        Reduction::SumSquare => fold(x.cast(adds).map(|x| x.mul(&x)), Folding::Sum).cast(sum),
        Reduction::L2 => fold(x.cast(wide).map(|x| x.mul(&x)), Folding::Sum)
            .map(|sum| sum.sqrt())
            .cast(float),
    };
    Ok((made.expr, Some(made.dtype)))
}

impl Reduction {
    /// Whether its result may be a bool, or never has the operand's type.
    fn keeps_bools(self) -> bool {
        matches!(
            self,
            Self::Max
                | Self::Min
                | Self::Any
                | Self::All
                | Self::ArgMax { .. }
                | Self::ArgMin { .. }
                | Self::CountNonzero
        )
    }
}

/// The sum in a float type; integers are added as such.
fn sum_as_float<L>(x: &TypedExpr<L>, axes: &Axes, wide: DType) -> TypedExpr<L> {
    if matches!(x.dtype, DType::I64 | DType::U64) {
        return wide_sum(x, axes, wide);
    }
    let adds = match x.dtype.is_float() {
        true => wide,
        false => folded_in(summed(x.dtype)),
    };
    let sum = x.cast(adds).map(|x| x.folded(Folding::Sum, axes));
    sum.cast(wide)
}

/// The absolute values of integers, each of which the unsigned type holds.
fn sizes<L>(x: &TypedExpr<L>) -> TypedExpr<L> {
    let unsigned = match x.dtype {
        DType::I8 => DType::U8,
        DType::I16 => DType::U16,
        DType::I32 => DType::U32,
        DType::I64 => DType::U64,
        other => return x.cast(other),
    };
    TypedExpr::new(x.expr.abs().bit_cast(unsigned), unsigned)
}

/// The sum of 64-bit integers, which may need 128 bits, in a float type. Upper and lower halves are
/// added apart, each exactly.
fn wide_sum<L>(x: &TypedExpr<L>, axes: &Axes, wide: DType) -> TypedExpr<L> {
    let number = |n: i64| Expr::scalar(Scalar::of_bits(x.dtype, n as u64));
    let step = |op: Op, a: &Expr<L>, b: &Expr<L>| Expr::step(op, [a.clone(), b.clone()]);
    let (half, mask) = (number(32), number(i64::from(u32::MAX)));
    let upper = |x: &Expr<L>| step(Op::SHR, x, &half);
    let lower = |x: &Expr<L>| step(Op::BIT_AND, x, &mask);
    let halves = [upper(&x.expr), lower(&x.expr)];
    let [high, low] = halves.map(|half| half.folded(Folding::Sum, axes));
    // The sum is 2^64 * top + rest, the latter by its bits.
    let middle = upper(&low).add(lower(&high));
    let rest = step(Op::BIT_OR, &step(Op::SHL, &middle, &half), &lower(&low));
    let top = upper(&high).add(upper(&middle));
    let sign = match x.dtype {
        DType::I64 => step(Op::SHR, &rest, &number(63)),
        _ => number(0),
    };
    let power = Expr::scalar(Scalar::of(wide, 2f64.powi(64)));
    let bits = match x.dtype {
        DType::U64 => rest.clone(),
        _ => rest.bit_cast(DType::U64),
    };
    let large = top.cast(wide).mul(&power).add(bits.cast(wide));
    let fits = step(Op::EQUAL, &top, &sign);
    TypedExpr::new(Expr::step(Op::WHERE, [fits, rest.cast(wide), large]), wide)
}

/// Elements in the float type that they are folded in, and which of them count.
struct Counted<L> {
    x: TypedExpr<L>,
    /// All, or those where this holds.
    there: Option<Expr<L>>,
}

impl<L: Clone> Counted<L> {
    fn all(x: &TypedExpr<L>, wide: DType) -> Self {
        Self {
            x: x.cast(wide),
            there: None,
        }
    }

    fn without_nan(x: &TypedExpr<L>, wide: DType) -> Self {
        let is_nan = Expr::step(Op::IS_NAN, [x.expr.clone()]);
        Self {
            x: x.cast(wide),
            there: Some(Expr::step(Op::NOT, [is_nan])),
        }
    }

    /// A value of each element, 0 where it does not count.
    fn only(&self, value: &Expr<L>) -> Expr<L> {
        let zero = || self.x.number(0.0);
        match &self.there {
            None => value.clone(),
            Some(there) => Expr::step(Op::WHERE, [there.clone(), value.clone(), zero()]),
        }
    }

    /// How many elements count along axes, less `ddof`. If none is left that is 0 of all elements, and
    /// NaN of some, as NumPy has it.
    fn count(&self, axes: &Axes, ddof: usize) -> Expr<L> {
        let Some(there) = &self.there else {
            return self.x.expr.count(axes, ddof, self.x.dtype);
        };
        let counted = there.cast(DType::U32).folded(Folding::Sum, axes);
        let counted = counted.cast(self.x.dtype);
        if ddof == 0 {
            return counted;
        }
        let left = counted.sub(self.x.number(ddof as f64));
        let some = Expr::step(Op::GREATER, [left.clone(), self.x.number(0.0)]);
        Expr::step(Op::WHERE, [some, left, self.x.number(f64::NAN)])
    }

    fn mean(&self, axes: &Axes) -> TypedExpr<L> {
        let sum = self.only(&self.x.expr).folded(Folding::Sum, axes);
        TypedExpr::new(sum.rounded_div(self.count(axes, 0)), self.x.dtype)
    }

    /// The deviations are squared, which loses no digits to a large mean. Their own sum is 0 but for
    /// the error of the mean, which is taken out.
    fn variance(&self, axes: &Axes, ddof: usize) -> TypedExpr<L> {
        let mean = self.mean(&axes.clone().keepdims());
        let deviation = self.only(&self.x.expr.sub(&mean.expr));
        let squares = deviation.mul(&deviation).folded(Folding::Sum, axes);
        let rest = deviation.folded(Folding::Sum, axes);
        let error = rest.mul(&rest).rounded_div(self.count(axes, 0));
        // Of equal elements both are the same but for roundings.
        let squares = squares.sub(&error).maximum(self.x.number(0.0));
        TypedExpr::new(squares.rounded_div(self.count(axes, ddof)), self.x.dtype)
    }
}

/// The logarithm of the sum of exponentials. The largest element is subtracted first, unless it is
/// infinite; whatever it is, the result is the same, so no gradient flows through it.
fn log_sum_exp<L>(x: &TypedExpr<L>, axes: &Axes) -> TypedExpr<L> {
    let finite = |largest: Expr<L>| {
        let infinite = Expr::step(Op::IS_INF, [largest.clone()]);
        Expr::step(Op::WHERE, [infinite, x.number(0.0), largest]).detach()
    };
    let kept = finite(x.expr.folded(Folding::Max, &axes.clone().keepdims()));
    let sum = x.expr.sub(&kept).exp().folded(Folding::Sum, axes);
    let largest = finite(x.expr.folded(Folding::Max, axes));
    TypedExpr::new(sum.log().add(&largest), x.dtype)
}
