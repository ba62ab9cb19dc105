//! Tensors joined to one, and selections.

use zerostride::{DType, Error, Expr, Op, Result, Rule, Tensor};

use crate::common::{context, own_context};

fn x() -> Tensor {
    context().tensor(&[1u8, 2, 3, 4, 5, 6], [2, 3]).unwrap()
}

#[test]
fn concat_joins_along_any_axis_in_the_common_type() -> Result<()> {
    let x = x();
    let row = context().tensor(&[-1i8, -2, -3], [1, 3])?;
    let column = context().tensor(&[0.5f32, 1.5], [2, 1])?;
    let rows = Tensor::concat(&[&x, &row], 0)?;
    assert_eq!(rows.dtype(), DType::I16);
    assert_eq!(rows.read_blocking::<i16>()?, [1, 2, 3, 4, 5, 6, -1, -2, -3]);
    let columns = Tensor::concat(&[&column, &x, &column], -1)?;
    assert_eq!(columns.shape().extents(), [2, 5]);
    assert_eq!(
        columns.read_blocking::<f32>()?,
        [0.5, 1.0, 2.0, 3.0, 0.5, 1.5, 4.0, 5.0, 6.0, 1.5]
    );
    assert_eq!(
        Tensor::concat(&[&x], 1)?.read_blocking::<u8>()?,
        [1, 2, 3, 4, 5, 6]
    );
    // As part of an expression, with values that are computed.
    let doubled = Expr::concat(&[&x * 2, x.expr()], 0).sum(0);
    assert_eq!(doubled.read_blocking::<u64>()?, [15, 21, 27]);
    Ok(())
}

#[test]
fn stack_makes_a_new_axis_at_any_place() -> Result<()> {
    let x = x();
    let y = context().tensor(&[7u8, 8, 9, 10, 11, 12], [2, 3])?;
    let cases: [(isize, [usize; 3], [u8; 12]); 3] = [
        (0, [2, 2, 3], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]),
        (1, [2, 2, 3], [1, 2, 3, 7, 8, 9, 4, 5, 6, 10, 11, 12]),
        (-1, [2, 3, 2], [1, 7, 2, 8, 3, 9, 4, 10, 5, 11, 6, 12]),
    ];
    for (axis, extents, elements) in cases {
        let stacked = Tensor::stack(&[&x, &y], axis)?;
        assert_eq!(stacked.shape().extents(), extents, "axis {axis}");
        assert_eq!(stacked.read_blocking::<u8>()?, elements, "axis {axis}");
    }
    Ok(())
}

#[test]
fn what_cannot_be_joined_is_told_with_axis_and_shapes() -> Result<()> {
    let x = x();
    let other = context().tensor(&[0u8; 8], [2, 4])?;
    let error = Tensor::concat(&[&x, &other], 0).unwrap_err().to_string();
    assert!(
        error.contains("shapes [2, 3] and [2, 4]") && error.contains("axis 0"),
        "{error}"
    );
    let error = Tensor::stack(&[&x, &other], 0).unwrap_err().to_string();
    assert!(
        error.contains("shapes [2, 3] and [2, 4]") && error.contains("equal"),
        "{error}"
    );
    for axis in [2, -3] {
        let error = Tensor::concat(&[&x, &x], axis).unwrap_err();
        assert!(matches!(error, Error::Axis { rank: 2, .. }), "{error}");
    }
    assert!(matches!(Tensor::stack(&[&x], 3), Err(Error::Axis { .. })));
    let none = Tensor::concat(&[], 0).unwrap_err().to_string();
    assert!(none.contains("at least one array"), "{none}");
    let foreign = own_context().tensor(&[0u8; 3], [1, 3])?;
    let error = Tensor::concat(&[&x, &foreign], 0).unwrap_err();
    assert!(matches!(error, Error::OtherContext { .. }), "{error}");
    Ok(())
}

#[test]
fn select_and_where_promote_alike_and_take_numbers() -> Result<()> {
    let x = x();
    let large = x.expr().greater(Expr::from(3)).eval()?;
    assert_eq!(
        large.select(&x, 0)?.read_blocking::<u8>()?,
        [0, 0, 0, 4, 5, 6]
    );
    assert_eq!(
        large.select(&x, 0.5)?.read_blocking::<f32>()?,
        [0.5, 0.5, 0.5, 4.0, 5.0, 6.0]
    );
    let row = context().tensor(&[-1i16, -2, -3], [3])?;
    let found = large.select(&row, &x)?;
    assert_eq!(found.read_blocking::<i16>()?, [1, 2, 3, -1, -2, -3]);
    let same = large.where_(&row, &x)?;
    assert_eq!(same.read_blocking::<i16>()?, [1, 2, 3, -1, -2, -3]);
    let as_they_are = Tensor::apply(Op::WHERE, &[&large, &row, &x], Rule::Numpy);
    assert!(matches!(as_they_are, Err(Error::MixedDTypes { .. })));
    Ok(())
}
