//! Contexts that threads make, use and drop at the same time, and wherever a thread may drop its last one.

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use zerostride::{Context, wgpu};

use crate::common::{PATIENCE, in_a_process, plain_context, thorough};

const THREADS: usize = 16;

/// Contexts that each thread makes, one after the other.
fn rounds() -> i32 {
    if thorough() { 100 } else { 4 }
}

/// Computes something and reads it, waiting for it or by the helper thread.
fn used(context: &Context, n: i32) {
    let x = context.tensor(&[n; 300], [300]).unwrap();
    let y = x.add(&x).unwrap();
    let found = match n % 2 {
        0 => y.read_blocking::<i32>().unwrap(),
        _ => pollster::block_on(y.read::<i32>()).unwrap(),
    };
    assert_eq!(found, vec![2 * n; 300]);
}

/// Runs this on each thread and each of its rounds, with a number that differs.
fn on_threads(run: impl Fn(i32) + Sync) {
    // A driver opens so many devices at a time: one test after the other.
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    std::thread::scope(|scope| {
        let run = &run;
        let threads = (0..THREADS as i32).map(|t| {
            scope.spawn(move || (0..rounds()).for_each(|round| run(t + THREADS as i32 * round)))
        });
        let threads: Vec<_> = threads.collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
    });
}

#[test]
fn contexts_of_many_threads_are_used_and_dropped() {
    on_threads(|n| used(&plain_context(), n));
}

#[test]
fn contexts_are_dropped_unused() {
    on_threads(|_| drop(plain_context()));
}

#[test]
fn the_last_handle_goes_in_a_callback() {
    on_threads(|n| {
        let context = plain_context();
        used(&context, n);
        let (device, queue) = (context.device().clone(), context.queue().clone());
        queue.on_submitted_work_done(move || drop(context));
        queue.submit([]);
        device.poll(wgpu::PollType::wait_indefinitely()).unwrap();
        // A context closes its device while no other is opened, which the caller's handles do not.
        let closes = Context::from_wgpu(&device, &queue);
        drop((device, queue));
        drop(closes);
    });
}

#[test]
fn the_last_handle_goes_in_a_panic() {
    on_threads(|n| {
        let ended = std::thread::spawn(move || {
            let context = plain_context();
            used(&context, n);
            // Not a message of its own for each.
            std::panic::resume_unwind(Box::new(n));
        })
        .join();
        assert_eq!(ended.unwrap_err().downcast_ref::<i32>(), Some(&n));
    });
}

#[test]
fn the_last_handle_goes_with_its_thread() {
    thread_local! {
        static KEPT: RefCell<Option<Context>> = const { RefCell::new(None) };
    }
    on_threads(|n| {
        std::thread::spawn(move || {
            let context = plain_context();
            used(&context, n);
            KEPT.set(Some(context));
        })
        .join()
        .unwrap();
    });
}

/// A test whose thread a driver does not let end, as one did on a GPU, is named, and the process ends.
#[test]
fn a_test_whose_thread_does_not_end_is_named() {
    struct Hangs;
    impl Drop for Hangs {
        fn drop(&mut self) {
            std::thread::sleep(Duration::from_secs(600));
        }
    }
    thread_local! {
        static LAST: RefCell<Option<Hangs>> = const { RefCell::new(None) };
    }
    const TEST: &str = "threads::a_test_whose_thread_does_not_end_is_named";
    const HANGS: &str = "ZEROSTRIDE_HANGS";
    if std::env::var_os(HANGS).is_some() {
        used(&plain_context(), 1);
        LAST.set(Some(Hangs));
        println!("its body has ended");
        return;
    }
    // With one thread the harness would run the test on its own.
    let variables = [[HANGS, "1"], [PATIENCE, "10"], ["RUST_TEST_THREADS", "2"]];
    let (status, text) = in_a_process(&["--exact", TEST], &variables);
    assert!(!status.success(), "{text}");
    let named = format!("these are open: {TEST}");
    assert!(
        text.contains("its body has ended") && text.contains(&named),
        "{text}"
    );
}

/// Under OpenGL a dispatch holds the device, and wgpu panics in a thread that waits 6 seconds for it.
#[test]
fn threads_wait_for_another_ones_dispatch() {
    let context = plain_context();
    let is_gl = context.adapter_info().backend == wgpu::Backend::Gl;
    let mut n = if is_gl { 2200 } else { 400 };
    while threads_beside_a_product(&context, n) < Duration::from_secs(6) && is_gl {
        // It took less than they can wait.
        assert!(n < 20_000, "{n}");
        n += n / 2;
    }
}

/// How long a product of squares takes beside threads that compute something else.
fn threads_beside_a_product(context: &Context, n: usize) -> Duration {
    let begun = Instant::now();
    let x = context.tensor(&vec![1f32; n * n], [n, n]).unwrap();
    let product = x.expr().matmul(x.expr());
    let ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let long = scope.spawn(|| {
            let found = product.eval().unwrap().read_blocking::<f32>();
            ended.store(true, Ordering::Relaxed);
            assert_eq!(found.unwrap(), vec![n as f32; n * n]);
        });
        let others: Vec<_> = (0..3)
            .map(|t| {
                let ended = &ended;
                scope.spawn(move || {
                    (0..)
                        .take_while(|_| !ended.load(Ordering::Relaxed))
                        .for_each(|n| used(context, 100 * n + t));
                })
            })
            .collect();
        long.join().unwrap();
        others.into_iter().for_each(|t| t.join().unwrap());
    });
    begun.elapsed()
}
