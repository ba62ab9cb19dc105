//! Plans of scans.

use super::*;
use crate::expr::{Along, Reduction, Scan};
use crate::plan::fold::way::{OWN, Way};

/// The schedules of a plan's passes that scan.
fn scans(plan: &Plan) -> Vec<FoldSchedule> {
    let folds = plan.passes.iter().filter_map(|pass| pass.work.fold());
    folds.filter(|s| s.scan.is_some()).copied().collect()
}

#[test]
fn a_row_that_a_workgroup_holds_is_one_pass_with_what_is_before_and_behind() {
    let [x, y] = [0, 1].map(Expr::slot);
    let product = x.mul(&y);
    for (shape, axis) in [
        ([900, 4096], 1),
        ([900, 1000], 1),
        ([250, 1024], 0),
        ([3, 1 << 17], 0),
    ] {
        let expr = product.cumsum(axis).add(&y);
        for software in [false, true] {
            let limits = Limits::WEBGPU.with_software(software);
            let plan = planned(&expr, &[&shape, &shape[1..]], limits);
            assert_eq!((plan.pass_count(), scans(&plan).len()), (1, 1), "{plan}");
            plan.audit().unwrap();
        }
    }
}

#[test]
fn a_long_row_is_read_twice_and_written_once() {
    for (len, passes) in [(1 << 24, 3), ((1 << 22) + 1, 4), ((1 << 24) + 1, 7)] {
        for along in [Along::axis(0), Along::axis(0).reverse().exclusive()] {
            let plan = planned(&Expr::slot(0).cumsum(along), &[&[len]], Limits::WEBGPU);
            assert_eq!(plan.pass_count(), passes, "{plan}");
            let most = 3 * 4 * len as u64;
            let moved = plan.bytes_moved();
            assert!(moved < most + most / 100, "{moved} of {most}: {plan}");
        }
    }
    // Many columns need no second look on a GPU.
    let plan = planned(
        &Expr::slot(0).cumsum(0),
        &[&[3000, 1 << 16]],
        Limits::WEBGPU.with_max_binding(1 << 30),
    );
    assert_eq!(plan.pass_count(), 1, "{plan}");
}

#[test]
fn a_narrow_result_is_written_by_the_scan_itself() {
    let slot = |shape: [usize; 2]| Slot::new(DType::F16, shape).unwrap();
    for (shape, along, passes) in [
        ([40, 300], Along::axis(1), 1),
        ([40, 300], Along::axis(0), 1),
        ([40, 300], Along::axis(0).reverse(), 1),
        // Several invocations write words of neighbours.
        ([40, 300], Along::axis(1).reverse(), 1),
        ([40, 301], Along::axis(1), 1),
        ([40, 301], Along::axis(1).reverse(), 1),
        ([40, 8000], Along::axis(1), 4),
    ] {
        let plan = Plan::new(
            &Expr::slot(0).cumsum(along),
            &[slot(shape)],
            &Options::default(),
        );
        let plan = plan.unwrap();
        assert_eq!(plan.pass_count(), passes, "{shape:?} {along}: {plan}");
        plan.audit().unwrap();
    }
}

#[test]
fn a_scan_that_is_seen_in_another_way_has_passes_of_its_own() {
    let x = Expr::slot(0);
    let kept = Axes::from(1).keepdims();
    let reversed = x.cumsum(1).view(View::Flip(None));
    for (what, expr, passes) in [
        ("a view", reversed.sub(&x), 2),
        ("two axes", x.cumsum(0).cumsum(1), 2),
        ("its sum", x.cumsum(1).sum(1), 2),
        ("beside a sum", x.cumsum(1).div(x.sum(kept.clone())), 2),
        ("of what is centred", x.sub(x.mean(kept)).cumsum(1), 2),
        ("two of one", x.cumsum(1).mul(x.cumprod(1)), 2),
    ] {
        let plan = planned(&expr, &[&[60, 300]], Limits::WEBGPU);
        assert_eq!(plan.pass_count(), passes, "{what}: {plan}");
        plan.audit().unwrap();
    }
}

#[test]
fn every_group_has_an_invocation() {
    for profile in [&SOFTWARE, &GPU] {
        for count in (1..600).chain([1024, 4095, 4096]) {
            for width in [256, 128] {
                for across in [Across::Reduced, Across::Kept] {
                    let mut way = Way {
                        across,
                        alone: false,
                    };
                    let FoldSchedule {
                        threads,
                        own,
                        rows: beside,
                        ..
                    } = way.deal(count, width, &profile.folds);
                    let own = match across {
                        Across::Reduced => 4 * own,
                        Across::Kept => own,
                    } as usize;
                    let what = format!("{across:?} {count}: {threads} {own} {beside}");
                    let fits = count <= OWN * width as usize;
                    assert!(!fits || threads as usize * own >= count, "{what}");
                    assert!(threads == 1 || own == OWN, "{what}");
                    assert!(threads * beside <= width.max(threads), "{what}");
                    assert_eq!(way.levels(count), 0);
                    way.alone = true;
                    let groups = OWN.pow(way.levels(count)) * OWN.min(count.next_power_of_two());
                    assert!(groups >= count, "{what}");
                }
            }
        }
    }
}

#[test]
fn columns_beyond_a_binding_are_scanned_in_chunks_that_fit() {
    let expr = Expr::slot(0).cumsum(0);
    let limits = Limits::WEBGPU.with_max_binding(1 << 20);
    let plan = planned(&expr, &[&[5000, 4096]], limits);
    assert!(plan.passes.iter().all(|p| p.output.range.size <= 1 << 20));
    // Of which not even a group fits is moved, and back.
    for along in [Along::axis(0), Along::axis(0).reverse()] {
        let expr = Expr::slot(0)
            .mul(Expr::slot(1))
            .cumsum(along)
            .sub(Expr::slot(1));
        let plan = planned(&expr, &[&[64, 1 << 16], &[1 << 16]], limits);
        assert!(plan.passes.iter().all(|p| p.output.range.size <= 1 << 20));
        plan.audit().unwrap();
        assert_eq!(plan.steps().unwrap().len(), 3, "{plan}");
    }
}

#[test]
fn positions_belong_to_the_axes_that_they_number() {
    let x = Expr::slot(0);
    let hard = |axis: isize| {
        let kept = Axes::from(axis).keepdims();
        let largest = x.reduce(Reduction::ArgMax { last: false }, kept.clone());
        x.position(kept)
            .equal(largest.cast(DType::U32))
            .cast(DType::F32)
    };
    for (what, expr, shape, passes) in [
        ("hardmax", hard(1), [60, 300], 1),
        ("of columns", hard(0), [60, 300], 1),
        ("summed across", hard(1).sum(0), [60, 300], 3),
        ("scanned", hard(1).cumsum(1), [60, 300], 3),
        ("long rows", hard(1), [3, 1 << 18], 4),
    ] {
        let plan = planned(&expr, &[&shape], Limits::WEBGPU);
        assert_eq!(plan.pass_count(), passes, "{what}: {plan}");
        plan.audit().unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn plans_of_scans_keep_to_their_laws(
        extents in prop::collection::vec(1usize..9, 1..4),
        long in prop::option::of((0usize..4, prop::sample::select(vec![255usize, 256, 300, 1030, 4097]))),
        axis in 0usize..4,
        way in 0usize..4,
        prod in any::<bool>(),
        broadcast in prop::collection::vec(any::<bool>(), 4),
        change in 0usize..4,
        form in 0usize..4,
        software in any::<bool>(),
        elements in prop::sample::select(vec![1u64 << 28, 700, 5000]),
        binding in prop::sample::select(vec![1u64 << 27, 4096]),
        dtype in prop::sample::select(vec![DType::F32, DType::F16, DType::I64, DType::U8]),
        invocations in prop::sample::select(vec![256u32, 128, 8]),
    ) {
        let mut extents = extents;
        let rank = extents.len();
        if let Some((axis, extent)) = long {
            extents[axis % rank] = extent;
        }
        prop_assume!(extents.iter().product::<usize>() < 12_000);
        let mut other = extents.clone();
        other.iter_mut().zip(&broadcast).for_each(|(e, &b)| if b { *e = 1 });
        let [x, y] = [0, 1].map(Expr::slot);
        let reversed: Vec<Index> = (0..rank).map(|_| Index::Range(None, None, -1)).collect();
        let (x, shape) = match change {
            0 => (x.view(View::Slice(reversed)), extents.clone()),
            1 => (x.transpose(), extents.iter().rev().copied().collect()),
            _ => (x, extents.clone()),
        };
        let mut along = Along::axis((axis % rank) as isize);
        along = if way % 2 == 1 { along.reverse() } else { along };
        along = if way > 1 { along.exclusive() } else { along };
        let scan = if prod { Scan::Prod } else { Scan::Sum };
        let product = x.mul(&y);
        let expr = match form {
            0 => product.scan_as_is(scan, along),
            1 => x.scan_as_is(scan, along).mul(&y),
            2 => product.scan(scan, along),
            _ => product.scan_as_is(scan, along).max((rank - 1) as isize),
        };
        let limits = Limits::WEBGPU
            .with_software(software)
            .with_max_elements(elements)
            .with_max_binding(binding)
            .with_max_invocations(invocations);
        let slots = [shape, other].map(|shape| Slot::new(dtype, shape).unwrap());
        if let Ok(plan) = Plan::new(&expr, &slots, &Options::default().with_limits(limits)) {
            prop_assert_eq!(plan.audit(), Ok(()));
        }
    }
}

/// Its bytes are a row of words, whose last is half of padding; the windows before are elements of two rows.
#[test]
fn the_last_window_may_end_inside_a_word() {
    let product = Expr::slot(0).mul(Expr::slot(1));
    let limits = Limits::WEBGPU.with_software(false).with_max_elements(700);
    let slots = [[1, 7, 255], [1, 1, 255]].map(|shape| Slot::new(DType::F16, shape).unwrap());
    let plan = Plan::new(&product, &slots, &Options::default().with_limits(limits)).unwrap();
    let last = plan.passes.last().unwrap();
    assert_eq!((last.output.per_word, &last.extents), (2, &vec![128]));
    plan.audit().unwrap();
}
