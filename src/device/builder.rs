//! Choosing an adapter and opening its device.

use std::path::PathBuf;

use super::adapter::{AdapterSummary, apart, instance, rank};
use super::context::Context;
use super::gpu::Gpu;
use super::loss::Loss;
use super::pipeline_cache::PipelineCache;
use super::poison::Poison;
use super::probe;
use super::turns::Turns;
use super::unlocked::Unlocked;
use crate::error::{Error, Result};

/// Whether an adapter that runs on the CPU may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Software {
    /// Taken if there is no GPU.
    #[default]
    Allowed,
    /// Only such an adapter is taken.
    Required,
    /// Never taken.
    Refused,
}

/// The optional features that are asked for if the adapter has them.
const USEFUL: wgpu::Features = wgpu::Features::TIMESTAMP_QUERY
    .union(wgpu::Features::SHADER_INT64)
    .union(wgpu::Features::SHADER_F64)
    .union(wgpu::Features::IMMEDIATES);

/// Choices for a context: adapter, limits and memory.
#[derive(Clone, Debug, Default)]
pub struct Builder {
    name: Option<String>,
    backends: Option<wgpu::Backends>,
    software: Software,
    limits: Option<wgpu::Limits>,
    features: Option<wgpu::Features>,
    pool_bytes: Option<u64>,
    poisons: bool,
    float64_by_integers: bool,
    rewrite: Option<fn(&str) -> String>,
    kernel_cache: Option<PathBuf>,
}

impl Builder {
    /// The adapter whose name, driver or backend contains this text, whatever its case.
    #[must_use]
    pub fn adapter(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Only adapters of these backends.
    #[must_use]
    pub fn backends(mut self, backends: wgpu::Backends) -> Self {
        self.backends = Some(backends);
        self
    }

    /// Whether an adapter that runs on the CPU may be taken.
    #[must_use]
    pub fn software(mut self, software: Software) -> Self {
        self.software = software;
        self
    }

    /// Limits for the device instead of all that the adapter has.
    #[must_use]
    pub fn limits(mut self, limits: wgpu::Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Which of the adapter's optional features are used, instead of all that make kernels faster
    /// or more able: `SHADER_INT64`, `SHADER_F64`, `IMMEDIATES` and `TIMESTAMP_QUERY`. What the
    /// adapter lacks is left out, and what is experimental.
    #[must_use]
    pub fn features(mut self, features: wgpu::Features) -> Self {
        self.features = Some(features - wgpu::Features::all_experimental_mask());
        self
    }

    /// Bytes of freed buffers that are kept for reuse (256 MiB by default).
    #[must_use]
    pub fn pool_bytes(mut self, bytes: u64) -> Self {
        self.pool_bytes = Some(bytes);
        self
    }

    /// Fills each buffer with a pattern before it is used, new ones and those from the pool: bytes of `0xff`, NaN in
    /// every type of floats. Tests find by it what no kernel wrote, and what one reads beyond the elements. Each
    /// allocation takes a copy more.
    #[must_use]
    pub fn poisons_buffers(mut self, poisons: bool) -> Self {
        self.poisons = poisons;
        self
    }

    /// Gives the device what a function makes of each kernel's WGSL, the probe of its arithmetic among them: tests of this
    /// crate play a compiler that takes floats for real numbers.
    #[doc(hidden)]
    #[must_use]
    pub fn rewrites_kernels(mut self, rewrite: fn(&str) -> String) -> Self {
        self.rewrite = Some(rewrite);
        self
    }

    /// Takes compiled kernels from this folder, and lets [`Context::save_kernels`] keep them there,
    /// so that a later process need not compile them. Each adapter has a file of its own; one that
    /// is damaged, from another version of the driver, or that cannot be read counts as none. Most
    /// desktop drivers keep their kernels themselves; those of phones do not.
    ///
    /// Backends other than Vulkan keep nothing, see [`Context::kernel_cache_file`].
    ///
    /// # Safety
    /// The files hold what the driver made, and it may run them unchecked. Damage is found, forgery
    /// is not: like a program file, the folder must be writable for trusted programs alone.
    #[must_use]
    #[allow(unsafe_code, reason = "nothing here is unsafe but to trust the folder")]
    pub unsafe fn kernel_cache(mut self, folder: impl Into<PathBuf>) -> Self {
        self.kernel_cache = Some(folder.into());
        self
    }

    /// [`kernel_cache`](Self::kernel_cache) in the folder that the environment variable
    /// `ZEROSTRIDE_KERNEL_CACHE` names, if it is set.
    ///
    /// # Safety
    /// That of [`kernel_cache`](Self::kernel_cache), for whatever folder the environment names.
    #[must_use]
    #[allow(unsafe_code, reason = "nothing here is unsafe but to trust the folder")]
    pub unsafe fn kernel_cache_from_env(self) -> Self {
        let folder = std::env::var_os("ZEROSTRIDE_KERNEL_CACHE");
        match folder.filter(|folder| !folder.is_empty()) {
            // SAFETY: the caller vouches for the folder.
            Some(folder) => unsafe { self.kernel_cache(folder) },
            None => self,
        }
    }

    /// Computes f64 by integers on this context, as adapters without 64-bit floats in shaders do: with the same bits, and
    /// slower.
    #[must_use]
    pub fn float64_by_integers(mut self, by_integers: bool) -> Self {
        self.float64_by_integers = by_integers;
        self
    }

    /// The same with what the environment says: the adapter that `ZEROSTRIDE_ADAPTER` names,
    /// [f64 by integers](Self::float64_by_integers) if `ZEROSTRIDE_FLOAT64` is `integers`, and
    /// [poisoned buffers](Self::poisons_buffers) if `ZEROSTRIDE_POISON` is `1`.
    #[must_use]
    pub fn from_env(mut self) -> Self {
        if let Ok(name) = std::env::var("ZEROSTRIDE_ADAPTER")
            && !name.is_empty()
        {
            self.name = Some(name);
        }
        if std::env::var("ZEROSTRIDE_FLOAT64").is_ok_and(|by| by == "integers") {
            self.float64_by_integers = true;
        }
        if let Ok(poisons) = std::env::var("ZEROSTRIDE_POISON") {
            self.poisons = poisons == "1";
        }
        self
    }

    /// Opens the device of the best adapter that fits: a GPU before a CPU, discrete before
    /// integrated.
    ///
    /// # Errors
    /// - [`Error::NoAdapter`] if none fits, with the adapters that were found
    /// - [`Error::Wgpu`] if the adapter refuses the device, or if the device refuses the small
    ///   dispatch that probes its arithmetic
    /// - [`Error::OutOfMemory`] if memory does not suffice for that dispatch
    pub async fn request(self) -> Result<Context> {
        let (found, all) = self.search().await;
        let best = found.into_iter().min_by_key(|a| rank(&a.get_info()));
        let Some(adapter) = best else {
            return Err(self.missing(&all));
        };
        let limits = self.limits.clone().unwrap_or_else(|| adapter.limits());
        let mut features = self.features.unwrap_or(USEFUL);
        if self.float64_by_integers {
            features.remove(wgpu::Features::SHADER_F64);
        }
        if self.kernel_cache.is_some() {
            features |= wgpu::Features::PIPELINE_CACHE;
        }
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("zerostride"),
            required_features: adapter.features() & features,
            required_limits: limits,
            experimental_features: wgpu::ExperimentalFeatures::disabled(),
            memory_hints: wgpu::MemoryHints::Performance,
            trace: wgpu::Trace::Off,
        };
        let opened = {
            let _turn = Turns::of(adapter.get_info().backend).call();
            let _opening = Turns::at_devices().call();
            adapter.request_device(&descriptor)
        };
        let (device, queue) = opened.await.map_err(|e| Error::wgpu("request_device", e))?;
        let loss = Loss::watch(&device);
        let gpu = Gpu::new(device, queue, Some(loss)).with_rewrite(self.rewrite);
        // Browsers have no files, and keep what they compile themselves.
        let cache = match &self.kernel_cache {
            Some(folder) if cfg!(not(target_family = "wasm")) => PipelineCache::open(&gpu, folder)?,
            _ => None,
        };
        let compute = adapter.get_downlevel_capabilities().flags;
        let halves = compute.contains(wgpu::DownlevelFlags::SHADER_F16_IN_F32);
        let found = probe::ask(&gpu, &Unlocked::at_entry(), halves).await?;
        // Browsers have no doubles.
        #[cfg(target_family = "wasm")]
        let rounds_doubles = false;
        #[cfg(not(target_family = "wasm"))]
        let (found, rounds_doubles) = probe::ask_doubles(&gpu, &Unlocked::at_entry(), found).await;
        let gpu = gpu.with_arithmetic(found, rounds_doubles);
        let poison = self.poisons.then(|| Poison::new(&gpu));
        Ok(Context::new(gpu, self.pool_bytes, cache, poison))
    }

    /// The adapters that fit, and all that were seen. OpenGL is asked only if nothing else fits.
    async fn search(&self) -> (Vec<wgpu::Adapter>, Vec<AdapterSummary>) {
        let wanted = self.backends.unwrap_or(wgpu::Backends::all());
        let mut seen = Vec::new();
        for backends in apart(wanted) {
            let mut found = instance(backends).enumerate_adapters(backends).await;
            seen.extend(found.iter().map(AdapterSummary::new));
            found.retain(|a| self.fits(&AdapterSummary::new(a)));
            if !found.is_empty() {
                return (found, seen);
            }
        }
        (Vec::new(), seen)
    }

    /// The blocking version of [`request`](Self::request).
    ///
    /// # Errors
    /// - [`Error::NoAdapter`] if none fits, with the adapters that were found
    /// - [`Error::Wgpu`] if the adapter opens no device, or the device refuses the dispatch that
    ///   probes its arithmetic
    /// - [`Error::OutOfMemory`] if memory does not suffice for that dispatch
    #[cfg(not(target_family = "wasm"))]
    pub fn request_blocking(self) -> Result<Context> {
        pollster::block_on(self.request())
    }

    fn fits(&self, adapter: &AdapterSummary) -> bool {
        let kind = match self.software {
            Software::Allowed => true,
            Software::Required => adapter.software,
            Software::Refused => !adapter.software,
        };
        let shown = adapter.to_string().to_ascii_lowercase();
        let wanted = self.name.as_ref().map(|name| name.to_ascii_lowercase());
        kind && adapter.compute && wanted.is_none_or(|name| shown.contains(&name))
    }

    fn missing(&self, all: &[AdapterSummary]) -> Error {
        let mut reason = match (&self.name, self.software) {
            (Some(name), _) => format!("none is named `{name}`"),
            (None, Software::Required) => "none runs on the CPU".into(),
            (None, Software::Refused) => "none is a GPU".into(),
            (None, Software::Allowed) => "none was found".into(),
        };
        if all.is_empty() {
            reason.push_str(match cfg!(target_family = "wasm") {
                true => "; the browser gives WebGPU no adapter",
                false => {
                    "; install a Vulkan driver (on Debian and Ubuntu: mesa-vulkan-drivers libvulkan1)"
                }
            });
        } else {
            let names: Vec<_> = all.iter().map(ToString::to_string).collect();
            reason.push_str(&format!("; these are there: {}", names.join("; ")));
        }
        Error::NoAdapter { reason }
    }
}

impl Context {
    /// A context on the best adapter of this machine. See [`Builder`] for choices.
    ///
    /// # Errors
    /// - [`Error::NoAdapter`] if there is none
    /// - [`Error::Wgpu`] if the adapter opens no device, or the device refuses the dispatch that
    ///   probes its arithmetic
    /// - [`Error::OutOfMemory`] if memory does not suffice for that dispatch
    pub async fn request() -> Result<Self> {
        Self::builder().request().await
    }

    /// The blocking version of [`request`](Self::request).
    ///
    /// # Errors
    /// - [`Error::NoAdapter`] if there is none
    /// - [`Error::Wgpu`] if the adapter opens no device, or the device refuses the dispatch that
    ///   probes its arithmetic
    /// - [`Error::OutOfMemory`] if memory does not suffice for that dispatch
    #[cfg(not(target_family = "wasm"))]
    pub fn request_blocking() -> Result<Self> {
        Self::builder().request_blocking()
    }

    /// Choices for a context.
    pub fn builder() -> Builder {
        Builder::default()
    }
}
