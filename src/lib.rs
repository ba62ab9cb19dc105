//! NumPy-style broadcast elementwise expressions on any GPU, through wgpu.

pub mod dtype;
pub mod error;
pub mod layout;
pub mod rule;
pub mod shape;
pub mod view;
