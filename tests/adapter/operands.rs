//! Operands that are refused: buffers that cannot be wrapped, and tensors that are not as planned.

use zerostride::{DType, Error, Expr, Layout, Op, Options, Plan, Slot, Tensor, wgpu};

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
