//! The laws of all schedules that shapes may have.

use super::*;
use crate::layout::Layout;
use crate::plan::canonical::Canonical;
use crate::plan::limits::Limits;
use crate::plan::slot::PAIR;
use proptest::prelude::*;

/// The schedules of a shape for elements of so many bytes.
fn all(canonical: &Canonical, size: usize, code: usize, software: bool) -> Vec<Schedule> {
    let limits = Limits::WEBGPU.with_software(software);
    let profile = limits.profile();
    let of = |unit| {
        let shapes = Shapes {
            canonical,
            sizes: &[size],
            own: size,
            unit,
            code,
            limits: &limits,
            profile,
        };
        candidates(&shapes)
    };
    let found = units(&[size], size, &canonical.extents, profile).flat_map(of);
    found.map(|(_, schedule)| schedule).collect()
}

proptest! {
    #[test]
    fn any_schedule_visits_each_element_once(
        extents in prop::collection::vec(2usize..14, 1..4),
        inner in 2usize..40,
        axis in 0usize..4,
        size in prop::sample::select(vec![1usize, 2, 4, 8]),
        code in prop::sample::select(vec![0usize, 33, 500]),
        software in any::<bool>(),
    ) {
        let mut extents = extents;
        extents.push(inner);
        // Contiguous along any axis, so that there are tiles and blocks too.
        let mut order: Vec<usize> = (0..extents.len()).collect();
        let axis = order.remove(axis % extents.len());
        order.push(axis);
        let mut strides = vec![0; extents.len()];
        let mut step = 1;
        for axis in order.into_iter().rev() {
            strides[axis] = step;
            step *= extents[axis].cast_signed();
        }
        let layout = Layout::contiguous(extents.clone()).unwrap();
        let canonical = Canonical { extents: extents.clone(), strides: vec![strides] };
        for schedule in all(&canonical, size, code, software) {
            let space = schedule.space(&extents);
            let mut visited = space.offsets(layout.strides(), 0);
            visited.sort_unstable();
            prop_assert!(visited.into_iter().eq(0..layout.len()), "{extents:?}, {schedule:?}");
            prop_assert_eq!(space.iterations(LoopRole::Lanes), schedule.unit());
            let own = (schedule.beside * schedule.rows()) as usize * schedule.unit();
            prop_assert!(code < 500 || own <= schedule.unit().max(QUAD), "{extents:?}, {schedule:?}");
        }
    }
}

#[test]
fn on_gpus_neighbouring_invocations_access_neighbouring_16_bytes_of_64_bit_elements() {
    let lines = [vec![100_000], vec![64, 1024], vec![5, 7, 516], vec![64, 18]];
    for extents in lines {
        let layout = Layout::contiguous(extents.clone()).unwrap();
        let strides = layout.strides().to_vec();
        let canonical = Canonical {
            extents: extents.clone(),
            strides: vec![strides.clone()],
        };
        let schedules = all(&canonical, 8, 0, false);
        let pairs: Vec<_> = schedules.iter().filter(|s| s.unit() == PAIR).collect();
        assert!(pairs.len() > 1, "{extents:?}");
        for schedule in pairs {
            let space = schedule.space(&extents);
            let loops = space.loops().iter().enumerate();
            let mut threads = loops.filter(|(_, one)| one.role == LoopRole::Thread);
            let apart = threads
                .next_back()
                .and_then(|(at, _)| space.stride(at, &strides));
            assert_eq!(apart, Some(PAIR.cast_signed()), "{extents:?}, {schedule:?}");
        }
    }
}

#[test]
fn units_are_of_16_bytes_on_gpus_and_of_four_elements_on_cpus() {
    for (software, size) in [(true, 8), (true, 4), (true, 2), (true, 1), (false, 4)] {
        for extents in [vec![999], vec![63, 64], vec![63, 65]] {
            let strides = Layout::contiguous(extents.clone()).unwrap();
            let canonical = Canonical {
                extents,
                strides: vec![strides.strides().to_vec()],
            };
            let schedules = all(&canonical, size, 0, software);
            assert!(schedules.iter().all(|s| s.unit() == QUAD));
        }
    }
    for (size, unit) in [(1, 16), (2, 8), (8, 2)] {
        let extents = vec![63, 65];
        let canonical = Canonical {
            extents,
            strides: vec![vec![65, 1]],
        };
        let schedules = all(&canonical, size, 0, false);
        assert!(schedules.iter().any(|s| s.unit() == unit), "{size} bytes");
        // A quad of words lies in two rows at most.
        let canonical = Canonical {
            extents: vec![63, 7],
            strides: vec![vec![7, 1]],
        };
        let schedules = all(&canonical, size, 0, false);
        assert!(size == 8 || schedules.iter().all(|s| s.unit() == QUAD));
    }
}
