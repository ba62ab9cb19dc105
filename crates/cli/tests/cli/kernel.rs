//! `kernel --words`: what it takes to run an emitted text by hand.

use std::fs;

use serde_json::Value;

use crate::Folder;

const ARGS: [&str; 5] = ["kernel", "x * y + s", "x=f32[8,1,4]", "y=f32[3,1]", "s=0.5"];

fn with<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [ARGS.as_slice(), more].concat()
}

#[test]
fn every_place_is_in_the_text_once_and_has_its_words_or_bytes() {
    let folder = Folder::new();
    // The variables, their places in each language, and that of the number.
    let cases = [
        (
            "wgsl",
            "main",
            [
                "@group(0) @binding(0)",
                "@group(0) @binding(1)",
                "@group(0) @binding(3)",
                "var<immediate>",
            ],
        ),
        (
            "hlsl",
            "main",
            [
                "register(b0)",
                "register(t1)",
                "register(u3)",
                "register(b0, space1)",
            ],
        ),
        (
            "msl",
            "main_",
            [
                "[[buffer(0)]]",
                "[[buffer(1)]]",
                "[[buffer(3)]]",
                "[[buffer(4)]]",
            ],
        ),
        (
            "glsl",
            "main",
            [
                "layout(std140, binding = 0) uniform",
                "layout(std430, binding = 0) readonly buffer",
                "layout(std430, binding = 2) buffer",
                "layout(std140, binding = 1) uniform",
            ],
        ),
        (
            "spirv",
            "main",
            [
                "set 0, binding 0",
                "set 0, binding 1",
                "set 0, binding 3",
                "push constants",
            ],
        ),
    ];
    for (language, entry_point, [table, x, output, numbers]) in cases {
        let json: Value =
            serde_json::from_str(&folder.ok(&with(&["--emit", language, "--words", "--json"])))
                .unwrap();
        let kernel = &json["kernels"][0];
        assert_eq!(
            (&json["language"], &kernel["entry_point"]),
            (&language.into(), &entry_point.into())
        );
        let dispatch = &json["dispatches"][0];
        let bindings = dispatch["bindings"].as_array().unwrap();
        for binding in bindings {
            let place = binding["place"].as_str().unwrap();
            match kernel["code"].as_str() {
                Some(code) => assert_eq!(
                    code.matches(place).count(),
                    1,
                    "{language}: {place} in {code}"
                ),
                None => assert_eq!(kernel["code"][0], 0x0723_0203, "{language}"),
            }
            assert!(
                binding["words"].is_array() != binding["bytes"].is_u64(),
                "{language}: {binding}"
            );
        }
        let at = |place: &str| {
            bindings
                .iter()
                .find(|b| b["place"] == place)
                .unwrap_or_else(|| panic!("{place}: {json}"))
        };
        assert_eq!(at(table)["holds"], "table", "{language}");
        assert_eq!(at(table)["words"][0], 96, "{language}: elements");
        assert_eq!(
            (&at(x)["name"], &at(x)["bytes"], &at(x)["writes"]),
            (&"x".into(), &128.into(), &false.into())
        );
        assert_eq!(
            (&at(output)["name"], &at(output)["writes"]),
            (&"output 0".into(), &true.into()),
            "{language}"
        );
        assert_eq!(at(numbers)["holds"], "numbers", "{language}");
        assert_eq!(at(numbers)["words"][0], 0.5f32.to_bits(), "{language}");
        let extra = |holds: &str| {
            bindings
                .iter()
                .find(|b| b["holds"] == holds)
                .map(|b| b["words"].clone())
        };
        assert_eq!(
            extra("workgroups"),
            (language == "hlsl").then(|| dispatch["grid"].clone())
        );
        let sizes = extra("buffer sizes").map(|words| words.as_array().unwrap().len());
        assert_eq!(sizes, (language == "msl").then_some(3), "{language}");
    }
}

#[test]
fn words_are_comments_after_the_text_and_lines_of_their_own_where_a_file_takes_it() {
    let folder = Folder::new();
    let args = with(&["--emit", "hlsl"]);
    let text = folder.ok(&args);
    let beside = folder.ok(&[args.as_slice(), &["--words"]].concat());
    let words = folder.ok(&[args.as_slice(), &["--words", "-o", "kernel.hlsl"]].concat());
    assert_eq!(
        fs::read_to_string(folder.path("kernel.hlsl"))
            .unwrap()
            .trim_end(),
        text.trim_end()
    );
    let comments: String = words.lines().map(|line| format!("// {line}\n")).collect();
    assert_eq!(beside, format!("{}\n{comments}", text.trim_end()));
    let lines: Vec<&str> = words.lines().collect();
    assert!(
        lines[0].starts_with("dispatch 0: pass 0, hlsl, entry point main"),
        "{words}"
    );
    assert!(
        lines[1].starts_with("  grid 1 x ") && lines[1].ends_with(" invocations"),
        "{words}"
    );
    assert!(
        words.contains("\n  register(t1)  x, 128 bytes from 0, read\n"),
        "{words}"
    );
    assert!(
        words.contains("\n  register(u3)  output 0, 384 bytes from 0, written\n"),
        "{words}"
    );
    // SPIR-V is binary.
    let args = with(&["--emit", "spirv", "--words"]);
    folder.fails(2, &["name a file with -o"], &args);
    assert!(
        folder
            .ok(&[args.as_slice(), &["-o", "kernel.spv"]].concat())
            .contains("\n  push constants  numbers")
    );
    folder.fails(2, &["--words"], &with(&["--json"]));
}

#[test]
fn numbers_are_where_the_limits_have_place_for_them() {
    let folder = Folder::new();
    for (limits, plan, text, words) in [
        (
            &[][..],
            "number 0: 0.5f32, immediate data",
            "var<immediate> scalars",
            "var<immediate>  numbers, as immediate data",
        ),
        (
            &["--webgpu-limits"],
            "number 0: 0.5f32, in a uniform",
            "@group(0) @binding(1) var<uniform> scalars",
            "@group(0) @binding(1)  numbers, as a uniform",
        ),
    ] {
        let explained = folder.ok(&[with(&["--explain"]).as_slice(), limits].concat());
        assert!(explained.contains(plan), "{explained}");
        let emitted = folder.ok(&[with(&["--words"]).as_slice(), limits].concat());
        assert!(
            emitted.contains(text) && emitted.contains(words),
            "{emitted}"
        );
    }
}

#[test]
fn each_dispatch_of_several_passes_and_windows_has_its_words() {
    let folder = Folder::new();
    let names: Vec<String> = (0..40).map(|i| format!("x{i}")).collect();
    let inputs: Vec<String> = names.iter().map(|n| format!("{n}=f32[16]")).collect();
    let expr = names.join(" + ");
    let args: Vec<&str> = ["kernel", &expr]
        .into_iter()
        .chain(inputs.iter().map(String::as_str))
        .collect();
    // Metal has fewer buffers than the others.
    let json = folder.ok(&[args.as_slice(), &["--emit", "msl", "--words", "--json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    let [first, second] = json["dispatches"].as_array().unwrap().as_slice() else {
        panic!("{json}")
    };
    assert_eq!((&first["pass"], &second["pass"]), (&0.into(), &1.into()));
    let uses = |dispatch: &Value, writes: bool| {
        let bindings = dispatch["bindings"].as_array().unwrap().iter();
        bindings
            .filter(|b| b["name"] == "temporary 0" && b["writes"] == writes)
            .count()
    };
    assert_eq!((uses(first, true), uses(second, false)), (1, 1), "{json}");
    let one: Value = serde_json::from_str(
        &folder.ok(&[
            args.as_slice(),
            &["--emit", "msl", "--words", "--json", "--pass", "1"],
        ]
        .concat()),
    )
    .unwrap();
    assert_eq!(one["dispatches"][0], *second);
    // Windows share a text, and each has a table of its own.
    let windows = folder.ok(&["kernel", "x + 1", "x=f32[600,1000000]", "--words", "--json"]);
    let windows: Value = serde_json::from_str(&windows).unwrap();
    let dispatches = windows["dispatches"].as_array().unwrap();
    assert!(
        windows["kernels"].as_array().unwrap().len() == 1 && dispatches.len() > 1,
        "{windows}"
    );
    let start = |dispatch: &Value| dispatch["bindings"][1]["start"].as_u64().unwrap();
    assert!(
        start(&dispatches[0]) == 0 && start(&dispatches[1]) > 0,
        "{windows}"
    );
}

#[test]
fn spirv_on_stdout_stands_with_no_text() {
    let folder = Folder::new();
    for more in ["--words", "--explain"] {
        let run = folder.run(&with(&["--emit", "spirv", more]));
        assert_eq!(run.code, 2, "{run:?}");
        assert!(
            run.stderr
                .contains("name a file with -o, or use --words --json"),
            "{run:?}"
        );
    }
}

#[test]
fn plans_are_for_the_probes_that_are_named() {
    let folder = Folder::new();
    let text = |more: &[&str]| {
        let args = [
            &["kernel", "(x + y) * x + y", "x=f16[64]", "y=f16[64]"],
            more,
        ]
        .concat();
        folder.ok(&args)
    };
    let (plain, halves, all) = (text(&[]), text(&["--probed=halves"]), text(&["--probed"]));
    assert!(plain.contains("fn decode_f16(") && !plain.contains("unpack2x16float"));
    for own in [&halves, &all] {
        assert!(own.contains("unpack2x16float") && !own.contains("0x38000000u"));
    }
    // All probes leave no barrier.
    assert!(halves.contains("fn opaque(") && !all.contains("opaque"));
}

#[test]
fn a_schedule_that_no_pass_may_have_is_an_error() {
    let folder = Folder::new();
    let operands = ["kernel", "x.T + y", "x=f32[1001,67]", "y=f32[67,1001]"];
    let with = |name| [&operands[..], &["--schedule", name]].concat();
    folder.fails(1, &["no pass", "`tile`", "--explain"], &with("tile"));
    folder.fails(1, &["no pass", "`lanes`"], &with("lanes"));
    folder.fails(2, &["one, beside", "staged"], &with("tiles"));
    assert!(folder.ok(&with("staged")).contains("workgroupBarrier"));
    // Of those that are listed, one is taken.
    let explained = folder.ok(&[&with("sections")[..], &["--explain"]].concat());
    let taken: Vec<&str> = explained
        .lines()
        .filter(|l| l.starts_with("  * "))
        .collect();
    assert!(
        taken.len() == 1 && taken[0].starts_with("  * sections"),
        "{explained}"
    );
}

#[test]
fn reductions_have_the_schedules_that_are_listed() {
    let folder = Folder::new();
    let explained = |expr: &str, rest: &[&str]| {
        let args = [&["kernel", expr, "x=f32[300,1000]", "--explain"], rest].concat();
        folder.ok(&args)
    };
    for expr in [
        "x.sum(1)",
        "x.sum(0)",
        "x - x.max(1, keepdims=True)",
        "x.cumsum(1)",
    ] {
        let plan = explained(expr, &[]);
        let listed = plan
            .lines()
            .skip_while(|line| !line.contains("the profile's choice first"));
        let listed = listed.skip(1).filter(|line| line.starts_with("  "));
        let names: Vec<&str> = listed
            .map(|line| line[4..].split(' ').next().unwrap())
            .collect();
        assert!(names.len() > 1, "{expr}: {plan}");
        for name in names {
            let plan = explained(expr, &["--schedule", name]);
            assert!(
                plan.contains(&format!("  * {name} ")),
                "{expr} as {name}: {plan}"
            );
        }
    }
}
