//! `Op`: a row of the op table, and its properties.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::facts::{Algebra, Cost, Curve, Facts};
use super::row::{Arity, Fold, Form, Operands, Row, Types};
use super::rows::{INNER, TABLE};
use super::soft::{Native64, SOFT_WEIGHT, soft_turns};
use crate::dtype::{Class, DType, DTypes};
use crate::error::{Error, Result};

/// An operator: a row of the op table, such as [`Op::ADD`], or a
/// [`CustomOp`](crate::CustomOp).
///
/// ```
/// use zerostride::{DType, Op};
///
/// let clip = Op::named("clip").unwrap();
/// assert_eq!((clip, clip.operands()), (Op::CLIP, ["x", "lo", "hi"].as_slice()));
/// assert!(clip.accepts().contains(DType::U8) && !clip.is_test());
/// ```
#[derive(Clone, Copy)]
pub struct Op(pub(super) &'static Row);

impl Op {
    /// Makes an operator outside the table, which lives as long as the program.
    pub(crate) fn beside_the_table(row: Row) -> Self {
        Self(Box::leak(Box::new(row)))
    }

    /// All operators of the table, in its order.
    pub fn all() -> impl Iterator<Item = Self> {
        Self::table().filter(|op| !INNER.iter().any(|&row| Self(row) == *op))
    }

    /// The operators that lists of functions show: all but `rounded_div`, the quotient of means and
    /// variances, which differs from `div` only where accuracy is traded for speed.
    #[doc(hidden)]
    pub fn listed() -> impl Iterator<Item = Self> {
        Self::all().filter(|op| *op != Self::ROUNDED_DIV)
    }

    /// All operators, with those that others are lowered to.
    #[doc(hidden)]
    pub fn table() -> impl Iterator<Item = Self> {
        TABLE.iter().copied().flatten().map(|&row| Self(row))
    }

    /// The operator of the table that has this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|op| op.0.name == name)
    }

    /// Its name. The expression language may have another name for it.
    pub fn name(self) -> &'static str {
        self.0.name
    }

    /// What it computes, in sentences; empty without the feature `complete`.
    pub fn doc(self) -> &'static str {
        self.0.doc
    }

    /// The names of its operands; a variadic operator has one name for all.
    pub fn operands(self) -> &'static [&'static str] {
        self.0.operands
    }

    /// The defaults of the last operands, in the expression language and in ONNX.
    pub fn defaults(self) -> &'static [f64] {
        self.0.defaults
    }

    /// How many operands it takes.
    pub fn arity(self) -> Arity {
        self.0.arity
    }

    /// The binary operator with which a variadic operator folds its operands from the left.
    pub fn fold_step(self) -> Option<Self> {
        self.0.fold.map(|fold| fold.step)
    }

    /// Whether the result is a bool, whatever the operands are.
    pub fn is_test(self) -> bool {
        matches!(self.0.types, Types::Test(_))
    }

    /// Whether operand 0 is a condition, a bool.
    pub fn is_select(self) -> bool {
        matches!(self.0.types, Types::Select(_))
    }

    /// Whether narrow elements of this type are computed a word at a time: two or four at once.
    #[doc(hidden)]
    pub fn works_on_words(self, dtype: DType) -> bool {
        self.form(dtype).is_some_and(|form| form.packed.is_some())
    }

    pub(crate) fn types(self) -> Types {
        self.0.types
    }

    pub(crate) fn fold(self) -> Option<Fold> {
        self.0.fold
    }

    pub(crate) fn facts(self) -> &'static Facts {
        &self.0.facts
    }

    /// The element types of the data operands: all but the condition of a select.
    pub fn accepts(self) -> DTypes {
        match self.0.types {
            Types::Same(set) | Types::Test(set) | Types::Select(set) => set,
            Types::Cast | Types::BitCast => DTypes::ANY,
        }
    }

    /// Whether the result's element type is the step's parameter.
    pub fn takes_dtype(self) -> bool {
        matches!(self.0.types, Types::Cast | Types::BitCast)
    }

    /// Whether it computes with doubles if its operands have this type.
    pub fn needs_f64(self, dtype: DType) -> bool {
        let step = self.0.fold.map_or(self, |fold| fold.step);
        step.form(dtype)
            .is_some_and(|form| form.read == Operands::Native)
    }

    /// Whether it is a custom operator that computes with doubles in its own WGSL.
    pub(crate) fn has_own_f64(self, dtype: DType) -> bool {
        let own = |form: &Form| form.read == Operands::Native && !form.functions.is_empty();
        self.form(dtype).is_some_and(own)
    }

    /// Whether subnormal operands and results of f32 and bf16 stay what they are on every adapter:
    /// the operator compares, selects, moves or rounds to whole numbers, and computes nothing.
    #[doc(hidden)]
    pub fn keeps_subnormals(self) -> bool {
        let mut forms = self.0.forms.iter();
        !self.0.facts.renormalize || forms.any(|(_, form)| form.read == Operands::FloatBits)
    }

    /// The form for operands of this type.
    pub(crate) fn form(self, dtype: DType) -> Option<&'static Form> {
        self.form_of(dtype.class())
    }

    /// The form for values of this class.
    pub(crate) fn form_of(self, class: Class) -> Option<&'static Form> {
        let mut forms = self.0.forms.iter();
        forms.find(|(c, _)| *c == class).map(|(_, form)| form)
    }

    /// Checks operand types and returns the result's type. `to` is a cast's target type.
    ///
    /// # Errors
    /// [`Error::Arity`], [`Error::DType`], [`Error::MixedDTypes`], [`Error::Argument`] for a bit
    /// cast to another size.
    pub fn result(self, dtypes: &[DType], to: Option<DType>) -> Result<DType> {
        let missed = match self.0.arity {
            Arity::Exactly(n) if dtypes.len() != n => Some(n.to_string()),
            Arity::Variadic if dtypes.is_empty() => Some("1 or more".into()),
            _ => None,
        };
        if let Some(expected) = missed {
            return Err(Error::Arity {
                op: self.0.name.into(),
                expected,
                found: dtypes.len(),
            });
        }
        let (skip, set, result) = match self.0.types {
            Types::Same(set) => (0, set, None),
            Types::Test(set) => (0, set, Some(DType::Bool)),
            Types::Select(set) => (1, set, None),
            Types::Cast | Types::BitCast => (0, DTypes::ANY, to),
        };
        let refuse = |operand: usize, set: DTypes| Error::DType {
            op: self.0.name.into(),
            operand,
            dtype: dtypes[operand],
            accepts: set.to_string(),
        };
        if skip == 1 && dtypes[0] != DType::Bool {
            return Err(refuse(0, DTypes::BOOL));
        }
        let data = &dtypes[skip..];
        if let Some(i) = data.iter().position(|&d| !set.contains(d)) {
            return Err(refuse(skip + i, set));
        }
        if data.iter().any(|d| *d != data[0]) {
            return Err(Error::MixedDTypes {
                op: self.0.name.into(),
                dtypes: dtypes.to_vec(),
            });
        }
        let result = result.unwrap_or(data[0]);
        if self.0.types == Types::BitCast && result.size() != data[0].size() {
            let (from, [has, wanted]) = (data[0], [data[0], result].map(DType::size));
            let reason = format!("{from} has {has} bytes, {result} has {wanted}");
            return Err(Error::argument(self.0.name, reason));
        }
        Ok(result)
    }

    /// Whether it costs much more than a load, so that it pays to compute it once over a broadcast
    /// operand.
    pub(crate) fn is_costly(self) -> bool {
        self.0.facts.cost > Cost::Cheap
    }

    /// The number of steps that it counts as, for operands of this type.
    pub(crate) fn weight(self, operand: DType, native: Native64) -> usize {
        let own = self.0.facts.cost as usize;
        match self.needs_f64(operand) && !native.floats {
            true => own * SOFT_WEIGHT,
            false => own,
        }
    }

    /// The most turns of its loops for four elements of this type.
    pub(crate) fn turns(self, operand: DType, native: Native64) -> usize {
        if !native.floats
            && let Some(form) = self.form(operand)
            && form.read == Operands::Native
        {
            return soft_turns(form.wgsl);
        }
        let int64 = native.integers;
        let mut of = self.0.facts.turns.iter();
        let own = of.find(|(class, _)| *class == operand.class());
        own.map_or(0, |(_, turns)| turns[usize::from(int64)] as usize)
    }

    /// Whether it is a sum or a difference, which a driver may fuse with a product that it reads.
    #[doc(hidden)]
    pub fn is_sum(self) -> bool {
        matches!(self.0.facts.algebra, Algebra::Sum | Algebra::Difference)
    }

    /// How far a result may be from the correctly rounded one, in units in the last place of its
    /// type; 0 if it is not a float. `operand` is the type of the last operand; `is_added` tells
    /// whether a sum or difference reads the result.
    ///
    /// Moves, tests, minima and maxima, sums and differences are exact or rounded correctly everywhere
    /// (WGSL requires it), and so are quotients. So are products, but a driver may leave a product
    /// unrounded that another step adds. Square root is within 4.5 by WGSL's rules, conversions of large
    /// integers may round either way, and the functions of this crate are within 4. A type of two bytes is
    /// computed as f32, so only the last rounding may be off, by one. A variadic operator has the bound of
    /// one [`fold_step`](Self::fold_step).
    ///
    /// ```
    /// use zerostride::{DType, Op};
    ///
    /// assert_eq!(Op::DIV.ulps(DType::F32, DType::F32, false), 0);
    /// assert_eq!(Op::MUL.ulps(DType::F32, DType::F32, true), 1);
    /// assert_eq!(Op::EXP.ulps(DType::F16, DType::F16, false), 1);
    /// assert_eq!(Op::LESS.ulps(DType::F32, DType::Bool, false), 0);
    /// ```
    #[doc(hidden)]
    pub fn ulps(self, operand: DType, result: DType, is_added: bool) -> i64 {
        self.0.facts.accuracy.ulps(operand, result, is_added)
    }

    /// How the result changes with an operand.
    #[doc(hidden)]
    pub fn curve(self) -> Curve {
        self.0.facts.curve
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Op {}

impl Hash for Op {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0.name)
    }
}
