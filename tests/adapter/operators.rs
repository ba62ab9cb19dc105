//! Operators on tensors: lazy, promoting, with numbers on either side.

use zerostride::{DType, Error, Expr, Op, Result, Rule, Tensor, f16};

use crate::common::{context, own_context};

fn row() -> Tensor {
    context().tensor(&[1.0f32, 2.0, 4.0], [3]).unwrap()
}

fn table() -> Tensor {
    context()
        .tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])
        .unwrap()
}

/// What the expressions of a table give, computed by few kernels.
fn together<T>(cases: &[(&str, Expr<Tensor>, T)]) -> Result<Vec<Tensor>> {
    let exprs: Vec<Expr<Tensor>> = cases.iter().map(|(_, expr, _)| expr.clone()).collect();
    context().eval_with(&exprs, &context().options())
}

#[test]
fn references_to_tensors_have_operators_and_make_one_kernel() -> Result<()> {
    let (x, mean, std) = (table(), row(), row());
    let gamma = context().tensor(&[10.0f32], [1])?;
    let beta = context().tensor(&[0.5f32, 0.25], [2, 1])?;
    let normal: Expr<Tensor> = (&x - &mean) / &std * &gamma + &beta;
    let found = normal.read_blocking::<f32>()?;
    assert_eq!(found, [0.5, 0.5, -2.0, 30.25, 15.25, 5.25]);
    Ok(())
}

#[test]
fn tensors_expressions_and_numbers_stand_on_either_side() -> Result<()> {
    let x = row();
    let e = x.expr();
    let cases: Vec<(&str, Expr<Tensor>, [f32; 3])> = vec![
        ("&x + &x", &x + &x, [2.0, 4.0, 8.0]),
        ("&x + x", &x + x.clone(), [2.0, 4.0, 8.0]),
        ("x + x", x.clone() + x.clone(), [2.0, 4.0, 8.0]),
        ("x * &x", x.clone() * &x, [1.0, 4.0, 16.0]),
        ("&x - e", &x - e.clone(), [0.0; 3]),
        ("&x - &e", &x - &e, [0.0; 3]),
        ("e - &x", e.clone() - &x, [0.0; 3]),
        ("&e / &x", &e / &x, [1.0; 3]),
        ("&e / x", &e / x.clone(), [1.0; 3]),
        ("&x + 1", &x + 1, [2.0, 3.0, 5.0]),
        ("&x + 1.5", &x + 1.5, [2.5, 3.5, 5.5]),
        ("&x + 1.5f32", &x + 1.5f32, [2.5, 3.5, 5.5]),
        ("2.0 * &x", 2.0 * &x, [2.0, 4.0, 8.0]),
        ("2 * &x", 2 * &x, [2.0, 4.0, 8.0]),
        ("1.0 - x", 1.0 - x.clone(), [0.0, -1.0, -3.0]),
        ("8 / &x", 8 / &x, [8.0, 4.0, 2.0]),
        ("&x % 3", &x % 3, [1.0, 2.0, 1.0]),
        ("7.0 % &x", 7.0 % &x, [0.0, 1.0, 3.0]),
        ("-&x", -&x, [-1.0, -2.0, -4.0]),
        ("-x", -x.clone(), [-1.0, -2.0, -4.0]),
    ];
    for ((text, _, expected), found) in cases.iter().zip(together(&cases)?) {
        assert_eq!(found.read_blocking::<f32>()?, expected, "{text}");
    }
    Ok(())
}

#[test]
fn bits_and_shifts_of_tensors_are_operators() -> Result<()> {
    let x = context().tensor(&[1u8, 6, 255], [3])?;
    let cases: Vec<(&str, Expr<Tensor>, [u8; 3])> = vec![
        ("&x & 3", &x & 3, [1, 2, 3]),
        ("8 | &x", 8 | &x, [9, 14, 255]),
        ("&x ^ &x", &x ^ &x, [0, 0, 0]),
        ("!&x", !&x, [254, 249, 0]),
        ("&x << 1", &x << 1, [2, 12, 254]),
        ("x >> 1", x.clone() >> 1, [0, 3, 127]),
    ];
    for ((text, _, expected), found) in cases.iter().zip(together(&cases)?) {
        assert_eq!(found.read_blocking::<u8>()?, expected, "{text}");
    }
    let yes = context().tensor(&[true, false], [2])?;
    assert_eq!((!&yes).read_blocking::<bool>()?, [false, true]);
    Ok(())
}

#[test]
fn operators_and_methods_promote_alike_and_rows_do_not() -> Result<()> {
    let c = context();
    let (u, i) = (c.tensor(&[200u8], [1])?, c.tensor(&[-1i8], [1])?);
    let h = c.tensor(&[f16::from_f32(0.5)], [1])?;
    let n = c.tensor(&[3i32], [1])?;
    let cases: Vec<(&str, Expr<Tensor>, DType)> = vec![
        ("u8 + i8", &u + &i, DType::I16),
        ("u8 + 1", &u + 1, DType::U8),
        ("u8 + 1.5", &u + 1.5, DType::F32),
        ("u8 * f16", &u * &h, DType::F16),
        ("i32 / i32", &n / &n, DType::F32),
        ("i32 // 1", 1 - &n, DType::I32),
    ];
    for ((text, _, dtype), found) in cases.iter().zip(together(&cases)?) {
        assert_eq!(found.dtype(), *dtype, "{text}");
    }
    let alike = [
        (u.add(&i)?, &u + &i, u.expr().add(&i)),
        (u.add(1.5)?, &u + 1.5, u.expr().add(1.5)),
        (n.div(&n)?, &n / &n, n.expr().div(&n)),
        (u.mul(&h)?, &u * &h, u.expr().mul(&h)),
        (n.rem_floor(&u)?, &n % &u, n.expr().rem_floor(&u)),
        (Tensor::add_n(&[&u, &i])?, &u + &i, Expr::add_n([&u, &i])),
    ];
    for (of_tensor, by_operator, of_expression) in alike {
        let found = of_tensor.to_host_blocking()?;
        assert_eq!(found, by_operator.to_host_blocking()?);
        assert_eq!(found, of_expression.to_host_blocking()?);
    }
    assert_eq!(n.sqrt()?.dtype(), DType::F32);
    let rows = Tensor::apply(Op::ADD, &[&u, &i], Rule::Numpy);
    assert!(matches!(rows, Err(Error::MixedDTypes { .. })));
    assert_eq!(
        Tensor::apply(Op::DIV, &[&n, &n], Rule::Numpy)?.dtype(),
        DType::I32
    );
    Ok(())
}

#[test]
fn what_does_not_fit_is_an_error_of_the_evaluation() -> Result<()> {
    let x = row();
    let foreign = own_context().tensor(&[1.0f32], [1])?;
    let error = (&x + &foreign).eval().unwrap_err();
    assert!(matches!(error, Error::OtherContext { .. }), "{error}");
    let two = context().tensor(&[1.0f32, 2.0], [2])?;
    let error = (&x + &two).read_blocking::<f32>().unwrap_err();
    assert!(matches!(error, Error::Extents { axis: 0, .. }), "{error}");
    let bytes = context().tensor(&[1u8], [1])?;
    let error = (&bytes + 300).eval().unwrap_err();
    assert!(error.to_string().contains("300"), "{error}");
    let error = (&x + 1).read_blocking::<u8>().unwrap_err();
    assert!(matches!(error, Error::DType { .. }), "{error}");
    Ok(())
}

#[test]
fn expressions_are_read_without_a_tensor_between() -> Result<()> {
    let x = table();
    assert_eq!((&x * 2).sum(..).item_blocking::<f32>()?, 42.0);
    assert_eq!(
        pollster::block_on((&x + 1).sum(1).read::<f32>())?,
        [9.0, 18.0]
    );
    assert_eq!(pollster::block_on(x.expr().max(..).item::<f32>())?, 6.0);
    let host = (&x - 1).to_host_blocking()?;
    assert_eq!(
        (host.dtype, host.layout.shape().extents()),
        (DType::F32, &[2, 3][..])
    );
    assert_eq!(host.bytes[4..8], 1.0f32.to_le_bytes());
    assert_eq!(
        pollster::block_on(x.transpose().to_host())?
            .layout
            .shape()
            .extents(),
        [3, 2]
    );
    Ok(())
}

#[test]
fn item_names_the_shape_of_what_has_more_elements_or_none() -> Result<()> {
    let x = table();
    let error = x.item_blocking::<f32>().unwrap_err().to_string();
    assert_eq!(
        error,
        "item: shape [2, 3] has 6 elements, not one; use read for all"
    );
    let error = context()
        .tensor::<f32>(&[], [0])?
        .item_blocking::<f32>()
        .unwrap_err();
    assert!(
        error.to_string().contains("shape [0] has 0 elements"),
        "{error}"
    );
    let one = context().tensor(&[7u16], [1, 1])?;
    assert_eq!(one.item_blocking::<u16>()?, 7);
    assert!(matches!(
        one.item_blocking::<f32>(),
        Err(Error::DType { .. })
    ));
    Ok(())
}
