//! Bytes as an ONNX model: loaded, bound to small inputs and planned without a panic. It is no part of the other targets'
//! crate, since the library's own tests include that one.

use zerostride::{DType, HostTensor, Options};
use zerostride_onnx::{Extent, Given, InputInfo, Model};

/// Elements of an input at most.
const MOST: usize = 1 << 16;

/// An input as it is declared, where open extents have this number: truths and small numbers. `None` for a large one.
fn given(input: &InputInfo, open: usize) -> Option<HostTensor> {
    let extent = |extent: &Extent| match extent {
        Extent::Fixed(n) => *n,
        _ => open,
    };
    let shape: Vec<usize> = input.extents.iter().flatten().map(extent).collect();
    let len = shape.iter().try_fold(1usize, |n, &e| n.checked_mul(e))?;
    if len > MOST {
        return None;
    }
    let mut bytes = vec![0; len * input.dtype.size()];
    // As one of each element's bytes, which is a number of every type.
    if matches!(
        input.dtype,
        DType::Bool | DType::U8 | DType::I8 | DType::I32 | DType::I64
    ) {
        for (n, element) in bytes.chunks_mut(input.dtype.size()).enumerate() {
            element[0] = (n % 2) as u8;
        }
    }
    HostTensor::new(input.dtype, shape, bytes).ok()
}

/// One input: whether it has a plan.
pub fn run(bytes: &[u8]) -> bool {
    let model = match Model::load(bytes) {
        Ok(model) => model,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return false;
        }
    };
    assert!(model.outputs().count() <= bytes.len());
    let mut is_planned = false;
    for open in [1, 3] {
        let inputs: Vec<_> = model
            .inputs()
            .iter()
            .filter_map(|input| Some((&*input.name, Given::Elements(given(input, open)?))))
            .collect();
        match model.bind(&inputs) {
            Ok(bound) => {
                assert_eq!(bound.to_string().lines().count(), bound.nodes().len() + 1);
                match bound.explain(&Options::default()) {
                    Ok(text) => {
                        assert!(!text.is_empty());
                        is_planned = true;
                    }
                    Err(error) => assert!(!error.to_string().is_empty()),
                }
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
    is_planned
}
