//! Operands that are refused: buffers that cannot be wrapped, and tensors that are not as planned.

use zerostride::{DType, Error, Expr, Layout, Literal, Op, Options, Plan, Slot, Tensor, wgpu};

use crate::common::{context, new_encoder, raw_buffer};

#[test]
fn what_cannot_be_wrapped_is_a_buffer_error() {
    let context = context();
    let make = |size, usage| {
        context.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size,
            usage,
            mapped_at_creation: false,
        })
    };
    let storage = wgpu::BufferUsages::STORAGE;
    let eight = Layout::contiguous([8]).unwrap();
    let at = |first| Layout::new([8], vec![1], first).unwrap();
    let cases = [
        (
            "usage",
            make(64, wgpu::BufferUsages::COPY_DST),
            DType::F32,
            eight.clone(),
        ),
        ("too short", make(28, storage), DType::F32, eight.clone()),
        (
            "too short at an offset",
            make(32, storage),
            DType::F32,
            at(1),
        ),
        ("wider type", make(16, storage), DType::F32, eight.clone()),
        ("no whole last word", make(10, storage), DType::U8, at(2)),
        ("far offset", make(64, storage), DType::U8, at(1 << 40)),
    ];
    for (what, buffer, dtype, layout) in cases {
        let found = context.wrap(&buffer, dtype, layout);
        assert!(
            matches!(found, Err(Error::Buffer { .. })),
            "{what}: {found:?}"
        );
    }
    assert!(context.wrap(&make(8, storage), DType::U8, eight).is_ok());
    assert!(Layout::new([8], vec![-1], 6).is_err());
}

#[test]
fn tensors_of_one_upload_are_as_those_of_their_own() {
    let context = context();
    let bytes: Vec<u8> = (0..=255).collect();
    let layout = |shape: &[usize], strides: &[isize], offset| {
        Layout::new(shape, strides.to_vec(), offset).unwrap()
    };
    // In any order and with gaps, at any element, of every width, without elements.
    let all = [
        (DType::U8, layout(&[7], &[1], 0), &bytes[..7]),
        (DType::F32, layout(&[3, 2], &[1, 3], 0), &bytes[..24]),
        (DType::U16, layout(&[5], &[-2], 9), &bytes[2..22]),
        (DType::I64, layout(&[0, 3], &[0, 0], 0), &bytes[..0]),
        (DType::I64, layout(&[2, 4], &[0, 1], 1), &bytes[..40]),
        (DType::Bool, layout(&[], &[], 3), &bytes[..4]),
    ];
    for count in 0..=all.len() {
        let together = context.tensors_with_layouts(&all[..count]).unwrap();
        assert_eq!(together.len(), count);
        for (x, (dtype, layout, bytes)) in together.iter().zip(&all) {
            let alone = context
                .tensor_with_layout(*dtype, layout.clone(), bytes)
                .unwrap();
            assert_eq!((x.dtype(), x.shape()), (*dtype, alone.shape()));
            let [found, expected] = [x, &alone].map(|x| x.read_bytes_blocking().unwrap());
            assert_eq!(found, expected, "{dtype} of {count}");
            let [found, expected] =
                [x, &alone].map(|x| x.equal(x).unwrap().read_bytes_blocking().unwrap());
            assert_eq!(found, expected, "{dtype} of {count}, computed with");
        }
    }
    // Larger ones have buffers of their own.
    let large = vec![1u8; 70_000];
    let whole = || layout(&[70_000], &[1], 0);
    let two = [
        (DType::U8, whole(), &large[..]),
        (DType::U8, whole(), &large),
    ];
    let [a, b] = &context.tensors_with_layouts(&two).unwrap()[..] else {
        panic!("two were given");
    };
    assert_eq!(
        a.add(b).unwrap().read_blocking::<u8>().unwrap(),
        [2; 70_000]
    );
    let short = [
        (DType::U8, layout(&[7], &[1], 0), &bytes[..7]),
        (DType::F32, layout(&[2], &[1], 0), &bytes[..7]),
    ];
    let found = context.tensors_with_layouts(&short);
    assert!(matches!(found, Err(Error::Buffer { .. })), "{found:?}");
}

#[test]
fn a_plan_runs_with_other_numbers_than_it_was_made_with() {
    let context = context();
    let x = context.tensor(&[1.0f32, 2.0, 3.0], [3]).unwrap();
    let expr = Expr::slot(0) * Expr::given(1, 10.0) + Expr::given(0, 1);
    let plan = context
        .plan(&[expr], &[x.slot()], &[], &context.options())
        .unwrap();
    let run = |numbers: &[Literal]| {
        let found = context.run_given(&plan, &[&x], numbers)?;
        found[0].read_blocking::<f32>()
    };
    // So often that calls wait for others of their kind, which have other numbers.
    let mut waiting = Vec::new();
    for n in 0..600 {
        let k = f64::from(n);
        let numbers = [Literal::Int(n.into()), Literal::Float(0.5 * k)];
        let found = context.run_given(&plan, &[&x], &numbers).unwrap();
        waiting.push((n as f32, found));
    }
    for (k, found) in waiting {
        let expected = [1.0, 2.0, 3.0].map(|x| x * 0.5 * k + k);
        assert_eq!(found[0].read_blocking::<f32>().unwrap(), expected);
    }
    assert_eq!(
        context.run(&plan, &[&x]).unwrap()[0]
            .read_blocking::<f32>()
            .unwrap(),
        [11.0, 21.0, 31.0],
        "without numbers it has those that it was made with"
    );
    for wrong in [
        &[][..],
        &[Literal::Int(1)],
        &[Literal::Float(1.0), Literal::Float(1.0)],
    ] {
        let found = run(wrong);
        assert!(matches!(found, Err(Error::Argument { .. })), "{found:?}");
    }
}

#[test]
fn operands_that_are_not_as_planned_are_buffer_errors() {
    let context = context();
    let plan = Plan::new(
        &Expr::slot(0).neg(),
        &[Slot::new(DType::F32, [5]).unwrap()],
        &Options::default(),
    )
    .unwrap();
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let short = raw_buffer(&context, &[0; 20], usage);
    let whole = raw_buffer(&context, &[0; 32], usage);
    let wrap = |buffer, first| {
        context
            .wrap(
                buffer,
                DType::F32,
                Layout::new([5], vec![1], first).unwrap(),
            )
            .unwrap()
    };
    let good = context.tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0], [5]).unwrap();
    let other_type = context.tensor(&[1i32, 2, 3, 4, 5], [5]).unwrap();
    let other_shape = context.tensor(&[1.0f32; 4], [4]).unwrap();
    let out = || context.empty(DType::F32, [5]).unwrap();
    let cases: Vec<(&str, Tensor, Tensor, bool)> = vec![
        ("as planned", good.clone(), out(), true),
        (
            "a short input for whole quads",
            wrap(&short, 0),
            out(),
            false,
        ),
        ("an input with a whole quad", wrap(&whole, 0), out(), true),
        ("an input at another offset", wrap(&whole, 1), out(), false),
        (
            "a short output for whole quads",
            good.clone(),
            wrap(&short, 0),
            false,
        ),
        (
            "an output whose quad has foreign bytes",
            good.clone(),
            wrap(&whole, 0),
            false,
        ),
        ("another type", other_type.clone(), out(), false),
        ("another output type", good.clone(), other_type, false),
        ("another shape", other_shape.clone(), out(), false),
        ("another output shape", good.clone(), other_shape, false),
    ];
    for (what, input, output, fits) in cases {
        let found = context.encode(&mut new_encoder(&context), &plan, &[&input], &[&output]);
        match found {
            Ok(()) => assert!(fits, "{what} was accepted"),
            Err(Error::Buffer { .. }) => assert!(!fits, "{what}: {found:?}"),
            Err(other) => panic!("{what}: {other}"),
        }
    }
    let found = context.encode(&mut new_encoder(&context), &plan, &[], &[&out()]);
    assert!(matches!(found, Err(Error::Argument { .. })), "{found:?}");
}

#[test]
fn a_plan_for_bytes_does_not_outgrow_a_smaller_buffer() {
    let context = context();
    let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let layout = Layout::contiguous([5]).unwrap();
    let large = raw_buffer(&context, &[0; 64], usage);
    let small = raw_buffer(&context, &[0; 20], usage);
    let [large, small] =
        [&large, &small].map(|b| context.wrap(b, DType::F32, layout.clone()).unwrap());
    let plan = Plan::new(&Expr::slot(0).neg(), &[large.slot()], &context.options()).unwrap();
    assert!(matches!(
        context.run(&plan, &[&small]),
        Err(Error::Buffer { .. })
    ));
    let plan = Plan::new(&Expr::slot(0).neg(), &[small.slot()], &context.options()).unwrap();
    assert_eq!(
        context.run(&plan, &[&large]).unwrap()[0]
            .read_blocking::<f32>()
            .unwrap(),
        [-0.0; 5]
    );
}

#[test]
fn outputs_that_are_not_row_major_are_refused_when_planned() {
    let slot = Slot::new(DType::F32, [2, 3]).unwrap();
    let out = Slot::wrapped(DType::F32, Layout::new([2, 3], vec![1, 2], 0).unwrap(), 64);
    let found = Plan::many(
        &[Expr::step(Op::NEG, [Expr::slot(0)])],
        &[slot],
        &[out],
        &Options::default(),
    );
    assert!(matches!(found, Err(Error::Buffer { .. })), "{found:?}");
}
