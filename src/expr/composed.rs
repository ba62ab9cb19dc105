//! Functions that promotion expands to steps once the operands' types are known.
//!
//! Nothing below promotion knows these names.

use super::common::{Promotion, Typed, common, float_of};
use super::expand::folded_in;
use super::step::{Promoter, to_type};
use super::tens::rounded_to_tens;
use super::{Expr, Join, Kind, Literal, Scalar};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Op;

/// A function of one or more operands whose steps depend on their types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Composed {
    /// The operand; a number alone gets a type: bool, i64 for a whole number, or for a fraction the
    /// float that i64 becomes.
    Typed,
    /// The result of a function of numbers alone, which gets a type where types follow NumPy.
    Called,
    /// Operand 0 as the float that promotion turns its type into; beside a whole number, operand 1,
    /// bool counts as i64.
    ToFloat,
    /// The operand, bool as i8.
    Narrow,
    /// Operand 0 to the power of 2: its product with itself, which is rounded once; for bool an i8,
    /// both as in NumPy.
    Squared,
    /// The operand as the float that i64 becomes, or as f64 if it is f64.
    Widest,
    /// Indices as the float that i64 becomes.
    Places,
    /// Operand 0 in the common type of both operands.
    Common,
    /// Operand 0 in the type of operand 1.
    Like,
    /// Operand 0, a number or one element, in the type and shape of operand 1.
    Full,
    /// Operand 1 where operand 0 is true, else operand 2, whose type is kept; operand 2 alone if it
    /// is not a float.
    WhereFloat,
    /// The operand rounded to this many decimals; integers stay integers.
    Round(i32),
    /// 1 / x; for integers truncated.
    Reciprocal,
    /// Operand 0 - operand 1; for bool, whether they differ.
    Difference,
    /// Whether the sign bit is set.
    SignBit,
    /// The next float after operand 0 towards operand 1.
    NextAfter,
    /// Operand 0 times 2 to the power of operand 1, a whole number.
    Ldexp,
    /// The matrix product in the common type of both operands; for bool, whether any pair is true.
    Matmul,
}

impl Composed {
    /// Whether it makes an array even of numbers alone.
    pub(crate) fn makes_array(self) -> bool {
        matches!(self, Self::Typed | Self::Like | Self::Full)
    }
}

impl<L> Expr<L> {
    /// A function whose steps depend on the operands' types.
    pub(crate) fn composed(composed: Composed, args: impl Into<Vec<Self>>) -> Self {
        Self::node(Kind::Composed(composed), args.into())
    }
}

/// The unsigned and the signed integers that the bits of a float are.
fn bits_of(dtype: DType) -> (DType, DType) {
    match dtype.size() {
        2 => (DType::U16, DType::I16),
        4 => (DType::U32, DType::I32),
        _ => (DType::U64, DType::I64),
    }
}
/// The digits behind the point of a float's significand, and the exponent that 1 is stored with.
fn format_of(dtype: DType) -> (u32, i64) {
    match dtype {
        DType::F16 => (10, 15),
        DType::Bf16 => (7, 127),
        DType::F32 => (23, 127),
        _ => (52, 1023),
    }
}

fn literal<L>(x: impl Into<Literal>) -> Typed<L> {
    (Expr::literal(x), None)
}

fn scalar<L>(x: Scalar) -> Typed<L> {
    (Expr::scalar(x), Some(x.dtype))
}

impl Promoter {
    /// The steps of a composed function on promoted operands.
    ///
    /// # Errors
    /// [`Error::Arity`] for operands that it lacks; those of the steps.
    pub(super) fn compose<L: Clone>(
        &self,
        composed: Composed,
        args: &[&Typed<L>],
    ) -> Result<Typed<L>> {
        match (composed, args) {
            (Composed::Typed, [x]) => self.typed(x),
            (Composed::Called, [x]) => match (self.promotion, x.0.as_literal()) {
                // A truth joins what it meets as one of a type does.
                (_, Some(Literal::Bool(_))) | (Promotion::F32, _) => Ok((*x).clone()),
                (Promotion::Numpy, _) => self.typed(x),
            },
            (Composed::ToFloat, [x]) => self.floated(x),
            (Composed::ToFloat, [x, beside]) => self.floated_beside(x, beside),
            (Composed::Narrow, [x]) => match x.1 {
                Some(DType::Bool) => self.cast(x, DType::I8),
                _ => Ok((*x).clone()),
            },
            (Composed::Squared, [x]) => {
                let x = self.compose(Composed::Narrow, &[x])?;
                self.step(Op::MUL, &[&x, &x])
            }
            (Composed::Widest, [x]) => match x.1 {
                Some(DType::F64) => Ok((*x).clone()),
                _ => self.cast(x, self.promotion.float()),
            },
            // What is asked for is no promotion that rounds.
            (Composed::Places, [x]) => {
                let dtype = self.promotion.float();
                Ok((x.0.cast(dtype), Some(dtype)))
            }
            (Composed::Common, [x, y]) => match common(&[x, y], self.promotion)? {
                _ if x.1.is_none() && y.1.is_none() => Ok((*x).clone()),
                dtype => self.cast(x, dtype),
            },
            (Composed::Like, [x, y]) => self.like(x, y),
            (Composed::Full, [x, y]) => self
                .like(x, y)
                .and_then(|x| Ok((x.0.onto(&self.typed(y)?.0), x.1))),
            (Composed::WhereFloat, [c, a, x]) => match (x.1, x.0.as_literal()) {
                (Some(dtype), _) if dtype.is_float() => {
                    // Nor is what is put into an array, as by NumPy.
                    let a = match a.1 {
                        Some(from) if from != dtype => (a.0.cast(dtype), Some(dtype)),
                        _ => self.cast(a, dtype)?,
                    };
                    self.step(Op::WHERE, &[c, &a, x])
                }
                (None, Some(Literal::Float(_))) => self.step(Op::WHERE, &[c, a, x]),
                _ => Ok((*x).clone()),
            },
            (Composed::Round(decimals), [x]) => self.round(x, decimals),
            (Composed::Reciprocal, [x]) => self.reciprocal(x),
            (Composed::Difference, [x, y]) => match (x.1, y.1) {
                (Some(DType::Bool), Some(DType::Bool)) => self.step(Op::NOT_EQUAL, &[x, y]),
                _ => self.step(Op::SUB, &[x, y]),
            },
            (Composed::SignBit, [x]) => self.sign_bit(x),
            (Composed::NextAfter, [x, to]) => self.next_after(x, to),
            (Composed::Ldexp, [x, n]) => self.ldexp(x, n),
            (Composed::Matmul, [a, b]) => self.matmul(a, b),
            _ => Err(Error::Arity {
                op: format!("{composed:?}"),
                expected: "other operands".into(),
                found: args.len(),
            }),
        }
    }

    /// A value in the type of another.
    fn like<L: Clone>(&self, x: &Typed<L>, like: &Typed<L>) -> Result<Typed<L>> {
        let dtype = self.typed(like)?.1.unwrap_or(DType::Bool);
        Ok(match x.0.as_literal() {
            Some(number @ Literal::Int(_)) if dtype.is_int() => scalar(number.to_scalar(dtype)?),
            // A fraction as a cast has it.
            Some(number) => scalar(Scalar::of(dtype, number.float())),
            None => self.cast(x, dtype)?,
        })
    }

    fn reciprocal<L: Clone>(&self, x: &Typed<L>) -> Result<Typed<L>> {
        match x.1 {
            Some(dtype) if dtype.is_int() => {
                let one = scalar(Scalar::of(dtype, 1.0));
                Ok((Expr::step(Op::DIV, [one.0, x.0.clone()]), Some(dtype)))
            }
            Some(DType::Bool) => self.reciprocal(&self.cast(x, DType::I8)?),
            _ => self.step(Op::RECIPROCAL, &[x]),
        }
    }

    /// A matrix product. Those of narrow types are summed in wide ones.
    fn matmul<L: Clone>(&self, a: &Typed<L>, b: &Typed<L>) -> Result<Typed<L>> {
        if a.1.is_none() || b.1.is_none() {
            let reason = "a number is no matrix; multiply with `*`";
            return Err(Error::argument("matmul", reason));
        }
        let dtype = common(&[a, b], self.promotion)?;
        let wide = folded_in(dtype);
        let (a, b) = (self.cast(a, wide)?, self.cast(b, wide)?);
        let made = (a.0.matmul(&b.0), Some(wide));
        match dtype {
            DType::Bool => self.step(Op::NOT_EQUAL, &[&made, &scalar(Scalar::of(wide, 0.0))]),
            _ => self.cast(&made, dtype),
        }
    }

    /// Arrays joined in the type that they have in common; numbers have types of their own.
    pub(super) fn joined<L: Clone>(&self, join: Join, args: &[&Typed<L>]) -> Result<Typed<L>> {
        let own = args.iter().map(|x| self.compose(Composed::Typed, &[x]));
        let own: Vec<Typed<L>> = own.collect::<Result<_>>()?;
        let dtype = common(&own.iter().collect::<Vec<_>>(), self.promotion)?;
        let cast = |x: &Typed<L>| to_type(x, dtype, self.numbers);
        let args: Vec<Expr<L>> = own.iter().map(cast).collect::<Result<_>>()?;
        Ok((Expr::joined(join, args), Some(dtype)))
    }

    fn typed<L: Clone>(&self, x: &Typed<L>) -> Result<Typed<L>> {
        match (x.1, x.0.as_literal()) {
            (None, Some(number)) => {
                let dtype = number.dtype(self.promotion.float());
                Ok(scalar(number.to_scalar(dtype)?))
            }
            _ => Ok(x.clone()),
        }
    }

    fn floated<L: Clone>(&self, x: &Typed<L>) -> Result<Typed<L>> {
        match (x.1, x.0.as_literal()) {
            (Some(dtype), _) if !dtype.is_float() => {
                self.cast(x, float_of(dtype, self.promotion, false))
            }
            (None, Some(number)) => Ok(literal(number.float())),
            _ => Ok(x.clone()),
        }
    }

    /// The same beside an operand: a whole number makes an i64 of bool.
    fn floated_beside<L: Clone>(&self, x: &Typed<L>, beside: &Typed<L>) -> Result<Typed<L>> {
        match (x.1, beside.1, beside.0.as_literal()) {
            (Some(DType::Bool), None, Some(Literal::Int(_))) => {
                self.cast(x, self.promotion.float())
            }
            _ => self.floated(x),
        }
    }

    fn round<L: Clone>(&self, x: &Typed<L>, decimals: i32) -> Result<Typed<L>> {
        if x.1 == Some(DType::Bool) {
            return match decimals {
                0 => self.floated(x),
                _ => Err(Error::argument("round", "a bool has no decimals")),
            };
        }
        let is_whole = match (x.1, x.0.as_literal()) {
            (Some(dtype), _) => !dtype.is_float(),
            (None, number) => !matches!(number, Some(Literal::Float(_))),
        };
        if is_whole && decimals >= 0 {
            return Ok(x.clone());
        }
        if let (None, Some(Literal::Int(number))) = (x.1, x.0.as_literal()) {
            let rounded = rounded_to_tens(number, decimals.unsigned_abs());
            return Ok(literal(Literal::Int(rounded)));
        }
        if let (true, Some(dtype)) = (is_whole, x.1) {
            return self.round_to_tens(x, dtype, decimals.unsigned_abs());
        }
        let (first, then) = match decimals {
            0 => return self.step(Op::ROUND, &[x]),
            1.. => (Op::MUL, Op::DIV),
            _ => (Op::DIV, Op::MUL),
        };
        let factor = literal(10f64.powi(decimals.saturating_abs()));
        let scaled = self.step(first, &[x, &factor])?;
        let rounded = self.step(Op::ROUND, &[&scaled])?;
        self.step(then, &[&rounded, &factor])
    }

    fn sign_bit<L: Clone>(&self, x: &Typed<L>) -> Result<Typed<L>> {
        let x = self.floated(x)?;
        let Some(dtype) = x.1 else {
            let number = x.0.as_literal().map_or(0.0, Literal::float);
            return Ok(literal(number.is_sign_negative()));
        };
        let (_, signed) = bits_of(dtype);
        let bits = (x.0.bit_cast(signed), Some(signed));
        self.step(Op::LESS, &[&bits, &literal(0)])
    }
    /// On the way up the bits of a positive number grow, those of a negative one fall.
    fn next_after<L: Clone>(&self, x: &Typed<L>, to: &Typed<L>) -> Result<Typed<L>> {
        let [x, to] = [self.floated_beside(x, to)?, self.floated_beside(to, x)?];
        let dtype = match common(&[&x, &to], self.promotion)? {
            // Of numbers alone it is that of their own type.
            _ if x.1.is_none() && to.1.is_none() => DType::F64,
            dtype => dtype,
        };
        let [x, to] = [self.cast(&x, dtype)?, self.cast(&to, dtype)?];
        let (unsigned, _) = bits_of(dtype);
        let sign = 1u64 << (8 * dtype.size() - 1);
        let bits = |x: &Typed<L>| (x.0.bit_cast(unsigned), Some(unsigned));
        let own = bits(&x);
        let float = |x: Typed<L>| (x.0.bit_cast(dtype), Some(dtype));
        let word = |bits| scalar(Scalar::of_bits(unsigned, bits));
        let one = word(1);
        let zero = literal(0.0);
        let up = self.step(Op::LESS, &[&x, &to])?;
        let positive = self.step(Op::GREATER, &[&x, &zero])?;
        let grows = self.step(Op::EQUAL, &[&up, &positive])?;
        let above = self.step(Op::ADD, &[&own, &one])?;
        let below = self.step(Op::SUB, &[&own, &one])?;
        let moved = float(self.step(Op::WHERE, &[&grows, &above, &below])?);
        let side = self.step(Op::BIT_AND, &[&bits(&to), &word(sign)])?;
        let least = float(self.step(Op::BIT_OR, &[&side, &one])?);
        let is_zero = self.step(Op::EQUAL, &[&x, &zero])?;
        let moved = self.step(Op::WHERE, &[&is_zero, &least, &moved])?;
        let there = self.step(Op::EQUAL, &[&x, &to])?;
        let lost = self.step(Op::IS_NAN, &[&to])?;
        let there = self.step(Op::OR, &[&there, &lost])?;
        let moved = self.step(Op::WHERE, &[&there, &to, &moved])?;
        let is_nan = self.step(Op::IS_NAN, &[&x])?;
        self.step(Op::WHERE, &[&is_nan, &x, &moved])
    }
    /// Products with powers of two that have normal exponents, as many as the largest exponent
    /// needs.
    fn ldexp<L: Clone>(&self, x: &Typed<L>, n: &Typed<L>) -> Result<Typed<L>> {
        let x = match (self.floated(x)?, n.1) {
            (number @ (_, None), Some(_)) => self.typed(&number)?,
            (x, _) => x,
        };
        let Some(dtype) = x.1 else {
            let [x, n] = [&x, n].map(|x| x.0.as_literal().map(Literal::float));
            let scaled = x.zip(n).map(|(x, n)| literal(libm::scalbn(x, n as i32)));
            return scaled.ok_or_else(|| Error::argument("ldexp", "its operands have no types"));
        };
        let (digits, bias) = format_of(dtype);
        let (_, signed) = bits_of(dtype);
        // One more product than from the lowest subnormal to the largest number.
        let range = 3 * bias + i64::from(digits);
        let n = match n.1 {
            Some(DType::Bool) => &self.cast(n, DType::I8)?,
            Some(from) if !from.is_int() => {
                return Err(Error::argument(
                    "ldexp",
                    format!("its exponent must be a whole number, not {from}"),
                ));
            }
            _ => n,
        };
        let limit = |x: i64| literal(x as i32);
        let n = match n.1 {
            Some(from) if from.size() < signed.size() => self.cast(n, signed)?,
            _ => n.clone(),
        };
        let low = match n.1 {
            Some(from) if !from.is_signed() => 0,
            _ => -range,
        };
        let n = self.step(Op::CLIP, &[&n, &limit(low), &limit(range)])?;
        let mut rest = self.cast(&n, signed)?;
        let mut made = x;
        for _ in 0..4 {
            let part = self.step(Op::CLIP, &[&rest, &limit(1 - bias), &limit(bias)])?;
            rest = self.step(Op::SUB, &[&rest, &part])?;
            let exponent = self.step(Op::ADD, &[&part, &limit(bias)])?;
            let bits = self.step(Op::SHL, &[&exponent, &limit(digits.into())])?;
            let bits = self.cast(&bits, signed)?;
            let power = (bits.0.bit_cast(dtype), Some(dtype));
            made = self.step(Op::MUL, &[&made, &power])?;
        }
        Ok(made)
    }
}
