//! The caller's device; caches and memory.

use zerostride::{Context, DType, Error, Expr, Plan, Tensor};

use crate::common::{Random, context, new_encoder, own_device, plain_context, read_raw};

#[test]
fn a_callers_device_with_default_limits_runs_expressions() {
    let (device, queue) = own_device();
    let context = Context::from_wgpu(&device, &queue);
    let x = context.tensor(&[1.0f32, 2.0, 3.0], [3]).unwrap();
    let y = context.tensor(&[10.0f32, 20.0], [2, 1]).unwrap();
    assert_eq!(
        (x.expr() + &y.expr())
            .eval()
            .unwrap()
            .read_blocking::<f32>()
            .unwrap(),
        [11.0, 12.0, 13.0, 21.0, 22.0, 23.0]
    );
    // What the caller submits sees what was recorded.
    let buffer = x.neg().unwrap().buffer().unwrap();
    assert_eq!(
        &read_raw(&context, &buffer)[..12],
        bytemuck::cast_slice::<f32, u8>(&[-1.0, -2.0, -3.0])
    );
}

#[test]
fn tensors_of_two_contexts_do_not_meet() {
    let (one, two) = (context(), plain_context());
    let a = one.tensor(&[1i32, 2], [2]).unwrap();
    let b = two.tensor(&[3i32, 4], [2]).unwrap();
    assert!(matches!(a.add(&b), Err(Error::OtherContext { .. })));
    assert!(matches!(
        (a.expr() + &b.expr()).eval(),
        Err(Error::OtherContext { .. })
    ));
    assert!(matches!(
        two.eval(&a.expr().neg()),
        Err(Error::OtherContext { .. })
    ));
    let plan = Plan::new(&Expr::slot(0).neg(), &[a.slot()], &one.options()).unwrap();
    assert!(matches!(
        one.run(&plan, &[&b]),
        Err(Error::OtherContext { .. })
    ));
    let mut encoder = new_encoder(&one);
    assert!(matches!(
        one.encode(&mut encoder, &plan, &[&a], &[&b]),
        Err(Error::OtherContext { .. })
    ));
    assert!(matches!(
        one.encode(&mut encoder, &plan, &[&b], &[&a]),
        Err(Error::OtherContext { .. })
    ));
}

#[test]
fn memory_stays_flat_without_a_read() {
    let context = plain_context();
    let one = context.tensor(&[1i32], [1]).unwrap();
    let mut random = Random::new("memory");
    let lengths: Vec<usize> = (0..20).map(|_| 1 + random.below(4000)).collect();
    let mut chains: Vec<Tensor> = lengths
        .iter()
        .map(|&n| context.tensor(&vec![0i32; n], [n]).unwrap())
        .collect();
    let mut most = 0;
    for step in 0..20_000 {
        let at = step % chains.len();
        chains[at] = chains[at].add(&one).unwrap();
        if step % 500 == 499 {
            let allocated = context
                .device()
                .generate_allocator_report()
                .map_or(0, |r| r.total_allocated_bytes);
            most = most.max(allocated).max(context.pooled_bytes());
        }
    }
    assert!(most < 64 << 20, "{most} bytes are allocated");
    for x in &chains {
        assert!(x.read_blocking::<i32>().unwrap().iter().all(|&v| v == 1000));
    }
}

#[test]
fn the_pool_keeps_at_most_its_bound() {
    let context = Context::builder()
        .from_env()
        .pool_bytes(1 << 20)
        .request_blocking()
        .unwrap();
    for n in 1..200 {
        let x = context.empty(DType::U8, [n * 1000]).unwrap();
        drop(x);
        assert!(context.pooled_bytes() <= 1 << 20);
    }
    assert!(context.pooled_bytes() > 0);
    context.trim();
    assert_eq!(context.pooled_bytes(), 0);
}

#[test]
fn new_shapes_and_scalars_compile_nothing() {
    let context = plain_context();
    let x = |rows: usize, columns: usize| {
        context
            .tensor(&vec![1.0f32; rows * columns], [rows, columns])
            .unwrap()
    };
    let run = |rows, columns, scalar: f64| {
        let row = context.tensor(&vec![2.0f32; columns], [columns]).unwrap();
        ((x(rows, columns).expr() + &row.expr()) * scalar)
            .eval()
            .unwrap()
            .read_blocking::<f32>()
            .unwrap()
    };
    // Few odd rows, many, and rows of whole quads.
    run(2, 5, 1.0);
    run(40, 5, 1.0);
    run(2, 64, 1.0);
    let before = context.pipelines_compiled();
    assert!(before >= 3);
    for n in 1..40 {
        assert_eq!(
            run(n + 1, 5 + 2 * n, f64::from(n as u32)),
            vec![3.0 * n as f32; (n + 1) * (5 + 2 * n)]
        );
        run(n + 1, 64, 0.5 * f64::from(n as u32));
        run(2, 16 + 4 * n, 1.0);
    }
    assert_eq!(context.pipelines_compiled(), before);
}
