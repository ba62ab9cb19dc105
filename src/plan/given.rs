//! Numbers that are given when a plan runs.

use super::{Pass, Plan};
use crate::error::{Error, Result};
use crate::expr::{Expr, Given, Kind, Literal, Number, Scalar};

impl Plan {
    /// The plan with the numbers that expressions name.
    pub(super) fn given(mut self, exprs: &[Expr<usize>]) -> Self {
        let number = |expr: &Expr<usize>| match expr.kind() {
            Kind::Given(given) => Some(given.clone()),
            _ => None,
        };
        let nodes = Expr::post_order(exprs).into_iter();
        self.given = nodes.filter_map(number).collect();
        self
    }

    /// Whether the plan computes with these numbers in the place of those that
    /// [`Expr::given`] names: each is of the kind of its stand-in and within the types that it takes;
    /// and it is the stand-in itself if the plan depends on it, as on one that was added to a number.
    pub fn is_for(&self, numbers: &[Literal]) -> bool {
        let fits = |given: &Given| match (numbers.get(given.index), given.stand_in) {
            (Some(x), stand_in) if given.is_looked_at() => *x == stand_in,
            (Some(Literal::Bool(_)), Literal::Bool(_))
            | (Some(Literal::Int(_)), Literal::Int(_))
            | (Some(Literal::Float(_)), Literal::Float(_)) => true,
            _ => false,
        };
        let typed = |pass: &Pass| pass.given_scalars(numbers).is_ok();
        self.given.iter().all(fits) && self.passes.iter().all(typed)
    }
}

impl Pass {
    /// Whether any of its numbers is known when it runs.
    pub fn has_given(&self) -> bool {
        self.scalars.iter().any(|x| x.given.is_some())
    }

    /// Its numbers if a run's are these.
    pub fn given_scalars(&self, numbers: &[Literal]) -> Result<Vec<Scalar>> {
        let scalar = |x: &Scalar| {
            let given = x.given;
            let Some(index) = given else {
                return Ok(*x);
            };
            let missing = || Error::argument("plan", format!("number {index} was not given"));
            let literal = *numbers.get(index).ok_or_else(missing)?;
            Number { literal, given }.typed(x.dtype)
        };
        self.scalars.iter().map(scalar).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;
    use crate::op::Op;
    use crate::plan::{Options, Slot};

    fn planned(expr: &Expr<usize>, dtype: DType) -> Plan {
        let slots = [Slot::new(dtype, [4]).unwrap()];
        Plan::new(expr, &slots, &Options::default()).unwrap()
    }

    #[test]
    fn a_plan_is_for_every_number_that_it_does_not_look_at() {
        let (x, k) = (|| Expr::slot(0), |n: Literal| Expr::given(0, n));
        let float = |n: f64| Literal::Float(n);
        let less = |k: Expr<usize>| Expr::promoting(Op::LESS, [Expr::slot(0), k]);
        let cases = [
            // The expression, its type, the number planned with, another one, whether that will do.
            (x() * k(float(2.0)), DType::F32, float(f64::NAN), true),
            (x() * k(float(2.0)), DType::F32, Literal::Int(2), false),
            (x() * k(Literal::Int(2)), DType::F32, Literal::Int(7), true),
            (x() + k(Literal::Int(2)), DType::U8, Literal::Int(255), true),
            (
                x() + k(Literal::Int(2)),
                DType::U8,
                Literal::Int(256),
                false,
            ),
            // Numbers alone are computed when the plan is made.
            (x() * (k(float(2.0)) + 1.0), DType::F32, float(3.0), false),
            (x() * (k(float(2.0)) + 1.0), DType::F32, float(2.0), true),
            // What a type does not hold is compared otherwise.
            (less(k(Literal::Int(2))), DType::U8, Literal::Int(3), false),
            (less(k(float(2.0))), DType::F32, float(3.0), true),
        ];
        for (n, (expr, dtype, other, will)) in cases.into_iter().enumerate() {
            let plan = planned(&expr, dtype);
            assert_eq!(plan.is_for(&[other]), will, "case {n}");
            assert!(!plan.is_for(&[]), "case {n}");
        }
    }

    #[test]
    fn words_are_those_of_a_plan_with_the_number_in_the_text() {
        for dtype in [DType::F32, DType::F16, DType::I8, DType::U64, DType::Bool] {
            for n in [0, 1] {
                let given = planned(&(Expr::slot(0) * Expr::given(0, 1)), dtype);
                let fixed = planned(&(Expr::slot(0) * Expr::literal(n)), dtype);
                let words = given.passes[0].words_with(&[Literal::Int(n.into())]);
                assert_eq!(
                    words.unwrap(),
                    fixed.passes[0].scalar_words(),
                    "{dtype} {n}"
                );
            }
        }
    }

    #[test]
    fn equal_stand_ins_stay_two_numbers() {
        let x = Expr::slot(0) * Expr::given(0, 2.0) + Expr::given(1, 2.0);
        let plan = planned(&x, DType::F32);
        let two = [Literal::Float(3.0), Literal::Float(5.0)];
        assert!(plan.is_for(&two));
        let words = plan.passes[0].words_with(&two).unwrap();
        assert_eq!(words[..2], [3f32.to_bits(), 5f32.to_bits()]);
    }
}
