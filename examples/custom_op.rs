//! A custom operator: soft thresholding, by which denoising and the lasso shrink their numbers. It
//! is fused with built-in operators, has a derivative, and is a function of the text language.
//!
//! `cargo run --example custom_op`

use zerostride::{
    Context, CustomOp, DType, Expr, HostTensor, Op, Plan, Result, Rule, reference, text,
};

const LEN: usize = 1000;

fn main() -> Result<()> {
    let context = Context::request_blocking()?;
    println!("on {}", context.adapter_info().name);
    let shrink = shrink()?;

    // A signal of a few spikes in noise, as the host has it and on the adapter.
    let noisy = |i: usize| {
        if i.is_multiple_of(97) {
            5.0
        } else {
            (i * 37 % 61) as f32 / 60.0 - 0.5
        }
    };
    let signal: Vec<f32> = (0..LEN).map(noisy).collect();
    let x = context.tensor(&signal, [LEN])?;

    // One dispatch of the operator and of what stands beside it.
    let edge = 0.75;
    let kept = Expr::promoting(shrink, [Expr::slot(0), Expr::literal(edge)]) * 2.0;
    let plan = Plan::new(&kept, &[x.slot()], &context.options())?;
    println!("{}", plan.explain(&["x"]));
    assert_eq!(plan.pass_count(), 1);
    let found = context.run(&plan, &[&x])?.swap_remove(0);
    let spikes = found.read_blocking::<f32>()?;
    assert_eq!(
        spikes.iter().filter(|&&y| y != 0.0).count(),
        LEN.div_ceil(97)
    );
    // The closure is what the reference computes with.
    let bytes = signal.iter().flat_map(|x| x.to_le_bytes()).collect();
    let host = [HostTensor::new(DType::F32, [LEN], bytes)?];
    let expected = reference::run(&kept, &host)?;
    assert_eq!(found.read_bytes_blocking()?, expected.bytes);

    // The gradient of the sum of squares by the signal and by the edge.
    let t = context.tensor(&[edge as f32], [1])?;
    let y = Expr::promoting(shrink, [x.expr(), t.expr()]);
    let gradients = (&y * &y).sum(..).gradient(&[x.expr(), t.expr()]);
    let both = context.eval_with(&gradients, &context.options())?;
    let by_x = both[0].read_blocking::<f32>()?;
    assert_eq!((by_x[0], by_x[1]), (2.0 * 4.25, 0.0));
    println!("by the edge: {:?}", both[1].read_blocking::<f32>()?);

    // The same as a text.
    let language = text::Language::new().with(shrink)?;
    let parsed = language.parse("shrink(x, 0.75) * 2")?;
    let same = reference::run(&parsed.bind(&["x"], &Rule::Numpy)?, &host)?;
    assert_eq!(same.bytes, expected.bytes);

    // What naga refuses points into the text.
    let wrong = CustomOp::new("wrong", ["x"]).form("x +\n    y", |[x]: [f32; 1]| x);
    println!("{}", wrong.build().expect_err("there is no y"));
    Ok(())
}

/// The part of `x` beyond `edge`, on either side of 0.
fn shrink() -> Result<Op> {
    CustomOp::new("shrink", ["x", "edge"])
        .doc("The part of x beyond edge, on either side of 0.")
        .form(
            "fn shrink(x: vec4<f32>, edge: vec4<f32>) -> vec4<f32> {
                 let beyond = abs(x) - edge;
                 return select(vec4<f32>(0.0), sign(x) * beyond, beyond > vec4<f32>(0.0));
             }",
            |[x, edge]: [f32; 2]| {
                let beyond = x.abs() - edge;
                if beyond > 0.0 {
                    x.signum() * beyond
                } else {
                    0.0
                }
            },
        )
        .derivative(|g, [x, _], r| {
            let is_kept = r.not_equal(Expr::literal(0));
            let kept = is_kept.where_(g, Expr::literal(0));
            [kept.clone(), -(kept * x.sign())]
        })
        .build()
}
