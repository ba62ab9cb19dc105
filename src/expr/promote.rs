//! Promotion: one pass that gives literals a type, inserts casts and picks rows.
//!
//! Types follow NumPy 2 with weak scalars, except that a float type that arises from integers is
//! f32, since f64 exists on few adapters; [`Promotion::Numpy`] follows NumPy to the letter. So
//! integers of 32 and 64 bits that are divided by `/`, passed to a function of floats or joined
//! with floats lose what is beyond 24 bits; [`Expr::rounded`] tells where.

use std::collections::HashMap;

use super::adjoint::Gradients;
use super::common::{Promotion, Typed};
use super::expand::expand;
use super::product::product_dtype;
use super::reduce::Fold;
use super::scan;
use super::step::{Numbers, Promoter, promote, to_type};
use super::take;
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
    /// does not take; what `dtype` gives. Within [`Error::At`] if the step has a column.
    pub fn promoted(
        &self,
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Self> {
        let mut done = Self::promote_all(std::slice::from_ref(self), promotion, dtype)?;
        Ok(done.swap_remove(0))
    }

    /// [`promoted`](Self::promoted), but a number that becomes f32 is a cast of what it is in
    /// f64.
    pub(super) fn promoted_from_f64(
        &self,
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Self> {
        let mut done = Self::promote_as(
            std::slice::from_ref(self),
            promotion,
            Numbers::FromF64,
            &dtype,
        )?;
        Ok(done.swap_remove(0))
    }

    /// [`promoted`](Self::promoted) for several roots that may share nodes.
    pub(crate) fn promote_all(
        roots: &[Self],
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Vec<Self>> {
        Self::promote_as(roots, promotion, Numbers::Typed, &dtype)
    }

    fn promote_as(
        roots: &[Self],
        promotion: Promotion,
        numbers: Numbers,
        dtype: &dyn Fn(&L) -> Result<DType>,
    ) -> Result<Vec<Self>> {
        let mut made: HashMap<usize, Typed<L>> = HashMap::new();
        let mut gradients = Gradients::default();
        let promoter = Promoter { promotion, numbers };
        for expr in Self::post_order(roots) {
            let args: Vec<&Typed<L>> = expr.args().iter().map(|a| &made[&a.address()]).collect();
            let typed = match expr.kind() {
                Kind::Leaf(l) => Ok((expr.clone(), Some(dtype(l)?))),
                Kind::Literal(_) | Kind::Given(_) => Ok((expr.clone(), None)),
                Kind::Scalar(x) => Ok((expr.clone(), Some(x.dtype))),
                Kind::View(view) => match args[0] {
                    (_, None) => Err(Error::argument("view", "a number has no axes to look at")),
                    (x, d) => Ok((x.view(view.clone()), *d)),
                },
                Kind::Reshape(extents) => match args[0] {
                    (_, None) => Err(Error::argument(
                        "reshape",
                        "a number has no axes to look at",
                    )),
                    (x, d) => Ok((x.reshape(extents.clone()), *d)),
                },
                Kind::Product => match args.as_slice() {
                    [(a, Some(x)), (b, Some(y))] => {
                        product_dtype([*x, *y]).map(|d| (a.matmul(b), Some(d)))
                    }
                    _ => Err(Error::argument("matmul", "a number is no matrix")),
                },
                Kind::Reduce {
                    reduction,
                    axes,
                    results,
                } => expand(*reduction, axes, *results, args[0], promotion),
                // What promotion made is promoted already.
                Kind::Fold { fold, .. } => {
                    let dtype = match fold {
                        Fold::Row(_) => args[0].1,
                        Fold::Extreme { .. } => Some(DType::I64),
                    };
                    let x = Self::node(expr.kind().clone(), vec![args[0].0.clone()]);
                    Ok((x, dtype))
                }
                Kind::Count { axes, ddof, dtype } => {
                    Ok((args[0].0.count(axes, *ddof, *dtype), Some(*dtype)))
                }
                Kind::Position(axes) => Ok((args[0].0.position(axes.clone()), Some(DType::U32))),
                Kind::Scan {
                    scan,
                    along,
                    results,
                } => scan::expand(*scan, *along, *results, args[0]),
                Kind::Scanned { .. } => {
                    let x = Self::node(expr.kind().clone(), vec![args[0].0.clone()]);
                    Ok((x, args[0].1))
                }
                Kind::Like(like) => match args.as_slice() {
                    [(x, Some(dtype)), others @ ..] if !(like.adds() && *dtype == DType::Bool) => {
                        let others = others.iter().map(|(x, _)| x);
                        Ok((x.like(like.clone(), others), Some(*dtype)))
                    }
                    _ => Err(Error::argument(
                        "sum_to",
                        "a number or bool cannot be summed",
                    )),
                },
                Kind::Composed(composed) => promoter.compose(*composed, &args),
                Kind::Joined(join) => promoter.joined(*join, &args),
                Kind::Taken(axis) => take::promoted(*axis, &args),
                Kind::Indices(axis) => Ok((args[0].0.indices(*axis), Some(DType::U32))),
                Kind::Detached => match args[0] {
                    (x, None) => Ok((x.clone(), None)),
                    (x, d) => Ok((x.detach(), *d)),
                },
                Kind::Gradient(wanted) => gradients.of(wanted, &args, &dtype),
                Kind::Step {
                    op,
                    rule,
                    to,
                    promotes,
                } => {
                    // What promotion inserted is promoted already.
                    if *promotes && to.is_none() {
                        promote(*op, rule, &args, promotion, numbers)
                    } else {
                        strict(*op, rule, *to, &args, numbers)
                    }
                }
            };
            let origin = match expr.kind() {
                Kind::Reduce { reduction, .. } => expr.origin().or_called(reduction.name()),
                Kind::Scan { scan, .. } => expr.origin().or_called(scan.name()),
                Kind::Product => expr.origin().or_called("matmul"),
                _ => expr.origin(),
            };
            let (x, d) = typed.map_err(|e| origin.of(e))?;
            // An operand that is the result stays the node that it is, which gradients look for.
            let x = match expr.kind() {
                _ if origin == Origin::default() => x,
                // What it is made of has origins of its own.
                Kind::Gradient(_) => x.with_origin(origin),
                _ => x.made_of(&args.iter().map(|(x, _)| x).collect::<Vec<_>>(), origin),
            };
            made.insert(expr.address(), (x, d));
        }
        roots
            .iter()
            .map(|r| match &made[&r.address()] {
                (x, Some(_)) => Ok(x.clone()),
                // Numbers alone have the types that Python's have.
                (x, None) => {
                    let number = x.as_literal().unwrap_or(Literal::Bool(false));
                    let dtype = match number {
                        Literal::Bool(_) => DType::Bool,
                        Literal::Int(_) => DType::I64,
                        Literal::Float(_) => DType::F64,
                    };
                    Ok(Expr::scalar(number.to_scalar(dtype)?))
                }
            })
            .collect()
    }
}

/// A step whose operands keep their types; literals take the type of the others.
fn strict<L>(
    op: Op,
    rule: &Rule,
    to: Option<DType>,
    args: &[&Typed<L>],
    numbers: Numbers,
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
                Error::argument(
                    op.name(),
                    format!(
                        "the number {literal} has no type here; use a typed scalar or an array"
                    ),
                )
            })?,
        };
        operands.push(to_type(typed, dtype, numbers)?);
        dtypes.push(dtype);
    }
    let result = op.result(&dtypes, to)?;
    let kind = Kind::Step {
        op,
        rule: rule.clone(),
        to,
        promotes: false,
    };
    Ok((Expr::node(kind, operands), Some(result)))
}

#[cfg(test)]
mod tests;
