//! What a schedule costs in kind: closed forms from strides, for each quad that is stored. What a
//! machine pays for them is in [`policy`](super::policy).

mod traffic;

use super::again::fetches;
use super::policy::{Features, Profile};
use super::{LaneLoad, Lanes, Load, LoopRole, Schedule, Threads};
use crate::plan::rank::unrolled;
use crate::plan::slot::QUAD;

/// Bytes that one load or store instruction moves at most.
const ACCESS: f64 = 16.0;

/// An operand as far as features depend on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Moved<'a> {
    pub strides: &'a [isize],
    pub load: Load,
    /// Bytes an element.
    pub size: usize,
}

/// The features of a schedule, `output` being the bytes of an element of the result, and the share
/// of its lanes that have elements.
pub(crate) fn features(
    schedule: &Schedule,
    extents: &[usize],
    operands: &[Moved<'_>],
    output: usize,
    profile: &Profile,
) -> (Features, f64) {
    let space = schedule.space(extents);
    let len: usize = extents.iter().product();
    let iterations =
        [LoopRole::Thread, LoopRole::Unroll, LoopRole::Lanes].map(|role| space.iterations(role));
    let padded = iterations.iter().product::<usize>() as f64;
    let nest = Nest {
        schedule,
        extents,
        profile,
        own: iterations[1] as f64,
    };
    let [mut words, mut accesses, mut scattered, mut far] = [0.0; 4];
    let stored = nest.stored(output);
    let (mut lines, mut sectors) = (stored.0, stored.1);
    let mut bytes = nest.unit() * output as f64;
    let mut flight = 0.0;
    for operand in operands {
        let each = nest.loads_a_quad(operand);
        let (own_words, own_accesses) = nest.load(operand);
        words += each * own_words;
        accesses += each * own_accesses;
        flight += each * own_words * 4.0 * nest.own;
        let (own_lines, own_sectors) = nest.touched(operand);
        lines += each * own_lines;
        sectors += each * own_sectors;
        if operand.load.lanes == LaneLoad::Gather {
            scattered += each * nest.scattered(operand);
        }
        far = f64::max(far, nest.far(operand));
    }
    let distinct = operands.iter().map(|x| nest.distinct(x, len));
    let distinct: Vec<f64> = distinct.collect();
    let all = bytes + distinct.iter().sum::<f64>();
    for (operand, own) in operands.iter().zip(distinct) {
        bytes += own * fetches(schedule, extents, operand.strides, all, profile.cache);
    }
    accesses += match schedule.lanes {
        Lanes::Column => QUAD as f64,
        _ => nest.accesses(output),
    };
    let mut steps = nest.steps(operands);
    // What is loaded before the first store hides the latency of memory.
    let together = flight / nest.own * f64::from(schedule.together.min(nest.own as u32));
    let stalled = (profile.flight / together.max(1.0)).max(1.0);
    // Idle lanes load and compute what nobody stores.
    let used = len as f64 / padded.max(1.0);
    for work in [&mut words, &mut steps, &mut accesses, &mut scattered] {
        *work /= used.max(f64::MIN_POSITIVE);
    }
    // Two pairs are a quad.
    let each = QUAD as f64 / nest.unit();
    let found = [
        words,
        steps,
        accesses,
        scattered,
        far,
        lines,
        sectors,
        bytes * stalled,
    ];
    (found.map(|x| x * each), used)
}

struct Nest<'a> {
    schedule: &'a Schedule,
    extents: &'a [usize],
    profile: &'a Profile,
    /// Quads of an invocation.
    own: f64,
}

impl Nest<'_> {
    /// Loads of an operand for each quad.
    fn loads_a_quad(&self, operand: &Moved<'_>) -> f64 {
        let [down, beside] = operand.load.per.moves();
        let count = |moves: bool, quads: u32| if moves { 1.0 } else { 1.0 / f64::from(quads) };
        let once = matches!(operand.load.lanes, LaneLoad::Periodic(_));
        count(down, self.schedule.rows()) * count(beside && !once, self.schedule.beside)
    }

    /// Elements of a quad, or of a pair.
    fn unit(&self) -> f64 {
        f64::from(self.schedule.unit)
    }

    /// Whether a quad is one of words, which hold several elements each.
    fn is_of_words(&self) -> bool {
        self.schedule.per_word() > 1
    }

    /// Accesses that move a quad of elements of so many bytes.
    fn accesses(&self, size: usize) -> f64 {
        (self.unit() * size as f64 / ACCESS).ceil()
    }

    /// The words and instructions of a load.
    fn load(&self, operand: &Moved<'_>) -> (f64, f64) {
        let size = operand.size as f64;
        let word = (size / 4.0).max(1.0);
        match operand.load.lanes {
            LaneLoad::Vector { misaligned: 0 } | LaneLoad::Transposed | LaneLoad::Interleaved => (
                (self.unit() * size / 4.0).max(1.0),
                self.accesses(operand.size),
            ),
            LaneLoad::Vector { misaligned } => (size + f64::from(misaligned), 2.0),
            LaneLoad::Unaligned if self.is_of_words() => (10.0, 10.0),
            LaneLoad::Unaligned => (2.0 * size, 2.0),
            LaneLoad::Splat => (word, 1.0),
            LaneLoad::Straddling => (2.0 * word, 2.0),
            LaneLoad::Periodic(_) => (3.0 * word, 3.0),
            LaneLoad::Gather => (self.unit() * word, self.unit()),
            // Each goes to a workgroup's memory and comes from there.
            LaneLoad::Staged => (4.0 * word, 12.0),
        }
    }

    /// Index arithmetic: of an invocation, shared by its quads, and of each quad.
    fn steps(&self, operands: &[Moved<'_>]) -> f64 {
        let schedule = self.schedule;
        let rank = self.extents.len();
        let all = operands.iter();
        let addressed = all.filter(|x| x.load.by_coordinates(schedule));
        let moves = |axis: usize| addressed.clone().any(|x| x.strides[axis] != 0);
        // Axes that coordinates are split off for, the innermost apart.
        let outer = (0..rank - 1)
            .find(|&axis| moves(axis))
            .map_or(0, |top| rank - 1 - top);
        let divisions = outer.saturating_sub(usize::from(outer + 1 == rank)) as f64;
        let looped = if unrolled(rank).is_none() { 3.0 } else { 1.0 };
        let outer_strides = addressed
            .clone()
            .flat_map(|x| x.strides.iter().rev().skip(1));
        let moved = outer_strides.filter(|s| **s != 0).count();
        let (once, each) = match schedule.lanes {
            Lanes::Line => (6.0, 2.0),
            Lanes::Rows => {
                let numbered = match schedule.threads {
                    Threads::Numbered => 11.0,
                    Threads::RowPerWorkgroup | Threads::RowsFirst => 4.0,
                    Threads::Tiles => 8.0,
                };
                let coordinates = looped * (7.0 * divisions + 2.0 * moved as f64);
                (numbered + coordinates, 3.0)
            }
            Lanes::Column => (24.0 + 7.0 * divisions + 2.0 * moved as f64, 8.0),
            Lanes::Straddling(rows) => {
                let lanes = addressed.clone().count() as f64;
                let split = match lanes as u32 {
                    0 => 0.0,
                    _ => 14.0 + 7.0 * (divisions + 1.0),
                };
                let rows = f64::from(rows);
                let coordinates = looped * (split + rows * 2.0 * moved as f64);
                let beside = match schedule.down {
                    None if self.own > 1.0 => split,
                    _ => 0.0,
                };
                (8.0 + coordinates, 3.0 + beside)
            }
        };
        let data = |x: &Moved<'_>| {
            let own = match x.load.lanes {
                LaneLoad::Vector { misaligned: 0 } | LaneLoad::Splat => 1.0,
                LaneLoad::Unaligned if self.is_of_words() => 60.0,
                LaneLoad::Vector { .. } | LaneLoad::Unaligned => 6.0,
                LaneLoad::Straddling if self.is_of_words() => 30.0,
                LaneLoad::Straddling => 7.0,
                LaneLoad::Periodic(_) => 4.0,
                LaneLoad::Transposed | LaneLoad::Interleaved => 4.0,
                LaneLoad::Gather => 3.5 * self.unit(),
                LaneLoad::Staged => 24.0,
            };
            own * self.loads_a_quad(x)
        };
        let data: f64 = operands.iter().map(data).sum();
        once / self.own + each + data
    }

    /// Distinct bytes of an operand for each quad of the result.
    fn distinct(&self, operand: &Moved<'_>, len: usize) -> f64 {
        let all = self.extents.iter().zip(operand.strides);
        let walked = all.filter(|(_, s)| **s != 0);
        let elements: f64 = walked.map(|(e, _)| *e as f64).product();
        self.unit() * operand.size as f64 * elements / (len.max(1)) as f64
    }

    /// Cache lines that a CPU fetches for the lanes of a gather.
    fn scattered(&self, operand: &Moved<'_>) -> f64 {
        let inner = operand.strides.last().copied().unwrap_or(0).unsigned_abs();
        let transposed = matches!(operand.strides.first(), Some(-1 | 1));
        match (inner, transposed && self.schedule.has_blocks()) {
            (0 | 1, _) => 0.0,
            // Neighbouring blocks find the lines that are there.
            (_, true) => 1.0,
            (inner, false) => (inner * operand.size) as f64 * self.unit() / self.profile.line,
        }
        .min(self.unit())
    }

    /// Whether an invocation's rows lie as far apart in memory as a CPU fetches badly together: by
    /// the distance in bytes.
    fn far(&self, operand: &Moved<'_>) -> f64 {
        // Single elements are few.
        if !matches!(operand.load.lanes, LaneLoad::Vector { .. }) {
            return 0.0;
        }
        if !operand.load.per.moves()[0] || self.schedule.down.is_none() || self.schedule.is_tiled()
        {
            return 0.0;
        }
        let step = self.schedule.down_stride(self.extents, operand.strides);
        let bytes = step.unsigned_abs() * operand.size;
        let mut far = self.profile.far.iter();
        let found = far.find(|(most, _)| bytes <= *most);
        found.map_or(0.0, |(_, cost)| *cost)
    }
}
