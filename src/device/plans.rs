//! Plans that are kept for expressions which are computed again.

use std::fmt;
use std::sync::Arc;

use super::cache::Cache;
use crate::error::Result;
use crate::expr::{ExprKey, Literal};
use crate::plan::{Options, Plan, Slot};

/// Plans kept.
const PLANS: usize = 512;
/// Nodes that the expressions of a kept plan have at most. Larger ones are planned each time: their keys
/// would take megabytes.
const NODES: usize = 1000;

/// What a plan depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
struct PlanKey {
    exprs: ExprKey,
    slots: Vec<Slot>,
    options: Options,
    /// The values of the expressions' numbers, if a plan for others of their kinds is not for them.
    numbers: Option<Vec<Literal>>,
}

/// Plans by what they depend on.
pub(crate) struct Plans(Cache<PlanKey, Arc<Plan>>);

impl fmt::Debug for Plans {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Plans")
    }
}

impl Plans {
    pub fn new() -> Self {
        Self(Cache::new(PLANS))
    }

    /// The plan of expressions with these numbers, made by `make` if none is kept.
    pub fn get(
        &self,
        exprs: ExprKey,
        numbers: &[Literal],
        (slots, options): (Vec<Slot>, &Options),
        make: impl Fn(&[Slot]) -> Result<Plan>,
    ) -> Result<Arc<Plan>> {
        let mut key = PlanKey {
            exprs,
            slots,
            options: *options,
            numbers: None,
        };
        let made = |key: &PlanKey| make(&key.slots).map(Arc::new);
        if key.exprs.len() > NODES {
            return made(&key);
        }
        let plan = self.0.get(&key, || made(&key))?;
        if plan.is_for(numbers) {
            return Ok(plan);
        }
        key.numbers = Some(numbers.to_vec());
        self.0.get(&key, || made(&key))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;
    use crate::dtype::DType;
    use crate::expr::{Axes, Expr};
    use crate::plan::Accuracy;

    /// Counts the plans that are made for expressions of one slot.
    struct Counted {
        plans: Plans,
        made: Cell<usize>,
    }

    impl Counted {
        fn plan(
            &self,
            exprs: &[Expr<usize>],
            dtype: DType,
            options: &Options,
        ) -> Result<Arc<Plan>> {
            let slots = vec![Slot::new(dtype, [6, 4]).unwrap()];
            let (exprs, numbers) = Expr::giving(exprs, &mut |&slot| slot);
            let known = (slots, options);
            self.plans
                .get(ExprKey::new(&exprs), &numbers, known, |slots| {
                    self.made.set(self.made.get() + 1);
                    Plan::many(&exprs, slots, &[], options)
                })
        }

        /// How many are made for these expressions, one after another.
        fn made(exprs: &[Expr<usize>], dtype: DType) -> usize {
            let counted = Self {
                plans: Plans::new(),
                made: Cell::new(0),
            };
            for expr in exprs {
                let kept = counted.plan(std::slice::from_ref(expr), dtype, &Options::default());
                let slots = [Slot::new(dtype, [6, 4]).unwrap()];
                let own = Plan::new(expr, &slots, &Options::default()).unwrap();
                let (_, numbers) = Expr::giving(std::slice::from_ref(expr), &mut |&slot| slot);
                let kept = kept.unwrap();
                let words = kept.passes.iter().map(|p| p.words_with(&numbers).unwrap());
                let own_words = own.passes.iter().map(|p| p.words_with(&[]).unwrap());
                assert!(words.eq(own_words), "{expr:?}");
            }
            counted.made.get()
        }
    }

    fn x() -> Expr<usize> {
        Expr::slot(0)
    }

    #[cfg(feature = "complete")]
    #[test]
    fn calls_of_other_functions_have_other_plans() {
        let calls = ["nanmax", "nanmin", "nanmax"].map(|name| Expr::call(name, [x()]));
        assert_eq!(Counted::made(&calls, DType::F32), 2);
    }

    #[test]
    fn expressions_that_differ_in_numbers_alone_share_a_plan() {
        let f32s = |exprs: &[Expr<usize>]| Counted::made(exprs, DType::F32);
        assert_eq!(
            f32s(&[x() * 2.0 + 1.0, x() * 3.0 + 2.0, x() * 0.5 - -7.0]),
            2
        );
        assert_eq!(f32s(&[x() * 2.0, x() * f64::NAN, x() * -0.0, x() * 0.0]), 1);
        assert_eq!(f32s(&[x() * 2.0, x() * 2, x() * 3]), 2, "of two kinds");
        assert_eq!(
            f32s(&[
                x() * 2.0 + 2.0,
                x() * 2.0 + 3.0,
                x() * 5.0 + 5.0,
                x() * 5.0 + 6.0
            ]),
            2,
            "one number that stands twice, and two"
        );
        let shared = x() + 1.0;
        assert_eq!(f32s(&[&shared * &shared, (x() + 1.0) * (x() + 1.0)]), 2);
        assert_eq!(f32s(&[x().sum(0), x().sum(1), x().sum(Axes::from(0))]), 2);
        assert_eq!(
            f32s(&[x().transpose(), x().reshape([24]), x().transpose()]),
            2
        );
    }

    #[test]
    fn plans_that_depend_on_numbers_are_made_for_each() {
        let bytes = |exprs: &[Expr<usize>]| Counted::made(exprs, DType::U8);
        assert_eq!(bytes(&[x() + 2, x() + 255, x() + 3]), 1);
        let sums = |n: f64| x() * (Expr::literal(n) + 1.0);
        assert_eq!(bytes(&[sums(1.0), sums(2.0), sums(1.0), sums(2.0)]), 2);
    }

    #[test]
    fn plans_of_other_types_options_and_results_are_others() {
        let counted = Counted {
            plans: Plans::new(),
            made: Cell::new(0),
        };
        let fast = Options::default().with_accuracy(Accuracy::Fast);
        let exprs = [x() + 1, x() * 2];
        for _ in 0..2 {
            for dtype in [DType::F32, DType::I32] {
                for options in [Options::default(), fast] {
                    for some in [&exprs[..], &exprs[..1], &exprs[1..]] {
                        let plan = counted.plan(some, dtype, &options).unwrap();
                        assert_eq!(plan.outputs().count(), some.len());
                    }
                }
            }
        }
        assert_eq!(counted.made.get(), 12);
        assert!(
            counted
                .plan(&[x().reshape([5])], DType::F32, &fast)
                .is_err()
        );
    }

    #[test]
    fn no_plan_is_kept_of_a_very_long_expression() {
        let long = (0..2 * NODES).fold(x(), |sum, k| sum.abs() + k as f64);
        assert_eq!(Counted::made(&[long.clone(), long], DType::F32), 2);
    }
}
