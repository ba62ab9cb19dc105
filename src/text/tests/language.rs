//! The list of the language: every example works, every function is there.

use std::collections::BTreeSet;

use super::*;
use crate::text::{functions, hints, language};

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
            .and_then(|program| program.bind_to(&names, known(&tensors), &Rule::Numpy))
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
fn functions_of_one_array_are_numpys_under_every_rule() {
    let operands = operands();
    let names: Vec<&str> = operands.iter().map(|(name, _)| *name).collect();
    let tensors: Vec<HostTensor> = operands.iter().map(|(_, t)| t.clone()).collect();
    let run = |source: &str, rule: &Rule| {
        let exprs = parse_all(source)?.bind_to(&names, known(&tensors), rule)?;
        let results = exprs.iter().map(|e| reference::run(e, &tensors));
        results.collect::<Result<Vec<_>>>()
    };
    let mut failures = Vec::new();
    for function in functions::all().filter(|f| f.is_of_one_array() && !f.example.is_empty()) {
        // These join what they made with an array.
        if matches!(function.name, "len" | "size") {
            continue;
        }
        for (name, column) in [("x", ""), ("i", ""), ("x", ", keepdims=True")] {
            let call = function.example.strip_suffix(')');
            let source = match (column, call) {
                ("", _) => function.example.replace("(x", &format!("({name}")),
                (_, Some(call)) if function.reduces() && !function.name.contains("cum") => {
                    format!("{call}{column})")
                }
                _ => continue,
            };
            let wanted = run(&source, &Rule::Numpy);
            for rule in [Rule::None, Rule::Unidirectional, Rule::Pdpd { axis: 0 }] {
                let found = run(&source, &rule);
                if found.as_ref().ok() != wanted.as_ref().ok() {
                    failures.push(format!("{source} under {rule}: {found:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_operand_of_an_example_is_an_input_before_shapes_are_known() {
    let operands = operands();
    let mut failures = Vec::new();
    for entry in language() {
        let words = entry
            .example
            .split(|c: char| !c.is_alphanumeric() && c != '_');
        let words: BTreeSet<&str> = words.collect();
        let is_read =
            |name: &&str| words.contains(name) && !entry.example.contains(&format!("{name} ="));
        let wanted = operands.iter().map(|(name, _)| *name).filter(is_read);
        let wanted: BTreeSet<&str> = wanted.collect();
        let program = parse_all(&entry.example).unwrap();
        let found: BTreeSet<&str> = program.names().iter().map(String::as_str).collect();
        if found != wanted {
            failures.push(format!("`{}` reads {found:?}", entry.example));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_function_is_in_the_list() {
    let listed: Vec<String> = language()
        .map(|e| e.form.split('(').next().unwrap_or_default().to_owned())
        .collect();
    let missing: Vec<&str> = hints::callable()
        .filter(|name| !["astype", "cast", "bit_cast", "view"].contains(name))
        .filter(|name| !listed.iter().any(|l| l == name))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// Operands that do not fit: scalars, none, other shapes, other types.
fn misfits() -> Vec<Vec<HostTensor>> {
    let names = ["x", "y", "v", "i", "m"];
    let of = |dtype: DType, shape: &[usize]| {
        let len: usize = shape.iter().product::<usize>() * dtype.size();
        HostTensor::new(dtype, shape, vec![0; len]).unwrap()
    };
    let dtypes = [DType::F32, DType::F32, DType::F32, DType::I32, DType::Bool];
    let shaped = |shapes: [&[usize]; 5]| {
        let each = dtypes.iter().zip(shapes);
        each.map(|(&dtype, shape)| of(dtype, shape)).collect()
    };
    let typed = |dtype: DType| vec![of(dtype, &[3, 4]); names.len()];
    vec![
        shaped([&[]; 5]),
        shaped([&[4]; 5]),
        shaped([&[0, 4]; 5]),
        shaped([&[4, 0]; 5]),
        shaped([&[0]; 5]),
        shaped([&[2, 3], &[4], &[5], &[6], &[7]]),
        shaped([&[2, 3, 1, 4], &[5, 6], &[7, 8], &[9, 1, 3], &[2, 2]]),
        typed(DType::Bool),
        typed(DType::U8),
        typed(DType::I64),
        typed(DType::F16),
    ]
}

#[test]
fn errors_of_a_call_name_the_function_that_was_called() {
    let inputs = ["x", "y", "v", "i", "m"];
    let (mut failures, mut refused) = (Vec::new(), BTreeSet::new());
    for entry in language() {
        let name = entry.form.split('(').next().unwrap_or_default();
        for call in [entry.example.clone(), format!("{name}(x, axis=9)")] {
            let Some(at) = call.find(&format!("{name}(")) else {
                continue;
            };
            // Not every function takes an axis.
            let Ok(parsed) = parse(&call) else { continue };
            for tensors in misfits() {
                let found = parsed
                    .bind_to(&inputs, known(&tensors), &Rule::Numpy)
                    .and_then(|expr| reference::run(&expr, &tensors));
                let Err(Error::At { column, source }) = found else {
                    continue;
                };
                if column != at + 1 {
                    continue;
                }
                refused.insert(name.to_owned());
                let text = source.to_string();
                let named = [format!("{name}: "), format!("{name} takes")];
                if !named.iter().any(|start| text.starts_with(start)) {
                    failures.push(format!("`{call}`: {text}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for name in [
        "diff",
        "ptp",
        "nanmax",
        "transpose",
        "expand_dims",
        "append",
    ] {
        assert!(refused.contains(name), "{name} is not among {refused:?}");
    }
}
