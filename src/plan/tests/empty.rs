//! Products without elements.

use crate::dtype::DType;
use crate::expr::{Axes, Expr};
use crate::plan::{Options, Plan, Slot};
use crate::view::{Index, View};

#[test]
fn products_of_empty_arrays_are_reshaped_multiplied_and_planned() {
    let [e, s] = [0, 1].map(Expr::slot);
    let first = View::Slice(vec![Index::Ellipsis, Index::Range(None, Some(1), 1)]);
    let product = e.view(first).matmul(s.reshape([1, 1]));
    let rows = e.sum(Axes::from(1)).reshape([0, 1, 1]);
    let batch = product.reshape([0, 1, 1]).matmul(rows);
    let slots = [vec![0, 3], vec![]].map(|shape| Slot::new(DType::F32, shape).unwrap());
    for expr in [
        product.clone(),
        batch.clone(),
        batch.reshape([0]),
        batch.reshape([0]).neg(),
    ] {
        let plan = Plan::new(&expr, &slots, &Options::default()).unwrap();
        plan.audit().unwrap();
    }
}
