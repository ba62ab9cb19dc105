//! Operators of the user's own: as rows of the table, on every type, beside others and in pieces.

use zerostride::{
    Axes, CustomOp, DType, Error, Expr, HostTensor, Op, Partition, Plan, Rule, Tensor, View,
    reference, text,
};

use crate::common::{Random, all, check, check_with, compare, context, thinned};
use crate::mapping::{options, viewed};

/// An operator on every type, exact in each: what `a` has above `b`, halved, or `b`.
fn excess() -> Op {
    CustomOp::new("excess", ["a", "b"])
        .doc("Half of what a has above b, else b.")
        .form("select(b, 0.5 * a - 0.5 * b, a > b)", |[a, b]: [f32; 2]| {
            if a > b { 0.5 * a - 0.5 * b } else { b }
        })
        .form(
            "fn excess(a: vec4<i32>, b: vec4<i32>) -> vec4<i32> {
                 return select(b, (a - b) / HALF, a > b); // HALF is a vector
             }
             const HALF = vec4<i32>(2);",
            |[a, b]: [i32; 2]| if a > b { a.wrapping_sub(b) / 2 } else { b },
        )
        .form("select(b, (a - b) / 2u, a > b)", |[a, b]: [u32; 2]| {
            if a > b { (a - b) / 2 } else { b }
        })
        .form("a | b", |[a, b]: [bool; 2]| a | b)
        .ulps(0)
        .build()
        .unwrap()
}

/// A test with a helper, a loop and an array: whether the sum of four powers is above a bound.
fn is_large() -> Op {
    let wgsl = "
        fn power(x: f32, n: i32) -> f32 {
            var p = 1.0;
            for (var i = 0; i < n; i++) { p *= x; }
            return p;
        }
        fn is_large(x: vec4<f32>) -> vec4<bool> {
            var n = array<i32, 4>(0, 1, 2, 1);
            var sum = vec4<f32>(0.0);
            for (var k = 0; k < 4; k++) {
                let e = n[k];
                sum += vec4<f32>(power(x.x, e), power(x.y, e), power(x.z, e), power(x.w, e));
            }
            return sum > vec4<f32>(8.0);
        }";
    CustomOp::new("is_large", ["x"])
        .form(wgsl, |[x]: [f32; 1]| 1.0 + x + x * x + x > 8.0)
        .build()
        .unwrap()
}

fn step(op: Op, args: &[&Expr<usize>]) -> Expr<usize> {
    Expr::step(op, args.iter().map(|&x| x.clone()).collect::<Vec<_>>())
}

#[test]
fn an_own_operator_agrees_with_its_closure_on_every_type_and_layout() {
    let op = excess();
    let mut random = Random::new("own types");
    let [x, y] = [0, 1].map(Expr::slot);
    let mut reports = Vec::new();
    for dtype in op.accepts().iter() {
        let shapes = [
            (vec![7, 64], vec![7, 64]),
            (vec![7, 64], vec![64]),
            (vec![7, 1], vec![1, 61]),
            (vec![5, 3, 33], vec![3, 1]),
            (vec![1001], vec![]),
        ];
        for (a, b) in thinned(&mut random, shapes) {
            let inputs = [&a, &b].map(|shape| random.host(dtype, shape, true));
            let what = format!("{dtype} {a:?} {b:?}");
            reports.push(check(&what, &step(op, &[&x, &y]), &inputs, 0.0));
            // Beside rows of the table, and of itself.
            let twice = step(op, &[&step(op, &[&x, &y]), &y]);
            reports.push(check(&format!("{what} twice"), &twice, &inputs, 0.0));
        }
        let turned = random.host(dtype, &[40, 24], true);
        let inputs = [
            viewed(turned, &View::Transpose),
            random.host(dtype, &[24, 40], true),
        ];
        let what = format!("{dtype} turned");
        reports.push(check(&what, &step(op, &[&x, &y]), &inputs, 0.0));
    }
    assert_eq!(op.accepts().iter().count(), 10);
    all(reports);
}

#[test]
fn doubles_are_native_or_refused() {
    let op = CustomOp::new("apart", ["a", "b"])
        .form("select(b - a, a - b, a > b)", |[a, b]: [f64; 2]| {
            if a > b { a - b } else { b - a }
        })
        .build()
        .unwrap();
    let near = CustomOp::new("near", ["a", "b"])
        .form("abs(a - b) < vec4<f64>(1.0lf)", |[a, b]: [f64; 2]| {
            (a - b).abs() < 1.0
        })
        .build()
        .unwrap();
    let f64s = |values: &[f64]| {
        HostTensor::new(DType::F64, [4], bytemuck::cast_slice(values).to_vec()).unwrap()
    };
    let inputs = [
        f64s(&[1.0, 2.5, -3.25, 1e300]),
        f64s(&[0.5, 1e-3, 4.0, -1e300]),
    ];
    let [x, y] = [0, 1].map(Expr::slot);
    let apart = step(op, &[&x, &y]);
    let found = check("f64", &apart, &inputs, 0.0);
    match context().options().limits.float64 {
        true => {
            let test = step(near, &[&apart, &y]).where_(&x, &apart);
            all([found, check("f64 test", &test, &inputs, 0.0)]);
        }
        false => assert!(
            found.unwrap_err().contains("apart"),
            "no adapter without f64 runs it"
        ),
    }
}

#[test]
fn own_operators_are_fused_with_rows_reductions_and_each_other() {
    let (own, test) = (excess(), is_large());
    let mut random = Random::new("own fused");
    let [x, y] = [0, 1].map(Expr::slot);
    let large = step(test, &[&x]);
    let masked = large.where_(step(own, &[&x, &y]), &(&y * 2.0));
    let bytes =
        (&x.cast(DType::U8) + 1).maximum(step(own, &[&x.cast(DType::U8), &y.cast(DType::U8)]));
    let whole: HostTensor = {
        let values: Vec<f32> = (0..6 * 128)
            .map(|i| ((i * 37) % 41) as f32 - 20.0)
            .collect();
        HostTensor::new(DType::F32, [6, 128], bytemuck::cast_slice(&values).to_vec()).unwrap()
    };
    let inputs = [whole, random.host(DType::F32, &[128], false)];
    let cases = [
        ("test", large.clone()),
        ("masked", masked.clone()),
        ("max", masked.max(1)),
        ("any", large.any(0)),
        ("count", large.count_nonzero(1)),
        ("words", bytes),
        (
            "max of own",
            step(own, &[&x.max(Axes::from(1).keepdims()), &y]),
        ),
    ];
    let mut reports = Vec::new();
    for is_software in [true, false] {
        let options = options(|l| l.software = is_software);
        for (name, expr) in &cases {
            reports.push(check_with(name, expr, &inputs, 0.0, &options));
        }
    }
    let slots = inputs
        .iter()
        .map(|h| zerostride::Slot::new(h.dtype, h.layout.shape().clone()));
    let slots: Vec<_> = slots.collect::<Result<_, _>>().unwrap();
    let plan = Plan::new(&masked, &slots, &context().options()).unwrap();
    assert_eq!(plan.pass_count(), 1, "{plan}");
    let explained = plan.explain(&["x", "y"]).to_string();
    assert!(
        explained.contains("excess") && explained.contains("is_large"),
        "{explained}"
    );
    all(reports);
}

#[test]
fn operators_of_one_name_do_not_share_pipelines() {
    let make = |wgsl: &str, by: f32| {
        CustomOp::new("scaled", ["x"])
            .form(wgsl, move |[x]: [f32; 1]| x * by)
            .build()
            .unwrap()
    };
    let (twice, thrice) = (make("x * 2.0", 2.0), make("x * 3.0", 3.0));
    let tensor = context().tensor(&[1.0f32, -2.0, 0.5], [3]).unwrap();
    let of = |op| {
        let found = Tensor::apply(op, &[&tensor], Rule::Numpy).unwrap();
        found.read_blocking::<f32>().unwrap()
    };
    assert_eq!(of(twice), [2.0, -4.0, 1.0]);
    assert_eq!(of(thrice), [3.0, -6.0, 1.5]);
    assert_eq!(of(twice), [2.0, -4.0, 1.0]);
    let both = Expr::step(twice, [tensor.expr()]) + Expr::step(thrice, [tensor.expr()]);
    let found = both.eval().unwrap().read_blocking::<f32>().unwrap();
    assert_eq!(found, [5.0, -10.0, 2.5]);
}

#[test]
fn own_operators_keep_their_bits_in_windows_and_parts() {
    let op = excess();
    let mut random = Random::new("own windows");
    let inputs = [
        random.host(DType::F32, &[130, 96], false),
        random.host(DType::F32, &[96], false),
    ];
    let [x, y] = [0, 1].map(Expr::slot);
    let expr = step(op, &[&x, &(&y * 0.5)]);
    let small = options(|l| *l = l.with_max_elements(4096));
    let mut reports = vec![check_with("windows", &expr, &inputs, 0.0, &small)];

    let slots = inputs
        .iter()
        .map(|h| zerostride::Slot::new(h.dtype, h.layout.shape().clone()));
    let slots: Vec<_> = slots.collect::<Result<_, _>>().unwrap();
    let plan = Plan::new(&expr, &slots, &small).unwrap();
    assert!(plan.to_string().contains("window 1 of "), "{plan}");

    let context = context();
    let partition = Partition::new(&expr, &slots, &context.options()).unwrap();
    let mut bytes = Vec::new();
    for part in partition.parts(3).unwrap() {
        let tensors: Vec<Tensor> = inputs
            .iter()
            .enumerate()
            .map(|(i, h)| {
                let own = &h.bytes[part.bytes(i, h.dtype)];
                context
                    .tensor_from_bytes(h.dtype, [part.inputs[i].len()], own)
                    .unwrap()
            })
            .collect();
        let found = context.run(&part.plan, &tensors.iter().collect::<Vec<_>>());
        bytes.extend(found.unwrap().remove(0).read_bytes_blocking().unwrap());
    }
    let found = HostTensor::new(DType::F32, [130, 96], bytes).unwrap();
    let expected = reference::run(&expr, &inputs).unwrap();
    reports.push(compare("parts", &found, &expected, 0.0));
    all(reports);
}

#[cfg(feature = "files")]
#[test]
fn own_operators_are_streamed() {
    use zerostride::npy;
    use zerostride::stream::{Input, Stream};

    let folder = tempfile::tempdir().unwrap();
    let mut random = Random::new("own streamed");
    let inputs = [
        random.host(DType::F32, &[400, 300], false),
        random.host(DType::F32, &[300], false),
    ];
    let expr = step(excess(), &[&Expr::slot(0), &Expr::slot(1)]);
    let files: Vec<_> = inputs
        .iter()
        .enumerate()
        .map(|(i, host)| {
            let path = folder.path().join(format!("{i}.npy"));
            npy::write(&path, host.dtype, host.layout.shape(), &host.bytes).unwrap();
            npy::NpyFile::open(&path, None).unwrap()
        })
        .collect();
    let out = folder.path().join("out.npy");
    let read: Vec<&dyn Input> = files.iter().map(|file| file as &dyn Input).collect();
    let stream = Stream::new(&expr, &read, &context().options()).unwrap();
    stream.memory(1 << 18).run(&context(), &out).unwrap();
    let found = npy::NpyFile::open(&out, None).unwrap().read_all().unwrap();
    let expected = reference::run(&expr, &inputs).unwrap();
    all([compare("streamed", &found, &expected, 0.0)]);
}

#[test]
fn gradients_of_own_operators_run_on_the_adapter() {
    let smooth = CustomOp::new("shrink", ["x", "t"])
        .form(
            "select(vec4<f32>(0.0), x - sign(x) * t, abs(x) > t)",
            |[x, t]: [f32; 2]| if x.abs() > t { x - x.signum() * t } else { 0.0 },
        )
        .derivative(|g, [x, t], _| {
            let kept = g * x.abs().greater(t).cast(DType::F32);
            [kept.clone(), -(kept * x.sign())]
        })
        .build()
        .unwrap();
    let values = [-3.0f32, -0.25, 0.5, 2.0, 4.0, -1.0];
    let x = HostTensor::new(DType::F32, [2, 3], bytemuck::cast_slice(&values).to_vec()).unwrap();
    let t = HostTensor::new(DType::F32, [1], 0.75f32.to_le_bytes().to_vec()).unwrap();
    let [a, b] = [0, 1].map(Expr::slot);
    let loss = step(smooth, &[&a, &b]).sum(..);
    let gradients = loss.gradient(&[a, b]);
    let inputs = [x, t];
    let by_t = reference::run(&gradients[1], &inputs).unwrap();
    assert_eq!(by_t.bytes, 0f32.to_le_bytes(), "two above, two below");
    let named = ["by x", "by t"].into_iter().zip(&gradients);
    all(named.map(|(name, expr)| check(name, expr, &inputs, 0.0)));
}

#[test]
fn a_text_with_own_operators_runs() {
    let language = text::Language::new().with(excess()).unwrap();
    let parsed = language.parse("excess(x, y).max(axis=1) + 1").unwrap();
    let expr = parsed.bind(&["x", "y"], &Rule::Numpy).unwrap();
    let mut random = Random::new("own text");
    let inputs = [
        random.host(DType::I32, &[9, 50], false),
        random.host(DType::I16, &[50], false),
    ];
    all([check("text", &expr, &inputs, 0.0)]);
}

#[test]
fn tensors_of_other_types_are_refused_by_name() {
    let op = is_large();
    let tensor = context().tensor(&[1i32, 2], [2]).unwrap();
    let refused = Tensor::apply(op, &[&tensor], Rule::Numpy).unwrap_err();
    assert!(
        matches!(&refused, Error::DType { op, dtype: DType::I32, .. } if op == "is_large"),
        "{refused}"
    );
    let promoted = Expr::promoting(op, [tensor.expr()]).eval().unwrap();
    assert_eq!(promoted.read_bytes_blocking().unwrap(), [0, 1]);
}
