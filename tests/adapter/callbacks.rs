//! Callbacks of the caller's that wgpu runs inside the crate's own submits and polls: they may use
//! the context.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use zerostride::{Context, DType, Expr, Plan, Tensor, wgpu};

use crate::common::{new_encoder, own_device, plain_context, within_a_minute};

const LEN: usize = 1000;

type Callback = Box<dyn FnOnce(&Context) + Send>;

/// What a callback may do with the context.
fn uses() -> Vec<(&'static str, Callback)> {
    let ones = |context: &Context| context.tensor(&[1i32; 10], [10]).unwrap();
    let sum = move |context: &Context| ones(context).add(ones(context)).unwrap();
    let uses: Vec<(&'static str, Callback)> = vec![
        (
            "record",
            Box::new(move |c| (0..600).for_each(|_| drop(sum(c)))),
        ),
        (
            "flush",
            Box::new(move |c| {
                let sum = sum(c);
                c.flush().unwrap();
                drop(sum);
            }),
        ),
        (
            "read blocking",
            Box::new(move |c| assert_eq!(sum(c).read_blocking::<i32>().unwrap(), [2; 10])),
        ),
        (
            "read",
            Box::new(move |c| {
                assert_eq!(pollster::block_on(sum(c).read::<i32>()).unwrap(), [2; 10])
            }),
        ),
        ("buffer", Box::new(move |c| drop(sum(c).buffer().unwrap()))),
        (
            "encode what is pending",
            Box::new(move |c| {
                let (x, out) = (sum(c), c.empty(DType::I32, [10]).unwrap());
                let plan = Plan::new(&Expr::slot(0).neg(), &[x.slot()], &c.options()).unwrap();
                let mut encoder = new_encoder(c);
                c.encode(&mut encoder, &plan, &[&x], &[&out]).unwrap();
                c.queue().submit([encoder.finish()]);
                assert_eq!(out.read_blocking::<i32>().unwrap(), [-2; 10]);
            }),
        ),
        (
            "upload until it is submitted",
            Box::new(move |c| {
                (0..5).for_each(|_| {
                    drop(c.tensor_from_bytes(DType::U8, [60 << 20], &vec![1; 60 << 20]))
                })
            }),
        ),
        (
            "upload often",
            Box::new(move |c| (0..3000).for_each(|_| drop(ones(c)))),
        ),
    ];
    uses
}

/// Computes sums until a callback ran, and whether the last of them is right.
fn until(context: &Context, x: &Tensor, ran: &AtomicUsize) {
    for _ in 0..3000 {
        let sum = x.add(x).unwrap();
        if ran.load(Ordering::SeqCst) > 0 {
            assert_eq!(sum.read_blocking::<i32>().unwrap(), [2; LEN]);
            return;
        }
    }
    context.flush().unwrap();
    assert_eq!(x.add(x).unwrap().read_blocking::<i32>().unwrap(), [2; LEN]);
}

/// A use of the context in a callback of a submission of the context's own that is done.
fn in_a_callback(context: &Context, use_it: Callback) -> Arc<AtomicUsize> {
    let x = context.tensor(&[1i32; LEN], [LEN]).unwrap();
    let sum = x.add(&x).unwrap();
    context.flush().unwrap();
    let (ran, inner) = (Arc::new(AtomicUsize::new(0)), context.clone());
    let counter = Arc::clone(&ran);
    context.queue().on_submitted_work_done(move || {
        use_it(&inner);
        counter.fetch_add(1, Ordering::SeqCst);
    });
    drop(sum);
    until(context, &x, &ran);
    ran
}

#[test]
fn a_callback_inside_a_submit_may_use_the_context() {
    for (what, use_it) in uses() {
        let ran = within_a_minute(move || {
            eprintln!("{what}");
            // Nothing polls a caller's device before a submit, so the callback runs inside of one.
            let (device, queue) = own_device();
            in_a_callback(&Context::from_wgpu(&device, &queue), use_it)
        });
        assert_eq!(ran.load(Ordering::SeqCst), 1, "{what}");
    }
}

#[test]
fn a_callback_inside_a_poll_may_use_the_context() {
    for (what, use_it) in uses() {
        let ran = within_a_minute(move || {
            eprintln!("{what}");
            // Every call on an own device polls it first.
            in_a_callback(&plain_context(), use_it)
        });
        assert_eq!(ran.load(Ordering::SeqCst), 1, "{what}");
    }
}

#[test]
fn a_callback_on_the_helper_thread_may_use_the_context() {
    for (what, use_it) in uses() {
        within_a_minute(move || {
            eprintln!("{what}");
            let (device, queue) = own_device();
            let context = Context::from_wgpu(&device, &queue);
            let x = context.tensor(&[1i32; LEN], [LEN]).unwrap();
            let (send, receive) = std::sync::mpsc::channel();
            let inner = context.clone();
            let mut read = Box::pin(async { x.add(&x)?.read::<i32>().await });
            // The read is submitted and watched; from here on the helper thread alone polls.
            let mut waiting = std::task::Context::from_waker(std::task::Waker::noop());
            let first = std::future::Future::poll(read.as_mut(), &mut waiting);
            context.queue().on_submitted_work_done(move || {
                use_it(&inner);
                send.send(()).unwrap();
            });
            if first.is_pending() {
                assert_eq!(pollster::block_on(read).unwrap(), [2; LEN]);
            }
            // One that was registered after all was done waits for the next read.
            while receive.try_recv().is_err() {
                assert_eq!(pollster::block_on(x.read::<i32>()).unwrap(), [1; LEN]);
            }
        });
    }
}

#[test]
fn work_recorded_in_a_callback_keeps_its_place() {
    within_a_minute(|| {
        let (device, queue) = own_device();
        let context = Context::from_wgpu(&device, &queue);
        let x = context.tensor(&[1i32; LEN], [LEN]).unwrap();
        for round in 0..50 {
            let doubled = x.add(&x).unwrap();
            context.flush().unwrap();
            let (send, receive) = std::sync::mpsc::channel();
            let inner = doubled.clone();
            queue.on_submitted_work_done(move || {
                let next = inner.add(&inner).unwrap();
                inner.context().flush().unwrap();
                send.send(next).unwrap();
            });
            let mut last = doubled;
            let next = loop {
                last = last.add(&x).unwrap();
                context.flush().unwrap();
                if let Ok(next) = receive.try_recv() {
                    break next;
                }
            };
            assert_eq!(
                next.neg().unwrap().read_blocking::<i32>().unwrap(),
                [-4; LEN],
                "round {round}"
            );
            assert!(last.read_blocking::<i32>().unwrap()[0] > 2);
        }
    });
}

/// What a panic carries, to panic once more when it is dropped.
struct PanicsTwice;

impl Drop for PanicsTwice {
    fn drop(&mut self) {
        panic!("what a panic carried panics, as it should in this test");
    }
}

#[test]
fn a_callback_that_panics_ends_no_later_read() {
    within_a_minute(|| {
        let (device, queue) = own_device();
        let context = Context::from_wgpu(&device, &queue);
        // Milliseconds on a CPU, so that it is not done before the callback is registered.
        let long = context.tensor(&vec![0.5f32; 1 << 20], [1 << 20]).unwrap();
        let panics = Arc::new(AtomicUsize::new(0));
        for round in 0.. {
            if panics.load(Ordering::SeqCst) >= 20 {
                break;
            }
            let sum = (0..4)
                .fold(long.neg().unwrap(), |y, _| y.tanh().unwrap())
                .abs()
                .unwrap()
                .ceil()
                .unwrap();
            let mut read = Box::pin(sum.read::<f32>());
            let mut waiting = std::task::Context::from_waker(std::task::Waker::noop());
            let first = std::future::Future::poll(read.as_mut(), &mut waiting);
            // It runs on the helper thread, with the callback of the read or after it; or, where the
            // work was done before this line, in the next submission of this thread.
            let (test, panics) = (std::thread::current().id(), panics.clone());
            queue.on_submitted_work_done(move || {
                if std::thread::current().id() == test {
                    return;
                }
                panics.fetch_add(1, Ordering::SeqCst);
                match round % 2 {
                    0 => panic!("a callback of the caller's panics, as it should in this test"),
                    _ => std::panic::panic_any(PanicsTwice),
                }
            });
            let found = match first {
                std::task::Poll::Ready(found) => found,
                std::task::Poll::Pending => pollster::block_on(read),
            };
            assert!(found.unwrap().iter().all(|&x| x == 1.0), "round {round}");
        }
    });
}

#[test]
fn the_last_handle_may_go_in_a_callback() {
    within_a_minute(|| {
        for helped in [false, true] {
            for _ in 0..20 {
                let context = plain_context();
                let x = context.tensor(&[1i32; LEN], [LEN]).unwrap();
                let sum = x.add(&x).unwrap();
                let (device, queue) = (context.device().clone(), context.queue().clone());
                let (send, receive) = std::sync::mpsc::channel();
                let read = sum.clone();
                let mut read = Box::pin(async move { read.read::<i32>().await });
                if helped {
                    let mut waiting = std::task::Context::from_waker(std::task::Waker::noop());
                    let _ = std::future::Future::poll(read.as_mut(), &mut waiting);
                } else {
                    context.flush().unwrap();
                }
                let all = (context, x, sum, read);
                queue.on_submitted_work_done(move || {
                    drop(all);
                    send.send(()).unwrap();
                });
                while receive.try_recv().is_err() {
                    if helped {
                        // The helper thread may run it; where that was done before it was
                        // registered, nobody else does.
                        std::thread::sleep(std::time::Duration::from_millis(5));
                    }
                    let _ = device.poll(wgpu::PollType::Poll);
                }
            }
        }
    });
}

/// Registers a callback that the next submission runs, on the submitting thread, if the adapter
/// looks for finished work there.
fn in_the_next_submission(
    device: &wgpu::Device,
    queue: &wgpu::Queue,
    callback: impl FnOnce() + Send + 'static,
) {
    queue.submit([]);
    let _ = device.poll(wgpu::PollType::wait_indefinitely());
    queue.on_submitted_work_done(callback);
}

#[test]
fn a_blocking_read_in_a_submission_ends_beside_polls_whose_callbacks_flush() {
    within_a_minute(|| {
        let (device, queue) = own_device();
        let context = Context::from_wgpu(&device, &queue);
        let x = context.tensor(&vec![0.5f32; 1 << 19], [1 << 19]).unwrap();
        x.tanh().unwrap().read_blocking::<f32>().unwrap();
        for _ in 0..5 {
            let (send, entered) = std::sync::mpsc::channel();
            let inner = x.clone();
            in_the_next_submission(&device, &queue, move || {
                let y = (0..10).fold(inner, |y, _| y.tanh().unwrap());
                send.send(()).unwrap();
                y.read_blocking::<f32>().unwrap();
            });
            let (submitting, y) = (context.clone(), x.clone());
            let submits = std::thread::spawn(move || {
                let negative = y.neg().unwrap();
                submitting.flush().unwrap();
                drop(negative);
            });
            // Where no callback runs in a submission, a poll below runs it.
            let _ = entered.recv_timeout(std::time::Duration::from_secs(5));
            let polls: Vec<_> = (0..3)
                .map(|_| {
                    let (device, context) = (device.clone(), context.clone());
                    std::thread::spawn(move || {
                        let buffer = device.create_buffer(&wgpu::BufferDescriptor {
                            label: None,
                            size: 64,
                            usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                            mapped_at_creation: false,
                        });
                        buffer.map_async(wgpu::MapMode::Read, .., move |_| {
                            context.flush().unwrap();
                        });
                        let _ = device.poll(wgpu::PollType::wait_indefinitely());
                    })
                })
                .collect();
            submits.join().unwrap();
            polls.into_iter().for_each(|poll| poll.join().unwrap());
        }
    });
}

#[test]
fn a_blocking_read_ends_after_a_panic_in_the_submission_of_its_copy() {
    within_a_minute(|| {
        let (device, queue) = own_device();
        let context = Context::from_wgpu(&device, &queue);
        let x = context.tensor(&vec![0.5f32; 1 << 18], [1 << 18]).unwrap();
        drop(x.tanh().unwrap());
        context.flush().unwrap();
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let (send, entered) = std::sync::mpsc::channel();
        let later = queue.clone();
        in_the_next_submission(&device, &queue, move || {
            send.send(()).unwrap();
            let _ = wait.recv_timeout(std::time::Duration::from_secs(10));
            later.on_submitted_work_done(|| {
                panic!("a callback of the caller's panics, as it should in this test")
            });
        });
        let flush = |y: Tensor| {
            let context = context.clone();
            std::thread::spawn(move || {
                drop(y);
                let _ = context.flush();
            })
        };
        let first = flush(x.neg().unwrap());
        let _ = entered.recv_timeout(std::time::Duration::from_secs(5));
        // The second flush waits for the first, and the read for the second, which panics.
        let y = (0..20).fold(x.clone(), |y, _| y.tanh().unwrap());
        let second = flush(x.clone());
        std::thread::sleep(std::time::Duration::from_millis(200));
        let read = std::thread::spawn(move || y.read_blocking::<f32>().map(|y| y.len()));
        std::thread::sleep(std::time::Duration::from_millis(300));
        let _ = go.send(());
        let _ = (first.join(), second.join());
        if let Ok(Ok(len)) = read.join() {
            assert_eq!(len, 1 << 18);
        }
    });
}
