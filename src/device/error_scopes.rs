//! What error scopes say of calls that create something; in browsers they say it while the page goes
//! on, so that a call takes what it created for good.

#[cfg(target_family = "wasm")]
use std::sync::Arc;
#[cfg(target_family = "wasm")]
use std::task::{Poll, Waker};

#[cfg(target_family = "wasm")]
use parking_lot::Mutex;

use crate::error::Error;

/// An error that a scope caught.
pub(super) fn caught(what: &'static str, error: wgpu::Error) -> Error {
    match error {
        wgpu::Error::OutOfMemory { .. } => Error::OutOfMemory {
            what: what.into(),
            bytes: 0,
        },
        error => Error::wgpu(what, error),
    }
}

#[cfg(target_family = "wasm")]
/// The answers that have not come, and the errors among those that have.
#[derive(Clone, Debug, Default)]
pub(super) struct ErrorScopes(Arc<Mutex<State>>);

#[cfg(target_family = "wasm")]
#[derive(Debug, Default)]
struct State {
    open: usize,
    failed: Vec<Failure>,
    waiting: Vec<Waker>,
}

#[cfg(target_family = "wasm")]
/// A call that failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// The batch that was submitted, if it was a submission.
    pub batch: Option<u64>,
    pub error: Error,
}

#[cfg(target_family = "wasm")]
impl ErrorScopes {
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
                error: caught(what, error),
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
        self.come_all(std::mem::take).await
    }

    /// Waits until all answers have come, and gives the first error among them, which stays there.
    pub async fn first(&self) -> Option<Error> {
        self.come_all(|failed| failed.first().map(|failure| failure.error.clone()))
            .await
    }

    async fn come_all<T>(&self, mut give: impl FnMut(&mut Vec<Failure>) -> T) -> T {
        std::future::poll_fn(|context| {
            let mut state = self.0.lock();
            if state.open > 0 {
                state.waiting.push(context.waker().clone());
                return Poll::Pending;
            }
            Poll::Ready(give(&mut state.failed))
        })
        .await
    }
}
