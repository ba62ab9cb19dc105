//! NumPy-style broadcast elementwise expressions on any GPU, through wgpu.

pub mod dtype;
pub mod error;
pub mod expr;
pub mod layout;
#[cfg(feature = "npy")]
pub mod npy;
pub mod op;
pub mod reference;
pub mod rule;
pub mod shape;
pub mod view;
