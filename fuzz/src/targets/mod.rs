//! What each target does with an input.

pub mod npy;
pub mod npz;
pub mod plan_folds;
pub mod plan_kernel;
pub mod rules_layouts;
pub mod text;
