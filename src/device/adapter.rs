//! The adapters of this machine.

#[cfg(not(target_family = "wasm"))]
use parking_lot::Mutex;

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
    pub(super) fn new(adapter: &wgpu::Adapter) -> Self {
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
    let mut found = Vec::new();
    for backends in apart(wgpu::Backends::all()) {
        found.extend(instance(backends).enumerate_adapters(backends).await);
    }
    found.sort_by_key(|adapter| rank(&adapter.get_info()));
    found.iter().map(AdapterSummary::new).collect()
}

/// All backends but OpenGL, and OpenGL: it is slow to start, its drivers write to stderr, and all
/// devices of one of its instances have one context.
pub(super) fn apart(backends: wgpu::Backends) -> impl Iterator<Item = wgpu::Backends> {
    let apart = [backends - wgpu::Backends::GL, backends & wgpu::Backends::GL];
    apart.into_iter().filter(|backends| !backends.is_empty())
}

/// An instance of these backends: the process has one, which it keeps. Each would load and unload all
/// drivers, and some do not bear to be loaded twice at a time. OpenGL has one for each call.
#[cfg(not(target_family = "wasm"))]
pub(super) fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    static KEPT: Mutex<Vec<(wgpu::Backends, wgpu::Instance)>> = Mutex::new(Vec::new());
    if backends.contains(wgpu::Backends::GL) {
        return new_instance(backends);
    }
    let mut kept = KEPT.lock();
    if let Some((_, instance)) = kept.iter().find(|(of, _)| *of == backends) {
        return instance.clone();
    }
    let instance = new_instance(backends);
    kept.push((backends, instance.clone()));
    instance
}

/// What a page has is the browser's.
#[cfg(target_family = "wasm")]
pub(super) fn instance(backends: wgpu::Backends) -> wgpu::Instance {
    new_instance(backends)
}

fn new_instance(backends: wgpu::Backends) -> wgpu::Instance {
    wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    })
}

/// Whether an adapter runs on the CPU. GL drivers that do are known by name alone.
pub(super) fn is_software(info: &wgpu::AdapterInfo) -> bool {
    let name = info.name.to_ascii_lowercase();
    info.device_type == wgpu::DeviceType::Cpu
        || name.contains("llvmpipe")
        || name.contains("swiftshader")
}

/// The order of preference, lowest first.
pub(super) fn rank(info: &wgpu::AdapterInfo) -> (bool, u8, bool) {
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => 0,
        wgpu::DeviceType::IntegratedGpu => 1,
        wgpu::DeviceType::VirtualGpu => 2,
        wgpu::DeviceType::Other => 3,
        wgpu::DeviceType::Cpu => 4,
    };
    (is_software(info), kind, info.backend == wgpu::Backend::Gl)
}
