//! Uploads and reads by size.

use std::time::{Duration, Instant};

use serde_json::json;
use zerostride::{Context, DType, Tensor, wgpu};

use super::{Failure, say, since, summary, wait};

/// The smallest transfer, and how much larger the next is, as powers of two.
const SMALLEST: u32 = 12;
const STEP: usize = 4;
/// How long a transfer is repeated, and how often at least and at most.
const PATIENCE: Duration = Duration::from_millis(250);
const TIMES: [usize; 2] = [3, 100];
/// MiB of a staging buffer that is kept, and threads that copy out of it.
const CHUNKS: [u64; 3] = [4, 16, 64];
const THREADS: [usize; 3] = [1, 2, 4];

/// All sizes from the smallest on, the largest among them.
pub fn all(context: &Context, largest: u32) -> Result<(), Failure> {
    for log2 in (SMALLEST..=largest).step_by(STEP) {
        let bytes: Vec<u8> = (0..1usize << log2).map(|i| (i % 251) as u8).collect();
        let tensor = context.tensor_from_bytes(DType::U8, [bytes.len()], &bytes)?;
        report(log2, "upload", || {
            let again = context.tensor_from_bytes(DType::U8, [bytes.len()], &bytes)?;
            context.flush()?;
            wait(context)?;
            drop(again);
            Ok(())
        })?;
        let mut found = Vec::new();
        report(log2, "read", || {
            found = tensor.read_bytes_blocking()?;
            Ok(())
        })?;
        if found != bytes {
            return Err("what was read is not what was written".into());
        }
        // Where there is more than one staging buffer of it.
        for mebibytes in CHUNKS.into_iter().filter(|m| m << 20 <= 1u64 << log2) {
            for threads in THREADS {
                staged(
                    context,
                    &tensor,
                    log2,
                    [mebibytes as usize, threads],
                    &bytes,
                )?;
            }
        }
        context.trim();
    }
    Ok(())
}

/// A read in pieces through one staging buffer, into an array that is kept, by some threads.
fn staged(
    context: &Context,
    tensor: &Tensor,
    log2: u32,
    [mebibytes, threads]: [usize; 2],
    bytes: &[u8],
) -> Result<(), Failure> {
    let chunk = mebibytes << 20;
    let staging = context.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: chunk as u64,
        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    let from = tensor.buffer()?;
    let mut found = vec![0u8; bytes.len()];
    let name = format!("read by {mebibytes} MiB, {threads} threads");
    report(log2, &name, || {
        for (n, piece) in found.chunks_mut(chunk).enumerate() {
            let mut encoder = context
                .device()
                .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            let at = (n * chunk) as u64;
            encoder.copy_buffer_to_buffer(&from, at, &staging, 0, piece.len() as u64);
            context.queue().submit([encoder.finish()]);
            staging.map_async(wgpu::MapMode::Read, .., |_| ());
            wait(context)?;
            let mapped = staging.get_mapped_range(..).map_err(|e| e.to_string())?;
            let part = piece.len().div_ceil(threads);
            std::thread::scope(|scope| {
                for (to, from) in piece.chunks_mut(part).zip(mapped.chunks(part)) {
                    scope.spawn(move || to.copy_from_slice(from));
                }
            });
            drop(mapped);
            staging.unmap();
        }
        Ok(())
    })?;
    match found == bytes {
        true => Ok(()),
        false => Err(format!("{name}: what was read is not what was written").into()),
    }
}

/// Times a transfer until it was patient enough.
fn report(
    log2: u32,
    name: &str,
    mut transfer: impl FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    let [least, most] = TIMES;
    let begun = Instant::now();
    let mut times = Vec::new();
    while times.len() < least || (begun.elapsed() < PATIENCE && times.len() < most) {
        let start = Instant::now();
        transfer()?;
        times.push(since(start));
    }
    let count = times.len();
    let [median, p10] = summary(times);
    let gbps = (1u64 << log2) as f64 / median / 1e3;
    say(
        &json!({"transfer": name, "log2": log2, "times": count, "us_median_p10": [median, p10], "gbps": (gbps * 100.0).round() / 100.0}),
    )
}
