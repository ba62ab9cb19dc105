//! Sums of many broadcast shapes, each beside the sum of two tensors of the result's shape.

use zerostride::{DType, Expr};

use crate::workload::{Case, Kind, Operand, Workload};

/// Extents of the innermost axis, of whole quads and others.
const INNER: [usize; 16] = [
    2, 3, 4, 5, 6, 8, 20, 33, 64, 132, 256, 257, 768, 1000, 1024, 4096,
];

/// Two shapes in which 0 stands for the extent that makes up the number of elements.
type Shapes = [Vec<usize>; 2];

/// Rows, columns, and axes in the middle for each inner extent; then bias over images, two that are
/// broadcast both ways, and alternating axes.
fn shapes() -> Vec<Shapes> {
    let mut all: Vec<Shapes> = Vec::new();
    for c in INNER {
        all.push([vec![0, c], vec![c]]);
        all.push([vec![0, c], vec![0, 1]]);
        all.push([vec![0, 3, c], vec![3, 1]]);
        for middle in [3, 4, 5] {
            all.push([vec![0, middle, c], vec![0, 1, c]]);
        }
        all.push([vec![0, 1, c], vec![1, 16, c]]);
    }
    all.push([vec![0, 256, 32, 32], vec![256, 1, 1]]);
    all.push([vec![0, 64, 31, 33], vec![64, 1, 1]]);
    all.push([vec![8, 1, 0, 1, 128], vec![1, 16, 1, 16, 128]]);
    all.push([vec![0, 1], vec![1, 4096]]);
    for rank in 4..=11 {
        let one = |first: usize| {
            (0..rank)
                .map(|axis| if axis % 2 == first { 4 } else { 1 })
                .collect::<Vec<_>>()
        };
        let (mut a, b) = (one(0), one(1));
        a[0] = 0;
        all.push([a, b]);
    }
    all
}

/// A shape in words.
fn named(shape: &[usize]) -> String {
    let extents: Vec<_> = shape
        .iter()
        .map(|&e| if e == 0 { "N".into() } else { e.to_string() })
        .collect();
    format!("[{}]", extents.join(","))
}

/// Both shapes with an extent for N, so that the result has about `2^log2` elements.
fn filled(shapes: &Shapes, log2: u32) -> Shapes {
    let rank = shapes.iter().map(Vec::len).max().unwrap_or_default();
    let extent =
        |shape: &[usize], axis: usize| shape.len().checked_sub(axis + 1).map_or(1, |at| shape[at]);
    let others: usize = (0..rank)
        .map(|axis| {
            extent(&shapes[0], axis)
                .max(extent(&shapes[1], axis))
                .max(1)
        })
        .product();
    let n = ((1 << log2) / others).max(1);
    shapes.clone().map(|shape| {
        shape
            .into_iter()
            .map(|e| if e == 0 { n } else { e })
            .collect()
    })
}

/// The workloads.
pub fn all() -> Vec<Workload> {
    let one = |shapes: Shapes| Workload {
        name: shapes.each_ref().map(|s| named(s)).join("+"),
        about: "a sum, beside that of two tensors of the result's shape",
        kind: Kind::Stream,
        log2: None,
        build: Box::new(move |log2| {
            let operands = filled(&shapes, log2).map(|s| Operand::new(DType::F32, &s));
            let sum = Expr::slot(0).add(Expr::slot(1));
            Case {
                beside_same: true,
                ..Case::new(operands.to_vec(), sum)
            }
        }),
    };
    shapes().into_iter().map(one).collect()
}
