//! Who polls while a read is awaited: one helper thread of the context, parked while nothing is pending.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// The helper thread's state. It is started with the first awaited read and ends with the context.
#[derive(Debug, Default)]
pub(crate) struct Poller {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
}

#[derive(Debug, Default)]
struct State {
    pending: usize,
    started: bool,
    closed: bool,
}

/// One mapping whose callback has not come; polling goes on until it is dropped.
#[derive(Debug)]
pub(crate) struct Pending(Arc<Shared>);

impl Poller {
    /// Keeps the device polled until the returned value is dropped.
    pub fn watch(&self, device: &wgpu::Device) -> Pending {
        let mut state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.pending += 1;
        if !state.started && cfg!(not(target_family = "wasm")) {
            let (shared, device) = (Arc::clone(&self.shared), device.clone());
            let thread =
                std::thread::Builder::new().name("zerostride-poll".into()).spawn(move || run(&shared, &device));
            state.started = thread.is_ok();
        }
        self.shared.wake.notify_one();
        Pending(Arc::clone(&self.shared))
    }

    /// Whether the helper thread runs; without it the caller has to poll.
    pub fn started(&self) -> bool {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).started
    }
}

fn run(shared: &Shared, device: &wgpu::Device) {
    loop {
        {
            let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            while state.pending == 0 && !state.closed {
                state = shared.wake.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed && state.pending == 0 {
                return;
            }
        }
        // A timeout or a lost device ends the wait; the read's own callback then says what happened.
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(Duration::from_millis(20)) };
        if device.poll(wait).is_err() {
            std::thread::sleep(Duration::from_micros(200));
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).pending -= 1;
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner).closed = true;
        self.shared.wake.notify_all();
    }
}
