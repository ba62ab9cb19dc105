//! Tier 2: limits and error paths on wgpu's `noop` backend, which validates every call and computes
//! nothing.
#![cfg(feature = "noop")]

use zerostride::{
    Context, CustomOp, DType, Error, Expr, Layout, Limits, Op, Options, Plan, Result, Rule, Slot,
    Tensor, wgpu,
};

/// A context on a device with pretended limits.
fn pretend(change: impl FnOnce(&mut wgpu::Limits)) -> Context {
    let mut limits = wgpu::Limits::default();
    change(&mut limits);
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_limits: limits,
        ..Default::default()
    });
    Context::from_wgpu(&device, &queue)
}

fn storage(context: &Context, size: u64) -> wgpu::Buffer {
    context.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
        mapped_at_creation: false,
    })
}

fn encode(context: &Context, plan: &Plan, inputs: &[&Tensor], outputs: &[&Tensor]) -> Result<()> {
    let mut encoder = context.device().create_command_encoder(&Default::default());
    context.encode(&mut encoder, plan, inputs, outputs)?;
    context.queue().submit([encoder.finish()]);
    Ok(())
}

fn sum(n: usize) -> Expr<usize> {
    Expr::add_n((0..n).map(Expr::slot).collect::<Vec<_>>())
}

#[test]
fn the_contexts_limits_are_the_devices() {
    let context = pretend(|l| {
        l.max_storage_buffer_binding_size = 1 << 20;
        l.max_storage_buffers_per_shader_stage = 5;
        l.max_compute_workgroups_per_dimension = 1000;
        l.max_compute_invocations_per_workgroup = 128;
    });
    let limits = context.limits();
    assert_eq!(limits.max_binding, 1 << 20);
    assert_eq!(limits.max_storage_buffers, 5);
    assert_eq!(limits.offset_alignment, 256);
    assert_eq!(limits.max_workgroups, 1000);
    assert_eq!(limits.max_invocations, 128);
}

#[test]
fn an_operand_beyond_the_largest_binding_is_bound_in_windows() {
    let context = pretend(|l| l.max_storage_buffer_binding_size = 1 << 16);
    let fits = context.empty(DType::F32, [1 << 14]).unwrap();
    fits.neg().unwrap().read_blocking::<f32>().unwrap();
    let large = context.empty(DType::F32, [(1 << 14) + 1]).unwrap();
    large.neg().unwrap().read_blocking::<f32>().unwrap();
    // Two elements that lie too far apart for one binding.
    let far = large
        .slice([zerostride::Index::Range(None, None, 1 << 14)])
        .unwrap();
    far.neg().unwrap().read_blocking::<f32>().unwrap();
    // A view of a part that fits, wherever it lies, is bound by itself.
    let part = large
        .slice([zerostride::Index::Range(Some(1000), Some(5000), 1)])
        .unwrap();
    part.neg().unwrap().read_blocking::<f32>().unwrap();
}

#[test]
fn a_result_beyond_the_largest_binding_is_written_in_windows() {
    let context = pretend(|l| l.max_storage_buffer_binding_size = 1 << 16);
    let column = context.empty(DType::F32, [1000, 1]).unwrap();
    let row = context.empty(DType::F32, [1000]).unwrap();
    assert_eq!(
        column
            .add(&row)
            .unwrap()
            .read_blocking::<f32>()
            .unwrap()
            .len(),
        1_000_000
    );
    let square = context.empty(DType::F32, [200, 200]).unwrap();
    assert_eq!(
        square
            .matmul(&square)
            .unwrap()
            .read_blocking::<f32>()
            .unwrap()
            .len(),
        40_000
    );
}

#[test]
fn a_buffer_beyond_the_largest_is_too_large() {
    let context = pretend(|l| l.max_buffer_size = 1 << 20);
    for bytes in [(1 << 20) + 1, 1 << 30, 1 << 40, 1 << 62] {
        let found = context.empty(DType::U8, [bytes]);
        assert!(
            matches!(found, Err(Error::BufferTooLarge { .. })),
            "{bytes}: {found:?}"
        );
    }
    context.empty(DType::U8, [1 << 20]).unwrap();
    let found = context.empty(DType::U64, [usize::MAX / 2]);
    assert!(found.is_err(), "{found:?}");
}

#[test]
fn a_buffer_of_the_largest_size_can_be_made() {
    // A limit that is not a round number, as Vulkan's 2^31 - 1.
    let context = pretend(|l| l.max_buffer_size = (1 << 20) + 1000);
    for bytes in [1 << 20, (1 << 20) + 500, (1 << 20) + 992] {
        let found = context.empty(DType::U8, [bytes]);
        assert!(found.is_ok(), "{bytes}: {found:?}");
        let bytes = vec![7u8; bytes];
        let uploaded = context.tensor(&bytes, [bytes.len()]);
        assert!(uploaded.is_ok(), "{}: {uploaded:?}", bytes.len());
    }
}

#[test]
fn few_storage_buffers_cut_passes() {
    for (buffers, most) in [(4, 3), (5, 4), (8, 7)] {
        let context = pretend(|l| l.max_storage_buffers_per_shader_stage = buffers);
        let slots = vec![Slot::new(DType::F32, [100]).unwrap(); 40];
        let plan = Plan::new(&sum(40), &slots, &context.options()).unwrap();
        // Each pass takes `most` inputs, one of them what the pass before gave.
        assert_eq!(
            plan.pass_count(),
            (40 - 1usize).div_ceil(most - 1),
            "{buffers} buffers"
        );
        let tensors: Vec<Tensor> = (0..40)
            .map(|_| context.empty(DType::F32, [100]).unwrap())
            .collect();
        context
            .run(&plan, &tensors.iter().collect::<Vec<_>>())
            .unwrap()[0]
            .read_blocking::<f32>()
            .unwrap();
    }
}

#[test]
fn every_operator_is_accepted_with_the_fewest_bindings() {
    let context = pretend(|l| l.max_storage_buffers_per_shader_stage = 4);
    let c = context.empty(DType::Bool, [9]).unwrap();
    let [a, b, d] = [0; 3].map(|_| context.empty(DType::F16, [3, 9]).unwrap());
    c.where_(&a, &b).unwrap().read_bytes_blocking().unwrap();
    a.clip(&b, &d).unwrap().read_bytes_blocking().unwrap();
}

#[test]
fn offsets_are_bound_at_whole_alignments() {
    // The views begin at every element; the bindings must not.
    for alignment in [32, 64, 128, 256] {
        let context = pretend(|l| l.min_storage_buffer_offset_alignment = alignment);
        for dtype in [DType::U8, DType::F16, DType::I32] {
            let buffer = storage(&context, 4096);
            let out = storage(&context, 4096);
            for first in [0, 1, 2, 3, 7, 8, 31, 63, 64, 65, 100, 255, 256, 257, 500] {
                for len in [1, 3, 4, 8, 100] {
                    let layout = Layout::new([len], vec![1], first).unwrap();
                    let x = context.wrap(&buffer, dtype, layout.clone()).unwrap();
                    let y = context.wrap(&out, dtype, layout).unwrap();
                    let negated = Expr::step(Op::NEG, [Expr::slot(0)]);
                    let plan = Plan::many(&[negated], &[x.slot()], &[y.slot()], &context.options())
                        .unwrap();
                    encode(&context, &plan, &[&x], &[&y]).unwrap();
                }
            }
        }
    }
}

#[test]
fn small_workgroups_are_respected() {
    for invocations in [16, 32, 64, 100, 128] {
        let context = pretend(|l| {
            l.max_compute_invocations_per_workgroup = invocations;
            l.max_compute_workgroup_size_x = invocations;
            l.max_compute_workgroup_size_y = invocations;
        });
        for shapes in [
            [vec![1000], vec![1000]],
            [vec![9, 4], vec![4]],
            [vec![9, 64], vec![64]],
            [vec![9, 7], vec![7]],
            [vec![3, 4096], vec![4096]],
        ] {
            let [a, b] = shapes
                .each_ref()
                .map(|s| context.empty(DType::F32, s.as_slice()).unwrap());
            let found = a.add(&b).and_then(|x| x.read_blocking::<f32>());
            assert!(
                found.is_ok(),
                "{invocations} invocations, {shapes:?}: {found:?}"
            );
        }
    }
}

#[test]
fn a_workgroup_no_higher_than_the_limit() {
    let context = pretend(|l| l.max_compute_workgroup_size_y = 32);
    let a = context.empty(DType::F32, [1000, 4]).unwrap();
    let b = context.empty(DType::F32, [4]).unwrap();
    let found = a.add(&b).and_then(|x| x.read_blocking::<f32>());
    assert!(found.is_ok(), "{found:?}");
}

#[test]
fn grids_of_few_workgroups_fold() {
    let context = pretend(|l| l.max_compute_workgroups_per_dimension = 8);
    for shapes in [
        [vec![100_000], vec![100_000]],
        [vec![5000, 8], vec![8]],
        [vec![5000, 7], vec![7]],
        [vec![2, 65_536], vec![65_536]],
    ] {
        let [a, b] = shapes
            .each_ref()
            .map(|s| context.empty(DType::F32, s.as_slice()).unwrap());
        let found = a.add(&b).and_then(|x| x.read_blocking::<f32>());
        assert!(found.is_ok(), "{shapes:?}: {found:?}");
    }
}

#[test]
fn a_grid_beyond_three_axes_is_an_error() {
    let context = pretend(|l| l.max_compute_workgroups_per_dimension = 2);
    let x = context.empty(DType::F32, [8 * 256 * 16 + 1]).unwrap();
    assert!(matches!(x.neg(), Err(Error::Argument { .. })));
}

#[test]
fn a_plan_with_other_limits_than_the_devices_is_an_error_not_a_panic() {
    let context = pretend(|l| {
        l.max_storage_buffer_binding_size = 1 << 12;
        l.max_storage_buffers_per_shader_stage = 4;
    });
    let roomy = Options::default().with_limits(
        Limits::WEBGPU
            .with_max_storage_buffers(31)
            .with_max_binding(1 << 30),
    );
    let slots = vec![Slot::new(DType::F32, [100]).unwrap(); 12];
    let plan = Plan::new(&sum(12), &slots, &roomy).unwrap();
    let tensors: Vec<Tensor> = (0..12)
        .map(|_| context.empty(DType::F32, [100]).unwrap())
        .collect();
    assert!(
        context
            .run(&plan, &tensors.iter().collect::<Vec<_>>())
            .is_err()
    );
    let plan = Plan::new(
        &sum(1).neg(),
        &[Slot::new(DType::F32, [10_000]).unwrap()],
        &roomy,
    )
    .unwrap();
    let large = context.empty(DType::F32, [10_000]).unwrap();
    assert!(context.run(&plan, &[&large]).is_err());
    // The context works on.
    tensors[0].neg().unwrap().read_blocking::<f32>().unwrap();
}

#[test]
fn own_wgsl_on_f64_needs_the_feature_and_nothing_else_does() {
    let context = pretend(|_| ());
    let x = context.empty(DType::F64, [4]).unwrap();
    let own = CustomOp::new("half", ["x"])
        .form("x * vec4<f64>(0.5lf)", |[x]: [f64; 1]| x * 0.5)
        .build()
        .unwrap();
    let found = Tensor::apply(own, &[&x], Rule::Numpy);
    assert!(
        matches!(&found, Err(Error::Unsupported { what }) if what.contains("half of f64")),
        "{found:?}"
    );
    for found in [
        x.add(&x),
        x.exp(),
        x.less(&x),
        x.cast(DType::F32),
        x.sum(..),
    ] {
        assert!(found.is_ok(), "{found:?}");
    }
}

#[test]
fn a_long_expression_keeps_within_the_uniform_limits() {
    let context = pretend(|_| ());
    let x = context.empty(DType::F32, [10]).unwrap();
    let many = (0..2000).fold(x.expr(), |e, i| e.add(Expr::literal(f64::from(i))));
    many.eval().unwrap().read_blocking::<f32>().unwrap();
}

#[test]
fn wrapping_is_validated() {
    let context = pretend(|_| ());
    let buffer = context.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 64,
        usage: wgpu::BufferUsages::VERTEX,
        mapped_at_creation: false,
    });
    let layout = Layout::contiguous([16]).unwrap();
    assert!(matches!(
        context.wrap(&buffer, DType::F32, layout.clone()),
        Err(Error::Buffer { .. })
    ));
    assert!(matches!(
        context.wrap(&storage(&context, 60), DType::F32, layout),
        Err(Error::Buffer { .. })
    ));
    let nothing = context
        .wrap(
            &storage(&context, 4),
            DType::F32,
            Layout::contiguous([0]).unwrap(),
        )
        .unwrap();
    assert!(nothing.neg().unwrap().is_empty());
}

#[test]
fn an_empty_wrapped_buffer_is_an_empty_tensor() {
    let context = pretend(|_| ());
    let nothing = context
        .wrap(
            &storage(&context, 0),
            DType::F32,
            Layout::contiguous([0]).unwrap(),
        )
        .unwrap();
    let found = nothing.neg();
    assert!(found.as_ref().is_ok_and(Tensor::is_empty), "{found:?}");
}

#[test]
fn a_pipeline_that_the_device_refuses_is_a_kernel_error_each_time() {
    for (what, context) in [
        (
            "no uniform buffers",
            pretend(|l| l.max_uniform_buffers_per_shader_stage = 0),
        ),
        ("no bind groups", pretend(|l| l.max_bind_groups = 0)),
        (
            "no workgroup layers",
            pretend(|l| l.max_compute_workgroup_size_z = 0),
        ),
    ] {
        let x = context.empty(DType::F32, [8]).unwrap();
        for _ in 0..2 {
            let found = x.neg();
            assert!(
                matches!(found, Err(Error::Kernel { .. })),
                "{what}: {found:?}"
            );
        }
        // What needs no kernel goes on.
        let y = context.tensor(&[1.0f32; 8], [8]).unwrap();
        assert!(y.read_blocking::<f32>().is_ok(), "{what}");
        assert!(context.flush().is_ok(), "{what}");
    }
}

#[test]
fn a_kernel_text_that_naga_refuses_is_a_kernel_error_with_the_place() {
    for text in [
        "fn main() {",
        "@compute @workgroup_size(1) fn main() { let x: u32 = 1.5; }",
        "\u{0}",
        "enable nosuch;",
    ] {
        let found = zerostride::kernel::validate(text);
        assert!(
            matches!(&found, Err(Error::Kernel { reason }) if reason.contains("wgsl:1:")),
            "{text}: {found:?}"
        );
    }
}
