//! Workloads through a driver: the plan's kernels and the kernel by hand.

use std::path::Path;

use serde::{Deserialize, Serialize};
use zerostride::{DType, Expr, Options, Plan};
use zerostride_bench::workload::{Case, Kernel, Kind, Needs, Operand, Workload};
use zerostride_bench::{catalog, workload};

use crate::driver::{Driver, Told};
use crate::spirv;
use crate::vendors::{self, Vendor};
use zerostride_bench::parallel;

/// log2 of the elements of each workload.
pub const LOG2: u32 = 24;

/// What a vendor's compiler makes of all workloads.
#[derive(Debug, Deserialize, Serialize)]
pub struct Measured {
    pub vendor: String,
    /// The adapter, and its driver's version.
    pub adapter: String,
    pub lines: Vec<Line>,
}

/// A workload.
#[derive(Debug, Deserialize, Serialize)]
pub struct Line {
    pub workload: String,
    /// Bytes that an element reads and writes at least.
    pub bytes: f64,
    /// Whether it is one of the sums whose instructions a byte are limited.
    pub is_sum: bool,
    /// Whether its kernels loop over what they reduce, as often as no compiler knows: such figures
    /// do not compare.
    pub loops: bool,
    pub plan: Figures,
    /// Those of the kernel by hand.
    pub hand: Option<Figures>,
}

/// What kernels cost.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize)]
pub struct Figures {
    /// Instructions of a lane for an element.
    pub instructions: f64,
    /// The vendor's figure of time, for 32 elements.
    pub time: f64,
    /// The most of any kernel.
    pub registers: f64,
    /// Values that do not stay in registers.
    pub spills: f64,
}

/// Measures the workloads that these patterns name. Into a folder, if there is one, go the texts,
/// the SPIR-V and what the compiler makes of it.
///
/// # Errors
/// Of the library, naga or the driver, with the workload's name.
pub fn all(vendor: &str, patterns: &[String], texts: Option<&Path>) -> Result<Measured, String> {
    let vendor = vendors::named(vendor)?;
    let driver = Driver::new(vendor.gpu)?;
    let mut workloads = catalog::all();
    workloads.extend(catalog::rounded());
    workloads.retain(|w| w.kind == Kind::Stream);
    let limited = workloads.len();
    workloads.extend(sums().into_iter().map(|(name, case)| plain(name, case)));
    let names: Vec<String> = workloads[limited..]
        .iter()
        .map(|w| w.name.clone())
        .collect();
    let chosen = workload::choose(workloads, patterns).map_err(|e| e.to_string())?;
    let cases: Vec<(String, Case)> = chosen
        .into_iter()
        .map(|w| (w.name, (w.build)(LOG2)))
        .collect();
    let lines = parallel::map(&cases, |(name, case)| {
        let mut line =
            line(name, case, vendor, &driver, texts).map_err(|e| format!("{name}: {e}"))?;
        line.is_sum = names.contains(name);
        Ok(line)
    });
    let lines = lines.into_iter().collect::<Result<_, String>>()?;
    Ok(Measured {
        vendor: vendor.name.into(),
        adapter: driver.adapter.clone(),
        lines,
    })
}

/// Sums of each type whose arithmetic is cheap on every GPU, in four shapes.
fn sums() -> Vec<(String, Case)> {
    let [rows, columns] = [1 << (LOG2 / 2), 1 << (LOG2 - LOG2 / 2)];
    let types = [DType::F32, DType::F16, DType::U8, DType::I32];
    let others: [(&str, &[usize]); 4] = [
        ("same", &[rows, columns]),
        ("row", &[columns]),
        ("col", &[rows, 1]),
        ("scalar", &[]),
    ];
    let one = |dtype, (shape, extents): (&str, &[usize])| {
        let operands = vec![
            Operand::new(dtype, &[rows, columns]),
            Operand::new(dtype, extents),
        ];
        let case = Case::new(operands, Expr::slot(0).add(Expr::slot(1)));
        (format!("sum/{dtype}_{shape}"), case)
    };
    types
        .into_iter()
        .flat_map(|dtype| others.map(|other| one(dtype, other)))
        .collect()
}

fn plain(name: String, case: Case) -> Workload {
    Workload {
        name,
        about: "a sum whose instructions a byte are limited",
        kind: Kind::Stream,
        log2: None,
        build: Box::new(move |_| Case::new(case.operands.clone(), case.expr.clone())),
    }
}

/// A kernel with the invocations that run it.
pub struct Launch {
    pub text: String,
    pub constants: Vec<(&'static str, f64)>,
    groups: u64,
}

impl Launch {
    /// Those of a plan.
    pub fn of_plan(plan: &Plan) -> Vec<Self> {
        let kernels = plan.kernels();
        let one = |d: &zerostride::kernel::Dispatch| Self {
            text: kernels[d.kernel].clone(),
            constants: Vec::new(),
            groups: d.grid.into_iter().map(u64::from).product(),
        };
        plan.dispatches().iter().map(one).collect()
    }

    /// Those of the kernels by hand, as on a GPU.
    pub fn by_hand(case: &Case) -> Option<Vec<Self>> {
        let one = |kernel: &Kernel| {
            let (text, constants) = kernel.source(None, false);
            Self {
                text,
                constants,
                groups: kernel.groups.into_iter().map(u64::from).product(),
            }
        };
        Some(case.handwritten.as_ref()?.all().map(one).collect())
    }
}

/// The plan of a case.
///
/// # Errors
/// Of the library.
pub fn plan(case: &Case, options: &Options) -> Result<Plan, String> {
    let slots = case.slots().map_err(|e| e.to_string())?;
    Plan::new(&case.expr, &slots, options).map_err(|e| e.to_string())
}

fn line(
    name: &str,
    case: &Case,
    vendor: &Vendor,
    driver: &Driver,
    texts: Option<&Path>,
) -> Result<Line, String> {
    let options = Options::default()
        .with_accuracy(case.accuracy)
        .with_limits(vendor.gpu.limits());
    let plan = plan(case, &options)?;
    let elements: usize = plan
        .outputs()
        .map(|(_, shape)| shape.len().unwrap_or(0))
        .sum();
    let cost = |by: &str, launches: &[Launch]| {
        let mut sum = Figures::default();
        for (n, launch) in launches.iter().enumerate() {
            let one = figures(
                launch,
                vendor,
                driver,
                texts.map(|folder| (folder, format!("{name}.{by}{n}"))),
            )?;
            sum.instructions += one.instructions / elements as f64;
            sum.time += one.time / elements as f64;
            sum.registers = sum.registers.max(one.registers);
            sum.spills += one.spills;
        }
        Ok::<_, String>(sum)
    };
    Ok(Line {
        workload: name.into(),
        bytes: plan.bytes_moved() as f64 / elements as f64,
        is_sum: false,
        loops: case.needs != Needs::Place,
        plan: cost("plan", &Launch::of_plan(&plan))?,
        hand: Launch::by_hand(case)
            .map(|launches| cost("hand", &launches))
            .transpose()?,
    })
}

/// The figures of all invocations together.
fn figures(
    launch: &Launch,
    vendor: &Vendor,
    driver: &Driver,
    texts: Option<(&Path, String)>,
) -> Result<Figures, String> {
    let written = spirv::write(&launch.text, &launch.constants, driver)?;
    let told = driver.compile(&written.module, texts.is_some())?;
    if let Some((folder, name)) = texts {
        keep(
            folder,
            &name.replace('/', "_"),
            launch,
            &written.module.spirv,
            &told,
        )?;
    }
    let lanes = if vendor.is_of_wave {
        told.wave.max(1)
    } else {
        1
    };
    let lanes = f64::from(lanes);
    let invocations = (launch.groups * u64::from(written.workgroup)) as f64;
    Ok(Figures {
        instructions: told.of(vendor.instructions)? * invocations,
        time: told.of(vendor.time[0])? * invocations * 32.0 / lanes,
        registers: told.of(vendor.registers)?,
        spills: spilled(vendor, &told)?,
    })
}

/// What does not stay in registers.
///
/// # Errors
/// A statistic is not told.
pub fn spilled(vendor: &Vendor, told: &Told) -> Result<f64, String> {
    vendor.spills.iter().map(|name| told.of(name)).sum()
}

fn keep(
    folder: &Path,
    name: &str,
    launch: &Launch,
    spirv: &[u32],
    told: &Told,
) -> Result<(), String> {
    let write = |extension: &str, bytes: &[u8]| {
        let path = folder.join(format!("{name}.{extension}"));
        std::fs::write(&path, bytes).map_err(|e| format!("{}: {e}", path.display()))
    };
    let words: Vec<u8> = spirv.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut said = String::new();
    for (name, value) in &told.statistics {
        said.push_str(&format!("{name}: {value}\n"));
    }
    for (name, text) in &told.texts {
        said.push_str(&format!("\n== {name}\n{text}\n"));
    }
    write("wgsl", launch.text.as_bytes())?;
    write("spv", &words)?;
    write("txt", said.as_bytes())
}
