//! What the driver of the adapter that is there tells of the kernels: any driver's, a real GPU's too.

use serde_json::{Value, json};
use zerostride::Context;
use zerostride::inspect::FloatFact;
use zerostride_bench::gpu::Gpu;
use zerostride_bench::workload::{Kind, Workload};
use zerostride_bench::{catalog, workload};

use crate::driver::{Driver, SILENT};
use crate::measure::{LOG2, Launch, plan};
use crate::spirv;

/// Compiles the kernels of the workloads that these patterns name, as the context's plans have them,
/// and the kernels by hand. Each kernel is a line of JSON, which `print` takes. A driver that tells
/// nothing is one line that says so.
///
/// # Errors
/// Of the library, naga or the driver; the context's adapter is not Vulkan's first one; or, with the
/// workload's name, what `print` says.
pub fn all(
    patterns: &[String],
    mut print: impl FnMut(&str) -> Result<(), String>,
) -> Result<(), String> {
    let context = Context::builder().from_env().request_blocking();
    let context = context.map_err(|e| e.to_string())?;
    let limits = context.limits();
    let name = &context.adapter_info().name;
    let gpu = Gpu {
        int64: limits.int64,
        float64: limits.float64,
        fused: limits.arithmetic.has(FloatFact::Fma),
    };
    let Some(driver) = Driver::if_it_tells(gpu)? else {
        return print(&json!({ "adapter": name, "error": SILENT }).to_string());
    };
    if !driver.adapter.starts_with(name.as_str()) {
        return Err(format!(
            "Vulkan's first adapter is {}, the context's is {name}: let VK_DRIVER_FILES name one driver",
            driver.adapter
        ));
    }
    let mut workloads = catalog::all();
    workloads.retain(|w| w.kind == Kind::Stream);
    for workload in workload::choose(workloads, patterns).map_err(|e| e.to_string())? {
        let lines =
            lines(&workload, &context, &driver).map_err(|e| format!("{}: {e}", workload.name))?;
        lines.iter().try_for_each(|line| print(&line.to_string()))?;
    }
    Ok(())
}

fn lines(workload: &Workload, context: &Context, driver: &Driver) -> Result<Vec<Value>, String> {
    let case = (workload.build)(LOG2);
    let options = context.options().with_accuracy(case.accuracy);
    let planned = Launch::of_plan(&plan(&case, &options)?);
    let kernels = planned
        .iter()
        .map(|launch| ("plan", launch))
        .collect::<Vec<_>>();
    let hand = Launch::by_hand(&case).unwrap_or_default();
    let kernels = kernels
        .into_iter()
        .chain(hand.iter().map(|launch| ("hand", launch)));
    kernels
        .map(|(by, launch)| {
            let written = spirv::write(&launch.text, &launch.constants, driver)?;
            let told = driver.compile(&written.module, false)?;
            Ok(json!({
                "adapter": driver.adapter,
                "workload": workload.name,
                "kernel": by,
                "workgroup": written.workgroup,
                "wave": told.wave,
                "statistics": told.statistics,
            }))
        })
        .collect()
}
