//! What plans are made of, and what holds of every plan.

use std::collections::HashSet;
use std::hash::{BuildHasher, BuildHasherDefault, DefaultHasher};
use std::sync::Mutex;

use zerostride::inspect::FloatFact;
use zerostride::{Arithmetic, DType, Layout, Limits, Plan, Slot, kernel};

use super::Source;

pub fn limits(source: &mut Source<'_>) -> Limits {
    let native = source.below(4) == 0;
    Limits::WEBGPU
        .with_max_binding(source.pick(&[128 << 20, 1 << 16, 1 << 12, (1 << 31) - 16]))
        .with_max_storage_buffers(source.pick(&[8, 4, 5, 31]))
        .with_offset_alignment(source.pick(&[256, 32, 64]))
        .with_max_workgroups(source.pick(&[65_535, 3, 2, 17]))
        .with_max_invocations(source.pick(&[256, 64, 100, 1024]))
        .with_max_workgroup_height(source.pick(&[256, 16, 64]))
        .with_max_workgroup_storage(16_384)
        .with_max_immediates(source.pick(&[0, 16, 128]))
        .with_max_elements(source.pick(&[Limits::MAX_ELEMENTS, 1 << 12, 1 << 16]))
        .with_software(source.below(2) == 0)
        .with_int64(native)
        .with_float64(native)
        .with_arithmetic(Arithmetic::UNKNOWN.with(FloatFact::Subnormals, native))
}

/// Elements that broadcast to `shape`, somewhere in a buffer: a slice of a permuted, larger tensor.
pub fn slot(source: &mut Source<'_>, dtype: DType, shape: &[usize]) -> Option<Slot> {
    let skip = if source.below(3) == 0 {
        source.below(shape.len() + 1)
    } else {
        0
    };
    let want: Vec<usize> = shape[skip..]
        .iter()
        .map(|&e| if source.below(4) == 0 { 1 } else { e })
        .collect();
    if source.below(2) == 0 {
        return Slot::new(dtype, want).ok();
    }
    let first = source.pick(&[0, 0, 1, 2, 3, 4, 8, 63, 64, 1000]);
    let (mut step, mut offset) = (1isize, first);
    let mut strides = vec![0isize; want.len()];
    let mut order: Vec<usize> = (0..want.len()).collect();
    (1..order.len()).for_each(|i| order.swap(i, source.below(i + 1)));
    if source.below(2) == 0 {
        order = (0..want.len()).rev().collect();
    }
    for axis in order {
        let extent = want[axis] as isize;
        let stride = step * source.pick(&[1, 1, 1, 1, 2, 3]);
        let gap = source.pick(&[0, 0, 0, 1, 4]);
        step = stride * extent + gap;
        strides[axis] = match source.below(8) {
            0 => {
                offset += (stride * (extent - 1)) as usize;
                -stride
            }
            1 if extent > 1 => 0,
            _ => stride,
        };
    }
    let layout = Layout::new(want, strides, offset).ok()?;
    let end = layout.reach().map_or(0, |r| r.end() + 1) * dtype.size();
    let bytes = end.next_multiple_of(4) + 4 * source.below(9);
    Some(Slot::wrapped(dtype, layout, bytes as u64))
}

/// Whether a text is met for the first time: naga takes long, and many plans share their kernels.
fn is_new(text: &str) -> bool {
    static MET: Mutex<Option<HashSet<u64>>> = Mutex::new(None);
    let hash = BuildHasherDefault::<DefaultHasher>::default().hash_one(text);
    MET.lock()
        .expect("one thread")
        .get_or_insert_default()
        .insert(hash)
}

/// Every invocation keeps to the limits, and naga accepts every kernel.
pub fn check(plan: &Plan, limits: &Limits) {
    super::audit(plan);
    let _ = (plan.to_string(), plan.steps().is_ok(), plan.bytes_moved());
    for text in plan.kernels().iter().filter(|text| is_new(text)) {
        let checked = if limits.int64 || limits.max_immediates > 0 {
            kernel::validate_native(text)
        } else {
            kernel::validate(text)
        };
        if let Err(error) = checked {
            panic!("{error}\n{plan}\n{text}");
        }
    }
}
