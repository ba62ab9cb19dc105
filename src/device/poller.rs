//! Who polls while reads are awaited: one helper thread of the context, parked while nothing is
//! pending.

use std::cell::Cell;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use futures_intrusive::channel::shared::OneshotSender;
use parking_lot::{Condvar, Mutex};

use super::submission::{Submission, Waiter};

/// Where the callback of a mapping leaves its outcome. Whoever takes it out and drops it ends the
/// read without one.
pub(super) type Answer = Arc<Mutex<Option<OneshotSender<Result<(), wgpu::BufferAsyncError>>>>>;

/// How long a context that is dropped waits for its helper thread, which may be in a callback or in a
/// driver.
const PATIENCE: Duration = Duration::from_secs(1);

/// The helper thread. It is started with the first awaited read, and again if it ended. Dropping
/// this waits until it has dropped the device, which it would otherwise do while exit handlers run. It
/// does not join it: drivers have destructors of threads that never end.
#[derive(Debug, Default)]
pub(super) struct Poller {
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    /// Whether a thread has the device.
    holds: Mutex<bool>,
    dropped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The reads whose callbacks have not come, oldest first.
    pending: VecDeque<Read>,
    /// The number of the next read.
    next: u64,
    /// Whether the helper thread runs.
    runs: bool,
    closed: bool,
}

#[derive(Debug)]
#[cfg_attr(
    target_family = "wasm",
    allow(dead_code, reason = "a browser polls by itself")
)]
struct Read {
    number: u64,
    submission: Submission,
    answer: Answer,
}

/// A read that the helper thread polls for, until this is dropped.
#[derive(Debug)]
pub(super) struct Watch {
    shared: Arc<Shared>,
    number: u64,
}

thread_local! {
    /// Whether this thread is the helper of some context.
    static HELPS: Cell<bool> = const { Cell::new(false) };
}

impl Poller {
    /// Lets the helper thread poll for a read until the returned value is dropped. `None` if the
    /// caller has to: in a callback that the helper thread runs, and if there is no thread.
    pub fn watch(
        &self,
        waiter: &Waiter,
        submission: &Submission,
        answer: &Answer,
    ) -> Option<Watch> {
        let mut state = self.shared.state.lock();
        if HELPS.get() || !(state.runs || self.start(&mut state, waiter)) {
            return None;
        }
        let number = state.next;
        state.next += 1;
        state.pending.push_back(Read {
            number,
            submission: submission.clone(),
            answer: Arc::clone(answer),
        });
        self.shared.wake.notify_one();
        Some(Watch {
            shared: Arc::clone(&self.shared),
            number,
        })
    }

    /// Starts the helper thread; whether it runs.
    #[cfg(not(target_family = "wasm"))]
    fn start(&self, state: &mut State, waiter: &Waiter) -> bool {
        /// Says that the thread has dropped the device.
        struct Holds(Arc<Shared>);
        impl Drop for Holds {
            fn drop(&mut self) {
                *self.0.holds.lock() = false;
                self.0.dropped.notify_all();
            }
        }

        let (shared, waiter) = (Arc::clone(&self.shared), waiter.clone());
        *self.shared.holds.lock() = true;
        let holds = Holds(Arc::clone(&shared));
        let body = move || {
            // What comes later is dropped earlier.
            let _holds = holds;
            let waiter = waiter;
            let unlocked = super::unlocked::Unlocked::at_entry();
            shared.run(&|submission: &Submission| waiter.wait(&unlocked, submission));
        };
        let thread = std::thread::Builder::new()
            .name("zerostride-poll".into())
            .spawn(body);
        state.runs = thread.is_ok();
        state.runs
    }

    /// A browser polls by itself.
    #[cfg(target_family = "wasm")]
    fn start(&self, _state: &mut State, _waiter: &Waiter) -> bool {
        false
    }
}

impl Shared {
    /// Waits until the helper thread has dropped the device; whether it has. In a browser there is
    /// none, nor a clock.
    fn has_dropped(&self) -> bool {
        if cfg!(target_family = "wasm") {
            return true;
        }
        let mut holds = self.holds.lock();
        let held = |holds: &mut bool| *holds;
        let waited = self.dropped.wait_while_for(&mut holds, held, PATIENCE);
        !waited.timed_out()
    }

    /// Takes one read out of those that are pending, or all.
    fn take(&self, number: Option<u64>) -> VecDeque<Read> {
        let mut state = self.state.lock();
        let is_meant = |read: &Read| number.is_none_or(|number| read.number == number);
        let pending = std::mem::take(&mut state.pending).into_iter();
        let (taken, kept) = pending.partition(is_meant);
        state.pending = kept;
        taken
    }
}

#[cfg(not(target_family = "wasm"))]
impl Shared {
    /// Waits for one read after another, until no more can come.
    fn run(&self, wait: &dyn Fn(&Submission) -> bool) {
        /// Polls one after another that may panic before all reads are given up: each callback of a
        /// caller's panics once, a device that is lost may do so for ever.
        const PANICS: u32 = 64;
        /// How long a callback is waited for that another thread runs, or that is not registered
        /// yet.
        const PAUSE: std::time::Duration = std::time::Duration::from_micros(200);

        /// Says that the thread ended, however it did.
        struct Runs<'a>(&'a Shared);
        impl Drop for Runs<'_> {
            fn drop(&mut self) {
                self.0.state.lock().runs = false;
            }
        }

        HELPS.set(true);
        let _runs = Runs(self);
        let (mut panics, mut last) = (0, None);
        while let Some((number, submission)) = self.oldest() {
            if last.replace(number) == Some(number) {
                std::thread::sleep(PAUSE);
            }
            let step = || match panics < PANICS {
                true if wait(&submission) => {}
                true => self.abandon(Some(number)),
                false => self.abandon(None),
            };
            // A panic is that of a callback of the caller's, or wgpu's own. It was printed, and
            // others wait for their reads.
            panics = match std::panic::catch_unwind(std::panic::AssertUnwindSafe(step)) {
                Err(payload) if panics < PANICS => {
                    // To drop it may panic again.
                    std::mem::forget(payload);
                    panics + 1
                }
                _ => 0,
            };
        }
    }

    /// Ends one read without an answer, or all.
    fn abandon(&self, number: Option<u64>) {
        for read in self.take(number) {
            let send = read.answer.lock().take();
            drop(send);
        }
    }

    /// The oldest read, once there is one; `None` when the context has ended.
    fn oldest(&self) -> Option<(u64, Submission)> {
        let mut state = self.state.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(read) = state.pending.front() {
                return Some((read.number, read.submission.clone()));
            }
            self.wake.wait(&mut state);
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.shared.take(Some(self.number)));
    }
}

impl Drop for Poller {
    fn drop(&mut self) {
        self.shared.state.lock().closed = true;
        self.shared.wake.notify_all();
        // A callback on a helper thread that drops the last handle cannot wait for that thread.
        if !HELPS.get() {
            self.shared.has_dropped();
        }
    }
}

#[cfg(all(test, feature = "noop"))]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use futures_intrusive::channel::shared::oneshot_channel;

    use super::*;

    fn submitted() -> (wgpu::Device, Waiter, Submission) {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let waiter = Waiter::new(device.clone(), wgpu::Backend::Noop, true);
        let submission = waiter.submission(&queue, queue.submit([]));
        (device, waiter, submission)
    }

    #[test]
    fn a_device_that_panics_for_ever_answers_no_read_and_the_thread_goes_on() {
        let (_device, _, submission) = submitted();
        let shared = Arc::new(Shared::default());
        let polls = AtomicU32::new(0);
        let pend = || {
            let (send, outcome) = oneshot_channel();
            let answer: Answer = Arc::new(Mutex::new(Some(send)));
            let mut state = shared.state.lock();
            state.pending.push_back(Read {
                number: 0,
                submission: submission.clone(),
                answer,
            });
            shared.wake.notify_one();
            outcome
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                shared.run(&|_| {
                    polls.fetch_add(1, Ordering::Relaxed);
                    panic!("a poll that panics, as it should in this test");
                });
            });
            for round in 1..3 {
                assert_eq!(pollster::block_on(pend().receive()), None, "round {round}");
                assert_eq!(polls.load(Ordering::Relaxed), 64 * round);
            }
            shared.state.lock().closed = true;
            shared.wake.notify_all();
        });
    }

    #[test]
    fn a_helper_thread_that_hangs_is_not_waited_for_for_ever() {
        let poller = Poller::default();
        *poller.shared.holds.lock() = true;
        let begun = std::time::Instant::now();
        drop(poller);
        let waited = begun.elapsed();
        assert!((PATIENCE..3 * PATIENCE).contains(&waited), "{waited:?}");
    }

    #[test]
    fn a_helper_thread_that_ended_is_started_again() {
        let (_device, waiter, submission) = submitted();
        let poller = Poller::default();
        let answer = Answer::default();
        for _ in 0..3 {
            drop(poller.watch(&waiter, &submission, &answer));
            // Whatever ends it.
            poller.shared.state.lock().closed = true;
            poller.shared.wake.notify_all();
            assert!(poller.shared.has_dropped(), "it ends by itself");
            let mut state = poller.shared.state.lock();
            assert!(!state.runs);
            state.closed = false;
        }
        drop(
            poller
                .watch(&waiter, &submission, &answer)
                .expect("it runs again"),
        );
    }
}
