//! What the traffic of a kernel would cost on an H200.

use serde::Serialize;

use crate::launch::Launch;
use crate::memory::LANES;
use crate::trace::Traced;

/// Bytes a second of DRAM, as a copy sees it, and of the L2.
const DRAM: f64 = 4.3e12;
const L2: f64 = 5.7e12;
/// Lookups of lines a second: one a cycle in each L1.
const LOOKUPS: f64 = 132.0 * 1.75e9;
/// Steps of warps a second: a multiprocessor issues some 2.5 a cycle, half of them integers, and a
/// compiler leaves some three of four.
const STEPS: f64 = 132.0 * 1.75e9 * 2.5 / 0.75;
/// Steps of an access: its address in 64 bits and the check of its bounds.
const ADDRESS: u64 = 6;

/// The figures of a launch; shares are percentages.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    pub name: String,
    pub by: &'static str,
    pub mapping: String,
    /// Bytes that accesses want, over those of the sectors that they touch.
    pub load: f64,
    pub store: f64,
    /// Lines looked up, over the fewest.
    pub lines: f64,
    /// Distinct bytes, over those between the L1s and the L2, and between that and DRAM.
    pub l2: f64,
    pub dram: f64,
    /// Of the rate of a copy, as the traffic allows it.
    pub traffic: f64,
    /// The same with arithmetic.
    pub model: f64,
    /// What bounds that: dram, l2, l1 or alu.
    pub limit: &'static str,
    /// Loads, stores and arithmetic instructions for each 16 bytes that a lane writes.
    pub loads: f64,
    pub stores: f64,
    pub steps: f64,
    /// Bytes that an invocation loads before its first store.
    pub flight: f64,
    /// Lanes that take no part in accesses.
    pub idle: f64,
    /// Cycles of workgroup memory, over the fewest; 0 if there is none.
    pub bank: f64,
    /// Distinct bytes, and those that must be read and written, if the plan is one dispatch.
    pub distinct: u64,
    pub bytes: Option<u64>,
    #[serde(skip)]
    pub is_transpose: bool,
}

fn percent(part: f64, whole: f64) -> f64 {
    if whole == 0.0 {
        100.0
    } else {
        100.0 * part / whole
    }
}

/// The figures of what was traced.
pub fn figures(launch: &Launch, traced: &Traced) -> Figures {
    let c = &traced.counts;
    let distinct = c.unique_reads + c.unique_writes;
    // Of a whole plan no more is needed than it says itself.
    let needed = launch
        .bytes
        .filter(|_| traced.is_whole)
        .map_or(distinct, |bytes| bytes.min(distinct));
    let sectors = |n: u64| 32.0 * n as f64;
    let (l2, dram) = (
        sectors(c.l2_reads + c.l2_writes),
        sectors(c.dram_reads + c.dram_writes),
    );
    let traffic = [
        ("dram", dram / DRAM),
        ("l2", l2 / L2),
        (
            "l1",
            (c.load_lines as f64 + c.store_sectors as f64 / 4.0 + c.shared as f64) / LOOKUPS,
        ),
    ];
    let alu = (
        "alu",
        (c.steps + ADDRESS * (c.loads + c.stores)) as f64 / STEPS,
    );
    let longest = |all: &[(&'static str, f64)]| {
        all.iter().copied().fold(
            ("dram", 0.0),
            |most, one| if one.1 > most.1 { one } else { most },
        )
    };
    let (_, by_traffic) = longest(&traffic);
    let (limit, time) = longest(&[&traffic[..], &[alu]].concat());
    let ideal = needed as f64 / DRAM;
    let quads = c.unique_writes as f64 / 16.0 / LANES as f64;
    Figures {
        name: launch.name.clone(),
        by: launch.by,
        mapping: launch.mapping.clone(),
        load: percent(c.load_least, c.load_sectors as f64),
        store: percent(c.store_least, c.store_sectors as f64),
        lines: c.load_lines as f64 / c.load_lines_least.max(1.0),
        l2: percent(needed as f64, l2),
        dram: percent(needed as f64, dram),
        traffic: percent(ideal, by_traffic),
        model: percent(ideal, time),
        limit,
        loads: c.loads as f64 / quads,
        stores: c.stores as f64 / quads,
        steps: c.steps as f64 / quads,
        flight: c.flight as f64 / c.invocations as f64,
        idle: 100.0 - percent(c.lanes as f64, c.all_lanes as f64),
        bank: if c.shared_least == 0 {
            0.0
        } else {
            c.shared as f64 / c.shared_least as f64
        },
        distinct,
        bytes: launch.bytes,
        is_transpose: launch.is_transpose,
    }
}
