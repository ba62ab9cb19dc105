//! What a small call is made of.

use std::time::{Duration, Instant};

use serde_json::json;
use zerostride::{Context, wgpu};

use super::{Failure, say, since, summary, wait};

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read_write> o: array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) i: u32) { o[i] = a[i] + 1.0; }
";
/// Bytes of each buffer.
const BYTES: u64 = 256;
/// Dispatches of the longer steps.
const MANY: usize = 10;
/// How long a thread spins before it sleeps.
const SPIN: Duration = Duration::from_micros(200);

/// How the end of the work is waited for.
#[derive(Clone, Copy)]
enum Way {
    /// The thread sleeps.
    Sleep,
    /// It asks again and again at first.
    Spin,
    /// It does not wait: what is timed is recording and submitting.
    Leave,
}

const WAYS: [(&str, Way); 3] = [
    ("sleep", Way::Sleep),
    ("spin", Way::Spin),
    ("leave", Way::Leave),
];

/// Records a step.
type Record<'a> = Box<dyn Fn(&mut wgpu::CommandEncoder) + 'a>;

/// A kernel that adds 1, with buffers in a row.
struct Bare<'a> {
    context: &'a Context,
    pipeline: wgpu::ComputePipeline,
    buffers: Vec<wgpu::Buffer>,
    staging: wgpu::Buffer,
}

/// Each step in each way, so many times.
pub fn all(context: &Context, times: usize) -> Result<(), Failure> {
    let bare = Bare::new(context);
    for (name, record) in &bare.steps() {
        for (way, how) in WAYS {
            let (mut whole, mut recorded, mut submitted) = (Vec::new(), Vec::new(), Vec::new());
            for _ in 0..times {
                let [a, b, c] = bare.time(record, how)?;
                recorded.push(a);
                submitted.push(b);
                whole.push(c);
            }
            wait(context)?;
            say(&json!({
                "step": name, "waits": way, "times": times, "us_median_p10": summary(whole),
                "record_us": summary(recorded), "submit_us": summary(submitted),
            }))?;
        }
    }
    for (way, how) in &WAYS[..2] {
        let reads: Result<Vec<f64>, Failure> = (0..times).map(|_| bare.read(*how)).collect();
        say(
            &json!({"step": "1 dispatch, copy, map, read", "waits": way, "times": times, "us_median_p10": summary(reads?)}),
        )?;
    }
    own(context, times)
}

/// The library's own: a sum and a wait, a sum that is read.
fn own(context: &Context, times: usize) -> Result<(), Failure> {
    let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [4])?;
    let (mut sums, mut reads) = (Vec::new(), Vec::new());
    for _ in 0..times {
        let start = Instant::now();
        let sum = x.add(&x)?;
        context.flush()?;
        wait(context)?;
        sums.push(since(start));
        drop(sum);
        let start = Instant::now();
        if x.add(&x)?.read_blocking::<f32>()? != [2.0, 4.0, 6.0, 8.0] {
            return Err("the sum is wrong".into());
        }
        reads.push(since(start));
    }
    for (name, found) in [("a sum and a wait", sums), ("a sum that is read", reads)] {
        say(
            &json!({"step": format!("the library: {name}"), "times": times, "us_median_p10": summary(found)}),
        )?;
    }
    Ok(())
}

impl<'a> Bare<'a> {
    fn new(context: &'a Context) -> Self {
        let device = context.device();
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
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: BYTES,
                usage,
                mapped_at_creation: false,
            })
        };
        use wgpu::BufferUsages as Usages;
        let storage = Usages::STORAGE | Usages::COPY_SRC | Usages::COPY_DST;
        Self {
            context,
            pipeline,
            buffers: (0..=2 * MANY).map(|_| buffer(storage)).collect(),
            staging: buffer(Usages::MAP_READ | Usages::COPY_DST),
        }
    }

    fn group(&self, from: usize, to: usize) -> wgpu::BindGroup {
        let entry = |binding, k: usize| wgpu::BindGroupEntry {
            binding,
            resource: self.buffers[k].as_entire_binding(),
        };
        let device = self.context.device();
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &self.pipeline.get_bind_group_layout(0),
            entries: &[entry(0, from), entry(1, to)],
        })
    }

    /// A pass with a dispatch for each of these.
    fn pass(&self, encoder: &mut wgpu::CommandEncoder, groups: &[wgpu::BindGroup]) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        for group in groups {
            pass.set_pipeline(&self.pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(1, 1, 1);
        }
    }

    fn steps(&self) -> Vec<(&'static str, Record<'_>)> {
        // Each reads what the one before wrote; or all read the same.
        let chain: Vec<_> = (0..MANY).map(|k| self.group(k, k + 1)).collect();
        let apart: Vec<_> = (0..MANY).map(|k| self.group(0, MANY + 1 + k)).collect();
        let [one, copied, rows] = [chain[..1].to_vec(), chain[..1].to_vec(), chain.clone()];
        vec![
            ("nothing", Box::new(|_| ())),
            ("1 dispatch", Box::new(move |e| self.pass(e, &one))),
            (
                "10 dispatches that wait for one another, 1 pass",
                Box::new(move |e| self.pass(e, &chain)),
            ),
            (
                "10 dispatches that do not, 1 pass",
                Box::new(move |e| self.pass(e, &apart)),
            ),
            (
                "10 dispatches that wait for one another, 10 passes",
                Box::new(move |e| rows.chunks(1).for_each(|one| self.pass(e, one))),
            ),
            (
                "1 dispatch, new bindings",
                Box::new(|e| self.pass(e, &[self.group(0, 1)])),
            ),
            (
                "1 dispatch, copied to staging",
                Box::new(move |e| {
                    self.pass(e, &copied);
                    e.copy_buffer_to_buffer(&self.buffers[1], 0, &self.staging, 0, BYTES);
                }),
            ),
        ]
    }

    /// Microseconds until a step is recorded, of its submission, and until it is waited for.
    fn time(&self, record: &Record<'_>, way: Way) -> Result<[f64; 3], Failure> {
        let start = Instant::now();
        let mut encoder = self
            .context
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        record(&mut encoder);
        let work = encoder.finish();
        let recorded = since(start);
        self.context.queue().submit([work]);
        let submitted = since(start);
        self.end(way)?;
        Ok([recorded, submitted - recorded, since(start)])
    }

    fn end(&self, way: Way) -> Result<(), Failure> {
        let start = Instant::now();
        match way {
            Way::Leave => return Ok(()),
            Way::Sleep => {}
            Way::Spin => {
                while start.elapsed() < SPIN {
                    let polled = self.context.device().poll(wgpu::PollType::Poll)?;
                    if polled.is_queue_empty() {
                        return Ok(());
                    }
                }
            }
        }
        wait(self.context)
    }

    /// Microseconds until the bytes of a dispatch are there.
    fn read(&self, way: Way) -> Result<f64, Failure> {
        let start = Instant::now();
        let mut encoder = self
            .context
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        self.pass(&mut encoder, &[self.group(0, 1)]);
        encoder.copy_buffer_to_buffer(&self.buffers[1], 0, &self.staging, 0, BYTES);
        self.context.queue().submit([encoder.finish()]);
        self.staging.map_async(wgpu::MapMode::Read, .., |_| ());
        self.end(way)?;
        // A buffer that is mapped is told of by a poll behind the work.
        wait(self.context)?;
        let bytes = self
            .staging
            .get_mapped_range(..)
            .map_err(|e| e.to_string())?
            .to_vec();
        self.staging.unmap();
        let time = since(start);
        match bytemuck::pod_collect_to_vec::<u8, f32>(&bytes)[..] == [1.0; BYTES as usize / 4] {
            true => Ok(time),
            false => Err("what was read is wrong".into()),
        }
    }
}
