//! Loads and stores, and the pointers that they go through.

use naga::{AtomicFunction, Expression as E, Handle, TypeInner as T};

use crate::arith::pairs;
use crate::invocations::{Access, Bits, Frame, Invocations, Lanes, Root, Slot, Value};
use crate::sources::Source;

impl<'a> Invocations<'a, '_> {
    /// Part of a value, or a pointer to part of what a pointer points to, by a number that is the
    /// same for all.
    pub fn part(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<E>,
        (base, index): (Handle<E>, u32),
        mask: &[bool],
    ) -> Slot {
        let inner = self.inner(frame, base);
        match self.slot(frame, base, mask) {
            Slot::Value(value) => {
                let len = self.program.len(self.inner(frame, handle));
                let begin = self.program.part(inner, index.into())[0] as usize;
                Slot::Value(value[begin..begin + len].into())
            }
            Slot::Pointer(root, at, lanes) => {
                let part = self.program.part(self.program.pointee(inner), index.into());
                Slot::Pointer(root, at.wrapping_add(part[unit(root)]), lanes)
            }
        }
    }

    /// The same by a number of each invocation.
    pub fn access(
        &mut self,
        frame: &mut Frame<'a>,
        handle: Handle<E>,
        (base, index): (Handle<E>, &Lanes),
        mask: &[bool],
    ) -> Slot {
        let program = self.program;
        let inner = self.inner(frame, base);
        match self.slot(frame, base, mask) {
            Slot::Value(value) => {
                let len = program.len(self.inner(frame, handle));
                let begin = |lane: usize| {
                    program.part(inner, index.bit(lane).min(value.len() as u64))[0] as usize
                };
                let word = |k: usize| {
                    let of = |lane: usize| value.get(begin(lane) + k);
                    let bits = self.each(|lane| of(lane).map_or(0, |w| w.bit(lane))).bits;
                    let from = |lane: usize| of(lane).map_or(0, |w| w.source(lane));
                    let has = value.iter().any(|w| w.from.is_some());
                    Lanes {
                        bits,
                        from: has.then(|| (0..self.count).map(from).collect()),
                    }
                };
                Slot::Value((0..len).map(word).collect())
            }
            Slot::Pointer(root, at, lanes) => {
                let inner = program.pointee(inner);
                let step = program.part(inner, 1)[unit(root)];
                let moved: Bits = index.bits.iter().map(|i| i.wrapping_mul(step)).collect();
                let moved = match &lanes {
                    None => moved,
                    Some(lanes) => pairs(&lanes.bits, &moved)
                        .map(|(a, b)| a.wrapping_add(b))
                        .collect(),
                };
                let of: Vec<&Lanes> = lanes.iter().chain([index]).collect();
                let moved = self.made_of(moved, &of);
                Slot::Pointer(root, at, Some(moved))
            }
        }
    }

    /// The places of a pointer.
    pub fn places(&self, base: u64, lanes: Option<&Lanes>) -> Lanes {
        match lanes {
            None => Lanes::all(base),
            Some(lanes) => Lanes {
                bits: lanes.bits.iter().map(|at| at.wrapping_add(base)).collect(),
                from: lanes.from.clone(),
            },
        }
    }

    pub fn load(&mut self, frame: &mut Frame<'a>, pointer: Handle<E>, mask: &[bool]) -> Slot {
        let Slot::Pointer(root, base, lanes) = self.slot(frame, pointer, mask) else {
            panic!("a load from a value")
        };
        let inner = self.program.pointee(self.inner(frame, pointer));
        let len = self.program.len(inner);
        Slot::Value(match root {
            Root::Stack => {
                let at = one_place(base, lanes.as_ref(), mask);
                self.stack[at..at + len].into()
            }
            Root::Uniform(binding) => {
                let words = self.uniforms.get(&binding).map_or(&[][..], Vec::as_slice);
                let mut places = Vec::new();
                self.program.places(inner, 0, &mut places);
                let at =
                    |place: u64| u64::from(words.get(place as usize / 4).copied().unwrap_or(0));
                let word = |place: &u32| {
                    let base = base.wrapping_add(u64::from(*place));
                    match &lanes {
                        None => Lanes::all(at(base)),
                        Some(lanes) => self.each(|lane| at(base.wrapping_add(lanes.bit(lane)))),
                    }
                };
                places.iter().map(word).collect()
            }
            Root::Buffer(_) | Root::Shared => {
                let at = self.places(base, lanes.as_ref());
                self.touch(frame, pointer, (root, &at), false, mask);
                self.held(inner, root, &at, mask)
            }
        })
    }

    /// What memory holds at these places.
    fn held(&mut self, inner: &T, root: Root, at: &Lanes, mask: &[bool]) -> Value {
        let (count, len, zero) = (self.count, self.program.len(inner), self.zero.bits.clone());
        let Some(memory) = self.memory.as_deref_mut() else {
            return vec![self.zero.clone(); len].into();
        };
        let mut places = Vec::new();
        match root {
            Root::Buffer(_) => self.program.places(inner, 0, &mut places),
            _ => places.extend(0..len as u32),
        }
        let mut word = |place: &u32| {
            let (mut bits, mut from) = (vec![0; count], vec![0; count]);
            for lane in (0..count).filter(|&lane| mask[lane]) {
                let place = at.bit(lane).wrapping_add(u64::from(*place));
                let (word, source) = match root {
                    Root::Buffer(binding) => memory.load(binding, place),
                    _ => (0, memory.shared(place)),
                };
                bits[lane] = word;
                from[lane] = match at.source(lane) {
                    0 => source,
                    // What an index depends on, what is found there does too.
                    of => {
                        let of = memory.sources.whole(of);
                        memory.sources.union(source, of)
                    }
                };
            }
            let is_zero = bits.iter().all(|&word| word == 0);
            Lanes {
                bits: if is_zero { zero.clone() } else { bits.into() },
                from: Some(from.into()),
            }
        };
        places.iter().map(&mut word).collect()
    }

    pub fn stored(
        &mut self,
        frame: &mut Frame<'a>,
        pointer: Handle<E>,
        value: &Value,
        mask: &[bool],
    ) {
        match self.slot(frame, pointer, mask) {
            Slot::Pointer(Root::Stack, base, lanes) => {
                let at = one_place(base, lanes.as_ref(), mask);
                self.put(at, value, mask);
            }
            Slot::Pointer(root, base, lanes) => {
                let at = self.places(base, lanes.as_ref());
                self.store(frame, pointer, (root, &at), value, mask);
            }
            Slot::Value(_) => panic!("a store to a value"),
        }
    }

    fn store(
        &mut self,
        frame: &Frame<'a>,
        pointer: Handle<E>,
        (root, at): (Root, &Lanes),
        value: &Value,
        mask: &[bool],
    ) {
        let is_atomic = self.touch(frame, pointer, (root, at), true, mask);
        let inner = self.program.pointee(self.inner(frame, pointer));
        let Some(memory) = self.memory.as_deref_mut() else {
            return;
        };
        let mut places = Vec::new();
        match root {
            Root::Buffer(_) => self.program.places(inner, 0, &mut places),
            _ => places.extend(0..value.len() as u32),
        }
        for (place, word) in places.iter().zip(value.iter()) {
            for lane in (0..mask.len()).filter(|&lane| mask[lane]) {
                let place = at.bit(lane).wrapping_add(u64::from(*place));
                match root {
                    Root::Buffer(binding) => {
                        memory.store(binding, place, word.source(lane), !is_atomic);
                    }
                    _ => memory.share(place, word.source(lane)),
                }
            }
        }
    }

    /// Changes words of a buffer one invocation after the other; what they were before.
    pub fn change(
        &mut self,
        frame: &mut Frame<'a>,
        (pointer, fun): (Handle<E>, AtomicFunction),
        value: &Value,
        mask: &[bool],
    ) -> Lanes {
        let Slot::Pointer(root @ Root::Buffer(binding), base, lanes) =
            self.slot(frame, pointer, mask)
        else {
            panic!("an atomic operation outside of a buffer")
        };
        let at = self.places(base, lanes.as_ref());
        self.touch(frame, pointer, (root, &at), true, mask);
        let zeros = self.zero.clone();
        let Some(memory) = self.memory.as_deref_mut() else {
            return zeros;
        };
        let mut before = vec![0; mask.len()];
        for lane in (0..mask.len()).filter(|&lane| mask[lane]) {
            let (word, from) = (value[0].bit(lane), value[0].source(lane));
            let (_, old) = memory.load(binding, at.bit(lane));
            before[lane] = old;
            let new: Source = match fun {
                AtomicFunction::And if from == 0 => memory.sources.masked(old, word),
                _ => memory.sources.union(old, from),
            };
            memory.store(binding, at.bit(lane), new, false);
        }
        Lanes {
            from: Some(before.into()),
            ..zeros
        }
    }

    /// Reports an access; whether it is atomic.
    fn touch(
        &mut self,
        frame: &Frame<'a>,
        pointer: Handle<E>,
        (root, at): (Root, &Lanes),
        store: bool,
        mask: &[bool],
    ) -> bool {
        let inner = self.program.pointee(self.inner(frame, pointer));
        let width = match inner {
            T::ValuePointer { size, scalar, .. } => {
                size.map_or(1, |s| s as u32) * u32::from(scalar.width)
            }
            inner => inner.size(self.program.module.to_ctx()),
        };
        let (binding, unit) = match root {
            Root::Buffer(binding) => (Some(binding), 1),
            _ => (None, 4),
        };
        let at = self.each(|lane| at.bit(lane) * unit).bits;
        (self.report)(&Access {
            binding,
            store,
            width,
            at: &at,
            mask,
        });
        matches!(inner, T::Atomic(_))
    }
}

/// Which of the numbers of a part counts: words, or bytes.
fn unit(root: Root) -> usize {
    usize::from(matches!(root, Root::Buffer(_) | Root::Uniform(_)))
}

/// The place on the stack of all invocations of a mask. It is the same for all: no kernel indexes an
/// array of its own by their numbers.
fn one_place(base: u64, lanes: Option<&Lanes>, mask: &[bool]) -> usize {
    let Some(lanes) = lanes else {
        return base as usize;
    };
    let each = mask.iter().enumerate();
    let mut places = each.filter(|(_, m)| **m).map(|(lane, _)| lanes.bit(lane));
    let first = places.next().unwrap_or(0);
    assert!(
        places.all(|place| place == first),
        "invocations index an array of their own by different numbers"
    );
    base.wrapping_add(first) as usize
}
