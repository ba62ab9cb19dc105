//! Properties of an operator beside its types and forms: the rest of its row.
//!
//! Code that needs such a fact reads the row; no other module keeps a list of operators. A row
//! states all facts, or only those in which it differs from a family (the functions at the end). A
//! variadic row has the facts of the row that it folds.

use std::cmp::Ordering;

use super::Op;
use super::derivative::{Derivative, OF_INTEGERS};
use crate::dtype::{Class, DType};

/// The facts of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Facts {
    /// How far a float result may be from the correctly rounded one.
    pub accuracy: Bound,
    /// How the result changes with an operand.
    pub curve: Curve,
    /// What a compiler that takes floats for real numbers may do with it.
    pub algebra: Algebra,
    /// How a step that promotes converts operands of types that the operator does not take.
    pub promotion: Promote,
    /// Its result for numbers alone, which the host computes.
    pub numbers: Numbers,
    /// How much it costs.
    pub cost: Cost,
    /// The most turns of the loops of its WGSL for four elements, by class of its operands.
    pub turns: Turns,
    /// Whether a result may exceed its element type, so that kernels wrap narrow integers and round
    /// f16 and bf16 after it.
    pub renormalize: bool,
    /// The target operand under rules that broadcast one way.
    pub target: usize,
    /// The operands' gradients, given the result's.
    pub derivative: Derivative,
}

/// Turns of loops by class: with 64-bit integers as pairs of words, and with native ones. Classes that
/// are left out have no loops.
pub(crate) type Turns = &'static [(Class, [u32; 2])];

/// How far a float result may be from the correctly rounded one. Sources: the accuracy that the WGSL
/// specification requires (section 15.7.4), and the sweeps over all f32 in `tests/adapter/sweeps`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// Exact, or rounded correctly.
    Exact,
    /// Rounded correctly, but a driver may leave a product unrounded that another step adds.
    Fusable,
    /// This many units in the last place of f32 and f64.
    Ulps(i64),
    /// A function of this crate's shaders.
    Function,
    /// A conversion to another type: integers with too many digits may be rounded either way.
    Conversion,
}

impl Bound {
    /// The bound of a result in units in the last place of its type; 0 if it is not a float.
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

/// How the result changes with an operand: what the results at two values of the operand, and at 0
/// if it lies between them, say about the results between.
///
/// It is not `non_exhaustive`: code that bounds errors must know every variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curve {
    /// The results lie between those at the two values, but integers may wrap.
    Monotone,
    /// The results lie between those at the two values, and integers do not wrap: the result is an
    /// operand or tells how the operands compare.
    Ordered,
    /// Nothing is known if the operands may be equal; elsewhere the result is constant.
    Ties,
    /// Nothing is known.
    Jumps,
    /// The result is a wave with a period of a few units.
    Periodic,
    /// The result has one shallow minimum beside 0.
    Dips,
    /// The results lie between those at the two values unless this operand, counted from 0, passes 0.
    Pole(usize),
    /// A conversion: as `Monotone`, but the result wraps only if it is an integer.
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
    /// A sum, which cancels negated operands and may be fused with the products that it adds.
    Sum,
    /// A difference, which cancels equal operands and may be fused with products as a sum is.
    Difference,
    /// A product, which cancels nothing.
    Product,
    /// The opposite sign, which makes a difference of a sum.
    Negation,
    /// Anything else: an operator that rounds may cancel equal operands, as a quotient does.
    Other,
}

impl Algebra {
    /// Whether every result is a sum, a difference or a product of all operands.
    pub fn is_arithmetic(self) -> bool {
        matches!(self, Self::Sum | Self::Difference | Self::Product)
    }
}

/// How a step that promotes converts operands of a type that the row does not take.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Promote {
    /// Refuses them.
    Refuse,
    /// Bools: this row replaces the row.
    Bools(Op),
    /// Bools become this type.
    BoolsAs(DType),
    /// All operands become bool.
    ToBools,
    /// Operands that are not floats become floats.
    ToFloats,
    /// An operand that is not a float is the result.
    Unchanged,
    /// Operands that are not floats become floats, even integers that the row takes.
    TrueDivision,
}

/// The result of an operator for numbers alone, which the host computes as Python does.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Numbers {
    /// The result of the row's form for f64.
    AsFloats,
    /// A whole number for a whole number, or `None` to compute as a float.
    One(fn(i128) -> Option<i128>),
    /// The same for two whole numbers.
    Two(fn(i128, i128) -> Option<i128>),
    /// The same for three whole numbers.
    Three(fn(i128, i128, i128) -> Option<i128>),
    /// Whether a comparison holds for this order of its operands, `None` beside a NaN.
    Comparison(fn(Option<Ordering>) -> bool),
    /// The result of the row's form for bool on their truth values.
    Truths,
    /// One of the two operands after the condition.
    Choice,
    /// The result of folding with the variadic operator's binary operator.
    Fold,
    /// Nothing: numbers alone have no element type.
    Never,
}

/// The cost of an operator: the number of steps that it counts as towards a kernel's limit, since compilers inline it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub(crate) enum Cost {
    /// As much as a load, or less.
    Cheap = 1,
    /// Much more than a load, so that it pays to compute it once over a broadcast operand.
    Costly = 8,
    /// So much that llvmpipe takes seconds to compile 16, and four times as long for twice as many.
    Costliest = 32,
}

/// An exact operator that costs little and stays in its element type: the facts that families and
/// rows modify.
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

/// A bitwise operator of two integers; for bools the logical row replaces it.
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
