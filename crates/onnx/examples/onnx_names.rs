//! Builds operators of ONNX by name, with their attributes, as a runtime of models would.
//!
//! `cargo run -p zerostride-onnx --example onnx_names`

use zerostride::{Context, DType, Error, Expr, Plan, Result};
use zerostride_onnx::{self as onnx, Attr, Attrs, Call, Operand, Standard};

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    let x = context.tensor(&[-2.0f32, -0.5, 0.0, 1.0, 3.0, 8.0], [2, 3])?;

    // LeakyRelu, then the mean of its last axis: a node after another, one expression.
    let operand = Operand::new(Expr::slot(0), x.dtype(), x.shape());
    let attrs = Attrs::from([("alpha".into(), Attr::Float(0.5))]);
    let call = [Some(operand.clone())];
    let relu = onnx::build(&Call::new(Standard::Onnx, "LeakyRelu", &call).attrs(&attrs))?;
    let axes = Operand::new(Expr::slot(1), DType::I64, [1]).with_elements([-1]);
    let call = [Some(Operand::new(relu, x.dtype(), x.shape())), Some(axes)];
    let mean = onnx::build(&Call::new(Standard::Onnx, "ReduceMean", &call).opset(Some(18)))?;

    let plan = Plan::new(&mean, &[x.slot()], &context.options())?;
    assert_eq!(plan.pass_count(), 1);
    let y = context.run(&plan, &[&x])?.swap_remove(0);
    println!("{}", y.to_host_blocking()?);
    assert_eq!(y.shape().extents(), [2, 1]);
    assert_eq!(y.read_blocking::<f32>()?, [-1.25 / 3.0, 4.0]);

    // A type that the operator does not take in its operation set is an error.
    let ints = [Some(Operand::new(Expr::slot(0), DType::I32, [2]))];
    let error = onnx::build(&Call::new(Standard::Onnx, "LeakyRelu", &ints)).unwrap_err();
    println!("{error}");
    assert!(matches!(error, Error::DType { .. }));
    Ok(())
}
