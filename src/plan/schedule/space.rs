//! The iteration space of a pass as a nest of loops over the elements of its output.
//!
//! A nest begins as one loop an axis. Splitting, fusing, unrolling and vectorising change who runs
//! which iteration, never which elements there are: [`Space::offsets`] of any nest is a permutation
//! of [`Layout::offsets`](crate::layout::Layout::offsets).

/// Who runs the iterations of a loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Invocations, one an iteration.
    Thread,
    /// One invocation, one after another: printed in the kernel.
    Unroll,
    /// The lanes of a vector.
    Lanes,
}

/// A loop over a part of a walk: iteration `k` adds `k * step` to the walk's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Loop {
    pub extent: usize,
    pub role: Role,
    step: usize,
    walk: usize,
}

/// A digit of a walk's index: `k` of it is the coordinate `k * step` along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digit {
    axis: usize,
    extent: usize,
    step: usize,
}

/// A nest of loops, outermost first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Space {
    extents: Vec<usize>,
    /// Indices that loops sum up to. The digits of one are in mixed radix, outermost first.
    walks: Vec<Vec<Digit>>,
    loops: Vec<Loop>,
}

impl Space {
    /// One loop an axis, run by invocations.
    pub fn of(extents: &[usize]) -> Self {
        let digit = |(axis, &extent)| {
            vec![Digit {
                axis,
                extent,
                step: 1,
            }]
        };
        let one = |(walk, &extent)| Loop {
            extent,
            role: Role::Thread,
            step: 1,
            walk,
        };
        Self {
            extents: extents.to_vec(),
            walks: extents.iter().enumerate().map(digit).collect(),
            loops: extents.iter().enumerate().map(one).collect(),
        }
    }

    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }

    /// Splits a loop into two: `outer * inner + k`, with `inner` iterations of the inner one. A
    /// last block that is not full has iterations without elements: past the end of the axis, so
    /// only the outermost loop of an axis or of a walk may have one.
    pub fn split(mut self, at: usize, inner: usize) -> Self {
        let whole = self.loops[at];
        debug_assert!(whole.extent.is_multiple_of(inner) || self.is_outermost(at));
        let outer = whole.extent.div_ceil(inner);
        let first = Loop {
            extent: outer,
            step: whole.step * inner,
            ..whole
        };
        let mut second = Loop {
            extent: inner,
            ..whole
        };
        self.loops[at] = first;
        if let [digit] = self.walks[whole.walk][..] {
            // Of one axis: each part is a walk of its own, so that others can be fused with it.
            let part = |one: &Loop| Digit {
                axis: digit.axis,
                extent: one.extent,
                step: digit.step * one.step,
            };
            second.walk = self.walks.len();
            self.walks[whole.walk] = vec![part(&first)];
            self.walks.push(vec![part(&second)]);
            self.loops[at].step = 1;
            second.step = 1;
        }
        self.loops.insert(at + 1, second);
        self
    }

    /// Makes one loop of this one and all that are inside it.
    pub fn fuse(mut self, from: usize) -> Self {
        let loops = self.loops[from..].iter();
        let digits: Vec<Digit> = loops.flat_map(|one| self.walks[one.walk].clone()).collect();
        let fused = Loop {
            extent: digits.iter().map(|d| d.extent).product(),
            role: Role::Thread,
            step: 1,
            walk: self.walks.len(),
        };
        self.walks.push(digits);
        self.loops.truncate(from);
        self.loops.push(fused);
        self
    }

    /// Unrolls a loop.
    pub fn unroll(mut self, at: usize) -> Self {
        self.loops[at].role = Role::Unroll;
        self
    }

    /// Makes the iterations of a loop the lanes of a vector.
    pub fn lanes(mut self, at: usize) -> Self {
        self.loops[at].role = Role::Lanes;
        self
    }

    /// Splits off `lanes` iterations of the innermost loop as the lanes of vectors.
    pub fn vectorize(self, lanes: usize) -> Self {
        let last = self.loops.len() - 1;
        self.split(last, lanes).lanes(last + 1)
    }

    /// Whether a loop ends where its axis or walk does.
    fn is_outermost(&self, at: usize) -> bool {
        let one = self.loops[at];
        let walk = &self.walks[one.walk];
        match walk[..] {
            [digit] => digit.extent * digit.step >= self.extents[digit.axis],
            _ => one.extent * one.step >= walk.iter().map(|d| d.extent).product(),
        }
    }

    /// How far an operand with these strides moves from one iteration of a loop to the next; `None`
    /// if that depends on the iteration.
    pub fn stride(&self, at: usize, strides: &[isize]) -> Option<isize> {
        let one = self.loops[at];
        let walk = &self.walks[one.walk];
        match walk[..] {
            [digit] => Some(strides[digit.axis] * (digit.step * one.step).cast_signed()),
            _ => (walk.iter().all(|d| strides[d.axis] == 0)).then_some(0),
        }
    }

    /// Iterations of all loops of a role.
    pub fn iterations(&self, role: Role) -> usize {
        let own = self.loops.iter().filter(|one| one.role == role);
        own.map(|one| one.extent).product()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Layout;
    use proptest::prelude::*;

    impl Space {
        /// Whether the lanes of a vector may lie in several rows.
        fn straddles(&self) -> bool {
            let lanes = self.loops.last();
            lanes.is_some_and(|lanes| self.walks[lanes.walk].len() > 1)
        }

        /// The offset of an operand in each iteration that has an element, the lanes innermost.
        pub(crate) fn offsets(&self, strides: &[isize], offset: usize) -> Vec<usize> {
            let all: usize = self.loops.iter().map(|one| one.extent).product();
            (0..all)
                .filter_map(|n| self.coordinates(n))
                .map(|at| {
                    let moved = at.iter().zip(strides).map(|(&c, s)| c.cast_signed() * s);
                    (offset.cast_signed() + moved.sum::<isize>()).cast_unsigned()
                })
                .collect()
        }

        /// The coordinates of an iteration, counted over all loops; `None` if it has no element.
        fn coordinates(&self, mut n: usize) -> Option<Vec<usize>> {
            let mut indices = vec![0; self.walks.len()];
            for one in self.loops.iter().rev() {
                indices[one.walk] += n % one.extent * one.step;
                n /= one.extent;
            }
            let mut found = vec![0; self.extents.len()];
            for one in &self.loops {
                let mut rest = std::mem::take(&mut indices[one.walk]);
                for digit in self.walks[one.walk].iter().rev() {
                    found[digit.axis] += rest % digit.extent * digit.step;
                    rest /= digit.extent;
                }
                if rest > 0 {
                    return None;
                }
            }
            let inside = found.iter().zip(&self.extents).all(|(c, e)| c < e);
            inside.then_some(found)
        }
    }

    /// A change of a nest, with numbers that are brought into its range.
    #[derive(Clone, Debug)]
    enum Change {
        Split(usize, usize),
        Fuse(usize),
        Unroll(usize),
    }

    fn change() -> impl Strategy<Value = Change> {
        prop_oneof![
            (any::<usize>(), 1usize..6).prop_map(|(at, inner)| Change::Split(at, inner)),
            any::<usize>().prop_map(Change::Fuse),
            any::<usize>().prop_map(Change::Unroll),
        ]
    }

    proptest! {
        #[test]
        fn any_nest_visits_each_element_once(
            extents in prop::collection::vec(1usize..6, 1..5),
            broadcast in prop::collection::vec(any::<bool>(), 5),
            changes in prop::collection::vec(change(), 0..6),
            lanes in 1usize..5,
        ) {
            let mut strides = Layout::contiguous(extents.clone()).unwrap().strides().to_vec();
            let whole = strides.clone();
            strides.iter_mut().zip(&broadcast).filter(|(_, b)| **b).for_each(|(s, _)| *s = 0);
            let mut space = Space::of(&extents);
            let mut fused = false;
            for change in changes {
                let at = |n: usize| n % space.loops().len();
                space = match change {
                    Change::Split(n, inner) => {
                        let at = at(n);
                        let fits = space.loops()[at].extent.is_multiple_of(inner);
                        if fits || space.is_outermost(at) { space.split(at, inner) } else { space }
                    }
                    // A walk is fused whole: once, and before its parts are.
                    Change::Fuse(n) if !fused => { fused = true; let at = at(n); space.fuse(at) }
                    Change::Unroll(n) => { let at = at(n); space.unroll(at) }
                    Change::Fuse(_) => space,
                };
            }
            let last = space.loops().len() - 1;
            let fits = space.loops()[last].extent.is_multiple_of(lanes);
            let space = if fits || space.is_outermost(last) { space.vectorize(lanes) } else { space };
            let mut visited = space.offsets(&whole, 3);
            visited.sort_unstable();
            let mut all: Vec<usize> = Layout::new(extents.clone(), whole, 3).unwrap().offsets().collect();
            all.sort_unstable();
            prop_assert_eq!(visited, all);
            // The operands of one iteration belong together.
            let layout = Layout::new(extents.clone(), strides.clone(), 3).unwrap();
            let mut visited = space.offsets(&strides, 3);
            visited.sort_unstable();
            let mut all: Vec<usize> = layout.offsets().collect();
            all.sort_unstable();
            prop_assert_eq!(visited, all);
        }
    }

    #[test]
    fn staged_tiles_visit_each_element_once() {
        use crate::plan::schedule::{Along, Down, Lanes, Schedule, Spread, Threads};
        for extents in [&[67, 130][..], &[3, 70, 65], &[70, 2, 3]] {
            for axis in 1..extents.len() {
                let schedule = Schedule {
                    lanes: Lanes::Column,
                    unit: 4,
                    beside: 1,
                    down: Some(Down {
                        quads: 4,
                        along: Along::Axis(axis as u32),
                        whole: false,
                    }),
                    spread: Spread::Interleaved,
                    together: 4,
                    threads: Threads::Tiles,
                    workgroup: [64, 4],
                    powers_of_two: false,
                    wide_division: false,
                };
                let space = schedule.space(extents);
                assert_eq!(space.iterations(Role::Unroll), 4);
                let layout = Layout::contiguous(extents).unwrap();
                let mut visited = space.offsets(layout.strides(), 0);
                visited.sort_unstable();
                assert!(
                    visited.into_iter().eq(0..layout.len()),
                    "{extents:?}, {axis}"
                );
            }
        }
    }

    #[test]
    fn crossed_axes_visit_each_element_once() {
        use crate::plan::schedule::{Along, Down, Lanes, Schedule, Spread, Threads};
        for (extents, [far, near]) in [
            (&[8, 4, 12][..], [2, 1]),
            (&[4, 3, 2, 5, 8], [4, 2]),
            (&[3, 8, 4, 4], [2, 1]),
            (&[2, 3, 2, 4], [3, 1]),
        ] {
            for (quads, beside) in [(4, 4), (4, 2), (2, 4), (2, 2)] {
                let extent = |axis: u32| extents[extents.len() - 1 - axis as usize];
                if extent(far) % quads > 0 || extent(near) % beside > 0 {
                    continue;
                }
                let schedule = Schedule {
                    lanes: Lanes::Rows,
                    unit: 4,
                    beside: beside as u32,
                    down: Some(Down {
                        quads: quads as u32,
                        along: Along::Axis(far),
                        whole: false,
                    }),
                    spread: Spread::Axis {
                        axis: near,
                        whole: false,
                    },
                    together: 16,
                    threads: Threads::Numbered,
                    workgroup: [256, 1],
                    powers_of_two: false,
                    wide_division: false,
                };
                let space = schedule.space(extents);
                assert_eq!(space.iterations(Role::Unroll), quads * beside);
                let layout = Layout::contiguous(extents).unwrap();
                let mut visited = space.offsets(layout.strides(), 0);
                visited.sort_unstable();
                assert!(visited.into_iter().eq(0..layout.len()), "{extents:?}");
            }
        }
    }

    #[test]
    fn strides_along_loops_are_those_of_the_axes() {
        // Sections of the outermost axis, unrolled; the rest is one walk.
        let space = Space::of(&[13, 3])
            .split(0, 4)
            .unroll(0)
            .fuse(1)
            .vectorize(4);
        assert!(space.straddles());
        assert_eq!(space.stride(0, &[3, 1]), Some(12));
        assert_eq!(space.stride(0, &[0, 1]), Some(0));
        assert_eq!(space.stride(1, &[0, 1]), None);
        assert_eq!(space.iterations(Role::Unroll), 4);
        assert_eq!(space.iterations(Role::Thread), 3);
    }
}
