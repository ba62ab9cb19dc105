//! What programs of this crate look at to check results and to show plans: the steps of a
//! [`Plan`](crate::Plan), how an [`Op`](crate::Op) behaves, and what is known of
//! an adapter. What gives them is hidden from the documents too.

#[cfg(target_family = "wasm")]
pub use crate::kernel::load_soft;
pub use crate::op::Curve;
pub use crate::plan::{FloatFact, StepInfo, StepOperand, StepValue, StepWork};
pub use crate::view::Map;
