//! NumPy-style broadcast elementwise expressions on any GPU, through wgpu.
//!
//! The host computes the broadcast shape and a stride table for every input, with stride 0 on each
//! broadcast axis; the tables are uniforms of a WGSL kernel that maps each output index back to its
//! input offsets. A whole expression is one kernel, for any rank, any rule and every element type.
//!
//! # Two tensors added
//!
//! Operators on [`&Tensor`](Tensor) and on [`Expr`] make lazy expressions, which promote as NumPy
//! does; a number may be on either side. [`Expr::eval`] and the reads run each as one kernel.
//!
//! ```no_run
//! use zerostride::Context;
//!
//! let context = Context::request_blocking()?;
//! let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
//! let row = context.tensor(&[10.0f32, 20.0, 30.0], [3])?;
//! let sum = (&x + &row).eval()?;
//! assert_eq!(sum.read_blocking::<f32>()?, [11.0, 22.0, 33.0, 14.0, 25.0, 36.0]);
//!
//! let scores = 2.0 * (&x - x.expr().mean(0)) / x.expr().std(0);
//! // Printed as NumPy prints it: [[-2. -2. -2.]
//! //                              [ 2.  2.  2.]]
//! println!("{}", scores.to_host_blocking()?);
//! # Ok::<(), zerostride::Error>(())
//! ```
//!
//! Methods of the same names do the same; those of [`Tensor`] (`x.add(&row)?`) run at once and
//! return a `Result<Tensor>`. NumPy's functions are methods of [`Expr`] too: `x.expr().median(0)`;
//! [`Expr::with`] gives further parameters, as `keepdims`.
//!
//! # An expression as text
//!
//! ```no_run
//! # let context = zerostride::Context::request_blocking()?;
//! # let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])?;
//! let y = context.eval_text("(x - x.mean(axis=0)) / x.std(axis=0)", [("x", &x)])?;
//! assert_eq!(y.read_blocking::<f32>()?, [-1.0, -1.0, -1.0, 1.0, 1.0, 1.0]);
//! # Ok::<(), zerostride::Error>(())
//! ```
//!
//! # Reads that do not block
//!
//! [`Tensor::read`] and [`Expr::read`] are futures for any executor.
//!
//! ```no_run
//! use zerostride::{Result, Tensor};
//!
//! async fn norm(x: &Tensor) -> Result<f32> {
//!     (x * x).sum(..).item::<f32>().await
//! }
//! ```
//!
//! # Your own device
//!
//! A [`Plan`] decides everything without a device and can be printed; [`Context::wrap`] makes a
//! tensor of your buffer, and [`Context::encode`] records into your encoder.
//!
//! ```no_run
//! use zerostride::{Context, DType, Expr, Layout, Options, Plan, Result, Slot, wgpu};
//!
//! fn scale(
//!     (device, queue): (&wgpu::Device, &wgpu::Queue),
//!     (pixels, gain): (&wgpu::Buffer, &wgpu::Buffer),
//! ) -> Result<()> {
//!     let context = Context::from_wgpu(device, queue);
//!     let pixels = context.wrap(pixels, DType::F32, Layout::contiguous([480, 640, 3])?)?;
//!     let gain = context.wrap(gain, DType::F32, Layout::contiguous([3])?)?;
//!     let product = [Expr::slot(0) * Expr::slot(1)];
//!     // In place: the output is the input's own elements.
//!     let slots = [pixels.slot(), gain.slot()];
//!     let plan = Plan::many(&product, &slots, &[pixels.slot()], &context.options())?;
//!
//!     let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
//!     context.encode(&mut encoder, &plan, &[&pixels, &gain], &[&pixels])?;
//!     queue.submit([encoder.finish()]);
//!     Ok(())
//! }
//!
//! let slots = [Slot::new(DType::F32, [64, 1024])?, Slot::new(DType::F32, [64, 1])?];
//! let plan = Plan::new(&(Expr::slot(0) * Expr::slot(1)), &slots, &Options::default())?;
//! // plan: 1 pass, 524544 bytes moved, and the strides and mapping of each operand.
//! println!("{plan}");
//! # Ok::<(), zerostride::Error>(())
//! ```
//!
//! # Cargo features
//!
//! | feature | what it adds |
//! |---|---|
//! | `vulkan`, `metal`, `dx12`, `gles` | wgpu's backends, on by default |
//! | `webgpu` | wgpu's backend for browsers, on `wasm32-unknown-unknown` |
//! | `complete` | parts that small binaries leave out: every operator on the CPU (module `reference`), `Expr::gradient` and the like, calls of functions (`Expr::call`), descriptions of operators and functions (`Op::doc`, `text::language`); on by default |
//! | `ndarray` | `Context::tensor_from_ndarray`, `Tensor::to_ndarray` |
//! | `files` | modules `npy` and `stream`: NumPy's `.npy` and `.npz` files, and expressions from file to file with a bound on memory |
//! | `translate` | kernels as SPIR-V, HLSL, MSL and GLSL |
//! | `noop` | wgpu's backend that checks calls and computes nothing, for tests |
//!
//! The guide, `docs/guide.md` in the repository, goes on from here; `examples/` has a program for
//! each part.

mod custom;
mod device;
mod dtype;
mod element;
mod error;
mod expr;
pub mod files;
mod host;
pub mod kernel;
mod layout;
// Public for programs of this crate, as is whatever else is hidden from its documents: they word their
// messages as its errors do, and look into plans and operators. No part of what the crate promises.
#[doc(hidden)]
pub mod inspect;
#[doc(hidden)]
pub mod message;
#[cfg(feature = "files")]
pub mod npy;
mod op;
mod plan;
#[cfg(feature = "complete")]
pub mod reference;
#[cfg(not(feature = "complete"))]
#[allow(dead_code, reason = "compiled, and reached by nothing")]
mod reference;
mod rule;
mod shape;
#[cfg(feature = "files")]
pub mod stream;
mod tensor;
pub mod text;
mod view;

// What the fuzz targets do, which name this crate as others do.
#[cfg(all(test, feature = "files"))]
#[allow(
    missing_docs,
    unreachable_patterns,
    reason = "to a fuzzer it is a crate of its own"
)]
#[path = "../fuzz/src/lib.rs"]
mod fuzz;
#[cfg(all(test, feature = "files"))]
mod tests;

pub use custom::{CustomOp, CustomResult, CustomValue};
pub use device::{AdapterSummary, Builder, Context, Software, adapters};
pub use dtype::{DType, DTypes, UnknownDType};
pub use element::Element;
pub use error::{Error, Result};
pub use expr::{Along, Axes, Expr, Gemm, Literal, Promotion, Reduction, Rounded, Scalar, Scan};
pub use half::{bf16, f16};
pub use host::{ArrayText, HostTensor};
pub use layout::Layout;
pub use op::{Arity, Op};
#[cfg(any(test, fuzzing))]
#[doc(hidden)]
pub use plan::Trial;
pub use plan::{
    Accuracy, Arithmetic, Limits, Options, Part, Partition, Plan, Room, ScheduleName, Slot,
};
pub use rule::{Alignment, Rule};
pub use shape::{Shape, TooManyElements};
#[cfg(not(target_family = "wasm"))]
pub use tensor::PendingBytes;
pub use tensor::{Tensor, broadcast_all};
pub use text::calls::Argument;
pub use view::{Index, Indices, View};
pub use wgpu;

/// The README's example, compiled as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// The guide's examples, compiled as tests; some need files.
#[cfg(all(doctest, feature = "files"))]
#[doc = include_str!("../docs/guide.md")]
struct Guide;

/// The examples of the rules, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/rules.md")]
struct Rules;

/// The examples of one's own device, compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/from-wgpu.md")]
struct FromWgpu;

// Tests name this crate as others do.
#[cfg(test)]
extern crate self as zerostride;
