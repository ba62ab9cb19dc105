//! The conformance cases, and what a person who knows NumPy types, on the adapter.

use zerostride::{Expr, HostTensor, Plan, Result, Tensor};

use crate::common::{Random, context, lives, thinned, thorough};
use crate::conformance::case::Case;
use crate::numpy_habits;
use crate::suite::{self, others_cases, own_cases};

/// Runs an expression as users do, in buffers of the pool.
fn run(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    let context = context();
    let tensors = inputs
        .iter()
        .map(|t| context.tensor_from_host(t))
        .collect::<Result<Vec<Tensor>>>()?;
    let slots: Vec<_> = tensors.iter().map(Tensor::slot).collect();
    let plan = Plan::new(expr, &slots, &context.options())?;
    let out = &context.run(&plan, &tensors.iter().collect::<Vec<_>>())?[0];
    let bytes = out.read_bytes_blocking()?;
    lives();
    HostTensor::new(out.dtype(), out.shape(), bytes)
}

/// All in the nightly check, else a third of them, and of these a third where plain `cargo test` runs.
fn drawn(mut cases: Vec<Case>, what: &str) -> Vec<Case> {
    let mut random = Random::new(what);
    if !thorough() {
        let first = random.below(3);
        let mut place = 0..;
        cases.retain(|_| place.next().is_some_and(|i: usize| i % 3 == first));
    }
    thinned(&mut random, cases)
}

#[test]
fn cases_pass_on_the_adapter() {
    // What others wrote is run whole.
    let mut cases = drawn(own_cases(), "cases");
    cases.extend(others_cases());
    suite::check("adapter", &cases, run);
}

#[test]
fn what_a_numpy_person_types_is_numpy_on_the_adapter() {
    numpy_habits::check("adapter", &drawn(numpy_habits::habits(), "habits"), run);
}
