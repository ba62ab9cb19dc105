//! The addresses of a quad's lanes in mapping general: `At` holds their coordinates, or, if a loop
//! goes over the axes or quads are unrolled along the outermost axis, their addresses.

use super::tail::{Tail, bits_type};
use super::template::emit;
use crate::plan::Schedule;

impl Tail<'_> {
    /// Whether an `At` of mapping `general` holds coordinates.
    fn has_coordinates(&self, schedule: &Schedule) -> bool {
        self.key.rank.is_some() && !schedule.splits_outermost()
    }

    pub fn lane_addresses(&self, schedule: &Schedule, out: &mut String) {
        let coordinates = self.has_coordinates(schedule);
        let splats: Vec<usize> = self.splats().collect();
        let any = self.addressed().next().is_some();
        let axes = if coordinates && any {
            0..self.top() + 1
        } else {
            0..0
        };
        let mut members: Vec<String> = axes
            .clone()
            .map(|axis| format!("c{axis}: vec4<u32>"))
            .collect();
        members.extend(splats.iter().map(|i| format!("x{i}: {}", self.element(*i))));
        members.extend(self.periodic().map(|(i, _)| format!("x{i}: vec3<u32>")));
        if !coordinates {
            let of = |i| {
                if self.is_hoisted_gather(i) {
                    bits_type(self.key.inputs[i].unit())
                } else {
                    "vec4<u32>"
                }
            };
            members.extend(self.addressed().map(|i| format!("x{i}: {}", of(i))));
        }
        self.cursor_struct(members, out);
        emit! { out;
            "fn at(start: u32) -> At {"
            "    var found: At;"
        }
        for i in splats {
            emit! { out, i, offset = self.offset(i); "    found.x{i} = get{i}({offset});" }
        }
        for (i, extent) in self.periodic() {
            // Rotated so that the first lane's element comes first.
            let (offset, stride) = (self.offset(i), self.stride(i, "0u"));
            let times = if self.key.inputs[i].unit_stride {
                String::new()
            } else {
                format!(" * {stride}")
            };
            let lanes = [0, 1, 2]
                .map(|k| format!("get{i}({offset} + {}u{times})", k % extent))
                .join(", ");
            emit! { out, i, lanes, extent;
                "    let v{i} = vec3<u32>({lanes});"
                "    let c{i} = start % {extent}u;"
            }
            let once = format!("select(v{i}, v{i}.{}, c{i} == 1u)", rotated(1, extent));
            let twice = format!("select({once}, v{i}.{}, c{i} == 2u)", rotated(2, extent));
            emit! { out, i, value = if extent == 2 { once } else { twice };
                "    found.x{i} = {value};"
            }
        }
        if !coordinates {
            for i in self.addressed() {
                emit! { out, i, offset = self.offset(i); "    var p{i} = vec4<u32>({offset});" }
            }
        }
        if any {
            emit! { out;
                "    var rest = start;"
                "    var add = vec4<u32>(0u, 1u, 2u, 3u);"
            }
            self.lanes(coordinates, out);
        }
        if !coordinates {
            for i in self.addressed() {
                let value = if self.is_hoisted_gather(i) {
                    self.gather(i, &format!("p{i}"))
                } else {
                    format!("p{i}")
                };
                emit! { out, i, value; "    found.x{i} = {value};" }
            }
        }
        emit! { out;
            "    return found;"
            "}"
        }
        self.advance_lanes(schedule, axes, out);
        for i in self.addressed() {
            if self.is_hoisted_gather(i) {
                continue;
            }
            let place = match coordinates {
                false if self.may_overrun(i) => {
                    let a_word = (4 / self.key.inputs[i].unit().size()).max(1);
                    format!(
                        "min(at.x{i}, vec4<u32>({} * {a_word}u - 1u))",
                        self.length(i)
                    )
                }
                false => format!("at.x{i}"),
                true => {
                    let mut sum = format!("vec4<u32>({})", self.offset(i));
                    for axis in (0..=self.top()).filter(|&axis| self.moves(i, axis)) {
                        sum.push_str(&format!(
                            " + at.c{axis} * {}",
                            self.stride(i, &format!("{axis}u"))
                        ));
                    }
                    sum
                }
            };
            emit! { out, i, place; "fn place{i}(at: At) -> vec4<u32> { return {place}; }" }
        }
    }

    /// The lanes' coordinates of a quad's first element, carried on from axis to axis.
    fn lanes(&self, coordinates: bool, out: &mut String) {
        let carried = |axis: Option<usize>, out: &mut String| {
            emit! { out;
                "        let wide = vec4<u32>(c) + add;"
                "        let once = wrap(wide, axis_row.x);"
            }
            if axis.is_none_or(|axis| axis == 0) {
                // Along the innermost axis an extent of 2 is passed twice by four lanes.
                emit! { out;
                    "        add = carry(wide, axis_row.x) + carry(once, axis_row.x);"
                    "        let lanes = wrap(once, axis_row.x);"
                }
            } else {
                emit! { out;
                    "        add = carry(wide, axis_row.x);"
                    "        let lanes = once;"
                }
            }
            if let (Some(axis), true) = (axis, coordinates) {
                emit! { out, axis; "        found.c{axis} = lanes;" }
                return;
            }
            for i in self
                .addressed()
                .filter(|&i| axis.is_none_or(|axis| self.moves(i, axis)))
            {
                let number = axis.map_or("axis".into(), |axis| format!("{axis}u"));
                emit! { out, i, stride = self.stride(i, &number);
                    "        p{i} += lanes * {stride};"
                }
            }
        };
        self.each_axis(0, out, carried);
    }

    /// `fn next`: the coordinates of the invocation's next quad, by adding the digits of the step.
    fn advance_lanes(&self, schedule: &Schedule, axes: std::ops::Range<usize>, out: &mut String) {
        emit! { out;
            "fn next(at: At) -> At {"
            "    var found = at;"
        }
        if schedule.splits_outermost() {
            for i in self.addressed().filter(|&i| !self.is_hoisted_gather(i)) {
                emit! { out, i, outermost_step = self.outermost_step(i);
                    "    found.x{i} += vec4<u32>({outermost_step});"
                }
            }
            emit! { out;
                "    return found;"
                "}"
            }
            return;
        }
        for (i, extent) in self.periodic() {
            let by = schedule.step_beside() % extent;
            if by > 0 {
                emit! { out, i, turned = rotated(by, extent); "    found.x{i} = at.x{i}.{turned};" }
            }
        }
        emit! { out; "    var add = vec4<u32>(0u);" }
        for axis in axes {
            let row = self.axis_row(&format!("{axis}u"));
            emit! { out, row, axis;
                "    {"
                "        let axis_row = table[{row}];"
                "        let wide = at.c{axis} + vec4<u32>(axis_row.w) + add;"
                "        add = carry(wide, axis_row.x);"
                "        found.c{axis} = wrap(wide, axis_row.x);"
                "    }"
            }
        }
        emit! { out;
            "    return found;"
            "}"
        }
    }
}

/// The swizzle that rotates three elements of this period by `by`.
fn rotated(by: usize, extent: usize) -> String {
    (0..3).map(|k| ["x", "y", "z"][(k + by) % extent]).collect()
}
