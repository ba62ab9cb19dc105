//! Pipelines by kernel key.

use std::sync::atomic::Ordering;
use std::time::Duration;

use super::context::Context;
use super::group::Group;
use crate::error::{Error, Result};
use crate::kernel::{KernelKey, Role, binding_list};
use crate::plan::Plan;

/// A compiled kernel.
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// Unlike every other pipeline's of its context.
    pub number: u64,
    pub pipeline: wgpu::ComputePipeline,
    pub layout: wgpu::BindGroupLayout,
    pub roles: Vec<Role>,
    /// Calls that a dispatch of it computes.
    pub calls: u32,
    /// The kernel that computes several of its calls at once.
    pub group: Option<Group>,
}

impl Context {
    /// Compiles the kernels of a plan, several at a time, so that its first [`run`](Self::run) does
    /// not wait for them. Contexts are cheap to clone and plans may be shared, so this may go on in
    /// a thread of the caller's while others work; under OpenGL, where a device does one thing at a
    /// time, one after another.
    ///
    /// Some drivers put the work off to the first dispatch; with them this saves little. An output
    /// in the place of an input takes a kernel of its own, as do many small calls together; neither
    /// is compiled here. Kernels that are there are not compiled again, unless more were used since
    /// than a context keeps (1,024).
    ///
    /// # Errors
    /// [`Error::Kernel`] where the device refuses one; [`Error::Argument`] where the plan was made
    /// for limits that the adapter does not have; [`Error::DeviceLost`].
    pub fn compile(&self, plan: &Plan) -> Result<()> {
        self.check()?;
        self.check_limits(plan)?;
        let mut keys: Vec<KernelKey> = Vec::new();
        for pass in plan.passes.iter().filter(|p| !p.shape.is_empty()) {
            let key = KernelKey::new(pass, &[]);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        let compile = |key: &KernelKey| {
            self.0
                .pipelines
                .get(key, || self.compile_kernel(key).map(std::sync::Arc::new))
                .map(drop)
        };
        self.each(&keys, compile)
    }

    /// Does the same for every key, on several threads where that helps. Under OpenGL wgpu's
    /// threads wait for one another, and panic where that takes long.
    #[cfg(not(target_family = "wasm"))]
    fn each(
        &self,
        keys: &[KernelKey],
        compile: impl Fn(&KernelKey) -> Result<()> + Copy + Send + Sync,
    ) -> Result<()> {
        let alone = self.0.info.backend == wgpu::Backend::Gl;
        let threads = if alone {
            1
        } else {
            std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get)
        };
        if threads == 1 || keys.len() < 2 {
            return keys.iter().try_for_each(compile);
        }
        let next = std::sync::atomic::AtomicUsize::new(0);
        let work = || {
            std::iter::from_fn(|| keys.get(next.fetch_add(1, Ordering::Relaxed)))
                .try_for_each(compile)
        };
        std::thread::scope(|scope| {
            let others: Vec<_> = (1..threads.min(keys.len()))
                .map(|_| scope.spawn(work))
                .collect();
            let own = work();
            let ends = others.into_iter().map(|thread| {
                thread
                    .join()
                    .unwrap_or_else(|e| std::panic::resume_unwind(e))
            });
            ends.fold(own, Result::and)
        })
    }

    /// Does the same for every key: a browser compiles by itself while others work, and has no
    /// threads to wait in.
    #[cfg(target_family = "wasm")]
    fn each(&self, keys: &[KernelKey], compile: impl Fn(&KernelKey) -> Result<()>) -> Result<()> {
        keys.iter().try_for_each(compile)
    }

    /// Compiles a kernel. Errors come from the creation calls' own scopes, on this thread.
    pub(super) fn compile_kernel(&self, key: &KernelKey) -> Result<Pipeline> {
        let number = self.0.compiled.fetch_add(1, Ordering::Relaxed);
        let cache = self.0.kept.as_ref().map(|kept| &kept.cache);
        let (made, time) = timed(|| create(&self.0.device, key, number, cache));
        self.0.compiling.fetch_add(
            u64::try_from(time.as_nanos()).unwrap_or(u64::MAX),
            Ordering::Relaxed,
        );
        made.map(|pipeline| Pipeline {
            group: key
                .grouped(self.0.plan_limits.max_storage_buffers)
                .filter(|_| key.calls == 1)
                .map(Group::new),
            ..pipeline
        })
    }
}

/// What `work` gives, and how long it took.
#[cfg(not(target_family = "wasm"))]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = std::time::Instant::now();
    let done = work();
    (done, started.elapsed())
}

/// What `work` gives; the standard library has no clock in browsers.
#[cfg(target_family = "wasm")]
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    (work(), Duration::ZERO)
}

fn create(
    device: &wgpu::Device,
    key: &KernelKey,
    number: u64,
    cache: Option<&wgpu::PipelineCache>,
) -> Result<Pipeline> {
    let text = key.wgsl();
    let bindings = binding_list(key);
    let scope = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: Some("zerostride kernel"),
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let entries: Vec<_> = bindings
        .iter()
        .map(|b| wgpu::BindGroupLayoutEntry {
            binding: b.number,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match b.role {
                    Role::Table | Role::Scalars => wgpu::BufferBindingType::Uniform,
                    Role::Input { .. } => wgpu::BufferBindingType::Storage { read_only: true },
                    Role::Output { .. } => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: std::num::NonZeroU64::new(b.min_size),
            },
            count: None,
        })
        .collect();
    let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    });
    let pipeline_layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(&layout)],
        immediate_size: if key.immediate {
            key.scalar_rows() as u32 * 16
        } else {
            0
        },
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: Some("zerostride"),
        layout: Some(&pipeline_layout),
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions {
            zero_initialize_workgroup_memory: false,
            ..Default::default()
        },
        cache,
    });
    let errors = [
        pollster::block_on(internal.pop()),
        pollster::block_on(scope.pop()),
    ];
    if let Some(error) = errors.into_iter().flatten().next() {
        return Err(Error::Kernel {
            reason: error.to_string(),
        });
    }
    let roles = bindings.iter().map(|b| b.role).collect();
    Ok(Pipeline {
        number,
        pipeline,
        layout,
        roles,
        calls: key.calls,
        group: None,
    })
}
