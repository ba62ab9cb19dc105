//! Whole numbers rounded to multiples of powers of ten, without a float between.

use super::common::Typed;
use super::step::Promoter;
use super::{Expr, Literal};
use crate::dtype::DType;
use crate::error::Result;
use crate::op::Op;

impl Promoter {
    /// Integers rounded to multiples of 10 to this power, halves to even, in their own type; what it
    /// does not hold wraps.
    pub(super) fn round_to_tens<L: Clone>(
        &self,
        x: &Typed<L>,
        dtype: DType,
        power: u32,
    ) -> Result<Typed<L>> {
        let own = |number: i128| (Expr::literal(Literal::Int(number)), None);
        let most = match dtype.is_signed() {
            true => (1i128 << (8 * dtype.size() - 1)) - 1,
            false => (1i128 << (8 * dtype.size())) - 1,
        };
        let Some(unit) = 10i128.checked_pow(power).filter(|unit| *unit <= most) else {
            // Of the multiples the type holds 0 alone.
            return self.step(Op::MUL, &[x, &own(0)]);
        };
        let unit = own(unit);
        // The multiple below, and how far it is.
        let below = self.step(Op::FLOOR_DIV, &[x, &unit])?;
        let rest = self.step(Op::MOD, &[x, &unit])?;
        let left = self.step(Op::SUB, &[&unit, &rest])?;
        let is_odd = self.step(Op::MOD, &[&below, &own(2)])?;
        let nearer = self.step(Op::GREATER, &[&rest, &left])?;
        let halfway = self.step(Op::EQUAL, &[&rest, &left])?;
        let is_odd = self.step(Op::EQUAL, &[&is_odd, &own(1)])?;
        let to_even = self.step(Op::AND, &[&halfway, &is_odd])?;
        let up = self.step(Op::OR, &[&nearer, &to_even])?;
        let next = self.step(Op::ADD, &[&below, &own(1)])?;
        let number = self.step(Op::WHERE, &[&up, &next, &below])?;
        self.step(Op::MUL, &[&number, &unit])
    }
}

/// A whole number rounded to a multiple of 10 to this power, halves to even.
pub(super) fn rounded_to_tens(number: i128, power: u32) -> i128 {
    // No literal reaches half of a power that is not there.
    let Some(unit) = 10i128.checked_pow(power) else {
        return 0;
    };
    let (below, rest) = (number.div_euclid(unit), number.rem_euclid(unit));
    let is_up = match rest.cmp(&(unit - rest)) {
        std::cmp::Ordering::Equal => below % 2 != 0,
        order => order.is_gt(),
    };
    (below + i128::from(is_up)).saturating_mul(unit)
}
