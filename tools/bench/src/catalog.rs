//! The workloads.

use zerostride::{Accuracy, DType, View};

use crate::workload::{Case, Kernel, Kind, Operand, Workload};
use cases::*;

/// The text of a hand-written kernel, with its name.
macro_rules! text {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/handwritten/",
                $name,
                ".wgsl"
            )),
        )
    };
}

mod cases;
mod growth;
mod moved;
mod others;
mod reductions;

pub use growth::growth;
pub use moved::sorts;

/// All workloads but sorts, in the order they run: what looks at kernels without a GPU looks at these.
pub fn all() -> Vec<Workload> {
    let mut all = floats();
    all.extend(others::others());
    all.extend(reductions::reductions());
    all.extend(moved::moved());
    all.extend([
        small(
            "small_sync",
            "[3,4] + [4]: one call, then a wait",
            Kind::Calls(1),
        ),
        small(
            "small_1000",
            "[3,4] + [4]: 1,000 calls, then one wait",
            Kind::Calls(1000),
        ),
        small(
            "cold_start",
            "f32[4] + f32[4]: a process from its start to the result",
            Kind::Cold,
        ),
        small(
            "small_run_1000",
            "[3,4] + [4]: 1,000 runs of a plan, then one wait",
            Kind::Runs(1000),
        ),
    ]);
    all
}

/// The kernel that reads a device's clock, by how long it takes: see its text.
pub fn meter() -> Kernel {
    let (name, text) = text!("meter");
    let words = [1.0, 1.0, 1e-20, 0.0f32].map(f32::to_bits);
    Kernel::new(name, text, 32, words, [1; 3])
}

/// A kernel that does nothing.
pub fn empty() -> Kernel {
    let (name, text) = text!("empty");
    Kernel::new(name, text, 1, [0; 4], [1; 3])
}

/// Workloads again beside kernels by hand of the same bits: those in [`all`] let a compiler round a
/// product and a sum once, which a plan never does.
pub fn rounded() -> Vec<Workload> {
    vec![
        same_bits("norm_rounded", "norm, each step rounded", norm),
        same_bits("chain_8_rounded", "chain_8, each step rounded", chain(8)),
        same_bits("chain_32_rounded", "chain_32, each step rounded", chain(32)),
    ]
}

fn same_bits(name: &str, about: &'static str, build: impl Fn(u32) -> Case + 'static) -> Workload {
    stream(name, about, move |log2| {
        let mut case = build(log2);
        case.handwritten = case.handwritten.map(Kernel::rounded);
        case
    })
}

fn norm(log2: u32) -> Case {
    let [r, c] = table(log2);
    let (name, text) = text!("norm");
    let operands = vec![
        f32s(&[r, c]),
        f32s(&[r, 1]),
        f32s(&[r, 1]),
        f32s(&[c]),
        f32s(&[c]),
    ];
    let normed = x(0).sub(x(1)).mul(x(2)).mul(x(3)).add(x(4));
    Case::new(operands, normed).kernel(Kernel::fours(name, text, c / 4, r))
}

fn nchw_bias(log2: u32) -> Case {
    let e = scaled(log2, &[6, 8, 5, 5], 0);
    let (name, text) = text!("nchw_bias");
    Case::new(vec![f32s(&e), f32s(&[1, e[1], 1, 1])], x(0).add(x(1)))
        .kernel(Kernel::rows(name, text, e[2] * e[3] / 4, e[0] * e[1]).param(2, e[1]))
}

fn both5d_mul(log2: u32) -> Case {
    let e = scaled(log2, &[3, 4, 6, 4, 7], 2);
    let (name, text) = text!("both5d_mul");
    let (quads, rows) = (e[4] / 4, e[0] * e[1] * e[2]);
    let params = [quads as u32, e[3] as u32, e[2] as u32, e[1] as u32];
    let y = rows.min(65_535);
    let grid = [
        (e[3] / 4 * quads).div_ceil(64) as u32,
        y as u32,
        rows.div_ceil(y) as u32,
    ];
    let operands = vec![
        f32s(&[e[0], 1, e[2], 1, e[4]]),
        f32s(&[1, e[1], 1, e[3], e[4]]),
    ];
    Case::new(operands, x(0).mul(x(1))).kernel(Kernel::new(name, text, 64, params, grid))
}

fn transpose_add(log2: u32) -> Case {
    let [r, c] = table(log2);
    let (name, text) = text!("transpose_add");
    let (across, down) = ((c / 4) as u32, (r / 4) as u32);
    let grid = [across.div_ceil(4), down.div_ceil(64), 1];
    let operands = vec![f32s(&[c, r]).viewed(View::Transpose), f32s(&[r, c])];
    Case::new(operands, x(0).add(x(1))).kernel(Kernel::new(
        name,
        text,
        4,
        [across, down, 0, 0],
        grid,
    ))
}

/// The f32 workloads with peers.
fn floats() -> Vec<Workload> {
    use Accuracy::{Fast, Precise};
    vec![
        stream(
            "same_add",
            "[R,C] + [R,C]",
            same(DType::F32, text!("same_add"), 4),
        ),
        stream(
            "row_add",
            "[R,C] + [C]",
            row(DType::F32, text!("row_add"), 4),
        ),
        stream(
            "col_add",
            "[R,C] + [R,1]",
            pair(
                |[r, c]| [vec![r, c], vec![r, 1]],
                text!("col_add"),
                Kernel::rows,
            ),
        ),
        stream("scalar_add", "[R,C] + []", |log2| {
            let [r, c] = table(log2);
            let (name, text) = text!("scalar_add");
            Case::new(vec![f32s(&[r, c]), f32s(&[])], x(0).add(x(1))).kernel(Kernel::flat(
                name,
                text,
                r * c / 4,
            ))
        }),
        stream(
            "outer_add",
            "[R,1] + [1,C]",
            pair(
                |[r, c]| [vec![r, 1], vec![1, c]],
                text!("outer_add"),
                Kernel::fours,
            ),
        ),
        stream("nchw_bias", "[N,K,32,32] + [1,K,1,1]", nchw_bias),
        stream("both5d_mul", "[8,1,K,1,128] * [1,16,1,16,128]", both5d_mul),
        stream("where", "where(bool [R,C], [R,1], [C])", |log2| {
            let [r, c] = table(log2);
            let operands = vec![
                Operand::new(DType::Bool, &[r, c]),
                f32s(&[r, 1]),
                f32s(&[c]),
            ];
            let (name, text) = text!("where");
            Case::new(operands, x(0).where_(x(1), x(2))).kernel(Kernel::fours(name, text, c / 4, r))
        }),
        stream(
            "pow",
            "[R,C] ** [C], against a kernel with the same function",
            pow(Precise, text!("pow"), POW_LIBRARIES),
        ),
        stream(
            "pow_to_builtin",
            "[R,C] ** [C], against the adapter's function",
            pow(Precise, text!("pow_builtin"), &[]),
        ),
        stream(
            "pow_fast",
            "[R,C] ** [C], fast",
            pow(Fast, text!("pow_builtin"), &[]),
        ),
        stream(
            "norm",
            "(x - mean) * rstd * gamma + beta: [R,C], [R,1] twice, [C] twice",
            norm,
        ),
        stream("transpose_add", "a.T + b", transpose_add),
    ]
}
