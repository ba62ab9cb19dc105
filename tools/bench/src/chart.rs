//! The results as a bar chart in SVG.

use std::fmt::Write as _;

use serde_json::Value;

use super::report::Row;

const BAR: f64 = 18.0;
const PITCH: f64 = 26.0;
const TOP: f64 = 92.0;
const NAMES: f64 = 140.0;
const PANEL: f64 = 330.0;
const GAP: f64 = 70.0;

/// One of the two panels: its title, where its axis ends, its bar, and what it shows of a row.
struct Panel {
    title: &'static str,
    note: &'static str,
    end: f64,
    tick: f64,
    /// The value a workload should reach, and whether more is better.
    goal: f64,
    more_is_better: bool,
    value: fn(&Bars) -> Option<f64>,
    label: fn(f64) -> String,
}

impl Panel {
    /// Where a value lies in the panel that begins at `left`.
    fn x(&self, left: f64, value: f64) -> f64 {
        left + PANEL * (value / self.end).min(1.0)
    }
}

const PANELS: [Panel; 2] = [
    Panel {
        title: "Share of a copy's rate",
        note: "bytes per second over a copy kernel's; dashed: 92 %, a GPU's goal",
        end: 1.2,
        tick: 0.2,
        goal: 0.92,
        more_is_better: true,
        value: |bars| bars.of_copy,
        label: |x| format!("{:.0} %", 100.0 * x),
    },
    Panel {
        title: "Time against a hand-written kernel",
        note: "1 is as fast, less is faster; dashed: 1.15",
        end: 3.0,
        tick: 0.5,
        goal: 1.15,
        more_is_better: false,
        value: |bars| bars.to_hand,
        label: |x| format!("{x:.2}"),
    },
];

/// What the chart shows of a workload.
#[derive(Debug, PartialEq)]
pub struct Bars {
    workload: String,
    of_copy: Option<f64>,
    to_hand: Option<f64>,
}

impl From<&Row> for Bars {
    fn from(row: &Row) -> Self {
        Self {
            workload: labelled(
                &row.workload,
                row.schedule.map(|name| name.to_string()).as_deref(),
            ),
            of_copy: row.ratio_to_copy_kernel().or(row.ratio_to_copy()),
            to_hand: row.ratio_to_handwritten(),
        }
    }
}

/// A workload's name, and the schedule that it was made to have.
pub fn labelled(workload: &str, schedule: Option<&str>) -> String {
    match schedule {
        None => workload.into(),
        Some(schedule) => format!("{workload}, {schedule}"),
    }
}

/// The chart of an earlier run's JSON lines, without those that were measured at low clocks.
///
/// # Errors
/// In words: a line that `--json` does not print, or there is none.
pub fn of_lines(text: &str) -> Result<String, String> {
    let mut bars = Vec::new();
    let mut run = None;
    for (n, line) in (1..).zip(text.lines()) {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("line {n}: {e}"))?;
        let missing = |name: &str| format!("line {n} has no `{name}`");
        let word = |name: &str| row[name].as_str().ok_or_else(|| missing(name));
        let title = format!("zerostride on {} ({})", word("adapter")?, word("backend")?);
        let software = row["software"]
            .as_bool()
            .ok_or_else(|| missing("software"))?;
        if *run.get_or_insert((title.clone(), software)) != (title, software) {
            return Err(format!("line {n} is of another adapter"));
        }
        if row["clocks"] == "low" {
            continue;
        }
        bars.push(Bars {
            workload: labelled(word("workload")?, row["schedule"].as_str()),
            // Lines before there was a copy kernel have the adapter's copy alone.
            of_copy: row["ratio_to_copy_kernel"]
                .as_f64()
                .or(row["ratio_to_copy"].as_f64()),
            to_hand: row["ratio_to_handwritten"].as_f64(),
        });
    }
    let (title, software) = run.ok_or("there is no line")?;
    Ok(svg(&bars, &title, software))
}

/// A chart of both ratios of every workload. An adapter that runs on the CPU has no goal against its
/// copy.
pub fn svg(rows: &[Bars], title: &str, software: bool) -> String {
    let rows: Vec<&Bars> = rows
        .iter()
        .filter(|r| r.of_copy.is_some() || r.to_hand.is_some())
        .collect();
    let width = NAMES + 2.0 * PANEL + GAP + 60.0;
    let bottom = TOP + PITCH * rows.len() as f64;
    let height = bottom + 34.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    text(
        &mut out,
        16.0,
        28.0,
        "start",
        "font-size=\"16\" font-weight=\"600\" fill=\"#1b1f24\"",
        title,
    );
    for (i, row) in rows.iter().enumerate() {
        let y = TOP + PITCH * i as f64 + BAR * 0.5 + 8.0;
        text(
            &mut out,
            NAMES - 10.0,
            y,
            "end",
            "fill=\"#1b1f24\"",
            &row.workload,
        );
    }
    for (p, panel) in PANELS.iter().enumerate() {
        let goal = (!software || !panel.more_is_better).then_some(panel.goal);
        draw(
            &mut out,
            panel,
            goal,
            NAMES + p as f64 * (PANEL + GAP),
            bottom,
            &rows,
        );
    }
    out.push_str("</svg>\n");
    out
}

fn draw(
    out: &mut String,
    panel: &Panel,
    goal: Option<f64>,
    left: f64,
    bottom: f64,
    rows: &[&Bars],
) {
    let top = |i: usize| TOP + PITCH * i as f64 + 4.0;
    draw_axis(out, panel, goal.is_some(), left, bottom);
    for (i, value) in rows.iter().map(|r| (panel.value)(r)).enumerate() {
        let Some(value) = value else { continue };
        let good = goal.is_none_or(|goal| {
            if panel.more_is_better {
                value >= goal
            } else {
                value <= goal
            }
        });
        let _ = writeln!(
            out,
            "<rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{BAR}\" rx=\"2\" fill=\"{}\"/>",
            top(i),
            (panel.x(left, value) - left).max(1.0),
            if good { "#2f81b7" } else { "#d9822b" }
        );
    }
    if let Some(goal) = goal {
        let x = panel.x(left, goal);
        line(out, x, bottom, "#1b1f24", " stroke-dasharray=\"4 3\"");
    }
    for (i, row) in rows.iter().enumerate() {
        let y = top(i) + 13.0;
        match (panel.value)(row) {
            Some(value) => draw_label(out, panel, value, left, y),
            None => text(out, left + 6.0, y, "start", "fill=\"#8c959f\"", "none"),
        }
    }
}

/// The title of a panel, what it says of its goal, and lines at whole ticks.
fn draw_axis(out: &mut String, panel: &Panel, has_goal: bool, left: f64, bottom: f64) {
    let style = "font-weight=\"600\" fill=\"#1b1f24\"";
    text(out, left, TOP - 38.0, "start", style, panel.title);
    let note = match has_goal {
        true => panel.note,
        false => panel.note.split(';').next().unwrap_or_default(),
    };
    let style = "font-size=\"11\" fill=\"#59636e\"";
    text(out, left, TOP - 20.0, "start", style, note);
    for k in 0..=(panel.end / panel.tick).round() as u32 {
        let value = f64::from(k) * panel.tick;
        let (x, label) = (panel.x(left, value), (panel.label)(value));
        line(out, x, bottom, "#e4e8ec", "");
        text(out, x, bottom + 16.0, "middle", style, &label);
    }
}

/// The value of a bar at its end.
fn draw_label(out: &mut String, panel: &Panel, value: f64, left: f64, y: f64) {
    let (x, label) = (panel.x(left, value), (panel.label)(value));
    if value > 0.8 * panel.end {
        // Inside the end of a long bar, so that no label leaves the panel.
        let style = "font-weight=\"600\" fill=\"#ffffff\"";
        text(out, x - 6.0, y, "end", style, &label);
    } else {
        let style = "fill=\"#1b1f24\" stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"";
        text(out, x + 6.0, y, "start", style, &label);
    }
}

fn line(out: &mut String, x: f64, bottom: f64, colour: &str, more: &str) {
    let top = TOP - 6.0;
    let _ = writeln!(
        out,
        "<line x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"{more}/>",
        bottom + 2.0
    );
}

pub fn text(out: &mut String, x: f64, y: f64, anchor: &str, style: &str, content: &str) {
    let content = content
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" {style}>{content}</text>"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(workload: &str, clocks: &str) -> String {
        format!(
            r#"{{"adapter":"A","backend":"Vulkan","software":false,"workload":"{workload}","clocks":{clocks},"ratio_to_copy":0.9}}"#
        )
    }

    #[test]
    fn what_was_measured_at_low_clocks_is_not_drawn() {
        let lines = [
            line("same_add", r#""steady""#),
            line("row_add", r#""low""#),
            line("col_add", "null"),
        ];
        let drawn = of_lines(&lines.join("\n")).unwrap();
        for (name, is_drawn) in [("same_add", true), ("row_add", false), ("col_add", true)] {
            let found = drawn.contains(&format!(">{name}</text>"));
            assert_eq!(found, is_drawn, "{name}: {drawn}");
        }
    }
}
