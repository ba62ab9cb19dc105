//! What is true of an operator beside its types and forms: the rest of its row.
//!
//! Who needs such a fact reads the row, and no other module keeps a list of operators. A row has all
//! facts, or those in which it differs from a family: the functions at the end. A variadic row has
//! those of the row it folds.

use std::cmp::Ordering;

use super::Op;
use super::derivative::{Derivative, OF_INTEGERS};
use crate::dtype::{Class, DType};

/// The facts of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// How far a float result may be from the correctly rounded one.
    pub accuracy: Bound,
    /// How the result changes while an operand does.
    pub curve: Curve,
    /// What a compiler that takes floats for real numbers may do with it.
    pub algebra: Algebra,
    /// What becomes of operands of types that it does not take, in a step that promotes.
    pub promotion: Promote,
    /// What it gives for numbers alone, which the host computes.
    pub numbers: Numbers,
    /// How much it costs.
    pub cost: Cost,
    /// Turns of the loops of its WGSL for a quad, at most, by class of its operands.
    pub turns: Turns,
    /// Whether a result may leave its element type, so that narrow integers are wrapped and halves
    /// are rounded after it.
    pub renormalize: bool,
    /// The operand that rules that broadcast one way leave as it is.
    pub target: usize,
    /// What of a gradient reaches the operands.
    pub derivative: Derivative,
}

/// Turns of loops by class: where 64-bit integers are pairs of words, and where shaders have them. None
/// of classes that are left out.
pub(crate) type Turns = &'static [(Class, [u32; 2])];

/// How far a float result may be from the correctly rounded one. Sources: the accuracy that the
/// WGSL specification asks for (section 15.7.4), and the sweeps over all f32 in `tests/adapter/sweeps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// It is exact, or rounded correctly.
    Exact,
    /// It is rounded correctly, but a driver may leave a product unrounded that another step adds.
    Fusable,
    /// This many units in the last place of f32 and f64.
    Ulps(i64),
    /// A function of this crate's shaders.
    Function,
    /// A conversion to another type: integers with more digits than a float may round either way.
    Conversion,
}

impl Bound {
    /// The bound of a result in units in the last place of its type; 0 if it is no float.
    /// `is_added` tells whether a sum or difference reads it.
    ///
    /// A type of two bytes is computed as f32, so only the last rounding may be off, by one.
    pub fn ulps(self, operand: DType, result: DType, is_added: bool) -> i64 {
        let ulps = match self {
            _ if !result.is_float() => 0,
            Self::Exact => 0,
            Self::Fusable => i64::from(is_added && result == DType::F32),
            Self::Conversion => i64::from(operand.is_int() && operand.size() >= result.size()),
            Self::Ulps(ulps) => ulps,
            // The reference's own functions of f64 count too; those of f32 it computes in f64.
            Self::Function if result == DType::F64 => 8,
            Self::Function => 4,
        };
        if result.size() < 4 { ulps.min(1) } else { ulps }
    }
}

/// How the result changes while an operand does: what can be said of the results between two values
/// of an operand from those at the two values, and at 0 if it lies between them.
///
/// It is not `non_exhaustive`: who bounds errors must know every one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// They lie between them. Of integers they may wrap.
    Monotone,
    /// They lie between them, and integers do not wrap: the result is an operand or tells how the
    /// operands compare.
    Ordered,
    /// Nothing can be said if the operands may be equal, and the result is constant elsewhere.
    Ties,
    /// Nothing can be said.
    Jumps,
    /// It is a wave with a period of a few units.
    Periodic,
    /// It has one shallow lowest point beside 0.
    Dips,
    /// They lie between them unless this operand, counted from 0, passes 0.
    Pole(usize),
    /// A conversion: as monotone, but integers wrap only if the result is one.
    Conversion,
}

impl Curve {
    /// Whether a change of an integer operand may wrap the result around.
    pub fn wraps(self, result: DType) -> bool {
        match self {
            Self::Ordered | Self::Ties => false,
            Self::Conversion => result.is_int(),
            Self::Monotone | Self::Jumps | Self::Periodic | Self::Dips | Self::Pole(_) => true,
        }
    }
}

/// What a compiler that takes floats for real numbers may do with an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algebra {
    /// A sum, which cancels what was negated and takes in the products that it adds.
    Sum,
    /// A difference, which cancels equal operands and takes in products as a sum does.
    Difference,
    /// A product, which cancels nothing.
    Product,
    /// The opposite sign, which makes a difference of a sum.
    Negation,
    /// Anything else: what rounds may cancel equal operands, as a quotient does.
    Other,
}

impl Algebra {
    /// Whether every result is a sum, a difference or a product of all operands.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, Self::Sum | Self::Difference | Self::Product)
    }
}

/// What becomes of operands of a type that the row does not take, in a step that promotes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Promote {
    /// They are refused.
    Refuse,
    /// bool: this row takes its place.
    Bools(Op),
    /// bool: they become this type.
    BoolsAs(DType),
    /// All become bool.
    ToBools,
    /// What is no float becomes one.
    ToFloats,
    /// What is no float is the result.
    Unchanged,
    /// What is no float becomes one, also integers, which the row takes if no step promotes.
    TrueDivision,
}

/// What an operator gives for numbers alone, which the host computes as Python does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    /// What the row's form for f64 gives.
    AsFloats,
    /// Of a whole number a whole one, or `None`, if it is computed as a float.
    One(fn(i128) -> Option<i128>),
    /// Of two whole numbers.
    Two(fn(i128, i128) -> Option<i128>),
    /// Of three whole numbers.
    Three(fn(i128, i128, i128) -> Option<i128>),
    /// Whether a comparison holds for this order of its operands, `None` beside a NaN.
    Comparison(fn(Option<Ordering>) -> bool),
    /// What the row's form for bools gives of their truths.
    Truths,
    /// One of the two operands behind the condition.
    Choice,
    /// What the binary operator gives that the variadic one is folded with.
    Fold,
    /// Nothing: numbers alone have no element type.
    Never,
}

/// How much an operator costs: as how many steps it counts of those that one kernel may have, since compilers inline it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Cost {
    /// As much as a load, or less.
    Cheap = 1,
    /// Much more than a load, so that it pays to compute it once over a broadcast operand.
    Costly = 8,
    /// So much that llvmpipe compiles 16 for seconds, and twice as many four times as long.
    Costliest = 32,
}

/// An exact operator that costs little and stays in its element type: what families and rows differ
/// from.
pub(crate) const fn exact(
    curve: Curve,
    promotion: Promote,
    numbers: Numbers,
    derivative: Derivative,
) -> Facts {
    Facts {
        accuracy: Bound::Exact,
        curve,
        algebra: Algebra::Other,
        promotion,
        numbers,
        cost: Cost::Cheap,
        turns: &[],
        renormalize: false,
        target: 0,
        derivative,
    }
}

/// A function of floats; integers become floats.
pub(super) const fn function(
    accuracy: Bound,
    curve: Curve,
    cost: Cost,
    derivative: Derivative,
) -> Facts {
    Facts {
        accuracy,
        cost,
        renormalize: true,
        ..exact(curve, Promote::ToFloats, Numbers::AsFloats, derivative)
    }
}

/// A rounding to whole numbers.
pub(super) const fn rounding(promotion: Promote, numbers: Numbers) -> Facts {
    exact(Curve::Monotone, promotion, numbers, Derivative::Flat)
}

/// A bitwise operator of two integers; of bools the logical row takes its place.
pub(super) const fn bits(logical: Op, numbers: Numbers) -> Facts {
    exact(Curve::Jumps, Promote::Bools(logical), numbers, OF_INTEGERS)
}

/// A comparison of two operands.
pub(super) const fn comparison(curve: Curve, holds: fn(Option<Ordering>) -> bool) -> Facts {
    let numbers = Numbers::Comparison(holds);
    exact(
        curve,
        Promote::BoolsAs(DType::U8),
        numbers,
        Derivative::Flat,
    )
}

/// An operator on truths.
pub(super) const fn logic() -> Facts {
    exact(
        Curve::Ordered,
        Promote::ToBools,
        Numbers::Truths,
        OF_INTEGERS,
    )
}

/// A test of one float.
pub(super) const fn float_test() -> Facts {
    exact(
        Curve::Ordered,
        Promote::ToFloats,
        Numbers::AsFloats,
        Derivative::Flat,
    )
}
