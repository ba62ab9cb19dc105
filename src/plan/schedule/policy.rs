//! The one place with prices: what each class of machine pays for the features of a schedule. A
//! further class is a further [`Profile`].

use super::{Schedule, ScheduleName, Spread};
use crate::op::LANES;
use crate::plan::slot::QUAD;

/// The names of the features, in the order of [`Features`].
pub(crate) const NAMES: [&str; 8] = [
    "words",
    "steps",
    "accesses",
    "scattered",
    "far",
    "lines",
    "sectors",
    "waited bytes",
];

/// Quantities that a machine's time is made of, for each quad that is stored.
pub(crate) type Features = [f64; NAMES.len()];

/// An outermost axis that is shorter is judged as if it had so many indices: a short batch has the
/// kernel of a long one, so that it need not be compiled.
pub(crate) const LONG: usize = 1024;

/// How a class of machines runs schedules, and what it pays for what.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Profile {
    pub name: &'static str,
    pub spread: Spread,
    /// Bytes that one access of an invocation should move, next to those of its neighbours.
    pub unit: Option<usize>,
    /// Quads of which all loads come before the first store, and the same where loads are scattered.
    pub together: u32,
    pub together_scattered: u32,
    /// Invocations of a workgroup along the rows of tiles.
    pub tile_width: u32,
    /// Whether what is contiguous along another axis may be loaded through a workgroup's memory.
    pub stages: bool,
    /// Quads that an invocation may own along each of two outer axes.
    pub crossed: u32,
    /// Indices along the outermost axis that a workgroup covers in blocks, for each quad of an
    /// invocation.
    pub block_depth: usize,
    /// Invocations in a hundred that may idle so that a workgroup has one row.
    pub idle_percent: u32,
    /// Bytes that an invocation should load before it stores.
    pub flight: f64,
    /// Invocations that load together, and the bytes of a cache line and of its sectors.
    pub warp: f64,
    pub line: f64,
    pub sector: f64,
    /// Bytes that stay in the caches from one use to the next.
    pub cache: f64,
    /// What it costs that an invocation's rows lie up to so many bytes apart in memory.
    pub far: &'static [(usize, f64)],
    /// Time of a quad: this, that of the resource that takes longest, and this share of the
    /// others', which is not hidden behind it.
    pub fixed: f64,
    pub seen: f64,
    /// Turns of loops that an invocation takes at most: one that takes more is a watchdog's prey, and
    /// llvmpipe ends all loops of an invocation after 65,535.
    pub turns: usize,
    /// How reductions deal rows, before steps take registers.
    pub folds: FoldProfile,
    /// `busy`: rows are split into parts if fewer invocations than this reduce them and they have at
    /// least `busy_from` elements.
    pub busy: usize,
    pub busy_from: usize,
    /// Whether the groups of a part's outermost loop have invocations of their own, which load at once.
    pub groups_at_once: bool,
    /// Bytes of an element up to which four that begin inside a quad are loaded as two quads: worth
    /// it where a vector of words takes less time than as many accesses.
    pub joined: usize,
    /// The weight that the steps of all quads of an invocation may have in a kernel that folds. It has them one after another,
    /// and a compiler takes seconds for much more.
    pub copied: usize,
    /// Elements of a row, and of a column, up to which a dispatch goes through it several times.
    pub row_again: usize,
    pub column_again: usize,
    /// Of scans: rows from which on an invocation does one alone, where quads lie along them and
    /// where they lie across, if it ever does; and the elements of a column that are one chunk at
    /// most.
    pub alone: [usize; 2],
    pub alone_column: usize,
    /// Each resource's time for each feature.
    pub resources: &'static [(&'static str, Features)],
}

/// How a class of machines deals the rows of reductions to invocations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldProfile {
    /// Quads of an invocation at most.
    pub own: u32,
    /// Rows whose lanes one invocation folds alone have so many quads of them at
    /// most, and else so many invocations share a row, of which a workgroup has this many.
    pub row_own: u32,
    pub row_threads: u32,
    pub row_group: u32,
    /// Quads of columns that a workgroup folds, and lanes of them that an invocation folds.
    pub column_quads: u32,
    pub column_own: u32,
    /// Quads of columns, of so many each beside one another, from which on an invocation folds them
    /// alone, its lanes in turn: neighbouring columns fill a machine's vectors, and no invocation
    /// waits for another. It folds so many lanes in a turn.
    pub columns_alone: usize,
    pub column_turn: u32,
    pub column_beside: u32,
    /// Whether where operands lie moves by constant steps along a row: worth it where the index of
    /// each of a vector's invocations is computed by itself.
    pub stepped: bool,
    /// Quads that an invocation loads before it folds the first.
    pub together: u32,
    /// Quads of words that an invocation may hold of a row that it goes through several times: four registers each.
    pub held: usize,
    /// Rows, or quads of columns, of a workgroup of which each has an invocation alone.
    pub alone_group: u32,
}

/// A CPU that runs shaders, tuned on llvmpipe; a quad of a sum of two arrays takes 1.
pub(crate) const SOFTWARE: Profile = Profile {
    name: "software",
    spread: Spread::Consecutive,
    unit: None,
    together: 4,
    together_scattered: 1,
    tile_width: 4,
    stages: false,
    crossed: 1,
    block_depth: 64,
    idle_percent: 25,
    flight: 0.0,
    warp: 8.0,
    line: 64.0,
    sector: 64.0,
    cache: f64::INFINITY,
    far: &[(511, 0.0), (2048, 0.4)],
    fixed: 0.474,
    seen: 0.0,
    turns: 1 << 15,
    folds: FoldProfile {
        own: LANES as u32,
        row_own: 16,
        row_threads: 4,
        row_group: 8,
        column_quads: 16,
        column_own: 16,
        columns_alone: 16,
        column_turn: 8,
        column_beside: 4,
        stepped: true,
        together: 2,
        held: 32,
        alone_group: 8,
    },
    busy: 1 << 12,
    busy_from: 1 << 18,
    groups_at_once: false,
    joined: 2,
    copied: 256,
    row_again: 1 << 16,
    column_again: 1 << 11,
    alone: [1 << 8, 1 << 8],
    alone_column: 1 << 8,
    resources: &[("all", [0.0535, 0.0087, 0.0, 0.035, 1.0, 0.0, 0.0, 0.0])],
};

/// A GPU: cycles of a multiprocessor of an H200 for the 32 quads of a warp, by a model.
pub(crate) const GPU: Profile = Profile {
    name: "GPU",
    spread: Spread::Interleaved,
    unit: Some(16),
    together: 4,
    together_scattered: 4,
    tile_width: 8,
    stages: true,
    crossed: 4,
    block_depth: 64,
    idle_percent: 25,
    flight: 32.0,
    warp: 32.0,
    line: 128.0,
    sector: 32.0,
    cache: (25 << 20) as f64,
    far: &[],
    fixed: 0.0,
    seen: 0.1,
    turns: 1 << 15,
    folds: FoldProfile {
        own: LANES as u32,
        row_own: 1,
        row_threads: 64,
        row_group: 128,
        column_quads: 8,
        column_own: 8,
        columns_alone: usize::MAX,
        column_turn: 8,
        column_beside: 1,
        stepped: false,
        together: 8,
        held: 20,
        alone_group: 64,
    },
    busy: 1 << 14,
    busy_from: 1 << 15,
    groups_at_once: true,
    joined: 4,
    copied: 512,
    row_again: 1 << 14,
    column_again: 1 << 9,
    alone: [usize::MAX, 1 << 14],
    alone_column: usize::MAX,
    resources: &[
        (
            "instructions",
            [0.0, 1.0 / 3.3, 6.0 / 3.3, 0.0, 0.0, 0.0, 0.0, 0.0],
        ),
        ("L1", [0.0, 0.0, 0.0, 0.0, 0.0, 32.0, 0.0, 0.0]),
        (
            "L2",
            [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 32.0 * 32.0 / 24.7, 0.0],
        ),
        ("DRAM", [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 32.0 / 18.6]),
    ],
};

impl FoldProfile {
    /// The same for rows of which a kernel has the steps of so many quads of an invocation at most: a
    /// workgroup of `width` has more invocations for each of them.
    pub fn with_quads(&self, quads: usize, width: u32) -> Self {
        let most = 1 << quads.clamp(1, LANES).ilog2();
        let column_turn = self.column_turn.min(most);
        Self {
            own: most,
            row_own: self.row_own.min(most),
            row_threads: self.row_threads.max((LANES / QUAD) as u32 / most),
            column_own: self.column_own.min(most),
            column_quads: self.column_quads.min(width * most / LANES as u32).max(1),
            column_turn,
            column_beside: self.column_beside.min(most / column_turn),
            together: self.together.min(most),
            held: self.held.min(quads),
            ..*self
        }
    }
}

impl Profile {
    /// What a schedule costs: `used` is the share of its lanes that have elements.
    pub fn cost(&self, features: &Features, used: f64) -> Cost {
        let time = |of: &Features| of.iter().zip(features).map(|(a, b)| a * b).sum::<f64>();
        let times = || self.resources.iter().map(|(name, of)| (*name, time(of)));
        let (limit, longest) = times()
            .max_by(|a, b| a.1.total_cmp(&b.1))
            .unwrap_or_default();
        let all: f64 = times().map(|(_, time)| time).sum();
        Cost {
            profile: self.name,
            time: self.fixed / used + longest + self.seen * (all - longest),
            limit,
        }
    }
}

/// What a schedule costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    /// For each quad, in the profile's unit.
    pub time: f64,
    /// The resource that takes longest.
    pub limit: &'static str,
    /// The name of the profile.
    pub profile: &'static str,
}

/// A schedule that a pass may have, and what it would cost.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Candidate {
    pub name: ScheduleName,
    pub schedule: Schedule,
    pub features: Features,
    /// The share of its lanes that have elements.
    pub used: f64,
    pub cost: Cost,
}
