//! The type that operands have in common.

use super::{Expr, Literal};
use crate::dtype::DType;
use crate::error::{Error, Result};

/// The float type that promotion turns integers into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default, Hash)]
#[non_exhaustive]
pub enum Promotion {
    /// Always f32; f64 comes only from f64 operands or a cast. f32 holds whole numbers up to 2^24:
    /// larger i32, u32, i64 and u64 are rounded; [`Expr::rounded`] lists where.
    #[default]
    F32,
    /// As in NumPy 2: f64 for most.
    Numpy,
}

impl Promotion {
    /// The float type of numbers, and of 64-bit integers that become floats.
    pub(super) fn float(self) -> DType {
        match self {
            Self::F32 => DType::F32,
            Self::Numpy => DType::F64,
        }
    }
}

/// A promoted node and its type; `None` for a literal.
pub(super) type Typed<L> = (Expr<L>, Option<DType>);

/// The error of an operand whose type a function does not accept.
pub(super) fn not_accepted(
    op: &str,
    operand: usize,
    dtype: DType,
    accepts: impl ToString,
) -> Error {
    Error::DType {
        op: op.into(),
        operand,
        dtype,
        accepts: accepts.to_string(),
    }
}

/// The common type of operands; literals count last, since they are weak.
pub(super) fn common<L>(args: &[&Typed<L>], promotion: Promotion) -> Result<DType> {
    // All at once, as in NumPy: beside a float its own type counts for each of the others.
    let dtypes = args.iter().filter_map(|(_, d)| *d);
    let most = dtypes.clone().max_by_key(|d| d.rank());
    let typed = most.map(|most| dtypes.fold(most, |a, b| join(a, b, promotion)));
    let weak = args
        .iter()
        .filter_map(|(x, _)| x.as_number().map(|number| number.literal));
    let float = weak.clone().any(|l| matches!(l, Literal::Float(_)));
    let int = weak.clone().any(|l| matches!(l, Literal::Int(_)));
    Ok(match typed {
        Some(d) if float && !d.is_float() => promotion.float(),
        Some(DType::Bool) if int => DType::I64,
        Some(d) => d,
        None if float => promotion.float(),
        None if int => DType::I64,
        None => DType::Bool,
    })
}

/// The float type that another type becomes. `wide`: in NumPy's true division, f64 for every
/// integer.
pub(super) fn float_of(dtype: DType, promotion: Promotion, wide: bool) -> DType {
    match dtype {
        _ if wide || promotion == Promotion::F32 => promotion.float(),
        DType::Bool | DType::I8 | DType::U8 => DType::F16,
        DType::I16 | DType::U16 => DType::F32,
        _ => DType::F64,
    }
}

/// The smallest type that holds both, as NumPy has it.
fn join(a: DType, b: DType, promotion: Promotion) -> DType {
    let (a, b) = if a.rank() <= b.rank() { (a, b) } else { (b, a) };
    match (a.is_float(), b.is_float()) {
        _ if a == b => a,
        _ if a == DType::Bool => b,
        // Neither of f16 and bf16 holds the other.
        (true, true) if a.rank() == b.rank() => DType::F32,
        (true, true) => b,
        (false, false) if a.is_signed() == b.is_signed() => b,
        (false, false) => {
            let (signed, unsigned) = if a.is_signed() { (a, b) } else { (b, a) };
            match unsigned.size() {
                n if n < signed.size() => signed,
                1 => DType::I16,
                2 => DType::I32,
                4 => DType::I64,
                _ => promotion.float(),
            }
        }
        // Every float ranks above every integer, so `b` is the float.
        _ => match (b, a.size()) {
            (DType::F64, _) | (DType::F32, 1 | 2) | (DType::F16 | DType::Bf16, 1) => b,
            (DType::F16 | DType::Bf16, 2) => DType::F32,
            _ => promotion.float(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_types_follow_numpy() {
        use DType::*;
        let cases = [
            (U8, I8, I16, I16),
            (U16, I16, I32, I32),
            (U8, U16, U16, U16),
            (Bool, U8, U8, U8),
            (I8, F16, F16, F16),
            (I16, F16, F32, F32),
            (I32, F32, F32, F64),
            (U32, F16, F32, F64),
            (I16, F32, F32, F32),
            (F16, Bf16, F32, F32),
            (F16, F32, F32, F32),
            (U16, I8, I32, I32),
            (I32, U8, I32, I32),
        ];
        for (a, b, default, numpy) in cases {
            assert_eq!(join(a, b, Promotion::F32), default, "{a} {b}");
            assert_eq!(join(b, a, Promotion::Numpy), numpy, "{a} {b}");
        }
        let of = |all: &[DType], promotion| {
            let all: Vec<Typed<usize>> = all.iter().map(|&d| (Expr::slot(0), Some(d))).collect();
            common(&all.iter().collect::<Vec<_>>(), promotion).unwrap()
        };
        // Three at once: pairs in this order would make i16 or i32 of the first two, and a wider float of that.
        let three = [
            ([I8, U8, F16], F16, F16),
            ([I16, U16, F32], F32, F32),
            ([U8, F16, I8], F16, F16),
            ([I16, F16, U16], F32, F32),
            ([Bool, I32, F32], F32, F64),
            ([I8, F16, Bf16], F32, F32),
        ];
        for (all, default, numpy) in three {
            assert_eq!(of(&all, Promotion::F32), default, "{all:?}");
            assert_eq!(of(&all, Promotion::Numpy), numpy, "{all:?}");
        }
        for (a, b) in DType::ALL
            .into_iter()
            .flat_map(|a| DType::ALL.map(|b| (a, b)))
        {
            for promotion in [Promotion::F32, Promotion::Numpy] {
                let joined = join(a, b, promotion);
                assert_eq!(joined, join(b, a, promotion), "{a} {b}");
                assert!(joined.rank() >= a.rank().max(b.rank()), "{a} {b}: {joined}");
            }
        }
    }
}
