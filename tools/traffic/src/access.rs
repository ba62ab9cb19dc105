//! Loads and stores of a warp, and the pointers that they go through.

use std::rc::Rc;

use naga::proc::GlobalCtx;
use naga::{Expression as E, Handle, TypeInner as T};

use crate::arith::{each, zeros};
use crate::warp::{Access, Frame, LANES, Lanes, Root, Slot, Warp};

impl<'a> Warp<'a, '_> {
    /// Part of a value, or a pointer to part of what a pointer points to.
    pub(super) fn access(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<E>,
        base: Handle<E>,
        index: &Lanes,
        mask: u32,
    ) -> Slot {
        let program = self.program;
        let inner = self.inner(frame, base);
        match self.slot(frame, base, mask) {
            Slot::Value(value) => {
                let len = program.len(self.inner(frame, handle));
                let begins =
                    index.map(|i| program.part(inner, i.min(value.len() as u64))[0] as usize);
                let word =
                    |k: usize| each(|lane| value.get(begins[lane] + k).map_or(0, |w| w[lane]));
                Slot::Value((0..len).map(word).collect())
            }
            Slot::Pointer(root, at) => {
                let inner = program.pointee(inner);
                let unit = usize::from(matches!(root, Root::Buffer(_) | Root::Uniform(_)));
                Slot::Pointer(
                    root,
                    Rc::new(each(|lane| {
                        at[lane].wrapping_add(program.part(inner, index[lane])[unit])
                    })),
                )
            }
        }
    }

    pub(super) fn load(&mut self, frame: &mut Frame<'a>, pointer: Handle<E>, mask: u32) -> Slot {
        let Slot::Pointer(root, at) = self.slot(frame, pointer, mask) else {
            panic!("a load from a value")
        };
        let inner = self.program.pointee(self.inner(frame, pointer));
        let len = match inner {
            T::ValuePointer { size, .. } => size.map_or(1, |s| s as usize),
            inner => self.program.len(inner),
        };
        Slot::Value(match root {
            Root::Stack => {
                let at = one_place(&at, mask);
                (0..len).map(|k| self.stack[at + k]).collect()
            }
            Root::Uniform(binding) => {
                let words = self
                    .program
                    .words
                    .get(&binding)
                    .map_or(&[][..], Vec::as_slice);
                let mut places = Vec::new();
                self.program.places(inner, 0, &mut places);
                let word = |place: &u32| {
                    each(|lane| {
                        words
                            .get((at[lane] + u64::from(*place)) as usize / 4)
                            .copied()
                            .unwrap_or(0)
                            .into()
                    })
                };
                places.iter().map(word).collect()
            }
            Root::Buffer(_) | Root::Shared => {
                self.touch(frame, pointer, root, &at, false, mask);
                zeros(len)
            }
        })
    }

    pub(super) fn touch(
        &mut self,
        frame: &Frame<'a>,
        pointer: Handle<E>,
        root: Root,
        at: &Lanes,
        store: bool,
        mask: u32,
    ) {
        let ctx: GlobalCtx<'_> = self.program.module.to_ctx();
        let width = match self.program.pointee(self.inner(frame, pointer)) {
            T::ValuePointer { size, scalar, .. } => {
                size.map_or(1, |s| s as u32) * u32::from(scalar.width)
            }
            inner => inner.size(ctx),
        };
        let (binding, at) = match root {
            Root::Buffer(binding) => (Some(binding), *at),
            _ => (None, at.map(|word| 4 * word)),
        };
        (self.report)(Access {
            binding,
            store,
            width,
            at: &at,
            mask,
        });
    }
}

/// The place on the stack of all lanes of a mask. It is the same for all: no kernel indexes an array
/// of its own by lane.
pub(super) fn one_place(at: &Lanes, mask: u32) -> usize {
    let mut places = (0..LANES)
        .filter(|lane| mask >> lane & 1 == 1)
        .map(|lane| at[lane]);
    let first = places.next().unwrap_or(0);
    assert!(
        places.all(|place| place == first),
        "lanes index an array of their own by different numbers"
    );
    first as usize
}
