//! Gradients against finite differences, in f64 on the reference.

mod custom;
mod flow;
mod folds;
mod rows;
mod scans;
mod shapes;

use crate::dtype::DType;
use crate::error::Result;
use crate::expr::Expr;
use crate::host::HostTensor;
use crate::reference::run;
use crate::shape::Shape;

/// An input of doubles.
fn f64s(shape: impl Into<Shape>, values: &[f64]) -> HostTensor {
    let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    HostTensor::new(DType::F64, shape, bytes).unwrap()
}

/// The elements of doubles.
fn values(x: &HostTensor) -> Vec<f64> {
    assert_eq!(x.dtype, DType::F64);
    let bits = x.storage_bits().unwrap();
    bits.into_iter().map(f64::from_bits).collect()
}

fn shape(x: &HostTensor) -> Vec<usize> {
    x.layout.shape().extents().to_vec()
}

/// Numbers without a pattern.
fn some(count: usize) -> Vec<f64> {
    let number = |i: usize| ((i * 37 + 11) % 29) as f64 / 9.5 - 1.45;
    (0..count).map(number).collect()
}

/// An input of a shape.
fn some_of(shape: impl Into<Shape>) -> HostTensor {
    let shape = shape.into();
    let count = shape.len().unwrap();
    f64s(shape, &some(count))
}

/// What an expression gives, each element counted as often as a weight without a pattern says.
fn weighed(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<(f64, Vec<f64>)> {
    let found = run(expr, inputs)?;
    let weights: Vec<f64> = some(found.layout.len()).iter().map(|w| w + 0.3).collect();
    let sum = values(&found)
        .iter()
        .zip(&weights)
        .map(|(x, w)| x * w)
        .sum();
    Ok((sum, weights))
}

/// Whether an expression has this input.
fn contains(expr: &Expr<usize>, slot: usize) -> bool {
    let mut nodes = Expr::post_order(std::slice::from_ref(expr)).into_iter();
    nodes.any(|node| node.as_leaf() == Some(&slot))
}

/// What is wrong with the gradients of an expression by its inputs of floats.
fn faults(name: &str, expr: &Expr<usize>, inputs: &[HostTensor]) -> Vec<String> {
    let check = |inputs: &[HostTensor]| -> Result<Vec<String>> {
        let mut faults = Vec::new();
        let (_, weights) = weighed(expr, inputs)?;
        let result = run(expr, inputs)?.layout.shape().clone();
        let mut given = inputs.to_vec();
        given.push(f64s(result, &weights));
        let floats: Vec<usize> = (0..inputs.len())
            .filter(|&i| inputs[i].dtype.is_float() && contains(expr, i))
            .collect();
        let wrt: Vec<Expr<usize>> = floats.iter().map(|&i| Expr::slot(i)).collect();
        let gradients = expr.pullback(&Expr::slot(inputs.len()), &wrt);
        for (&i, gradient) in floats.iter().zip(&gradients) {
            let found = run(gradient, &given)?;
            if shape(&found) != shape(&inputs[i]) || found.dtype != inputs[i].dtype {
                faults.push(format!(
                    "{name} by {i}: {} {:?}",
                    found.dtype,
                    shape(&found)
                ));
                continue;
            }
            let at = values(&inputs[i]);
            for (k, found) in values(&found).into_iter().enumerate() {
                let step = 1e-5;
                let moved = |by: f64| {
                    let mut moved = inputs.to_vec();
                    let mut at = at.clone();
                    at[k] += by;
                    moved[i] = f64s(inputs[i].layout.shape().clone(), &at);
                    weighed(expr, &moved).map(|(sum, _)| sum)
                };
                let slope = (moved(step)? - moved(-step)?) / (2.0 * step);
                let is_close = (found - slope).abs() <= 2e-7 * (1.0 + slope.abs());
                if !is_close {
                    faults.push(format!("{name} by {i}, element {k}: {found}, not {slope}"));
                }
            }
        }
        Ok(faults)
    };
    check(inputs).unwrap_or_else(|e| vec![format!("{name}: {e}")])
}

fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
