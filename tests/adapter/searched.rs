//! Places of values in sorted rows, against NumPy's definition.

use std::cmp::Ordering;

use zerostride::{DType, Expr, HostTensor, Index, Plan, Slot, View, reference};

use crate::common::{Random, all, compare, context, elements, on_adapter};
use crate::mapping::viewed;

pub const TYPES: [DType; 13] = [
    DType::Bool,
    DType::U8,
    DType::I8,
    DType::U16,
    DType::I16,
    DType::U32,
    DType::I32,
    DType::U64,
    DType::I64,
    DType::F16,
    DType::Bf16,
    DType::F32,
    DType::F64,
];

/// An element as it is ordered.
#[derive(Clone, Copy, PartialEq)]
pub enum Number {
    Whole(i128),
    Float(f64),
}

impl Number {
    /// As NumPy sorts: NaN behind all others.
    pub fn order(self, other: Self) -> Ordering {
        match (self, other) {
            (Self::Whole(a), Self::Whole(b)) => a.cmp(&b),
            (Self::Float(a), Self::Float(b)) => {
                a.partial_cmp(&b).unwrap_or(a.is_nan().cmp(&b.is_nan()))
            }
            _ => unreachable!(),
        }
    }
}

pub fn numbers(host: &HostTensor) -> Vec<Number> {
    if host.dtype.is_float() {
        let wide =
            reference::run(&Expr::slot(0).cast(DType::F64), std::slice::from_ref(host)).unwrap();
        let float = |bits: u64| Number::Float(f64::from_bits(bits));
        return elements(&wide).into_iter().map(float).collect();
    }
    // In row-major order.
    let host = reference::run(&Expr::slot(0).cast(host.dtype), std::slice::from_ref(host)).unwrap();
    let shift = 128 - 8 * host.dtype.size() as u32;
    let whole = |bits: u64| match host.dtype.is_signed() {
        true => (i128::from(bits) << shift) >> shift,
        false => i128::from(bits),
    };
    let all = elements(&host).into_iter();
    all.map(|bits| Number::Whole(whole(bits))).collect()
}

/// A row with its elements in order, and many of them twice.
fn sorted(random: &mut Random, dtype: DType, count: usize) -> HostTensor {
    let drawn = random.host(dtype, &[count.div_ceil(2).max(1)], true);
    let (bits, of) = (elements(&drawn), numbers(&drawn));
    let mut places: Vec<usize> = (0..count).map(|i| i % bits.len()).collect();
    places.sort_by(|&a, &b| of[a].order(of[b]));
    let size = dtype.size();
    let bytes = places
        .iter()
        .flat_map(|&i| bits[i].to_le_bytes().into_iter().take(size));
    HostTensor::new(dtype, [count], bytes.collect()).unwrap()
}

/// Some values of the row, and others.
fn values(random: &mut Random, row: &HostTensor, shape: &[usize]) -> HostTensor {
    let other = random.host(row.dtype, shape, true);
    let (own, mut bits) = (elements(row), elements(&other));
    for bits in bits.iter_mut().filter(|_| !own.is_empty()) {
        if random.below(2) == 0 {
            *bits = *random.pick(&own);
        }
    }
    let size = row.dtype.size();
    let bytes = bits
        .iter()
        .flat_map(|b| b.to_le_bytes().into_iter().take(size));
    HostTensor::new(row.dtype, shape, bytes.collect()).unwrap()
}

fn searched(right: bool, dtypes: [DType; 2]) -> Expr<usize> {
    let found = Expr::slot(0).searchsorted(Expr::slot(1), right);
    found
        .promoted(Default::default(), |i| Ok(dtypes[*i]))
        .unwrap()
}

/// Compares with the definition, of the adapter and of the reference.
fn check(what: &str, row: &HostTensor, values: &HostTensor) -> Vec<Result<(), String>> {
    let of = numbers(row);
    let mut reports = Vec::new();
    for right in [false, true] {
        let expected = numbers(values).into_iter().map(|value| {
            let stands_before = |own: &&Number| match own.order(value) {
                Ordering::Less => true,
                Ordering::Equal => right,
                Ordering::Greater => false,
            };
            of.iter().filter(stands_before).count() as i64
        });
        let bytes = expected.flat_map(i64::to_le_bytes).collect();
        let shape = values.layout.shape().clone();
        let expected = HostTensor::new(DType::I64, shape, bytes).unwrap();
        let inputs = [row.clone(), values.clone()];
        let expr = searched(right, [row.dtype; 2]);
        let what = format!("{what}, right {right}");
        let found = on_adapter(&expr, &inputs).map_err(|e| format!("{what}: {e}"));
        reports.push(found.and_then(|found| compare(&what, &found, &expected, 0.0)));
        let found = reference::run(&expr, &inputs).unwrap();
        reports.push(compare(
            &format!("reference, {what}"),
            &found,
            &expected,
            0.0,
        ));
    }
    reports
}

#[test]
fn values_of_every_type_are_found_in_rows_of_every_length() {
    let mut random = Random::new("searched");
    let mut reports = Vec::new();
    for dtype in TYPES {
        for count in [0, 1, 2, 3, 64, 257, 1 + random.below(5000)] {
            let row = sorted(&mut random, dtype, count);
            let shape = [[1 + random.below(7), 33], [40, 5]][random.below(2)];
            let values = values(&mut random, &row, &shape);
            reports.extend(check(&format!("{dtype} among {count}"), &row, &values));
        }
    }
    all(reports);
}

#[test]
fn rows_and_values_are_searched_where_they_lie() {
    let mut random = Random::new("views searched");
    let mut reports = Vec::new();
    let back = View::Slice(vec![Index::Range(None, None, -1)]);
    let every_other = View::Slice(vec![Index::Range(Some(1), None, 2)]);
    for dtype in [DType::F32, DType::U8, DType::I64] {
        let row = sorted(&mut random, dtype, 301);
        let half = viewed(row.clone(), &every_other);
        let turned: Vec<u8> = elements(&row)
            .iter()
            .rev()
            .flat_map(|b| b.to_le_bytes().into_iter().take(dtype.size()))
            .collect();
        let turned = viewed(HostTensor::new(dtype, [301], turned).unwrap(), &back);
        let plain = values(&mut random, &row, &[9, 14]);
        let transposed = viewed(plain.clone(), &View::Transpose);
        let column = viewed(plain.clone(), &View::Slice(vec![Index::ALL, Index::At(3)]));
        let scalar = viewed(
            plain.clone(),
            &View::Slice(vec![Index::At(2), Index::At(3)]),
        );
        for (what, row) in [
            ("whole", &row),
            ("every other", &half),
            ("backwards", &turned),
        ] {
            for (of, values) in [
                ("whole", &plain),
                ("transposed", &transposed),
                ("a column", &column),
                ("an element", &scalar),
            ] {
                let what = format!("{dtype} {of} in {what}");
                reports.extend(check(&what, row, values));
            }
        }
    }
    all(reports);
}

#[test]
fn what_is_searched_may_be_computed_and_what_is_found_too() {
    let mut random = Random::new("computed searches");
    let row = sorted(&mut random, DType::U8, 100);
    let values = random.host(DType::I16, &[20, 30], false);
    let [x, y] = [0, 1].map(Expr::slot);
    // The types have i16 in common, as the reference promotes them too.
    let found = x
        .add(&x)
        .searchsorted(y.slice([Index::Range(None, None, 3)]), true);
    let expr = found.mul(Expr::literal(2)).sum(1);
    let dtypes = [DType::U8, DType::I16];
    let expr = expr
        .promoted(Default::default(), |i| Ok(dtypes[*i]))
        .unwrap();
    let inputs = [row, values];
    let expected = reference::run(&expr, &inputs).unwrap();
    let found = on_adapter(&expr, &inputs).unwrap();
    compare("a computed search", &found, &expected, 0.0).unwrap();
}

#[test]
fn rows_of_two_axes_are_refused() {
    let expr = searched(false, [DType::F32; 2]);
    let slots = [[3, 4], [3, 4]].map(|shape| Slot::new(DType::F32, shape).unwrap());
    let error = Plan::new(&expr, &slots, &context().options()).unwrap_err();
    assert!(error.to_string().contains("one axis"), "{error}");
}
