//! Texts computed on tensors by name.

use zerostride::{Error, Result, Tensor};

use crate::common::{context, own_context};

fn x() -> Tensor {
    context()
        .tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 9.0], [2, 3])
        .unwrap()
}

#[test]
fn a_text_is_computed_on_tensors_by_name() -> Result<()> {
    let (x, s) = (x(), context().tensor(&[2i32], [1])?);
    let given = [("s", &s), ("x", &x), ("unused", &s)];
    let found = context().eval_text("(x - x.mean(axis=0)) / s", given)?;
    assert_eq!(
        found.read_blocking::<f32>()?,
        [-0.75, -0.75, -1.5, 0.75, 0.75, 1.5]
    );
    let made = context().eval_text("arange(4) * 2", [])?;
    assert_eq!(made.read_blocking::<i64>()?, [0, 2, 4, 6]);
    let named: Vec<(String, Tensor)> = vec![("x".into(), x)];
    let found = context().eval_text("x.sum()", named.iter().map(|(n, t)| (n.as_str(), t)))?;
    assert_eq!(found.item_blocking::<f32>()?, 24.0);
    Ok(())
}

#[test]
fn a_text_of_several_results_gives_a_tensor_for_each() -> Result<()> {
    let x = x();
    let found =
        context().eval_text_all("d = x - x.min()\nd, d.max(axis=1), x.sum()", [("x", &x)])?;
    let shapes: Vec<&[usize]> = found.iter().map(|t| t.shape().extents()).collect();
    assert_eq!(shapes, [&[2, 3][..], &[2], &[]]);
    assert_eq!(found[1].read_blocking::<f32>()?, [2.0, 8.0]);
    assert_eq!(context().eval_text_all("x + 1", [("x", &x)])?.len(), 1);
    let error = context().eval_text("x, x + 1", [("x", &x)]).unwrap_err();
    assert!(matches!(error, Error::Syntax { column: 4, .. }), "{error}");
    Ok(())
}

#[test]
fn what_a_text_does_wrong_is_told_with_its_column() -> Result<()> {
    let (x, two) = (x(), context().tensor(&[1.0f32, 2.0], [2])?);
    let given = [("x", &x), ("mean", &two)];
    let error = |text: &str| context().eval_text(text, given).unwrap_err().to_string();
    for (text, words) in [
        (
            "x - maen",
            "column 5: unknown name `maen`; the inputs are x, mean",
        ),
        ("x - sqr(x)", "column 5: unknown name `sqr`"),
        (
            "x + mean",
            "column 3: add: shapes [2, 3] and [2] do not align",
        ),
        (
            "x ^ 2",
            "column 3: `^` takes bool or whole numbers, not f32; a power is written **",
        ),
        ("x +", "column 4"),
    ] {
        assert!(error(text).contains(words), "{text}: {}", error(text));
    }
    let twice = context()
        .eval_text("x", [("x", &x), ("x", &two)])
        .unwrap_err();
    assert!(matches!(twice, Error::Argument { .. }), "{twice}");
    assert!(twice.to_string().contains("`x` is given twice"), "{twice}");
    let foreign = own_context().tensor(&[1.0f32], [1])?;
    let error = context()
        .eval_text("x + y", [("x", &x), ("y", &foreign)])
        .unwrap_err();
    assert!(matches!(error, Error::OtherContext { .. }), "{error}");
    Ok(())
}
