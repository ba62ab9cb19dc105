//! Reductions: sums along each axis, moments, places, and rows that are read once.

use zerostride::{Axes, Expr};

use super::cases::*;
use crate::workload::{Case, Kernel, Needs, Operand, Workload};

/// A shape of `2^log2` elements, or the whole rows that are nearest.
pub(super) type Shape = fn(u32) -> Vec<usize>;

/// All workloads with reductions.
pub(super) fn reductions() -> Vec<Workload> {
    let mut all = sums();
    all.extend(of_rows());
    all.extend(rows_in_one());
    all
}

/// A workload with a reduction of one operand, and its kernel by hand as a function of the shape.
pub(super) fn reduction(
    name: &str,
    about: &'static str,
    (expr, needs): (&'static str, Needs),
    shape: Shape,
    kernel: impl Fn(&[usize]) -> Kernel + 'static,
    cpu: impl Fn(&[usize]) -> Option<Kernel> + 'static,
) -> Workload {
    stream(name, about, move |log2| {
        let e = shape(log2);
        let case = needing(needs, vec![f32s(&e)], parsed(expr));
        case.kernel(kernel(&e)).cpu_kernel(cpu(&e))
    })
}

const CPU_ROW: &[&str] = &[include_str!("../../handwritten/cpu_row.wgsl")];
const CPU_ROW_EXP: &[&str] = &[CPU_ROW[0], EXP[0]];

/// A kernel by hand for software adapters: four invocations a row, of rows that have as many elements
/// for each of 256 lanes.
fn cpu_rows(text: Text, e: &[usize]) -> Option<Kernel> {
    e[1].is_multiple_of(256).then(|| four_a_row(text, e))
}

/// One of rows of 257 elements.
fn cpu_odd_rows(text: Text, e: &[usize]) -> Option<Kernel> {
    (e[1] == 257).then(|| four_a_row(text, e))
}

fn four_a_row((name, text): Text, e: &[usize]) -> Kernel {
    let number = (1.0 / e[1] as f32).to_bits();
    let params = [e[0] as u32, number, (e[1] / 4) as u32, 0];
    let groups = e[0].div_ceil(2);
    let y = groups.div_ceil(65_535);
    let groups = [groups.div_ceil(y), y, 1].map(|g| g as u32);
    Kernel {
        libraries: CPU_ROW,
        ..Kernel::new(name, text, 8, params, groups)
    }
}

/// One of long rows, first of their parts, if its text is for so many of them.
fn cpu_parts(rows: usize, row: usize) -> Option<Kernel> {
    const PART: usize = 1 << 16;
    let parts = row / PART;
    let fits = row.is_multiple_of(PART) && parts <= 256;
    let first = || four_a_row(text!("cpu_sum_parts"), &[rows * parts, PART]);
    let second = || four_a_row(text!("cpu_sum_all"), &[rows, parts * 256]);
    fits.then(|| first().then(rows * parts * 1024, second()))
}

/// That of columns, if its text is for so many rows.
fn cpu_columns(outer: usize, rows: usize, columns: usize) -> Option<Kernel> {
    let (name, text) = text!("cpu_sum_columns");
    let fits = rows.is_multiple_of(256) && rows <= 4096 && columns.is_multiple_of(16);
    let params = [columns / 4, rows, 0, 0].map(|p| p as u32);
    let groups = [columns.div_ceil(128), outer, 1].map(|g| g as u32);
    fits.then(|| Kernel::new(name, text, 8, params, groups))
}

/// Sums of whole rows of quads, `chunks` workgroups each, and then of their sums.
fn chunked(rows: usize, row: usize, chunks: usize) -> Kernel {
    let (name, text) = text!("sum_rows");
    let chunks = chunks.min(row / 16);
    let second = Kernel::row_each(name, text, chunks / 4, rows).number(1.0);
    Kernel::row_each(name, text, row / chunks / 4, rows * chunks)
        .number(1.0)
        .then(rows * chunks * 4, second)
}

/// Sums of columns, in chunks of rows, and then of their sums.
pub(super) fn columns(outer: usize, rows: usize, columns: usize, chunks: usize) -> Kernel {
    let (name, text) = text!("sum_columns");
    let one = |rows: usize, chunks: usize| {
        let params = [columns / 4, rows.div_ceil(chunks), rows, 0].map(|p| p as u32);
        let groups = [(columns / 4).div_ceil(64), chunks, outer].map(|g| g as u32);
        Kernel::new(name, text, 64, params, groups)
    };
    if chunks == 1 {
        return one(rows, 1);
    }
    one(rows, chunks).then(outer * chunks * columns * 4, one(chunks, 1))
}

fn sums() -> Vec<Workload> {
    vec![
        reduction(
            "sum_all",
            "sum of all of [R,C]",
            ("x.sum()", Needs::All),
            |log2| table(log2).to_vec(),
            |e| chunked(1, e[0] * e[1], 1024),
            |e| cpu_parts(1, e[0] * e[1]),
        ),
        reduction(
            "sum_rows",
            "sum of [R,4096] along axis 1",
            ("x.sum(axis=1)", of_row(1)),
            |log2| rows_of(log2, 4096),
            |e| {
                let (name, text) = text!("sum_rows");
                Kernel::row_each(name, text, e[1] / 4, e[0]).number(1.0)
            },
            |e| Some(cpu_rows(text!("cpu_sum_rows"), e)?.param(1, 1.0f32.to_bits() as usize)),
        ),
        reduction(
            "sum_columns",
            "sum of [R,4096] along axis 0",
            ("x.sum(axis=0)", Needs::All),
            |log2| rows_of(log2, 4096),
            |e| columns(1, e[0], e[1], e[0].div_ceil(64)),
            |e| cpu_columns(1, e[0], e[1]),
        ),
        reduction(
            "sum_middle",
            "sum of [N,256,1024] along axis 1",
            ("x.sum(axis=1)", of_row(1)),
            |log2| scaled(log2, &[6, 8, 10], 0),
            |e| columns(e[0], e[1], e[2], 1),
            |e| cpu_columns(e[0], e[1], e[2]),
        ),
        reduction(
            "sum_short",
            "sum of [R,16] along axis 1",
            ("x.sum(axis=1)", of_row(1)),
            |log2| rows_of(log2, 16),
            |e| {
                let (name, text) = text!("sum_short");
                let groups = (e[0] / 4).div_ceil(64);
                let x = groups.min(4096);
                let params = [e[0] as u32, 0, 0, 0];
                let groups = [x as u32, groups.div_ceil(x) as u32, 1];
                Kernel::new(name, text, 64, params, groups)
            },
            |e| {
                let (name, text) = text!("cpu_sum_short");
                let groups = (e[0] / 4).div_ceil(64);
                let x = groups.min(4096);
                let groups = [x, groups.div_ceil(x), 1].map(|g| g as u32);
                Some(Kernel::new(name, text, 64, [e[0] as u32, 0, 0, 0], groups))
            },
        ),
        reduction(
            "sum_long",
            "sum of [4,C] along axis 1",
            ("x.sum(axis=1)", of_row(1)),
            |log2| vec![4, (1 << log2) / 4],
            |e| chunked(e[0], e[1], 256),
            |e| cpu_parts(e[0], e[1]),
        ),
    ]
}

fn of_rows() -> Vec<Workload> {
    let rows: Shape = |log2| rows_of(log2, 4096);
    vec![
        reduction(
            "mean_rows",
            "mean of [R,4096] along axis 1",
            ("x.mean(axis=1)", of_row(1)),
            rows,
            |e| {
                let (name, text) = text!("sum_rows");
                Kernel::row_each(name, text, e[1] / 4, e[0]).number(1.0 / e[1] as f32)
            },
            |e| cpu_rows(text!("cpu_sum_rows"), e),
        ),
        reduction(
            "var_rows",
            "variance of [R,4096] along axis 1",
            ("x.var(axis=1)", of_row(1)),
            rows,
            |e| {
                let (name, text) = text!("var_rows");
                Kernel::row_each(name, text, e[1] / 4, e[0]).number(1.0 / e[1] as f32)
            },
            |e| cpu_rows(text!("cpu_var_rows"), e),
        ),
        reduction(
            "argmax_rows",
            "argmax of [R,4096] along axis 1",
            ("x.argmax(axis=1)", of_row(1)),
            rows,
            |e| {
                let (name, text) = text!("argmax_rows");
                Kernel::row_each(name, text, e[1] / 4, e[0])
            },
            |e| cpu_rows(text!("cpu_argmax_rows"), e),
        ),
        stream(
            "distance_rows",
            "sum of (x - y)^2 along axis 1: [R,4096] twice",
            move |log2| {
                let e = rows(log2);
                let (name, text) = text!("distance_rows");
                let expr = parsed("((x - y) ** 2).sum(axis=1)");
                needing(of_row(2), vec![f32s(&e); 2], expr)
                    .kernel(Kernel::row_each(name, text, e[1] / 4, e[0]))
                    .cpu_kernel(cpu_rows(text!("cpu_distance_rows"), &e))
            },
        ),
    ]
}

const EXP: &[&str] = &[include_str!("../../../../shaders/math_exp_log.wgsl")];

/// Rows that a plan reads once: each length with its kernel by hand.
fn rows_in_one() -> Vec<Workload> {
    let mut all = Vec::new();
    for (columns, names) in [
        (4096, ["softmax_4096", "layer_norm_4096"]),
        (768, ["softmax_768", "layer_norm_768"]),
        (257, ["softmax_257", "layer_norm_257"]),
    ] {
        let rows = move |log2| match columns {
            // 2^16 rows, and as many fewer as there are fewer elements.
            257 => vec![1usize << (log2 - 8), columns],
            _ => rows_of(log2, columns),
        };
        all.push(stream(
            names[0],
            "softmax of rows, against a kernel with the same exp",
            move |log2| {
                let e = rows(log2);
                let kernel = row_kernel(text!("softmax"), text!("softmax_odd"), &e);
                let kernel = Kernel {
                    libraries: EXP,
                    ..kernel
                };
                let cpu = cpu_rows(text!("cpu_softmax"), &e)
                    .or_else(|| cpu_odd_rows(text!("cpu_softmax_odd"), &e));
                let cpu = cpu.map(|kernel| Kernel {
                    libraries: CPU_ROW_EXP,
                    ..kernel
                });
                let case = needing(of_row(1), vec![f32s(&e)], softmax());
                Case {
                    tolerance: 1e-8,
                    ..case.kernel(kernel).cpu_kernel(cpu)
                }
            },
        ));
        all.push(stream(
            names[1],
            "(x - mean) / sqrt(var + 1e-5) * gamma + beta of rows",
            move |log2| {
                let e = rows(log2);
                let kernel = row_kernel(text!("layer_norm"), text!("layer_norm_odd"), &e);
                let normal = parsed(NORMAL).mul(x(1)).add(x(2));
                let operands = vec![f32s(&e), f32s(&e[1..]), f32s(&e[1..])];
                let cpu = cpu_rows(text!("cpu_layer_norm"), &e);
                needing(of_row(1), operands, normal)
                    .kernel(kernel)
                    .cpu_kernel(cpu)
            },
        ));
    }
    all.push(stream(
        "norm_gradient",
        "gradient of sum(y * (x - mean) / sqrt(var + 1e-5) * gamma) in x: [R,4096] twice, [4096]",
        |log2| {
            let e = rows_of(log2, 4096);
            let (name, text) = text!("norm_gradient");
            let kernel = Kernel::row_each(name, text, e[1] / 4, e[0]).number(1.0 / e[1] as f32);
            let normal = parsed(NORMAL).mul(x(2));
            let gradient = normal.pullback(&x(1), &[x(0)]).remove(0);
            let operands: Vec<Operand> = vec![f32s(&e), f32s(&e), f32s(&e[1..])];
            needing(of_row(2), operands, gradient).kernel(kernel)
        },
    ));
    all
}

const NORMAL: &str =
    "(x - x.mean(axis=-1, keepdims=True)) / sqrt(x.var(axis=-1, keepdims=True) + 1e-5)";

/// Softmax as it is usually written: the largest element is taken off first.
fn softmax() -> Expr<usize> {
    let e = parsed("exp(x - x.max(axis=-1, keepdims=True))");
    e.div(e.sum(Axes::new([-1]).keepdims()))
}

/// The kernel of rows of quads, or that of others.
fn row_kernel(quads: Text, odd: Text, e: &[usize]) -> Kernel {
    let (kernel, row) = match e[1] % 4 {
        0 => (quads, e[1] / 4),
        _ => (odd, e[1]),
    };
    Kernel::row_each(kernel.0, kernel.1, row, e[0]).number(1.0 / e[1] as f32)
}
