//! Tier 0: what has more elements than can be counted is an error on the host wherever it is named,
//! never a wrap.

use zerostride::{
    DType, Error, Expr, HostTensor, Index, Layout, Limits, Options, Plan, Result, Rule, Shape,
    Slot, View, reference, text,
};

const HUGE: usize = 1 << 40;
const FEATURES: Limits = Limits::WEBGPU
    .with_max_binding(u64::MAX)
    .with_max_workgroups(u32::MAX);

fn options() -> Options {
    Options::default().with_limits(FEATURES)
}

/// Stored once and broadcast: no stride tells how many there are.
fn splat(shape: [usize; 2]) -> Result<Slot> {
    Ok(Slot::wrapped(
        DType::F32,
        Layout::new(shape, vec![0, 0], 0)?,
        16,
    ))
}

fn planned(source: &str, slots: &[Slot]) -> Result<()> {
    let parsed = text::parse(source)?;
    let expr = parsed.bind(parsed.names(), &Rule::Numpy)?;
    Plan::new(&expr, slots, &options()).map(drop)
}

/// Calls by name; each must be an error.
fn calls() -> Vec<(&'static str, Result<()>)> {
    let huge = || Shape::new([HUGE, HUGE]);
    let (column, row, one) = (
        Shape::new([HUGE, 1]),
        Shape::new([HUGE]),
        Shape::new([1, 1]),
    );
    let target = huge;
    let host = |shape: &Shape| {
        let layout = Layout::new(shape, vec![0; shape.rank()], 0).unwrap();
        HostTensor::with_layout(DType::F32, layout, vec![0; 4]).unwrap()
    };
    let tall = splat([HUGE, 1]);
    let wide = splat([1, HUGE]);
    let (tall, wide) = (tall.unwrap(), wide.unwrap());
    let small = Slot::new(DType::F32, [1, 1]).unwrap();
    vec![
        ("Shape::len", huge().len().map(drop).map_err(Into::into)),
        ("Layout::contiguous", Layout::contiguous(huge()).map(drop)),
        ("Layout::new", Layout::new(huge(), vec![0, 0], 0).map(drop)),
        (
            "Layout::reshape",
            Layout::contiguous([4]).unwrap().reshape(huge()).map(drop),
        ),
        (
            "a stride past the end",
            Layout::new([HUGE], vec![1 << 40], 0).map(drop),
        ),
        (
            "an offset past the end",
            Layout::new([2], vec![1], usize::MAX).map(drop),
        ),
        ("Slot::new", Slot::new(DType::U8, huge()).map(drop)),
        (
            "HostTensor::new",
            HostTensor::new(DType::U8, huge(), Vec::new()).map(drop),
        ),
        ("View::map", View::Transpose.map(&huge()).map(drop)),
        ("None", Rule::None.align(&[&huge(), &huge()]).map(drop)),
        ("Numpy", Rule::Numpy.align(&[&column, &row]).map(drop)),
        (
            "Unidirectional",
            Rule::Unidirectional.align(&[&huge(), &row]).map(drop),
        ),
        (
            "Pdpd",
            Rule::Pdpd { axis: 0 }.align(&[&huge(), &row]).map(drop),
        ),
        (
            "Pdpd at the last axis",
            Rule::Pdpd { axis: i64::MAX }.align(&[&one, &row]).map(drop),
        ),
        (
            "Bidirectional",
            Rule::Bidirectional {
                target: row.clone(),
            }
            .align(&[&column])
            .map(drop),
        ),
        ("To", Rule::To { target: target() }.align(&[&one]).map(drop)),
        (
            "Explicit",
            Rule::Explicit {
                target: target(),
                axes: vec![0],
            }
            .align(&[&row])
            .map(drop),
        ),
        (
            "no such target",
            Rule::Unidirectional
                .align_onto("add", &[&one, &one], 2)
                .map(drop),
        ),
        (
            "no such target",
            Rule::Pdpd { axis: -1 }
                .align_onto("add", &[&one], usize::MAX)
                .map(drop),
        ),
        (
            "Plan of two slots",
            Plan::new(
                &Expr::slot(0).add(Expr::slot(1)),
                &[tall.clone(), wide.clone()],
                &options(),
            )
            .map(drop),
        ),
        (
            "Plan of one slot",
            Plan::new(
                &Expr::slot(0).neg(),
                &[splat([HUGE, 1 << 10]).unwrap()],
                &options(),
            )
            .map(drop),
        ),
        (
            "Plan of an expanded number",
            Plan::new(&Expr::scalar(1.0f32).expand(huge()), &[], &options()).map(drop),
        ),
        (
            "matmul",
            Plan::new(
                &Expr::slot(0).matmul(Expr::slot(1)),
                &[tall.clone(), wide.clone()],
                &options(),
            )
            .map(drop),
        ),
        (
            "reference",
            reference::run(
                &Expr::slot(0).add(Expr::slot(1)),
                &[host(&column), host(&row)],
            )
            .map(drop),
        ),
        (
            "text x + y",
            planned("x + y", &[tall.clone(), wide.clone()]),
        ),
        (
            "text broadcast_to",
            planned(
                "broadcast_to(x, (1099511627776, 1099511627776))",
                std::slice::from_ref(&small),
            ),
        ),
        (
            "text expand",
            planned(
                "expand(x, (1099511627776, 1099511627776))",
                std::slice::from_ref(&small),
            ),
        ),
        (
            "text expand of a part",
            planned(
                "neg(expand(x, (1099511627776, 1)) + y)",
                &[small.clone(), wide.clone()],
            ),
        ),
        (
            "text index",
            planned("x[99999999999999999999]", std::slice::from_ref(&small)),
        ),
        (
            "text index in range of 64 bits",
            planned("x[9223372036854775807]", std::slice::from_ref(&small)),
        ),
        (
            "text negative index",
            planned("x[-9223372036854775808]", std::slice::from_ref(&small)),
        ),
    ]
}

#[test]
fn more_elements_than_can_be_counted_are_an_error_wherever_they_are_named() {
    let wrong: Vec<_> = calls()
        .into_iter()
        .filter(|(_, found)| found.is_ok())
        .map(|(name, _)| name)
        .collect();
    assert!(wrong.is_empty(), "these are no errors: {wrong:?}");
    let counted = calls()
        .iter()
        .filter(|(_, found)| matches!(found, Err(Error::TooManyElements { .. })))
        .count();
    assert!(
        counted >= 12,
        "only {counted} say that there are too many elements"
    );
}

#[test]
fn slices_with_extreme_bounds_clamp_as_numpys_do() {
    let base = Layout::contiguous([5]).unwrap();
    let (min, max) = (isize::MIN, isize::MAX);
    for (start, stop, step, expected) in [
        (Some(min), Some(max), 1, vec![0, 1, 2, 3, 4]),
        (Some(max), Some(min), -1, vec![4, 3, 2, 1, 0]),
        (None, None, max, vec![0]),
        (None, None, min, vec![4]),
        (Some(2), None, max, vec![2]),
        (Some(max), None, 1, vec![]),
        (None, Some(min), 1, vec![]),
    ] {
        let view = View::Slice(vec![Index::Range(start, stop, step)]);
        let found = base.view(&view).map(|l| l.offsets().collect::<Vec<_>>());
        assert_eq!(found.unwrap(), expected, "{start:?}:{stop:?}:{step}");
    }
    for at in [min, max, -6, 5] {
        assert!(
            base.view(&View::Slice(vec![Index::At(at)])).is_err(),
            "{at}"
        );
    }
    assert!(
        base.view(&View::Slice(vec![Index::Range(None, None, 0)]))
            .is_err()
    );
}

#[test]
fn the_last_byte_that_can_be_counted_is_reached_and_none_beyond() {
    let most = isize::MAX.unsigned_abs();
    assert_eq!(
        Layout::new([2], vec![most.cast_signed()], 0)
            .unwrap()
            .reach(),
        Some(0..=most)
    );
    assert!(Layout::new([2], vec![most.cast_signed()], 1).is_err());
    // A plan of it has a window for each element, where its bytes can be counted at all.
    let plan = |dtype| {
        let slot = Slot::wrapped(
            dtype,
            Layout::new([2], vec![most.cast_signed()], 0).unwrap(),
            u64::MAX,
        );
        Plan::new(&Expr::slot(0).neg(), &[slot], &options())
    };
    assert_eq!(plan(DType::U8).unwrap().pass_count(), 2);
    let found = plan(DType::I64);
    assert!(
        matches!(found, Err(Error::TooLarge { .. } | Error::Buffer { .. })),
        "{found:?}"
    );
}
