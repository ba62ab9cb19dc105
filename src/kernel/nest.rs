//! The generated `fn main` of an elementwise kernel: the quads of an invocation, their loads, the
//! steps, and the stores.
//!
//! The unrolled loops of the schedule are printed. A load that does not move along an unrolled loop
//! is printed once for the loop, which is all the hoisting. All loads of as many quads as the
//! schedule says come before their first store and, for GPUs, after all of their addresses. A quad past the end is
//! computed from elements that are there, and not stored.

use std::collections::HashSet;

use super::key::KernelKey;
use super::tail::{Tail, list};
use super::template::emit;
use crate::plan::{Along, Lanes, QUAD, Schedule, Spread, Threads};

/// An elementwise kernel.
pub(super) struct Nest<'a> {
    pub tail: Tail<'a>,
    pub key: &'a KernelKey,
    pub schedule: &'a Schedule,
}

/// A quad or pair of an invocation: its number downwards, and among those beside one another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub down: u32,
    pub beside: u32,
}

impl Unit {
    pub const FIRST: Self = Self { down: 0, beside: 0 };

    /// A name for a value of this quad, the same for all quads that differ from it only along
    /// loops that the value does not move along: down, beside.
    pub fn name(self, stem: &str, [down, beside]: [bool; 2]) -> String {
        let part = |moves: bool, letter: char, n: u32| match moves && n > 0 {
            true => format!("{letter}{n}"),
            false => String::new(),
        };
        let (down, beside) = (part(down, 'd', self.down), part(beside, 'b', self.beside));
        match (down.as_str(), beside.as_str()) {
            ("", "") => stem.into(),
            _ => format!("{stem}_{down}{beside}"),
        }
    }

    pub fn number(self) -> String {
        self.name("q", [true, true])
    }
}

impl Nest<'_> {
    /// `fn main`.
    pub fn main(&self, out: &mut String) {
        let [w, h] = self.schedule.workgroup;
        let invocations = w * h;
        if self.schedule.column_axis().is_some() {
            self.tiles(out);
        }
        emit! { out, invocations;
            "@compute @workgroup_size({invocations})"
            "fn main("
            "    @builtin(workgroup_id) id: vec3<u32>,"
            "    @builtin(num_workgroups) groups: vec3<u32>,"
            "    @builtin(local_invocation_index) local: u32,"
            ") {"
        }
        if self.key.calls > 1 {
            emit! { out;
                "    call = id.z;"
                "    let group = vec3<u32>(id.xy, 0u);"
            }
        } else {
            emit! { out; "    let group = id;" }
        }
        if let Some(axis) = self.schedule.column_axis() {
            return self.columns(axis, out);
        }
        let mut known = HashSet::new();
        self.uniform_loads(&mut known, out);
        match self.schedule.lanes {
            Lanes::Rows => self.rows(out),
            _ => self.quads_in_order(out),
        }
        let beside = 0..self.schedule.beside;
        let units: Vec<Unit> = (0..self.schedule.rows())
            .flat_map(|down| beside.clone().map(move |beside| Unit { down, beside }))
            .collect();
        // Two pairs are computed as one quad.
        let each = (QUAD / self.schedule.unit()).max(1);
        for units in units.chunks((self.schedule.together as usize).max(each)) {
            let places_first = self.schedule.places_first();
            if places_first {
                for &unit in units {
                    self.place_of(unit, &mut known, out);
                }
            }
            for quad in units.chunks(each) {
                for &unit in quad {
                    if !places_first {
                        self.place_of(unit, &mut known, out);
                    }
                    for i in 0..self.key.inputs.len() {
                        self.load(i, unit, &mut known, out);
                    }
                }
                let operands = list(0..self.key.inputs.len(), |i| self.operand(i, quad));
                emit! { out, n = quad[0].number(), operands;
                    "    let r{n} = quad({operands});"
                }
            }
            for quad in units.chunks(each) {
                self.store_units(quad, each, out);
            }
        }
        emit! { out; "}" }
    }

    /// Stores the units that were computed as one quad, of `each` at most.
    fn store_units(&self, quad: &[Unit], each: usize, out: &mut String) {
        for (k, &unit) in quad.iter().enumerate() {
            let result = format!("r{}", quad[0].number());
            let result = match each {
                1 => result,
                _ => format!("{}({result})", ["first_pair", "second_pair"][k]),
            };
            let n = unit.number();
            match self.present(unit) {
                None => emit! { out, n, result; "    store({n}, {result});" },
                Some(present) => emit! { out, n, result, present;
                    "    if {present} { store({n}, {result}); }"
                },
            }
        }
    }

    /// Which quad a straight invocation begins with: `q`.
    fn quads_in_order(&self, out: &mut String) {
        let ([w, h], beside) = (self.schedule.workgroup, self.schedule.beside);
        if self.schedule.has_blocks() {
            emit! { out, w, h, own = self.schedule.rows();
                "    let along = group.x * {w}u + local % {w}u;"
                "    let over = (group.z * groups.y + group.y) * {h}u + local / {w}u;"
                "    let q = over * {own}u * table.apart + along;"
                "    if along >= table.apart || q >= table.quads { return; }"
            }
            return;
        }
        let most = if self.schedule.splits_outermost() {
            "table.apart"
        } else {
            "table.quads"
        };
        let local = match self.schedule.spread {
            Spread::Consecutive if beside > 1 => format!("local * {beside}u"),
            _ => "local".into(),
        };
        emit! { out, own = w * beside, local, most;
            "    let q = ((group.z * groups.y + group.y) * groups.x + group.x) * {own}u + {local};"
            "    if q >= {most} { return; }"
        }
    }

    /// The row that an invocation begins with, and its quad there: `row`, `along`, `q`.
    fn rows(&self, out: &mut String) {
        let [w, h] = self.schedule.workgroup;
        match self.schedule.threads {
            Threads::Numbered => emit! { out, w;
                "    let number = ((group.z * groups.y + group.y) * groups.x + group.x) * {w}u + local;"
                "    let row = divide(2u * number, table.axes[0].multiplier, table.axes[0].shift);"
                "    let own = number - row * table.axes[0].extent;"
                "    if row >= table.high { return; }"
            },
            Threads::RowPerWorkgroup => emit! { out, w;
                "    let row = group.z * groups.y + group.y;"
                "    let own = group.x * {w}u + local;"
                "    if row >= table.high || own >= table.axes[0].extent { return; }"
            },
            Threads::RowsFirst => emit! { out, w;
                "    let row = group.x;"
                "    let own = (group.z * groups.y + group.y) * {w}u + local;"
                "    if row >= table.high || own >= table.axes[0].extent { return; }"
            },
            Threads::Tiles => emit! { out, w, h;
                "    let row = (group.z * groups.y + group.y) * {h}u + local / {w}u;"
                "    let own = group.x * {w}u + local % {w}u;"
                "    if row >= table.high || own >= table.axes[0].extent { return; }"
            },
        }
        let along = match (self.schedule.spread, self.schedule.beside) {
            (Spread::Consecutive, beside @ 2..) => format!("own * {beside}u"),
            _ => "own".into(),
        };
        emit! { out, along; "    let along = {along};" }
        let first = match self.schedule.down.map(|down| (down.along, down.quads)) {
            Some((Along::Axis(1), rows)) => format!("row * {rows}u * table.in_row + along"),
            // Added up from the coordinates of the row.
            Some((Along::Axis(_), _)) => "along".into(),
            _ => "row * table.in_row + along".into(),
        };
        let name = if self.adds_up_output() { "var" } else { "let" };
        emit! { out, name, first; "    {name} q = {first};" }
        self.row_addresses(out);
    }

    /// Whether the number of a quad in the output is added up from coordinates.
    pub fn adds_up_output(&self) -> bool {
        self.schedule.skips_rows()
    }

    /// The axis that quads beside one another lie along if each is in a row of its own.
    pub fn beside_axis(&self) -> Option<u32> {
        match self.schedule.spread {
            Spread::Axis { axis, .. } => Some(axis),
            Spread::Consecutive | Spread::Interleaved => None,
        }
    }

    /// The place in its row of a quad.
    pub fn along(&self, unit: Unit) -> String {
        unit.name("along", [false, self.beside_axis().is_none()])
    }

    /// Whether quads down may be missing.
    fn down_may_miss(&self) -> bool {
        self.schedule.splits_outermost()
    }

    /// What moves by `step` from one quad to the next one down, for this quad: `first` is its value
    /// for the first, `before` that for the one before it, which a missing quad has too.
    pub fn moved_down(&self, unit: Unit, first: &str, before: &str, step: &str) -> String {
        let by = match unit.down {
            1 => step.to_owned(),
            n => format!("{n}u * {step}"),
        };
        match self.down_may_miss() {
            true => format!("select({before}, {first} + {by}, has_d{})", unit.down),
            false => format!("{first} + {by}"),
        }
    }

    /// The condition for a quad to be there, if it may be missing.
    fn present(&self, unit: Unit) -> Option<String> {
        let down = (unit.down > 0 && self.down_may_miss()).then(|| format!("has_d{}", unit.down));
        let beside = unit.beside > 0 && self.beside_axis().is_none();
        let beside = beside.then(|| format!("has_b{}", unit.beside));
        match (down, beside) {
            (Some(down), Some(beside)) => Some(format!("{down} && {beside}")),
            (down, beside) => down.or(beside),
        }
    }

    /// The numbers and addresses of a quad, as far as they are not known from others.
    fn place_of(&self, unit: Unit, known: &mut HashSet<String>, out: &mut String) {
        let Unit { down, beside } = unit;
        if down > 0 && self.down_may_miss() && known.insert(format!("has_d{down}")) {
            // Of rows that a workgroup shares, all invocations know the same.
            let (from, step, end) = match self.schedule.lanes {
                Lanes::Rows => ("row", "table.high", "table.rows"),
                _ => ("q", "table.apart", "table.quads"),
            };
            emit! { out, down, from, step, end;
                "    let has_d{down} = {from} + {down}u * {step} < {end};"
            }
        }
        if beside > 0 && known.insert(format!("has_b{beside}")) {
            self.beside(beside, out);
        }
        if down > 0 {
            let number = |down| Unit { down, beside }.number();
            let place = self.moved_down(unit, &number(0), &number(down - 1), "table.apart");
            emit! { out, n = unit.number(), place; "    let {n} = {place};" }
        }
        match self.schedule.lanes {
            Lanes::Line | Lanes::Column => {}
            Lanes::Rows => self.further_rows(unit, known, out),
            Lanes::Straddling(_) => self.lane_addresses(unit, known, out),
        }
    }

    /// Where the quad lies that is `beside` further than the first: `q_b{beside}`, and in rows its
    /// place in the row, `along_b{beside}`.
    fn beside(&self, beside: u32, out: &mut String) {
        if let Some(axis) = self.beside_axis() {
            let step = self.part(&format!("table.axes[{axis}].step"));
            emit! { out, beside, step; "    let q_b{beside} = q + {beside}u * {step};" }
            return;
        }
        let rows = self.schedule.lanes == Lanes::Rows;
        let step = match (self.schedule.spread, rows) {
            (Spread::Consecutive, _) => format!("{beside}u"),
            (Spread::Interleaved | Spread::Axis { .. }, true) => {
                format!("{beside}u * table.axes[0].extent")
            }
            (Spread::Interleaved | Spread::Axis { .. }, false) => {
                format!("{}u", beside * self.schedule.workgroup[0])
            }
        };
        if rows {
            emit! { out, beside, step;
                "    let has_b{beside} = along + {step} < table.in_row;"
                "    let along_b{beside} = select(along, along + {step}, has_b{beside});"
                "    let q_b{beside} = q - along + along_b{beside};"
            }
        } else {
            emit! { out, beside, step;
                "    let has_b{beside} = q + {step} < table.quads;"
                "    let q_b{beside} = select(q, q + {step}, has_b{beside});"
            }
        }
    }
}
