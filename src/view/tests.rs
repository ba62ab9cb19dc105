//! Views against their definitions.

use super::*;

mod indices;

/// All source indices a map visits, in row-major order of the view.
fn visit(map: &Map) -> Vec<Vec<usize>> {
    let len = map.shape.len().unwrap();
    let extents = map.shape.extents();
    (0..len)
        .map(|flat| {
            let mut rest = flat;
            let mut index = vec![0; extents.len()];
            for a in (0..extents.len()).rev() {
                index[a] = rest % extents[a];
                rest /= extents[a];
            }
            let pick = |m: &AxisMap| {
                m.start
                    .wrapping_add_signed(m.from.map_or(0, |f| index[f].cast_signed() * m.step))
            };
            map.axes.iter().map(pick).collect()
        })
        .collect()
}

#[test]
fn ranges_follow_numpy() {
    let r = |s, e, st| Index::Range(s, e, st);
    let cases: &[(Index, &[usize])] = &[
        (Index::ALL, &[0, 1, 2, 3, 4]),
        (r(None, None, -1), &[4, 3, 2, 1, 0]),
        (r(Some(1), Some(-1), 1), &[1, 2, 3]),
        (r(Some(-2), None, 1), &[3, 4]),
        (r(Some(10), None, 1), &[]),
        (r(Some(10), None, -2), &[4, 2, 0]),
        (r(Some(3), Some(3), 1), &[]),
        (r(None, Some(1), -1), &[4, 3, 2]),
        (r(None, Some(-100), -1), &[4, 3, 2, 1, 0]),
        (r(Some(isize::MIN), Some(isize::MAX), isize::MAX), &[0]),
        (r(None, None, isize::MIN), &[4]),
    ];
    for (item, expected) in cases {
        let map = View::Slice(vec![*item]).map(&Shape::new([5])).unwrap();
        let found: Vec<_> = visit(&map).into_iter().map(|i| i[0]).collect();
        assert_eq!(found, *expected, "{item:?}");
    }
}

#[test]
fn ellipsis_and_new_axis_keep_the_other_axes() {
    let shape = Shape::new([2, 3, 4]);
    let map = View::Slice(vec![Index::Ellipsis, Index::At(0)])
        .map(&shape)
        .unwrap();
    assert_eq!(map.shape, Shape::new([2, 3]));
    let map = View::Slice(vec![Index::ALL, Index::NewAxis])
        .map(&shape)
        .unwrap();
    assert_eq!(map.shape, Shape::new([2, 1, 3, 4]));
}

#[test]
fn negative_axes_count_from_the_end() {
    let shape = Shape::new([2, 3, 1]);
    for (axis, extents) in [
        (-1, [2, 3, 1, 1]),
        (-4, [1, 2, 3, 1]),
        (-2, [2, 3, 1, 1]),
        (1, [2, 1, 3, 1]),
    ] {
        assert_eq!(
            View::Unsqueeze(vec![axis]).map(&shape).unwrap().shape,
            Shape::new(extents),
            "{axis}"
        );
    }
    assert_eq!(
        View::Squeeze(Some(vec![-1])).map(&shape).unwrap().shape,
        Shape::new([2, 3])
    );
}

#[test]
fn a_view_of_a_view_is_one_map() {
    let shape = Shape::new([4, 5]);
    let inner = View::Slice(vec![
        Index::Range(Some(3), None, -1),
        Index::Range(Some(1), None, 2),
    ])
    .map(&shape)
    .unwrap();
    let outer = View::Transpose.map(&inner.shape).unwrap();
    let both = visit(&outer.then(&inner));
    assert_eq!(both[0], [3, 1]);
    assert_eq!(both[1], [2, 1]);
    assert_eq!(both[4], [3, 3]);
}

#[test]
fn views_that_do_not_fit_are_errors() {
    let shape = Shape::new([2, 3]);
    for view in [
        View::Permute(vec![0, 0]),
        View::Permute(vec![0]),
        View::Permute(vec![0, 2]),
        View::Squeeze(Some(vec![0])),
        View::Squeeze(Some(vec![2])),
        View::Squeeze(Some(vec![-3])),
        View::Unsqueeze(vec![3]),
        View::Unsqueeze(vec![-4]),
        View::Slice(vec![Index::At(2)]),
        View::Slice(vec![Index::At(-3)]),
        View::Slice(vec![Index::Range(None, None, 0)]),
        View::Slice(vec![Index::ALL; 3]),
        View::Slice(vec![Index::Ellipsis, Index::Ellipsis]),
    ] {
        assert!(view.map(&shape).is_err(), "{view:?}");
    }
}

/// Source index of each index of a view, by NumPy's definition of it; `None` if NumPy refuses.
type Model = Option<(Vec<usize>, Box<dyn Fn(&[usize]) -> Vec<usize>>)>;

/// A negative axis from the end, `None` out of range.
#[test]
fn views_make_no_more_axes_than_are_allowed() {
    let one = Shape::from([3]);
    let most = View::Unsqueeze((0..1023).collect()).map(&one).unwrap();
    assert_eq!(most.shape.rank(), 1024);
    let refused = |view: View, of: &Shape| view.map(of).unwrap_err().to_string();
    for view in [View::Unsqueeze(vec![0]), View::Slice(vec![Index::NewAxis])] {
        assert!(refused(view, &most.shape).contains("a view has at most 1024 axes"));
    }
    // What an array has may stay.
    let many = Shape::from(vec![1; 3000]);
    assert_eq!(View::Transpose.map(&many).unwrap().shape.rank(), 3000);
}

fn axis(a: isize, rank: usize) -> Option<usize> {
    let a = if a < 0 { a + rank.cast_signed() } else { a };
    (0..rank.cast_signed())
        .contains(&a)
        .then_some(a.unsigned_abs())
}

fn distinct(axes: &[isize], rank: usize) -> Option<Vec<usize>> {
    let found: Vec<usize> = axes.iter().map(|&a| axis(a, rank)).collect::<Option<_>>()?;
    let mut sorted = found.clone();
    sorted.sort_unstable();
    sorted.dedup();
    (sorted.len() == found.len()).then_some(found)
}

/// NumPy's order of axes: that of `transpose(source, order)`.
fn transposed(shape: &[usize], order: Vec<usize>) -> Model {
    let extents = order.iter().map(|&a| shape[a]).collect();
    Some((
        extents,
        Box::new(move |index| {
            let mut out = vec![0; index.len()];
            order.iter().zip(index).for_each(|(&a, &i)| out[a] = i);
            out
        }),
    ))
}

/// The definitions in NumPy's manual, written down apart from the maps.
fn model(view: &View, shape: &[usize]) -> Model {
    let (rank, shape) = (shape.len(), shape.to_vec());
    match view {
        View::Flip(axes) => {
            let all: Vec<isize> = (0..rank.cast_signed()).collect();
            let axes = distinct(axes.as_ref().unwrap_or(&all), rank)?;
            let extents = shape.clone();
            Some((
                shape,
                Box::new(move |index| {
                    let pick = |(a, &i): (usize, &usize)| {
                        if axes.contains(&a) {
                            extents[a] - 1 - i
                        } else {
                            i
                        }
                    };
                    index.iter().enumerate().map(pick).collect()
                }),
            ))
        }
        View::SwapAxes(a, b) => {
            let (a, b) = (axis(*a, rank)?, axis(*b, rank)?);
            let order = (0..rank)
                .map(|k| {
                    if k == a {
                        b
                    } else if k == b {
                        a
                    } else {
                        k
                    }
                })
                .collect();
            transposed(&shape, order)
        }
        View::MoveAxis { from, to } => {
            let (from, to) = (distinct(from, rank)?, distinct(to, rank)?);
            if from.len() != to.len() {
                return None;
            }
            // As in the manual: the axes that stay, then each moved one inserted at its place,
            // lowest places first.
            let mut order: Vec<usize> = (0..rank).filter(|a| !from.contains(a)).collect();
            let mut pairs: Vec<_> = to.into_iter().zip(from).collect();
            pairs.sort_unstable();
            pairs
                .into_iter()
                .for_each(|(place, a)| order.insert(place, a));
            transposed(&shape, order)
        }
        View::Rot90 { turns, axes } => {
            let axes = distinct(axes, rank)?;
            let (a, b) = (axes[0], axes[1]);
            let mut extents = shape.clone();
            if turns % 2 != 0 {
                extents.swap(a, b);
            }
            // One turn: the row of the result counted from the bottom is the column of the source.
            let turns = turns.rem_euclid(4);
            Some((
                extents.clone(),
                Box::new(move |index| {
                    let (mut at, mut extents) = (index.to_vec(), extents.clone());
                    for _ in 0..turns {
                        (at[a], at[b]) = (at[b], extents[a] - 1 - at[a]);
                        extents.swap(a, b);
                    }
                    at
                }),
            ))
        }
        View::Unsqueeze(axes) => {
            let end = rank + axes.len();
            let new = distinct(axes, end)?;
            let mut extents = shape;
            let mut sorted = new.clone();
            sorted.sort_unstable();
            sorted.into_iter().for_each(|a| extents.insert(a, 1));
            let kept = move |index: &[usize]| {
                (0..end)
                    .filter(|a| !new.contains(a))
                    .map(|a| index[a])
                    .collect()
            };
            Some((extents, Box::new(kept)))
        }
        View::Squeeze(axes) => {
            let ones: Vec<usize> = (0..rank).filter(|&a| shape[a] == 1).collect();
            let dropped = axes
                .as_ref()
                .map_or(Some(ones.clone()), |axes| distinct(axes, rank))?;
            if dropped.iter().any(|a| !ones.contains(a)) {
                return None;
            }
            let extents = (0..rank)
                .filter(|a| !dropped.contains(a))
                .map(|a| shape[a])
                .collect();
            Some((
                extents,
                Box::new(move |index| {
                    let mut rest = index.iter();
                    (0..rank)
                        .map(|a| {
                            if dropped.contains(&a) {
                                0
                            } else {
                                *rest.next().unwrap()
                            }
                        })
                        .collect()
                }),
            ))
        }
        View::Permute(_) | View::Transpose | View::Slice(_) => None,
    }
}

/// Every view that names axes, with all axes from one before the first to one past the last.
fn views(rank: isize) -> Vec<View> {
    let each: Vec<isize> = (-rank - 2..=rank + 1).collect();
    let pairs: Vec<[isize; 2]> = each
        .iter()
        .flat_map(|&a| each.iter().map(move |&b| [a, b]))
        .collect();
    let mut lists: Vec<Vec<isize>> = vec![vec![]];
    lists.extend(each.iter().map(|&a| vec![a]));
    lists.extend(pairs.iter().map(|p| p.to_vec()));
    let mut views = vec![View::Flip(None), View::Squeeze(None)];
    for list in &lists {
        views.extend([
            View::Flip(Some(list.clone())),
            View::Squeeze(Some(list.clone())),
            View::Unsqueeze(list.clone()),
        ]);
    }
    for &[a, b] in &pairs {
        views.push(View::SwapAxes(a, b));
        views.push(View::MoveAxis {
            from: vec![a],
            to: vec![b],
        });
        views.extend((-3..=5).map(|turns| View::Rot90 {
            turns,
            axes: [a, b],
        }));
        views.extend(pairs.iter().map(|to| View::MoveAxis {
            from: vec![a, b],
            to: to.to_vec(),
        }));
    }
    views.push(View::MoveAxis {
        from: vec![0, 1],
        to: vec![0],
    });
    views.push(View::MoveAxis {
        from: vec![],
        to: vec![],
    });
    views
}

#[test]
fn views_of_axes_are_numpys() {
    let shapes: &[&[usize]] = &[
        &[],
        &[3],
        &[1],
        &[0],
        &[2, 3],
        &[1, 3],
        &[0, 2],
        &[2, 3, 4],
        &[1, 3, 1],
        &[2, 1, 0],
    ];
    let mut failures = Vec::new();
    for &shape in shapes {
        for view in views(shape.len().cast_signed()) {
            let found = view.map(&Shape::from(shape.to_vec())).ok();
            let same = match (&found, model(&view, shape)) {
                (None, None) => true,
                (Some(map), Some((extents, at))) => {
                    let indices = visit(&Map::identity(&Shape::from(extents.clone())));
                    map.shape.extents() == extents
                        && visit(map) == indices.iter().map(|i| at(i)).collect::<Vec<_>>()
                }
                _ => false,
            };
            if !same {
                failures.push(format!("{view:?} of {shape:?}: {found:?}"));
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures\n{}",
        failures.len(),
        failures[..failures.len().min(20)].join("\n")
    );
}
