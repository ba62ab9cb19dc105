//! What a small call costs on the bare device, for `crates/py/benches/small_call.py`: two arrays of
//! 1,024 floats uploaded together, one dispatch that adds them, and the sum read back. Pipeline,
//! bindings and buffers are prepared, and no error is asked for.
//!
//! For each line of standard input, a number of calls and the nanoseconds to wait before each, it
//! prints two numbers: nanoseconds a call, and those of them that the device takes, from the
//! submission until the sum is there. A driver whose threads fall asleep between calls takes longer
//! the longer it is left alone, so what waits as long as another program computes is answered as
//! late.

use std::io::{BufRead as _, Write as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use zerostride::{Context, wgpu};

/// Floats of each array.
const LEN: usize = 1024;
const BYTES: u64 = 4 * LEN as u64;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> a: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read> b: array<vec4<f32>>;
@group(0) @binding(2) var<storage, read_write> o: array<vec4<f32>>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3<u32>) {
    o[id.x] = a[id.x] + b[id.x];
}
";

/// Everything that is there before the first call.
struct Bare {
    device: wgpu::Device,
    queue: wgpu::Queue,
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
    inputs: wgpu::Buffer,
    output: wgpu::Buffer,
    staging: wgpu::Buffer,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let context = Context::builder().from_env().request_blocking()?;
    let bare = Bare::new(&context);
    let ones = [1.0f32; 2 * LEN];
    let (sum, _) = bare.call(bytemuck::cast_slice(&ones))?;
    if bytemuck::pod_collect_to_vec::<u8, f32>(&sum) != [2.0; LEN] {
        return Err("the sum is wrong".into());
    }
    let mut out = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let (calls, pause) = line.trim().split_once(' ').ok_or("two numbers a line")?;
        let (calls, pause): (u32, u64) = (calls.parse()?, pause.parse()?);
        let pause = Duration::from_nanos(pause);
        let mut on_device = Duration::ZERO;
        let begun = Instant::now();
        for _ in 0..calls {
            let called = Instant::now();
            while called.elapsed() < pause {
                std::hint::spin_loop();
            }
            on_device += bare.call(bytemuck::cast_slice(&ones))?.1;
        }
        let [all, device] = [begun.elapsed(), on_device].map(|t| (t / calls).as_nanos());
        writeln!(out, "{all} {device}")?;
        out.flush()?;
    }
    Ok(())
}

impl Bare {
    fn new(context: &Context) -> Self {
        let (device, queue) = (context.device().clone(), context.queue().clone());
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: None,
            source: wgpu::ShaderSource::Wgsl(KERNEL.into()),
        });
        let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            cache: None,
        });
        let buffer = |size, usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size,
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as Usages;
        let inputs = buffer(2 * BYTES, Usages::STORAGE | Usages::COPY_DST);
        let output = buffer(BYTES, Usages::STORAGE | Usages::COPY_SRC);
        let staging = buffer(BYTES, Usages::MAP_READ | Usages::COPY_DST);
        let range = |buffer, offset| {
            wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                buffer,
                offset,
                size: std::num::NonZeroU64::new(BYTES),
            })
        };
        let shown = [range(&inputs, 0), range(&inputs, BYTES), range(&output, 0)];
        let entries: Vec<_> = (0..)
            .zip(shown)
            .map(|(binding, resource)| wgpu::BindGroupEntry { binding, resource })
            .collect();
        let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        });
        Self {
            device,
            queue,
            pipeline,
            group,
            inputs,
            output,
            staging,
        }
    }

    /// The sum of two arrays that lie one behind the other, and the time from the submission until
    /// it was there.
    fn call(&self, arrays: &[u8]) -> Result<(Vec<u8>, Duration), Failure> {
        self.queue.write_buffer(&self.inputs, 0, arrays);
        let mut encoder = self
            .device
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, &self.group, &[]);
        pass.dispatch_workgroups((LEN / 4 / 64) as u32, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&self.output, 0, &self.staging, 0, BYTES);
        let commands = encoder.finish();
        let submitted = Instant::now();
        self.queue.submit([commands]);
        let done = Arc::new(AtomicBool::new(false));
        let told = Arc::clone(&done);
        self.staging
            .map_async(wgpu::MapMode::Read, .., move |outcome| {
                told.store(outcome.is_ok(), Ordering::Release);
            });
        while !done.load(Ordering::Acquire) {
            self.device.poll(wgpu::PollType::Poll)?;
            std::thread::yield_now();
        }
        let on_device = submitted.elapsed();
        let sum = self.staging.get_mapped_range(..)?.to_vec();
        self.staging.unmap();
        Ok((sum, on_device))
    }
}
