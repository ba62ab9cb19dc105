//! Functions of the language as methods of expressions.

use zerostride::{
    Argument, Axes, CustomOp, DType, Error, Expr, HostTensor, Literal, Options, Plan, Rule, Slot,
    reference, text,
};

fn f32s(shape: &[usize], elements: &[f32]) -> HostTensor {
    let bytes = elements.iter().flat_map(|x| x.to_le_bytes()).collect();
    HostTensor::new(DType::F32, shape, bytes).unwrap()
}

fn inputs() -> [HostTensor; 2] {
    let x: Vec<f32> = (0..12)
        .map(|k| [1.5, -2.0, 0.25, 8.0, -0.5][k % 5] * k as f32)
        .collect();
    [f32s(&[3, 4], &x), f32s(&[4], &[1.0, -2.0, 0.5, 4.0])]
}

/// Asserts that an expression and a text, over x of shape [3, 4] and v of [4], have the same elements.
#[track_caller]
fn same(found: &Expr<usize>, source: &str) {
    let inputs = inputs();
    let input = |i: usize| (inputs[i].dtype, inputs[i].layout.shape().clone());
    let parsed = text::parse(source).unwrap();
    let wanted = parsed.bind_to(&["x", "v"], input, &Rule::Numpy).unwrap();
    let wanted = reference::run(&wanted, &inputs).unwrap();
    let found = reference::run(found, &inputs).unwrap();
    assert_eq!(
        (found.dtype, found.layout.shape()),
        (wanted.dtype, wanted.layout.shape()),
        "{source}"
    );
    assert_eq!(found.bytes, wanted.bytes, "{source}");
}

#[test]
fn calls_stand_within_other_expressions() {
    let [x, v] = [0, 1].map(Expr::slot);
    same(
        &(&x * 2.0).roll(1, 1).softmax(-1).sum(0),
        "softmax(roll(x * 2.0, 1, axis=1), axis=-1).sum(0)",
    );
    // One call is an operand of two others, whose shapes it decides.
    let flat = x.ravel();
    same(
        &(flat.flip(..) - flat.nanmedian(..)).tile(2),
        "y = ravel(x); tile(flip(y) - nanmedian(y), 2)",
    );
    let [fraction, whole] = x.modf();
    same(&(fraction + whole * 2), "a, b = modf(x); a + b * 2");
    let [counts, edges] = x
        .ravel()
        .histogram(Expr::array([-30.0, 0.0, 30.0]))
        .map(|part| part.with("density", true));
    same(
        &counts,
        "histogram(ravel(x), [-30.0, 0.0, 30.0], density=True)[0]",
    );
    same(
        &edges,
        "histogram(ravel(x), [-30.0, 0.0, 30.0], density=True)[1]",
    );
    same(
        &Expr::concatenate([&x, &(&x + &v)], 0),
        "concatenate((x, x + v), axis=0)",
    );
    same(
        &Expr::vstack(vec![x.clone(), x.flip(0)]),
        "vstack((x, flip(x, 0)))",
    );
    same(
        &(Expr::arange(3).with("dtype", DType::F32).reshape([3, 1]) + &x),
        "arange(3, dtype=f32).reshape(3, 1) + x",
    );
}

#[test]
fn arguments_are_numbers_words_types_axes_and_expressions() {
    let [x, v] = [0, 1].map(Expr::slot);
    same(
        &x.pad([[1, 0], [0, 2]]).with("mode", "edge"),
        "pad(x, ((1, 0), (0, 2)), mode='edge')",
    );
    same(
        &x.nan_to_num()
            .with("nan", f32::NAN)
            .with("posinf", f64::INFINITY),
        "nan_to_num(x, nan=nan, posinf=inf)",
    );
    same(
        &x.nan_to_num().with("neginf", -f64::INFINITY),
        "nan_to_num(x, neginf=-inf)",
    );
    same(&x.clone().heaviside(true), "heaviside(x, True)");
    same(
        &x.isclose(&v).with("rtol", 1e-3).with("equal_nan", true),
        "isclose(x, v, rtol=1e-3, equal_nan=True)",
    );
    same(
        &x.average(-1).with("weights", &v * 2.0),
        "average(x, axis=-1, weights=v * 2.0)",
    );
    same(
        &x.nansum(Axes::from([0, -1]).keepdims()),
        "nansum(x, axis=(0, -1), keepdims=True)",
    );
    same(
        &x.nansum([0, 1]).with("dtype", DType::F64),
        "nansum(x, axis=(0, 1), dtype=f64)",
    );
    same(
        &x.quantile([0.25, 0.5], 0),
        "quantile(x, [0.25, 0.5], axis=0)",
    );
    same(
        &Expr::full([2, 3], i64::MAX),
        "full((2, 3), 9223372036854775807)",
    );
    same(&x.fmax(Expr::literal(-0.0)), "fmax(x, -0.0)");
    // A number of a type stays one.
    same(&x.fmax(Expr::scalar(1.0f64)), "fmax(x, f64(1.0))");
    // The language's own operators are called too.
    same(&Expr::call("hypot", [&x, &v]), "hypot(x, v)");
    same(
        &Expr::call("add", [&x, &v])
            .with("rule", "pdpd")
            .with("axis", -1),
        "add(x, v, rule='pdpd', axis=-1)",
    );
    same(
        &Expr::call("clip", [Argument::from(&x), 0.into(), (&v).into()]),
        "clip(x, 0, v)",
    );
}

#[test]
fn types_follow_the_promotion_of_the_plan() {
    let slots = [Slot::new(DType::I32, [3, 4]).unwrap()];
    let found = Expr::slot(0).rint();
    let infer = |promotion| {
        let mut options = Options::default();
        options.promotion = promotion;
        Plan::infer(std::slice::from_ref(&found), &slots, &options).unwrap()[0].0
    };
    assert_eq!(infer(zerostride::Promotion::F32), DType::F32);
    assert_eq!(infer(zerostride::Promotion::Numpy), DType::F64);
}

#[test]
fn gradients_flow_through_calls() {
    let [x, v] = [0, 1].map(Expr::slot);
    let loss = ((&x * &v).roll(1, 1) * x.softmax(1)).sum(..);
    let inputs = inputs();
    let input = |i: usize| (inputs[i].dtype, inputs[i].layout.shape().clone());
    let parsed = text::parse("(roll(x * v, 1, axis=1) * softmax(x, 1)).sum()").unwrap();
    let text = parsed.bind_to(&["x", "v"], input, &Rule::Numpy).unwrap();
    let slots = [Expr::slot(0), Expr::slot(1)];
    for (found, wanted) in loss
        .gradient(slots.clone())
        .iter()
        .zip(text.gradient(slots))
    {
        let [found, wanted] = [found, &wanted].map(|expr| reference::run(expr, &inputs).unwrap());
        assert_eq!(found.bytes, wanted.bytes);
    }
}

#[test]
fn what_a_function_does_not_take_is_an_error_of_the_plan() {
    let [x, v] = [0, 1].map(Expr::<usize>::slot);
    let of = |expr: &Expr<usize>| reference::run(expr, &inputs()).unwrap_err();
    for (expr, message) in [
        (Expr::call("rol", [&x]), "did you mean `roll`"),
        (x.roll(1, 5), "roll"),
        (x.roll(1.5, 0), "roll: "),
        (x.pad("edge"), "pad: "),
        (
            x.median(0).with("keepdim", true),
            "median: has no keepdim=; it takes a=, axis= and keepdims=",
        ),
        (x.median(0).with("axis", 1), "median: has axis= twice"),
        (x.pad(1).with("mode", "mirror"), "pad: mode must be"),
        (
            x.sum(0).with("where", &v),
            "only a call of a function, such as median, has further parameters",
        ),
        (x.kron("v"), "kron: "),
        (x.divmod(0)[0].with("x3", 1), "divmod: has no x3="),
        (
            Expr::call("divmod", [&x, &v]),
            "divmod: the expression has 2 results",
        ),
        (x.copysign(Expr::slot(7)), "slot 7"),
        (Expr::call("", [&x]), "unknown function ``"),
        (Expr::call("x0; x0", [&x]), "unknown function `x0; x0`"),
    ] {
        let error = of(&expr).to_string();
        assert!(error.contains(message), "{message}: {error}");
        assert!(!error.contains("column"), "{error}");
    }
    assert!(
        matches!(
            of(&x.trace().trace()),
            Error::Argument { .. } | Error::Axis { .. }
        ),
        "{}",
        of(&x.trace().trace())
    );
    // Errors of its steps are its own.
    let error = of(&x.fmax(Expr::array([1.0, 2.0, 3.0]))).to_string();
    assert!(error.contains("fmax"), "{error}");
}

#[test]
fn where_shapes_are_not_known_a_call_is_refused() {
    let gradient = |x: Expr<usize>| x.heaviside(0.5);
    let error = gradient(Expr::slot(0))
        .promoted(Default::default(), |_| Ok(DType::F32))
        .unwrap_err();
    assert!(error.to_string().contains("plan or run"), "{error}");
}

#[test]
fn derivatives_of_custom_operators_call_functions_of_elements() {
    let built = |name: &str, of: fn(&Expr<usize>) -> Expr<usize>| {
        CustomOp::new(name, ["x"])
            .form("abs(x)", |[x]: [f32; 1]| x.abs())
            .derivative(|g, [x], _| [g * of(x)])
            .build()
    };
    let op = built("distance", |x| x.heaviside(0.5) * 2.0 - 1.0).unwrap();
    let loss = Expr::promoting(op, [Expr::slot(0)]).sum(..);
    let [gradient] = &loss.gradient([Expr::slot(0)])[..] else {
        panic!()
    };
    same(gradient, "heaviside(x, 0.5) * 2.0 - 1.0");
    for (name, of) in [
        (
            "rolled",
            (|x| x.roll(1, 0)) as fn(&Expr<usize>) -> Expr<usize>,
        ),
        ("unknown", |x| Expr::call("rol", [x])),
        ("summed", |x| x.nansum(..)),
    ] {
        let error = built(name, of).unwrap_err().to_string();
        assert!(error.contains("its derivative: "), "{error}");
    }
}

#[test]
fn equal_calls_are_equal_expressions() {
    // A plan that is kept for one is found for the other: their debug forms are the same.
    let made = |k: i32| format!("{:?}", Expr::slot(0).roll(k, 0).with("axis", 1));
    assert_eq!(made(1), made(1));
    assert_ne!(made(1), made(2));
    assert_eq!(made(1), "roll(x0, 1, 0, axis=1)(0)");
    assert_eq!(Literal::from(1.0).to_string(), "1.0");
}
