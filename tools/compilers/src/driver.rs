//! A Vulkan driver that compiles, and tells what came of it by the extension
//! `VK_KHR_pipeline_executable_properties`.

#![expect(
    unsafe_code,
    reason = "Vulkan is a C interface, and wgpu hides what drivers tell of a pipeline"
)]

use std::collections::BTreeMap;
use std::ffi::CStr;

use ash::{ext, khr, vk};

use zerostride_bench::gpu::Gpu;

/// Why there is nothing to measure.
pub const SILENT: &str =
    "the driver tells nothing of its pipelines: it has no VK_KHR_pipeline_executable_properties";

/// The vendor that wgpu writes no such names for.
const QUALCOMM: u32 = 0x5143;

/// A device of the first adapter, and what its driver is.
pub struct Driver {
    // The loader's library, which has to outlive what it made.
    _entry: ash::Entry,
    instance: ash::Instance,
    device: ash::Device,
    executables: khr::pipeline_executable_properties::Device,
    /// The adapter and its driver's version.
    pub adapter: String,
    /// Version of SPIR-V that wgpu writes for it.
    pub spirv: (u8, u8),
    /// Whether storage buffers are checked by the device, as wgpu asks for it.
    pub is_robust: bool,
    /// What its shaders may use.
    pub gpu: Gpu,
    /// Whether wgpu writes names of variables between stages for it.
    pub labels_varyings: bool,
}

/// A kernel to compile.
pub struct Module {
    pub spirv: Vec<u32>,
    /// The bindings of group 0, and whether they are uniforms.
    pub bindings: Vec<(u32, bool)>,
    /// Bytes of immediate data.
    pub immediates: u32,
}

/// What a driver tells of a kernel.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Statistics by name, those of several executables added up.
    pub statistics: BTreeMap<String, f64>,
    /// Invocations that run in step.
    pub wave: u32,
    /// Texts of the compiler, by name: only if asked for.
    pub texts: Vec<(String, String)>,
}

impl Told {
    /// The statistic of this name.
    ///
    /// # Errors
    /// The names that there are.
    pub fn of(&self, name: &str) -> Result<f64, String> {
        self.statistics.get(name).copied().ok_or_else(|| {
            let names: Vec<_> = self.statistics.keys().map(String::as_str).collect();
            format!("the driver tells no `{name}`, but {}", names.join(", "))
        })
    }
}

/// An adapter, what it has, and what its driver is.
struct Adapter {
    handle: vk::PhysicalDevice,
    has: vk::PhysicalDeviceFeatures,
    is_robust: bool,
    about: vk::PhysicalDeviceProperties,
    driver: String,
}

impl Adapter {
    fn new(instance: &ash::Instance, handle: vk::PhysicalDevice) -> Self {
        let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default();
        let mut has = vk::PhysicalDeviceFeatures2::default().push_next(&mut robust);
        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut about = vk::PhysicalDeviceProperties2::default().push_next(&mut driver);
        // SAFETY: the adapter is the instance's.
        unsafe {
            instance.get_physical_device_features2(handle, &mut has);
            instance.get_physical_device_properties2(handle, &mut about);
        }
        let (has, about) = (has.features, about.properties);
        Self {
            handle,
            has,
            is_robust: robust.robust_buffer_access2 == vk::TRUE,
            about,
            driver: text(driver.driver_info_as_c_str()),
        }
    }

    fn name(&self) -> String {
        text(self.about.device_name_as_c_str())
    }

    /// A device with what wgpu's asks for, as far as a compiler sees it.
    fn open(&self, instance: &ash::Instance, gpu: Gpu) -> Result<ash::Device, String> {
        for (name, wanted, found) in [
            ("64-bit integers", gpu.int64, self.has.shader_int64),
            ("64-bit floats", gpu.float64, self.has.shader_float64),
        ] {
            if wanted && found == vk::FALSE {
                return Err(format!(
                    "{} has no {name}, though plans are made for a GPU that has them",
                    self.name()
                ));
            }
        }
        let features = vk::PhysicalDeviceFeatures::default()
            .robust_buffer_access(self.has.robust_buffer_access == vk::TRUE)
            .shader_int64(gpu.int64)
            .shader_float64(gpu.float64);
        let mut robust = vk::PhysicalDeviceRobustness2FeaturesEXT::default()
            .robust_buffer_access2(self.is_robust);
        let mut tells = vk::PhysicalDevicePipelineExecutablePropertiesFeaturesKHR::default()
            .pipeline_executable_info(true);
        let mut model = vk::PhysicalDeviceVulkanMemoryModelFeatures::default()
            .vulkan_memory_model(true)
            .vulkan_memory_model_device_scope(true);
        let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&[1.0])];
        let mut extensions = vec![khr::pipeline_executable_properties::NAME.as_ptr()];
        let mut create = vk::DeviceCreateInfo::default()
            .queue_create_infos(&queues)
            .enabled_features(&features)
            .push_next(&mut tells)
            .push_next(&mut model);
        if self.is_robust {
            extensions.push(ext::robustness2::NAME.as_ptr());
            create = create.push_next(&mut robust);
        }
        let create = create.enabled_extension_names(&extensions);
        // SAFETY: all that the structures point to lives until the call returns.
        let device = unsafe { instance.create_device(self.handle, &create, None) };
        device.map_err(said("vkCreateDevice"))
    }
}

impl Driver {
    /// Opens the first adapter, whose shaders may use what this GPU has.
    ///
    /// # Errors
    /// What Vulkan says, in words; the adapter lacks a type of the GPU; its driver tells nothing.
    pub fn new(gpu: Gpu) -> Result<Self, String> {
        Self::if_it_tells(gpu)?.ok_or_else(|| SILENT.into())
    }

    /// The same, and nothing if the driver tells nothing of its pipelines.
    ///
    /// # Errors
    /// What Vulkan says, in words; the adapter lacks a type of the GPU.
    pub fn if_it_tells(gpu: Gpu) -> Result<Option<Self>, String> {
        // SAFETY: the loader is the system's, or the one that this program was started with.
        let entry = unsafe { ash::Entry::load() }.map_err(|e| format!("no Vulkan loader: {e}"))?;
        let app = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let create = vk::InstanceCreateInfo::default().application_info(&app);
        // SAFETY: all that the structures point to lives until the call returns, here and below.
        let instance =
            unsafe { entry.create_instance(&create, None) }.map_err(said("vkCreateInstance"))?;
        // SAFETY: the instance is alive.
        let adapters = unsafe { instance.enumerate_physical_devices() };
        let adapters = adapters.map_err(said("vkEnumeratePhysicalDevices"))?;
        let adapter = *adapters.first().ok_or("there is no Vulkan adapter")?;

        // SAFETY: as above.
        let known = unsafe { instance.enumerate_device_extension_properties(adapter) };
        let known = known.map_err(said("vkEnumerateDeviceExtensionProperties"))?;
        let tells = khr::pipeline_executable_properties::NAME;
        if !known
            .iter()
            .any(|e| e.extension_name_as_c_str() == Ok(tells))
        {
            // SAFETY: nothing that was made of it is left.
            unsafe { instance.destroy_instance(None) };
            return Ok(None);
        }

        let adapter = Adapter::new(&instance, adapter);
        let device = adapter.open(&instance, gpu)?;
        Ok(Some(Self {
            executables: khr::pipeline_executable_properties::Device::new(&instance, &device),
            adapter: format!("{}, {}", adapter.name(), adapter.driver),
            spirv: if adapter.about.api_version >= vk::API_VERSION_1_3 {
                (1, 6)
            } else {
                (1, 5)
            },
            is_robust: adapter.is_robust,
            gpu,
            labels_varyings: adapter.about.vendor_id != QUALCOMM,
            _entry: entry,
            instance,
            device,
        }))
    }

    /// Compiles a kernel.
    ///
    /// # Errors
    /// What Vulkan says, in words.
    pub fn compile(&self, module: &Module, with_texts: bool) -> Result<Told, String> {
        let bindings: Vec<_> = module
            .bindings
            .iter()
            .map(|&(binding, is_uniform)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(binding)
                    .descriptor_count(1)
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
                    .descriptor_type(match is_uniform {
                        true => vk::DescriptorType::UNIFORM_BUFFER,
                        false => vk::DescriptorType::STORAGE_BUFFER,
                    })
            })
            .collect();
        let create = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
        let device = &self.device;
        // SAFETY: the device is alive; each object is destroyed after its last use, below.
        let set = unsafe { device.create_descriptor_set_layout(&create, None) };
        let set = set.map_err(said("vkCreateDescriptorSetLayout"))?;
        let told = self.compile_with(module, set, with_texts);
        // SAFETY: as above.
        unsafe { device.destroy_descriptor_set_layout(set, None) };
        told
    }

    fn compile_with(
        &self,
        module: &Module,
        set: vk::DescriptorSetLayout,
        with_texts: bool,
    ) -> Result<Told, String> {
        let device = &self.device;
        let sets = [set];
        let ranges = [vk::PushConstantRange::default()
            .stage_flags(vk::ShaderStageFlags::COMPUTE)
            .size(module.immediates.next_multiple_of(4))];
        let mut create = vk::PipelineLayoutCreateInfo::default().set_layouts(&sets);
        if module.immediates > 0 {
            create = create.push_constant_ranges(&ranges);
        }
        // SAFETY: as in `compile`.
        let layout = unsafe { device.create_pipeline_layout(&create, None) };
        let layout = layout.map_err(said("vkCreatePipelineLayout"))?;
        let create = vk::ShaderModuleCreateInfo::default().code(&module.spirv);
        // SAFETY: as in `compile`.
        let shader = unsafe { device.create_shader_module(&create, None) };
        let told = shader
            .map_err(said("vkCreateShaderModule"))
            .and_then(|shader| {
                let stage = vk::PipelineShaderStageCreateInfo::default()
                    .stage(vk::ShaderStageFlags::COMPUTE)
                    .module(shader)
                    .name(c"main");
                let mut flags = vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR;
                if with_texts {
                    flags |= vk::PipelineCreateFlags::CAPTURE_INTERNAL_REPRESENTATIONS_KHR;
                }
                let create = vk::ComputePipelineCreateInfo::default()
                    .flags(flags)
                    .stage(stage)
                    .layout(layout);
                // SAFETY: as in `compile`.
                let made = unsafe {
                    device.create_compute_pipelines(vk::PipelineCache::null(), &[create], None)
                };
                let told = made
                    .map_err(|(_, e)| said("vkCreateComputePipelines")(e))
                    .and_then(|pipelines| {
                        let told = self.ask(pipelines[0], with_texts);
                        // SAFETY: as in `compile`.
                        unsafe { device.destroy_pipeline(pipelines[0], None) };
                        told
                    });
                // SAFETY: as in `compile`.
                unsafe { device.destroy_shader_module(shader, None) };
                told
            });
        // SAFETY: as in `compile`.
        unsafe { device.destroy_pipeline_layout(layout, None) };
        told
    }

    fn ask(&self, pipeline: vk::Pipeline, with_texts: bool) -> Result<Told, String> {
        let of = vk::PipelineInfoKHR::default().pipeline(pipeline);
        let mut told = Told::default();
        // SAFETY: the pipeline is alive and was made to be asked.
        let parts = unsafe { self.executables.get_pipeline_executable_properties(&of) };
        for (n, part) in (0..).zip(parts.map_err(said("vkGetPipelineExecutableProperties"))?) {
            told.wave = told.wave.max(part.subgroup_size);
            let of = vk::PipelineExecutableInfoKHR::default()
                .pipeline(pipeline)
                .executable_index(n);
            // SAFETY: as above.
            let all = unsafe { self.executables.get_pipeline_executable_statistics(&of) };
            for one in all.map_err(said("vkGetPipelineExecutableStatistics"))? {
                // SAFETY: the format says which member of the union was written.
                let value = unsafe {
                    match one.format {
                        vk::PipelineExecutableStatisticFormatKHR::FLOAT64 => one.value.f64,
                        vk::PipelineExecutableStatisticFormatKHR::BOOL32 => {
                            f64::from(one.value.b32)
                        }
                        _ => one.value.u64 as f64,
                    }
                };
                *told
                    .statistics
                    .entry(text(one.name_as_c_str()))
                    .or_default() += value;
            }
            if with_texts {
                told.texts.extend(self.texts(&of)?);
            }
        }
        Ok(told)
    }

    /// The compiler's texts: the size of each first, then the text.
    fn texts(
        &self,
        of: &vk::PipelineExecutableInfoKHR<'_>,
    ) -> Result<Vec<(String, String)>, String> {
        let ask = self
            .executables
            .fp()
            .get_pipeline_executable_internal_representations_khr;
        let mut count = 0;
        // SAFETY: a null pointer asks for the number; then there is place for as many.
        let mut all = unsafe {
            ask(self.device.handle(), of, &mut count, std::ptr::null_mut())
                .result()
                .map_err(said("vkGetPipelineExecutableInternalRepresentations"))?;
            let mut all =
                vec![vk::PipelineExecutableInternalRepresentationKHR::default(); count as usize];
            ask(self.device.handle(), of, &mut count, all.as_mut_ptr())
                .result()
                .map_err(said("vkGetPipelineExecutableInternalRepresentations"))?;
            all
        };
        let mut bytes: Vec<Vec<u8>> = all.iter().map(|one| vec![0; one.data_size]).collect();
        for (one, bytes) in all.iter_mut().zip(&mut bytes) {
            one.p_data = bytes.as_mut_ptr().cast();
        }
        // SAFETY: each entry points to as many bytes as it was said to have.
        unsafe { ask(self.device.handle(), of, &mut count, all.as_mut_ptr()) }
            .result()
            .map_err(said("vkGetPipelineExecutableInternalRepresentations"))?;
        let shown = |bytes: &[u8]| {
            String::from_utf8_lossy(bytes)
                .trim_end_matches('\0')
                .to_string()
        };
        Ok(all
            .iter()
            .zip(&bytes)
            .map(|(one, bytes)| (text(one.name_as_c_str()), shown(bytes)))
            .collect())
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // SAFETY: nothing that was made of them is left.
        unsafe {
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}

fn said(call: &'static str) -> impl Fn(vk::Result) -> String {
    move |e| format!("{call}: {e}")
}

fn text(name: Result<&CStr, std::ffi::FromBytesUntilNulError>) -> String {
    name.map_or_else(|_| "?".into(), |name| name.to_string_lossy().into_owned())
}
