//! Scans: the same bits as the reference, whose order of operations is the one that the documents
//! state.

use zerostride::{Along, DType, Expr, HostTensor, Index, Options, Plan, Scan, Slot, View};

use crate::common::{Random, all, check_with, context, on_adapter};
use crate::mapping::{options, transposed, viewed};

/// Both kinds of machines' schedules.
fn both() -> [Options; 2] {
    [true, false].map(|software| options(|l| l.software = software))
}

fn check(what: &str, expr: &Expr<usize>, inputs: &[HostTensor]) -> Vec<Result<(), String>> {
    let schedules = both();
    let each = schedules.iter().zip(["software", "GPU"]);
    each.map(|(options, name)| check_with(&format!("{what}, {name}"), expr, inputs, 0.0, options))
        .collect()
}

/// Every way along an axis.
fn ways(axis: isize) -> [Along; 4] {
    let along = Along::axis(axis);
    let reversed = along.reverse();
    [along, along.exclusive(), reversed, reversed.exclusive()]
}

#[test]
fn scans_of_every_extent_and_axis_have_the_reference_s_bits() {
    let mut random = Random::new("scans");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let shapes: [&[usize]; 24] = [
        &[1],
        &[2],
        &[3],
        &[16],
        &[63],
        &[64],
        &[65],
        &[1000],
        &[4096],
        &[4099],
        &[70_000],
        &[3, 4],
        &[7, 16],
        &[130, 33],
        &[5, 260],
        &[2, 5000],
        &[3, 1, 7],
        &[4, 6, 8],
        &[5, 33, 7],
        &[300, 4],
        &[4100, 3],
        &[70_000, 2],
        &[1030, 24],
        &[66_000, 5],
    ];
    for shape in shapes {
        let input = [random.host(DType::F32, shape, false)];
        for axis in 0..shape.len() as isize {
            for along in ways(axis) {
                let what = format!("{shape:?} along {along}");
                reports.extend(check(&what, &x.cumsum(along), &input));
            }
        }
    }
    all(reports);
}

#[test]
fn scans_of_every_type_agree() {
    let mut random = Random::new("scanned types");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    for dtype in DType::ALL {
        if dtype == DType::F64 && !context().limits().float64 {
            continue;
        }
        for shape in [[6, 301], [301, 6], [5000, 8], [8, 5000]] {
            let input = [random.host(dtype, &shape, false)];
            for axis in [0, 1] {
                for (n, along) in ways(axis).into_iter().enumerate() {
                    let what = format!("{dtype} {shape:?} along {along}");
                    let scan = if n % 2 == axis as usize {
                        Scan::Sum
                    } else {
                        Scan::Prod
                    };
                    let expr = match dtype {
                        DType::Bool => x.scan(scan, along),
                        _ => x.scan_as_is(scan, along),
                    };
                    reports.push(check_with(&what, &expr, &input, 0.0, &both()[n / 2]));
                }
            }
        }
    }
    all(reports);
}

#[test]
fn what_is_before_and_behind_a_scan_is_in_its_passes() {
    let mut random = Random::new("scan programs");
    let mut reports = Vec::new();
    let [x, y] = [0, 1].map(Expr::slot);
    for (shape, row) in [
        ([40usize, 300], [300]),
        ([9000, 12], [12]),
        ([3, 10_000], [10_000]),
    ] {
        let inputs = [
            random.host(DType::F32, &shape, false),
            random.host(DType::F32, &row, false),
        ];
        for axis in [0, 1] {
            let product = x.mul(&y);
            let cases = [
                ("before", product.cumsum(axis)),
                ("behind", x.cumsum(axis).mul(&y)),
                ("both", product.cumsum(Along::axis(axis).reverse()).sub(&x)),
                ("twice", x.cumsum(0).cumsum(1)),
                (
                    "with a sum",
                    x.cumsum(axis)
                        .sub(&x.sum(zerostride::Axes::from(axis).keepdims())),
                ),
                ("folded", x.cumsum(axis).max(axis)),
                (
                    "centred",
                    x.sub(&x.max(zerostride::Axes::from(axis).keepdims()))
                        .cumsum(axis),
                ),
                ("turned", x.cumsum(axis).transpose()),
            ];
            for (what, expr) in cases {
                reports.extend(check(
                    &format!("{what} {shape:?} along {axis}"),
                    &expr,
                    &inputs[..],
                ));
            }
        }
    }
    all(reports);
}
