//! Public reports of bugs in other programs that read files, as cases: what is right there is right here, or refused.

use std::fs;

use serde_json::Value;
use zerostride::{DType, npy};

use crate::Folder;

const CASES: &str = include_str!("reports.jsonl");

fn unhex(text: &str) -> Vec<u8> {
    let digit = |c: u8| (c as char).to_digit(16).unwrap() as u8;
    text.as_bytes()
        .chunks(2)
        .map(|pair| digit(pair[0]) << 4 | digit(pair[1]))
        .collect()
}

fn leaves(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(leaves).collect(),
        leaf => vec![leaf],
    }
}

/// The bytes of the elements that a case expects.
fn wanted(expected: &Value, dtype: DType) -> Vec<u8> {
    if !expected["bits"].is_null() {
        let all = leaves(&expected["bits"]);
        return all
            .iter()
            .flat_map(|x| unhex(x.as_str().unwrap()).into_iter().rev())
            .collect();
    }
    let whole = |x: &Value| {
        x.as_i64()
            .unwrap_or_else(|| i64::from(x.as_bool().unwrap()))
    };
    let all = leaves(&expected["values"]);
    all.iter()
        .flat_map(|x| whole(x).to_le_bytes()[..dtype.size()].to_vec())
        .collect()
}

fn check(case: &Value) -> Result<(), String> {
    let folder = Folder::new();
    for (name, bytes) in case["files_hex"].as_object().unwrap() {
        fs::write(folder.path(name), unhex(bytes.as_str().unwrap())).unwrap();
    }
    let given = case["arguments"].as_array().unwrap().iter();
    let given: Vec<&str> = given.map(|a| a.as_str().unwrap()).collect();
    let run = folder.run(&[&["eval"], &given[..], &["-o", "result.npy"]].concat());
    let is_arguable = case["arguable"] == true;
    if !case["expect_error"].is_null() || is_arguable && run.code != 0 {
        let refused = run.code == 1 && run.stderr.starts_with("zerostride: error: ");
        return if refused {
            Ok(())
        } else {
            Err(format!("{run:?}"))
        };
    }
    if run.code != 0 {
        return Err(format!("{run:?}"));
    }
    let expected = &case["expected"];
    let dtype: DType = expected["dtype"].as_str().unwrap().parse().unwrap();
    let found = npy::NpyFile::open(folder.path("result.npy"), Some(dtype));
    let found = found.unwrap().read_all().unwrap();
    let shape: Vec<usize> = serde_json::from_value(expected["shape"].clone()).unwrap();
    let right = (found.dtype, found.layout.shape().extents()) == (dtype, &shape[..])
        && found.bytes == wanted(expected, dtype);
    if right || is_arguable {
        Ok(())
    } else {
        Err(format!("{found:?}, not {expected}"))
    }
}

#[test]
fn reports_of_others_are_right_or_refused() {
    let wrong: Vec<String> = CASES
        .lines()
        .filter_map(|line| {
            let case: Value = serde_json::from_str(line).unwrap();
            check(&case)
                .err()
                .map(|why| format!("{}: {why}", case["id"]))
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
