//! `Context`: a device with everything the crate keeps for it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::adapter::{Builder, is_software};
use super::buffer::{Buffer, Pool};
use super::cache::Cache;
use super::kept::Kept;
use super::pipeline::Pipeline;
use super::poller::Poller;
use super::prepared::Fixed;
use super::recorder::Recorder;
use super::submission::Waiter;
use crate::error::{Error, Result};
use crate::kernel::KernelKey;
use crate::op::Op;
use crate::plan::{Limits, Options, Plan, PlanId, Slot};
use crate::rule::Rule;

/// Pipelines kept.
const PIPELINES: usize = 1024;
/// Uniform buffers kept.
const UNIFORMS: usize = 1024;
/// Passes of plans whose pipeline and uniforms are kept together.
const PASSES: usize = 1024;
/// Plans of single operators kept.
const PLANS: usize = 256;
/// Bind groups kept.
const BIND_GROUPS: usize = 256;
/// Bytes of freed buffers kept.
const POOL_BYTES: u64 = 256 << 20;

/// A device and what is kept for it: pipelines, uniform tables, bind groups, freed buffers, and
/// recorded work.
///
/// Clones share all of it. It may be used from any thread, and from callbacks of the caller's that
/// wgpu runs (those of `on_submitted_work_done` and `map_async`), inside this crate's calls too:
/// what they record, submit and read has its place behind what was submitted before. Such a
/// callback must not wait for another thread that uses the context, nor for one that drops it: the
/// thread it runs on may be in the middle of a submission, and the last handle waits for the thread
/// that polls for awaited reads.
///
/// In browsers (`wasm32` with feature `webgpu`) the crate compiles, and does not work yet: a
/// browser answers error scopes later, which calls that create something wait for, and `*_blocking`
/// methods cannot wait there at all.
#[derive(Clone, Debug)]
pub struct Context(pub(crate) Arc<Inner>);

/// A pass: its plan, its number there, and which inputs are the output's own elements.
pub(crate) type PassKey = (PlanId, usize, u64);

/// A call of an operator: its rule, its operands as far as a plan knows them, and which of them are
/// one tensor.
pub(crate) type CallKey = (Op, Rule, Vec<Slot>, Vec<usize>);

/// The key of a bind group: the pipeline's number, and the buffer, offset and size of each binding.
pub(crate) type BindKey = (u64, Vec<(wgpu::Buffer, u64, u64)>);

#[derive(Debug)]
pub(crate) struct Inner {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub info: wgpu::AdapterInfo,
    pub limits: wgpu::Limits,
    pub plan_limits: Limits,
    /// Where an own device reports; a caller's device has its own callbacks.
    loss: Option<Arc<Loss>>,
    pub pipelines: Cache<KernelKey, Arc<Pipeline>>,
    /// Kernels kept on disk.
    pub kept: Option<Kept>,
    /// Pipelines compiled so far.
    pub compiled: AtomicU64,
    /// Nanoseconds that their creation took.
    pub compiling: AtomicU64,
    /// Whether f32 arithmetic flushes subnormals, where that was asked.
    pub flushes: OnceLock<bool>,
    pub uniforms: Cache<Vec<u32>, wgpu::Buffer>,
    /// What does not change from one run of a pass to the next.
    pub fixed: Cache<PassKey, Arc<Fixed>>,
    /// Plans of single operators.
    pub plans: Cache<CallKey, Arc<Plan>>,
    pub bind_groups: Cache<BindKey, wgpu::BindGroup>,
    pub pool: Pool,
    pub recorder: Recorder,
    pub waiter: Waiter,
    pub poller: Poller,
}

/// What the callbacks of an own device leave behind.
#[derive(Debug, Default)]
pub(crate) struct Loss {
    lost: Mutex<Option<String>>,
    error: Mutex<Option<String>>,
}

impl Loss {
    pub fn set(&self, reason: String) {
        *self.lost.lock().unwrap_or_else(PoisonError::into_inner) = Some(reason);
    }

    pub fn report(&self, error: &wgpu::Error) {
        let mut first = self.error.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| error.to_string());
    }

    fn check(&self) -> Result<()> {
        if let Some(reason) = &*self.lost.lock().unwrap_or_else(PoisonError::into_inner) {
            return Err(Error::DeviceLost {
                reason: reason.clone(),
            });
        }
        match self
            .error
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
        {
            Some(reason) => Err(Error::Wgpu {
                what: "an earlier call",
                reason,
            }),
            None => Ok(()),
        }
    }
}

/// Runs creation calls between error scopes of a device, on this thread.
pub(super) fn caught<T>(
    device: &wgpu::Device,
    what: &'static str,
    create: impl FnOnce() -> T,
) -> Result<T> {
    let memory = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
    let internal = device.push_error_scope(wgpu::ErrorFilter::Internal);
    let validation = device.push_error_scope(wgpu::ErrorFilter::Validation);
    let made = create();
    let errors = [validation, internal, memory].map(|scope| pollster::block_on(scope.pop()));
    match errors.into_iter().flatten().next() {
        None => Ok(made),
        Some(wgpu::Error::OutOfMemory { .. }) => Err(Error::OutOfMemory {
            what: what.into(),
            bytes: 0,
        }),
        Some(error) => Err(Error::Wgpu {
            what,
            reason: error.to_string(),
        }),
    }
}

/// Storage buffers that a kernel may have beside its two uniform ones, which some limits count with
/// them.
fn storage_buffers(limits: &wgpu::Limits) -> u32 {
    let all = limits.max_buffers_and_acceleration_structures_per_shader_stage;
    limits
        .max_storage_buffers_per_shader_stage
        .min(all.saturating_sub(2))
}

impl Context {
    /// A context on the best adapter of this machine. See [`Builder`] for choices.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], or [`Error::Wgpu`] where the device is refused.
    pub async fn request() -> Result<Self> {
        Self::builder().request().await
    }

    /// [`request`](Self::request), waiting for it.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn request_blocking() -> Result<Self> {
        Self::builder().request_blocking()
    }

    /// Choices for a context.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// A context on the caller's device. No callback of the device is set, and nothing is submitted
    /// but what this crate's own calls record; so nobody asks whether it keeps subnormal numbers,
    /// and floats are compared by integers.
    ///
    /// Two contexts on one device do not know of each other's recorded work: [`flush`](Self::flush)
    /// one before the other uses its buffers.
    pub fn from_wgpu(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        Self::new(device.clone(), queue.clone(), None, None, None, None)
    }

    pub(super) fn new(
        device: wgpu::Device,
        queue: wgpu::Queue,
        subnormals: Option<bool>,
        loss: Option<Arc<Loss>>,
        pool: Option<u64>,
        kept: Option<Kept>,
    ) -> Self {
        let (info, limits, features) = (device.adapter_info(), device.limits(), device.features());
        let int64 = features.contains(wgpu::Features::SHADER_INT64);
        let plan_limits = Limits {
            max_binding: limits.max_storage_buffer_binding_size / 16 * 16,
            max_storage_buffers: storage_buffers(&limits),
            offset_alignment: limits.min_storage_buffer_offset_alignment,
            max_workgroups: limits.max_compute_workgroups_per_dimension,
            max_invocations: limits
                .max_compute_invocations_per_workgroup
                .min(limits.max_compute_workgroup_size_x),
            max_workgroup_height: limits.max_compute_workgroup_size_y,
            max_workgroup_storage: limits.max_compute_workgroup_storage_size,
            max_immediates: if features.contains(wgpu::Features::IMMEDIATES) {
                limits.max_immediate_size
            } else {
                0
            },
            max_elements: Limits::MAX_ELEMENTS,
            software: is_software(&info),
            int64,
            // Doubles reach the shader's registers through 64-bit integers.
            float64: int64 && features.contains(wgpu::Features::SHADER_F64),
            subnormals: subnormals == Some(true),
        };
        let waiter = Waiter::new(device.clone(), info.backend);
        Self(Arc::new(Inner {
            device,
            queue,
            info,
            limits,
            plan_limits,
            loss,
            pipelines: Cache::new(PIPELINES),
            kept,
            compiled: AtomicU64::new(0),
            compiling: AtomicU64::new(0),
            flushes: subnormals.map_or_else(OnceLock::new, |keeps| OnceLock::from(!keeps)),
            uniforms: Cache::new(UNIFORMS),
            fixed: Cache::new(PASSES),
            plans: Cache::new(PLANS),
            bind_groups: Cache::new(BIND_GROUPS),
            pool: Pool::new(pool.unwrap_or(POOL_BYTES)),
            recorder: Recorder::new(),
            waiter,
            poller: Poller::default(),
        }))
    }

    /// The wgpu device.
    pub fn device(&self) -> &wgpu::Device {
        &self.0.device
    }

    /// The wgpu queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.0.queue
    }

    /// The adapter's name, backend and driver.
    pub fn adapter_info(&self) -> &wgpu::AdapterInfo {
        &self.0.info
    }

    /// The limits that plans for this context are made with.
    pub fn limits(&self) -> Limits {
        self.0.plan_limits
    }

    /// Plan options with this context's limits.
    pub fn options(&self) -> Options {
        Options {
            limits: self.0.plan_limits,
            ..Options::default()
        }
    }

    /// Kernels compiled so far.
    pub fn pipelines_compiled(&self) -> u64 {
        self.0.compiled.load(Ordering::Relaxed)
    }

    /// The time that the creation of their pipelines took, 0 in browsers. Some drivers put the work
    /// off to the first dispatch.
    pub fn compile_time(&self) -> Duration {
        Duration::from_nanos(self.0.compiling.load(Ordering::Relaxed))
    }

    /// Bytes of freed buffers kept for reuse.
    pub fn pooled_bytes(&self) -> u64 {
        self.0.pool.bytes()
    }

    /// Drops all freed buffers that are kept for reuse.
    pub fn trim(&self) {
        self.0.pool.clear();
        self.0.bind_groups.clear();
    }

    /// Whether two contexts are one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Asks the device whether it is lost. Every entry point does this first.
    ///
    /// # Errors
    /// [`Error::DeviceLost`]; [`Error::Wgpu`] for an error that an earlier call left.
    pub fn check(&self) -> Result<()> {
        let Some(loss) = &self.0.loss else {
            return Ok(());
        };
        // A poll of a device that is known to be lost may panic.
        loss.check()?;
        // The lost callback fires at a poll only.
        let polled = self.0.device.poll(wgpu::PollType::Poll);
        loss.check()?;
        polled.map(drop).map_err(|e| Error::Wgpu {
            what: "poll",
            reason: e.to_string(),
        })
    }

    /// Submits everything that was recorded or uploaded. Reads do this by themselves.
    ///
    /// # Errors
    /// [`Error::DeviceLost`], or [`Error::Wgpu`] where the recorded work is refused.
    pub fn flush(&self) -> Result<()> {
        self.check()?;
        self.submit()
    }

    /// Runs creation calls between error scopes, on this thread.
    pub(super) fn scoped<T>(&self, what: &'static str, create: impl FnOnce() -> T) -> Result<T> {
        self.caught(what, create)
            .map_err(|error| self.lost_or(error))
    }

    /// The loss of the device, where that is why wgpu refused something. No lock may be held: it
    /// polls.
    pub(super) fn lost_or(&self, error: Error) -> Error {
        match error {
            Error::Wgpu { .. } => self.check().err().unwrap_or(error),
            other => other,
        }
    }

    /// [`scoped`](Self::scoped) without asking whether the device is lost.
    pub(super) fn caught<T>(&self, what: &'static str, create: impl FnOnce() -> T) -> Result<T> {
        caught(&self.0.device, what, create)
    }

    /// A buffer for this many bytes, in whole quads. `upload`: it is filled by an upload before
    /// anything else, so a reused one must not be in unsubmitted work.
    pub(crate) fn allocate(&self, bytes: u64, upload: bool) -> Result<Buffer> {
        let limit = self.0.limits.max_buffer_size / 32 * 32;
        let needed = bytes.checked_next_multiple_of(32).unwrap_or(u64::MAX);
        if needed > limit {
            return Err(Error::BufferTooLarge {
                what: "a tensor".into(),
                bytes: needed,
                limit,
            });
        }
        let size = Pool::size(needed).min(limit);
        let submitted = self.0.recorder.submitted();
        let home = Arc::downgrade(&self.0);
        if let Some(free) = self.0.pool.take(size, submitted, upload) {
            let buffer = Buffer::pooled(free.raw, bytes, home);
            buffer.last_batch.store(free.last_batch, Ordering::Relaxed);
            return Ok(buffer);
        }
        let usage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_SRC
            | wgpu::BufferUsages::COPY_DST;
        let raw = self.create_buffer("a buffer", size, usage)?;
        Ok(Buffer::pooled(raw, bytes, home))
    }

    /// A new wgpu buffer; where memory does not suffice, once more without what the pool keeps.
    /// `what` serves for errors.
    pub(super) fn create_buffer(
        &self,
        what: &str,
        size: u64,
        usage: wgpu::BufferUsages,
    ) -> Result<wgpu::Buffer> {
        let descriptor = wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        };
        let create = || self.scoped("create_buffer", || self.0.device.create_buffer(&descriptor));
        match create() {
            Err(Error::OutOfMemory { .. }) => {
                self.flush()?;
                self.trim();
                if let Some(last) = self.0.recorder.last_submission() {
                    self.0.waiter.wait(&last);
                }
                create().map_err(|e| e.sized(what, size))
            }
            other => other,
        }
    }

    /// An immutable uniform buffer with these words, a multiple of four.
    pub(super) fn uniform(&self, words: &Vec<u32>) -> Result<wgpu::Buffer> {
        self.0.uniforms.get(words, || {
            self.scoped("create_buffer", || {
                let buffer = self.0.device.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: words.len() as u64 * 4,
                    usage: wgpu::BufferUsages::UNIFORM,
                    mapped_at_creation: true,
                });
                let filled = buffer
                    .get_mapped_range_mut(..)
                    .map(|mut view| view.copy_from_slice(bytemuck::cast_slice(words)));
                buffer.unmap();
                filled.map(|()| buffer)
            })
            .map_err(|e| e.sized("a uniform table", words.len() as u64 * 4))?
            .map_err(|e| Error::Wgpu {
                what: "get_mapped_range_mut",
                reason: e.to_string(),
            })
        })
    }
}
