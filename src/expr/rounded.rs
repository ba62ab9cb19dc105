//! Where promotion may round integers: it turns integers of 32 and 64 bits into f32, which holds
//! whole numbers up to 2^24.

use std::collections::HashMap;

use super::reduce::Fold;
use super::step::LiteralForm;
use super::{Expr, Kind, Promotion};
use crate::dtype::DType;
#[cfg(doc)]
use crate::error::Error;
use crate::error::Result;
use crate::op::{Op, Types};
use crate::rule::Rule;

/// A step for which promotion turns integers of 32 or 64 bits into f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rounded {
    /// The operator.
    pub op: Op,
    /// The integers' type.
    pub from: DType,
    /// The step's column in the parsed text, counted from 1; 0 without a text.
    pub column: usize,
}

/// A node of a promoted expression that is computed with f64 in place of such f32.
struct Wide<L> {
    expr: Expr<L>,
    /// The type that promotion gives the node.
    dtype: DType,
    /// Whether it is f64 in its place.
    is_wide: bool,
}

impl<L> Wide<L> {
    /// A node of such operands.
    fn of(node: &Expr<L>, args: &[&Self], leaf: &dyn Fn(&L) -> Result<DType>) -> Result<Self>
    where
        L: Clone,
    {
        let dtypes: Vec<DType> = args.iter().map(|a| a.dtype).collect();
        let dtype = node.dtype_on(&dtypes, leaf)?;
        let on_args = || {
            let args = args.iter().map(|a| a.expr.clone()).collect();
            Expr::node(node.kind().clone(), args)
        };
        let (expr, is_wide) = match node.kind() {
            Kind::Leaf | Kind::Scalar(_) => (node.clone(), false),
            Kind::View(_)
            | Kind::Reshape(_)
            | Kind::Windows(_)
            | Kind::Detached
            | Kind::Scanned { .. }
            | Kind::Fold {
                fold: Fold::Row(_), ..
            }
            | Kind::Like(_) => (on_args(), args[0].is_wide),
            Kind::Step { op, .. } if op.takes_dtype() => cast(node, *op, dtype, args[0]),
            Kind::Gathered(gathered) if gathered.sources(args).len() < args.len() => {
                let is_wide = gathered.sources(args).iter().any(|a| a.is_wide);
                (on_args(), is_wide)
            }
            _ => with_args(node, dtype, args),
        };
        Ok(Self {
            expr,
            dtype,
            is_wide,
        })
    }

    /// The node in the type that promotion gives it.
    fn narrow(&self) -> Expr<L> {
        if self.is_wide {
            self.expr.cast(self.dtype)
        } else {
            self.expr.clone()
        }
    }

    /// The node with f64 in place of f32.
    fn widened(&self) -> Expr<L> {
        match number(&self.expr) {
            Some(exact) => exact.clone(),
            None if self.dtype == DType::F32 && !self.is_wide => self.expr.cast(DType::F64),
            None => self.expr.clone(),
        }
    }
}

impl<L> Expr<L> {
    /// A cast that promotion inserts.
    pub(super) fn promoted_to(&self, to: DType) -> Self {
        Self::made(Op::CAST, Rule::Numpy, Some(to), true, vec![self.clone()])
    }
}

impl<L: Clone> Expr<L> {
    /// The steps for which [`promoted`](Self::promoted) turns integers of 32 or 64 bits into f32,
    /// each once. The expression's own casts are not among them.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number outside its type or an expression that is a number alone;
    /// [`Error::Arity`], [`Error::DType`] or [`Error::MixedDTypes`] for operands that an operator
    /// does not take; errors of `dtype`. Within [`Error::At`] if the step has a column.
    pub fn rounded(
        &self,
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Vec<Rounded>> {
        Ok(self.widened(promotion, dtype)?.1)
    }

    /// This expression, promoted with f64 in place of the f32 that such integers become, and of all
    /// that is computed from that f32: integers keep their values up to 2^53, and numbers beside
    /// them are f64. `None` if promotion turns no such integers into f32.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number outside its type or an expression that is a number alone;
    /// [`Error::Arity`], [`Error::DType`] or [`Error::MixedDTypes`] for operands that an operator
    /// does not take; errors of `dtype`. Within [`Error::At`] if the step has a column.
    #[doc(hidden)]
    pub fn unrounded(
        &self,
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Option<Self>> {
        let (expr, rounded) = self.widened(promotion, dtype)?;
        Ok((!rounded.is_empty()).then_some(expr))
    }

    fn widened(
        &self,
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<(Self, Vec<Rounded>)> {
        let roots = std::slice::from_ref(self);
        let promoted =
            Self::promote_as(roots, promotion, LiteralForm::FromF64, &dtype)?.swap_remove(0);
        let mut rounded: Vec<Rounded> = Vec::new();
        let mut made: HashMap<usize, Wide<L>> = HashMap::new();
        for node in Self::post_order(std::slice::from_ref(&promoted)) {
            let args: Vec<&Wide<L>> = node.args().iter().map(|a| &made[&a.address()]).collect();
            if let Kind::Step { op, .. } = node.kind()
                && !op.takes_dtype()
            {
                for arg in node.args() {
                    let Some(from) = arg.args().first().map(|from| made[&from.address()].dtype)
                    else {
                        continue;
                    };
                    let found = Rounded {
                        op: *op,
                        from,
                        column: node.origin().column,
                    };
                    if rounds(arg, from) && !rounded.contains(&found) {
                        rounded.push(found);
                    }
                }
            }
            let wide = Wide::of(node, &args, &dtype)?;
            made.insert(node.address(), wide);
        }
        let root = made
            .remove(&promoted.address())
            .map_or(promoted, |wide| wide.expr);
        Ok((root, rounded))
    }
}

/// The value in f64 of a number that promotion made f32.
fn number<L>(node: &Expr<L>) -> Option<&Expr<L>> {
    let is_inserted = matches!(
        node.kind(),
        Kind::Step {
            to: Some(DType::F32),
            promotes: true,
            ..
        }
    );
    let of = |x: &&Expr<L>| matches!(x.kind(), Kind::Scalar(x) if x.dtype == DType::F64);
    node.args().first().filter(|_| is_inserted).filter(of)
}

/// Whether a node is a cast that promotion inserted, of integers of this type to f32.
fn rounds<L>(node: &Expr<L>, from: DType) -> bool {
    let is_inserted = matches!(node.kind(), Kind::Step { op, to: Some(DType::F32), promotes: true, .. } if op.types() == Types::Cast);
    is_inserted && is_wide_int(from)
}

pub(super) fn is_wide_int(dtype: DType) -> bool {
    dtype.is_int() && dtype.size() >= 4
}

/// A cast or bit cast of an operand, and whether it is f64 in place of f32.
fn cast<L: Clone>(node: &Expr<L>, op: Op, dtype: DType, operand: &Wide<L>) -> (Expr<L>, bool) {
    let is_wide = rounds(node, operand.dtype);
    let is_inserted = matches!(node.kind(), Kind::Step { promotes: true, .. });
    let expr = match op.types() == Types::BitCast {
        true => operand.narrow().bit_cast(dtype),
        false if is_wide => operand.expr.cast(DType::F64),
        false if is_inserted => operand.expr.promoted_to(dtype),
        false => operand.expr.cast(dtype),
    };
    (expr, is_wide)
}

/// The same of a step or product whose type is `dtype`: in f64 if one of its operands is.
fn with_args<L: Clone>(node: &Expr<L>, dtype: DType, args: &[&Wide<L>]) -> (Expr<L>, bool) {
    let is_wide = args.iter().any(|a| a.is_wide);
    let operand = |a: &&Wide<L>| if is_wide { a.widened() } else { a.expr.clone() };
    let operands = args.iter().map(operand).collect();
    let expr = Expr::node(node.kind().clone(), operands);
    (expr, is_wide && dtype == DType::F32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::host::HostTensor;
    use crate::reference::run;
    use crate::text;

    fn parsed(source: &str) -> Expr<usize> {
        text::parse(source)
            .unwrap()
            .bind(&["t", "x", "b"], &Rule::Numpy)
            .unwrap()
    }

    /// `t` is i64, `x` f32, `b` i16.
    fn rounded(source: &str, promotion: Promotion) -> Vec<(&'static str, DType, usize)> {
        let dtypes = |&i: &usize| Ok([DType::I64, DType::F32, DType::I16][i]);
        let found = parsed(source).rounded(promotion, dtypes).unwrap();
        found
            .iter()
            .map(|r| (r.op.name(), r.from, r.column))
            .collect()
    }

    #[test]
    fn what_promotion_rounds_is_found_and_what_is_asked_for_is_not() {
        type Found<'a> = &'a [(&'a str, DType, usize)];
        let cases: [(&str, Found<'_>); 11] = [
            ("t / 1000", &[("div", DType::I64, 3)]),
            ("t * x", &[("mul", DType::I64, 3)]),
            ("t + 0.5", &[("add", DType::I64, 3)]),
            (
                "sqrt(t) + exp(t[::-1])",
                &[("sqrt", DType::I64, 1), ("exp", DType::I64, 11)],
            ),
            ("t.astype(f32) / 1000", &[]),
            ("t.astype(f64) / 1000", &[]),
            ("t // 1000 + t % 7", &[]),
            ("b / 3 + exp(b)", &[]),
            ("x / 3 + (t > 5)", &[]),
            ("nan_to_num(x, nan=t)", &[]),
            ("where(x > 0, t, x)", &[("where", DType::I64, 1)]),
        ];
        for (source, expected) in cases {
            assert_eq!(rounded(source, Promotion::F32), expected, "{source}");
            assert_eq!(rounded(source, Promotion::Numpy), [], "{source}");
        }
    }

    #[test]
    fn what_was_not_rounded_is_as_exact_as_f64() {
        let host = |dtype, bytes: Vec<u8>| HostTensor::new(dtype, [3], bytes).unwrap();
        let t = [1_700_000_000_123i64, 1_700_000_059_999, 1_700_000_060_000];
        let inputs = [
            host(DType::I64, t.iter().flat_map(|x| x.to_le_bytes()).collect()),
            host(
                DType::F32,
                [1.0f32; 3].iter().flat_map(|x| x.to_le_bytes()).collect(),
            ),
            host(DType::I16, vec![0; 6]),
        ];
        let dtypes = |&i: &usize| Ok(inputs[i].dtype);
        let exact = |source: &str| {
            let expr = parsed(source)
                .unrounded(Promotion::F32, dtypes)
                .unwrap()
                .unwrap();
            let found = run(&expr, &inputs).unwrap();
            (found.dtype, found.bytes)
        };
        let f64s = |values: [f64; 3]| {
            (
                DType::F64,
                values
                    .iter()
                    .flat_map(|x| x.to_le_bytes())
                    .collect::<Vec<_>>(),
            )
        };
        let seconds = t.map(|t| t as f64 / 1000.0 - 1.7e9);
        assert_eq!(exact("t / 1000 - 1700000000"), f64s(seconds));
        assert_eq!(
            exact("where(x > 0, (t / 1000)[::-1], x)[::-1] - 1700000000"),
            f64s(seconds)
        );
        assert_eq!(exact("t / 1000 > 1700000000"), (DType::Bool, vec![1, 1, 1]));
        assert_eq!(exact("(t / 1000).ravel() - 1700000000"), f64s(seconds));
        let whole = exact("(t / 1000 - 1700000000).astype(i32)");
        assert_eq!(
            whole,
            (
                DType::I32,
                [0i32, 59, 60]
                    .iter()
                    .flat_map(|x| x.to_le_bytes())
                    .collect()
            )
        );
        // Numbers have their values too.
        assert_eq!(
            exact("t * 0.1 - 170000000012.3"),
            f64s(t.map(|t| t as f64 * 0.1 - 170_000_000_012.3))
        );
        assert_eq!(
            exact("f32(0.1) * x + t * 0.0"),
            f64s(t.map(|_| f64::from(0.1f32)))
        );
        // What is asked for is rounded here too.
        assert_eq!(exact("(t / 1000).astype(f32) - 1700000000").0, DType::F32);
        assert!(
            parsed("t + b")
                .unrounded(Promotion::F32, dtypes)
                .unwrap()
                .is_none()
        );
    }
}
