//! The nodes of reductions and scans.

use super::ast::Ast;
use super::lexer::syntax;
use super::parser::Parser;
use super::reductions::{NamedReduction, Recipe};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::{Along, Axes, Composed, Literal, Reduction, Results, Scan};
use crate::op::Op;
use crate::rule::Rule;

/// What a call gives beside the array.
#[derive(Default)]
pub(super) struct ReductionOptions {
    /// `None` for all.
    pub axes: Option<Vec<isize>>,
    pub keepdims: bool,
    pub dtype: Option<DType>,
    pub ddof: Option<usize>,
    /// Which norm, with its column.
    pub ord: Option<(Ord, usize)>,
    /// What each element counts.
    pub weights: Option<usize>,
    /// Where elements are taken, and what is taken beside them.
    pub mask: Option<usize>,
    pub initial: Option<usize>,
}

/// Which norm: of sums of absolute values, of squares, or an extreme absolute value.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ord {
    One,
    Two,
    Extreme(Reduction),
}

/// A call of a reduction or scan, whose nodes are all at its column.
pub(super) struct ReductionCall<'p> {
    pub parser: &'p mut Parser,
    pub named: &'static NamedReduction,
    pub column: usize,
    pub options: ReductionOptions,
}

impl ReductionCall<'_> {
    /// The reduction of the node `x`.
    pub fn of(&mut self, x: usize) -> Result<usize> {
        Ok(match self.named.recipe {
            Recipe::One(reduction) => match (self.options.weights, self.options.mask) {
                (Some(weights), _) => self.weighted_mean(x, weights)?,
                (None, Some(mask)) if self.named.is_mean() => self.masked_mean(x, mask, reduction),
                (None, mask) => self.masked(x, mask, reduction)?,
            },
            Recipe::WithoutNan(reduction, neutral) => {
                let x = self.without_nan(x, neutral);
                let made = self.reduce(x, reduction);
                self.cast(made)
            }
            Recipe::ExtremeWithoutNan(reduction, never) => {
                let (is_nan, kept) = self.with_never(x, never);
                let made = self.reduce(kept, reduction);
                let none = self.reduce(is_nan, Reduction::All);
                let nan = self.literal(f64::NAN);
                self.where_float([none, nan, made])
            }
            Recipe::PlaceWithoutNan(reduction, never) => {
                let (_, kept) = self.with_never(x, never);
                self.reduce(kept, reduction)
            }
            Recipe::FloatWithoutNan(reduction) => {
                let x = self.cast(x);
                self.reduced(x, self.spread(reduction), Results::WithoutNan)
            }
            Recipe::Scan(scan) => {
                let x = self.flat(x);
                let x = self.cast(x);
                self.scan(x, scan)
            }
            Recipe::ScanWithoutNan(scan, neutral) => {
                let x = self.flat(x);
                let x = self.without_nan(x, neutral);
                self.scan(x, scan)
            }
            Recipe::Range => {
                let ends = [Reduction::Max, Reduction::Min].map(|end| self.reduce(x, end));
                self.step(Op::SUB, &ends)
            }
            Recipe::Norm => {
                self.check_norm(x)?;
                self.norm(x)
            }
            Recipe::VectorNorm => self.norm(x),
        })
    }

    fn weighted_mean(&mut self, x: usize, weights: usize) -> Result<usize> {
        let weights = self.weights_of(x, weights)?;
        let one = self.literal(1.0);
        let parts = [x, weights].map(|x| self.step(Op::MUL, &[x, one]));
        let products = self.step(Op::MUL, &parts);
        let sums = [products, parts[1]].map(|x| self.reduce(x, Reduction::Sum));
        Ok(self.step(Op::DIV, &sums))
    }

    /// As of the elements that are not NaN, but that one of those taken may be.
    fn masked_mean(&mut self, x: usize, mask: usize, reduction: Reduction) -> usize {
        let x = self.cast(x);
        let nan = self.literal(f64::NAN);
        let kept = self.kept(mask, x, nan);
        let made = self.reduced(kept, self.spread(reduction), Results::WithoutNan);
        let is_nan = self.step(Op::IS_NAN, &[x]);
        let is_nan = self.step(Op::AND, &[is_nan, mask]);
        let is_nan = self.reduce(is_nan, Reduction::Any);
        self.where_float([is_nan, nan, made])
    }

    /// Of the elements where a mask holds, if there is one, and of an initial value.
    fn masked(&mut self, x: usize, mask: Option<usize>, reduction: Reduction) -> Result<usize> {
        let mut x = self.cast(x);
        if let Some(mask) = mask {
            let neutral = self.neutral(x, reduction)?;
            x = self.kept(mask, x, neutral);
        }
        let is_extreme = matches!(reduction, Reduction::Max | Reduction::Min);
        if let Some(initial) = self.options.initial
            && is_extreme
            && self.is_empty(x)?
        {
            // In the shape of the result, which a product of no elements has.
            let like = self.reduced(x, Reduction::Prod, Results::Kept);
            return Ok(self.full(initial, like));
        }
        let mut made = self.reduce(x, self.spread(reduction));
        if let Some(initial) = self.options.initial {
            let (join, initial) = match reduction {
                Reduction::Max => (Op::MAXIMUM, self.full(initial, made)),
                Reduction::Min => (Op::MINIMUM, self.full(initial, made)),
                Reduction::Prod => (Op::MUL, initial),
                _ => (Op::ADD, initial),
            };
            made = self.step(join, &[made, initial]);
        }
        // Sums of small integers are wider than the type that was asked for.
        Ok(self.cast(made))
    }

    /// What changes no result, in place of elements that are not taken.
    fn neutral(&mut self, x: usize, reduction: Reduction) -> Result<usize> {
        Ok(match (reduction, self.options.initial) {
            // As one of the array's own type.
            (Reduction::Max | Reduction::Min, Some(initial)) => self.full(initial, x),
            (Reduction::Max | Reduction::Min, None) => {
                let name = self.named.name;
                let reason =
                    format!("{name} of some elements needs initial=, for there may be none");
                return Err(syntax(self.column, reason));
            }
            (Reduction::Sum, _) => self.literal(0),
            (Reduction::Prod, _) => self.literal(1),
            (truth, _) => self.literal(truth == Reduction::All),
        })
    }

    /// An array where a mask holds, elsewhere another value.
    fn kept(&mut self, mask: usize, x: usize, value: usize) -> usize {
        self.push(Ast::Step {
            op: Op::WHERE,
            args: vec![mask, x, value],
            // The mask is broadcast to the array, not the array to the mask.
            rule: Some(Rule::Unidirectional),
        })
    }

    /// The array in the type that is asked for, with a number in place of NaN.
    fn without_nan(&mut self, x: usize, neutral: i32) -> usize {
        let is_nan = self.step(Op::IS_NAN, &[x]);
        let neutral = self.literal(neutral);
        let x = self.step(Op::WHERE, &[is_nan, neutral, x]);
        self.cast(x)
    }

    /// Which elements are NaN, and the array with a number in their place that is never its extreme.
    fn with_never(&mut self, x: usize, never: f64) -> (usize, usize) {
        let is_nan = self.step(Op::IS_NAN, &[x]);
        let never = self.literal(never);
        (is_nan, self.where_float([is_nan, never, x]))
    }

    fn scan(&mut self, of: usize, scan: Scan) -> usize {
        let axis = self.options.axes.as_deref().and_then(|axes| axes.first());
        let along = axis.map_or(Along::ALL, |&axis| Along::axis(axis));
        let made = self.push(Ast::Scan { of, scan, along });
        self.cast(made)
    }

    /// Without an axis all elements are one row, which an input is where it lies.
    fn flat(&mut self, x: usize) -> usize {
        match (&self.options.axes, self.parser.values[x]) {
            (None, None) => self.push(Ast::Reshape(x, vec![-1])),
            _ => x,
        }
    }

    fn norm(&mut self, x: usize) -> usize {
        match self.options.ord {
            // Also of whole numbers a norm is a float.
            Some((Ord::One, _)) => self.reduced(x, Reduction::L1, Results::Float),
            Some((Ord::Extreme(extreme), _)) => {
                let one = self.literal(1.0);
                let x = self.step(Op::MUL, &[x, one]);
                let x = self.step(Op::ABS, &[x]);
                self.reduce(x, extreme)
            }
            _ => self.reduce(x, Reduction::L2),
        }
    }

    /// Refuses norms that NumPy has of matrices or not at all.
    fn check_norm(&mut self, x: usize) -> Result<()> {
        let axes = self.options.axes.as_ref().map(Vec::len);
        match (self.options.ord, axes) {
            // Of a vector it is known which norm it is.
            (Some(_), None) if self.parser.extents(x)?.is_none_or(|of| of.len() == 1) => Ok(()),
            (Some((_, column)), None | Some(2)) => Err(syntax(
                column,
                "of a matrix this is another norm in NumPy; name one axis, or write vector_norm(x, ord=1)",
            )),
            (_, None | Some(1)) | (None, Some(2)) => Ok(()),
            _ => Err(syntax(
                self.column,
                "norm takes one axis, two or None; vector_norm takes any number of them",
            )),
        }
    }

    /// Whether there are no elements along the axes.
    fn is_empty(&mut self, x: usize) -> Result<bool> {
        let Some(extents) = self.parser.extents(x)? else {
            return Ok(false);
        };
        let is_empty = |&axis: &isize| {
            let extent = place(axis, extents.len()).and_then(|i| extents.get(i));
            extent == Some(&0)
        };
        Ok(match &self.options.axes {
            Some(axes) => axes.iter().any(is_empty),
            None => extents.contains(&0),
        })
    }

    /// What each element of `x` counts: of its shape, or along one axis.
    fn weights_of(&mut self, x: usize, weights: usize) -> Result<usize> {
        let (own, of) = (self.parser.extents(x)?, self.parser.extents(weights)?);
        let (Some(own), Some(of)) = (own, of) else {
            return Ok(weights);
        };
        match self.options.axes.as_deref() {
            _ if own == of => Ok(weights),
            Some(&[axis]) if of.len() == 1 => {
                let mut extents = vec![1; own.len()];
                // An axis that is not there is told by the sum.
                if let Some(extent) = place(axis, own.len()).and_then(|i| extents.get_mut(i)) {
                    *extent = -1;
                }
                Ok(self.push(Ast::Reshape(weights, extents)))
            }
            _ => {
                let reason = "weights= has the shape of the array, or one axis, that of axis=";
                Err(syntax(self.column, reason))
            }
        }
    }

    /// A variance, or its root, with the `ddof` that is given.
    fn spread(&self, reduction: Reduction) -> Reduction {
        match (reduction, self.options.ddof) {
            (Reduction::Var { .. }, Some(ddof)) => Reduction::Var { ddof },
            (Reduction::Std { .. }, Some(ddof)) => Reduction::Std { ddof },
            (other, _) => other,
        }
    }

    fn reduce(&mut self, x: usize, reduction: Reduction) -> usize {
        self.reduced(x, reduction, Results::Numpy)
    }

    fn reduced(&mut self, of: usize, reduction: Reduction, results: Results) -> usize {
        let axes = self.options.axes.clone().map_or(Axes::ALL, Axes::new);
        let axes = match self.options.keepdims {
            true => axes.keepdims(),
            false => axes,
        };
        self.push(Ast::Reduce {
            of,
            reduction,
            axes,
            results,
        })
    }

    /// A value in each place of the array `like`, of its type.
    fn full(&mut self, value: usize, like: usize) -> usize {
        self.push(Ast::Composed(Composed::Full, vec![value, like]))
    }

    fn where_float(&mut self, args: [usize; 3]) -> usize {
        self.push(Ast::Composed(Composed::WhereFloat, args.to_vec()))
    }

    /// The array in the type that is asked for.
    fn cast(&mut self, x: usize) -> usize {
        match self.options.dtype {
            Some(dtype) => self.push(Ast::Cast(x, dtype)),
            None => x,
        }
    }

    fn literal(&mut self, x: impl Into<Literal>) -> usize {
        self.parser.literal(self.column, x)
    }

    fn step(&mut self, op: Op, args: &[usize]) -> usize {
        self.push(Ast::Step {
            op,
            args: args.to_vec(),
            rule: Some(Rule::Numpy),
        })
    }

    fn push(&mut self, ast: Ast) -> usize {
        self.parser.push(self.column, ast)
    }
}

/// The place of an axis, counted from the last if it is negative.
fn place(axis: isize, rank: usize) -> Option<usize> {
    match axis {
        0.. => Some(axis.unsigned_abs()),
        _ => rank.checked_add_signed(axis),
    }
}
