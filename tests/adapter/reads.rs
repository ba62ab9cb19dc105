//! Reads under any executor, many threads, and the loss of a device.

use std::future::Future;
use std::pin::Pin;
use std::task::{self, Poll};
use std::time::Duration;

use zerostride::{Context, DType, Error, Expr, Layout, PendingBytes, Plan, Tensor, wgpu};

use crate::common::{
    context, few, new_encoder, own_device, plain_context, raw_buffer, within_a_minute,
};

/// A tensor that holds `n`, `n + 1` and so on, computed on the device.
fn counted(context: &Context, n: i32) -> (Tensor, Vec<i32>) {
    let data: Vec<i32> = (0..100).map(|i| i * 2).collect();
    let x = context.tensor(&data, [100]).unwrap();
    let n_tensor = context.tensor(&[n], [1]).unwrap();
    (
        x.add(&n_tensor).unwrap(),
        data.iter().map(|i| i + n).collect(),
    )
}

/// Awaits all futures at once.
async fn join<F: Future>(futures: Vec<F>) -> Vec<F::Output> {
    let mut waiting: Vec<Pin<Box<F>>> = futures.into_iter().map(Box::pin).collect();
    let mut done: Vec<Option<F::Output>> = waiting.iter().map(|_| None).collect();
    std::future::poll_fn(|cx| {
        for (future, out) in waiting.iter_mut().zip(&mut done) {
            if out.is_none()
                && let Poll::Ready(value) = future.as_mut().poll(cx)
            {
                *out = Some(value);
            }
        }
        if done.iter().all(Option::is_some) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
    done.into_iter().flatten().collect()
}

/// Reads that are several copies, of 8 MiB each: whatever they begin and end at.
#[test]
fn large_reads_have_every_element() {
    const PART: usize = 8 << 20;
    let context = context();
    let all: Vec<u8> = (0..2 * PART + 11).map(|i| (i % 251) as u8).collect();
    let tensor = context.tensor(&all, [all.len()]).unwrap();
    for from in [0, 1, 2, 3, 4] {
        for to in [
            PART - 1,
            PART,
            PART + 1,
            PART + 3,
            2 * PART,
            2 * PART + 3,
            all.len(),
        ] {
            let part = tensor.slice(from..to).unwrap();
            assert!(
                part.read_blocking::<u8>().unwrap() == all[from..to],
                "{from}..{to}"
            );
            let awaited = pollster::block_on(part.read_bytes()).unwrap();
            assert!(awaited == all[from..to], "{from}..{to}, awaited");
        }
    }
    let doubles: Vec<f64> = (0..PART / 8 + 3).map(|i| i as f64).collect();
    let tensor = context.tensor(&doubles, [doubles.len()]).unwrap();
    let part = tensor.slice(1..).unwrap();
    assert!(part.read_blocking::<f64>().unwrap() == doubles[1..]);
    let bools: Vec<bool> = (0..PART + 5).map(|i| i % 3 == 0).collect();
    let tensor = context.tensor(&bools, [bools.len()]).unwrap();
    assert!(tensor.slice(2..).unwrap().read_blocking::<bool>().unwrap() == bools[2..]);
}

/// Uploads through staging buffers that are used in turn: of all sizes about theirs, and of several threads at a time.
#[test]
fn large_uploads_have_every_element() {
    const PART: usize = 4 << 20;
    let context = context();
    let uploaded = |len: usize, seed: usize| {
        let all: Vec<u8> = (0..len).map(|i| ((i * 7 + seed) % 253) as u8).collect();
        let tensor = context.tensor(&all, [len]).unwrap();
        assert!(
            tensor.read_blocking::<u8>().unwrap() == all,
            "{len}, {seed}"
        );
    };
    for (n, len) in [1 << 20, PART - 1, PART, PART + 1, 5 * PART + 3]
        .into_iter()
        .enumerate()
    {
        for len in [len - 1, len, len + 1] {
            uploaded(len, n);
        }
    }
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let uploaded = &uploaded;
            scope.spawn(move || {
                (0..4).for_each(|n| uploaded((thread + 1) * PART / 3, 8 * n + thread))
            });
        }
    });
    // Beside work on freed buffers that is recorded and not submitted.
    for n in 0..20u32 {
        let some = vec![n; PART / 8];
        let x = context.tensor(&some, [some.len()]).unwrap();
        let y = (x.expr() + 1u32).eval().unwrap();
        drop(x);
        let other = context.tensor(&vec![7u32; PART / 8], [PART / 8]).unwrap();
        assert!(y.read_blocking::<u32>().unwrap() == vec![n + 1; PART / 8]);
        assert!(other.read_blocking::<u32>().unwrap() == vec![7; PART / 8]);
    }
}

#[test]
fn sixty_four_reads_are_awaited_at_once_under_pollster() {
    within_a_minute(|| {
        let context = context();
        let (tensors, expected): (Vec<_>, Vec<_>) = (0..64).map(|n| counted(&context, n)).unzip();
        let found = pollster::block_on(join(tensors.iter().map(|t| t.read::<i32>()).collect()));
        let found: Vec<Vec<i32>> = found.into_iter().map(Result::unwrap).collect();
        assert_eq!(found, expected);
    });
}

#[test]
fn sixty_four_reads_are_awaited_at_once_under_tokio() {
    within_a_minute(|| {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .build()
            .unwrap();
        let context = context();
        let tasks: Vec<_> = (0..64)
            .map(|n| {
                let (tensor, expected) = counted(&context, n);
                runtime
                    .spawn(async move { assert_eq!(tensor.read::<i32>().await.unwrap(), expected) })
            })
            .collect();
        runtime.block_on(async {
            for task in tasks {
                task.await.unwrap();
            }
        });
    });
}

#[test]
fn a_read_that_is_dropped_half_way_leaves_the_others_alone() {
    within_a_minute(|| {
        let context = plain_context();
        for n in 0..20 {
            let (kept, expected) = counted(&context, n);
            let (dropped, _) = counted(&context, -n);
            let mut read = Box::pin(dropped.read::<i32>());
            let _ = read
                .as_mut()
                .poll(&mut task::Context::from_waker(task::Waker::noop()));
            drop(read);
            drop(dropped.read::<i32>());
            assert_eq!(pollster::block_on(kept.read::<i32>()).unwrap(), expected);
            assert_eq!(dropped.read_blocking::<i32>().unwrap()[0], -n);
        }
    });
}

/// Asks until the bytes have come.
fn asked(mut read: PendingBytes) -> Result<Vec<u8>, Error> {
    loop {
        if let Some(bytes) = read.try_take()? {
            return Ok(bytes);
        }
        std::thread::yield_now();
    }
}

#[test]
fn reads_that_are_asked_for_come_without_a_thread_that_waits() {
    within_a_minute(|| {
        let context = plain_context();
        // Twice, so that staging buffers are used again, and with others that wait otherwise.
        for round in 0..2 {
            let (tensors, expected): (Vec<_>, Vec<_>) =
                (0..20).map(|n| counted(&context, n + round)).unzip();
            let reads: Vec<PendingBytes> = tensors
                .iter()
                .map(|t| t.start_read_bytes().unwrap())
                .collect();
            drop(tensors[0].start_read_bytes().unwrap());
            assert_eq!(
                pollster::block_on(tensors[1].read::<i32>()).unwrap(),
                expected[1]
            );
            assert_eq!(tensors[2].read_blocking::<i32>().unwrap(), expected[2]);
            for (read, expected) in reads.into_iter().zip(&expected).rev() {
                let bytes = asked(read).unwrap();
                assert_eq!(bytes, bytemuck::cast_slice::<i32, u8>(expected));
            }
        }
        let (tensor, _) = counted(&context, 3);
        let some = |low, high| [zerostride::Index::Range(Some(low), Some(high), 1)];
        let nothing = tensor.slice(some(4, 4)).unwrap();
        assert!(
            asked(nothing.start_read_bytes().unwrap())
                .unwrap()
                .is_empty()
        );
        // Bytes that begin inside a word, and bytes that lie apart.
        let bytes = context
            .tensor(&(0..100).collect::<Vec<u8>>(), [100])
            .unwrap();
        let part = bytes.slice(some(3, 8)).unwrap();
        assert_eq!(
            asked(part.start_read_bytes().unwrap()).unwrap(),
            [3, 4, 5, 6, 7]
        );
        let reversed = [zerostride::Index::Range(None, Some(95), -1)];
        let reversed = bytes.slice(reversed).unwrap();
        assert_eq!(
            asked(reversed.start_read_bytes().unwrap()).unwrap(),
            [99, 98, 97, 96]
        );

        let mut read = tensor.start_read_bytes().unwrap();
        while read.try_take().unwrap().is_none() {}
        let again = read.try_take();
        assert!(matches!(again, Err(Error::Argument { .. })), "{again:?}");
    });
}

#[test]
fn threads_ask_for_reads_beside_one_another() {
    within_a_minute(|| {
        let context = plain_context();
        std::thread::scope(|scope| {
            for t in 0..8 {
                let context = &context;
                scope.spawn(move || {
                    for n in 0..50 {
                        let (tensor, expected) = counted(context, 100 * t + n);
                        let bytes = asked(tensor.start_read_bytes().unwrap()).unwrap();
                        assert_eq!(bytes, bytemuck::cast_slice::<i32, u8>(&expected));
                    }
                });
            }
        });
    });
}

#[test]
fn the_helper_thread_ends_with_its_context() {
    within_a_minute(|| {
        for n in 0..20 {
            let context = plain_context();
            let (tensor, expected) = counted(&context, n);
            assert_eq!(pollster::block_on(tensor.read::<i32>()).unwrap(), expected);
        }
    });
    let threads = std::fs::read_dir("/proc/self/task").map(|tasks| {
        let name = |t: std::io::Result<std::fs::DirEntry>| {
            std::fs::read_to_string(t.ok()?.path().join("comm")).ok()
        };
        tasks
            .filter_map(name)
            .filter(|n| n.starts_with("zerostride-poll"))
            .count()
    });
    // Other tests run beside this one and have a helper each.
    assert!(threads.is_ok_and(|n| n < 12) || cfg!(not(target_os = "linux")));
}

#[test]
fn awaited_reads_go_on_beside_threads_that_wait_for_long_work() {
    within_a_minute(|| {
        let context = plain_context();
        let beside = Duration::from_secs(if few() { 4 } else { 15 });
        let until = std::time::Instant::now() + beside;
        std::thread::scope(|scope| {
            for t in 0..5usize {
                let context = &context;
                scope.spawn(move || {
                    let n = [1 << 21, 1 << 21, 1 << 20, 3000, 300][t];
                    let x = context.tensor(&vec![0.5f32; n], [n]).unwrap();
                    let mut rounds = 0;
                    while std::time::Instant::now() < until {
                        let y = x.add(&x).unwrap();
                        match t {
                            0 | 1 => {
                                // Tens of milliseconds on a CPU.
                                let long = (0..4).fold(y, |y, _| y.tanh().unwrap());
                                let few = long
                                    .slice([zerostride::Index::Range(Some(0), Some(4), 1)])
                                    .unwrap();
                                assert_eq!(few.read_blocking::<f32>().unwrap().len(), 4);
                            }
                            2 => {
                                context.flush().unwrap();
                                // A caller may poll too.
                                let _ = context.device().poll(wgpu::PollType::Poll);
                            }
                            _ => assert_eq!(
                                pollster::block_on(y.read::<f32>()).unwrap(),
                                vec![1.0; n]
                            ),
                        }
                        rounds += 1;
                    }
                    assert!(rounds > 0);
                });
            }
        });
        let x = context.tensor(&[1i32], [1]).unwrap();
        assert_eq!(pollster::block_on(x.read::<i32>()).unwrap(), [1]);
    });
}

#[test]
fn sixty_four_threads_share_one_context() {
    within_a_minute(|| {
        let context = plain_context();
        let threads: Vec<_> = (0..64)
            .map(|n| {
                let context = context.clone();
                std::thread::spawn(move || {
                    for round in 0..10 {
                        let len = 1 + (n * 7 + round) as usize % 90;
                        let x = context.tensor(&vec![n; len], [len]).unwrap();
                        let y = context.tensor(&[round, 1], [2, 1]).unwrap();
                        let sum = match n % 3 {
                            0 => x.add(&y),
                            1 => x.sub(&y),
                            _ => x.mul(&y),
                        };
                        drop(x);
                        let found = sum.unwrap().read_blocking::<i32>().unwrap();
                        let expect = |y| match n % 3 {
                            0 => n + y,
                            1 => n - y,
                            _ => n * y,
                        };
                        assert_eq!(
                            found,
                            [vec![expect(round); len], vec![expect(1); len]].concat()
                        );
                    }
                })
            })
            .collect();
        threads.into_iter().for_each(|t| t.join().unwrap());
    });
}

type Call = Box<dyn FnOnce() -> Result<(), Error>>;

fn large(context: &Context) -> Result<Tensor, Error> {
    context.tensor(&vec![1u8; 5 << 20], [5 << 20])
}

/// Every entry point, on operands made while the device was well.
fn entry_points(context: &Context) -> Vec<(&'static str, Call)> {
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [4]).unwrap();
    let view = x.slice([zerostride::Index::Range(None, None, -1)]).unwrap();
    let nothing = x
        .slice([zerostride::Index::Range(Some(4), None, 1)])
        .unwrap();
    let plan = Plan::new(&Expr::slot(0).neg(), &[x.slot()], &context.options()).unwrap();
    let out = context.empty(DType::F32, [4]).unwrap();
    let own = raw_buffer(context, &[0; 16], wgpu::BufferUsages::STORAGE);
    let mut encoder = new_encoder(context);
    let mut read = x.start_read_bytes().unwrap();
    // Leaves staging buffers.
    drop(large(context).unwrap());
    context.flush().unwrap();
    // wgpu says that a device is lost once nothing is in flight.
    context
        .device()
        .poll(wgpu::PollType::wait_indefinitely())
        .unwrap();
    let mut calls: Vec<(&'static str, Call)> = Vec::new();
    let (c, t) = (context.clone(), x.clone());
    let mut add = |name, call: Call| calls.push((name, call));
    let with = |f: fn(&Context, &Tensor) -> Result<(), Error>| -> Call {
        let (c, t) = (c.clone(), t.clone());
        Box::new(move || f(&c, &t))
    };
    add("check", with(|c, _| c.check()));
    add("flush", with(|c, _| c.flush()));
    add("tensor", with(|c, _| c.tensor(&[1u8; 8], [8]).map(drop)));
    add("a large tensor", with(|c, _| large(c).map(drop)));
    add(
        "empty tensor",
        with(|c, _| c.tensor::<u8>(&[], [0]).map(drop)),
    );
    add("empty", with(|c, _| c.empty(DType::U8, [8]).map(drop)));
    add("add", with(|_, t| t.add(t).map(drop)));
    add("a new kernel", with(|_, t| t.exp().map(drop)));
    add("eval", with(|_, t| (t.expr() * 2.0).eval().map(drop)));
    add("materialize", with(|_, t| t.materialize().map(drop)));
    add(
        "read_blocking",
        with(|_, t| t.read_blocking::<f32>().map(drop)),
    );
    add(
        "read",
        with(|_, t| pollster::block_on(t.read::<f32>()).map(drop)),
    );
    add(
        "start_read_bytes",
        with(|_, t| t.start_read_bytes().map(drop)),
    );
    add("try_take", Box::new(move || read.try_take().map(drop)));
    let layout = Layout::contiguous([4]).unwrap();
    add(
        "tensors_with_layouts",
        Box::new({
            let context = context.clone();
            move || {
                let one = (DType::U8, layout, &[0u8; 4][..]);
                context.tensors_with_layouts(&[one.clone(), one]).map(drop)
            }
        }),
    );
    add("buffer", with(|_, t| t.buffer().map(drop)));
    add(
        "read of a view",
        Box::new(move || view.read_blocking::<f32>().map(drop)),
    );
    add(
        "read of nothing",
        Box::new(move || nothing.read_blocking::<f32>().map(drop)),
    );
    let (c, p, t) = (context.clone(), plan.clone(), x.clone());
    add("run", Box::new(move || c.run(&p, &[&t]).map(drop)));
    let c = context.clone();
    add(
        "encode",
        Box::new(move || c.encode(&mut encoder, &plan, &[&x], &[&out])),
    );
    let c = context.clone();
    add(
        "wrap",
        Box::new(move || {
            c.wrap(&own, DType::F32, Layout::contiguous([4]).unwrap())
                .map(drop)
        }),
    );
    calls
}

#[test]
fn after_device_loss_every_entry_point_says_so_and_a_new_context_works() {
    within_a_minute(|| {
        let count = entry_points(&plain_context()).len();
        for n in 0..count {
            // Each is the first to meet the loss.
            let context = plain_context();
            let (name, call) = entry_points(&context).swap_remove(n);
            context.device().destroy();
            let found = call();
            assert!(
                matches!(found, Err(Error::DeviceLost { .. })),
                "{name}: {found:?}"
            );
        }
        let context = plain_context();
        let calls = entry_points(&context);
        context.device().destroy();
        for (name, call) in calls {
            let found = call();
            assert!(
                matches!(found, Err(Error::DeviceLost { .. })),
                "{name} after others: {found:?}"
            );
        }
        let (tensor, expected) = counted(&plain_context(), 3);
        assert_eq!(tensor.read_blocking::<i32>().unwrap(), expected);
    });
}

#[test]
fn a_read_under_way_ends_when_the_device_is_lost() {
    within_a_minute(|| {
        let context = plain_context();
        let (tensor, expected) = counted(&context, 5);
        let mut read = Box::pin(tensor.read::<i32>());
        let first = read
            .as_mut()
            .poll(&mut task::Context::from_waker(task::Waker::noop()));
        context.device().destroy();
        let found = match first {
            Poll::Ready(found) => found,
            Poll::Pending => pollster::block_on(read),
        };
        match found {
            Ok(found) => assert_eq!(found, expected),
            Err(Error::DeviceLost { .. }) => {}
            Err(other) => panic!("{other:?}"),
        }
    });
}

#[test]
fn recorded_work_of_a_lost_device_can_be_dropped() {
    within_a_minute(|| {
        let context = plain_context();
        let (tensor, _) = counted(&context, 5);
        context.device().destroy();
        assert!(matches!(context.flush(), Err(Error::DeviceLost { .. })));
        drop(tensor);
        drop(context);
    });
}

#[test]
fn on_a_callers_lost_device_calls_fail_without_panic() {
    within_a_minute(|| {
        let make = || {
            let (device, queue) = own_device();
            let context = Context::from_wgpu(&device, &queue);
            (device, context)
        };
        let count = entry_points(&make().1).len();
        let mut panicked = Vec::new();
        for n in 0..count {
            let (device, context) = make();
            let (name, call) = entry_points(&context).swap_remove(n);
            device.destroy();
            // What comes back is the caller's business too; it must come back.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(call)).is_err() {
                panicked.push(name);
            }
        }
        assert!(panicked.is_empty(), "these panic: {panicked:?}");
    });
}
