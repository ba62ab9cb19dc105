//! The Metal Shading Language is executed: the kernels of all conformance cases, as naga writes them for Metal, are compiled as
//! C++ with a header for Metal's standard library (metal_stdlib.h), and run invocation by invocation. Needs g++;
//! scripts/check-msl.sh runs it.
//!
//! The cases run twice: the first time their plans are noted, the second time they get the results of their kernels.

#[path = "../conformance/mod.rs"]
mod conformance;
mod cpp;
mod machine;
#[path = "../conformance/suite.rs"]
mod suite;

use std::sync::Mutex;

use machine::Machine;
use zerostride::{Expr, HostTensor, Limits, Options, Plan, Result, Slot};

/// A plan and its inputs.
pub struct Job {
    plan: Plan,
    inputs: Vec<HostTensor>,
}

/// Those of the first run, in order.
static NOTED: Mutex<Vec<Job>> = Mutex::new(Vec::new());
/// The results of the second run that were not asked for yet, the next one last.
static RESULTS: Mutex<Vec<HostTensor>> = Mutex::new(Vec::new());

/// What a Mac's GPU has: 64-bit integers, no 64-bit floats.
fn planned(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<Plan> {
    let slot = |x: &HostTensor| match x.layout.is_contiguous() {
        true => Slot::new(x.dtype, x.layout.shape().clone()),
        false => Ok(Slot::wrapped(
            x.dtype,
            x.layout.clone(),
            x.bytes.len() as u64,
        )),
    };
    let slots: Vec<Slot> = inputs.iter().map(slot).collect::<Result<_>>()?;
    let limits = Limits::WEBGPU.with_int64(true);
    Plan::new(expr, &slots, &Options::default().with_limits(limits))
}

fn note(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    let plan = planned(expr, inputs)?;
    let (dtype, shape) = plan.outputs().next().expect("a plan has an output");
    let bytes = vec![0; shape.extents().iter().product::<usize>() * dtype.size()];
    let result = HostTensor::new(dtype, shape.clone(), bytes);
    NOTED.lock().unwrap().push(Job {
        inputs: inputs.to_vec(),
        plan,
    });
    result
}

fn result(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    planned(expr, inputs)?;
    Ok(RESULTS
        .lock()
        .unwrap()
        .pop()
        .expect("a result for each plan"))
}

#[test]
fn cases_pass_in_metals_language() {
    let mut cases = suite::own_cases();
    cases.extend(suite::others_cases());
    suite::run_all(&cases, note);
    let jobs = std::mem::take(&mut *NOTED.lock().unwrap());
    let mut results = Machine::of(&jobs).run(&jobs);
    results.reverse();
    *RESULTS.lock().unwrap() = results;
    suite::check("Metal's language", &cases, result);
    assert!(RESULTS.lock().unwrap().is_empty());
}
