//! What every browser has: WebGPU's default limits and no optional feature, on whatever adapter
//! there is.

use zerostride::{Arithmetic, Context, DType, Expr, Limits, Op, Plan, Rule, Tensor, wgpu};

use crate::common::{DRAWS, PORTABLE, adapter, few, own_context_with, run_under, thorough};

fn portable() -> Context {
    let builder = Context::builder()
        .from_env()
        .poisons_buffers(true)
        .features(wgpu::Features::empty())
        .limits(wgpu::Limits::default());
    builder
        .request_blocking()
        .expect("every adapter has WebGPU's default limits")
}

/// Tests that together reach every operator, mapping, access, store, width and kind of buffer.
const REPRESENTATIVE: &str = include_str!("representative.txt");

#[test]
fn a_representative_set_passes_with_webgpus_default_limits_and_no_feature() {
    let optional =
        wgpu::Features::SHADER_INT64 | wgpu::Features::SHADER_F64 | wgpu::Features::IMMEDIATES;
    if !adapter().features().intersects(optional) {
        // All tests run without features here.
        return;
    }
    // What features change most is computed in every check: integers of 64 bits, numbers beside a kernel, products.
    let mut groups: Vec<&str> = REPRESENTATIVE.lines().collect();
    let mut least = 30;
    if !thorough() {
        least = if few() { 4 } else { 15 };
        let most: &[&str] = match few() {
            true => &["in_place::"],
            false => &["ops::", "in_place::", "product::"],
        };
        groups.retain(|group| most.contains(group));
    }
    let draws = if few() { "few" } else { "more" };
    run_under(&[[PORTABLE, "1"], [DRAWS, draws]], &groups, least);
}

#[test]
fn the_plan_knows_the_limits_that_were_asked_for() {
    let limits = portable().limits();
    assert_eq!(
        limits
            .with_software(false)
            .with_arithmetic(Arithmetic::UNKNOWN),
        Limits::WEBGPU
    );
    // The adapter has more than that, or as much.
    let whole = own_context_with(wgpu::Features::empty()).limits();
    assert!(
        whole.max_storage_buffers >= 8
            && whole.max_invocations >= 256
            && whole.max_binding >= 128 << 20
    );
}

#[test]
fn more_operands_than_bindings_take_more_passes() {
    let context = portable();
    let tensors: Vec<Tensor> = (0..20)
        .map(|n| context.tensor(&[n, n + 1, n + 2], [3]).unwrap())
        .collect();
    let slots: Vec<_> = tensors.iter().map(Tensor::slot).collect();
    let sum = Expr::add_n((0..20).map(Expr::slot).collect::<Vec<_>>());
    let plan = Plan::new(&sum, &slots, &context.options()).unwrap();
    assert_eq!(plan.pass_count(), 4, "{plan}");
    let found = context
        .run(&plan, &tensors.iter().collect::<Vec<_>>())
        .unwrap();
    assert_eq!(found[0].read_blocking::<i32>().unwrap(), [190, 210, 230]);
}

#[test]
fn operands_up_to_the_largest_binding_and_beyond_are_computed() {
    const LARGEST: usize = 128 << 20;
    let context = portable();
    let fits = context.empty(DType::U8, [LARGEST]).unwrap();
    let part = fits
        .slice([zerostride::Index::Range(Some(-3), None, 1)])
        .unwrap();
    assert_eq!(
        fits.sub(&fits)
            .unwrap()
            .slice([zerostride::Index::Range(Some(-3), None, 1)])
            .unwrap()
            .read_blocking::<u8>()
            .unwrap(),
        [0; 3]
    );
    assert!(part.neg().is_ok());
    let larger = context.empty(DType::U8, [LARGEST + 16]).unwrap();
    let last = [zerostride::Index::Range(Some(-3), None, 1)];
    let zeros = larger.sub(&larger).unwrap().slice(last).unwrap();
    assert_eq!(zeros.read_blocking::<u8>().unwrap(), [0; 3]);
}

#[test]
fn types_of_64_bits_need_no_feature_but_arithmetic_on_f64_does() {
    let context = portable();
    let x = context.tensor(&[u64::MAX, 1 << 40, 3], [3]).unwrap();
    assert_eq!(
        x.mul(&x).unwrap().read_blocking::<u64>().unwrap(),
        [1, 0, 9]
    );
    let seven = context.tensor(&[7u64], [1]).unwrap();
    assert_eq!(
        Tensor::apply(Op::DIV, &[&x, &seven], Rule::Numpy)
            .unwrap()
            .read_blocking::<u64>()
            .unwrap()[0],
        u64::MAX / 7
    );
    let d = context.tensor(&[1.5f64, -0.25], [2]).unwrap();
    assert_eq!(
        d.cast(DType::F32).unwrap().read_blocking::<f32>().unwrap(),
        [1.5, -0.25]
    );
    let sum = d.add(&d).unwrap().div(&d).unwrap();
    assert_eq!(sum.read_blocking::<f64>().unwrap(), [2.0, 2.0]);
}
