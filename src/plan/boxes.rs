//! Boxes of an index space that are runs in row-major order: what windows and parts are.

use super::slot::QUAD;
use crate::error::Result;
use crate::layout::Layout;

/// Elements a window starts at a multiple of, if the extents allow it: whole words and binding
/// offsets of every type.
pub(super) const ALIGNED: usize = 1024;

/// A box of an index space that is a run in row-major order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Window {
    /// The first index along each axis.
    pub start: Vec<usize>,
    /// The extents: 1 along the outer axes, all of the inner ones.
    pub extents: Vec<usize>,
}

impl Window {
    /// All of a space of these extents.
    pub fn whole(extents: &[usize]) -> Self {
        Self {
            start: vec![0; extents.len()],
            extents: extents.to_vec(),
        }
    }

    /// The number of its first element in a space of these extents.
    pub fn first(&self, extents: &[usize]) -> usize {
        number(extents, &self.start)
    }

    /// The part of a layout that lies in the box.
    pub fn slice(&self, layout: &Layout) -> Result<Layout> {
        let step = |at: usize, (&start, &stride): (&usize, &isize)| {
            at.wrapping_add_signed(start.cast_signed().wrapping_mul(stride))
        };
        let along = self.start.iter().zip(layout.strides());
        let offset = along.fold(layout.offset(), step);
        Layout::new(self.extents.clone(), layout.strides().to_vec(), offset)
    }
}

/// The number of the element at an index.
pub(super) fn number(extents: &[usize], at: &[usize]) -> usize {
    let along = extents.iter().zip(at);
    along.fold(0, |n, (extent, i)| n * extent + i)
}

/// How an index space is cut: each window has one index along the axes before `axis` and at most
/// `count` along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Cut {
    pub axis: usize,
    pub count: usize,
}

impl Cut {
    /// The cut with the largest windows whose extents fit; `None` if not even one element does.
    /// What fits must stay so with smaller extents.
    pub fn new(extents: &[usize], fits: &dyn Fn(&[usize]) -> bool) -> Option<Self> {
        let mut window = extents.to_vec();
        for axis in 0..extents.len() {
            let mut try_count = |count: usize| {
                window[axis] = count;
                fits(&window)
            };
            if try_count(1) {
                let (mut good, mut bad) = (1, extents[axis] + 1);
                while bad - good > 1 {
                    let middle = good + (bad - good) / 2;
                    match try_count(middle) {
                        true => good = middle,
                        false => bad = middle,
                    }
                }
                return Some(Self { axis, count: good });
            }
        }
        (extents.is_empty() && fits(&window)).then_some(Self { axis: 0, count: 1 })
    }

    /// The extents of the largest window.
    pub fn largest(self, extents: &[usize]) -> Vec<usize> {
        let each = |(axis, &extent): (usize, &usize)| match axis.cmp(&self.axis) {
            std::cmp::Ordering::Less => 1,
            std::cmp::Ordering::Equal => self.count.min(extent),
            std::cmp::Ordering::Greater => extent,
        };
        extents.iter().enumerate().map(each).collect()
    }

    /// About how many windows there are.
    pub fn len(self, extents: &[usize]) -> usize {
        let along = extents.get(self.axis).map_or(1, |e| e.div_ceil(self.count));
        extents[..self.axis.min(extents.len())]
            .iter()
            .fold(along, |n, &e| n.saturating_mul(e))
    }

    /// The windows in order. Their starts are whole words of every type if the extents allow it.
    pub fn windows(self, extents: &[usize]) -> impl Iterator<Item = Window> + use<> {
        let extents = extents.to_vec();
        let (axis, count) = (self.axis, self.count);
        let along = extents.get(axis).copied().unwrap_or(1);
        let inner: usize = extents.get(axis + 1..).map_or(1, |e| e.iter().product());
        let outer: usize = extents[..axis.min(extents.len())].iter().product();
        let (mut block, mut at) = (0, 0);
        std::iter::from_fn(move || {
            if block == outer {
                return None;
            }
            let end = boundary(block * along * inner, inner, at, along, count);
            let mut window = Window::whole(&extents);
            let mut rest = block;
            for a in (0..axis.min(extents.len())).rev() {
                (window.start[a], window.extents[a]) = (rest % extents[a], 1);
                rest /= extents[a];
            }
            if let Some(extent) = window.extents.get_mut(axis) {
                (window.start[axis], *extent) = (at, end - at);
            }
            at = end;
            if at == along {
                (block, at) = (block + 1, 0);
            }
            Some(window)
        })
    }
}

/// Where the window that begins at index `at` of an axis ends: at most `count` later, on a multiple
/// of as many elements as can be had. One that begins inside a quad is kept short, since the next
/// may then begin on a whole one.
fn boundary(base: usize, inner: usize, at: usize, along: usize, count: usize) -> usize {
    let last = along.min(at + count);
    let aligned = |index: usize, to: usize| (base + index * inner).is_multiple_of(to);
    if !aligned(at, QUAD)
        && let Some(end) = (at + 1..last.min(at + QUAD + 1)).find(|&i| aligned(i, QUAD))
    {
        return end;
    }
    if last == along {
        return last;
    }
    // No more than an eighth of a window is given away for it.
    let halves = std::iter::successors(Some(ALIGNED), |to| Some(to / 2));
    let is_cheap = |to: &usize| *to == QUAD || to * 8 <= (last - at) * inner;
    for to in halves.take_while(|&to| to >= QUAD).filter(is_cheap) {
        // Indices on a multiple of `to` recur every `to` of them, or more often.
        let nearest = (last.saturating_sub(to).max(at) + 1..=last)
            .rev()
            .find(|&i| aligned(i, to));
        if let Some(end) = nearest.filter(|end| to == QUAD || (last - end) * 8 <= last - at) {
            return end;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn windows_cover_the_space_in_order_and_none_is_larger_than_what_fits(
            extents in prop::collection::vec(1usize..40, 0..4), most in 1usize..3000,
        ) {
            let fits = |window: &[usize]| window.iter().product::<usize>() <= most;
            let cut = Cut::new(&extents, &fits).unwrap();
            let mut at = 0;
            for window in cut.windows(&extents) {
                prop_assert!(fits(&window.extents));
                prop_assert_eq!(window.first(&extents), at);
                at += window.extents.iter().product::<usize>();
            }
            prop_assert_eq!(at, extents.iter().product::<usize>());
        }
    }

    #[test]
    fn a_window_gives_away_an_eighth_at_most_for_its_alignment() {
        let starts = |extents: &[usize], count| {
            let cut = Cut { axis: 0, count };
            cut.windows(extents)
                .map(|w| w.first(extents))
                .collect::<Vec<_>>()
        };
        assert_eq!(starts(&[100_000], 30_000), [0, 29_696, 59_392, 89_088]);
        assert_eq!(starts(&[1000], 300), [0, 288, 576, 864]);
        // Rows of 5 elements: every fourth begins a quad.
        assert_eq!(starts(&[30, 5], 7), [0, 20, 40, 60, 80, 100, 120]);
    }
}
