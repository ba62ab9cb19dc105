//! The list of the language: every example works, every function is there.

use super::*;
use crate::text::{language, names};

fn operands() -> Vec<(&'static str, HostTensor)> {
    let numbers = |from: f32| -> Vec<f32> { (0..12).map(|k| from + k as f32 * 0.75).collect() };
    vec![
        ("x", f32s([3, 4], &numbers(-4.0))),
        ("y", f32s([3, 4], &numbers(0.5))),
        ("v", f32s([4], &[1.0, -2.0, 0.5, 4.0])),
        ("i", i32s([3, 4], &(-4..8).collect::<Vec<i32>>())),
        (
            "m",
            HostTensor::new(
                DType::Bool,
                [3, 4],
                vec![1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1],
            )
            .unwrap(),
        ),
    ]
}

#[test]
fn every_example_of_the_list_works() {
    let operands = operands();
    let names: Vec<&str> = operands.iter().map(|(name, _)| *name).collect();
    let tensors: Vec<HostTensor> = operands.iter().map(|(_, t)| t.clone()).collect();
    let mut failures = Vec::new();
    for entry in language() {
        let found = parse_all(&entry.example)
            .and_then(|program| program.bind(&names, &Rule::Numpy))
            .and_then(|exprs| {
                exprs
                    .iter()
                    .map(|e| reference::run(e, &tensors))
                    .collect::<Result<Vec<_>>>()
            });
        if let Err(error) = found {
            failures.push(format!("{}: `{}`: {error}", entry.form, entry.example));
        }
        if entry.doc.is_empty() {
            failures.push(format!("{} is not explained", entry.form));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_function_is_in_the_list() {
    let listed: Vec<String> = language()
        .map(|e| e.form.split('(').next().unwrap_or_default().to_owned())
        .collect();
    let missing: Vec<&str> = names::functions()
        .filter(|name| !["astype", "cast", "bit_cast", "square"].contains(name))
        .filter(|name| !listed.iter().any(|l| l == name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}
