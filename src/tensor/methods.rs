//! Methods of `Tensor`, generated from the lists of the op table.

use super::Tensor;
use crate::error::Result;
use crate::expr::{Along, Axes, Expr, Reduction, Scan, reductions};
use crate::op::{Op, arith_ops, compare_ops, fold_ops, math_ops};
use crate::shape::Shape;

/// One method for each operator of the table, under `Rule::Numpy`, that does what the expression's
/// does. `Tensor::apply` takes other rules, and operands without promotion.
macro_rules! methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal ($first:ident $(, $rest:ident $(= $default:literal)?)*)
       $types:ident($set:expr) $facts:tt { $($forms:tt)* })+) => {
        impl Tensor {
            $($(#[doc = $doc])+
            ///
            /// # Errors
            /// - [`Error::DType`](crate::Error::DType),
            ///   [`Error::MixedDTypes`](crate::Error::MixedDTypes),
            ///   [`Error::Unsupported`](crate::Error::Unsupported) for element types that an operator
            ///   does not take, or with which the adapter cannot compute
            /// - [`Error::Extents`](crate::Error::Extents), [`Error::Rank`](crate::Error::Rank) for
            ///   shapes that do not align under the rule
            /// - [`Error::TooManyElements`](crate::Error::TooManyElements),
            ///   [`Error::TooLarge`](crate::Error::TooLarge),
            ///   [`Error::BufferTooLarge`](crate::Error::BufferTooLarge) for arrays that are too
            ///   large to count, bind or allocate
            /// - [`Error::OtherContext`](crate::Error::OtherContext) for tensors of more than one
            ///   context
            /// - [`Error::Kernel`](crate::Error::Kernel),
            ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory),
            ///   [`Error::Wgpu`](crate::Error::Wgpu),
            ///   [`Error::DeviceLost`](crate::Error::DeviceLost) from the device
            pub fn $method(&self $(, $rest: impl Into<Expr<Self>>)*) -> Result<Self> {
                self.with(Op::$NAME, &[$($rest.into()),*])
            })+
        }
    };
}

macro_rules! fold_methods {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr) $facts:tt = $step:ident, $finish:expr;)+) => {
        impl Tensor {
            $($(#[doc = $doc])+
            ///
            /// # Errors
            /// - [`Error::Arity`](crate::Error::Arity) if there is no operand
            /// - [`Error::DType`](crate::Error::DType),
            ///   [`Error::MixedDTypes`](crate::Error::MixedDTypes),
            ///   [`Error::Unsupported`](crate::Error::Unsupported) for element types that an operator
            ///   does not take, or with which the adapter cannot compute
            /// - [`Error::Extents`](crate::Error::Extents), [`Error::Rank`](crate::Error::Rank) for
            ///   shapes that do not align under the rule
            /// - [`Error::TooManyElements`](crate::Error::TooManyElements),
            ///   [`Error::TooLarge`](crate::Error::TooLarge),
            ///   [`Error::BufferTooLarge`](crate::Error::BufferTooLarge) for arrays that are too
            ///   large to count, bind or allocate
            /// - [`Error::OtherContext`](crate::Error::OtherContext) for tensors of more than one
            ///   context
            /// - [`Error::Kernel`](crate::Error::Kernel),
            ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory),
            ///   [`Error::Wgpu`](crate::Error::Wgpu),
            ///   [`Error::DeviceLost`](crate::Error::DeviceLost) from the device
            pub fn $method(operands: &[&Self]) -> Result<Self> {
                Self::call(Op::$NAME, operands, None)
            })+
        }
    };
}

macro_rules! reduction_methods {
    ($($(#[doc = $doc:literal])+ $method:ident $reduction:expr;)+) => {
        impl Tensor {
            $($(#[doc = $doc])+
            ///
            /// # Errors
            /// Those of [`reduce`](Self::reduce).
            pub fn $method(&self, axes: impl Into<Axes>) -> Result<Self> {
                self.reduce($reduction, axes)
            })+
        }
    };
}

impl Tensor {
    /// Applies an operator to this tensor and to other tensors, expressions or numbers.
    fn with(&self, op: Op, rest: &[Expr<Self>]) -> Result<Self> {
        let operands = std::iter::once(self.expr()).chain(rest.iter().cloned());
        let step = Expr::promoting(op, operands.collect::<Vec<_>>());
        self.context().eval(&step)
    }

    /// A reduction along axes, with the result types of NumPy.
    ///
    /// ```
    /// # use zerostride::{Axes, Context, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x: Tensor = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0], [2, 3])?;
    /// assert_eq!(x.sum(1)?.read_blocking::<f32>()?, [6.0, 18.0]);
    /// assert_eq!(x.max(Axes::from(0).keepdims())?.shape().extents(), [1, 3]);
    /// assert_eq!(x.argmax(..)?.read_blocking::<i64>()?, [5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Axis`](crate::Error::Axis) for an axis out of range
    /// - [`Error::Argument`](crate::Error::Argument) for an axis that is named twice, and for no
    ///   elements if the reduction needs one
    /// - [`Error::DType`](crate::Error::DType) for element types that the reduction does not take
    /// - [`Error::TooManyElements`](crate::Error::TooManyElements),
    ///   [`Error::TooLarge`](crate::Error::TooLarge),
    ///   [`Error::BufferTooLarge`](crate::Error::BufferTooLarge) for arrays that are too large to
    ///   count, bind or allocate
    /// - [`Error::Kernel`](crate::Error::Kernel),
    ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Wgpu`](crate::Error::Wgpu),
    ///   [`Error::DeviceLost`](crate::Error::DeviceLost) from the device
    pub fn reduce(&self, reduction: Reduction, axes: impl Into<Axes>) -> Result<Self> {
        self.context().eval(&self.expr().reduce(reduction, axes))
    }

    /// A scan along an axis, with the result types of NumPy: each element folded with those before
    /// it.
    ///
    /// ```
    /// # use zerostride::{Along, Context, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x: Tensor = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0], [2, 3])?;
    /// assert_eq!(x.cumsum(1)?.read_blocking::<f32>()?, [1.0, 3.0, 6.0, 4.0, 9.0, 18.0]);
    /// let behind = x.cumsum(Along::axis(1).exclusive().reverse())?;
    /// assert_eq!(behind.read_blocking::<f32>()?, [5.0, 3.0, 0.0, 14.0, 9.0, 0.0]);
    /// assert_eq!(x.cumprod(..)?.shape().extents(), [6]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Axis`](crate::Error::Axis) for an axis out of range
    /// - [`Error::TooManyElements`](crate::Error::TooManyElements),
    ///   [`Error::TooLarge`](crate::Error::TooLarge),
    ///   [`Error::BufferTooLarge`](crate::Error::BufferTooLarge) for arrays that are too large to
    ///   count, bind or allocate
    /// - [`Error::Kernel`](crate::Error::Kernel),
    ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Wgpu`](crate::Error::Wgpu),
    ///   [`Error::DeviceLost`](crate::Error::DeviceLost) from the device
    pub fn scan(&self, scan: Scan, along: impl Into<Along>) -> Result<Self> {
        self.context().eval(&self.expr().scan(scan, along))
    }

    /// The sum of the elements up to each one: [`scan`](Self::scan) of [`Scan::Sum`].
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan).
    pub fn cumsum(&self, along: impl Into<Along>) -> Result<Self> {
        self.scan(Scan::Sum, along)
    }

    /// The product of the elements up to each one: [`scan`](Self::scan) of [`Scan::Prod`].
    ///
    /// # Errors
    /// Those of [`scan`](Self::scan).
    pub fn cumprod(&self, along: impl Into<Along>) -> Result<Self> {
        self.scan(Scan::Prod, along)
    }

    /// Sums this tensor to a shape, along the axes that a broadcast from the shape to this tensor's
    /// would repeat: the adjoint of that broadcast. The element type stays; f16 and bf16 are added
    /// in f32 and rounded once, integers wrap. For rules other than
    /// [`Rule::Numpy`](crate::Rule::Numpy), use [`Expr::sum_to`](crate::Expr::sum_to).
    ///
    /// ```
    /// # use zerostride::{Context, Tensor};
    /// # fn main() -> zerostride::Result<()> {
    /// # let context = Context::builder().from_env().request_blocking()?;
    /// let x: Tensor = context.tensor(&[1u8, 2, 3, 4, 5, 6], [2, 3])?;
    /// assert_eq!(x.sum_to([3])?.read_blocking::<u8>()?, [5, 7, 9]);
    /// assert_eq!(x.sum_to([2, 1])?.read_blocking::<u8>()?, [6, 15]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// - [`Error::Argument`](crate::Error::Argument) for a shape that does not broadcast to this
    ///   tensor's, or a bool tensor
    /// - [`Error::Extents`](crate::Error::Extents) for a shape that does not align with it
    /// - [`Error::TooManyElements`](crate::Error::TooManyElements),
    ///   [`Error::TooLarge`](crate::Error::TooLarge),
    ///   [`Error::BufferTooLarge`](crate::Error::BufferTooLarge) for arrays that are too large to
    ///   count, bind or allocate
    /// - [`Error::Kernel`](crate::Error::Kernel),
    ///   [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::Wgpu`](crate::Error::Wgpu),
    ///   [`Error::DeviceLost`](crate::Error::DeviceLost) from the device
    pub fn sum_to(&self, shape: impl Into<Shape>) -> Result<Self> {
        self.context().eval(&self.expr().sum_to(shape))
    }
}

reductions!(reduction_methods);
arith_ops!(methods);
compare_ops!(methods);
math_ops!(methods);
fold_ops!(fold_methods);
