use super::*;
use crate::view::Index;
use proptest::prelude::*;

/// Positions by the definition, one index at a time.
fn positions(layout: &Layout) -> Vec<usize> {
    let extents = layout.shape().extents();
    (0..layout.len())
        .map(|mut flat| {
            let mut at = layout.offset().cast_signed();
            for a in (0..extents.len()).rev() {
                at += (flat % extents[a]).cast_signed() * layout.strides()[a];
                flat /= extents[a];
            }
            at.cast_unsigned()
        })
        .collect()
}

fn index() -> impl Strategy<Value = Index> {
    let end = prop::option::of(-6isize..6);
    let step = prop_oneof![Just(1isize), Just(2), Just(-1), Just(-3)];
    (end.clone(), end, step).prop_map(|(a, b, s)| Index::Range(a, b, s))
}

proptest! {
    #[test]
    fn offsets_equal_the_definition(extents in prop::collection::vec(0usize..5, 0..5), seed: u64) {
        let rank = extents.len();
        let mut order: Vec<_> = (0..rank).collect();
        for i in (1..rank).rev() { order.swap(i, (seed >> i) as usize % (i + 1)); }
        let layout = Layout::contiguous(extents).unwrap().view(&View::Permute(order)).unwrap();
        prop_assert_eq!(layout.offsets().collect::<Vec<_>>(), positions(&layout));
    }

    #[test]
    fn a_slice_of_a_slice_picks_elements_of_the_first(a in prop::collection::vec(index(), 2), b in prop::collection::vec(index(), 2)) {
        let base = Layout::contiguous([4, 5]).unwrap();
        let once = base.view(&View::Slice(a.clone())).unwrap();
        let twice = once.view(&View::Slice(b.clone())).unwrap();
        let picked: Vec<_> = once.offsets().collect();
        let again = Layout::contiguous(once.shape()).unwrap().view(&View::Slice(b)).unwrap();
        let expected: Vec<_> = again.offsets().map(|i| picked[i]).collect();
        prop_assert_eq!(twice.offsets().collect::<Vec<_>>(), expected);
        if let Some(reach) = twice.reach() {
            let (low, high) = (twice.offsets().min().unwrap(), twice.offsets().max().unwrap());
            prop_assert_eq!(reach, low..=high);
        }
    }

    #[test]
    fn reshape_keeps_the_offset_list(extents in prop::collection::vec(1usize..4, 1..4), cut in 0usize..3, flip: bool) {
        let mut layout = Layout::contiguous(extents.clone()).unwrap();
        if flip { layout = layout.view(&View::Slice(vec![Index::Range(None, None, -1)])).unwrap(); }
        let cut = cut.min(extents.len());
        let merged = vec![extents[..cut].iter().product::<usize>(), extents[cut..].iter().product()];
        if let Ok(reshaped) = layout.reshape(merged) {
            prop_assert_eq!(reshaped.offsets().collect::<Vec<_>>(), layout.offsets().collect::<Vec<_>>());
        } else {
            prop_assert!(flip, "a contiguous layout always reshapes");
        }
    }
}

#[test]
fn transposed_layout_does_not_reshape_to_a_row() {
    let layout = Layout::contiguous([2, 3])
        .unwrap()
        .view(&View::Transpose)
        .unwrap();
    assert!(matches!(layout.reshape([6]), Err(Error::View { .. })));
    assert!(layout.reshape([3, 1, 2]).is_ok());
}

#[test]
fn absurd_extents_beside_a_zero_are_errors() {
    assert!(Layout::contiguous([1 << 40, 1 << 40, 0]).is_err());
    assert!(Layout::contiguous([usize::MAX, 0]).is_err());
    assert!(
        View::Slice(vec![Index::Range(Some(1), None, 1)])
            .map(&Shape::new([usize::MAX, 0]))
            .is_err()
    );
}

#[test]
fn strides_near_the_largest_do_not_overflow() {
    // What lies one step past the last element cannot be counted any more.
    for (shape, strides, offset) in [
        ([2, 3], vec![isize::MAX - 10, 1], 0),
        ([2, 3], vec![1, isize::MAX / 2], 0),
        (
            [3, 2],
            vec![1, -(isize::MAX - 10)],
            (isize::MAX - 10).unsigned_abs(),
        ),
    ] {
        let layout = Layout::new(shape, strides, offset).unwrap();
        assert_eq!(layout.offsets().collect::<Vec<_>>(), positions(&layout));
        let reach = layout.offsets().min().unwrap()..=layout.offsets().max().unwrap();
        assert_eq!(layout.reach(), Some(reach));
        assert!(layout.reshape([6]).is_err());
        assert_eq!(
            layout
                .reshape([1, shape[0], 1, shape[1]])
                .unwrap()
                .offsets()
                .len(),
            6
        );
    }
}

#[test]
fn elements_before_the_start_or_past_the_count_are_errors() {
    assert!(Layout::new([3], vec![-1], 1).is_err());
    assert!(Layout::new([3], vec![-1], 2).is_ok());
    assert!(Layout::new([3], vec![isize::MAX], 0).is_err());
    assert!(Layout::new([0, 3], vec![-9, -9], 0).is_ok());
}

#[test]
#[cfg(feature = "complete")]
fn layouts_meet_if_they_share_a_position() {
    let mut layouts = vec![Layout::new([0], vec![1], 3).unwrap()];
    for offset in 0..7 {
        for (shape, strides) in [
            (vec![], vec![]),
            (vec![4], vec![1]),
            (vec![3], vec![2]),
            (vec![3], vec![3]),
            (vec![2, 2], vec![6, 1]),
            (vec![2, 3], vec![1, 6]),
            (vec![2, 2], vec![6, 2]),
            (vec![3, 2], vec![6, 3]),
            (vec![2, 1, 3], vec![12, 0, 2]),
            (vec![3, 5], vec![0, 1]),
        ] {
            layouts.push(Layout::new(shape, strides, offset).unwrap());
        }
        layouts.push(Layout::new([3], vec![-2], offset + 4).unwrap());
        layouts.push(Layout::new([2, 2], vec![6, -1], offset + 1).unwrap());
    }
    let mut taken = 0;
    for (a, b) in layouts
        .iter()
        .flat_map(|a| layouts.iter().map(move |b| (a, b)))
    {
        let meet = a.offsets().any(|x| b.offsets().any(|y| x == y));
        let said = a.meets(b, [4, 4]);
        assert!(said || !meet, "{a:?} {b:?}");
        taken += usize::from(said && !meet);
    }
    // Few are taken to meet that do not.
    assert!(taken * 10 < layouts.len() * layouts.len(), "{taken}");
    // Columns, blocks of columns, and rows of a table.
    let part = |width, offset| Layout::new([5, width], vec![6, 1], offset).unwrap();
    let meet = |a: &Layout, b: &Layout| a.meets(b, [4, 4]);
    assert!(!meet(&part(2, 0), &part(2, 2)) && !meet(&part(1, 0), &part(1, 5)));
    assert!(meet(&part(3, 0), &part(2, 2)) && meet(&part(6, 0), &part(1, 5)));
    // Even and odd columns of a table with an odd width.
    let every_other = |n, offset| Layout::new([4, n], vec![5, 2], offset).unwrap();
    assert!(!meet(&every_other(3, 0), &every_other(2, 1)));
    // 64 floats behind 1,024 bytes.
    let row = |n, offset| Layout::new([n], vec![1], offset).unwrap();
    assert!(!row(1024, 0).meets(&row(64, 256), [1, 4]));
    assert!(row(1025, 0).meets(&row(64, 256), [1, 4]));
}
