//! What is traced: the dispatches of plans, and kernels by hand.

use zerostride::kernel::Resource;
use zerostride::{DType, Expr, Options, Plan, Rule, Slot, View, text};
use zerostride_bench::workload::{Case, Kernel};
use zerostride_interpreter::{Program, Uniforms};

/// A dispatch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub name: String,
    /// `plan`, or `hand` for a kernel by hand.
    pub by: &'static str,
    pub text: String,
    pub constants: Vec<(&'static str, f64)>,
    pub uniforms: Uniforms,
    pub groups: [u32; 3],
    /// How the plan says it maps invocations.
    pub mapping: String,
    /// Bytes that must be read and written, if the plan has no other dispatch.
    pub bytes: Option<u64>,
    /// Whether an input is transposed.
    pub is_transpose: bool,
}

/// Workgroups of a matrix product that are traced at most: each goes through whole rows and columns, so that few say what all
/// do, and all would take minutes.
const PRODUCTS: u64 = 16;

impl Launch {
    /// Workgroups that are traced at most, if so many are asked for.
    pub fn most(&self, asked: u64) -> u64 {
        match self.mapping.starts_with("product over") {
            true => asked.min(PRODUCTS),
            false => asked,
        }
    }

    /// Its kernel, ready to run.
    ///
    /// # Errors
    /// What naga says.
    pub fn program(&self) -> Result<Program, String> {
        Program::new(&self.text, &self.constants).map_err(|e| format!("{}: {e}", self.name))
    }
}

/// The launches of a workload: those of its plan and, if wanted, the kernel by hand.
///
/// # Errors
/// Those of planning, in words.
pub fn workload(
    name: &str,
    case: &Case,
    options: &Options,
    by_hand: bool,
) -> Result<Vec<Launch>, String> {
    let slots = case.slots().map_err(|e| format!("{name}: {e}"))?;
    let options = options.with_accuracy(case.accuracy);
    let is_transpose = case
        .operands
        .iter()
        .any(|o| matches!(o.view, Some(View::Transpose)));
    let mut all = plan(name, &case.expr, &slots, &options)?;
    all.iter_mut()
        .for_each(|launch| launch.is_transpose = is_transpose);
    let software = options.limits.software;
    if let Some(kernel) = case.by_hand(software).filter(|_| by_hand) {
        let bytes = all.first().and_then(|launch| launch.bytes);
        all.extend(
            kernel
                .all()
                .map(|kernel| hand(name, kernel, software, bytes, is_transpose)),
        );
    }
    Ok(all)
}

/// The launches of a line `EXPR; NAME=DTYPE[SHAPE] ...`.
///
/// # Errors
/// What of the line is not understood; those of planning.
pub fn line(line: &str, options: &Options) -> Result<Vec<Launch>, String> {
    let form = || format!("`{line}`: write EXPR; x=f32[2,3] y=f32[3]");
    let fail = |e: zerostride::Error| format!("{line}: {e}");
    let (expr, inputs) = line.split_once(';').ok_or_else(form)?;
    let (mut names, mut slots) = (Vec::new(), Vec::new());
    for input in inputs.split_whitespace() {
        let (name, rest) = input.split_once('=').ok_or_else(form)?;
        let (dtype, extents) = rest
            .strip_suffix(']')
            .and_then(|r| r.split_once('['))
            .ok_or_else(form)?;
        let extents = extents.split(',').filter(|e| !e.is_empty());
        let extents: Vec<usize> = extents
            .map(str::parse)
            .collect::<Result<_, _>>()
            .map_err(|_| form())?;
        let dtype: DType = dtype.parse().map_err(|_| form())?;
        names.push(name);
        slots.push(Slot::new(dtype, extents).map_err(fail)?);
    }
    let expr = expr.trim();
    let bound = text::parse(expr)
        .and_then(|parsed| parsed.bind(&names, &Rule::Numpy))
        .map_err(fail)?;
    let mut all = plan(line.trim(), &bound, &slots, options)?;
    let is_transpose = expr.contains(".T") || expr.contains("transpose(");
    all.iter_mut()
        .for_each(|launch| launch.is_transpose = is_transpose);
    Ok(all)
}

fn plan(
    name: &str,
    expr: &Expr<usize>,
    slots: &[Slot],
    options: &Options,
) -> Result<Vec<Launch>, String> {
    let plan = Plan::new(expr, slots, options).map_err(|e| format!("{name}: {e}"))?;
    let shown = plan.to_string();
    let mappings: Vec<&str> = shown
        .lines()
        .filter_map(|l| l.trim().strip_prefix("mapping "))
        .collect();
    let kernels = plan.kernels();
    let dispatches = plan.dispatches();
    let is_alone = dispatches.len() == 1;
    let launch = |(n, dispatch): (usize, &zerostride::kernel::Dispatch)| {
        let words =
            (0..)
                .zip(&dispatch.bindings)
                .filter_map(|(binding, resource)| match resource {
                    Resource::Table(words) | Resource::Numbers(words) => {
                        Some((Some(binding), words.clone()))
                    }
                    Resource::Buffer { size, .. } => {
                        let size = u32::try_from(*size).unwrap_or(u32::MAX);
                        Some((Some(binding), vec![size]))
                    }
                    _ => None,
                });
        Launch {
            name: if n == 0 {
                name.into()
            } else {
                format!("{name} #{n}")
            },
            by: "plan",
            text: kernels[dispatch.kernel].clone(),
            constants: Vec::new(),
            uniforms: words.chain([(None, dispatch.immediates.clone())]).collect(),
            groups: dispatch.grid,
            mapping: mappings.get(n).map_or_else(String::new, |m| (*m).into()),
            bytes: is_alone.then(|| plan.bytes_moved()),
            is_transpose: false,
        }
    };
    Ok(dispatches.iter().enumerate().map(launch).collect())
}

fn hand(
    name: &str,
    kernel: &Kernel,
    software: bool,
    bytes: Option<u64>,
    is_transpose: bool,
) -> Launch {
    let (text, constants) = kernel.source(None, software);
    Launch {
        name: name.into(),
        by: "hand",
        text,
        constants,
        uniforms: Uniforms::from([(Some(0), kernel.params.to_vec())]),
        groups: kernel.groups,
        mapping: "by hand".into(),
        bytes,
        is_transpose,
    }
}
