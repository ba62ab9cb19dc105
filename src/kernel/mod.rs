//! Kernels: the part of a pass that decides its WGSL source, and that source.
//!
//! A `KernelKey` is all that a pipeline depends on; it never has shapes. Its source is `fn main`,
//! printed from the loops of the schedule, the functions of `shaders/` that it needs, the bindings,
//! and the function that computes a quad, four elements. A matrix product has `main` in `shaders/`.
//!
//! ```
//! use zerostride::{DType, Expr, Options, Plan, Slot};
//!
//! let slots = [Slot::new(DType::F32, [64])?, Slot::new(DType::F32, [64])?];
//! let plan = Plan::new(&Expr::slot(0).add(&Expr::slot(1)), &slots, &Options::default())?;
//! let texts = plan.kernels();
//! zerostride::kernel::validate(&texts[0])?;
//! // What the one dispatch binds: its table, two inputs and the output.
//! let dispatch = &plan.dispatches()[0];
//! assert_eq!((dispatch.kernel, dispatch.bindings.len()), (0, 4));
//! # Ok::<(), zerostride::Error>(())
//! ```

mod address;
mod barrier;
mod bindings;
mod calls;
mod dispatch;
mod emit;
mod fold;
mod key;
mod library;
mod load;
mod nest;
mod operand;
mod periodic;
mod probe;
mod product;
mod shader;
mod staged;
mod store;
mod tail;
mod take;
mod template;
#[cfg(all(feature = "translate", not(target_family = "wasm")))]
mod translate;
#[cfg(not(target_family = "wasm"))]
mod validate;
mod values;

pub(crate) use bindings::{Binding, Role, list as binding_list};
pub use dispatch::{Dispatch, PlanBuffer, Resource, Variable};
pub(crate) use key::KernelKey;
#[cfg(target_family = "wasm")]
pub use library::load_soft;
pub(crate) use probe::Probe;
#[cfg(all(feature = "translate", not(target_family = "wasm")))]
pub use translate::{Language, Place, Translation};
#[cfg(not(target_family = "wasm"))]
pub use validate::{validate, validate_native};

#[cfg(test)]
mod tests;
