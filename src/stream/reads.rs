//! Bytes that a window of a run reads, writes and holds.

use crate::plan::{Cut, Read, Window};

/// Bytes of a window's inputs and output; larger windows gain nothing.
pub(super) const LARGEST_WINDOW: u64 = 128 << 20;
/// Copies of a window's inputs at a time: for each of two windows what was read, wgpu's staging
/// memory, the device's buffer.
pub(super) const INPUT_COPIES: u64 = 6;
/// Copies of a window's output: for each of two windows the device's buffer and what it is read
/// back through.
pub(super) const OUTPUT_COPIES: u64 = 4;
/// Copies of the intermediate results of a window, or of a piece of a reduction.
pub(super) const INTERMEDIATE_COPIES: u64 = 2;
/// Bytes that a read costs at least.
pub(super) const PAGE: u64 = 4096;
/// Buffers are allocated in few sizes, up to an eighth larger, and drivers keep some of what was
/// freed (measured on lavapipe): 4/3 in all.
pub(super) const ROUNDED: (u64, u64) = (4, 3);

/// An input as a schedule sees it.
#[derive(Clone)]
pub(super) struct InputReads {
    /// Bytes of an element.
    pub size: u64,
    /// Bytes of all elements.
    pub bytes: u64,
    /// How it is read.
    pub reads: Vec<Read>,
    /// Whether all of it stays on the device.
    pub is_kept: bool,
}

/// What windows of a result read, and the memory that they may take.
#[derive(Clone)]
pub(super) struct Reads {
    pub inputs: Vec<InputReads>,
    /// Everything that is computed, as one window.
    pub whole: Window,
    /// Bytes of an element of the output.
    pub output_size: u64,
    /// Bytes that two windows may hold.
    pub budget: u64,
    /// Bytes of the largest buffer.
    pub largest_buffer: u64,
}

impl Reads {
    /// The numbers of the inputs that do not stay.
    pub fn streamed(&self) -> impl Iterator<Item = usize> {
        (0..self.inputs.len()).filter(|&i| !self.inputs[i].is_kept)
    }

    /// The cut with the largest windows that fit; `None` if not even one element does.
    pub fn cut(&self) -> Option<Cut> {
        Cut::new(&self.whole.extents, &|window| self.fits(window))
    }

    /// The number of windows; as many as can be if nothing fits.
    pub fn windows(&self) -> usize {
        self.cut()
            .map_or(usize::MAX, |cut| cut.len(&self.whole.extents))
    }

    /// Bytes of an input that a window reads, wherever it lies.
    pub fn input(&self, i: usize, window: &[usize]) -> Option<u64> {
        let InputReads { size, reads, .. } = &self.inputs[i];
        let mut most = 0u64;
        for Read { layout: a, .. } in reads {
            for Read {
                layout: b, span, ..
            } in reads
            {
                // From the lowest position through `a` to the highest through `b`; both move with
                // the window's start.
                let mut span = b.offset() as i128 + *span as i128 - a.offset() as i128;
                for (axis, &extent) in window.iter().enumerate() {
                    let (low, high) = (a.strides()[axis] as i128, b.strides()[axis] as i128);
                    let (start, all) = (self.whole.start[axis], self.whole.extents[axis]);
                    let inside = extent.saturating_sub(1) as i128;
                    span += inside * (high.max(0) - low.min(0));
                    span += start as i128 * (high - low);
                    span += ((all - extent) as i128 * (high - low)).max(0);
                }
                // All of `b` may lie below `a`.
                let elements = u64::try_from((span + 1).max(0)).ok()?;
                most = most.max(elements.checked_mul(*size)?);
            }
        }
        Some(most)
    }

    /// Bytes of all inputs that a window reads, without those that stay.
    fn streamed_bytes(&self, window: &[usize]) -> Option<u64> {
        self.streamed()
            .map(|i| self.input(i, window))
            .try_fold(0u64, |n, bytes| n.checked_add(bytes?))
    }

    /// Bytes that a window writes.
    pub fn output(&self, window: &[usize]) -> Option<u64> {
        window
            .iter()
            .try_fold(self.output_size, |n, &e| n.checked_mul(e as u64))
    }

    /// Bytes that are held for two windows.
    pub fn held(&self, window: &[usize]) -> Option<u64> {
        let inputs = self.streamed_bytes(window)?.checked_mul(INPUT_COPIES)?;
        let output = self.output(window)?.checked_mul(OUTPUT_COPIES)?;
        Some(inputs.checked_add(output)?.checked_mul(ROUNDED.0)? / ROUNDED.1)
    }

    fn fits(&self, window: &[usize]) -> bool {
        let each = self.streamed().filter_map(|i| self.input(i, window));
        let largest = each.chain(self.output(window)).max().unwrap_or(0);
        let moved = self
            .streamed_bytes(window)
            .zip(self.output(window))
            .is_some_and(|(i, o)| i + o <= LARGEST_WINDOW);
        moved
            && largest <= self.largest_buffer
            && self.held(window).is_some_and(|held| held <= self.budget)
    }
}
