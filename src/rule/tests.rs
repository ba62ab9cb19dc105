use super::*;
use proptest::prelude::*;

fn extents() -> impl Strategy<Value = Vec<usize>> {
    prop::collection::vec(
        prop_oneof![Just(1usize), Just(1), Just(3), Just(0), Just(4)],
        0..5,
    )
}

proptest! {
    #[test]
    fn numpy_is_symmetric_and_associative(a in extents(), b in extents(), c in extents()) {
        let (a, b, c) = (Shape::from(a), Shape::from(b), Shape::from(c));
        let shape = |s: &[&Shape]| Rule::Numpy.align(s).map(|x| x.shape).ok();
        prop_assert_eq!(shape(&[&a, &b, &c]), shape(&[&c, &a, &b]));
        if let Some(ab) = shape(&[&a, &b]) {
            prop_assert_eq!(shape(&[&ab, &c]), shape(&[&a, &b, &c]));
        }
    }

    #[test]
    fn onto_a_result_of_numpy_always_fits(a in extents(), b in extents()) {
        let (a, b) = (Shape::from(a), Shape::from(b));
        if let Ok(common) = Rule::Numpy.align(&[&a, &b]) {
            let to = Rule::To { target: common.shape.clone() };
            prop_assert_eq!(to.align(&[&a]).unwrap().shape, common.shape.clone());
            prop_assert_eq!(Rule::Unidirectional.align(&[&common.shape, &b]).unwrap().shape, common.shape);
        }
    }
}

#[test]
fn size_one_axis_gets_stride_zero() {
    let (a, b) = (Shape::new([2, 3]), Shape::new([3]));
    let aligned = Rule::Numpy.align(&[&a, &b]).unwrap();
    let layout = crate::layout::Layout::contiguous([3])
        .unwrap()
        .through(&aligned.map(1, &b));
    assert_eq!(layout.strides(), [0, 1]);
}

#[test]
fn error_names_axis_and_extents() {
    let err = Rule::Numpy
        .align_onto("add", &[&[2, 3].into(), &[4].into()], 0)
        .unwrap_err();
    assert_eq!(
        err.to_string(),
        "add: shapes [2, 3] and [4] do not align under Numpy: axis 1 has extents 3 and 4"
    );
}
