//! Rates beside those of a peer as a bar chart in SVG.

use std::fmt::Write as _;

use serde_json::Value;

use super::chart::{labelled, text};

const BAR: f64 = 12.0;
const PITCH: f64 = 36.0;
const TOP: f64 = 96.0;
const LEFT: f64 = 150.0;
const PANEL: f64 = 560.0;
const TIMES: f64 = 90.0;
const TICK: f64 = 1000.0;
const OURS: &str = "#2f81b7";
const THEIRS: &str = "#b8bfc6";
const INK: &str = "#1b1f24";
const GREY: &str = "#59636e";

/// Bytes a second in gigabytes, by the bytes that both must read and write.
#[derive(Debug, PartialEq)]
struct Pair {
    workload: String,
    ours: f64,
    theirs: Option<f64>,
}

/// What a peer has printed.
#[derive(Debug, PartialEq)]
struct Peer {
    /// Its name and version.
    name: String,
    /// The rate of its copy.
    copy: Option<f64>,
}

/// The chart of the lines that `--json` has printed, beside those of `tools/gpu-day/torch_peer.py`.
///
/// # Errors
/// In words: a line that neither prints, or no workload of both at one size.
pub fn of_lines(rows: &str, peers: &str) -> Result<String, String> {
    let rows = parsed(rows, "of the benchmark")?;
    let peers = parsed(peers, "of the peer")?;
    let (title, pairs) = pairs(&rows, &peers)?;
    let peer = peer(&peers)?;
    Ok(svg(&pairs, &peer, &title))
}

/// The lines but those that were measured at low clocks, whose figures are not to be published.
fn parsed(lines: &str, of: &str) -> Result<Vec<Value>, String> {
    let one = |(n, line)| serde_json::from_str(line).map_err(|e| format!("line {n} {of}: {e}"));
    let all: Result<Vec<Value>, String> = (1..).zip(lines.lines()).map(one).collect();
    let mut all = all?;
    all.retain(|line| line["clocks"] != "low");
    Ok(all)
}

/// The eager rows' rates by workload and size; lines that say why nothing was measured have none.
fn pairs(rows: &[Value], peers: &[Value]) -> Result<(String, Vec<Pair>), String> {
    let (mut pairs, mut title) = (Vec::new(), None);
    for row in rows.iter().filter(|row| row["error"].is_null()) {
        let missing = |name: &str| format!("a line of the benchmark has no `{name}`");
        let word = |name: &str| row[name].as_str().ok_or_else(|| missing(name));
        let number = |name: &str| row[name].as_f64().ok_or_else(|| missing(name));
        let adapter = format!("zerostride on {} ({})", word("adapter")?, word("backend")?);
        if *title.get_or_insert(adapter.clone()) != adapter {
            return Err("the lines of the benchmark are of two adapters".into());
        }
        let (workload, bytes) = (word("workload")?, number("bytes_moved")?);
        let theirs = peers.iter().find(|peer| {
            peer["peer"] == "torch-eager"
                && peer["workload"] == workload
                && peer["log2"] == row["log2"]
        });
        let theirs = theirs.and_then(|peer| peer["median_ns"].as_f64());
        pairs.push(Pair {
            workload: labelled(workload, row["schedule"].as_str()),
            ours: bytes / number("median_ns")?,
            theirs: theirs.map(|ns| bytes / ns),
        });
    }
    let title = title.ok_or("the benchmark has no line with figures")?;
    match pairs.iter().any(|pair| pair.theirs.is_some()) {
        true => Ok((title, pairs)),
        false => Err("no workload of both has one size".into()),
    }
}

fn peer(lines: &[Value]) -> Result<Peer, String> {
    let version = lines.iter().find_map(|line| line["torch"].as_str());
    let copy = lines.iter().find(|line| line["peer"] == "torch-copy");
    Ok(Peer {
        name: format!(
            "PyTorch {}, eager",
            version.ok_or("no line of the peer has `torch`")?
        ),
        copy: copy.and_then(|line| line["gbps"].as_f64()),
    })
}

fn svg(pairs: &[Pair], peer: &Peer, title: &str) -> String {
    let rates = pairs
        .iter()
        .flat_map(|pair| [Some(pair.ours), pair.theirs, peer.copy]);
    let most = rates.flatten().fold(TICK, f64::max);
    // Labels stand behind the bars.
    let end = (1.08 * most / TICK).ceil() * TICK;
    let x = |rate: f64| LEFT + PANEL * rate / end;
    let (width, bottom) = (LEFT + PANEL + TIMES, TOP + PITCH * pairs.len() as f64);
    let height = bottom + 34.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"system-ui, Helvetica, Arial, DejaVu Sans, sans-serif\" font-size=\"12\">\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
    );
    let bold = format!("font-size=\"16\" font-weight=\"600\" fill=\"{INK}\"");
    text(&mut out, 16.0, 28.0, "start", &bold, title);
    legend(&mut out, peer);
    let mut tick = 0.0;
    while tick <= end {
        rule(&mut out, x(tick), bottom, "#e4e8ec", "");
        let small = format!("font-size=\"11\" fill=\"{GREY}\"");
        let label = format!("{tick:.0}");
        text(&mut out, x(tick), bottom + 16.0, "middle", &small, &label);
        tick += TICK;
    }
    if let Some(copy) = peer.copy {
        rule(
            &mut out,
            x(copy),
            bottom,
            INK,
            " stroke-dasharray=\"4 3\" stroke-opacity=\"0.6\"",
        );
    }
    for (i, pair) in pairs.iter().enumerate() {
        bars(&mut out, pair, TOP + PITCH * i as f64 + 4.0, &x);
    }
    out.push_str("</svg>\n");
    out
}

/// What the colours and the dashed line are, and the head of the last column.
fn legend(out: &mut String, peer: &Peer) {
    let small = format!("font-size=\"11\" fill=\"{GREY}\"");
    let note = "GB/s: bytes that must be read and written, over the median time";
    text(out, LEFT, 50.0, "start", &small, note);
    let dashed = peer.copy.map_or(String::new(), |copy| {
        format!("; dashed: its copy, {copy:.0}")
    });
    for (at, fill, label) in [
        (LEFT, OURS, "zerostride".to_string()),
        (LEFT + 110.0, THEIRS, peer.name.clone() + &dashed),
    ] {
        square(out, at, 62.0, BAR, fill);
        let style = format!("fill=\"{INK}\"");
        text(out, at + BAR + 6.0, 72.0, "start", &style, &label);
    }
    let head = "times as fast";
    text(out, LEFT + PANEL + TIMES - 12.0, 72.0, "end", &small, head);
}

/// Both bars of a workload with their rates, and how many times as fast the first is.
fn bars(out: &mut String, pair: &Pair, top: f64, x: &dyn Fn(f64) -> f64) {
    let style = format!("fill=\"{INK}\"");
    let middle = top + BAR + 4.0;
    text(out, LEFT - 10.0, middle, "end", &style, &pair.workload);
    let halo = "stroke=\"#ffffff\" stroke-width=\"3\" paint-order=\"stroke\"";
    let small = |fill: &str| format!("font-size=\"11\" fill=\"{fill}\" {halo}");
    let mut bar = |rate: f64, y: f64, fill: &str, ink: &str| {
        square(out, LEFT, y, (x(rate) - LEFT).max(1.0), fill);
        let label = format!("{rate:.0}");
        text(out, x(rate) + 6.0, y + 10.0, "start", &small(ink), &label);
    };
    bar(pair.ours, top, OURS, INK);
    let Some(theirs) = pair.theirs else {
        let (y, none) = (top + BAR + 11.0, small("#8c959f"));
        text(out, LEFT + 6.0, y, "start", &none, "not measured");
        return;
    };
    bar(theirs, top + BAR + 1.0, THEIRS, GREY);
    let times = format!("{:.2} x", pair.ours / theirs);
    text(
        out,
        LEFT + PANEL + TIMES - 12.0,
        middle,
        "end",
        &style,
        &times,
    );
}

fn square(out: &mut String, x: f64, y: f64, width: f64, fill: &str) {
    let _ = writeln!(
        out,
        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\" rx=\"2\" fill=\"{fill}\"/>"
    );
}

fn rule(out: &mut String, x: f64, bottom: f64, colour: &str, more: &str) {
    let top = TOP - 6.0;
    let _ = writeln!(
        out,
        "<line x1=\"{x:.1}\" y1=\"{top:.1}\" x2=\"{x:.1}\" y2=\"{:.1}\" stroke=\"{colour}\"{more}/>",
        bottom + 2.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(workload: &str, log2: u32) -> String {
        format!(
            r#"{{"adapter":"A & B","backend":"Vulkan","workload":"{workload}","log2":{log2},"bytes_moved":8000,"median_ns":4}}"#
        )
    }

    fn theirs(peer: &str, workload: &str, ns: u32) -> String {
        format!(
            r#"{{"peer":"{peer}","torch":"2.11","workload":"{workload}","log2":26,"median_ns":{ns},"gbps":1500.0}}"#
        )
    }

    #[test]
    fn both_rates_are_by_the_same_bytes_and_beside_them_their_ratio() {
        let rows = [row("same_add", 26), row("pow", 26)].join("\n");
        let peers = [
            theirs("torch-copy", "copy", 1),
            theirs("torch-compile", "same_add", 1),
            theirs("torch-eager", "same_add", 10),
        ];
        let drawn = of_lines(&rows, &peers.join("\n")).unwrap();
        for text in [
            "zerostride on A &amp; B (Vulkan)",
            "PyTorch 2.11, eager; dashed: its copy, 1500",
            ">2000<",
            ">800<",
            ">2.50 x<",
            "not measured",
        ] {
            assert!(drawn.contains(text), "{text}: {drawn}");
        }
        assert_eq!(drawn.matches(" x<").count(), 1);
    }

    #[test]
    fn what_was_measured_at_low_clocks_is_drawn_of_neither() {
        let low = |line: String| line.replace("\"log2\"", "\"clocks\":\"low\",\"log2\"");
        let rows = [row("same_add", 26), low(row("row_add", 26)), row("pow", 26)];
        let peers = [
            theirs("torch-eager", "same_add", 10),
            theirs("torch-eager", "row_add", 10),
            low(theirs("torch-eager", "pow", 10)),
        ];
        let drawn = of_lines(&rows.join("\n"), &peers.join("\n")).unwrap();
        assert!(
            drawn.contains(">pow<") && !drawn.contains("row_add"),
            "{drawn}"
        );
        assert_eq!(drawn.matches("not measured").count(), 1, "{drawn}");
    }

    #[test]
    fn bars_end_within_the_panel_whatever_the_rates() {
        let fast = Pair {
            workload: "w".into(),
            ours: 123_456.0,
            theirs: Some(1.0),
        };
        let peer = Peer {
            name: "p".into(),
            copy: None,
        };
        let drawn = svg(&[fast], &peer, "t");
        let widths = drawn
            .split("width=\"")
            .skip(3)
            .map(|w| w.split('"').next().unwrap().parse::<f64>().unwrap_or(0.0));
        assert!(widths.into_iter().all(|w| w <= PANEL), "{drawn}");
    }

    #[test]
    fn lines_of_two_adapters_of_other_sizes_or_without_figures_are_errors() {
        let peers = theirs("torch-eager", "same_add", 10);
        let other = row("same_add", 26).replace("A & B", "C");
        let error = r#"{"workload":"same_add","error":"out of memory"}"#;
        for (rows, peers, said) in [
            (row("same_add", 24), &peers, "no workload of both"),
            (
                [row("same_add", 26), other].join("\n"),
                &peers,
                "two adapters",
            ),
            (error.into(), &peers, "no line with figures"),
            (row("same_add", 26), &"{".to_string(), "line 1 of the peer"),
            ("{}".into(), &peers, "has no `adapter`"),
        ] {
            let found = of_lines(&rows, peers).unwrap_err();
            assert!(found.contains(said), "{found}");
        }
    }
}
