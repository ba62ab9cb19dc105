//! Turns at what one thread alone may do.
//!
//! Devices of wgpu's OpenGL may share one native context; which do is not known of a caller's. Who
//! needs it while another thread's call has it waits, and panics after 6 seconds; a software adapter
//! computes inside the submission, for as long as that takes. So threads take turns before they call
//! into any such device, and wait for a turn as long as it needs.
//!
//! A device is opened while none is closed: Vulkan's loader looks for it in its list of devices
//! without a lock (seen with 1.3.239), and some drivers do not bear to open two at a time.
//!
//! wgpu runs callbacks of the caller's in polls and submissions, after the native context is free
//! again, and such a callback may wait for another thread that wants a turn. So a turn that may have
//! come to callbacks is passed on: of a poll after a moment, of another call if its thread, inside
//! it, calls the device again, or after a minute: one submission that computes for longer is the
//! limit of what others wait for.

use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

/// After this time a poll no longer needs the native context.
const POLLED: Duration = Duration::from_millis(50);
/// After this time another call is taken to have come to a callback.
const LONGEST: Duration = Duration::from_secs(60);

/// What threads take turns at, if at anything.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns {
    line: Option<&'static Line>,
}

/// A turn, until it is dropped. It may have been passed on before.
#[must_use]
#[derive(Debug)]
pub(super) struct Turn {
    line: &'static Line,
    number: u64,
    /// The turn of the same thread that this one is inside.
    outer: Option<u64>,
}

#[derive(Debug)]
struct Line {
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Debug)]
struct Holder {
    thread: ThreadId,
    number: u64,
    since: Instant,
    /// How long others wait before they pass it on.
    patience: Duration,
}

#[derive(Debug)]
struct State {
    holder: Option<Holder>,
    turns: u64,
}

static OPENGL: Line = Line::new();
static DEVICES: Line = Line::new();

impl Turns {
    pub const NONE: Self = Self { line: None };

    /// Turns at a device of this backend.
    pub fn of(backend: wgpu::Backend) -> Self {
        Self {
            line: (backend == wgpu::Backend::Gl).then_some(&OPENGL),
        }
    }

    /// Turns at opening and closing devices. A browser has one thread.
    pub fn at_devices() -> Self {
        Self {
            line: (!cfg!(target_family = "wasm")).then_some(&DEVICES),
        }
    }

    /// A turn for a call other than a poll.
    pub fn call(self) -> Option<Turn> {
        self.line.map(|line| line.begin(LONGEST))
    }

    /// A turn for one poll that waits for nothing.
    pub fn poll(self) -> Option<Turn> {
        self.line.map(|line| line.begin(POLLED))
    }
}

impl Line {
    const fn new() -> Self {
        Self {
            state: Mutex::new(State {
                holder: None,
                turns: 0,
            }),
            ended: Condvar::new(),
        }
    }

    fn begin(&'static self, patience: Duration) -> Turn {
        let thread = thread::current().id();
        let mut state = self.state.lock();
        let mut outer = None;
        while let Some(holder) = &state.holder {
            if holder.thread == thread {
                outer = Some(holder.number);
                break;
            }
            let end = holder.since + holder.patience;
            if Instant::now() >= end {
                break;
            }
            self.ended.wait_until(&mut state, end);
        }
        state.turns += 1;
        let number = state.turns;
        state.holder = Some(Holder {
            thread,
            number,
            since: Instant::now(),
            patience,
        });
        Turn {
            line: self,
            number,
            outer,
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut state = self.line.state.lock();
        let Some(holder) = state.holder.as_mut().filter(|h| h.number == self.number) else {
            return;
        };
        match self.outer {
            // The outer call runs a callback.
            Some(number) => {
                holder.number = number;
                holder.since = Instant::now();
                holder.patience = POLLED;
            }
            None => state.holder = None,
        }
        self.line.ended.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc::channel;

    use super::*;

    const GL: Turns = Turns {
        line: Some(&OPENGL),
    };

    /// They use the one line of the process.
    static ONE_TEST: Mutex<()> = Mutex::new(());

    #[test]
    fn calls_of_one_thread_run_while_no_other_does() {
        let _one = ONE_TEST.lock();
        let inside = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        let _turn = GL.call();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        drop(GL.call());
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!(OPENGL.state.lock().holder.is_none());
    }

    #[test]
    fn a_callback_may_wait_for_another_thread() {
        let _one = ONE_TEST.lock();
        let (send, done) = channel();
        thread::scope(|scope| {
            // In a poll, and in a submission that has come to a callback which used the device.
            for outer in [GL.poll(), GL.call()] {
                drop(GL.call());
                let send = send.clone();
                scope.spawn(move || {
                    drop(GL.call());
                    send.send(()).unwrap();
                });
                done.recv_timeout(LONGEST / 2).unwrap();
                // It goes on with the device, and ends.
                drop(GL.call());
                drop(outer);
            }
        });
        assert!(OPENGL.state.lock().holder.is_none());
    }

    #[test]
    fn other_devices_take_none() {
        assert!(Turns::of(wgpu::Backend::Vulkan).call().is_none());
    }
}
