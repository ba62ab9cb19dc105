//! The gradients of a node's operands, given the node's.

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::expand::folded_in;
use crate::expr::like::{AlignedOperand, Like, is_of_one_operand};
use crate::expr::reduce::Fold;
use crate::expr::{Along, Axes, Expr, Kind, Scalar};
use crate::op::{Folding, Op, Term};
use crate::rule::Rule;

/// A node of a promoted expression and its gradient, which has its type and shape.
pub(super) struct StepGradient<'a, L> {
    pub expr: &'a Expr<L>,
    pub gradient: Expr<L>,
    pub dtype: DType,
    /// The types of its operands.
    pub args: Vec<DType>,
}

/// The gradient of each operand that wants one, of its type and shape; `None` where nothing
/// reaches it.
///
/// # Errors
/// [`Error::Unsupported`] for an operator without a derivative.
pub(super) fn pulled_back<L: Clone>(
    node: &StepGradient<'_, L>,
    wants: &[bool],
) -> Result<Vec<Option<Expr<L>>>> {
    let g = &node.gradient;
    let args = node.expr.args();
    let only = |part: Expr<L>| Ok(vec![Some(part)]);
    match (node.expr.kind(), args) {
        (Kind::Step { op, rule, .. }, _) => step(node, *op, rule, wants),
        (Kind::View(view), [x]) => only(g.like(Like::Unview(view.clone()), [x])),
        (Kind::Reshape(_), [x]) => only(g.like(Like::Reshape, [x])),
        (Kind::Windows(windows), [x]) => only(g.like(Like::Unwindow(windows.clone()), [x])),
        (Kind::Product, [a, b]) => Ok(product(node, [a, b])),
        (
            Kind::Fold {
                fold: Fold::Row(op),
                axes,
                ..
            },
            [x],
        ) => fold(node, *op, axes, x),
        (Kind::Gathered(gathered), args) => gathered.pulled_back(g, args),
        (Kind::Scanned { op, along }, [x]) => {
            scan(node, *op, *along, x).map(|part| vec![Some(part)])
        }
        (Kind::Like(Like::Factor(side)), [x, a, b]) => Ok(factor(node, *side, [x, a, b])),
        (Kind::Like(like), [x, others @ ..]) => only(brought(node, like, x, others)?),
        _ => Err(Error::unsupported("the gradient of such a node")),
    }
}

/// The type that formulas on a type are computed in.
fn wide(dtype: DType) -> DType {
    match dtype.is_float() {
        true => folded_in(dtype),
        false => dtype,
    }
}

fn step<L: Clone>(
    node: &StepGradient<'_, L>,
    op: Op,
    rule: &Rule,
    wants: &[bool],
) -> Result<Vec<Option<Expr<L>>>> {
    let args = node.expr.args();
    let terms = op.facts().derivative.terms(args.len()).map_err(|reason| {
        Error::unsupported(format!(
            "the gradient of {op}: {reason}; detach its operand"
        ))
    })?;
    let place = |position: usize| AlignedOperand {
        rule: rule.clone(),
        target: op.facts().target,
        position,
    };
    // Other rules align from the right, as formulas do.
    let is_placed = matches!(rule, Rule::Pdpd { .. } | Rule::Explicit { .. });
    let operand = |(position, x): (usize, &Expr<L>)| {
        let seen = match is_placed {
            true => x.like(Like::Broadcast(place(position)), args),
            false => x.clone(),
        };
        seen.cast_from(node.args[position], wide(node.args[position]))
    };
    let computed = wide(node.dtype);
    let formula = Formula {
        dtype: computed,
        gradient: node.gradient.cast_from(node.dtype, computed),
        operands: args.iter().enumerate().map(operand).collect(),
        result: node.expr.cast_from(node.dtype, computed),
    };
    let part = |(position, (term, &wants)): (usize, (&Term, &bool))| {
        if !wants || *term == Term::NOTHING {
            return None;
        }
        let (part, dtype) = match term {
            Term::Gradient => (node.gradient.clone(), node.dtype),
            _ => (formula.of(term), computed),
        };
        // One operand has the shape of the result unless the rule says otherwise.
        let part = match args.len() == 1 && *rule == Rule::Numpy {
            true => part,
            false => part.like(Like::Sum(place(position)), args),
        };
        Some(part.cast_from(dtype, node.args[position]))
    };
    Ok(terms.iter().zip(wants).enumerate().map(part).collect())
}

/// What the terms of a formula stand for.
struct Formula<L> {
    dtype: DType,
    gradient: Expr<L>,
    operands: Vec<Expr<L>>,
    result: Expr<L>,
}

impl<L: Clone> Formula<L> {
    fn of(&self, term: &Term) -> Expr<L> {
        match term {
            Term::Gradient => self.gradient.clone(),
            Term::Operand(i) => self.operands[*i].clone(),
            Term::Result => self.result.clone(),
            Term::Number(x) => Expr::scalar(Scalar::of(self.dtype, *x)),
            Term::Float(x) => self.of(x).cast(self.dtype),
            Term::Step(op, args) => {
                let args: Vec<Expr<L>> = args.iter().map(|arg| self.of(arg)).collect();
                Expr::step(*op, args)
            }
        }
    }
}

fn product<L: Clone>(node: &StepGradient<'_, L>, [a, b]: [&Expr<L>; 2]) -> Vec<Option<Expr<L>>> {
    let g = &node.gradient;
    let cast = |(x, side): (&Expr<L>, usize)| x.cast_from(node.args[side], node.dtype);
    let factors = [(a, 0), (b, 1)].map(cast);
    let part = |side: usize| {
        let part = g.like(Like::Factor(side), &factors);
        Some(part.cast_from(node.dtype, node.args[side]))
    };
    vec![part(0), part(1)]
}

/// Of what a factor of a product gets of `x`, which is a product of `x` and the other one.
fn factor<L: Clone>(
    node: &StepGradient<'_, L>,
    side: usize,
    [x, a, b]: [&Expr<L>; 3],
) -> Vec<Option<Expr<L>>> {
    let g = &node.gradient;
    match side {
        0 => {
            let of_b = x.like(Like::Factor(1), [g, b]);
            vec![Some(g.matmul(b)), None, Some(of_b)]
        }
        _ => {
            let of_a = x.like(Like::Factor(0), [a, g]);
            vec![Some(a.matmul(g)), Some(of_a), None]
        }
    }
}

fn fold<L: Clone>(
    node: &StepGradient<'_, L>,
    op: Folding,
    axes: &Axes,
    x: &Expr<L>,
) -> Result<Vec<Option<Expr<L>>>> {
    let (g, r) = (&node.gradient, node.expr);
    let spread = |reduced: &Expr<L>| reduced.like(Like::Spread(axes.clone()), [x]);
    let [zero, one] = [0.0, 1.0].map(|n| Expr::scalar(Scalar::of(node.dtype, n)));
    let part = match op {
        Folding::Sum => spread(g),
        Folding::Max | Folding::Min => {
            // Those that are not beaten share; beside a NaN none is.
            let beaten = match op {
                Folding::Max => x.less(spread(r)),
                _ => spread(r).less(x),
            };
            let hits = beaten.where_(&zero, &one).folded(Folding::Sum, axes);
            beaten.where_(&zero, spread(&g.div(&hits)))
        }
        Folding::Prod => {
            // The product of the others is that of all but zeros, divided by the element unless it
            // is a 0, where the others have no 0.
            let is_zero = x.equal(&zero);
            let zeros = is_zero.where_(&one, &zero);
            let factors = is_zero.where_(&one, x);
            let rest = g.mul(factors.folded(Folding::Prod, axes));
            let others = spread(&zeros.folded(Folding::Sum, axes)).equal(&zeros);
            others.where_(spread(&rest).div(&factors), &zero)
        }
        Folding::First | Folding::Or | Folding::And => {
            return Err(Error::unsupported(format!("the gradient of {}", op.name())));
        }
    };
    Ok(vec![Some(part)])
}

fn scan<L: Clone>(
    node: &StepGradient<'_, L>,
    op: Folding,
    along: Along,
    x: &Expr<L>,
) -> Result<Expr<L>> {
    let g = &node.gradient;
    let back = |x: &Expr<L>| x.scan_by(Folding::Sum, along.turned());
    match op {
        Folding::Sum => Ok(back(g)),
        Folding::Prod => {
            // Each product that an element is a factor of, without it. Behind the first 0 all of
            // them are 0; of that one they are the products as if it were 1.
            let [zero, one] = [0.0, 1.0].map(|n| Expr::scalar(Scalar::of(node.dtype, n)));
            let is_zero = x.equal(&zero);
            let zeros = is_zero.where_(&one, &zero);
            let zeros = zeros.scan_by(Folding::Sum, along.inclusive());
            let is_first = Expr::step(Op::AND, [is_zero.clone(), zeros.equal(&one)]);
            let others = is_first.where_(&one, x).scan_by(Folding::Prod, along);
            let quotients = back(&g.mul(node.expr)).div(is_zero.where_(&one, x));
            let at_first = is_first.where_(back(&g.mul(&others)), &zero);
            Ok(zeros.equal(&zero).where_(&quotients, &at_first))
        }
        Folding::Max | Folding::Min | Folding::First | Folding::Or | Folding::And => Err(
            Error::unsupported(format!("the gradient of a scan by {}", op.name())),
        ),
    }
}

fn brought<L: Clone>(
    node: &StepGradient<'_, L>,
    like: &Like,
    x: &Expr<L>,
    others: &[Expr<L>],
) -> Result<Expr<L>> {
    let g = &node.gradient;
    Ok(match like {
        Like::Broadcast(place) => g.like(Like::Sum(place.clone()), others),
        Like::Sum(place) => g.like(Like::Broadcast(place.clone()), others),
        Like::SumTo { rule, .. } if is_of_one_operand(rule) => g.broadcast(rule.clone()),
        Like::SumTo { rule, .. } => g.onto_by(rule.clone(), x),
        Like::Unview(view) => g.view(view.clone()),
        Like::Reshape => g.like(Like::Reshape, [x]),
        Like::Unwindow(windows) => g.windows(windows.clone()),
        Like::Unjoin(join, which) => {
            let zero = Expr::scalar(Scalar::of(node.dtype, 0.0));
            let part = |(i, other): (usize, &Expr<L>)| match i == *which {
                true => g.clone(),
                false => zero.onto(other),
            };
            let parts: Vec<Expr<L>> = others.iter().enumerate().map(part).collect();
            Expr::joined(*join, parts)
        }
        Like::Spread(axes) => {
            let wide = wide(node.dtype);
            let sum = g.cast_from(node.dtype, wide).folded(Folding::Sum, axes);
            sum.cast_from(wide, node.dtype)
        }
        Like::Factor(_) => return Err(Error::unsupported("the gradient of such a node")),
    })
}
