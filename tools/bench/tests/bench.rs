//! The benchmark, run as a user would run it. An adapter is needed.

use std::process::{Command, Output};

use serde_json::Value;

fn run(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_zerostride-bench"))
        .args(args)
        .output()
        .unwrap()
}

/// What a run that succeeds prints.
fn printed(args: &[&str]) -> String {
    let out = run(args);
    assert!(out.status.success(), "{args:?}: {out:?}");
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn help_has_examples_and_needs_nothing() {
    let help = printed(&["--help"]);
    assert!(
        help.contains("Usage: zerostride-bench") && help.contains("Examples:"),
        "{help}"
    );
    assert!(
        printed(&["--list"])
            .lines()
            .any(|line| line.starts_with("same_add "))
    );
}

#[test]
fn a_folder_of_kernels_that_is_not_there_is_an_error_shown_without_its_control_characters() {
    let out = run(&["same_add", "--kernels", "nowhere\u{1b}[31m"]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        out.status.code() == Some(1) && said.contains("nowhere"),
        "{said}"
    );
    assert!(!said.contains('\u{1b}'), "{said}");
}

#[test]
fn a_workload_is_verified_and_timed_beside_its_kernel_by_hand() {
    let line = printed(&["same_add", "--log2", "12", "--runs", "1", "--json"]);
    let row: Value = serde_json::from_str(&line).unwrap();
    assert_eq!(
        (&row["workload"], &row["elements"]),
        (&"same_add".into(), &4096.into()),
        "{line}"
    );
    assert!(
        row["ratio_to_handwritten"].as_f64().unwrap() > 0.0,
        "{line}"
    );
}

#[test]
fn a_row_has_both_copies_and_the_floor_and_on_software_no_clocks() {
    let line = printed(&["odd_row_add", "--log2", "10", "--runs", "1", "--json"]);
    let row: Value = serde_json::from_str(&line).unwrap();
    for field in ["ratio_to_copy", "ratio_to_copy_kernel", "floor_ns"] {
        assert!(row[field].as_f64().unwrap() > 0.0, "{field}: {line}");
    }
    let metered = row["software"] == false && row["timer"] == "gpu";
    assert_eq!(row["clock_mhz"].is_f64(), metered, "{line}");
    assert_eq!(row["clocks"].is_string(), metered, "{line}");
}

#[test]
fn clocks_are_metered_if_they_are_asked_for() {
    let args = [
        "same_add",
        "--log2",
        "10",
        "--runs",
        "1",
        "--profile",
        "gpu",
    ];
    let line = printed(&[&args[..], &["--json"]].concat());
    let row: Value = serde_json::from_str(&line).unwrap();
    assert!(row["clock_mhz"].as_f64().unwrap() > 0.0, "{line}");
    assert!(row["clock_spread"].as_f64().unwrap() >= 0.0, "{line}");
    let low = row["clocks"] == "low";
    assert!(low || row["clocks"] == "steady", "{line}");
    let dropped = row["rounds_dropped"].as_u64().unwrap();
    assert!(!low || dropped > 0, "{line}");
}

#[test]
fn all_workloads_are_verified_before_any_is_timed() {
    // The second one cannot have the schedule, which its verification says first.
    let args = [
        "transpose_add",
        "u8_row_add",
        "--schedule",
        "tile",
        "--json",
    ];
    let text = printed(&[&args[..], &["--log2", "10", "--runs", "1"]].concat());
    let names: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["workload"].take())
        .collect();
    assert_eq!(names, ["u8_row_add", "transpose_add"]);
}

#[test]
fn products_and_what_is_taken_numbered_or_moved_agree_with_the_reference() {
    let names = [
        "take_rows",
        "arange_add",
        "roll_rows",
        "pad_rows",
        "matmul*",
        "vecmat",
    ];
    for log2 in ["10", "15"] {
        let text = printed(&[&names[..], &["--log2", log2, "--runs", "1", "--json"]].concat());
        let rows: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert!(rows.len() == 8, "{text}");
        assert!(rows.iter().all(|row| row["verified"] == true), "{text}");
    }
}

#[test]
fn sorts_and_sums_up_to_each_along_columns_agree_with_the_reference() {
    let names = ["sort_rows", "argsort_rows", "cumsum_columns"];
    let text = printed(&[&names[..], &["--log2", "13", "--runs", "1", "--json"]].concat());
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(rows.len() == 3, "{text}");
    assert!(rows.iter().all(|row| row["verified"] == true), "{text}");
}

#[test]
fn a_chart_of_printed_lines_shows_each_workload() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let [lines, chart] = ["lines.jsonl", "lines.svg"].map(|name| format!("{folder}/{name}"));
    let names = ["same_add", "row_add"];
    let small = ["--log2", "10", "--runs", "1", "--json"];
    std::fs::write(&lines, printed(&[&names[..], &small].concat())).unwrap();
    printed(&["--from", &lines, "--chart", &chart]);
    let drawn = std::fs::read_to_string(&chart).unwrap();
    for name in names {
        assert!(drawn.contains(&format!(">{name}</text>")), "{drawn}");
    }
    std::fs::write(&lines, "{}\n").unwrap();
    let out = run(&["--from", &lines, "--chart", &chart]);
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        out.status.code() == Some(1) && said.contains("line 1 has no `adapter`"),
        "{said}"
    );
}

#[test]
fn broadcasts_are_timed_beside_the_sum_of_one_shape() {
    let shapes = "[N,3,20]+[N,1,20]";
    let few = ["--broadcasts", shapes, "--log2", "10", "--runs", "1"];
    let line = printed(&[&few[..], &["--json"]].concat());
    let row: Value = serde_json::from_str(&line).unwrap();
    assert!(
        row["workload"] == shapes && row["elements"] == 1020,
        "{line}"
    );
    let ratio = row["ratio_to_same"].as_f64().unwrap();
    assert!(
        ratio > 0.0 && row["ratio_to_handwritten"].is_null(),
        "{line}"
    );
    let table = printed(&few);
    assert!(
        table.contains("to same") && !table.contains("to hand"),
        "{table}"
    );
}

#[test]
fn lines_of_a_forced_schedule_name_it_measured_or_not() {
    let small = [
        "--log2",
        "10",
        "--runs",
        "1",
        "--json",
        "--schedule",
        "tile",
    ];
    let text = printed(&[&["row_add", "transpose_add"], &small[..]].concat());
    let rows: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(rows.iter().all(|row| row["schedule"] == "tile"), "{text}");
    let said = rows[0]["error"].as_str().unwrap();
    assert!(said.contains("may not have the schedule tile"), "{said}");
    assert!(rows[1]["gbps"].as_f64().unwrap() > 0.0, "{text}");
}

#[test]
fn growth_takes_a_size_for_what_names_none() {
    let args = [
        "--growth", "--log2", "10", "--runs", "1", "--json", "steps/1",
    ];
    let row: Value = serde_json::from_str(&printed(&args)).unwrap();
    assert_eq!(row["elements"], 1024);
}

#[test]
fn a_chart_that_cannot_be_written_is_an_error_before_anything_is_measured() {
    for (chart, word) in [("chart.png", ".svg"), ("nowhere/chart.svg", "nowhere")] {
        let out = run(&["same_add", "--log2", "10", "--chart", chart]);
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(
            out.status.code() == Some(1) && said.contains(word),
            "{said}"
        );
        assert!(out.stdout.is_empty());
    }
}
