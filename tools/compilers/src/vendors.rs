//! The vendors: what their drivers give shaders, and what they call the figures of a kernel.

use zerostride_bench::gpu::Gpu;

/// A vendor's compiler, as `on` of `scripts/setup-compilers.sh` names it.
pub struct Vendor {
    pub name: &'static str,
    pub gpu: Gpu,
    /// Whether a ratio above the limit is a failure. Drivers that move with Debian sid decide
    /// nothing.
    pub decides: bool,
    /// The statistic of instructions.
    pub instructions: &'static str,
    /// The statistic that stands for time, and how it is called here.
    pub time: [&'static str; 2],
    /// Whether that is a wave's, of however many lanes, and not a lane's.
    pub is_of_wave: bool,
    /// The statistic of registers.
    pub registers: &'static str,
    /// Statistics that are 0 if all values stay in registers.
    pub spills: &'static [&'static str],
}

/// All vendors.
pub const VENDORS: &[Vendor] = &[
    Vendor {
        name: "amd",
        gpu: Gpu {
            int64: true,
            float64: true,
            fused: true,
        },
        decides: true,
        instructions: "Instructions",
        time: ["Inverse Throughput", "cycles"],
        is_of_wave: true,
        registers: "VGPRs",
        spills: &["Spilled SGPRs", "Spilled VGPRs", "Scratch size"],
    },
    Vendor {
        name: "nvidia",
        gpu: Gpu {
            int64: true,
            float64: true,
            fused: true,
        },
        decides: false,
        instructions: "Instruction count",
        time: ["Static cycle count", "cycles"],
        is_of_wave: true,
        registers: "Number of GPRs",
        spills: &["Spills to memory", "Fills from memory", "SLM size"],
    },
    Vendor {
        name: "apple",
        gpu: Gpu {
            int64: true,
            float64: false,
            fused: true,
        },
        decides: false,
        instructions: "Instructions",
        time: ["ALU", "ALU cycles"],
        is_of_wave: true,
        registers: "GPRs",
        spills: &["Spills", "Scratch"],
    },
    Vendor {
        name: "adreno",
        gpu: Gpu {
            int64: true,
            float64: false,
            fused: false,
        },
        decides: false,
        instructions: "Instruction Count",
        time: ["Instruction Count", "lanes' instructions"],
        is_of_wave: false,
        registers: "Registers used",
        spills: &["STP Count", "LDP Count"],
    },
];

/// The vendor of this name.
pub fn named(name: &str) -> Result<&'static Vendor, String> {
    let names: Vec<_> = VENDORS.iter().map(|v| v.name).collect();
    VENDORS.iter().find(|v| v.name == name).ok_or_else(|| {
        format!(
            "there is no vendor `{name}`; these are there: {}",
            names.join(", ")
        )
    })
}
