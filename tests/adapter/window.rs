//! Results that are computed window by window: small limits on small tensors, and real ones.

use zerostride::{
    Context, DType, Error, Expr, HostTensor, Index, Layout, Options, Plan, Slot, Tensor, View,
    reference, wgpu,
};

use crate::common::{
    Random, all, compare, context, count, new_encoder, on_context, one_if_few, raw_buffer, read_raw,
};

fn small(max_binding: u64, max_elements: u64) -> Options {
    let mut options = context().options();
    let limits = &mut options.limits;
    *limits = limits
        .with_max_binding(max_binding)
        .with_max_elements(max_elements)
        .with_offset_alignment(256.max(limits.offset_alignment));
    options
}

/// Whether a plan has several windows, as its text says.
fn is_windowed(plan: &Plan) -> bool {
    plan.to_string().contains("window 1 of ")
}

/// A random array whose view has this shape: axes are broadcast, reversed, stepped or in another
/// order.
fn viewed(random: &mut Random, dtype: DType, shape: &[usize]) -> HostTensor {
    let rank = shape.len();
    let mut order: Vec<usize> = (0..rank).collect();
    if random.below(2) == 0 {
        for i in (1..rank).rev() {
            order.swap(i, random.below(i + 1));
        }
    }
    let steps: Vec<isize> = (0..rank)
        .map(|_| *random.pick(&[1, 1, 1, -1, 2, -2]))
        .collect();
    let one: Vec<bool> = (0..rank).map(|_| random.below(4) == 0).collect();
    let own = |a: usize| {
        if one[a] {
            1
        } else {
            shape[a] * steps[a].unsigned_abs()
        }
    };
    let mut host = random.host(
        dtype,
        &order.iter().map(|&a| own(a)).collect::<Vec<_>>(),
        false,
    );
    let mut inverse = vec![0; rank];
    order
        .iter()
        .enumerate()
        .for_each(|(place, &a)| inverse[a] = place);
    let slice = (0..rank)
        .map(|a| Index::Range(None, None, if one[a] { 1 } else { steps[a] }))
        .collect();
    host.layout = host
        .layout
        .view(&View::Permute(inverse))
        .unwrap()
        .view(&View::Slice(slice))
        .unwrap();
    host
}

fn random_shape(random: &mut Random) -> Vec<usize> {
    match random.below(5) {
        0 => vec![1 + random.below(5000)],
        1 => vec![1 + random.below(5), 300 + random.below(2000)],
        2 => vec![300 + random.below(2000), 1 + random.below(5)],
        3 => vec![
            1 + random.below(4),
            1 + random.below(40),
            1 + random.below(40),
        ],
        _ => (0..1 + random.below(4))
            .map(|_| 1 + random.below(9))
            .collect(),
    }
}

const TYPES: [DType; 6] = [
    DType::U8,
    DType::I8,
    DType::I16,
    DType::F16,
    DType::F32,
    DType::I64,
];

#[test]
fn random_windows_agree_with_the_reference() {
    let mut random = Random::new("windows");
    let mut reports = Vec::new();
    let mut windowed = 0;
    let draws = count(44, 200);
    for draw in 0..draws {
        let dtype = *random.pick(&TYPES);
        let shape = random_shape(&mut random);
        let inputs: Vec<HostTensor> = (0..1 + random.below(3))
            .map(|_| viewed(&mut random, dtype, &shape))
            .collect();
        let whole = Expr::slot(0).broadcast(zerostride::Rule::To {
            target: shape.clone().into(),
        });
        let expr = (1..inputs.len()).fold(whole, |sum, i| sum.maximum(Expr::slot(i)));
        let options = small(
            *random.pick(&[1024, 2048, 4096]),
            *random.pick(&[500, 1000, 1 << 20]),
        );
        let what = format!(
            "draw {draw}: {dtype} {shape:?}, bindings of {}",
            options.limits.max_binding
        );
        let slots: Vec<Slot> = (inputs.iter())
            .map(|h| Slot::wrapped(dtype, h.layout.clone(), 1 << 30).with_layout(h.layout.clone()))
            .collect();
        windowed += usize::from(Plan::new(&expr, &slots, &options).is_ok_and(|p| is_windowed(&p)));
        let expected = reference::run(&expr, &inputs).unwrap();
        let found = on_context(&context(), &expr, &inputs, &options);
        reports.push(
            found
                .map_err(|e| format!("{what}: {e}"))
                .and_then(|f| compare(&what, &f, &expected, 0.0)),
        );
    }
    assert!(windowed > draws / 6, "only {windowed} draws have windows");
    all(reports);
}

#[test]
fn windows_of_intermediate_results_and_of_costly_steps_agree() {
    let mut random = Random::new("intermediate windows");
    let mut reports = Vec::new();
    let shapes = [
        (vec![300, 301], vec![301]),
        (vec![70, 1000], vec![70, 1]),
        (vec![1001, 70], vec![70]),
    ];
    for (shape, row) in one_if_few(&mut random, &shapes) {
        let inputs = [
            random.host(DType::F32, &shape, false),
            random.host(DType::F32, &row, false),
        ];
        // The row is computed first; the whole is read twice, once reversed, by a second pass.
        let x = Expr::slot(0).mul(Expr::slot(1).exp());
        let many = (0..300).fold(x.clone(), |sum, _| sum.add(Expr::scalar(0.5f32)).neg());
        let expr = many.add(x.slice([Index::Range(None, None, -1)]));
        let run = |options: &Options| on_context(&context(), &expr, &inputs, options).unwrap();
        let (whole, windows) = (run(&context().options()), run(&small(64 << 10, 4096)));
        reports.push(compare(
            &format!("{shape:?} {row:?}"),
            &windows,
            &whole,
            0.0,
        ));
    }
    all(reports);
}

/// A wrapped tensor that begins at any element.
fn wrapped(
    context: &Context,
    bytes: &[u8],
    dtype: DType,
    shape: &[usize],
    offset: usize,
) -> (wgpu::Buffer, Tensor) {
    let buffer = raw_buffer(
        context,
        bytes,
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
    );
    let strides = Layout::contiguous(shape).unwrap().strides().to_vec();
    let layout = Layout::new(shape, strides, offset).unwrap();
    let tensor = context.wrap(&buffer, dtype, layout).unwrap();
    (buffer, tensor)
}

#[test]
fn windows_in_place_and_in_wrapped_buffers_keep_foreign_bytes() {
    let context = context();
    let mut random = Random::new("windows in place");
    for dtype in [DType::U8, DType::I16, DType::I32] {
        for (shape, offset) in [
            (vec![5000], 3),
            (vec![5000], 0),
            (vec![9, 401], 5),
            (vec![3, 1601], 1),
            (vec![40, 100], 4),
            (vec![2, 7, 301], 2),
        ] {
            let len: usize = shape.iter().product();
            let size = dtype.size();
            let before = random.bytes(dtype, (len + offset + 9).next_multiple_of(4), false);
            let row = random.host(dtype, &shape[shape.len() - 1..], false);
            let (buffer, tensor) = wrapped(&context, &before, dtype, &shape, offset);
            let other = context.tensor_from_host(&row).unwrap();
            let expr = Expr::slot(0).add(Expr::slot(1));
            let slots = [tensor.slot(), other.slot()];
            let options = small(4096, 1 << 20);
            let plan = Plan::many(
                std::slice::from_ref(&expr),
                &slots,
                &[tensor.slot()],
                &options,
            )
            .unwrap();
            assert!(len * size < 4096 || is_windowed(&plan), "{plan}");
            let mut encoder = new_encoder(&context);
            context
                .encode(&mut encoder, &plan, &[&tensor, &other], &[&tensor])
                .unwrap();
            context.queue().submit([encoder.finish()]);
            let after = read_raw(&context, &buffer);
            let own = offset * size..(offset + len) * size;
            let x = HostTensor::new(dtype, shape.clone(), before[own.clone()].to_vec()).unwrap();
            let expected = reference::run(&expr, &[x, row]).unwrap();
            assert_eq!(
                after[own.clone()],
                expected.bytes,
                "{dtype} {shape:?} at {offset}"
            );
            assert_eq!(
                after[..own.start],
                before[..own.start],
                "{dtype} {shape:?} at {offset}"
            );
            assert_eq!(
                after[own.end..],
                before[own.end..],
                "{dtype} {shape:?} at {offset}"
            );
        }
    }
}

#[test]
fn a_reversed_view_of_the_output_is_refused_in_windows_too() {
    let context = context();
    let tensor = context.tensor(&vec![1i32; 5000], [5000]).unwrap();
    let options = small(4096, 1 << 20);
    for view in [
        View::Slice(vec![Index::Range(None, None, -1)]),
        View::Slice(vec![Index::Range(Some(4), None, 1)]),
    ] {
        let input = tensor.view(&view).unwrap();
        let out = tensor
            .slice([Index::Range(Some(0), Some(input.len().cast_signed()), 1)])
            .unwrap();
        let plan = Plan::many(
            &[Expr::slot(0).neg()],
            &[input.slot()],
            &[out.slot()],
            &options,
        )
        .unwrap();
        let mut encoder = new_encoder(&context);
        let refused = context.encode(&mut encoder, &plan, &[&input], &[&out]);
        assert!(
            matches!(
                refused,
                Err(Error::Overlap {
                    input: 0,
                    output: 0
                })
            ),
            "{view:?}"
        );
    }
}

#[test]
fn tensors_beyond_one_binding_need_no_action_of_the_user() {
    let context = context();
    let limit = context.limits().max_binding;
    let buffers = context.device().limits().max_buffer_size;
    if buffers < 210 << 20 {
        eprintln!("buffers of {buffers} bytes are too small for this");
        return;
    }
    // An odd inner extent, 200 MiB of bytes and of words.
    let tall = (DType::I32, 5001, (10 << 10) + 3);
    let cases = [(DType::U8, 200, (1 << 20) + 1), tall];
    for (dtype, rows, columns) in one_if_few(&mut Random::new("beyond a binding"), &cases) {
        let size = dtype.size();
        let mut state = 7u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 8
        };
        let mut make = |n: usize| -> Vec<u8> {
            (0..n * size / 4 + 1)
                .flat_map(|_| next().to_le_bytes())
                .take(n * size)
                .collect()
        };
        let (x, row) = (make(rows * columns), make(columns));
        let a = context
            .tensor_from_bytes(dtype, [rows, columns], &x)
            .unwrap();
        let b = context.tensor_from_bytes(dtype, [columns], &row).unwrap();
        let expr = Expr::slot(0).add(Expr::slot(1));
        let plan = Plan::new(&expr, &[a.slot(), b.slot()], &context.options()).unwrap();
        assert_eq!(
            is_windowed(&plan),
            (rows * columns * size) as u64 > limit,
            "{plan}"
        );
        let found = a.add(&b).unwrap().read_bytes_blocking().unwrap();
        let sum = |a: &[u8], b: &[u8]| -> Vec<u8> {
            let word = |x: &[u8]| u32::from_le_bytes(x.try_into().unwrap());
            match size {
                1 => a.iter().zip(b).map(|(x, y)| x.wrapping_add(*y)).collect(),
                _ => (a.chunks_exact(4).zip(b.chunks_exact(4)))
                    .flat_map(|(x, y)| word(x).wrapping_add(word(y)).to_le_bytes())
                    .collect(),
            }
        };
        for (n, (x, found)) in x
            .chunks_exact(columns * size)
            .zip(found.chunks_exact(columns * size))
            .enumerate()
        {
            assert!(sum(x, &row) == found, "{dtype} row {n}");
        }
    }
}

#[test]
fn a_buffer_beyond_the_device_names_the_limit_and_the_way_out() {
    let context = context();
    let limit = usize::try_from(context.device().limits().max_buffer_size).unwrap_or(usize::MAX);
    let row = context.tensor(&[1u8; 1024], [1024]).unwrap();
    let wide = row.broadcast_to([limit / 1024 + 2, 1024]).unwrap();
    let error = wide.add(&wide).unwrap_err();
    assert!(matches!(error, Error::BufferTooLarge { .. }), "{error}");
    let text = error.to_string();
    assert!(
        text.contains("max_buffer_size") && text.contains("--memory"),
        "{text}"
    );
}
