//! Choosing an adapter and opening its device.

use std::path::PathBuf;
use std::sync::Arc;

use super::context::{Context, Loss};
use super::kept::Kept;
use super::probe;
use super::submission::Waiter;
use crate::error::{Error, Result};

/// Whether an adapter that runs on the CPU may be taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Software {
    /// Taken where there is no GPU.
    #[default]
    Allowed,
    /// Only such an adapter is taken.
    Required,
    /// Never taken.
    Refused,
}

/// The optional features that are asked for where the adapter has them.
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
    pub(super) pool_bytes: Option<u64>,
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
    /// adapter lacks is left out.
    #[must_use]
    pub fn features(mut self, features: wgpu::Features) -> Self {
        self.features = Some(features);
        self
    }

    /// Bytes of freed buffers that are kept for reuse (256 MiB by default).
    #[must_use]
    pub fn pool_bytes(mut self, bytes: u64) -> Self {
        self.pool_bytes = Some(bytes);
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

    /// The same with the adapter that the environment variable `ZEROSTRIDE_ADAPTER` names, where it
    /// is set.
    #[must_use]
    pub fn from_env(mut self) -> Self {
        if let Ok(name) = std::env::var("ZEROSTRIDE_ADAPTER")
            && !name.is_empty()
        {
            self.name = Some(name);
        }
        self
    }

    /// Opens the device of the best adapter that fits: a GPU before a CPU, discrete before
    /// integrated.
    ///
    /// # Errors
    /// [`Error::NoAdapter`], with the adapters that were found; [`Error::Wgpu`] where the device is
    /// refused, or where it refuses the small dispatch that finds out whether it keeps subnormal
    /// numbers.
    pub async fn request(self) -> Result<Context> {
        let (mut found, all) = self.search().await;
        found.sort_by_key(|a| rank(&a.get_info()));
        let Some(adapter) = found.into_iter().next() else {
            return Err(self.missing(&all));
        };
        let limits = self.limits.clone().unwrap_or_else(|| adapter.limits());
        let mut features = self.features.unwrap_or(USEFUL);
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
        let (device, queue) =
            adapter
                .request_device(&descriptor)
                .await
                .map_err(|e| Error::Wgpu {
                    what: "request_device",
                    reason: e.to_string(),
                })?;
        let loss = Arc::new(Loss::default());
        let on_loss = Arc::clone(&loss);
        device.set_device_lost_callback(move |reason, message| {
            on_loss.set(format!("{reason:?}: {message}"))
        });
        let on_error = Arc::clone(&loss);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| on_error.report(&error)));
        let kept = self
            .kernel_cache
            .map(|folder| Kept::open(&device, &folder))
            .transpose()?
            .flatten();
        let waiter = Waiter::new(device.clone(), adapter.get_info().backend);
        let subnormals = probe::keeps_subnormals(&queue, &waiter).await?;
        Ok(Context::new(
            device,
            queue,
            subnormals,
            Some(loss),
            self.pool_bytes,
            kept,
        ))
    }

    /// The adapters that fit, and all that were seen. OpenGL is asked only where nothing else fits:
    /// it is slow to start and its drivers write to stderr.
    async fn search(&self) -> (Vec<wgpu::Adapter>, Vec<AdapterSummary>) {
        let wanted = self.backends.unwrap_or(wgpu::Backends::all());
        let mut seen = Vec::new();
        for backends in [wanted - wgpu::Backends::GL, wanted & wgpu::Backends::GL] {
            if backends.is_empty() {
                continue;
            }
            let mut found = instance(backends).enumerate_adapters(backends).await;
            let summaries: Vec<_> = found.iter().map(AdapterSummary::new).collect();
            found.retain(|a| self.fits(&AdapterSummary::new(a)));
            seen.extend(summaries);
            if !found.is_empty() {
                return (found, seen);
            }
        }
        (Vec::new(), seen)
    }

    /// [`request`](Self::request), waiting for it.
    ///
    /// # Errors
    /// As [`request`](Self::request).
    pub fn request_blocking(self) -> Result<Context> {
        pollster::block_on(self.request())
    }

    fn fits(&self, adapter: &AdapterSummary) -> bool {
        let kind = match self.software {
            Software::Allowed => true,
            Software::Required => adapter.software,
            Software::Refused => !adapter.software,
        };
        let named = self.name.as_ref().is_none_or(|n| {
            adapter
                .to_string()
                .to_lowercase()
                .contains(&n.to_lowercase())
        });
        kind && named && adapter.compute
    }

    fn missing(&self, all: &[AdapterSummary]) -> Error {
        let mut reason = match (&self.name, self.software) {
            (Some(name), _) => format!("none is named `{name}`"),
            (None, Software::Required) => "none runs on the CPU".into(),
            (None, Software::Refused) => "none is a GPU".into(),
            (None, Software::Allowed) => "none was found".into(),
        };
        if all.is_empty() {
            reason.push_str(
                "; install a Vulkan driver (on Debian and Ubuntu: mesa-vulkan-drivers libvulkan1)",
            );
        } else {
            let names: Vec<_> = all.iter().map(ToString::to_string).collect();
            reason.push_str(&format!("; these are there: {}", names.join("; ")));
        }
        Error::NoAdapter { reason }
    }
}

/// An adapter of this machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdapterSummary {
    /// The adapter's name.
    pub name: String,
    /// Its driver, with the version.
    pub driver: String,
    /// wgpu's backend.
    pub backend: String,
    /// Whether it runs on the CPU.
    pub software: bool,
    /// Whether it has compute shaders.
    pub compute: bool,
    /// Bytes one storage binding may hold.
    pub max_binding: u64,
    /// Bytes one buffer may hold.
    pub max_buffer: u64,
    /// Storage buffers a compute stage may use.
    pub max_storage_buffers: u32,
    /// Whether its shaders have 64-bit integers.
    pub int64: bool,
    /// Whether its shaders have 64-bit floats.
    pub float64: bool,
}

impl AdapterSummary {
    fn new(adapter: &wgpu::Adapter) -> Self {
        let (info, limits) = (adapter.get_info(), adapter.limits());
        Self {
            name: info.name.clone(),
            driver: format!("{} {}", info.driver, info.driver_info)
                .trim()
                .into(),
            backend: format!("{:?}", info.backend),
            software: is_software(&info),
            compute: adapter
                .get_downlevel_capabilities()
                .flags
                .contains(wgpu::DownlevelFlags::COMPUTE_SHADERS),
            max_binding: limits.max_storage_buffer_binding_size,
            max_buffer: limits.max_buffer_size,
            max_storage_buffers: limits.max_storage_buffers_per_shader_stage,
            int64: adapter.features().contains(wgpu::Features::SHADER_INT64),
            float64: adapter.features().contains(wgpu::Features::SHADER_F64),
        }
    }
}

impl std::fmt::Display for AdapterSummary {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, {})", self.name, self.backend, self.driver)
    }
}

/// The adapters of this machine, the one that would be taken first.
///
/// The list may be empty.
pub async fn adapters() -> Vec<AdapterSummary> {
    let mut found = instance(wgpu::Backends::all())
        .enumerate_adapters(wgpu::Backends::all())
        .await;
    found.sort_by_key(|a| rank(&a.get_info()));
    found.iter().map(AdapterSummary::new).collect()
}

fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}

/// Whether an adapter runs on the CPU. GL drivers that do are known by name alone.
pub(super) fn is_software(info: &wgpu::AdapterInfo) -> bool {
    let name = info.name.to_lowercase();
    info.device_type == wgpu::DeviceType::Cpu
        || name.contains("llvmpipe")
        || name.contains("swiftshader")
}

/// The order of preference, lowest first.
fn rank(info: &wgpu::AdapterInfo) -> (bool, u8, bool) {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    (is_software(info), kind, info.backend == wgpu::Backend::Gl)
}
