//! The committed corpora of the fuzz targets, without a fuzzer; laws of plans made of texts.

mod moves;
mod turns;

use std::path::Path;

use crate::fuzz::targets;

/// Runs a target on each file of its corpus.
fn run(name: &str, target: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(
        files.len() > 5,
        "{} files in {}",
        files.len(),
        folder.display()
    );
    for file in files {
        eprintln!("{}", file.display());
        target(&std::fs::read(&file).unwrap());
    }
}

#[test]
fn inputs_of_npy_end_well() {
    run("npy", targets::npy::run);
}

#[test]
fn inputs_of_npz_end_well() {
    run("npz", targets::npz::run);
}

#[test]
fn inputs_of_plans_end_well() {
    run("plan_kernel", targets::plan_kernel::run);
    run("plan_folds", targets::plan_folds::run);
}

#[test]
fn inputs_of_rules_and_layouts_end_well() {
    run("rules_layouts", targets::rules_layouts::run);
}

#[test]
fn inputs_of_texts_end_well() {
    run("text", targets::text::run);
}
