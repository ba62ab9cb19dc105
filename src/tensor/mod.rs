//! `Tensor`: a buffer range with an element type and a layout, cheap to clone.
//!
//! Views move no element: they are other layouts of the same buffer, counted in elements.
//!
//! ```
//! # #[cfg(feature = "noop")] fn main() -> zerostride::Result<()> {
//! use zerostride::{Context, DType, Index, wgpu};
//!
//! // wgpu's backend that computes nothing; `Context::request_blocking` opens a GPU.
//! let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
//! let context = Context::from_wgpu(&device, &queue);
//! let table = context.empty(DType::F16, [3, 4])?;
//! assert_eq!(table.layout().strides(), [4, 1]);
//! assert_eq!(table.transpose().layout().strides(), [1, 4]);
//!
//! // The second column, as a row that is broadcast down.
//! let column = table.slice(&[Index::ALL, Index::At(1)])?;
//! assert_eq!((column.layout().offset(), column.layout().strides()), (1, &[4][..]));
//! let rows = column.broadcast_to([5, 3])?;
//! assert_eq!(rows.layout().strides(), [0, 4]);
//!
//! // Operators align shapes as NumPy does, and give tensors of their own.
//! let product = rows.mul(&context.empty(DType::F16, [5, 1])?)?;
//! assert_eq!(product.shape().extents(), [5, 3]);
//! # Ok(())
//! # }
//! # #[cfg(not(feature = "noop"))] fn main() {}
//! ```

mod create;
mod eval;
mod methods;
#[cfg(feature = "ndarray")]
mod nd;

use std::fmt;
use std::sync::Arc;

use crate::device::{Buffer, Bytes, Context};
use crate::dtype::DType;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::expr::{Expr, Gemm};
use crate::layout::Layout;
use crate::op::Op;
use crate::plan::{Room, Slot};
use crate::rule::Rule;
use crate::shape::Shape;
use crate::view::{Index, View};

/// Elements in a buffer of a device. Clones and views share the buffer.
///
/// Operators return new tensors. Nothing waits for the device but reads, and operators if it is
/// thousands of dispatches behind.
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

    /// The context it belongs to.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// The wgpu buffer, after submitting all recorded work, so that work which the caller submits
    /// sees the elements. The buffer is never reused from then on. Before the caller writes it,
    /// [`Context::flush`] what was recorded since.
    ///
    /// # Errors
    /// - [`Error::DeviceLost`]
    /// - [`Error::Wgpu`], [`Error::OutOfMemory`] if recorded work is refused, or was when it
    ///   computed the elements
    pub fn buffer(&self) -> Result<wgpu::Buffer> {
        self.context.hand_out(&self.buffer)
    }

    /// What a plan knows of this tensor as an input or output.
    pub fn slot(&self) -> Slot {
        let bytes = self
            .layout
            .byte_len(self.dtype.size())
            .ok()
            .map(|b| b as u64);
        let whole = self.buffer.is_own()
            && self.layout.offset() == 0
            && self.layout.is_contiguous()
            && bytes == Some(self.buffer.used_bytes());
        let room = if whole {
            Room::Padding
        } else {
            Room::Bytes(self.buffer.bytes())
        };
        Slot {
            dtype: self.dtype,
            layout: self.layout.clone(),
            room,
        }
    }

    fn with_layout(&self, layout: Layout) -> Self {
        Self {
            layout,
            ..self.clone()
        }
    }

    /// A view of this tensor: no copy.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] if the view does not fit the shape
    pub fn view(&self, view: &View) -> Result<Self> {
        Ok(self.with_layout(self.layout.view(view)?))
    }

    /// Axis `i` of the view is axis `axes[i]` of this tensor.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] if the view does not fit the shape
    pub fn permute(&self, axes: &[usize]) -> Result<Self> {
        self.view(&View::Permute(axes.to_vec()))
    }

    /// All axes in reverse order.
    pub fn transpose(&self) -> Self {
        self.permute(&(0..self.shape().rank()).rev().collect::<Vec<_>>())
            .unwrap_or_else(|_| self.clone())
    }

    /// Basic indexing with NumPy's meaning: no copy.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] if the view does not fit the shape
    pub fn slice(&self, items: &[Index]) -> Result<Self> {
        self.view(&View::Slice(items.to_vec()))
    }

    /// A new axis of extent 1 at this place of the view; negative counts from the end.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] if the view does not fit the shape
    pub fn unsqueeze(&self, axis: isize) -> Result<Self> {
        self.view(&View::Unsqueeze(vec![axis]))
    }

    /// Without this axis, whose extent is 1; negative counts from the end.
    ///
    /// # Errors
    /// [`Error::View`] or [`Error::Axis`] if the view does not fit the shape
    pub fn squeeze(&self, axis: isize) -> Result<Self> {
        self.view(&View::Squeeze(Some(vec![axis])))
    }

    /// The same elements in the same order under another shape: no copy.
    ///
    /// # Errors
    /// [`Error::View`] if the counts differ, or if the strides cannot express it;
    /// [`materialize`](Self::materialize) first then.
    pub fn reshape(&self, shape: impl Into<Shape>) -> Result<Self> {
        Ok(self.with_layout(self.layout.reshape(shape)?))
    }

    /// A view brought to a shape by a rule of one operand ([`Rule::To`], [`Rule::Bidirectional`],
    /// [`Rule::Explicit`]).
    ///
    /// # Errors
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`] if the shape does not fit, with the
    ///   operand, axis and extents
    /// - [`Error::TooManyElements`] for a result that cannot be counted
    pub fn broadcast(&self, rule: &Rule) -> Result<Self> {
        let alignment = rule.align(&[self.shape()])?;
        Ok(self.with_layout(self.layout.through(&alignment.map(0, self.shape()))))
    }

    /// A view with exactly this shape, as NumPy's `broadcast_to`.
    ///
    /// # Errors
    /// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`] if the shape does not fit, with the
    ///   operand, axis and extents
    /// - [`Error::TooManyElements`] for a result that cannot be counted
    pub fn broadcast_to(&self, target: impl Into<Shape>) -> Result<Self> {
        self.broadcast(&Rule::To {
            target: target.into(),
        })
    }

    /// A tensor of its own with these elements in row-major order, bits unchanged for every type.
    ///
    /// # Errors
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for what is
    ///   larger than can be counted, bound or allocated
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn materialize(&self) -> Result<Self> {
        self.context.eval(&self.expr().identity())
    }

    /// This tensor as another element type.
    ///
    /// # Errors
    /// - [`Error::DType`], [`Error::MixedDTypes`], [`Error::Unsupported`], [`Error::NoF64`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for what is
    ///   larger than can be counted, bound or allocated
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn cast(&self, to: DType) -> Result<Self> {
        self.context.eval(&self.expr().cast(to))
    }

    /// This tensor's bits as another element type of the same size.
    ///
    /// # Errors
    /// - [`Error::Argument`] for a type of another size
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for what is
    ///   larger than can be counted, bound or allocated
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn bit_cast(&self, to: DType) -> Result<Self> {
        self.context.eval(&self.expr().bit_cast(to))
    }

    /// The matrix product of `[M, K]` and `[K, N]`; see [`Expr::matmul`].
    ///
    /// # Errors
    /// - [`Error::Argument`] for shapes that do not fit
    /// - [`Error::DType`], [`Error::MixedDTypes`], [`Error::Unsupported`], [`Error::NoF64`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for what is
    ///   larger than can be counted, bound or allocated
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn matmul(&self, other: &Self) -> Result<Self> {
        self.context.eval(&self.expr().matmul(&other.expr()))
    }

    /// ONNX's Gemm, `alpha * A' * B' + beta * C`, of this tensor as A; see [`Expr::gemm`].
    ///
    /// # Errors
    /// - [`Error::Argument`] for shapes that do not fit
    /// - [`Error::DType`], [`Error::MixedDTypes`], [`Error::Unsupported`], [`Error::NoF64`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`] if C does not align with the product
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for what is
    ///   larger than can be counted, bound or allocated
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn gemm(&self, b: &Self, c: Option<&Self>, gemm: &Gemm) -> Result<Self> {
        let c = c.map(Self::expr);
        self.context.eval(&Expr::gemm(
            &self.expr(),
            &b.expr(),
            c.as_ref(),
            self.dtype,
            gemm,
        ))
    }

    /// An operator on tensors under a rule.
    ///
    /// # Errors
    /// - [`Error::Arity`] if there is no operand, or not as many as the operator takes
    /// - [`Error::DType`], [`Error::MixedDTypes`], [`Error::Unsupported`], [`Error::NoF64`] for
    ///   element types that an operator does not take, or with which the adapter cannot compute
    /// - [`Error::Extents`], [`Error::Rank`] for shapes that do not align under the rule
    /// - [`Error::TooManyElements`], [`Error::TooLarge`], [`Error::BufferTooLarge`] for what is
    ///   larger than can be counted, bound or allocated
    /// - [`Error::OtherContext`] for tensors of more than one context
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device
    pub fn apply(op: Op, operands: &[&Self], rule: Rule) -> Result<Self> {
        let first = operands.first().ok_or_else(|| Error::Arity {
            op: op.name().into(),
            expected: "1 or more".into(),
            found: 0,
        })?;
        first.context.call(op, operands, rule)
    }

    /// The tensor as a lazy expression.
    pub fn expr(&self) -> Expr<Self> {
        Expr::leaf(self.clone())
    }

    /// The elements in row-major order. Runs under any executor.
    ///
    /// # Errors
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub async fn read<T: Element>(&self) -> Result<Vec<T>> {
        self.check_element::<T>()?;
        Ok(T::from_bytes(&self.read_bytes().await?))
    }

    /// [`read`](Self::read), waiting for it.
    ///
    /// # Errors
    /// - [`Error::DType`] if `T` is another type
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub fn read_blocking<T: Element>(&self) -> Result<Vec<T>> {
        self.check_element::<T>()?;
        Ok(T::from_bytes(&self.read_bytes_blocking()?))
    }

    /// The elements' bytes in row-major order. Runs under any executor.
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub async fn read_bytes(&self) -> Result<Vec<u8>> {
        let tensor = self.contiguous()?;
        tensor.context.read(tensor.bytes()?).await
    }

    /// [`read_bytes`](Self::read_bytes), waiting for it.
    ///
    /// # Errors
    /// - [`Error::TooLarge`], [`Error::BufferTooLarge`] if the elements are not contiguous and no
    ///   copy of them fits
    /// - [`Error::HostMemory`] if the host's memory does not suffice
    /// - [`Error::Kernel`], [`Error::OutOfMemory`], [`Error::Wgpu`], [`Error::DeviceLost`] from the
    ///   device, or because the work that computes the elements failed
    pub fn read_bytes_blocking(&self) -> Result<Vec<u8>> {
        let tensor = self.contiguous()?;
        tensor.context.read_blocking(tensor.bytes()?)
    }

    /// Submits a read of the elements, which [`Context::finish_read`] waits for.
    #[cfg(feature = "stream")]
    pub(crate) fn start_read(&self) -> Result<crate::device::PendingRead> {
        let tensor = self.contiguous()?;
        tensor.context.start_read(tensor.bytes()?)
    }

    /// This tensor, or a contiguous copy of it, whose buffer can be copied from.
    fn contiguous(&self) -> Result<Self> {
        let usage = self.buffer.raw().usage();
        let copyable = usage.contains(wgpu::BufferUsages::COPY_SRC);
        if self.is_empty() || (self.layout.is_contiguous() && copyable) {
            Ok(self.clone())
        } else {
            self.materialize()
        }
    }

    /// The bytes of its elements, which are contiguous.
    fn bytes(&self) -> Result<Bytes<'_>> {
        let size = self.dtype.size();
        Ok(Bytes {
            buffer: &self.buffer,
            start: (self.layout.offset() * size) as u64,
            len: self.layout.byte_len(size)?,
        })
    }

    fn check_element<T: Element>(&self) -> Result<()> {
        if T::DTYPE == self.dtype {
            return Ok(());
        }
        Err(Error::DType {
            op: "read".into(),
            operand: 0,
            dtype: self.dtype,
            accepts: T::DTYPE.to_string(),
        })
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

/// Views of all tensors under their common shape, under [`Rule::Numpy`]: the SONNX operator
/// `Broadcast`. No copy; [`Tensor::materialize`] makes one.
///
/// # Errors
/// - [`Error::Extents`], [`Error::Rank`], [`Error::Axis`] if the shape does not fit, with the
///   operand, axis and extents
/// - [`Error::TooManyElements`] for a result that cannot be counted
pub fn broadcast_all(tensors: &[&Tensor]) -> Result<Vec<Tensor>> {
    let shapes: Vec<&Shape> = tensors.iter().map(|t| t.shape()).collect();
    let alignment = Rule::Numpy.align(&shapes)?;
    let view =
        |(i, t): (usize, &&Tensor)| t.with_layout(t.layout.through(&alignment.map(i, t.shape())));
    Ok(tensors.iter().enumerate().map(view).collect())
}
