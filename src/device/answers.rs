//! What a browser says later of calls that create something: error scopes are answered while the
//! page goes on, so that a call takes what it created for good.

use std::sync::Arc;
use std::task::{Poll, Waker};

use parking_lot::Mutex;

use crate::error::Error;

/// The answers that have not come, and the errors among those that have.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    open: usize,
    failed: Vec<Failure>,
    waiting: Vec<Waker>,
}

/// A call that failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// The batch that was submitted, if it was a submission.
    pub batch: Option<u64>,
    pub error: Error,
}

impl Answers {
    /// Waits for what these scopes caught, innermost first, behind the caller's back.
    pub fn expect(
        &self,
        what: &'static str,
        batch: Option<u64>,
        scopes: [wgpu::ErrorScopeGuard; 3],
    ) {
        self.0.lock().open += 1;
        let answers = self.clone();
        // All are taken off now: scopes are a stack.
        let scopes = scopes.map(wgpu::ErrorScopeGuard::pop);
        wasm_bindgen_futures::spawn_local(async move {
            let mut first = None;
            for scope in scopes {
                let error = scope.await;
                first = first.or(error);
            }
            answers.come(first.map(|error| Failure {
                batch,
                error: super::gpu::caught(what, error),
            }));
        });
    }

    fn come(&self, failure: Option<Failure>) {
        let mut state = self.0.lock();
        state.open -= 1;
        state.failed.extend(failure);
        let waiting = match state.open {
            0 => std::mem::take(&mut state.waiting),
            _ => Vec::new(),
        };
        drop(state);
        waiting.into_iter().for_each(Waker::wake);
    }

    /// Waits until all answers have come, and takes the errors among them, oldest first.
    pub async fn all(&self) -> Vec<Failure> {
        std::future::poll_fn(|context| {
            let mut state = self.0.lock();
            if state.open > 0 {
                state.waiting.push(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(std::mem::take(&mut state.failed))
        })
        .await
    }
}
