//! Memory of a process that goes on and on: what is bounded however much is done.

use crate::common::{alone, plain_context, resident};

/// Operations of the test below; `ZEROSTRIDE_OPERATIONS` names another number.
const OPERATIONS: usize = 200_000;

#[test]
fn operations_without_a_read_take_no_more_memory_the_more_they_are() {
    alone(
        "memory::operations_without_a_read_take_no_more_memory_the_more_they_are",
        || {
            let wanted = std::env::var("ZEROSTRIDE_OPERATIONS")
                .ok()
                .and_then(|n| n.parse().ok());
            let operations = wanted.unwrap_or(OPERATIONS);
            let context = plain_context();
            let one = context.tensor(&[1i32], [1]).unwrap();
            let mut x = context.tensor(&[0i32; 6], [2, 3]).unwrap();
            let warm = operations / 10;
            let (mut start, mut pooled) = (0, 0);
            for n in 0..operations {
                x = x.add(&one).unwrap();
                if n == warm {
                    start = resident();
                }
                pooled = pooled.max(context.pooled_bytes());
            }
            let grown = resident().saturating_sub(start);
            eprintln!(
                "{operations} operations: {grown} bytes more after the first {warm}, {pooled} pooled at most"
            );
            assert!(
                grown < 32 << 20,
                "{grown} bytes more than after {warm} operations"
            );
            assert!(pooled < 16 << 20, "{pooled} bytes are pooled");
            assert_eq!(x.read_blocking::<i32>().unwrap(), [operations as i32; 6]);
        },
    );
}

/// Uploads of the tests below.
const UPLOADS: usize = 100_000;
/// Bytes that they may take beside what the first tenth took.
const MOST_STAGED: u64 = 16 << 20;

#[test]
fn small_uploads_without_a_submit_take_no_more_memory_the_more_they_are() {
    alone(
        "memory::small_uploads_without_a_submit_take_no_more_memory_the_more_they_are",
        || {
            let context = plain_context();
            let mut tenths = Vec::new();
            for n in 0..=UPLOADS {
                drop(context.tensor(&[n as i32], [1]).unwrap());
                if n > 0 && n % (UPLOADS / 10) == 0 {
                    tenths.push(resident());
                }
            }
            let grown = tenths[9].saturating_sub(tenths[0]);
            eprintln!("{grown} bytes more after {UPLOADS} uploads: after each tenth {tenths:?}");
            assert!(grown < MOST_STAGED);
        },
    );
}

#[test]
fn flush_gives_back_the_staging_memory_of_uploads() {
    alone(
        "memory::flush_gives_back_the_staging_memory_of_uploads",
        || {
            let (device, queue) = crate::common::own_device();
            let context = zerostride::Context::from_wgpu(&device, &queue);
            let staged = |context: &zerostride::Context| {
                context.flush().unwrap();
                device
                    .poll(zerostride::wgpu::PollType::wait_indefinitely())
                    .unwrap();
                device
                    .generate_allocator_report()
                    .map(|report| report.total_allocated_bytes)
            };
            let Some(before) = staged(&context) else {
                // Only a backend whose memory wgpu manages says how much there is.
                assert_ne!(
                    context.adapter_info().backend,
                    zerostride::wgpu::Backend::Vulkan
                );
                return;
            };
            drop(context.tensor(&vec![1u8; 32 << 20], [32 << 20]).unwrap());
            context.trim();
            let after = staged(&context).unwrap();
            assert!(
                after < before + (1 << 20),
                "{before} bytes before, {after} after"
            );
        },
    );
}
