//! Submissions, and how their end is waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::turns::Turns;
use super::unlocked::Unlocked;

/// The first pause between two polls that wait for nothing; each further one is twice as long, up
/// to the last.
const FIRST_PAUSE: Duration = Duration::from_micros(20);
const LAST_PAUSE: Duration = Duration::from_millis(1);

/// How long a thread looks whether the work of a GPU is done before it sleeps until the driver wakes
/// it, which takes longer than a small call. A software adapter needs the core that looking takes.
const LOOKING: Duration = Duration::from_micros(80);

/// Work that was handed to a queue.
#[derive(Clone, Debug)]
pub(crate) struct Submission {
    index: wgpu::SubmissionIndex,
    /// Set by a callback when it is done; only for a device that is polled without waiting.
    done: Option<Arc<AtomicBool>>,
}

/// A device as those see it that wait for its work.
///
/// wgpu 30 asserts that a queue which a poll finds empty has done what that poll waited for. This
/// fails, with a panic, if the wait ends early and another thread's poll or submit takes the
/// finished submissions away meanwhile, be it a thread of the caller's. So no poll has a timeout;
/// and under OpenGL, since every wait ends after two seconds and nobody else can use the device
/// until then, no poll waits.
#[derive(Clone, Debug)]
pub(crate) struct Waiter {
    device: wgpu::Device,
    waits: bool,
    looks: bool,
    turns: Turns,
}

impl Waiter {
    /// `software`: whether the device is the CPU.
    pub fn new(device: wgpu::Device, backend: wgpu::Backend, software: bool) -> Self {
        let waits = backend != wgpu::Backend::Gl;
        Self {
            device,
            waits,
            looks: waits && !software && cfg!(not(target_family = "wasm")),
            turns: Turns::of(backend),
        }
    }

    /// What was submitted just now to this device's queue.
    pub fn submission(&self, queue: &wgpu::Queue, index: wgpu::SubmissionIndex) -> Submission {
        let done = (!self.waits).then(Arc::<AtomicBool>::default);
        if let Some(done) = done.clone() {
            let _turn = self.turns.call();
            queue.on_submitted_work_done(move || done.store(true, Ordering::Release));
        }
        Submission { index, done }
    }

    /// Runs callbacks of what is done, the callers' own among them. `false` if the device gave up.
    #[cfg(not(target_family = "wasm"))]
    pub fn poll(&self, _: &Unlocked) -> bool {
        self.look().is_ok()
    }

    /// Whether the queue is empty within a moment, so that all that was submitted is done.
    fn is_empty_soon(&self) -> bool {
        let end = Instant::now() + LOOKING;
        loop {
            match self.look() {
                Ok(status) if status.is_queue_empty() => return true,
                Ok(_) if Instant::now() < end => std::hint::spin_loop(),
                _ => return false,
            }
        }
    }

    fn look(&self) -> Result<wgpu::PollStatus, wgpu::PollError> {
        let _turn = self.turns.poll();
        self.device.poll(wgpu::PollType::Poll)
    }

    /// Waits until a submission is done, and runs callbacks of what is, the callers' own among
    /// them. `false` if the device gave up, so that no callback may come. wgpu itself panics if it
    /// finds the device lost in a poll; the next call reports the loss.
    pub fn wait(&self, _: &Unlocked, submission: &Submission) -> bool {
        if self.looks && self.is_empty_soon() {
            return true;
        }
        if self.waits {
            let until = wgpu::PollType::Wait {
                submission_index: Some(submission.index.clone()),
                timeout: None,
            };
            return self.device.poll(until).is_ok();
        }
        let done = submission.done.as_ref();
        let is_done = || done.is_some_and(|done| done.load(Ordering::Acquire));
        let mut pause = FIRST_PAUSE;
        while let Ok(status) = self.look() {
            if status.is_queue_empty() || is_done() {
                return true;
            }
            std::thread::sleep(pause);
            pause = LAST_PAUSE.min(2 * pause);
        }
        false
    }
}

#[cfg(all(test, feature = "noop"))]
mod tests {
    use super::*;

    #[test]
    fn a_thread_sees_the_end_of_what_it_submitted_whether_it_looks_or_sleeps() {
        for software in [false, true] {
            let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
            let waiter = Waiter::new(device, wgpu::Backend::Noop, software);
            assert_eq!(waiter.looks, !software);
            let done = Arc::<AtomicBool>::default();
            let ended = Arc::clone(&done);
            queue.on_submitted_work_done(move || ended.store(true, Ordering::Release));
            let submission = waiter.submission(&queue, queue.submit([]));
            assert!(waiter.wait(&Unlocked::at_entry(), &submission));
            assert!(done.load(Ordering::Acquire), "callbacks have run");
        }
    }
}
