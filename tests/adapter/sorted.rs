//! Elements in order along an axis, against a sort of the host.

use zerostride::{DType, Error, Expr, HostTensor, Index, Plan, Slot, View, reference};

use crate::common::{Random, Turns, all, compare, context, elements, on_adapter};
use crate::mapping::viewed;
use crate::searched::{Number, TYPES, numbers};

fn promoted(expr: &Expr<usize>, dtype: DType) -> Expr<usize> {
    expr.promoted(Default::default(), |_| Ok(dtype)).unwrap()
}

fn host(dtype: DType, shape: &[usize], bits: &[u64]) -> HostTensor {
    let size = dtype.size();
    let bytes = bits
        .iter()
        .flat_map(|b| b.to_le_bytes().into_iter().take(size));
    HostTensor::new(dtype, shape, bytes.collect()).unwrap()
}

/// The places along an axis that bring an array in order: what is equal stays in its order.
fn places(x: &HostTensor, axis: usize) -> Vec<u64> {
    let extents = x.layout.shape().extents().to_vec();
    let inner: usize = extents[axis + 1..].iter().product();
    let (count, of) = (extents[axis], numbers(x));
    let mut all = vec![0; of.len()];
    for first in (0..of.len()).filter(|at| (at / inner).is_multiple_of(count)) {
        let number = |place: &u64| of[first + *place as usize * inner];
        let mut places: Vec<u64> = (0..count as u64).collect();
        places.sort_by(|a, b| Number::order(number(a), number(b)));
        for (k, place) in places.into_iter().enumerate() {
            all[first + k * inner] = place;
        }
    }
    all
}

/// Compares the elements in order, and the places that bring them so, with the host's.
fn check(what: &str, x: &HostTensor, axis: usize) -> Vec<Result<(), String>> {
    let shape = x.layout.shape().extents().to_vec();
    let inner: usize = shape[axis + 1..].iter().product();
    let expected = places(x, axis);
    let whole = reference::run(&Expr::slot(0).cast(x.dtype), std::slice::from_ref(x)).unwrap();
    let own = elements(&whole);
    let count = shape[axis].max(1);
    let at =
        |(n, place): (usize, &u64)| own[n - n / inner % count * inner + *place as usize * inner];
    let in_order: Vec<u64> = expected.iter().enumerate().map(at).collect();
    let mut reports = Vec::new();
    let inputs = [x.clone()];
    let signed = axis.cast_signed();
    let sorted = promoted(&Expr::slot(0).sort(signed), x.dtype);
    let argsorted = promoted(&Expr::slot(0).argsort(signed), x.dtype);
    // -0 is equal to 0, NaN to NaN: numbers are compared, and bits where they tell no more.
    let in_order = host(x.dtype, &shape, &in_order);
    for (of, found) in [
        (
            "reference",
            reference::run(&sorted, &inputs).map_err(|e| e.to_string()),
        ),
        (
            "adapter",
            on_adapter(&sorted, &inputs).map_err(|e| e.to_string()),
        ),
    ] {
        let agree = found.and_then(|found| {
            let pairs = numbers(&found).into_iter().zip(numbers(&in_order));
            match pairs.into_iter().position(|(a, b)| a.order(b).is_ne()) {
                _ if (found.dtype, found.layout.shape()) != (x.dtype, in_order.layout.shape()) => {
                    Err(format!("{:?}", found.layout))
                }
                None => Ok(()),
                Some(n) => Err(format!("element {n}")),
            }
        });
        reports.push(agree.map_err(|e| format!("{what}, {of}: {e}")));
    }
    let expected = host(DType::I64, &shape, &expected);
    let found = reference::run(&argsorted, &inputs).unwrap();
    reports.push(compare(
        &format!("{what}, places of the reference"),
        &found,
        &expected,
        0.0,
    ));
    let found = on_adapter(&argsorted, &inputs).unwrap();
    reports.push(compare(&format!("{what}, places"), &found, &expected, 0.0));
    reports
}

#[test]
fn rows_of_every_type_and_length_are_sorted() {
    let mut random = Random::new("sorted");
    let mut reports = Vec::new();
    let lengths = [1, 2, 3, 5 + random.below(12), 33 + random.below(300)];
    let mut turns = Turns::new(&mut random);
    for dtype in TYPES {
        for count in turns.of(&lengths) {
            let x = random.host(dtype, &[3, count], true);
            reports.extend(check(&format!("{dtype} [3, {count}]"), &x, 1));
        }
    }
    all(reports);
}

#[test]
fn every_axis_of_views_is_sorted() {
    let mut random = Random::new("sorted axes");
    let mut reports = Vec::new();
    let back = View::Slice(vec![Index::ALL, Index::Range(None, None, -1)]);
    for dtype in [DType::F32, DType::U8] {
        let x = random.host(dtype, &[4, 37, 6], false);
        let turned = viewed(x.clone(), &View::Transpose);
        let backwards = viewed(x.clone(), &back);
        for (what, x) in [
            ("whole", &x),
            ("transposed", &turned),
            ("backwards", &backwards),
        ] {
            for axis in 0..3 {
                reports.extend(check(&format!("{dtype} {what} along {axis}"), x, axis));
            }
        }
    }
    all(reports);
}

#[test]
fn zeros_keep_their_signs_and_stand_in_order() {
    let bits: Vec<u64> = [0.0f32, -0.0, 1.0, -0.0, 0.0, -1.0]
        .map(|x| x.to_bits().into())
        .to_vec();
    let x = host(DType::F32, &[6], &bits);
    let found = on_adapter(&promoted(&Expr::slot(0).sort(0), DType::F32), &[x]).unwrap();
    let expected = [-1.0f32, -0.0, -0.0, 0.0, 0.0, 1.0].map(|x| u64::from(x.to_bits()));
    assert_eq!(elements(&found), expected);
}

#[test]
fn what_cannot_be_sorted_is_refused() {
    let plan = |shape: &[usize], axis: isize| {
        let slots = [Slot::new(DType::F32, shape).unwrap()];
        Plan::new(&Expr::slot(0).sort(axis), &slots, &context().options())
    };
    assert!(matches!(plan(&[3, 4], 2), Err(Error::Axis { .. })));
    let error = plan(&[(1 << 16) + 1], 0).unwrap_err().to_string();
    assert!(error.contains("65536"), "{error}");
    assert!(plan(&[2, 0], 1).is_ok() && plan(&[0, 5], 1).is_ok());
}
