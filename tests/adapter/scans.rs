//! Scans: the same bits as the reference, whose order of operations is the one that the documents
//! state.

use zerostride::{
    Along, Axes, Context, DType, Expr, HostTensor, Index, Layout, Limits, Options, Plan, Scan,
    Tensor, View, reference, wgpu,
};

use crate::common::{
    Random, Thinned, all, check_with, context, machines, new_encoder, raw_buffer, read_raw,
};
use crate::mapping::{options, transposed, viewed};

/// Both kinds of machines' schedules.
fn both() -> [Options; 2] {
    [true, false].map(|software| options(|l| l.software = software))
}

fn check(what: &str, expr: &Expr<usize>, inputs: &[HostTensor]) -> Vec<Result<(), String>> {
    let one = |kind: usize| {
        let what = format!("{what}, {}", ["software", "GPU"][kind]);
        check_with(&what, expr, inputs, 0.0, &both()[kind])
    };
    machines(what).into_iter().map(one).collect()
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
    let shapes: [&[usize]; 17] = [
        &[1],
        &[2],
        &[63],
        &[64],
        &[65],
        &[1000],
        &[4096],
        &[4099],
        &[70_000],
        &[3, 4],
        &[130, 33],
        &[2, 5000],
        &[4, 6, 8],
        &[4100, 3],
        &[70_000, 2],
        &[1030, 24],
        &[500, 300],
    ];
    let schedules = both();
    let mut turn = 0;
    let mut some = Thinned::new(&mut random);
    for shape in shapes {
        let input = [random.host(DType::F32, shape, false)];
        for axis in 0..shape.len() as isize {
            let [along, others @ ..] = ways(axis);
            // Schedules and the other ways take turns.
            turn += 1;
            for (n, along) in [(turn, along), (turn + 1, others[turn % 3])] {
                if !some.takes() {
                    continue;
                }
                let what = format!("{shape:?} along {along}");
                let options = &schedules[n % 2];
                reports.push(check_with(&what, &x.cumsum(along), &input, 0.0, options));
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
    let schedules = both();
    let mut turn = 0;
    let mut some = Thinned::new(&mut random);
    for dtype in DType::ALL {
        if dtype == DType::F64 && !context().limits().float64 {
            continue;
        }
        for (shape, axis) in [([6, 301], 1), ([5000, 8], 0)] {
            turn += 1;
            if !some.takes() {
                continue;
            }
            let input = [random.host(dtype, &shape, false)];
            let along = ways(axis)[turn % 4];
            let scan = [Scan::Sum, Scan::Prod][turn % 2];
            let expr = match dtype == DType::Bool || turn % 5 == 0 {
                true => x.scan(scan, along),
                false => x.scan_as_is(scan, along),
            };
            let what = format!("{} of {dtype} {shape:?} along {along}", scan.name());
            reports.push(check_with(&what, &expr, &input, 0.0, &schedules[turn % 2]));
        }
    }
    all(reports);
}

#[test]
fn what_is_before_and_behind_a_scan_has_the_reference_s_bits() {
    let mut random = Random::new("scan programs");
    let mut reports = Vec::new();
    let [x, y] = [0, 1].map(Expr::slot);
    for (shape, row) in [([40usize, 300], [300]), ([3, 10_000], [10_000])] {
        let inputs = [
            random.host(DType::F32, &shape, false),
            random.host(DType::F32, &row, false),
        ];
        for axis in [0, 1] {
            let kept = Axes::from(axis).keepdims();
            let product = x.mul(&y);
            let reversed = product.cumsum(Along::axis(axis).reverse());
            let cases = [
                ("before", product.cumsum(axis)),
                ("behind", x.cumsum(axis).mul(&y)),
                ("both", reversed.sub(&x)),
                ("twice", x.cumsum(0).cumsum(1)),
                ("with a sum", x.cumsum(axis).sub(x.sum(kept.clone()))),
                ("folded", x.cumsum(axis).max(axis)),
                ("centred", x.sub(x.max(kept)).cumsum(axis)),
                ("turned", x.cumsum(axis).transpose()),
                ("products added", x.cumprod(axis).add(&x)),
                ("flat", x.cumsum(..)),
            ];
            // Half of them on each kind of machine.
            for (n, (what, expr)) in cases.into_iter().enumerate() {
                let what = format!("{what} {shape:?} along {axis}");
                let options = &both()[(n + axis as usize) % 2];
                reports.push(check_with(&what, &expr, &inputs, 0.0, options));
            }
        }
    }
    all(reports);
}

#[test]
fn views_and_broadcast_operands_are_scanned_where_they_lie() {
    let mut random = Random::new("scanned views");
    let mut reports = Vec::new();
    let [x, y] = [0, 1].map(Expr::slot);
    let mut t = |shape: &[usize]| random.host(DType::F32, shape, false);
    let part = |host: HostTensor, range: Index| viewed(host, &View::Slice(vec![Index::ALL, range]));
    let cases = [
        vec![transposed(t(&[40, 70])), t(&[70, 40])],
        vec![part(t(&[7, 90]), Index::Range(None, None, -1)), t(&[90])],
        vec![
            part(t(&[7, 93]), Index::Range(Some(1), None, 1)),
            t(&[7, 1]),
        ],
        vec![t(&[20, 1]), t(&[300])],
        vec![t(&[600, 8]), t(&[8])],
        vec![t(&[600, 9]), t(&[600, 1])],
    ];
    for (n, inputs) in cases.iter().enumerate() {
        for axis in [0, 1] {
            let along = ways(axis)[n % 4];
            let what = format!(
                "{} {} along {along}",
                inputs[0].layout.shape(),
                inputs[1].layout.shape()
            );
            reports.extend(check(&what, &x.mul(&y).cumsum(along), inputs));
        }
    }
    all(reports);
}

#[test]
fn numbers_are_scanned_as_arrays_are() {
    let mut random = Random::new("scanned numbers");
    let mut reports = Vec::new();
    let number = Expr::scalar(1.001f32).expand([5000]);
    let scalar = [random.host(DType::F32, &[], false)];
    for (what, expr) in [
        ("a number", number.cumsum(0)),
        ("a number's products", number.cumprod(0).mul(Expr::slot(0))),
        ("one element", Expr::slot(0).expand([3, 300]).cumsum(1)),
        ("all of one element", Expr::slot(0).cumsum(..)),
        (
            "none of one element",
            Expr::slot(0).cumsum(Along::ALL.exclusive()),
        ),
    ] {
        reports.extend(check(what, &expr, &scalar));
    }
    all(reports);
}

#[test]
fn scans_in_windows_have_the_same_bits() {
    let mut random = Random::new("scans in windows");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    for (dtype, shape) in [
        (DType::F32, vec![6000]),
        (DType::F32, vec![40, 300]),
        (DType::F16, vec![64, 80]),
        (DType::F32, vec![3, 50, 40]),
    ] {
        let input = [random.host(dtype, &shape, false)];
        for axis in 0..shape.len() as isize {
            let few = axis as usize % 2;
            for (n, along) in [(0, ways(axis)[2 * few]), (1, ways(axis)[3 - few])] {
                let options = options(|l| {
                    l.software = n == few;
                    l.max_elements = [700, 5000][n];
                    l.max_binding = [1 << 27, 16_384][n];
                });
                let what = format!("{dtype} {shape:?} along {along}");
                reports.push(check_with(&what, &x.cumsum(along), &input, 0.0, &options));
            }
        }
    }
    all(reports);
}

/// A wrapped tensor that begins at any element of a buffer of these bytes.
fn wrapped(
    context: &Context,
    bytes: &[u8],
    dtype: DType,
    shape: [usize; 2],
    offset: usize,
) -> (wgpu::Buffer, Tensor) {
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let buffer = raw_buffer(context, bytes, usage);
    let layout = Layout::new(shape, vec![shape[1] as isize, 1], offset).unwrap();
    let tensor = context.wrap(&buffer, dtype, layout).unwrap();
    (buffer, tensor)
}

#[test]
fn foreign_bytes_beside_scans_and_folds_are_kept() {
    let context = context();
    let mut random = Random::new("scans beside foreign bytes");
    let x = Expr::slot(0);
    let kept = Axes::from(1).keepdims();
    let centred = x.sub(x.max(kept));
    let mut some = Thinned::new(&mut random);
    for dtype in [DType::F16, DType::I8, DType::F32] {
        for (shape, offset) in [
            ([20usize, 36], 3),
            ([20, 36], 4),
            ([7, 33], 1),
            ([3, 5000], 2),
        ] {
            let input = random.host(dtype, &shape, false);
            let tensor = context.tensor_from_host(&input).unwrap();
            for (what, expr) in [
                ("sums", x.scan_as_is(Scan::Sum, 1)),
                ("reverse", x.scan_as_is(Scan::Sum, Along::axis(0).reverse())),
                ("centred", centred.clone()),
            ] {
                if !some.takes() {
                    continue;
                }
                let (size, len) = (dtype.size(), shape[0] * shape[1]);
                let bytes = ((len + offset + 9) * size).next_multiple_of(4) / size;
                let before = random.bytes(dtype, bytes, false);
                let (buffer, out) = wrapped(&context, &before, dtype, shape, offset);
                let exprs = std::slice::from_ref(&expr);
                let slots = [tensor.slot()];
                let plan = Plan::many(exprs, &slots, &[out.slot()], &context.options()).unwrap();
                let mut encoder = new_encoder(&context);
                context
                    .encode(&mut encoder, &plan, &[&tensor], &[&out])
                    .unwrap();
                context.queue().submit([encoder.finish()]);
                let after = read_raw(&context, &buffer);
                let own = offset * size..(offset + len) * size;
                let expected = reference::run(&expr, std::slice::from_ref(&input)).unwrap();
                let what = format!("{what} of {dtype} {shape:?} at {offset}: {plan}");
                assert!(after[own.clone()] == expected.bytes, "{what}");
                assert_eq!(after[..own.start], before[..own.start], "{what}");
                assert_eq!(after[own.end..], before[own.end..], "{what}");
            }
        }
    }
}

#[test]
fn gradients_of_scans_have_the_reference_s_bits() {
    let mut random = Random::new("gradients of scans");
    let mut reports = Vec::new();
    let [x, g] = [0, 1].map(Expr::slot);
    let inputs = [0, 1].map(|_| random.host(DType::F32, &[30, 300], false));
    for (n, along) in ways(1).into_iter().enumerate() {
        let gradient = &x.cumsum(along).pullback(&g, std::slice::from_ref(&x))[0];
        let wanted = g.cumsum(match n {
            0 => Along::axis(1).reverse(),
            1 => Along::axis(1).reverse().exclusive(),
            2 => Along::axis(1),
            _ => Along::axis(1).exclusive(),
        });
        let [found, wanted] = [gradient, &wanted].map(|e| reference::run(e, &inputs).unwrap());
        assert_eq!(found, wanted, "{along}");
        reports.extend(check(&format!("gradient along {along}"), gradient, &inputs));
    }
    all(reports);
}

#[test]
fn one_limit_less_changes_no_bit() {
    let mut random = Random::new("scans under other limits");
    let mut reports = Vec::new();
    let x = Expr::slot(0);
    let input = [random.host(DType::F32, &[3, 9000], false)];
    let columns = [random.host(DType::F32, &[9000, 3], false)];
    let mut some = Thinned::new(&mut random);
    let narrower: [fn(&mut Limits); 4] = [
        |l| l.max_invocations = 128,
        |l| l.max_invocations = 8,
        |l| l.max_storage_buffers = 4,
        |l| l.max_workgroups = 16,
    ];
    for (n, change) in narrower.into_iter().enumerate() {
        for (axis, inputs) in [(1, &input), (0, &columns)] {
            for software in [false, true] {
                if !some.takes() {
                    continue;
                }
                let options = options(|l| {
                    l.software = software;
                    change(l);
                });
                let what = format!("limit {n}, axis {axis}, {software}");
                reports.push(check_with(&what, &x.cumsum(axis), inputs, 0.0, &options));
            }
        }
    }
    all(reports);
}
