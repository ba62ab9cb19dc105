//! The addresses of each input's elements: the cursor `struct At`, `fn at`, which seeks, and `fn
//! next`, which advances.
//!
//! In mapping `rows` an `At` holds where each input's row begins, in `general` the coordinates of a
//! quad's four lanes, or their addresses if a loop goes over the axes or quads are unrolled along
//! the outermost axis. Hoisted loads are in it too.

use super::key::KeyInput;
use super::tail::{Tail, bits_type};
use super::template::emit;
use crate::plan::{LaneLoad, Lanes, Per, Schedule};

impl Tail<'_> {
    /// From one address of input `i` to the next, for quads unrolled along the outermost axis.
    pub(super) fn outermost_step(&self, i: usize) -> String {
        let outermost = self
            .key
            .rank
            .map_or("(table[1].x - 1u)".into(), |rank| format!("{}u", rank - 1));
        format!(
            "(table[{}].w * {})",
            self.axis_row(&outermost),
            self.stride(i, &outermost)
        )
    }

    /// Inputs whose address is computed from coordinates.
    pub(super) fn addressed(&self) -> impl Iterator<Item = usize> + '_ {
        let schedule = self.schedule;
        let is_addressed =
            move |x: &KeyInput| !x.in_place && schedule.is_some_and(|s| x.load.by_coordinates(s));
        self.key
            .inputs
            .iter()
            .enumerate()
            .filter(move |(_, x)| is_addressed(x))
            .map(|(i, _)| i)
    }

    /// Those of mapping `general` whose lanes are found anew for each quad.
    pub(super) fn addressed_per_quad(&self, i: usize) -> bool {
        let input = &self.key.inputs[i];
        self.schedule.is_some_and(|s| s.lanes == Lanes::Straddling)
            && !input.in_place
            && input.load.is_by_lanes()
            && !self.is_hoisted_gather(i)
    }

    /// Whether input `i` is gathered once for all quads of an invocation.
    pub(super) fn is_hoisted_gather(&self, i: usize) -> bool {
        let load = self.key.inputs[i].load;
        load.per == Per::Invocation && load.is_by_lanes()
    }

    /// Whether lanes past the end of the last quad may have addresses outside of what input `i`
    /// binds: the outermost coordinate does not wrap if quads are unrolled along that axis.
    pub(super) fn may_overrun(&self, i: usize) -> bool {
        self.splits_outermost() && self.addressed_per_quad(i)
    }

    fn splits_outermost(&self) -> bool {
        self.schedule.is_some_and(Schedule::splits_outermost)
    }

    fn powers_of_two(&self) -> bool {
        self.schedule.is_some_and(|s| s.powers_of_two)
    }

    /// Inputs that are splat and not the output's own elements.
    pub(super) fn splats(&self) -> impl Iterator<Item = usize> + '_ {
        let fits = |x: &KeyInput| x.load.lanes == LaneLoad::Broadcast && !x.in_place;
        self.key
            .inputs
            .iter()
            .enumerate()
            .filter(move |(_, x)| fits(x))
            .map(|(i, _)| i)
    }

    /// Periodic inputs, each with its period.
    pub(super) fn periodic(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        self.key
            .inputs
            .iter()
            .enumerate()
            .filter_map(|(i, x)| match x.load.lanes {
                LaneLoad::Periodic(extent) if !x.in_place && x.load.per == Per::Quad => {
                    Some((i, extent as usize))
                }
                _ => None,
            })
    }

    /// Whether input `i` may move along an axis; any may if a loop goes over the axes.
    pub(super) fn moves(&self, i: usize, axis: usize) -> bool {
        self.key.rank.is_none() || self.key.inputs[i].axes & 1 << axis != 0
    }

    /// The outermost axis that a placed input moves along.
    pub(super) fn top(&self) -> usize {
        let axes = self
            .addressed()
            .fold(0, |axes, i| axes | self.key.inputs[i].axes);
        (u16::BITS - axes.leading_zeros()).saturating_sub(1) as usize
    }

    /// `struct At`, `fn at`, and `fn next` if an invocation owns more than one.
    pub(super) fn addresses(&self, schedule: &Schedule, out: &mut String) {
        match (schedule.lanes, schedule.tiled_axis()) {
            (Lanes::Line, _) => self.flat_addresses(out),
            (Lanes::Rows, Some(axis)) => self.tile_addresses(axis, out),
            (Lanes::Rows, None) => self.row_addresses(schedule, out),
            (Lanes::Straddling, _) => self.lane_addresses(schedule, out),
        }
    }

    pub(super) fn cursor_struct(&self, mut members: Vec<String>, out: &mut String) {
        if members.is_empty() {
            members.push("none: u32".into());
        }
        emit! { out, value = members.join(", "); "struct At { {value} }" }
    }

    fn flat_addresses(&self, out: &mut String) {
        let splats: Vec<usize> = self.splats().collect();
        self.cursor_struct(
            splats
                .iter()
                .map(|i| format!("x{i}: {}", self.element(*i)))
                .collect(),
            out,
        );
        emit! { out;
            "fn at() -> At {"
            "    var found: At;"
        }
        for i in splats {
            emit! { out, i, offset = self.offset(i); "    found.x{i} = get{i}({offset});" }
        }
        emit! { out;
            "    return found;"
            "}"
        }
    }

    fn row_addresses(&self, schedule: &Schedule, out: &mut String) {
        let load = |i: usize| self.key.inputs[i].load;
        let is_splat = |i: usize| load(i).lanes == LaneLoad::Broadcast;
        let is_hoisted = |i: usize| load(i).per == Per::Invocation && !is_splat(i);
        // A splat input that advances to another element in the invocation's next row keeps its
        // address.
        let strided = schedule.splits_outermost();
        let axis = if strided {
            self.key.rank.map_or(0, |rank| rank - 1)
        } else {
            1
        };
        let advances = |i: usize| schedule.rows() > 1 && self.moves(i, axis) && !is_hoisted(i);
        let mut members = Vec::new();
        for i in self.addressed() {
            let of = match is_splat(i) {
                true => self.element(i),
                false if is_hoisted(i) => bits_type(self.key.inputs[i].unit()),
                false => "u32",
            };
            members.push(format!("x{i}: {of}"));
            if is_splat(i) && advances(i) {
                members.push(format!("s{i}: u32"));
            }
        }
        self.cursor_struct(members, out);
        emit! { out; "fn at(start: u32, column: u32) -> At {" }
        for i in self.addressed() {
            emit! { out, i, offset = self.offset(i); "    var p{i} = {offset};" }
        }
        if self.addressed().next().is_some() {
            emit! { out; "    var rest = start;" }
            self.each_axis(1, out, |axis, out| {
                for i in self
                    .addressed()
                    .filter(|&i| axis.is_none_or(|axis| self.moves(i, axis)))
                {
                    let number = axis.map_or("axis".into(), |axis| format!("{axis}u"));
                    emit! { out, i, stride = self.stride(i, &number);
                        "        p{i} += c * {stride};"
                    }
                }
            });
        }
        emit! { out; "    var found: At;" }
        for i in self.addressed() {
            let value = match is_splat(i) {
                true => format!("get{i}(p{i})"),
                false if is_hoisted(i) => self.wide_load(i, &format!("(p{i} + column) >> 2u")),
                false => format!("p{i}"),
            };
            emit! { out, i, value; "    found.x{i} = {value};" }
            if is_splat(i) && advances(i) {
                emit! { out, i; "    found.s{i} = p{i};" }
            }
        }
        emit! { out;
            "    return found;"
            "}"
            "fn next(at: At, by: u32) -> At {"
            "    var found = at;"
        }
        for i in self.addressed().filter(|&i| advances(i)) {
            let stride = if strided {
                self.outermost_step(i)
            } else {
                self.stride(i, "1u")
            };
            if is_splat(i) {
                emit! { out, i, stride;
                    "    found.s{i} += by * {stride};"
                    "    found.x{i} = get{i}(found.s{i});"
                }
            } else {
                emit! { out, i, stride; "    found.x{i} += by * {stride};" }
            }
        }
        emit! { out;
            "    return found;"
            "}"
        }
    }

    /// The coordinate `c` along each axis from `first` on, split off `rest`, with what is made of
    /// it. Where the axes are unrolled they end with the outermost that an input moves along;
    /// `None` stands for the variable of a loop.
    pub(super) fn each_axis(
        &self,
        first: usize,
        out: &mut String,
        each: impl Fn(Option<usize>, &mut String),
    ) {
        let split = |axis: &str, is_outermost: bool, out: &mut String| {
            emit! { out, axis_row = self.axis_row(axis);
                "        let axis_row = table[{axis_row}];"
            }
            if is_outermost {
                emit! { out; "        let c = rest;" }
            } else if self.powers_of_two() {
                emit! { out;
                    "        let c = rest & (axis_row.x - 1u);"
                    "        rest = rest >> axis_row.z;"
                }
            } else {
                emit! { out;
                    "        let left = divide(rest, axis_row);"
                    "        let c = rest - left * axis_row.x;"
                    "        rest = left;"
                }
            }
        };
        let Some(rank) = self.key.rank else {
            // With powers of two the outermost extent need not be one, and takes what is left.
            emit! { out, first; "    for (var axis = {first}u; axis < table[1].x; axis++) {" }
            if self.powers_of_two() {
                emit! { out, axis_row = self.axis_row("axis");
                    "        let axis_row = table[{axis_row}];"
                    "        let outermost = axis + 1u == table[1].x;"
                    "        let c = select(rest & (axis_row.x - 1u), rest, outermost);"
                    "        rest = rest >> axis_row.z;"
                }
            } else {
                split("axis", false, out);
            }
            each(None, out);
            emit! { out; "    }" }
            return;
        };
        let top = if self.schedule.is_some_and(Schedule::is_tiled) {
            rank - 1
        } else {
            self.top().min(rank - 1)
        };
        for axis in first..=top {
            emit! { out; "    {" }
            split(&format!("{axis}u"), axis + 1 == rank, out);
            each(Some(axis), out);
            emit! { out; "    }" }
        }
    }
}
