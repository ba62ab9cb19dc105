//! Kernel texts by what they are of, and their checks.

use std::collections::BTreeMap;

use super::*;

/// Texts by a description; each text once.
#[derive(Default)]
pub(super) struct Texts {
    pub(super) by_text: BTreeMap<String, (String, KernelKey)>,
    /// Whether those that compute several calls are added too.
    pub(super) grouped: bool,
}

impl Texts {
    pub(super) fn add(
        &mut self,
        what: &str,
        expr: &Expr<usize>,
        slots: &[Slot],
        options: &Options,
        in_place: bool,
    ) {
        let plan = Plan::new(expr, slots, options).unwrap_or_else(|e| panic!("{what}: {e}"));
        for pass in &plan.passes {
            let same = |i: &crate::plan::Input| {
                in_place && i.layout.is_contiguous() && i.dtype.size() == pass.output.dtype.size()
            };
            let places: Vec<bool> = pass.inputs.iter().map(same).collect();
            let key = KernelKey::new(pass, &places);
            if let Some(key) = key
                .grouped(options.limits.max_storage_buffers)
                .filter(|_| self.grouped)
            {
                self.by_text
                    .entry(key.wgsl())
                    .or_insert_with(|| (format!("{what}, {} calls", key.calls), key));
            }
            self.by_text
                .entry(key.wgsl())
                .or_insert_with(|| (what.into(), key));
        }
    }

    /// Checks all, reports all; `name` is that of their digest in `tests/kernels/digests.txt`.
    pub(super) fn check(self, name: &str, at_least: usize) {
        assert!(
            self.by_text.len() >= at_least,
            "only {} texts were reached",
            self.by_text.len()
        );
        let mut failures = Vec::new();
        let folder = |variable: &str| {
            let named = std::env::var_os(variable).filter(|name| !name.is_empty());
            named.map(std::path::PathBuf::from)
        };
        #[cfg(feature = "translate")]
        let translations = folder("ZEROSTRIDE_TRANSLATIONS");
        let folder = folder("ZEROSTRIDE_KERNELS");
        for (text, (what, key)) in &self.by_text {
            if let Some(folder) = &folder {
                let is_native = has_64_bits(key) || key.immediate;
                keep(
                    &folder.join(if is_native { "native" } else { "web" }),
                    "wgsl",
                    text,
                    format!("{text}\n// {what}\n").as_bytes(),
                );
            }
            let capabilities = if has_64_bits(key) || key.immediate || key.floats.halves {
                validate::NATIVE
            } else {
                naga::valid::Capabilities::empty()
            };
            if let Some(e) = grammar::mixed(text) {
                failures.push(format!("{what}: {e}"));
            }
            match validate::module(text, capabilities) {
                Err(e) => failures.push(format!("{what}: {e}\n{text}")),
                Ok((module, _)) => {
                    if let Err(e) = reflected(&module, key) {
                        failures.push(format!("{what}: {e}"));
                    }
                }
            }
            #[cfg(feature = "translate")]
            for language in Language::ALL.into_iter().filter(|l| exists(*l, key, text)) {
                match language.translate(text) {
                    Err(e) => failures.push(format!("{what}: {language}: {e}")),
                    Ok(translation) => {
                        if let Err(e) = places::check(language, &translation, key) {
                            failures.push(format!("{what}: {language}: {e}"));
                        }
                        if let Some(folder) = translations
                            .as_deref()
                            .filter(|_| language != Language::Wgsl)
                        {
                            keep(folder, language.name(), text, &translation.code);
                        }
                    }
                }
            }
        }
        assert!(
            failures.is_empty(),
            "{} of {} kernels:\n{}",
            failures.len(),
            self.by_text.len(),
            failures.join("\n")
        );
        digest::check(name, self.by_text.keys());
    }
}

/// Writes what became of a text into a folder; the same text always has the same name.
pub(super) fn keep(folder: &std::path::Path, extension: &str, text: &str, bytes: &[u8]) {
    let name = folder.join(format!("{:016x}.{extension}", digest::fnv1a(text.bytes())));
    std::fs::create_dir_all(folder).expect("the folder for kernels can be made");
    std::fs::write(name, bytes).expect("the folder for kernels can be written to");
}

/// Whether a language has what a kernel uses: GLSL ES has no 64-bit types, Metal no 64-bit floats,
/// HLSL no bit casts of them.
#[cfg(feature = "translate")]
pub(super) fn exists(language: Language, key: &KernelKey, text: &str) -> bool {
    match language {
        Language::Glsl => !has_64_bits(key),
        Language::Msl | Language::Hlsl => !text.contains("f64>"),
        _ => true,
    }
}

/// The bindings, the workgroup and its memory in a module are those that pipelines are made with and plans count.
pub(super) fn reflected(module: &naga::Module, key: &KernelKey) -> Result<(), String> {
    let list = binding_list(key);
    let mut found: Vec<u32> = module
        .global_variables
        .iter()
        .filter_map(|(_, v)| v.binding.map(|b| b.binding))
        .collect();
    found.sort_unstable();
    let wanted: Vec<u32> = list.iter().map(|b| b.number).collect();
    if found != wanted {
        return Err(format!("bindings {found:?} instead of {wanted:?}"));
    }
    for (_, v) in module.global_variables.iter() {
        let Some(binding) = &v.binding else { continue };
        let role = list[binding.binding as usize].role;
        let writes = matches!(v.space, naga::AddressSpace::Storage { access } if access.contains(naga::StorageAccess::STORE));
        if writes != matches!(role, Role::Output { .. }) {
            return Err(format!(
                "binding {} is {role:?}, writes: {writes}",
                binding.binding
            ));
        }
    }
    if let Some(schedule) = key.work.fold() {
        let memory: u32 = module
            .global_variables
            .iter()
            .filter(|(_, v)| v.space == naga::AddressSpace::WorkGroup)
            .map(|(_, v)| module.types[v.ty].inner.size(module.to_ctx()))
            .sum();
        let planned = schedule.lane_bytes(&key.folds) + schedule.result_bytes(key.output);
        if memory as usize != planned {
            return Err(format!("{memory} bytes of a workgroup, planned {planned}"));
        }
    }
    let entry = &module.entry_points[0];
    let wanted = key.workgroup();
    if entry.name != "main" || entry.workgroup_size != wanted {
        return Err(format!(
            "entry point {} of {:?}",
            entry.name, entry.workgroup_size
        ));
    }
    Ok(())
}

/// Whether a kernel has 64-bit integers.
fn has_64_bits(key: &KernelKey) -> bool {
    key.native || key.divides_wide()
}
