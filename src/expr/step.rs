//! A step that promotes: the type that its operands have in common, casts to it, and the row that
//! takes it.

use super::common::{Promotion, Typed, common, float_of};
use super::compare::{mixed_signs, out_of_range_comparison};
use super::fold::fold;
use super::{Expr, Literal};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::{Op, Promote};
use crate::rule::Rule;

/// Makes the steps of nodes that know their operands' types.
#[derive(Clone, Copy)]
pub(super) struct Promoter {
    pub promotion: Promotion,
    pub numbers: LiteralForm,
}

impl Promoter {
    /// A step that promotes, under NumPy's rule.
    pub fn step<L: Clone>(&self, op: Op, args: &[&Typed<L>]) -> Result<Typed<L>> {
        self.promote(op, &Rule::Numpy, args)
    }

    /// A step that promotes: the common type of its operands, then the row that takes it.
    pub fn promote<L>(&self, op: Op, rule: &Rule, args: &[&Typed<L>]) -> Result<Typed<L>> {
        let Self { promotion, numbers } = *self;
        if args.iter().all(|(_, dtype)| dtype.is_none()) {
            let literals: Option<Vec<Literal>> = args.iter().map(|(x, _)| x.as_literal()).collect();
            let folded = literals.as_ref().and_then(|literals| fold(op, literals));
            if let Some(folded) = folded {
                return Ok((Expr::literal(folded), None));
            }
            let is_whole = |x: &Literal| !matches!(x, Literal::Float(_));
            if (op == Op::SHL || op == Op::SHR) && literals.iter().flatten().all(is_whole) {
                let reason = "a number alone can be shifted by 0 to 126 bits, to at most 127 bits";
                return Err(Error::argument(op.name(), reason));
            }
        }
        if let Some(known) = out_of_range_comparison(op, args) {
            return Ok(known);
        }
        if let Some(mixed) = mixed_signs(op, rule, args) {
            return Ok(mixed);
        }
        let skip = usize::from(op.is_select());
        let operands = &args[skip.min(args.len())..];
        let mut dtype = common(operands, promotion)?;
        // A whole number beside bools makes an i64 of them.
        let is_widened = dtype != DType::Bool
            && operands
                .iter()
                .all(|(_, d)| d.is_none_or(|d| d == DType::Bool));
        if matches!(op.facts().promotion, Promote::ToFloats)
            && !dtype.is_float()
            && operands.len() > 1
            && !is_widened
        {
            // NumPy takes the float that holds each operand, not what integers have in common.
            let floats = operands
                .iter()
                .filter_map(|(_, d)| *d)
                .map(|d| float_of(d, promotion, false));
            dtype = floats.max_by_key(|d| d.rank()).unwrap_or(dtype);
        }
        let (op, dtype) = resolve_overload(op, dtype, promotion);
        let mut operands = Vec::with_capacity(args.len());
        for (i, typed) in args.iter().enumerate() {
            let dtype = if i < skip { DType::Bool } else { dtype };
            operands.push(match to_type(typed, dtype, numbers) {
                // A bound that a type does not reach bounds nothing.
                Err(error) if op == Op::CLIP && i > 0 => {
                    let bound = typed.0.as_literal().and_then(|x| x.nearest(dtype));
                    Expr::scalar(bound.ok_or(error)?)
                }
                operand => operand?,
            });
        }
        let mut dtypes = vec![dtype; operands.len()];
        dtypes[..skip.min(operands.len())].fill(DType::Bool);
        let result = op
            .result(&dtypes, None)
            .map_err(|e| attribute_error(e, op, &args[skip..], skip, promotion))?;
        let made = Expr::made(op, rule.clone(), None, false, operands);
        Ok((made, Some(result)))
    }

    /// The operand as a value of a type.
    pub fn cast<L: Clone>(&self, x: &Typed<L>, to: DType) -> Result<Typed<L>> {
        Ok((to_type(x, to, self.numbers)?, Some(to)))
    }
}

/// What a literal becomes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LiteralForm {
    /// A scalar of the type that it takes.
    Typed,
    /// The same, but one of f32 is a cast of its value in f64.
    FromF64,
}

/// The operand as a value of a type.
pub(super) fn to_type<L>((x, from): &Typed<L>, to: DType, numbers: LiteralForm) -> Result<Expr<L>> {
    match (x.as_number(), from) {
        (Some(number), None) => {
            let scalar = number.typed(to)?;
            Ok(match numbers {
                LiteralForm::FromF64 if to == DType::F32 => {
                    Expr::scalar(number.typed(DType::F64)?).promoted_to(to)
                }
                _ => Expr::scalar(scalar),
            })
        }
        (_, Some(d)) if *d == to => Ok(x.clone()),
        _ => Ok(x.promoted_to(to)),
    }
}

/// Makes an error about the common type name the operand whose type caused it.
fn attribute_error<L>(
    mut error: Error,
    op: Op,
    args: &[&Typed<L>],
    first: usize,
    promotion: Promotion,
) -> Error {
    let mut own = (first..)
        .zip(args)
        .filter_map(|(operand, (_, dtype))| Some((operand, (*dtype)?)));
    // Alone it would be refused too.
    let refused = |dtype: DType| {
        let (row, to) = resolve_overload(op, dtype, promotion);
        !row.accepts().contains(to)
    };
    if let Error::DType { operand, dtype, .. } = &mut error
        && let Some(found) = own.find(|(_, dtype)| refused(*dtype))
    {
        (*operand, *dtype) = found;
    }
    error
}

/// The row that computes `op` on operands of a common type, and the type to cast them to.
fn resolve_overload(op: Op, dtype: DType, promotion: Promotion) -> (Op, DType) {
    let takes = op.accepts().contains(dtype);
    match op.facts().promotion {
        Promote::TrueDivision if !dtype.is_float() => (op, float_of(dtype, promotion, true)),
        _ if takes => (op, dtype),
        Promote::Bools(row) if dtype == DType::Bool => (row, dtype),
        Promote::BoolsAs(to) if dtype == DType::Bool => (op, to),
        Promote::ToBools => (op, DType::Bool),
        Promote::ToFloats if !dtype.is_float() => (op, float_of(dtype, promotion, false)),
        Promote::Unchanged if !dtype.is_float() => (Op::IDENTITY, dtype),
        // The row refuses the type, with its name.
        Promote::Refuse
        | Promote::Bools(_)
        | Promote::BoolsAs(_)
        | Promote::ToFloats
        | Promote::Unchanged
        | Promote::TrueDivision => (op, dtype),
    }
}
