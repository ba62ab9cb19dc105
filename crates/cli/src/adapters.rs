//! `adapters`: the adapters of this machine.

use serde_json::json;
use zerostride::message::{count, escape};
use zerostride::{AdapterSummary, adapters};

use crate::context;
use crate::failure::Failure;
use crate::output;

#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  zerostride adapters\n  ZEROSTRIDE_ADAPTER=llvmpipe zerostride adapters --json"
)]
pub struct Args {
    /// Print a JSON list
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<(), Failure> {
    let found = pollster::block_on(adapters());
    let wanted = std::env::var("ZEROSTRIDE_ADAPTER")
        .unwrap_or_default()
        .to_lowercase();
    let default = found
        .iter()
        .position(|a| a.compute && a.to_string().to_lowercase().contains(&wanted));
    // Only the default adapter's arithmetic is tested.
    let probed = default.and_then(|_| {
        let context = context::builder(None).request_blocking().ok()?;
        Some(context.limits())
    });
    let float64 = |i, a: &AdapterSummary| match &probed {
        Some(limits) if default == Some(i) => limits.float64,
        _ => a.int64 && a.float64,
    };
    if args.json {
        let list: Vec<_> = found
            .iter()
            .enumerate()
            .map(|(i, a)| {
                json!({
                    "name": a.name,
                    "backend": a.backend,
                    "driver": a.driver,
                    "software": a.software,
                    "compute": a.compute,
                    "default": default == Some(i),
                    "max_binding": a.max_binding,
                    "max_buffer": a.max_buffer,
                    "max_storage_buffers": a.max_storage_buffers,
                    "int64": a.int64,
                    "float64": float64(i, a),
                    "floats": probed.filter(|_| default == Some(i)).map(|limits| limits.describe_floats()),
                })
            })
            .collect();
        output::json(&list.into())?;
    } else {
        let mut text = String::new();
        for (i, a) in found.iter().enumerate() {
            let mark = if default == Some(i) { '*' } else { ' ' };
            let kind = if a.software { "CPU" } else { "GPU" };
            let (name, driver) = (escape(&a.name), escape(&a.driver));
            text.push_str(&format!(
                "{mark} {name} ({})\n    {driver}, {kind}",
                a.backend
            ));
            text.push_str(&match a.compute {
                true => format!(
                    ", bindings up to {}, buffers up to {}, {} per kernel\n    64-bit integers: {}, 64-bit floats: {}\n",
                    size(a.max_binding),
                    size(a.max_buffer),
                    count(a.max_storage_buffers, "storage buffer"),
                    if a.int64 { "native" } else { "pairs of 32-bit words" },
                    if float64(i, a) { "native" } else { "computed by integers" },
                ),
                false => ", no compute shaders: cannot be used\n".into(),
            });
        }
        if let Some(limits) = &probed {
            text.push_str(&format!(
                "* floats, as tested: {}\n",
                limits.describe_floats().join(", ")
            ));
        }
        if default.is_some() {
            text.push_str("* is used if --adapter names no other\n");
        }
        output::text(&text)?;
    }
    match (found.is_empty(), default) {
        (true, _) => Err(Failure::Failed(
            "no adapter was found; install a Vulkan driver (on Debian and Ubuntu: mesa-vulkan-drivers libvulkan1)"
                .into(),
        )),
        (false, None) => {
            let named = if wanted.is_empty() { String::new() } else { format!(" named `{}`", escape(&wanted)) };
            Err(Failure::Failed(format!("none of these adapters{named} can be used")))
        }
        _ => Ok(()),
    }
}

/// Bytes in the largest binary unit in which they are at least 1.
fn size(bytes: u64) -> String {
    if bytes < 1024 {
        return count(bytes, "byte");
    }
    let units = ["bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let mut value = bytes as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit + 1 < units.len() {
        value /= 1024.0;
        unit += 1;
    }
    let rounded = (value * 10.0).round() / 10.0;
    format!("{rounded} {}", units[unit])
}
