//! Kernels for adapters whose `fma` rounds once, on those whose does not: `fma` is computed with
//! doubles then.

use zerostride::inspect::FloatFact;
use zerostride::kernel::{PlanBuffer, Resource};
use zerostride::{DType, Error, Expr, HostTensor, Plan, Slot, reference, wgpu};

use crate::common::{Random, all, compare, context, raw_buffer, read_raw};

/// A product of floats is exact in f64, so that the sum alone is rounded, and once more to f32.
const BY_DOUBLES: &str = "
fn fma_by_doubles(a: vec4<f32>, b: vec4<f32>, c: vec4<f32>) -> vec4<f32> {
    return vec4<f32>(vec4<f64>(a) * vec4<f64>(b) + vec4<f64>(c));
}
";

/// What the one kernel of a plan gives if its text is changed.
pub fn run(plan: &Plan, change: impl Fn(&str) -> String, inputs: &[HostTensor]) -> HostTensor {
    let context = context();
    let device = context.device();
    let text = change(&plan.kernels()[0]);
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(text.into()),
    });
    let pipeline = device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
        label: None,
        layout: None,
        module: &module,
        entry_point: Some("main"),
        compilation_options: wgpu::PipelineCompilationOptions::default(),
        cache: None,
    });
    let dispatch = &plan.dispatches()[0];
    let (dtype, shape) = plan.outputs().next().unwrap();
    let bytes = shape.extents().iter().product::<usize>() * dtype.size();
    let words = |words: &[u32]| -> Vec<u8> { words.iter().flat_map(|w| w.to_le_bytes()).collect() };
    let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
    let buffers: Vec<wgpu::Buffer> = dispatch
        .bindings
        .iter()
        .map(|resource| match resource {
            Resource::Table(table) | Resource::Numbers(table) => {
                raw_buffer(&context, &words(table), wgpu::BufferUsages::UNIFORM)
            }
            Resource::Buffer {
                buffer: PlanBuffer::Input(i),
                ..
            } => raw_buffer(&context, &inputs[*i].bytes, storage),
            _ => raw_buffer(&context, &vec![0; bytes], storage),
        })
        .collect();
    let entries: Vec<_> = (0..)
        .zip(&buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: buffer.as_entire_binding(),
        })
        .collect();
    let group = device.create_bind_group(&wgpu::BindGroupDescriptor {
        label: None,
        layout: &pipeline.get_bind_group_layout(0),
        entries: &entries,
    });
    let mut encoder = crate::common::new_encoder(&context);
    let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &group, &[]);
    let [x, y, z] = dispatch.grid;
    pass.dispatch_workgroups(x, y, z);
    drop(pass);
    context.queue().submit([encoder.finish()]);
    let output = buffers.last().expect("a kernel has an output");
    HostTensor::new(dtype, shape, read_raw(&context, output)).unwrap()
}

/// Numbers of all sizes, special ones among them, and such near 1.
fn numbers(random: &mut Random, near: bool) -> HostTensor {
    let each = (0..1u32 << 16).flat_map(|i| {
        let bits = random.next() as u32;
        let special = [
            0,
            0x8000_0000,
            0x3f80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            1,
        ];
        let bits = match i % 16 {
            0 => special[random.below(special.len())],
            n if n < 10 && near => 0x3f00_0000 + bits % 0x0100_0000,
            n if n < 10 => ((bits % 4000) as f32 / 16.0 - 125.0).to_bits(),
            _ => bits,
        };
        bits.to_le_bytes()
    });
    HostTensor::new(DType::F32, [1 << 16], each.collect()).unwrap()
}

/// GPUs have reciprocals that are a few ULP off.
#[test]
fn powers_keep_their_bound_whatever_a_reciprocal_is() {
    let context = context();
    let power = Expr::slot(0).pow(Expr::slot(1));
    let slots = [(); 2].map(|()| Slot::new(DType::F32, [1 << 16]).unwrap());
    let plan = Plan::new(&power, &slots, &context.options()).unwrap();
    let mut random = Random::new("reciprocals");
    let inputs = [numbers(&mut random, true), numbers(&mut random, false)];
    let expected = reference::run(&power, &inputs).unwrap();
    let near = "1.0 / (m + 1.0)";
    all([-2, -1, 1, 2].map(|ulps| {
        let change = |text: &str| {
            assert_eq!(text.matches(near).count(), 1, "{text}");
            let off = format!("bitcast<vec4<f32>>(bitcast<vec4<i32>>({near}) + vec4<i32>({ulps}))");
            text.replace(near, &off)
        };
        let what = format!("pow by a reciprocal that is {ulps} ULP off");
        compare(&what, &run(&plan, change, &inputs), &expected, 2.0)
    }));
}

#[test]
fn functions_and_sums_by_fma_keep_their_bounds() {
    let context = context();
    let own = context.limits();
    let has_fma = own.arithmetic.has(FloatFact::Fma);
    let limits = own
        .with_arithmetic(own.arithmetic.with(FloatFact::Fma, true))
        .with_max_immediates(0);
    let options = context.options().with_limits(limits);
    let slot = || Slot::new(DType::F32, [1 << 16]).unwrap();
    let [x, y] = [0, 1].map(Expr::slot);
    if !has_fma {
        let plan = Plan::new(&x.exp(), &[slot()], &options).unwrap();
        let refused = matches!(context.compile(&plan), Err(Error::Argument { .. }));
        assert!(refused, "the adapter has no such fma");
    }
    // A GPU's compiler that takes `fma` apart does so with what stands for it too: x * y + x is x * (y + 1).
    let is_cpu = context.adapter_info().device_type == wgpu::DeviceType::Cpu;
    let by_doubles = !has_fma && own.float64 && (is_cpu || own.arithmetic.has(FloatFact::Doubles));
    let change = |text: &str| {
        if !by_doubles {
            return text.to_owned();
        }
        text.replace("fma(", "fma_by_doubles(") + BY_DOUBLES
    };
    let exact = has_fma || by_doubles;
    let mut random = Random::new("fused");
    let inputs = [numbers(&mut random, true), numbers(&mut random, false)];
    // Without doubles `fma` is two steps: functions are not what they should be, sums are.
    let functions = [
        ("pow", x.pow(&y)),
        ("exp", y.exp()),
        ("log2", x.log2()),
        ("sigmoid", y.sigmoid()),
        ("tanh", x.tanh()),
    ];
    let functions = functions
        .into_iter()
        .filter(|_| exact)
        .map(|f| (f.0, f.1, 2.0));
    let sums = [
        ("x * y + x", x.mul(&y).add(&x)),
        ("(x + y) - y", x.add(&y).sub(&y)),
        ("min(x * y, x) - y", x.mul(&y).minimum(&x).sub(&y)),
    ];
    let sums = sums.into_iter().filter(|_| exact).map(|s| (s.0, s.1, 0.0));
    all(functions.chain(sums).map(|(what, expr, bound)| {
        let plan = Plan::new(&expr, &[slot(), slot()], &options).unwrap();
        assert!(plan.kernels()[0].contains("fma("), "{what}");
        let expected = reference::run(&expr, &inputs).unwrap();
        compare(what, &run(&plan, change, &inputs), &expected, bound)
    }));
}
