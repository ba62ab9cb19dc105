//! Tensors made of numbers.

use zerostride::{DType, Error, HostTensor, Result};

use crate::common::context;

/// One of each kind: each takes pipelines of its own.
const TYPES: [DType; 3] = [DType::Bool, DType::I16, DType::F32];

#[test]
fn tensors_of_one_value_have_any_type_and_shape() -> Result<()> {
    let c = context();
    for dtype in TYPES {
        let (zeros, ones) = (c.zeros(dtype, [2, 3])?, c.ones(dtype, [2, 3])?);
        assert_eq!(
            (zeros.dtype(), zeros.shape().extents()),
            (dtype, &[2, 3][..])
        );
        assert!(
            zeros.read_bytes_blocking()?.iter().all(|&b| b == 0),
            "{dtype}"
        );
        let one = HostTensor::new(dtype, [6], ones.read_bytes_blocking()?)?;
        let text = one.to_string();
        let expected = match dtype {
            DType::Bool => "[ True  True  True  True  True  True]",
            _ if dtype.is_float() => "[1. 1. 1. 1. 1. 1.]",
            _ => "[1 1 1 1 1 1]",
        };
        assert_eq!(text, expected, "{dtype}");
    }
    assert_eq!(
        c.full(DType::F32, [2], 0.1)?.read_blocking::<f32>()?,
        [0.1; 2]
    );
    assert_eq!(
        c.full(DType::F64, [2], 0.1)?.read_blocking::<f64>()?,
        [0.1; 2]
    );
    assert_eq!(
        c.full(DType::U64, [], u64::MAX)?.item_blocking::<u64>()?,
        u64::MAX
    );
    assert_eq!(c.full(DType::Bool, [3, 0], true)?.shape().extents(), [3, 0]);
    Ok(())
}

#[test]
fn arange_has_the_elements_of_numpys() -> Result<()> {
    let c = context();
    let ints = |start: i64, stop: i64, step: i64| {
        c.arange(DType::I64, start, stop, step)?
            .read_blocking::<i64>()
    };
    assert_eq!(ints(0, 5, 1)?, [0, 1, 2, 3, 4]);
    assert_eq!(ints(2, 9, 3)?, [2, 5, 8]);
    assert_eq!(ints(5, 0, -2)?, [5, 3, 1]);
    assert_eq!(ints(5, 0, 1)?, [0i64; 0]);
    assert_eq!(
        c.arange(DType::U8, 250, 256, 1)?.read_blocking::<u8>()?,
        [250, 251, 252, 253, 254, 255]
    );
    let floats = c.arange(DType::F32, 0.0, 1.0, 0.25)?;
    assert_eq!(floats.read_blocking::<f32>()?, [0.0, 0.25, 0.5, 0.75]);
    assert_eq!(
        c.arange(DType::F16, 0, 3, 1)?
            .to_host_blocking()?
            .to_string(),
        "[0. 1. 2.]"
    );
    for (stop, step) in [(1.0, 0.0), (f64::INFINITY, 1.0), (1e10, 1.0)] {
        let error = c.arange(DType::F32, 0.0, stop, step).unwrap_err();
        assert!(matches!(error, Error::Argument { .. }), "{error}");
        assert!(error.to_string().starts_with("arange: "), "{error}");
    }
    Ok(())
}

#[test]
fn linspace_ends_where_it_is_told() -> Result<()> {
    let c = context();
    let line = |stop, count| {
        c.linspace(DType::F32, 1.0, stop, count)?
            .read_blocking::<f32>()
    };
    assert_eq!(line(2.0, 5)?, [1.0, 1.25, 1.5, 1.75, 2.0]);
    assert_eq!(line(0.3, 4)?.last(), Some(&0.3));
    assert_eq!(line(2.0, 1)?, [1.0]);
    assert_eq!(line(2.0, 0)?, [0f32; 0]);
    assert_eq!(
        c.linspace(DType::I32, 0.0, 10.0, 3)?
            .read_blocking::<i32>()?,
        [0, 5, 10]
    );
    Ok(())
}

#[test]
fn doubles_are_computed_as_such() -> Result<()> {
    let c = context();
    let line = c.linspace(DType::F64, 0.0, 1.0, 4)?;
    assert_eq!(
        line.read_blocking::<f64>()?,
        [0.0, 1.0 / 3.0, 2.0 / 3.0, 1.0]
    );
    // Whole numbers need no arithmetic on doubles.
    assert_eq!(
        c.arange(DType::F64, 0, 3, 1)?.read_blocking::<f64>()?,
        [0.0, 1.0, 2.0]
    );
    Ok(())
}

#[test]
fn eye_is_one_on_the_diagonal_in_the_type_that_is_asked_for() -> Result<()> {
    for dtype in TYPES {
        let eye = context().eye(dtype, 2)?;
        assert_eq!(eye.dtype(), dtype);
        let text = eye.to_host_blocking()?.to_string();
        let expected = match dtype {
            DType::Bool => "[[ True False]\n [False  True]]",
            _ if dtype.is_float() => "[[1. 0.]\n [0. 1.]]",
            _ => "[[1 0]\n [0 1]]",
        };
        assert_eq!(text, expected, "{dtype}");
    }
    Ok(())
}
