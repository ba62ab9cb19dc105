//! Compiled kernels by key.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::cache::Cache;
use super::gpu::Gpu;
use super::pipeline::Pipeline;
use super::pipeline_cache::PipelineCache;
use crate::error::Result;
use crate::kernel::KernelKey;
use crate::plan::Plan;

/// Pipelines kept.
const PIPELINES: usize = 1024;

/// The kernels that a context compiled.
#[derive(Debug)]
pub(super) struct Kernels {
    gpu: Arc<Gpu>,
    pub pipelines: Cache<KernelKey, Arc<Pipeline>>,
    /// What the driver keeps from one process to the next.
    pub on_disk: Option<PipelineCache>,
    /// Pipelines compiled so far.
    compiled: AtomicU64,
    /// Nanoseconds that their creation took.
    compiling: AtomicU64,
}

impl Kernels {
    pub fn new(gpu: Arc<Gpu>, on_disk: Option<PipelineCache>) -> Self {
        Self {
            pipelines: Cache::of_device(PIPELINES, gpu.turns),
            gpu,
            on_disk,
            compiled: AtomicU64::new(0),
            compiling: AtomicU64::new(0),
        }
    }

    /// The pipeline of a kernel, compiled if it is not there.
    pub fn get(&self, key: &KernelKey) -> Result<Arc<Pipeline>> {
        self.pipelines.get(key, || self.compile(key).map(Arc::new))
    }

    /// The kernel that computes several calls of this one, after many small dispatches of it.
    pub fn group(&self, pipeline: &Pipeline) -> Option<Arc<Pipeline>> {
        pipeline.group_after_many_uses(|key| self.compile(key))
    }

    /// Compiles the kernels of a plan, several at a time if that helps.
    pub fn compile_all(&self, plan: &Plan) -> Result<()> {
        let mut keys: Vec<KernelKey> = Vec::new();
        for pass in plan.passes.iter().filter(|p| !p.shape.is_empty()) {
            let key = KernelKey::new(pass, &[]);
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        self.compile_keys(&keys)
    }

    pub fn compiled(&self) -> u64 {
        self.compiled.load(Ordering::Relaxed)
    }

    pub fn compile_time(&self) -> Duration {
        Duration::from_nanos(self.compiling.load(Ordering::Relaxed))
    }

    fn compile(&self, key: &KernelKey) -> Result<Pipeline> {
        let number = self.compiled.fetch_add(1, Ordering::Relaxed);
        let cache = self.on_disk.as_ref().map(|kept| &kept.cache);
        let (made, time) = timed(|| Pipeline::compile(&self.gpu, key, number, cache));
        let nanoseconds = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.compiling.fetch_add(nanoseconds, Ordering::Relaxed);
        made
    }

    /// Compiles every key that is not there, on several threads if that helps. Under OpenGL wgpu's
    /// threads wait for one another, and panic if that takes long.
    #[cfg(not(target_family = "wasm"))]
    fn compile_keys(&self, keys: &[KernelKey]) -> Result<()> {
        let threads = match self.gpu.info.backend {
            wgpu::Backend::Gl => 1,
            _ => std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get),
        };
        let next = std::sync::atomic::AtomicUsize::new(0);
        let work = || {
            std::iter::from_fn(|| keys.get(next.fetch_add(1, Ordering::Relaxed)))
                .try_for_each(|key| self.get(key).map(drop))
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

    /// Compiles every key that is not there: a browser compiles by itself while others work, and has
    /// no threads to wait in.
    #[cfg(target_family = "wasm")]
    fn compile_keys(&self, keys: &[KernelKey]) -> Result<()> {
        keys.iter().try_for_each(|key| self.get(key).map(drop))
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
