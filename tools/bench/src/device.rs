//! The plain wgpu side: timing and hand-written kernels.

use std::path::Path;
use std::time::Instant;

use zerostride::{Context, Error, Result, wgpu};
use zerostride_bench::workload::Kernel;

/// How runs are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Clock {
    /// The device's timestamps where it is a GPU that has them, else the wall.
    Auto,
    /// Timestamps of the device.
    Gpu,
    /// From submit to the end of a wait.
    Wall,
}

/// Times recorded work.
pub struct Timer {
    context: Context,
    queries: Option<Queries>,
}

struct Queries {
    set: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    read: wgpu::Buffer,
    /// Nanoseconds of a tick.
    period: f64,
}

impl Timer {
    pub fn new(context: &Context, clock: Clock) -> Result<Self> {
        let device = context.device();
        let has = device.features().contains(wgpu::Features::TIMESTAMP_QUERY);
        let wanted = match clock {
            Clock::Auto => has && !context.limits().software,
            Clock::Gpu if !has => {
                return Err(Error::Unsupported {
                    what: "timestamps on this adapter; use --clock wall".into(),
                });
            }
            Clock::Gpu => true,
            Clock::Wall => false,
        };
        let buffer = |usage| {
            device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage,
                mapped_at_creation: false,
            })
        };
        let queries = wanted.then(|| Queries {
            set: device.create_query_set(&wgpu::QuerySetDescriptor {
                label: None,
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            }),
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC),
            read: buffer(wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ),
            period: f64::from(context.queue().get_timestamp_period()),
        });
        Ok(Self {
            context: context.clone(),
            queries,
        })
    }

    /// Whether the device's timestamps time the work.
    pub fn is_of_device(&self) -> bool {
        self.queries.is_some()
    }

    /// `gpu` or `wall`.
    pub fn name(&self) -> &'static str {
        match self.is_of_device() {
            true => "gpu",
            false => "wall",
        }
    }

    /// Nanoseconds that recorded work takes: recording itself is not counted. The wall counts from
    /// submit to the end of a wait, timestamps what lies between an empty pass before the work and
    /// one after it.
    pub fn time(
        &self,
        record: &mut dyn FnMut(&mut wgpu::CommandEncoder) -> Result<()>,
    ) -> Result<f64> {
        let mut encoder = self
            .context
            .device()
            .create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        let Some(queries) = &self.queries else {
            record(&mut encoder)?;
            let work = encoder.finish();
            let start = Instant::now();
            self.context.queue().submit([work]);
            wait(&self.context)?;
            return Ok(start.elapsed().as_nanos() as f64);
        };
        queries.mark(&mut encoder, None, Some(0));
        record(&mut encoder)?;
        queries.mark(&mut encoder, Some(1), None);
        encoder.resolve_query_set(&queries.set, 0..2, &queries.resolved, 0);
        encoder.copy_buffer_to_buffer(&queries.resolved, 0, &queries.read, 0, 16);
        self.context.queue().submit([encoder.finish()]);
        let [start, end] = queries.ticks(&self.context)?;
        if end <= start {
            let reason = format!(
                "the device's timestamps do not advance ({start}, {end}); use --clock wall"
            );
            return Err(Error::Wgpu {
                what: "timestamps",
                reason,
            });
        }
        Ok((end - start) as f64 * queries.period)
    }
}

impl Queries {
    /// An empty pass that writes timestamps.
    fn mark(&self, encoder: &mut wgpu::CommandEncoder, begin: Option<u32>, end: Option<u32>) {
        drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &self.set,
                beginning_of_pass_write_index: begin,
                end_of_pass_write_index: end,
            }),
        }));
    }

    fn ticks(&self, context: &Context) -> Result<[u64; 2]> {
        let failed = |reason: String| Error::Wgpu {
            what: "timestamps",
            reason,
        };
        self.read.map_async(wgpu::MapMode::Read, .., |_| ());
        wait(context)?;
        let ticks = {
            let view = self
                .read
                .get_mapped_range(..)
                .map_err(|e| failed(e.to_string()))?;
            let words: Vec<u64> = view
                .chunks_exact(8)
                .map(bytemuck::pod_read_unaligned)
                .collect();
            [words[0], words[1]]
        };
        self.read.unmap();
        Ok(ticks)
    }
}

/// Waits for all submitted work.
pub fn wait(context: &Context) -> Result<()> {
    let polled = context.device().poll(wgpu::PollType::wait_indefinitely());
    polled.map(drop).map_err(|e| Error::Wgpu {
        what: "poll",
        reason: e.to_string(),
    })
}

/// Overwrites a buffer with one byte, a piece at a time.
pub fn fill(context: &Context, buffer: &wgpu::Buffer, byte: u8) -> Result<()> {
    let piece = vec![byte; (16 << 20).min(buffer.size() as usize)];
    let mut at = 0;
    while at < buffer.size() {
        let size = (buffer.size() - at).min(piece.len() as u64);
        context
            .queue()
            .write_buffer(buffer, at, &piece[..size as usize]);
        context.queue().submit([]);
        wait(context)?;
        at += size;
    }
    Ok(())
}

/// A compiled hand-written kernel.
pub struct Raw {
    pipeline: wgpu::ComputePipeline,
    params: wgpu::Buffer,
    groups: [u32; 3],
    /// What this kernel writes and another reads, and that one.
    then: Option<(wgpu::Buffer, Box<Raw>)>,
}

impl Raw {
    /// Compiles a kernel; `folder` may hold another text of its name.
    pub fn new(context: &Context, kernel: &Kernel, folder: Option<&Path>) -> Result<Self> {
        let file = folder
            .map(|f| f.join(kernel.name).with_extension("wgsl"))
            .filter(|f| f.exists());
        let other = match file {
            Some(path) => Some(std::fs::read_to_string(&path).map_err(|e| Error::Io {
                path,
                source: std::sync::Arc::new(e),
            })?),
            None => None,
        };
        let (text, constants) = kernel.source(other, context.limits().software);
        let device = context.device();
        let then = match &kernel.then {
            None => None,
            Some(then) => {
                let scratch = scoped(context, "create_buffer", || {
                    device.create_buffer(&wgpu::BufferDescriptor {
                        label: None,
                        size: then.bytes.next_multiple_of(16),
                        usage: wgpu::BufferUsages::STORAGE,
                        mapped_at_creation: false,
                    })
                })?;
                Some((scratch, Box::new(Self::new(context, &then.kernel, folder)?)))
            }
        };
        scoped(context, "hand-written kernel", || {
            let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some(kernel.name),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
            let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(kernel.name),
                layout: None,
                module: &module,
                entry_point: Some("main"),
                compilation_options: wgpu::PipelineCompilationOptions {
                    constants: &constants,
                    zero_initialize_workgroup_memory: false,
                },
                cache: None,
            });
            let params = device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 16,
                usage: wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            context
                .queue()
                .write_buffer(&params, 0, bytemuck::cast_slice(&kernel.params));
            Self {
                pipeline,
                params,
                groups: kernel.groups,
                then,
            }
        })
    }

    /// Its bindings and those of the kernel behind it: each buffer with the bytes of its elements,
    /// the output last.
    pub fn bind(
        &self,
        context: &Context,
        buffers: &[(wgpu::Buffer, u64)],
    ) -> Result<Vec<wgpu::BindGroup>> {
        let Some((scratch, then)) = &self.then else {
            return Ok(vec![self.group(context, buffers)?]);
        };
        let (output, inputs) = buffers.split_last().expect("a kernel has an output");
        let scratch = (scratch.clone(), scratch.size());
        let first = self.group(context, &[inputs, std::slice::from_ref(&scratch)].concat())?;
        let behind = then.bind(context, &[scratch, output.clone()])?;
        Ok([vec![first], behind].concat())
    }

    fn group(&self, context: &Context, buffers: &[(wgpu::Buffer, u64)]) -> Result<wgpu::BindGroup> {
        let mut entries = vec![wgpu::BindGroupEntry {
            binding: 0,
            resource: self.params.as_entire_binding(),
        }];
        entries.extend(
            (1..)
                .zip(buffers)
                .map(|(binding, (buffer, bytes))| wgpu::BindGroupEntry {
                    binding,
                    resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                        buffer,
                        offset: 0,
                        size: std::num::NonZeroU64::new(bytes.next_multiple_of(16)),
                    }),
                }),
        );
        scoped(context, "hand-written kernel's bindings", || {
            context
                .device()
                .create_bind_group(&wgpu::BindGroupDescriptor {
                    label: None,
                    layout: &self.pipeline.get_bind_group_layout(0),
                    entries: &entries,
                })
        })
    }

    /// Records `count` runs in one pass.
    pub fn record(
        &self,
        encoder: &mut wgpu::CommandEncoder,
        bindings: &[wgpu::BindGroup],
        count: usize,
    ) {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
        (0..count).for_each(|_| self.dispatch(&mut pass, bindings));
    }

    /// Records a run among others of a pass.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass<'_>, bindings: &[wgpu::BindGroup]) {
        let all = std::iter::successors(Some(self), |&raw| {
            raw.then.as_ref().map(|(_, then)| &**then)
        });
        for (raw, group) in all.zip(bindings) {
            let [x, y, z] = raw.groups;
            pass.set_pipeline(&raw.pipeline);
            pass.set_bind_group(0, group, &[]);
            pass.dispatch_workgroups(x, y, z);
        }
    }
}

/// Runs creation calls between error scopes.
pub fn scoped<T>(context: &Context, what: &'static str, create: impl FnOnce() -> T) -> Result<T> {
    let device = context.device();
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let made = create();
    let errors = [validation, memory].map(|scope| pollster::block_on(scope.pop()));
    match errors.into_iter().flatten().next() {
        Some(error) => Err(Error::Wgpu {
            what,
            reason: error.to_string(),
        }),
        None => Ok(made),
    }
}
