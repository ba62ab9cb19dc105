//! What a context keeps, on a device that computes nothing.

use super::context::Context;
use super::pipeline::USES;
use crate::{DType, Expr, Plan, Tensor};

fn context() -> Context {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    Context::from_wgpu(&device, &queue)
}

/// Uniform buffers, bind groups and pipelines that a hundred expressions with a number each leave
/// behind.
fn kept(features: wgpu::Features, max_immediate_size: u32) -> [usize; 3] {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
        required_features: features,
        required_limits: wgpu::Limits {
            max_immediate_size,
            ..Default::default()
        },
        ..Default::default()
    });
    let context = Context::from_wgpu(&device, &queue);
    let x = context.tensor(&[1.0f32; 12], [3, 4]).unwrap();
    for k in 0..100u8 {
        let y = x.expr() * 0.5 + (f32::from(k) + 0.25);
        assert_eq!(y.eval().unwrap().shape().extents(), [3, 4]);
    }
    context.kept()
}

#[test]
fn a_plan_that_was_compiled_compiles_nothing_when_it_runs() {
    let context = context();
    // More operands than a kernel has bindings, so that there are several.
    let sum = Expr::add_n((0..40).map(Expr::slot).collect::<Vec<_>>());
    let plan = Expr::slot(40) * sum;
    let tensors: Vec<_> = (0..41)
        .map(|_| context.tensor(&[1.0f32; 4], [4]).unwrap())
        .collect();
    let slots: Vec<_> = tensors.iter().map(Tensor::slot).collect();
    let plan = Plan::new(&plan, &slots, &context.options()).unwrap();
    context.compile(&plan).unwrap();
    let compiled = context.pipelines_compiled();
    assert!(
        compiled >= 2 && plan.pass_count() > 4,
        "{compiled} of {plan}"
    );
    context
        .run(&plan, &tensors.iter().collect::<Vec<_>>())
        .unwrap();
    context.compile(&plan).unwrap();
    assert_eq!(context.pipelines_compiled(), compiled);
}

#[test]
fn a_new_number_makes_no_gpu_object_where_shaders_have_immediate_data() {
    // Small results take turns in sixteen buffers.
    assert_eq!(kept(wgpu::Features::IMMEDIATES, 128), [1, 16, 1]);
    // Elsewhere, or if the numbers do not fit, each is a uniform buffer of 16 bytes with its bind
    // group.
    assert_eq!(kept(wgpu::Features::empty(), 0), [101, 100, 1]);
    assert_eq!(kept(wgpu::Features::IMMEDIATES, 8), [101, 100, 1]);
}

#[test]
fn small_calls_in_a_steady_state_make_no_gpu_object() {
    let context = context();
    let [a, b] = [[3, 4], [1, 4]].map(|shape| context.empty(DType::F32, shape).unwrap());
    let run = |calls: u32| (0..calls).for_each(|_| drop(a.add(&b).unwrap()));
    run(USES);
    assert_eq!(context.pipelines_compiled(), 1, "few calls take one kernel");
    run(1000);
    let (warm, pooled) = (context.kept(), context.pooled_bytes());
    // The other kernel computes two calls with the eight bindings that are asked for.
    assert_eq!(context.pipelines_compiled(), 2);
    for _ in 0..20 {
        run(1000);
        assert_eq!((context.kept(), context.pooled_bytes()), (warm, pooled));
    }
}

#[test]
fn calls_that_wait_are_counted_and_recorded_by_a_flush() {
    let context = context();
    let x = context.empty(DType::F32, [5]).unwrap();
    let mut results: Vec<Tensor> = (0..USES).map(|_| x.neg().unwrap()).collect();
    context.flush().unwrap();
    assert_eq!(context.pending_calls(), 0);
    results.push(x.neg().unwrap());
    results.push(x.neg().unwrap());
    assert_eq!(context.pending_calls(), 2);
    // One that reads what another will write cannot be computed with it.
    results.push(results[results.len() - 1].neg().unwrap());
    assert_eq!(context.pending_calls(), 1);
    // Another kernel.
    results.push(x.abs().unwrap());
    assert_eq!(context.pending_calls(), 0);
    results.push(x.neg().unwrap());
    assert_eq!(context.pending_calls(), 1);
    context.flush().unwrap();
    assert_eq!(context.pending_calls(), 0);
}
