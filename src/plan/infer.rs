//! What type and shape an expression's result has, without a plan.

use super::planner::graph;
use super::{Limits, Options, Slot};
use crate::dtype::DType;
use crate::error::Result;
use crate::expr::Expr;
use crate::shape::Shape;

impl Expr<usize> {
    /// The element type and shape of the result; the leaves are the numbers of `slots`.
    /// Nothing is planned, so that no limit of an adapter matters.
    ///
    /// Steps that promote do so under [`Promotion::F32`](crate::Promotion::F32); for the other,
    /// infer what [`promoted`](Self::promoted) gives.
    ///
    /// ```
    /// use zerostride::{DType, Expr, Slot};
    ///
    /// let slots = [Slot::new(DType::I32, [4, 1])?, Slot::new(DType::I32, [3])?];
    /// let quotient = Expr::slot(0) / Expr::slot(1);
    /// assert_eq!(quotient.infer(&slots)?, (DType::F32, [4, 3].into()));
    /// # Ok::<(), zerostride::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those that planning gives for every adapter, within [`Error::At`](crate::Error::At) if the
    /// step has a column: [`Arity`](crate::Error::Arity), [`DType`](crate::Error::DType) and
    /// [`MixedDTypes`](crate::Error::MixedDTypes) for operands that an operator does not take;
    /// [`Extents`](crate::Error::Extents), [`Rank`](crate::Error::Rank) and
    /// [`Axis`](crate::Error::Axis) for shapes that do not align;
    /// [`View`](crate::Error::View) for a view that does not fit;
    /// [`Argument`](crate::Error::Argument) for a slot that is not there, a number outside its type
    /// or an expression that is a number alone;
    /// [`TooManyElements`](crate::Error::TooManyElements).
    pub fn infer(&self, slots: &[Slot]) -> Result<(DType, Shape)> {
        let limits = Limits::WEBGPU.with_float64(true);
        let options = Options::default().with_limits(limits);
        let graph = graph(std::slice::from_ref(self), slots, &options)?;
        let root = &graph.nodes[graph.roots[0]];
        root.shape.len()?;
        Ok((root.dtype, root.shape.clone()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::error::Error;
    use crate::op::Op;
    use crate::plan::Plan;
    use crate::rule::Rule;
    use crate::view::Index;

    const SHAPES: [&[usize]; 6] = [&[], &[3], &[2, 3], &[2, 1], &[1], &[4, 2, 3]];

    fn slots() -> Vec<Slot> {
        let all = DType::ALL.into_iter().enumerate();
        all.map(|(i, dtype)| Slot::new(dtype, SHAPES[i % SHAPES.len()]).unwrap())
            .collect()
    }

    /// An expression made of these numbers: each takes earlier nodes as operands.
    fn expression(draws: &[(usize, usize, usize)]) -> Expr<usize> {
        let ops: Vec<Op> = Op::table().filter(|op| !op.takes_dtype()).collect();
        let mut nodes: Vec<Expr<usize>> = (0..DType::ALL.len()).map(Expr::slot).collect();
        for &(what, a, b) in draws {
            let x = nodes[a % nodes.len()].clone();
            let y = nodes[b % nodes.len()].clone();
            let made = match what % 16 {
                0 => x.cast(DType::ALL[b % 13]),
                1 => x.bit_cast(DType::ALL[b % 13]),
                2 => x.transpose(),
                3 => x.slice([Index::Ellipsis, Index::Range(None, None, -1)]),
                4 => x.reshape([-1, 3]),
                5 => x.expand([2, 1, 3]),
                6 => x.matmul(&y),
                7 => x + (b as f64 / 2.0),
                8 => x * Expr::literal(b as i64),
                _ => {
                    let op = ops[what / 16 % ops.len()];
                    let rest = [x, y.clone(), y];
                    let count = op
                        .operands()
                        .len()
                        .max(1 + usize::from(op.fold_step().is_some()));
                    let step = match what % 16 {
                        9 => Expr::step(op, &rest[..count]),
                        _ => Expr::promoting(op, &rest[..count]),
                    };
                    match b % 5 {
                        0 => step.with_rule(Rule::Pdpd { axis: 0 }),
                        1 => step.with_rule(Rule::Unidirectional),
                        _ => step,
                    }
                }
            };
            nodes.push(made);
        }
        nodes.pop().unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn a_plan_has_the_type_and_shape_that_were_inferred(
            draws in prop::collection::vec((0usize..4096, 0usize..64, 0usize..64), 1..6)
        ) {
            let (expr, slots) = (expression(&draws), slots());
            let limits = Limits { float64: true, ..Limits::WEBGPU };
            let plan = Plan::new(&expr, &slots, &Options { limits, ..Options::default() });
            match (expr.infer(&slots), plan) {
                (Ok((dtype, shape)), Ok(plan)) => {
                    prop_assert_eq!(plan.outputs().next(), Some((dtype, &shape)));
                }
                (Err(inferred), Err(planned)) => {
                    prop_assert_eq!(inferred.to_string(), planned.to_string());
                }
                (inferred, planned) => {
                    let planned = planned.map(|_| "a plan");
                    prop_assert!(false, "{:?}: {:?}, {:?}", expr, inferred, planned);
                }
            }
        }
    }

    #[test]
    fn what_does_not_fit_is_the_error_of_planning() {
        let slots = [
            Slot::new(DType::F32, [2, 3]).unwrap(),
            Slot::new(DType::F64, [4]).unwrap(),
        ];
        let (x, y) = (Expr::slot(0), Expr::slot(1));
        assert!(matches!(
            Expr::step(Op::ADD, [x.clone(), y.clone()]).infer(&slots),
            Err(Error::MixedDTypes { .. })
        ));
        assert!(matches!(
            (&x + &y).infer(&slots),
            Err(Error::Extents { .. })
        ));
        assert!(matches!(
            Expr::slot(2).infer(&slots),
            Err(Error::Argument { .. })
        ));
        // f64 needs no adapter that has it.
        assert_eq!(y.mul(&y).infer(&slots).unwrap(), (DType::F64, [4].into()));
    }
}
