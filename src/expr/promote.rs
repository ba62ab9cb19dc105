//! Promotion: one pass that gives literals a type, inserts casts and picks rows.
//!
//! Types follow NumPy 2 with weak scalars, except that a float type that arises from integers is
//! f32, since few adapters support f64; [`Promotion::Numpy`] follows NumPy to the letter. So
//! integers of 32 and 64 bits that are divided by `/`, passed to a function of floats or joined
//! with floats lose digits beyond 24 bits; [`Expr::rounded`] lists where.

use std::collections::HashMap;

use super::adjoint::Gradients;
use super::common::{Promotion, Typed};
use super::expand::expand;
use super::scan;
use super::step::{LiteralForm, Promoter, to_type};
use super::{Expr, Kind, Literal, Origin};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::{Op, Types};
use crate::rule::Rule;

impl<L: Clone> Expr<L> {
    /// This expression with every literal typed, and with casts inserted and rows picked if a
    /// step promotes.
    ///
    /// # Errors
    /// [`Error::Argument`] for a number outside its type or an expression that is a number alone;
    /// [`Error::Arity`], [`Error::DType`] or [`Error::MixedDTypes`] for operands that an operator
    /// does not take; errors of `dtype`. Within [`Error::At`] if the step has a column.
    pub fn promoted(
        &self,
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Self> {
        let mut done = Self::promote_all(std::slice::from_ref(self), promotion, dtype)?;
        Ok(done.swap_remove(0))
    }

    /// [`promoted`](Self::promoted) for several roots that may share nodes.
    pub(crate) fn promote_all(
        roots: &[Self],
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Vec<Self>> {
        Self::promote_as(roots, promotion, LiteralForm::Typed, &dtype)
    }

    /// The same; numbers become what is said.
    pub(super) fn promote_as(
        roots: &[Self],
        promotion: Promotion,
        numbers: LiteralForm,
        dtype: &dyn Fn(&L) -> Result<DType>,
    ) -> Result<Vec<Self>> {
        let made = Self::typed_nodes(roots, promotion, numbers, dtype)?;
        roots
            .iter()
            .map(|r| match &made[&r.address()] {
                (x, Some(_)) => Ok(x.clone()),
                // Numbers alone have the types that Python's have.
                (x, None) => {
                    let number = x.as_literal().unwrap_or(Literal::Bool(false));
                    Ok(Expr::scalar(number.to_scalar(number.dtype(DType::F64))?))
                }
            })
            .collect()
    }

    /// What each node of these becomes, and its type, by the node's address.
    pub(super) fn typed_nodes(
        roots: &[Self],
        promotion: Promotion,
        numbers: LiteralForm,
        dtype: &dyn Fn(&L) -> Result<DType>,
    ) -> Result<HashMap<usize, Typed<L>>> {
        let mut made: HashMap<usize, Typed<L>> = HashMap::new();
        let mut nodes = NodePromoter {
            promoter: Promoter { promotion, numbers },
            dtype,
            gradients: Gradients::default(),
        };
        for expr in Self::post_order(roots) {
            let args: Vec<&Typed<L>> = expr.args().iter().map(|a| &made[&a.address()]).collect();
            let origin = match expr.kind() {
                Kind::Reduce { reduction, .. } => expr.origin().or_called(reduction.name()),
                Kind::Scan { scan, .. } => expr.origin().or_called(scan.name()),
                Kind::Product => expr.origin().or_called("matmul"),
                _ => expr.origin(),
            };
            let (x, d) = nodes.promoted(expr, &args).map_err(|e| origin.of(e))?;
            // An operand that is the result stays the node that it is, which gradients look for.
            let x = match expr.kind() {
                _ if origin == Origin::default() => x,
                // What it is made of has origins of its own.
                Kind::Gradient(_) => x.on(x.args().to_vec(), origin),
                _ => x.made_of(&args.iter().map(|(x, _)| x).collect::<Vec<_>>(), origin),
            };
            made.insert(expr.address(), (x, d));
        }
        Ok(made)
    }
}

/// Promotes nodes whose operands are promoted.
struct NodePromoter<'a, L> {
    promoter: Promoter,
    dtype: &'a dyn Fn(&L) -> Result<DType>,
    gradients: Gradients<L>,
}

impl<L: Clone> NodePromoter<'_, L> {
    fn promoted(&mut self, expr: &Expr<L>, args: &[&Typed<L>]) -> Result<Typed<L>> {
        // The node as it is, on its promoted operands.
        let on_args = || {
            let dtypes: Vec<DType> = args.iter().filter_map(|(_, dtype)| *dtype).collect();
            let dtype = expr.dtype_on(&dtypes, self.dtype)?;
            let args = args.iter().map(|(x, _)| x.clone()).collect();
            Ok((Expr::node(expr.kind().clone(), args), Some(dtype)))
        };
        let refuse = |function: &str, reason: &str| Err(Error::argument(function, reason));
        match expr.kind() {
            Kind::Leaf | Kind::Scalar(_) => {
                Ok((expr.clone(), Some(expr.dtype_on(&[], self.dtype)?)))
            }
            Kind::Literal(_) | Kind::Given(_) => Ok((expr.clone(), None)),
            Kind::View(_) if args[0].1.is_none() => refuse("view", "a number has no axes"),
            Kind::Reshape(_) if args[0].1.is_none() => refuse("reshape", "a number has no axes"),
            Kind::Windows(_) if args[0].1.is_none() => {
                refuse("sliding_window_view", "a number has no axes")
            }
            Kind::Product if args.iter().any(|(_, dtype)| dtype.is_none()) => {
                refuse("matmul", "a number is no matrix")
            }
            // Of these, what promotion made is promoted already.
            Kind::View(_)
            | Kind::Reshape(_)
            | Kind::Windows(_)
            | Kind::Product
            | Kind::Fold { .. }
            | Kind::Scanned { .. }
            | Kind::Count { .. }
            | Kind::Position(_) => on_args(),
            Kind::Reduce {
                reduction,
                axes,
                results,
            } => expand(*reduction, axes, *results, args[0], self.promoter.promotion),
            Kind::Scan {
                scan,
                along,
                results,
            } => scan::expand(*scan, *along, *results, args[0]),
            Kind::Like(like) => match args {
                [(_, Some(dtype)), ..] if !(like.adds() && *dtype == DType::Bool) => on_args(),
                _ => refuse("sum_to", "a number or bool cannot be summed"),
            },
            Kind::Composed(composed) => self.promoter.compose(*composed, args),
            Kind::Gathered(gathered) => gathered.promoted(&self.promoter, args),
            Kind::Call(_) if cfg!(not(feature = "complete")) => refuse(
                "expression",
                "calls of functions need the feature `complete`",
            ),
            Kind::Call(_) => refuse(
                "expression",
                "a function is called, but the shapes of its operands are not known here; plan or run the expression",
            ),
            Kind::Detached => match args[0] {
                (x, None) => Ok((x.clone(), None)),
                _ => on_args(),
            },
            Kind::Gradient(wanted) => self.gradients.of(wanted, args, &self.dtype),
            // What promotion inserted is promoted already.
            Kind::Step {
                op,
                rule,
                to: None,
                promotes: true,
            } => self.promoter.promote(*op, rule, args),
            Kind::Step { op, rule, to, .. } => strict(*op, rule, *to, args, self.promoter.numbers),
        }
    }
}

/// A step whose operands keep their types; literals take the type of the others.
fn strict<L>(
    op: Op,
    rule: &Rule,
    to: Option<DType>,
    args: &[&Typed<L>],
    numbers: LiteralForm,
) -> Result<Typed<L>> {
    if let (Some(to), [(x, None)]) = (to.filter(|_| op.types() == Types::Cast), args)
        && let Some(literal) = x.as_literal()
    {
        let Ok(scalar) = literal.cast(to).to_scalar(to) else {
            let reason = match literal {
                Literal::Float(x) if !x.is_finite() => format!("{literal} is no whole number"),
                _ => format!(
                    "{literal} is out of range for {to}; only arrays wrap, as np.array({literal}).astype({to})"
                ),
            };
            return Err(Error::argument(op.name(), reason));
        };
        return Ok((Expr::scalar(scalar), Some(to)));
    }
    let skip = usize::from(op.is_select());
    let data = args.iter().skip(skip).find_map(|(_, d)| *d);
    let mut operands = Vec::with_capacity(args.len());
    let mut dtypes = Vec::with_capacity(args.len());
    for (i, typed) in args.iter().enumerate() {
        let dtype = match typed {
            (_, Some(d)) => *d,
            _ if i < skip => DType::Bool,
            (x, None) => data.ok_or_else(|| {
                let literal = x.as_literal().unwrap_or(Literal::Bool(false));
                let reason = format!(
                    "the number {literal} has no type here; use a typed scalar or an array"
                );
                Error::argument(op.name(), reason)
            })?,
        };
        operands.push(to_type(typed, dtype, numbers)?);
        dtypes.push(dtype);
    }
    let result = op.result(&dtypes, to)?;
    let made = Expr::made(op, rule.clone(), to, false, operands);
    Ok((made, Some(result)))
}

#[cfg(test)]
mod tests;
