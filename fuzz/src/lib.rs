//! What the targets do, and values out of the fuzzer's bytes. The library's own tests run the committed corpora through
//! this file, without a fuzzer.

#[cfg(fuzzing)]
#[path = "../../src/plan/audit/follow.rs"]
mod follow;
pub mod plans;
pub mod targets;

use zerostride::{DType, Index, Layout, Plan, Rule, Shape, View};

/// Every plan keeps to its limits and layouts.
fn audit(plan: &Plan) {
    #[cfg(fuzzing)]
    let kept = plan.audit_with(&follow::follow);
    #[cfg(not(fuzzing))]
    let kept = plan.audit();
    kept.expect("the plan keeps to its laws");
}

/// The fuzzer's bytes, read from the front; zeros follow the last.
pub struct Source<'a>(&'a [u8]);

impl<'a> Source<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        first
    }

    /// Below `n`, which is at most 256.
    pub fn below(&mut self, n: usize) -> usize {
        usize::from(self.byte()) % n
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    pub fn word(&mut self) -> u64 {
        (0..8).fold(0, |x, _| x << 8 | u64::from(self.byte()))
    }

    /// An extent: mostly small, sometimes absurd.
    pub fn extent(&mut self) -> usize {
        match self.byte() {
            0..=199 => self.pick(&[1, 1, 2, 3, 4, 5, 7, 8, 12, 16, 33, 64, 0]),
            200..=229 => self.pick(&[1 << 10, 1 << 16, 65_537, 1 << 20, 1 << 31, (1 << 31) - 1]),
            230..=250 => self.pick(&[1 << 32, 1 << 40, 1 << 62, usize::MAX / 2, usize::MAX]),
            _ => self.word() as usize,
        }
    }

    pub fn shape(&mut self) -> Shape {
        let rank = self.below(8);
        (0..rank).map(|_| self.extent()).collect::<Vec<_>>().into()
    }

    /// A small extent, at least 1.
    pub fn small(&mut self) -> usize {
        self.pick(&[1, 2, 3, 4, 4, 5, 6, 7, 8, 12, 16, 20, 33, 64, 259])
    }

    pub fn dtype(&mut self) -> DType {
        self.pick(&DType::ALL)
    }

    /// A signed number: mostly small, sometimes extreme.
    pub fn signed(&mut self) -> isize {
        match self.byte() {
            0..=219 => self.below(17) as isize - 8,
            220..=239 => self.pick(&[
                isize::MIN,
                isize::MAX,
                isize::MIN + 1,
                1 << 40,
                -(1 << 40),
                1 << 62,
            ]),
            _ => self.word() as isize,
        }
    }

    pub fn index(&mut self) -> Index {
        let bound = |s: &mut Self| {
            if s.below(3) == 0 {
                None
            } else {
                Some(s.signed())
            }
        };
        match self.below(8) {
            0 => Index::At(self.signed()),
            1 => Index::NewAxis,
            2 => Index::Ellipsis,
            _ => {
                let (start, stop) = (bound(self), bound(self));
                let step = if self.below(2) == 0 {
                    self.pick(&[1, -1, 2, -2])
                } else {
                    self.signed()
                };
                Index::Range(start, stop, step)
            }
        }
    }

    pub fn view(&mut self) -> View {
        let axes = |s: &mut Self| (0..s.below(4)).map(|_| s.signed()).collect::<Vec<_>>();
        match self.below(10) {
            0 => View::Permute((0..self.below(6)).map(|_| self.below(7)).collect()),
            1 => View::Transpose,
            2 => View::Unsqueeze(axes(self)),
            3 => View::Squeeze(if self.below(2) == 0 {
                None
            } else {
                Some(axes(self))
            }),
            4 => View::Flip(if self.below(2) == 0 {
                None
            } else {
                Some(axes(self))
            }),
            5 => View::SwapAxes(self.signed(), self.signed()),
            6 => View::MoveAxis {
                from: axes(self),
                to: axes(self),
            },
            7 => View::Rot90 {
                turns: self.signed(),
                axes: [self.signed(), self.signed()],
            },
            _ => View::Slice((0..self.below(5)).map(|_| self.index()).collect()),
        }
    }

    pub fn rule(&mut self) -> Rule {
        match self.below(8) {
            0 => Rule::None,
            1 => Rule::Unidirectional,
            2 => Rule::Pdpd {
                axis: self.signed() as i64,
            },
            3 => Rule::Bidirectional {
                target: self.shape(),
            },
            4 => Rule::To {
                target: self.shape(),
            },
            5 => Rule::Explicit {
                target: self.shape(),
                axes: (0..self.below(5)).map(|_| self.below(9)).collect(),
            },
            _ => Rule::Numpy,
        }
    }
}

/// The positions of a layout's elements by the definition, one index at a time; `None` where there
/// are many.
pub fn positions(layout: &Layout, most: usize) -> Option<Vec<usize>> {
    let extents = layout.shape().extents();
    let len = layout.shape().len().expect("a layout can be counted");
    if len > most {
        return None;
    }
    let at = |mut flat: usize| {
        let mut at = layout.offset() as i128;
        for a in (0..extents.len()).rev() {
            at += (flat % extents[a]) as i128 * layout.strides()[a] as i128;
            flat /= extents[a];
        }
        usize::try_from(at).expect("no element lies before the buffer")
    };
    Some((0..len).map(at).collect())
}

/// A file of this process's own, one for each ending, that holds these bytes.
pub fn file(bytes: &[u8], ending: &str) -> std::path::PathBuf {
    let path =
        std::env::temp_dir().join(format!("zerostride-fuzz-{}.{ending}", std::process::id()));
    std::fs::write(&path, bytes).expect("the temporary folder can be written to");
    path
}
