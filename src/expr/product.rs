//! Matrix products: the one step whose result is not element by element, and ONNX's Gemm made of
//! it.

use super::common::not_accepted;
use super::{Expr, Kind, Scalar};
use crate::dtype::{DType, DTypes};
use crate::error::{Error, Result};
use crate::op::Value;
use crate::rule::Rule;
use crate::view::View;

/// The element types of a product's operands.
pub(crate) const FACTORS: DTypes = DTypes::FLOATS.or(DTypes::of(&[
    DType::U32,
    DType::I32,
    DType::U64,
    DType::I64,
]));

/// The element type of a product: its factors', but f32 for f16 and bf16, whose products are summed
/// in f32.
///
/// # Errors
/// [`Error::DType`], [`Error::MixedDTypes`].
pub(crate) fn product_dtype(dtypes: [DType; 2]) -> Result<DType> {
    if let Some(operand) = dtypes.iter().position(|d| !FACTORS.contains(*d)) {
        return Err(not_accepted("matmul", operand, dtypes[operand], FACTORS));
    }
    match dtypes {
        [a, b] if a != b => Err(Error::MixedDTypes {
            op: "matmul".into(),
            dtypes: dtypes.to_vec(),
        }),
        [DType::F16 | DType::Bf16, _] => Ok(DType::F32),
        [dtype, _] => Ok(dtype),
    }
}

/// The parameters of ONNX's Gemm, `alpha * A' * B' + beta * C`.
///
/// ```
/// use zerostride::Gemm;
///
/// let gemm = Gemm::new().alpha(0.5).trans_b(true);
/// # let _ = gemm;
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gemm {
    alpha: f64,
    beta: f64,
    trans_a: bool,
    trans_b: bool,
}

impl Default for Gemm {
    fn default() -> Self {
        Self::new()
    }
}

impl Gemm {
    /// Both factors 1, neither matrix transposed.
    pub const fn new() -> Self {
        Self {
            alpha: 1.0,
            beta: 1.0,
            trans_a: false,
            trans_b: false,
        }
    }

    /// Sets the factor of the product.
    #[must_use]
    pub const fn alpha(self, alpha: f64) -> Self {
        Self { alpha, ..self }
    }

    /// Sets the factor of C. If it is 0, C is not read.
    #[must_use]
    pub const fn beta(self, beta: f64) -> Self {
        Self { beta, ..self }
    }

    /// Whether A is given transposed, as `[K, M]`.
    #[must_use]
    pub const fn trans_a(self, trans_a: bool) -> Self {
        Self { trans_a, ..self }
    }

    /// Whether B is given transposed, as `[N, K]`.
    #[must_use]
    pub const fn trans_b(self, trans_b: bool) -> Self {
        Self { trans_b, ..self }
    }
}

impl<L> Expr<L> {
    /// The matrix product, as NumPy's `matmul`: of `[.., M, K]` and `[.., K, N]`, whose batches are
    /// broadcast without a copy; of vectors `[K]`, which have no rows or no columns.
    ///
    /// Both operands must have one type: u32, i32, u64, i64 (which wrap), f16, bf16, f32 or, if the adapter
    /// supports it, f64. Sums are computed in that type; sums of f16 and bf16 are computed, and returned, in f32.
    /// A product of matrices is one pass with the elementwise steps after it, or several and one for those steps
    /// if a binding or a dispatch is too small. With a vector, or with one row or column, it is a product of
    /// elements that is [summed](Self::sum), as is a product of at least 256 terms whose result fills at most an
    /// eighth of the 64 by 64 tiles that cover it.
    pub fn matmul(&self, other: impl Into<Self>) -> Self {
        Self::node(Kind::Product, vec![self.clone(), other.into()])
    }

    /// ONNX's Gemm of operands of type `dtype`: `alpha * A' * B' + beta * C`, with C broadcast to
    /// the product.
    ///
    /// f16 and bf16 are rounded once, at the end. For integers, whole `alpha` and `beta` are
    /// multiplied as integers, which wrap; if one is a fraction, both terms are computed in f32,
    /// truncated, and limited to the type's range.
    pub fn gemm(a: &Self, b: &Self, c: Option<&Self>, dtype: DType, gemm: &Gemm) -> Self {
        let turned = |x: &Self, turn: bool| {
            if turn {
                x.view(View::Transpose)
            } else {
                x.clone()
            }
        };
        let whole = |x: f64| x.trunc() == x && x.abs() < 2f64.powi(31);
        let wide = match dtype {
            DType::F16 | DType::Bf16 => DType::F32,
            _ if dtype.is_int() && !(whole(gemm.alpha) && whole(gemm.beta)) => DType::F32,
            _ => dtype,
        };
        let times = |x: Self, factor: f64| match factor {
            1.0 => x,
            // An unsigned type takes a negative factor by its bits.
            _ if wide.is_int() => {
                let bits = Value::I64(factor as i64).encode(wide);
                x.mul(Self::scalar(Scalar::of_bits(wide, bits)))
            }
            _ => x.mul(Self::literal(factor)),
        };
        let product = turned(a, gemm.trans_a).matmul(turned(b, gemm.trans_b));
        let made = if dtype.is_int() { dtype } else { wide };
        let scaled = times(product.cast_from(made, wide), gemm.alpha);
        let sum = match c.filter(|_| gemm.beta != 0.0) {
            Some(c) => scaled
                .add(times(c.cast_from(dtype, wide), gemm.beta))
                .with_rule(Rule::Unidirectional),
            None => scaled,
        };
        sum.cast_from(wide, dtype)
    }
}
