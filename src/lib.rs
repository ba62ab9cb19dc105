//! NumPy-style broadcast elementwise expressions on any GPU, through wgpu.
//!
//! The host computes the broadcast shape and a stride table for every input, with stride 0 on each
//! broadcast axis; the tables are uniforms of a WGSL kernel that maps each output index back to its
//! input offsets. A whole expression is one kernel, for any rank, any rule and most element types.
//!
//! Three levels:
//! - [`Tensor`] methods return a `Result<Tensor>` each;
//! - [`Expr`] with operators is lazy and promotes as NumPy does; [`Expr::eval`] runs it as one
//!   kernel;
//! - [`Plan`] decides everything without a device, and [`Context::encode`] records it into the
//!   caller's encoder.
//!
//! ```no_run
//! use zerostride::{Context, Expr};
//!
//! let context = Context::request_blocking()?;
//! let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
//! let mean = context.tensor(&[2.5f32, 3.5, 4.5], [3])?;
//! let centred = ((x.expr() - &mean.expr()) * 2.0).eval()?;
//! assert_eq!(centred.read_blocking::<f32>()?, [-3.0, -3.0, -3.0, 3.0, 3.0, 3.0]);
//! # Ok::<(), zerostride::Error>(())
//! ```

pub mod device;
pub mod dtype;
pub mod element;
pub mod error;
pub mod expr;
pub mod files;
mod host;
pub mod kernel;
pub mod layout;
// Public for programs of this crate, which word their messages as its errors do; no part of what
// the crate promises.
#[doc(hidden)]
pub mod message;
pub mod names;
#[cfg(feature = "npy")]
pub mod npy;
pub mod op;
pub mod plan;
pub mod reference;
pub mod rule;
pub mod shape;
#[cfg(feature = "stream")]
pub mod stream;
pub mod tensor;
pub mod text;
pub mod view;

pub use device::{Builder, Context, Software};
pub use dtype::DType;
pub use element::Element;
pub use error::{Error, Result};
pub use expr::{Expr, Gemm, Promotion, Scalar};
pub use half::{bf16, f16};
pub use host::HostTensor;
pub use layout::Layout;
pub use op::Op;
pub use plan::{Accuracy, Limits, Options, Plan, Room, Slot};
pub use rule::{Alignment, Rule};
pub use shape::Shape;
pub use tensor::{Tensor, broadcast_all};
pub use view::{Index, View};
pub use wgpu;

/// The README's example, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide's examples, compiled as tests; some need files.
#[cfg(all(doctest, feature = "stream"))]
#[doc = include_str!("../docs/guide.md")]
struct Guide;
