//! What the accesses of warps ask of a GPU's memory: sectors of 32 bytes and lines of 128 an
//! instruction, an L1 for each multiprocessor, one L2, and the bytes between that and DRAM.

use std::collections::HashMap;

use zerostride_interpreter::Access;

/// Invocations of a warp.
pub const LANES: usize = 32;

const LINE: u64 = 128;
const SECTOR: u64 = 32;
const WAYS: usize = 16;

/// A GPU, as far as it is modelled.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    pub multiprocessors: u64,
    /// Invocations that are resident on each.
    pub threads: u32,
    /// Bytes of each L1 that hold what is loaded.
    pub l1: u64,
    /// Bytes of the L2.
    pub l2: u64,
}

/// An H200: of its 256 KiB an L1 keeps 64 here, and of 50 MiB the half that a multiprocessor is near
/// to.
pub const H200: Machine = Machine {
    multiprocessors: 132,
    threads: 1536,
    l1: 64 << 10,
    l2: 25 << 20,
};

/// A warp's access: its lines, each with the bytes of it that are touched.
pub struct Touch {
    store: bool,
    lines: Vec<(u64, u128)>,
}

/// Counts over all that was traced. Sectors have 32 bytes.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Instructions of warps, and the words a lane loads in them.
    pub loads: u64,
    pub stores: u64,
    pub load_words: u64,
    /// Lanes that take part in them, of all lanes.
    pub lanes: u64,
    pub all_lanes: u64,
    /// Sectors that instructions touch, and the fewest that their bytes fit.
    pub load_sectors: u64,
    pub load_least: f64,
    pub store_sectors: u64,
    pub store_least: f64,
    /// Lines looked up by loads, and the fewest.
    pub load_lines: u64,
    pub load_lines_least: f64,
    /// Sectors that L1s ask of the L2, those written to it, and those between it and DRAM.
    pub l2_reads: u64,
    pub l2_writes: u64,
    pub dram_reads: u64,
    pub dram_writes: u64,
    /// Bytes of distinct words that are read and written.
    pub unique_reads: u64,
    pub unique_writes: u64,
    /// Cycles of workgroup memory, and the fewest.
    pub shared: u64,
    pub shared_least: u64,
    /// Arithmetic instructions of warps.
    pub steps: u64,
    /// Bytes that invocations load before their first store, and invocations.
    pub flight: u64,
    pub invocations: u64,
}

#[derive(Clone, Copy, Default)]
struct Held {
    line: u64,
    sectors: u8,
    dirty: u128,
    used: u64,
}

/// A cache of lines whose sectors are filled one by one; the least recently used one of a set goes.
struct Cache {
    sets: Vec<[Held; WAYS]>,
    clock: u64,
}

impl Cache {
    fn new(bytes: u64) -> Self {
        Self {
            sets: vec![[Held::default(); WAYS]; (bytes / LINE) as usize / WAYS],
            clock: 0,
        }
    }

    /// The line, and what it took the place of.
    fn at(&mut self, line: u64) -> (&mut Held, Option<Held>) {
        self.clock += 1;
        let mixed = (line ^ line >> 17).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let count = self.sets.len() as u64;
        let set = &mut self.sets[(mixed % count) as usize];
        // Lines are counted from 1, so that an empty place is none.
        let found = set.iter().position(|held| held.line == line + 1);
        let place = found.unwrap_or_else(|| (0..WAYS).min_by_key(|&w| set[w].used).unwrap());
        let held = &mut set[place];
        let gone = (held.line != line + 1).then_some(*held);
        if gone.is_some() {
            *held = Held {
                line: line + 1,
                ..Held::default()
            };
        }
        held.used = self.clock;
        (held, gone.filter(|held| held.line != 0))
    }
}

/// Invocations that take part in an access.
pub fn taking_part(access: &Access<'_>) -> u64 {
    access.mask.iter().filter(|m| **m).count() as u64
}

/// The sectors of a line that bytes lie in.
fn sectors(bytes: u128) -> u8 {
    (0..4).fold(0, |mask, s| {
        mask | u8::from(bytes >> (32 * s) & 0xffff_ffff != 0) << s
    })
}

/// Those of which all bytes are there.
fn whole(bytes: u128) -> u8 {
    (0..4).fold(0, |mask, s| {
        mask | u8::from(bytes >> (32 * s) & 0xffff_ffff == 0xffff_ffff) << s
    })
}

pub struct Memory {
    machine: Machine,
    l2: Cache,
    l1: Vec<Cache>,
    /// Of each line, the bytes that were read and written.
    seen: HashMap<u64, [u128; 2]>,
    pub counts: Counts,
}

impl Memory {
    pub fn new(machine: Machine) -> Self {
        let l1 = (0..machine.multiprocessors)
            .map(|_| Cache::new(machine.l1))
            .collect();
        Self {
            machine,
            l2: Cache::new(machine.l2),
            l1,
            seen: HashMap::new(),
            counts: Counts::default(),
        }
    }

    /// Workgroups of this many invocations that run at once on all multiprocessors.
    pub fn resident(&self, threads: u32) -> u64 {
        self.machine.multiprocessors * u64::from((self.machine.threads / threads).max(1))
    }

    /// Counts one access; what of it goes to the caches.
    pub fn touch(&mut self, access: &Access<'_>) -> Option<Touch> {
        let counts = &mut self.counts;
        let each = u64::from(access.width.div_ceil(4));
        let places = access.at.iter().zip(access.mask).filter(|(_, m)| **m);
        let mut words: Vec<u64> = places
            .flat_map(|(at, _)| (0..each).map(move |k| at / 4 + k))
            .collect();
        let Some(binding) = access.binding else {
            let [cycles, least] = bank_cycles(&words, each as usize);
            counts.shared += cycles;
            counts.shared_least += least;
            return None;
        };
        words.sort_unstable();
        words.dedup();
        let bytes = 4 * words.len() as u64;
        let mut lines: Vec<(u64, u128)> = Vec::new();
        for word in words {
            let (line, byte) = ((u64::from(binding) << 40) | (word / 32), 4 * (word % 32));
            if lines.last().is_none_or(|(last, _)| *last != line) {
                lines.push((line, 0));
            }
            lines.last_mut().unwrap().1 |= 0xf << byte;
        }
        let touched: u64 = lines
            .iter()
            .map(|(_, bytes)| u64::from(sectors(*bytes).count_ones()))
            .sum();
        counts.lanes += taking_part(access);
        counts.all_lanes += LANES as u64;
        let least = bytes as f64 / SECTOR as f64;
        if access.store {
            counts.stores += 1;
            counts.store_sectors += touched;
            counts.store_least += least;
        } else {
            counts.loads += 1;
            counts.load_words += each;
            counts.load_sectors += touched;
            counts.load_least += least;
            counts.load_lines += lines.len() as u64;
            counts.load_lines_least += (bytes as f64 / LINE as f64).max(1.0);
        }
        for (line, bytes) in &lines {
            let seen = &mut self.seen.entry(*line).or_default()[usize::from(access.store)];
            let new = u64::from((bytes & !*seen).count_ones());
            *seen |= bytes;
            *if access.store {
                &mut counts.unique_writes
            } else {
                &mut counts.unique_reads
            } += new;
        }
        Some(Touch {
            store: access.store,
            lines,
        })
    }

    /// Runs the accesses of warps that are resident together, those of each multiprocessor in turn:
    /// each warp issues the loads up to its next store, which wait for nothing, or the stores up to
    /// its next load.
    pub fn run(&mut self, warps: &[(u64, Vec<Touch>)]) {
        let mut of: Vec<Vec<Vec<&[Touch]>>> = vec![Vec::new(); self.l1.len()];
        for (group, touches) in warps {
            let phases = touches.chunk_by(|a, b| a.store == b.store).collect();
            of[(group % self.machine.multiprocessors) as usize].push(phases);
        }
        let longest = of.iter().flatten().map(Vec::len).max().unwrap_or(0);
        let most = of.iter().map(Vec::len).max().unwrap_or(0);
        for phase in 0..longest {
            for warp in 0..most {
                for (m, warps) in of.iter().enumerate() {
                    let touches = warps
                        .get(warp)
                        .and_then(|phases| phases.get(phase))
                        .copied()
                        .unwrap_or(&[]);
                    for touch in touches {
                        touch
                            .lines
                            .iter()
                            .for_each(|(line, bytes)| self.line(m, touch.store, *line, *bytes));
                    }
                }
            }
        }
    }

    fn line(&mut self, multiprocessor: usize, store: bool, line: u64, bytes: u128) {
        let mut wanted = sectors(bytes);
        if store {
            self.counts.l2_writes += u64::from(wanted.count_ones());
        } else {
            let (held, _) = self.l1[multiprocessor].at(line);
            wanted &= !held.sectors;
            held.sectors |= wanted;
            self.counts.l2_reads += u64::from(wanted.count_ones());
        }
        if wanted == 0 {
            return;
        }
        let (held, gone) = self.l2.at(line);
        if store {
            held.dirty |= bytes;
        } else {
            let missing = wanted & !held.sectors & !whole(held.dirty);
            held.sectors |= missing;
            self.counts.dram_reads += u64::from(missing.count_ones());
        }
        if let Some(gone) = gone {
            self.write_back(&gone);
        }
    }

    /// Sectors that were written in part are read first.
    fn write_back(&mut self, held: &Held) {
        let parts = sectors(held.dirty) & !whole(held.dirty) & !held.sectors;
        self.counts.dram_writes += u64::from(sectors(held.dirty).count_ones());
        self.counts.dram_reads += u64::from(parts.count_ones());
    }

    /// Writes back all that is left.
    pub fn end(&mut self) {
        let left: Vec<Held> = self.l2.sets.iter().flatten().copied().collect();
        left.iter().for_each(|held| self.write_back(held));
    }
}

/// Cycles that 32 banks of 4 bytes take for words, `each` of them a lane, and the fewest.
fn bank_cycles(words: &[u64], each: usize) -> [u64; 2] {
    // As many lanes together as their words have banks.
    let together = LANES / each.clamp(1, 4) * each;
    let cycles = words.chunks(together).map(|words| {
        let mut banks: Vec<Vec<u64>> = vec![Vec::new(); 32];
        for word in words {
            let bank = &mut banks[(word % 32) as usize];
            if !bank.contains(word) {
                bank.push(*word);
            }
        }
        banks.iter().map(Vec::len).max().unwrap_or(0) as u64
    });
    [cycles.sum(), words.len().div_ceil(together) as u64]
}
