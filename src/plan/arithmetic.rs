//! What an adapter does with floats.

use super::fold::FoldStep;
use super::merges::Merges;
use super::operand::Step;
use crate::dtype::{Class, DType};
use crate::op::Folding;

/// What is known of an adapter's arithmetic on floats: a context on an own device tries it, see
/// [`Limits::arithmetic`](crate::Limits::arithmetic). Where nothing is known kernels are as exact,
/// and slower.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arithmetic {
    /// f32 arithmetic and comparisons keep subnormal numbers. Without it floats are compared by
    /// integers.
    pub(crate) subnormals: bool,
    /// The shader functions that convert two halves at once, `unpack2x16float` and
    /// `pack2x16float`, give the same bits as integer code for every number, subnormal ones among
    /// them, and a NaN for a NaN. Without it f16 is converted by integer code. A context on an own
    /// device tries all halves, and the f32 numbers between and beside them.
    pub(crate) halves: bool,
    /// They also give the same bits for a NaN that arithmetic made. Without it halves that a step
    /// rounded are searched for NaNs, whose bits are then set by integer code.
    pub(crate) half_nans: bool,
    /// What the compiler makes of f32, as which narrower types are computed too. A context on an own
    /// device tries what compilers are known to do, in several forms each; nobody can try all kernels.
    pub(crate) singles: Merges,
    /// The same of f64, where shaders have it.
    pub(crate) doubles: Merges,
    /// `fma` rounds once and no compiler takes it apart. Optimisation barriers of f32 cost nothing
    /// then: sums and products are fused steps with a 1 and a -0 that no compiler knows.
    pub(crate) fused: bool,
    /// Quotients of f32 are rounded once, as IEEE 754 has it. Vulkan and WebGPU allow 2.5 ULP.
    /// Without it they are put right by integers. A context on an own device compares 200,000 of
    /// them.
    pub(crate) quotients: bool,
    /// A remainder by `fma` puts quotients of f32 right: in a kernel that hides from the compiler what
    /// belongs together, `fma` rounds once. Without it integers do. A context on an own device
    /// compares 130,000 quotients.
    pub(crate) fused_quotients: bool,
}

/// Something that may be known of an adapter's arithmetic.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatFact {
    /// f32 keeps subnormal numbers.
    Subnormals,
    /// The adapter converts halves as integer code does, NaNs too.
    Halves,
    /// The compiler keeps the order of what is added and multiplied, in f32.
    Order,
    /// The compiler rounds a product of f32 before it is added.
    Products,
    /// `fma` rounds once.
    Fma,
    /// Both of doubles: the order is kept, and products are rounded.
    Doubles,
    /// Quotients of f32 are rounded once.
    Quotients,
    /// A remainder by `fma` puts quotients right.
    FusedQuotients,
}

impl Default for Arithmetic {
    fn default() -> Self {
        Self::UNKNOWN
    }
}

impl Arithmetic {
    /// That of an adapter that nothing is known of.
    pub const UNKNOWN: Self = Self {
        subnormals: false,
        halves: false,
        half_nans: false,
        singles: Merges::UNKNOWN,
        doubles: Merges::UNKNOWN,
        fused: false,
        quotients: false,
        fused_quotients: false,
    };

    /// The same with this known to be so, or not known.
    #[doc(hidden)]
    #[must_use]
    pub const fn with(mut self, fact: FloatFact, is: bool) -> Self {
        match fact {
            FloatFact::Subnormals => self.subnormals = is,
            FloatFact::Halves => (self.halves, self.half_nans) = (is, is),
            FloatFact::Order => self.singles.reassociates = !is,
            FloatFact::Products => self.singles.contracts = !is,
            FloatFact::Fma => self.fused = is,
            FloatFact::Doubles if is => self.doubles = Merges::NONE,
            FloatFact::Doubles => self.doubles = Merges::UNKNOWN,
            FloatFact::Quotients => self.quotients = is,
            FloatFact::FusedQuotients => self.fused_quotients = is,
        }
        self
    }

    /// Whether this is known to be so.
    #[doc(hidden)]
    pub const fn has(&self, fact: FloatFact) -> bool {
        match fact {
            FloatFact::Subnormals => self.subnormals,
            FloatFact::Halves => self.halves && self.half_nans,
            FloatFact::Order => !self.singles.reassociates,
            FloatFact::Products => !self.singles.contracts,
            FloatFact::Fma => self.fused,
            FloatFact::Doubles => !self.doubles.any(),
            FloatFact::Quotients => self.quotients,
            FloatFact::FusedQuotients => self.fused_quotients,
        }
    }

    /// See [`Limits::describe_floats`](super::Limits::describe_floats); doubles are the last.
    pub(super) fn describe(&self) -> [&'static str; 7] {
        use FloatFact::{Doubles, Fma, Halves, Order, Products, Quotients, Subnormals};
        let put_right = match self.fused_quotients {
            true => "quotients are rounded by fma",
            false => "quotients are rounded by integer code",
        };
        let integers = "halves are converted by integer code";
        [
            (
                Order,
                "sums keep their order",
                "the compiler may reorder sums",
            ),
            (
                Products,
                "products are rounded before they are added",
                "it may round a product and a sum of it once",
            ),
            (Fma, "fma rounds once", "fma may be taken apart"),
            (
                Subnormals,
                "subnormal numbers are kept",
                "subnormal numbers may be flushed",
            ),
            (Halves, "halves are converted by the adapter", integers),
            (
                Quotients,
                "the adapter's quotients are rounded once",
                put_right,
            ),
            (
                Doubles,
                "doubles are computed as they stand",
                "arithmetic on doubles may be rewritten",
            ),
        ]
        .map(|(fact, yes, no)| if self.has(fact) { yes } else { no })
    }

    /// Whether what a plan relies on is known of an adapter.
    pub(super) fn fits(&self, adapter: &Self) -> bool {
        (adapter.subnormals || !self.subnormals)
            && (adapter.halves || !self.halves)
            && (adapter.half_nans || !self.half_nans)
            && self.singles.fits(adapter.singles)
            && self.doubles.fits(adapter.doubles)
            && (adapter.fused || !self.fused)
            && (adapter.quotients || !self.quotients)
            && (adapter.fused_quotients || !self.fused_quotients)
    }

    /// What of it a pass makes use of that has these steps and folds, and may multiply matrices of halves. The
    /// rest is [`UNKNOWN`](Self::UNKNOWN), so that a pass without floats has one text.
    pub(super) fn used_by(&self, steps: &[Step], folds: &[FoldStep], half_factors: bool) -> Self {
        let any = |is: &dyn Fn(&Step) -> bool| steps.iter().any(is);
        let computes = any(&|s| s.operand.class() == Class::F32);
        let compares = |fold: &FoldStep| {
            let orders = matches!(fold.op, Folding::Max | Folding::Min);
            orders && fold.dtype == DType::F32
        };
        let f16 = |s: &Step| s.operand == DType::F16 || s.dtype == DType::F16;
        let halves = self.halves && (half_factors || any(&f16));
        let adds = |fold: &FoldStep| matches!(fold.op, Folding::Sum | Folding::Prod);
        let folds_floats = folds.iter().any(|f| adds(f) && f.dtype.is_float());
        let folds_f32 = folds.iter().any(|f| adds(f) && f.dtype == DType::F32);
        let floats = folds_floats || any(&|s| s.operand.is_float() || s.dtype.is_float());
        let f64 = |s: &Step| s.dtype == DType::F64 || s.op.needs_f64(s.operand);
        let doubles = any(&f64) || folds.iter().any(|f| f.dtype == DType::F64);
        let known = |merges: Merges, is: bool| if is { merges } else { Merges::UNKNOWN };
        Self {
            subnormals: self.subnormals && (computes || folds.iter().any(compares)),
            halves,
            half_nans: halves && self.half_nans,
            singles: known(self.singles, floats),
            doubles: known(self.doubles, doubles),
            fused: self.fused && (computes || folds_f32 && self.singles.reassociates),
            quotients: self.quotients && computes,
            fused_quotients: self.fused_quotients && !self.quotients && computes,
        }
    }
}
