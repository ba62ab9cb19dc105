//! NumPy-style broadcast elementwise expressions on any GPU, through wgpu.
//!
//! The host computes the broadcast shape and a stride table for every input, with stride 0 on each
//! broadcast axis; the tables are uniforms of a WGSL kernel that maps each output index back to its
//! input offsets. A whole expression is one kernel, for any rank, any rule and every element type.
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

mod device;
mod dtype;
mod element;
mod error;
mod expr;
pub mod files;
mod host;
pub mod kernel;
mod layout;
// Public for programs of this crate, which word their messages as its errors do; no part of what
// the crate promises.
#[doc(hidden)]
pub mod message;
pub mod names;
#[cfg(feature = "npy")]
pub mod npy;
mod op;
mod plan;
pub mod reference;
mod rule;
mod shape;
#[cfg(feature = "stream")]
pub mod stream;
mod tensor;
pub mod text;
mod view;

pub use device::{AdapterSummary, Builder, Context, Software, adapters};
pub use dtype::{Class, DType, DTypes, UnknownDType};
pub use element::Element;
pub use error::{Error, Result};
pub use expr::{Along, Axes, Expr, Gemm, Literal, Promotion, Reduction, Rounded, Scalar, Scan};
pub use half::{bf16, f16};
pub use host::{ArrayText, HostTensor};
pub use layout::{Layout, Offsets};
pub use op::{Arity, Curve, Op};
pub use plan::{
    Accuracy, Limits, Options, Part, Partition, Plan, Room, ScanInfo, ScheduleName, Slot, StepInfo,
    StepOperand, StepValue,
};
pub use rule::{Alignment, Rule};
pub use shape::{Shape, TooManyElements};
pub use tensor::{Tensor, broadcast_all};
pub use view::{AxisMap, Index, Indices, Map, View};
pub use wgpu;

/// The README's example, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide's examples, compiled as tests; some need files.
#[cfg(all(doctest, feature = "stream"))]
#[doc = include_str!("../docs/guide.md")]
struct Guide;
