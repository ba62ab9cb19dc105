//! Runs the conformance cases of `tests/` in a page, with the same files and the same comparison.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::json;
use wasm_bindgen::prelude::*;
use zerostride::{Context, DType, Error, Expr, HostTensor, Plan, Result, Slot, Tensor};

use crate::conformance::case::{Case, parsed};
use crate::conformance::judge::{End, judge};
use crate::core::Core;

thread_local! {
    static CONTEXT: RefCell<Option<Context>> = const { RefCell::new(None) };
    /// The tensors that a case computed, in order.
    static COMPUTED: RefCell<Vec<Result<Tensor>>> = const { RefCell::new(Vec::new()) };
    /// The elements of these tensors, once they are read.
    static READ: RefCell<VecDeque<Result<HostTensor>>> = const { RefCell::new(VecDeque::new()) };
}

/// Runs the cases of a file, and returns the outcome as JSON.
#[wasm_bindgen]
pub async fn run_cases(core: &Core, file: String, lines: String, data: Vec<u8>) -> String {
    let context = core.context.clone();
    CONTEXT.set(Some(context));
    let cases = parsed(&file, &lines, &Arc::new(data));
    let (mut passed, mut judgement, mut unsupported) = (0, 0, Vec::new());
    let mut failures = Vec::new();
    for case in &cases {
        match run(case).await {
            _ if case.judgement.is_some() => judgement += 1,
            End::Passed { .. } => passed += 1,
            End::Failed(why) => failures.push(format!("{}: {why}", case.id)),
            End::Unsupported(what) => unsupported.push(what),
        }
    }
    json!({
        "file": file,
        "cases": cases.len(),
        "passed": passed,
        "judgement": judgement,
        "unsupported": unsupported.len(),
        "reasons": unsupported.iter().collect::<std::collections::BTreeSet<_>>(),
        "failures": failures,
    })
    .to_string()
}

/// Runs a case twice, since a page cannot wait: to record its results, then with their elements.
async fn run(case: &Case) -> End {
    COMPUTED.take();
    READ.take();
    let first = judge(case, record);
    let computed = COMPUTED.take();
    if computed.is_empty() {
        return first;
    }
    for tensor in computed {
        let host = match tensor {
            Ok(tensor) => tensor.to_host().await,
            Err(error) => Err(error),
        };
        READ.with_borrow_mut(|read| read.push_back(host));
    }
    judge(case, recall)
}

/// Computes and records a result, and returns zeros in its place.
fn record(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    let computed = compute(expr, inputs);
    let zeros = match &computed {
        Ok(tensor) => zeros(tensor.dtype(), tensor),
        Err(error) => Err(error.clone()),
    };
    COMPUTED.with_borrow_mut(|all| all.push(computed));
    zeros
}

fn zeros(dtype: DType, like: &Tensor) -> Result<HostTensor> {
    let bytes = vec![0; like.shape().len()? * dtype.size()];
    HostTensor::new(dtype, like.shape().clone(), bytes)
}

fn compute(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<Tensor> {
    let context = CONTEXT.with_borrow(Clone::clone).ok_or_else(no_context)?;
    let tensors: Vec<Tensor> = inputs
        .iter()
        .map(|x| context.tensor_from_host(x))
        .collect::<Result<_>>()?;
    let slots: Vec<Slot> = tensors.iter().map(Tensor::slot).collect();
    let plan = Plan::new(expr, &slots, &context.options())?;
    let inputs: Vec<&Tensor> = tensors.iter().collect();
    context.run(&plan, &inputs).map(|mut all| all.remove(0))
}

/// Returns the elements of the next result.
fn recall(_: &Expr<usize>, _: &[HostTensor]) -> Result<HostTensor> {
    READ.with_borrow_mut(VecDeque::pop_front)
        .unwrap_or_else(|| Err(no_context()))
}

fn no_context() -> Error {
    Error::Unsupported {
        what: "a result that was not recorded".into(),
    }
}
