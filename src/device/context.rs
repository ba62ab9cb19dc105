//! `Context`: a device with everything the crate keeps for it.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::allocator::Allocator;
use super::buffer::Buffer;
use super::gpu::Gpu;
use super::kernels::Kernels;
use super::memory::Memory;
use super::pass_resources::Passes;
use super::pipeline_cache::PipelineCache;
use super::plans::Plans;
use super::poison::Poison;
use super::pool::FirstUse;
use super::probe;
use super::queue::Queue;
use super::record::Recorder;
use super::transfer::Transfers;
use super::turns::{Turn, Turns};
use crate::error::Result;
use crate::plan::{Limits, Options, Plan};

/// A device and what is kept for it: pipelines, uniform tables, bind groups, freed buffers, and
/// recorded work.
///
/// Clones share all of it. It may be used from any thread, and from callbacks of the caller's that
/// wgpu runs (those of `on_submitted_work_done` and `map_async`), inside this crate's calls too:
/// what they record, submit and read has its place behind what was submitted before. Such a
/// callback must not wait for another thread that uses the context, nor for one that drops it: the
/// thread it runs on may be in the middle of a submission, and the last handle waits for the thread
/// that polls for awaited reads. And it makes its own wgpu objects between error scopes of its own:
/// inside a submission an error of theirs would be taken for one of the submission.
///
/// Browsers (`wasm32` with feature `webgpu`) cannot block: they have no `*_blocking` methods, and the
/// next read reports errors of the device. Files and streams are for other systems.
///
/// ```
/// # #[cfg(feature = "noop")] fn main() -> zerostride::Result<()> {
/// use zerostride::{Context, wgpu};
///
/// // A device of the caller's; wgpu's backend that computes nothing stands for a GPU.
/// let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
/// let context = Context::from_wgpu(&device, &queue);
/// let x = context.tensor(&[1.0f32, 2.0, 3.0, 4.0], [2, 2])?;
/// let sum = x.add(&x.transpose())?;
/// assert_eq!(sum.shape().extents(), [2, 2]);
/// // One kernel so far; the same operator on other extents compiles none.
/// assert_eq!(context.pipelines_compiled(), 1);
/// context.flush()?;
/// # Ok(())
/// # }
/// # #[cfg(not(feature = "noop"))] fn main() {}
/// ```
#[derive(Clone, Debug)]
pub struct Context(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    gpu: Arc<Gpu>,
    kernels: Arc<Kernels>,
    allocator: Arc<Allocator>,
    recorder: Recorder,
    transfers: Transfers,
    plans: Plans,
    /// That in which the device is closed: the fields before it are dropped before.
    closing: Option<Turn>,
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.closing = Turns::at_devices().call();
    }
}

impl Context {
    /// A context on the caller's device. No callback of the device is set, and nothing is submitted
    /// but what this crate's own calls record; so nobody asks what it does with floats: they are
    /// compared, and halves converted, by integers.
    ///
    /// Two contexts on one device do not know of each other's recorded work: [`flush`](Self::flush)
    /// one before the other uses its buffers.
    pub fn from_wgpu(device: &wgpu::Device, queue: &wgpu::Queue) -> Self {
        let gpu = Gpu::new(device.clone(), queue.clone(), None);
        Self::new(gpu, None, None, None)
    }

    /// A context with a pool of so many bytes, whose pipelines are kept on disk and whose buffers are poisoned.
    pub(super) fn new(
        gpu: Gpu,
        pool_bytes: Option<u64>,
        on_disk: Option<PipelineCache>,
        poison: Option<Poison>,
    ) -> Self {
        let gpu = Arc::new(gpu);
        let kernels = Arc::new(Kernels::new(gpu.clone(), on_disk));
        let memory = Arc::new(Memory::new(pool_bytes, gpu.turns));
        let queue = Queue::new(gpu.clone(), memory.clone());
        let passes = Passes::new(gpu.clone(), kernels.clone());
        let allocator = Arc::new(Allocator {
            gpu: gpu.clone(),
            memory,
            queue,
            poison,
        });
        Self(Arc::new(Inner {
            gpu,
            kernels,
            allocator: allocator.clone(),
            recorder: Recorder {
                allocator: allocator.clone(),
                passes,
            },
            transfers: Transfers::new(allocator),
            plans: Plans::new(),
            closing: None,
        }))
    }

    /// The wgpu device.
    pub fn device(&self) -> &wgpu::Device {
        &self.0.gpu.device
    }

    /// The wgpu queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.0.gpu.queue
    }

    /// The adapter's name, backend and driver.
    pub fn adapter_info(&self) -> &wgpu::AdapterInfo {
        &self.0.gpu.info
    }

    /// The limits that plans for this context are made with.
    pub fn limits(&self) -> Limits {
        self.0.gpu.plan_limits
    }

    /// Plan options with this context's limits.
    pub fn options(&self) -> Options {
        Options::default().with_limits(self.limits())
    }

    /// Compiles the kernels of a plan, several at a time, so that its first [`run`](Self::run) does
    /// not wait for them. Contexts are cheap to clone and plans may be shared, so this may go on in
    /// a thread of the caller's while others work. An OpenGL device does one thing at a time, so
    /// there kernels are compiled one after another.
    ///
    /// Some drivers put the work off to the first dispatch; with them this saves little. An output
    /// in the place of an input takes a kernel of its own, as do many small calls together; neither
    /// is compiled here. Kernels that are there are not compiled again, unless more were used since
    /// than a context keeps (1,024).
    ///
    /// # Errors
    /// - [`Error::Kernel`](crate::Error::Kernel) if the device refuses one
    /// - [`Error::Argument`](crate::Error::Argument) if the plan was made for limits that the
    ///   adapter does not have
    /// - [`Error::DeviceLost`](crate::Error::DeviceLost)
    /// - [`Error::Wgpu`](crate::Error::Wgpu) for an error that an earlier call left
    pub fn compile(&self, plan: &Plan) -> Result<()> {
        self.check()?;
        self.0.gpu.check_plan(plan)?;
        self.0.kernels.compile_all(plan)
    }

    /// Kernels compiled so far.
    pub fn pipelines_compiled(&self) -> u64 {
        self.0.kernels.compiled()
    }

    /// The time that the creation of their pipelines took, 0 in browsers. Some drivers put the work
    /// off to the first dispatch.
    pub fn compile_time(&self) -> Duration {
        self.0.kernels.compile_time()
    }

    /// The file that [`save_kernels`](Self::save_kernels) writes; `None` if no folder was given to
    /// [`Builder::kernel_cache`](crate::Builder::kernel_cache), or the adapter's backend keeps no
    /// kernels.
    pub fn kernel_cache_file(&self) -> Option<&Path> {
        self.0.kernels.on_disk.as_ref().map(|kept| &*kept.file)
    }

    /// Writes the kernels that the driver keeps into the folder given to
    /// [`Builder::kernel_cache`](crate::Builder::kernel_cache), which is made if it is missing.
    /// Whether anything was written: not if the file holds them, or nothing is kept. The file is
    /// replaced at once, so that another process never reads half of it; of processes that save at
    /// the same time the last one's kernels stay. It grows with every kernel that is compiled, to
    /// 256 MiB: more are not written; deleting it is safe.
    ///
    /// # Errors
    /// [`Error::Io`](crate::Error::Io) if the file cannot be written.
    pub fn save_kernels(&self) -> Result<bool> {
        let cache = self.0.kernels.on_disk.as_ref();
        cache.map_or(Ok(false), PipelineCache::save)
    }

    /// Bytes of freed buffers kept for reuse by tensors. Staging buffers are not counted: for reads
    /// and for uploads at most an eighth as many bytes each are kept, and at most 16 MiB.
    pub fn pooled_bytes(&self) -> u64 {
        self.0.allocator.memory.pool.bytes()
    }

    /// Drops all freed buffers that are kept for reuse, and staging buffers of reads and uploads.
    pub fn trim(&self) {
        // A submission that fails is the error of those who read what it writes.
        #[cfg(target_family = "wasm")]
        let _ = self.flush();
        self.0.allocator.memory.clear();
    }

    /// Whether f32 arithmetic takes subnormal numbers for 0, as shading languages allow. Moves,
    /// selections, comparisons, `minimum`, `maximum`, `clip`, `sign`, rounding to whole numbers,
    /// `neg`, `abs`, casts between floats and everything of f16 and f64 keep them on every adapter.
    ///
    /// A context on an own device knows it from the start. A caller's device is asked the first
    /// time this is called, by one small dispatch that this thread waits for; its floats are
    /// compared by integers all the same, whatever the answer is.
    ///
    /// # Errors
    /// - [`Error::Wgpu`](crate::Error::Wgpu) if that dispatch is refused or not answered, or for an
    ///   error that an earlier call left
    /// - [`Error::OutOfMemory`](crate::Error::OutOfMemory) if memory does not suffice for it
    /// - [`Error::DeviceLost`](crate::Error::DeviceLost)
    pub async fn flushes_subnormals(&self) -> Result<bool> {
        let unlocked = self.0.gpu.enter()?;
        probe::flushes_subnormals(&self.0.gpu, &unlocked).await
    }

    /// The blocking version of [`flushes_subnormals`](Self::flushes_subnormals).
    ///
    /// # Errors
    /// - [`Error::Wgpu`](crate::Error::Wgpu) if the dispatch is refused or not answered, or for an
    ///   error that an earlier call left
    /// - [`Error::OutOfMemory`](crate::Error::OutOfMemory) if memory does not suffice for it
    /// - [`Error::DeviceLost`](crate::Error::DeviceLost)
    #[cfg(not(target_family = "wasm"))]
    pub fn flushes_subnormals_blocking(&self) -> Result<bool> {
        pollster::block_on(self.flushes_subnormals())
    }

    /// Asks the device whether it is lost. Every entry point does this first.
    ///
    /// # Errors
    /// - [`Error::DeviceLost`](crate::Error::DeviceLost)
    /// - [`Error::Wgpu`](crate::Error::Wgpu) for an error that an earlier call left
    pub fn check(&self) -> Result<()> {
        self.0.gpu.enter().map(drop)
    }

    /// Submits everything that was recorded or uploaded. Reads do this by themselves.
    ///
    /// # Errors
    /// - [`Error::DeviceLost`](crate::Error::DeviceLost)
    /// - [`Error::Wgpu`](crate::Error::Wgpu) if wgpu refuses the recorded work, or for an error
    ///   that an earlier call left
    /// - [`Error::OutOfMemory`](crate::Error::OutOfMemory) if memory does not suffice for it
    pub fn flush(&self) -> Result<()> {
        let mut unlocked = self.0.gpu.enter()?;
        self.0.allocator.queue.submit(&mut unlocked)
    }

    /// Whether two contexts are one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The plans that are kept.
    pub(crate) fn plans(&self) -> &Plans {
        &self.0.plans
    }

    /// A buffer for this many bytes that recorded work writes first.
    pub(crate) fn allocate(&self, bytes: u64) -> Result<Buffer> {
        let Inner { gpu, allocator, .. } = &*self.0;
        allocator.allocate(&mut gpu.enter()?, bytes, FirstUse::Batch)
    }

    /// A buffer of the caller's.
    pub(crate) fn foreign(&self, raw: &wgpu::Buffer) -> Buffer {
        Buffer::foreign(raw.clone(), self.0.gpu.turns)
    }

    /// The wgpu buffer, for the caller to use: recorded work is submitted first.
    pub(crate) fn hand_out(&self, buffer: &Buffer) -> Result<wgpu::Buffer> {
        // First, so that what another thread records meanwhile is known to use a buffer of the
        // caller's.
        buffer.export();
        self.flush()?;
        self.0
            .allocator
            .queue
            .history
            .check(std::iter::once(buffer))?;
        Ok(buffer.raw.clone())
    }

    /// What records plans.
    pub(crate) fn recorder(&self) -> &Recorder {
        &self.0.recorder
    }

    /// What moves bytes between the host and buffers.
    pub(crate) fn transfers(&self) -> &Transfers {
        &self.0.transfers
    }

    /// How many uniform buffers, bind groups and pipelines are kept.
    #[cfg(all(test, feature = "noop"))]
    pub(super) fn kept(&self) -> [usize; 3] {
        let uniforms = self.0.recorder.passes.uniforms.len();
        let bind_groups = self.0.allocator.memory.bind_groups.len();
        [uniforms, bind_groups, self.0.kernels.pipelines.len()]
    }

    /// How many calls wait for others of their kind.
    #[cfg(all(test, feature = "noop"))]
    pub(super) fn pending_calls(&self) -> usize {
        self.0.allocator.queue.pending_calls()
    }
}
