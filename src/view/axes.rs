//! Views that name axes: new and dropped ones, flips, moves and quarter turns.

use super::map::{AxisMap, Map};
use crate::error::{Error, Result};
use crate::shape::Shape;

/// Resolves an axis of a shape of `rank` to a place among `end` axes; negative axes count from the
/// last.
///
/// # Errors
/// [`Error::Axis`] for an axis out of range.
pub(crate) fn axis_among(op: &str, axis: isize, rank: usize, end: usize) -> Result<usize> {
    let place = if axis < 0 {
        end.checked_add_signed(axis)
    } else {
        Some(axis.unsigned_abs())
    };
    let expected = match end {
        0 => "a scalar has no axes".to_owned(),
        _ => format!("it must be from -{end} to {}", end - 1),
    };
    place.filter(|&p| p < end).ok_or_else(|| Error::Axis {
        op: op.into(),
        axis: axis as i64,
        rank,
        expected,
    })
}

/// Resolves axes to places among `end`; refuses repeats.
fn places(op: &'static str, axes: &[isize], source: &Shape, end: usize) -> Result<Vec<usize>> {
    let mut found = Vec::with_capacity(axes.len());
    let mut named = vec![false; end];
    for &axis in axes {
        let place = axis_among(op, axis, source.rank(), end)?;
        if std::mem::replace(&mut named[place], true) {
            let reason = format!("axis {place} is named twice in {axes:?}");
            return Err(Error::View {
                view: op,
                shape: source.clone(),
                reason,
            });
        }
        found.push(place);
    }
    Ok(found)
}

pub(super) fn permute(source: &Shape, axes: &[usize]) -> Result<Map> {
    let rank = source.rank();
    let mut inverse = vec![None; rank];
    for (to, &axis) in axes.iter().enumerate() {
        match inverse.get_mut(axis) {
            Some(place @ None) => *place = Some(to),
            Some(Some(_)) => {
                let reason = format!("axis {axis} is named twice in {axes:?}");
                return Err(Error::View {
                    view: "permute",
                    shape: source.clone(),
                    reason,
                });
            }
            None => {
                let expected = format!("it must be below {rank}");
                return Err(Error::Axis {
                    op: "permute".into(),
                    axis: axis as i64,
                    rank,
                    expected,
                });
            }
        }
    }
    if axes.len() != rank {
        let reason = format!("{axes:?} must name each of the {rank} axes once");
        return Err(Error::View {
            view: "permute",
            shape: source.clone(),
            reason,
        });
    }
    let extents: Vec<_> = axes.iter().map(|&a| source.extents()[a]).collect();
    let axes = inverse
        .into_iter()
        .map(|to| to.map_or(AxisMap::FIXED, AxisMap::same))
        .collect();
    Ok(Map::new(extents, axes))
}

pub(super) fn unsqueeze(source: &Shape, axes: &[isize]) -> Result<Map> {
    let end = source.rank() + axes.len();
    let mut new = vec![false; end];
    places("unsqueeze", axes, source, end)?
        .into_iter()
        .for_each(|a| new[a] = true);
    let mut rest = source.extents().iter();
    let mut extents = Vec::with_capacity(end);
    let mut kept = Vec::with_capacity(source.rank());
    for (a, is_new) in new.into_iter().enumerate() {
        match if is_new { None } else { rest.next() } {
            None => extents.push(1),
            Some(&extent) => {
                kept.push(AxisMap::same(a));
                extents.push(extent);
            }
        }
    }
    Ok(Map::new(extents, kept))
}

pub(super) fn squeeze(source: &Shape, axes: Option<&[isize]>) -> Result<Map> {
    let rank = source.rank();
    let mut dropped: Vec<bool> = source
        .extents()
        .iter()
        .map(|&e| axes.is_none() && e == 1)
        .collect();
    places("squeeze", axes.unwrap_or_default(), source, rank)?
        .into_iter()
        .for_each(|a| dropped[a] = true);
    let mut extents = Vec::with_capacity(rank);
    let mut maps = Vec::with_capacity(rank);
    for (a, &extent) in source.extents().iter().enumerate() {
        if !dropped[a] {
            maps.push(AxisMap::same(extents.len()));
            extents.push(extent);
        } else if extent == 1 {
            maps.push(AxisMap::FIXED);
        } else {
            let reason = format!("axis {a} has extent {extent}, only extent 1 can be dropped");
            return Err(Error::View {
                view: "squeeze",
                shape: source.clone(),
                reason,
            });
        }
    }
    Ok(Map::new(extents, maps))
}

/// Flips axes; errors call the view `op`.
pub(super) fn flip(op: &'static str, source: &Shape, axes: Option<&[isize]>) -> Result<Map> {
    let flipped = match axes {
        Some(axes) => places(op, axes, source, source.rank())?,
        None => (0..source.rank()).collect(),
    };
    let mut map = Map::identity(source);
    for a in flipped {
        if let Some(last) = source.extents()[a].checked_sub(1) {
            map.axes[a] = AxisMap {
                from: Some(a),
                step: -1,
                start: last,
            };
        }
    }
    Ok(map)
}

/// Swaps two axes; errors call the view `op`.
pub(super) fn swap(op: &'static str, source: &Shape, a: isize, b: isize) -> Result<Map> {
    let rank = source.rank();
    let (a, b) = (
        axis_among(op, a, rank, rank)?,
        axis_among(op, b, rank, rank)?,
    );
    let mut order: Vec<usize> = (0..rank).collect();
    order.swap(a, b);
    permute(source, &order)
}

pub(super) fn move_axes(source: &Shape, from: &[isize], to: &[isize]) -> Result<Map> {
    let rank = source.rank();
    if from.len() != to.len() {
        let reason = format!(
            "{} axes are moved to {} places: {from:?} to {to:?}",
            from.len(),
            to.len()
        );
        return Err(Error::View {
            view: "moveaxis",
            shape: source.clone(),
            reason,
        });
    }
    let from = places("moveaxis", from, source, rank)?;
    let to = places("moveaxis", to, source, rank)?;
    let mut moved = vec![None; rank];
    let mut rests = vec![true; rank];
    for (&from, &to) in from.iter().zip(&to) {
        (moved[to], rests[from]) = (Some(from), false);
    }
    let mut rest = (0..rank).filter(|&a| rests[a]);
    let order: Vec<usize> = moved
        .into_iter()
        .filter_map(|from| from.or_else(|| rest.next()))
        .collect();
    permute(source, &order)
}

pub(super) fn rot90(source: &Shape, turns: isize, axes: [isize; 2]) -> Result<Map> {
    let plane = places("rot90", &axes, source, source.rank())?;
    let swapped = |shape: &Shape| swap("rot90", shape, axes[0], axes[1]);
    match turns.rem_euclid(4) {
        0 => Ok(Map::identity(source)),
        1 => {
            let flipped = flip("rot90", source, Some(&axes[1..]))?;
            Ok(swapped(&flipped.shape)?.then(&flipped))
        }
        2 => flip(
            "rot90",
            source,
            Some(&plane.iter().map(|p| p.cast_signed()).collect::<Vec<_>>()),
        ),
        _ => {
            let turned = swapped(source)?;
            Ok(flip("rot90", &turned.shape, Some(&axes[1..]))?.then(&turned))
        }
    }
}
