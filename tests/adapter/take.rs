//! Elements by their indices, against the definition.

use zerostride::{
    DType, Error, Expr, HostTensor, Index, Limits, Options, Plan, Slot, View, reference,
};

use crate::common::{Random, all, check_with, context};

/// Indices far from any axis: where a type's bits change their meaning in another one.
const FAR: [i128; 10] = [
    1 << 31,
    (1 << 31) - 1,
    (1 << 32) - 1,
    1 << 32,
    i64::MAX as i128,
    1 << 63,
    u64::MAX as i128,
    -(1 << 31),
    -(1 << 32),
    i64::MIN as i128,
];

/// Indices from below the first to beyond the last of an axis, some of them far.
fn indices(
    random: &mut Random,
    dtype: DType,
    shape: &[usize],
    extent: usize,
) -> (HostTensor, Vec<i64>) {
    let (mut bytes, mut values) = (Vec::new(), Vec::new());
    for _ in 0..shape.iter().product() {
        let own = random.below(4 * extent + 4) as i64
            - if dtype.is_signed() {
                2 * extent as i64 + 2
            } else {
                0
            };
        let bits = 8 * dtype.size();
        let (low, high) = match dtype.is_signed() {
            true => (-1 << (bits - 1), (1 << (bits - 1)) - 1),
            false => (0, (1 << bits) - 1),
        };
        let far = FAR[random.below(FAR.len())];
        let own = match random.below(6) {
            0 if (low..=high).contains(&far) => far,
            _ => i128::from(own),
        };
        bytes.extend_from_slice(&own.to_le_bytes()[..dtype.size()]);
        // What is clamped is the same at the ends of i64.
        values.push(own.clamp(i64::MIN.into(), i64::MAX.into()) as i64);
    }
    (HostTensor::new(dtype, shape, bytes).unwrap(), values)
}

/// What `take` is, element by element.
fn definition(x: &HostTensor, values: &[i64], by: &[usize], axis: usize) -> Vec<u8> {
    let (of, size) = (x.layout.shape().extents(), x.dtype.size());
    let inner: usize = of[axis + 1..].iter().product();
    let outer: usize = of[..axis].iter().product();
    let extent = of[axis] as i64;
    let count: usize = by.iter().product();
    let mut bytes = Vec::new();
    for o in 0..outer {
        for &value in &values[..count] {
            let value = if value < 0 { value + extent } else { value };
            let place = value.clamp(0, extent - 1) as usize;
            let first = (o * of[axis] + place) * inner * size;
            bytes.extend_from_slice(&x.bytes[first..first + inner * size]);
        }
    }
    bytes
}

const DTYPES: [DType; 13] = [
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

#[test]
fn elements_of_every_type_are_taken_along_every_axis() {
    let mut random = Random::new("take");
    let mut reports = Vec::new();
    let whole = [
        DType::I64,
        DType::U8,
        DType::I8,
        DType::U64,
        DType::I32,
        DType::U32,
        DType::I16,
    ];
    for (n, dtype) in DTYPES.into_iter().enumerate() {
        for (of, by, axis) in [
            (&[7][..], &[5][..], 0usize),
            (&[5, 3], &[4], 0),
            (&[5, 3], &[2, 3], 1),
            (&[3, 4, 5], &[], 1),
            (&[3, 4, 5], &[3, 1, 2], 1),
            (&[2, 3, 0], &[4], 1),
            (&[2, 3], &[0], 0),
            (&[1, 1], &[6], 1),
        ] {
            let x = random.host(dtype, of, true);
            let (at, values) = indices(&mut random, whole[n % whole.len()], by, of[axis]);
            let wanted = definition(&x, &values, by, axis);
            let expr = Expr::slot(0).take(
                Expr::slot(1),
                axis as isize - of.len() as isize * (n % 2) as isize,
            );
            let inputs = [x, at];
            let found = reference::run(&expr, &inputs).unwrap();
            let what = format!("{dtype} {of:?} by {by:?} along {axis}");
            assert_eq!((found.dtype, &found.bytes), (dtype, &wanted), "{what}");
            reports.push(check_with(&what, &expr, &inputs, 0.0, &context().options()));
        }
    }
    all(reports);
}

#[test]
fn views_and_steps_are_taken_of_and_used() {
    let mut random = Random::new("take of views");
    let mut reports = Vec::new();
    let (x, at) = (Expr::slot(0), Expr::slot(1));
    let back = Index::Range(None, None, -2);
    for (what, expr) in [
        ("a transposed operand", x.transpose().take(&at, 0)),
        ("a reversed one", x.slice([back]).take(&at, 0)),
        (
            "a broadcast one",
            x.slice([Index::NewAxis]).broadcast_to_shape().take(&at, 0),
        ),
        ("steps", x.exp().take(at.add(Expr::scalar(1i32)), 1).neg()),
        ("a sum of what is taken", x.take(&at, 0).sum(0)),
        ("what is taken of sums", x.sum(0).take(&at, 0)),
        ("taken twice", x.take(&at, 0).take(&at, 1)),
        ("turned", x.take(&at, 1).view(View::Transpose)),
        ("a row", x.take(Expr::scalar(-1i32), 0)),
        ("a product", x.take(&at, 0).matmul(x.transpose())),
    ] {
        let inputs = [
            random.host(DType::F32, &[6, 6], false),
            indices(&mut random, DType::I32, &[5], 6).0,
        ];
        reports.push(check_with(what, &expr, &inputs, 1e4, &context().options()));
    }
    all(reports);
}

trait BroadcastToShape {
    fn broadcast_to_shape(&self) -> Self;
}

impl BroadcastToShape for Expr<usize> {
    fn broadcast_to_shape(&self) -> Self {
        self.broadcast(zerostride::Rule::To {
            target: [3, 6, 6].into(),
        })
    }
}

#[test]
fn ends_of_wide_indices_are_ends() {
    let x = HostTensor::new(DType::U8, [3], vec![1, 2, 3]).unwrap();
    let signed = [
        i64::MIN,
        -(1 << 32),
        -4,
        -3,
        -1,
        2,
        3,
        1 << 31,
        (1 << 32) + 1,
        i64::MAX,
    ];
    let unsigned = [0u64, 2, 3, 1 << 31, (1 << 32) + 1, u64::MAX];
    let signed: Vec<u8> = signed.iter().flat_map(|i| i.to_le_bytes()).collect();
    let unsigned: Vec<u8> = unsigned.iter().flat_map(|i| i.to_le_bytes()).collect();
    for (dtype, bytes, wanted) in [
        (DType::I64, signed, &[1, 1, 1, 1, 3, 3, 3, 3, 3, 3][..]),
        (DType::U64, unsigned, &[1, 3, 3, 3, 3, 3]),
    ] {
        let at = HostTensor::new(dtype, [bytes.len() / 8], bytes).unwrap();
        let inputs = [x.clone(), at];
        let expr = Expr::slot(0).take(Expr::slot(1), 0);
        assert_eq!(reference::run(&expr, &inputs).unwrap().bytes, wanted);
        check_with("ends", &expr, &inputs, 0.0, &context().options()).unwrap();
    }
}

#[test]
fn what_cannot_be_taken_is_refused() {
    let slots = |of: &[usize], dtype| {
        [
            Slot::new(DType::F32, of).unwrap(),
            Slot::new(dtype, [2]).unwrap(),
        ]
    };
    let plan = |of: &[usize], dtype, axis| {
        Plan::new(
            &Expr::slot(0).take(Expr::slot(1), axis),
            &slots(of, dtype),
            &context().options(),
        )
    };
    assert!(matches!(plan(&[3], DType::I32, 1), Err(Error::Axis { .. })));
    assert!(matches!(
        plan(&[3], DType::F32, 0),
        Err(Error::DType { operand: 1, .. })
    ));
    assert!(matches!(
        plan(&[3], DType::Bool, 0),
        Err(Error::DType { operand: 1, .. })
    ));
    assert!(matches!(
        plan(&[0, 3], DType::I32, 0),
        Err(Error::Argument { .. })
    ));
    let small = Options::default().with_limits(Limits::WEBGPU.with_max_binding(1 << 10));
    let large = Plan::new(
        &Expr::slot(0).take(Expr::slot(1), 0),
        &slots(&[1000], DType::I32),
        &small,
    );
    assert!(matches!(large, Err(Error::TooLarge { .. })), "{large:?}");
    let gradient = Expr::slot(0)
        .take(Expr::slot(1), 0)
        .sum(..)
        .gradient(&[Expr::slot(0)]);
    let refused = Plan::new(&gradient[0], &slots(&[3], DType::I32), &context().options());
    assert!(refused.unwrap_err().to_string().contains("take"));
}

#[test]
fn a_checked_take_refuses_indices_beyond_the_ends() {
    let context = context();
    let x = context
        .tensor(&[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0], [2, 3])
        .unwrap();
    let taken = |i: &zerostride::Tensor, axis| match x.take_checked_blocking(i, axis) {
        Ok(taken) => Ok(taken.read_blocking::<f32>().unwrap()),
        Err(error) => Err(error.to_string()),
    };
    let of = |values: &[i64], dtype| {
        let all = context.tensor(values, [values.len()]).unwrap();
        all.cast(dtype).unwrap()
    };
    for dtype in [DType::I8, DType::I16, DType::I32, DType::I64] {
        assert_eq!(
            taken(&of(&[-2, 1], dtype), 0).unwrap(),
            [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
        );
        for (index, axis) in [(2, 0), (-3, 0), (3, 1), (3, -1), (-4, -1), (99, 1)] {
            let (place, extent) = if axis == 0 { (0, 2) } else { (1, 3) };
            let wanted = format!(
                "take: index {index} is out of bounds for axis {place}, which has {extent} elements"
            );
            assert_eq!(taken(&of(&[0, index, 1], dtype), axis).unwrap_err(), wanted);
        }
    }
    let far = context.tensor(&[0u64, u64::MAX], [2]).unwrap();
    assert!(taken(&far, 0).unwrap_err().contains("is out of bounds"));
    assert!(taken(&far.slice(..1).unwrap(), 1).is_ok());
    // No index is beyond the ends where there is none.
    assert!(taken(&of(&[], DType::I32), 1).unwrap().is_empty());
    assert!(taken(&x, 0).unwrap_err().contains("whole numbers"));
    assert!(
        taken(&of(&[0], DType::I32), 2)
            .unwrap_err()
            .contains("axis")
    );
}
