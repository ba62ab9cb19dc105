//! Choices that are not the expression's.

use super::limits::Limits;
use super::schedule::ScheduleName;
use crate::expr::Promotion;

/// What an expression is compiled with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Accuracy {
    /// Own functions with a stated bound in ULP.
    #[default]
    Precise,
    /// The adapter's builtins, which are faster and may be far off.
    Fast,
}

/// Choices that are not the expression's: accuracy, promotion and limits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Options {
    /// Own functions or the adapter's.
    pub accuracy: Accuracy,
    /// Which float type arises from integers.
    pub promotion: Promotion,
    /// The adapter's limits.
    pub limits: Limits,
    /// The schedule of passes that may have it; the others, and all if there is none, have the
    /// cheapest by the profile of the machine.
    pub schedule: Option<ScheduleName>,
}

impl Options {
    /// The same with another accuracy.
    #[must_use]
    pub const fn with_accuracy(self, accuracy: Accuracy) -> Self {
        Self { accuracy, ..self }
    }

    /// The same with another promotion.
    #[must_use]
    pub const fn with_promotion(self, promotion: Promotion) -> Self {
        Self { promotion, ..self }
    }

    /// The same with a schedule for the passes that may have it;
    /// [`Plan::may_have`](crate::Plan::may_have) says whether any may. If several candidates have the
    /// name, the cheapest of them is taken.
    #[must_use]
    pub const fn with_schedule(self, schedule: Option<ScheduleName>) -> Self {
        Self { schedule, ..self }
    }

    /// The same with other limits.
    #[must_use]
    pub const fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }
}
