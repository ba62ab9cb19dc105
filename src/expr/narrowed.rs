//! Steps that give f32 where NumPy gives f64, for integers of 32 and 64 bits, without a cast that
//! [`Expr::rounded`] lists.

use super::composed::Composed;
use super::rounded::is_wide_int;
use super::step::LiteralForm;
use super::{Expr, Gathered, Kind, Promotion};
use crate::dtype::DType;
use crate::error::Result;

impl<L: Clone> Expr<L> {
    /// The reductions, matrix products and joins that are f32 where NumPy's are f64, for integers of
    /// 32 or 64 bits among their operands: the name of each, the integers' type, and the column as
    /// in [`rounded`](Self::rounded).
    #[doc(hidden)]
    pub fn narrowed(
        &self,
        promotion: Promotion,
        dtype: impl Fn(&L) -> Result<DType>,
    ) -> Result<Vec<(&'static str, DType, usize)>> {
        let roots = std::slice::from_ref(self);
        let made = Self::typed_nodes(roots, promotion, LiteralForm::Typed, &dtype)?;
        // A number's value is known.
        let wide = |arg: &Self| {
            let (x, dtype) = &made[&arg.address()];
            dtype.filter(|d| is_wide_int(*d) && !matches!(x.kind(), Kind::Scalar(_)))
        };
        let mut found = Vec::new();
        for node in Self::post_order(roots) {
            let origin = node.origin();
            let name = match node.kind() {
                Kind::Reduce { reduction, .. } => reduction.name(),
                Kind::Gathered(Gathered::Joined(join)) => join.name(),
                Kind::Gathered(Gathered::Searched { .. }) => "searchsorted",
                Kind::Composed(Composed::Matmul) => "matmul",
                _ => continue,
            };
            if made[&node.address()].1 == Some(DType::F32)
                && let Some(from) = node.args().iter().find_map(wide)
            {
                found.push((origin.called.unwrap_or(name), from, origin.column));
            }
        }
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;
    use crate::text;

    #[test]
    fn what_is_narrowed_by_integers_is_found_and_what_is_f32_anyway_is_not() {
        type Found<'a> = &'a [(&'a str, DType, usize)];
        let cases: [(&str, Found<'_>); 11] = [
            ("t.mean()", &[("mean", DType::I64, 3)]),
            ("x + np.std(t)", &[("std", DType::I64, 8)]),
            ("t @ x", &[("matmul", DType::I64, 3)]),
            ("concat((x, t))", &[("concat", DType::I64, 1)]),
            ("t.mean() > b.mean()", &[("mean", DType::I64, 3)]),
            ("(t > 5).mean()", &[]),
            ("where(t > 5, b.mean(), x)", &[]),
            ("t.astype(f32).mean() + b.mean()", &[]),
            ("x.mean() + t.max()", &[]),
            ("append(x, 5)", &[]),
            ("t.sum()", &[]),
        ];
        let dtypes = |&i: &usize| Ok([DType::I64, DType::F32, DType::I16][i]);
        for (source, expected) in cases {
            let parsed = text::parse(source).unwrap();
            let parsed = parsed.bind(&["t", "x", "b"], &Rule::Numpy).unwrap();
            let found = parsed.narrowed(Promotion::F32, dtypes).unwrap();
            assert_eq!(found, expected, "{source}");
            let numpys = parsed.narrowed(Promotion::Numpy, dtypes).unwrap();
            assert_eq!(numpys, [], "{source}");
        }
    }
}
