//! A launch through the model of a GPU.

use crate::launch::Launch;
use crate::memory::{Counts, LANES, Machine, Memory, taking_part};

/// What was traced.
#[derive(Clone, Debug)]
pub struct Traced {
    pub counts: Counts,
    /// Whether every workgroup was.
    pub is_whole: bool,
}

/// Runs at most so many workgroups of a launch, those in the middle, as many together as the machine
/// holds at once.
///
/// # Errors
/// What naga says of the kernel.
pub fn trace(launch: &Launch, machine: Machine, most: u64) -> Result<Traced, String> {
    let program = launch.program()?;
    let mut memory = Memory::new(machine);
    let [x, y, z] = launch.groups.map(u64::from);
    let count = (x * y * z).min(most);
    let first = (x * y * z - count) / 2;
    let resident = memory.resident(program.threads) as usize;
    let groups: Vec<u64> = (first..first + count).collect();
    for together in groups.chunks(resident) {
        let mut warps = Vec::new();
        for group in together {
            let id = [group % x, group / x % y, group / (x * y)].map(|n| n as u32);
            for lane in (0..program.threads).step_by(LANES) {
                let (mut touches, mut stored, mut flight) = (Vec::new(), false, 0);
                let own = lane..program.threads.min(lane + LANES as u32);
                let at = [id, launch.groups];
                let steps = program.run(&launch.uniforms, at, own, None, &mut |access| {
                    stored |= access.store;
                    if !stored && access.binding.is_some() {
                        flight += u64::from(access.width) * taking_part(access);
                    }
                    touches.extend(memory.touch(access));
                });
                memory.counts.steps += steps;
                memory.counts.flight += flight;
                memory.counts.invocations += LANES as u64;
                warps.push((*group, touches));
            }
        }
        memory.run(&warps);
    }
    memory.end();
    Ok(Traced {
        counts: memory.counts,
        is_whole: count == x * y * z,
    })
}
