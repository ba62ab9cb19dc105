//! `Tensor`: a buffer range with an element type and a layout, cheap to clone.
//!
//! Views copy nothing: a view is another layout of the same buffer, counted in elements.
//!
//! ```
//! # #[cfg(feature = "noop")] fn main() -> zerostride::Result<()> {
//! use zerostride::{Context, DType, wgpu};
//!
//! // wgpu's backend that computes nothing; `Context::request_blocking` opens a GPU.
//! let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
//! let context = Context::from_wgpu(&device, &queue);
//! let table = context.empty(DType::F16, [3, 4])?;
//! assert_eq!(table.layout().strides(), [4, 1]);
//! assert_eq!(table.transpose().layout().strides(), [1, 4]);
//!
//! // The second column, as a row that is broadcast down.
//! let column = table.slice((.., 1))?;
//! assert_eq!((column.layout().offset(), column.layout().strides()), (1, &[4][..]));
//! let rows = column.broadcast_to([5, 3])?;
//! assert_eq!(rows.layout().strides(), [0, 4]);
//!
//! // Operators align shapes as NumPy does, and return new tensors.
//! let product = rows.mul(&context.empty(DType::F16, [5, 1])?)?;
//! assert_eq!(product.shape().extents(), [5, 3]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "noop"))] fn main() {}
//! ```

mod create;
mod encode;
mod eval;
mod filled;
mod gradient;
mod join;
mod methods;
#[cfg(feature = "ndarray")]
mod nd;
mod operators;
mod read;
mod take;
mod text;
mod views;

use std::fmt;
use std::sync::Arc;

use crate::device::{Buffer, Context};
use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::expr::{Expr, Gemm};
use crate::layout::Layout;
use crate::op::Op;
use crate::plan::{Room, Slot};
use crate::rule::Rule;
use crate::shape::Shape;

#[cfg(not(target_family = "wasm"))]
pub use read::PendingBytes;
pub use views::broadcast_all;

/// Elements in a buffer of a device. Clones and views share the buffer.
///
/// Operators return new tensors. Only reads wait for the device, and operators if it is thousands
/// of dispatches behind.
#[derive(Clone)]
pub struct Tensor {
    context: Context,
    buffer: Arc<Buffer>,
    dtype: DType,
    layout: Layout,
}

impl Tensor {
    /// The element type.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        self.layout.shape()
    }

    /// Shape, strides and offset, in elements from the buffer's start.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.layout.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.layout.is_empty()
    }

    /// The context that the tensor belongs to.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// Submits all recorded work and returns the wgpu buffer, so that work which the caller submits
    /// sees the elements. From then on the context never reuses the buffer. Before you write to it,
    /// call [`Context::flush`] for the work recorded since.
    ///
    /// # Errors
    /// - [`Error::DeviceLost`]
    /// - [`Error::Wgpu`], [`Error::OutOfMemory`] if wgpu refuses recorded work, or refused the work
    ///   that computed the elements
    pub fn buffer(&self) -> Result<wgpu::Buffer> {
        self.context.hand_out(&self.buffer)
    }

    /// This tensor as a plan's input or output: its element type, layout and room in the buffer.
    pub fn slot(&self) -> Slot {
        let bytes = self.layout.byte_len(self.dtype.size());
        let whole = self.buffer.is_own()
            && self.layout.offset() == 0
            && self.layout.is_contiguous()
            && bytes.is_ok_and(|bytes| bytes as u64 == self.buffer.used_bytes);
        let room = if whole {
            Room::Padding
        } else {
            Room::Bytes(self.buffer.bytes)
        };
        Slot {
            dtype: self.dtype,
            layout: self.layout.clone(),
            room,
        }
    }

    /// Copies the elements to a new tensor in row-major order; their bits stay unchanged.
    ///
    /// # Errors
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn materialize(&self) -> Result<Self> {
        self.context.eval(&self.expr().identity())
    }

    /// Casts this tensor to another element type.
    ///
    /// # Errors
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn cast(&self, to: DType) -> Result<Self> {
        self.context.eval(&self.expr().cast(to))
    }

    /// Reinterprets this tensor's bits as another element type of the same size.
    ///
    /// # Errors
    /// - [`Error::Argument`] for a type of another size
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn bit_cast(&self, to: DType) -> Result<Self> {
        self.context.eval(&self.expr().bit_cast(to))
    }

    /// The matrix product of `[M, K]` and `[K, N]`; see [`Expr::matmul`].
    ///
    /// # Errors
    /// - [`Error::Argument`] for shapes that do not fit
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn matmul(&self, other: impl Into<Expr<Self>>) -> Result<Self> {
        self.context.eval(&self.expr().matmul(other))
    }

    /// ONNX's Gemm, `alpha * A' * B' + beta * C`, with this tensor as A; see [`Expr::gemm`].
    ///
    /// # Errors
    /// - [`Error::Argument`] for shapes that do not fit
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`] if C does not align with the product
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn gemm(&self, b: &Self, c: Option<&Self>, gemm: &Gemm) -> Result<Self> {
        let (a, b, c) = (self.expr(), b.expr(), c.map(Self::expr));
        let product = Expr::gemm(&a, &b, c.as_ref(), self.dtype, gemm);
        self.context.eval(&product)
    }

    /// Applies an operator to tensors under a rule.
    ///
    /// # Errors
    /// - [`Error::Arity`] for no operands, or a number of them that the operator does not take
    /// - [`Error::DType`], [`Error::MixedDTypes`] and [`Error::Unsupported`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`] for shapes that do not align under the rule
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for arrays
    ///   that are too large to count, bind or allocate
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn apply(op: Op, operands: &[&Self], rule: Rule) -> Result<Self> {
        Self::call(op, operands, Some(rule))
    }

    /// Applies one operator to tensors: under `rule` without promotion, or else promoted.
    fn call(op: Op, operands: &[&Self], rule: Option<Rule>) -> Result<Self> {
        let first = operands.first().ok_or_else(|| Error::Arity {
            op: op.name().into(),
            expected: "1 or more".into(),
            found: 0,
        })?;
        let operands: Vec<_> = operands.iter().map(|tensor| tensor.expr()).collect();
        first.context.eval(&match rule {
            Some(rule) => Expr::step(op, operands).with_rule(rule),
            None => Expr::promoting(op, operands),
        })
    }

    /// The tensor as a lazy expression.
    pub fn expr(&self) -> Expr<Self> {
        Expr::leaf(self.clone())
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.dtype, self.shape())
    }
}

impl From<Tensor> for Expr<Tensor> {
    fn from(tensor: Tensor) -> Self {
        Self::leaf(tensor)
    }
}

impl From<&Tensor> for Expr<Tensor> {
    fn from(tensor: &Tensor) -> Self {
        tensor.expr()
    }
}
