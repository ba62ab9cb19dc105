//! What kernels are given of an operator.

use super::of_floats;
use crate::custom::CustomOp;
use crate::dtype::DType;
use crate::expr::Expr;
use crate::host::HostTensor;
use crate::plan::{Options, Plan, Slot};
use crate::reference;

/// The kernels of expressions of two inputs of f32 that are planned together.
fn kernels(exprs: &[Expr<usize>]) -> Vec<String> {
    let slot = Slot::new(DType::F32, [64]).unwrap();
    let plan = Plan::many(exprs, &[slot.clone(), slot], &[], &Options::default()).unwrap();
    plan.kernels()
}

#[test]
fn names_of_a_text_reach_no_other_text() {
    // The functions and constants have names of the libraries, of kernels, of builtins and of each
    // other; `x` is a member, an operand and a constant.
    let text = "const x = 2.0; const table = 1.0;\n\
                fn quad(v: vec4<f32>) -> vec4<f32> { return v.xxzw * x; } // ; }\n\
                fn max(v: vec4<f32>) -> vec4<f32> { let main = quad(v); return main + table; }\n\
                fn own(y: vec4<f32>) -> vec4<f32> { return max(y); }";
    let first = of_floats(text).unwrap();
    let second = of_floats("x.wzyx * max(x, vec4<f32>(0.0))").unwrap();
    assert_ne!(first, second);
    let x = Expr::slot(0);
    let both = Expr::step(first, [x.clone()]).add(Expr::step(second, [x.clone()]));
    let texts = kernels(std::slice::from_ref(&both));
    assert_eq!(texts.len(), 1);
    crate::kernel::validate(&texts[0]).unwrap();
    assert!(texts[0].contains("v.xxzw"), "{}", texts[0]);
    // Twice in one expression its functions stand once.
    let twice = Expr::step(first, [Expr::step(first, [x])]);
    assert_eq!(
        kernels(&[twice])[0].matches("_quad(v: vec4<f32>)").count(),
        1
    );
}

#[test]
fn operators_of_one_name_have_kernels_of_their_own() {
    let make = |wgsl: &str, by: f32| {
        CustomOp::new("scaled", ["x"])
            .form(wgsl, move |[x]: [f32; 1]| x * by)
            .build()
            .unwrap()
    };
    let (twice, thrice) = (make("x * 2.0", 2.0), make("x * 3.0", 3.0));
    let [a, b] = [twice, thrice].map(|op| Expr::step(op, [Expr::slot(0)]));
    let of = |expr: &Expr<usize>| kernels(std::slice::from_ref(expr));
    assert_ne!(of(&a), of(&b));
    assert_eq!(of(&a), of(&a));
    // The same text gives the same kernel, whenever its operator was made.
    let again = Expr::step(make("x * 2.0", 2.0), [Expr::slot(0)]);
    assert_eq!(of(&a), of(&again));
    let x = HostTensor::new(DType::F32, [1], 1f32.to_le_bytes().to_vec()).unwrap();
    for (expr, expected) in [(a, 2f32), (b, 3f32)] {
        let found = reference::run(&expr, std::slice::from_ref(&x)).unwrap();
        assert_eq!(found.bytes, expected.to_le_bytes());
    }
}

#[test]
fn every_class_of_values_has_a_kernel_that_naga_takes() {
    let op = CustomOp::new("own", ["a", "b"])
        .form("a * b + a", |[a, b]: [f32; 2]| a * b + a)
        .form("a * b + a", |[a, b]: [f64; 2]| a * b + a)
        .form("a * b + a", |[a, b]: [i32; 2]| {
            a.wrapping_mul(b).wrapping_add(a)
        })
        .form("a * b + a", |[a, b]: [u32; 2]| {
            a.wrapping_mul(b).wrapping_add(a)
        })
        .form("a & b", |[a, b]: [bool; 2]| a & b)
        .build()
        .unwrap();
    let test = CustomOp::new("near", ["a", "b"])
        .form("abs(a - b) < vec4<f32>(1.0)", |[a, b]: [f32; 2]| {
            (a - b).abs() < 1.0
        })
        .form("abs(a - b) < vec4<f64>(1.0lf)", |[a, b]: [f64; 2]| {
            (a - b).abs() < 1.0
        })
        .form("a == b", |[a, b]: [i32; 2]| a == b)
        .form("a == b", |[a, b]: [bool; 2]| a == b)
        .build()
        .unwrap();
    assert!(test.is_test() && !op.is_test() && op.needs_f64(DType::F64));
    let mut count = 0;
    for op in [op, test] {
        for dtype in op.accepts().iter() {
            let mut options = Options::default();
            options.limits.float64 = true;
            let slot = Slot::new(dtype, [3, 64]).unwrap();
            let row = Slot::new(dtype, [64]).unwrap();
            let step = Expr::step(op, [Expr::slot(0), Expr::slot(1)]);
            // A test of a test's result, so that another step reads it.
            let expr = match op.is_test() {
                true => step.where_(Expr::slot(0), Expr::slot(1)),
                false => Expr::step(op, [step, Expr::slot(1)]),
            };
            let plan = Plan::new(&expr, &[slot, row], &options).unwrap();
            for text in plan.kernels() {
                let checked = crate::kernel::validate_native(&text);
                assert!(checked.is_ok(), "{op} {dtype}: {checked:?}\n{text}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 11 + 8);
}

#[test]
fn floats_alone_promote_what_is_none() {
    let op = of_floats("x * 0.5").unwrap();
    let x = HostTensor::new(DType::U8, [2], vec![3, 4]).unwrap();
    let found = reference::run(
        &Expr::promoting(op, [Expr::slot(0)]),
        std::slice::from_ref(&x),
    )
    .unwrap();
    assert_eq!(found.dtype, DType::F32);
    let refused = reference::run(&Expr::step(op, [Expr::slot(0)]), &[x]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "own: operand 0 is u8, which own does not accept (it takes f16 bf16 f32); cast it first"
    );
}

#[test]
fn an_adapter_with_too_few_bindings_is_told_of_the_operator() {
    let op = CustomOp::new("sum_of_5", ["a", "b", "c", "d", "e"])
        .form("a + b + c + d + e", |x: [f32; 5]| x.iter().sum::<f32>())
        .build()
        .unwrap();
    let slots: Vec<Slot> = (0..5)
        .map(|_| Slot::new(DType::F32, [8]).unwrap())
        .collect();
    let expr = Expr::step(op, (0..5).map(Expr::slot).collect::<Vec<_>>());
    let plan = |buffers| {
        let limits = crate::plan::Limits::WEBGPU.with_max_storage_buffers(buffers);
        Plan::new(&expr, &slots, &Options::default().with_limits(limits))
    };
    assert!(plan(6).is_ok());
    let refused = plan(5).unwrap_err().to_string();
    assert!(
        refused.contains("sum_of_5") && refused.contains("max_storage_buffers is 5"),
        "{refused}"
    );
}
