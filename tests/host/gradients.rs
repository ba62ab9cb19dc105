//! Gradients against those of PyTorch, which `scripts/make_gradient_cases.py` wrote, and their plans.

use serde::Deserialize;
use zerostride::{
    DType, Expr, HostTensor, Options, Plan, Result, Rule, Scalar, Shape, Slot, reference, text,
};

#[derive(Deserialize)]
struct Case {
    id: String,
    expr: String,
    inputs: Vec<Array>,
    /// The gradient of the expression's elements.
    given: Array,
    /// Those by the inputs of floats.
    gradients: Vec<Array>,
}

#[derive(Deserialize)]
struct Array {
    name: String,
    dtype: String,
    shape: Vec<usize>,
    data: Vec<f64>,
}

impl Array {
    fn dtype(&self) -> DType {
        self.dtype.parse().unwrap()
    }

    fn host(&self) -> HostTensor {
        let dtype = self.dtype();
        let bits = self.data.iter().map(|&x| Scalar::of(dtype, x).bits);
        let bytes = bits.flat_map(|b| b.to_le_bytes().into_iter().take(dtype.size()));
        HostTensor::new(dtype, self.shape.clone(), bytes.collect()).unwrap()
    }

    /// How far a gradient may be off, relative to it or to 1.
    fn tolerance(&self) -> f64 {
        match self.dtype() {
            DType::F64 => 1e-12,
            DType::F32 => 4e-6,
            DType::F16 => 2e-3,
            _ => 2e-2,
        }
    }
}

/// The elements of floats.
fn values(x: &HostTensor) -> Vec<f64> {
    let wide = reference::run(&Expr::slot(0).cast(DType::F64), std::slice::from_ref(x)).unwrap();
    let chunks = wide.bytes.chunks_exact(8);
    chunks
        .map(|b| f64::from_le_bytes(b.try_into().unwrap()))
        .collect()
}

/// What is wrong with the gradients of a case.
fn faults(case: &Case) -> Result<Vec<String>> {
    let names: Vec<&str> = case.inputs.iter().map(|i| i.name.as_str()).collect();
    let expr = text::parse(&case.expr)?.bind(&names, &Rule::Numpy)?;
    let mut inputs: Vec<HostTensor> = case.inputs.iter().map(Array::host).collect();
    let given = Expr::slot(inputs.len());
    inputs.push(case.given.host());
    let by = |g: &Array| Expr::slot(names.iter().position(|n| **n == g.name).unwrap());
    let wrt: Vec<Expr<usize>> = case.gradients.iter().map(by).collect();
    let mut faults = Vec::new();
    for (wanted, gradient) in case.gradients.iter().zip(expr.pullback(&given, &wrt)) {
        let found = reference::run(&gradient, &inputs)?;
        let name = format!("{} by {}", case.id, wanted.name);
        let is_alike =
            found.dtype == wanted.dtype() && found.layout.shape().extents() == wanted.shape;
        if !is_alike {
            faults.push(format!("{name}: {} {}", found.dtype, found.layout.shape()));
            continue;
        }
        for (i, (found, wanted_at)) in values(&found).iter().zip(&wanted.data).enumerate() {
            let near = (found - wanted_at).abs() <= wanted.tolerance() * (1.0 + wanted_at.abs());
            if !near {
                faults.push(format!("{name}, element {i}: {found}, not {wanted_at}"));
            }
        }
    }
    Ok(faults)
}

#[test]
fn gradients_are_those_of_pytorch() {
    let cases: Vec<Case> = include_str!("../gradients/cases.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(cases.len() > 100);
    let all = cases
        .iter()
        .flat_map(|case| faults(case).unwrap_or_else(|e| vec![format!("{}: {e}", case.id)]));
    let all: Vec<String> = all.collect();
    assert!(all.is_empty(), "{} faults:\n{}", all.len(), all.join("\n"));
}

#[test]
fn an_element_gets_the_gradients_of_all_windows_that_it_is_in() {
    let shape = [5usize, 6, 3];
    let all: [&[(isize, usize)]; 7] = [
        &[(0, 2)],
        &[(-2, 4)],
        &[(1, 6)],
        &[(2, 1), (0, 5)],
        &[(1, 3), (0, 2)],
        &[(1, 2), (1, 3)],
        &[(0, 0)],
    ];
    for windows in all {
        // The place in the array of each element of the windows.
        let source = zerostride::Layout::contiguous(shape).unwrap();
        let (mut extents, mut strides) = (shape.to_vec(), source.strides().to_vec());
        for &(axis, length) in windows {
            let axis = axis.rem_euclid(3) as usize;
            extents[axis] = extents[axis] + 1 - length;
            extents.push(length);
            strides.push(strides[axis]);
        }
        let places = zerostride::Layout::new(extents.clone(), strides, 0).unwrap();
        for dtype in [DType::F32, DType::F16] {
            let given: Vec<f64> = (0..places.len())
                .map(|k| f64::from((k * 7 % 11) as u8) - 4.0)
                .collect();
            let mut expected = vec![0.0; 90];
            places
                .offsets()
                .zip(&given)
                .for_each(|(at, g)| expected[at] += g);
            let array = |name: &str, shape: Vec<usize>, data| Array {
                name: name.into(),
                dtype: dtype.to_string(),
                shape,
                data,
            };
            let x = array("x", shape.to_vec(), vec![0.5; 90]).host();
            let inputs = [x, array("given", extents.clone(), given).host()];
            let seen = Expr::slot(0).windows(windows);
            let gradient = &seen.pullback(&Expr::slot(1), &[Expr::slot(0)])[0];
            let found = values(&reference::run(gradient, &inputs).unwrap());
            assert_eq!(found, expected, "{windows:?} of {dtype}");
            // And back again.
            let again = &gradient.pullback(&Expr::slot(0), &[Expr::slot(1)])[0];
            let back = reference::run(again, &inputs).unwrap();
            let seen = reference::run(&seen, &inputs[..1]).unwrap();
            assert_eq!(back.bytes, seen.bytes, "{windows:?} of {dtype}, twice");
        }
    }
}

/// The plan of the gradients of a text by its inputs, all f32.
fn planned(source: &str, shapes: &[&[usize]]) -> Result<Plan> {
    let names = &["x", "y", "z"][..shapes.len()];
    let expr = text::parse(source)?.bind(names, &Rule::Numpy)?;
    let wrt: Vec<Expr<usize>> = (0..shapes.len()).map(Expr::slot).collect();
    let slots = shapes
        .iter()
        .map(|s| Slot::new(DType::F32, Shape::from(s.to_vec())));
    let slots: Vec<Slot> = slots.collect::<Result<_>>()?;
    Plan::many(&expr.gradient(&wrt), &slots, &[], &Options::default())
}

#[test]
fn gradients_are_planned() {
    let norm = "(x - mean(x, axis=-1, keepdims=True)) / sqrt(var(x, axis=-1, keepdims=True) + 1e-5) * y + z";
    let cases: [(&str, &[&[usize]]); 9] = [
        ("x[1:] - x[:-1]", &[&[9]]),
        ("(x * x)[::-3, 2]", &[&[9, 5]]),
        ("x", &[&[4]]),
        ("tanh(x * y)", &[&[64, 8], &[8]]),
        ("sum(x)", &[&[7]]),
        ("max(x, axis=1)", &[&[5, 100]]),
        ("logsumexp(x.T[::-1], axis=0)", &[&[5, 100]]),
        ("exp(x).reshape(10, 50)", &[&[5, 100]]),
        (norm, &[&[64, 128], &[128], &[128]]),
    ];
    for (source, shapes) in cases {
        let plan = planned(source, shapes);
        assert!(plan.is_ok(), "{source}: {}", plan.unwrap_err());
    }
}
