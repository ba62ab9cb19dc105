//! The order of this folder's files, which `mod.rs` shows, is kept.

use std::path::Path;

/// The lines of the picture in `mod.rs`, from the bottom layer up: the files of each.
fn layers() -> Vec<Vec<&'static str>> {
    let text = include_str!("mod.rs");
    let picture = text.split("```").nth(1).expect("a picture");
    let is_file = |word: &&str| text.contains(&format!("\nmod {word};"));
    // What a line explains stands after many spaces.
    let names = |line: &'static str| {
        let names = line.trim_start_matches("//!").trim_start();
        let end = names.find("      ").unwrap_or(names.len());
        names[..end].split_whitespace().filter(is_file).collect()
    };
    picture.lines().skip(1).map(names).collect()
}

#[test]
fn each_file_uses_those_of_lower_layers_alone() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/device");
    let layers = layers();
    let layer = |name: &str| layers.iter().position(|files| files.contains(&name));
    let mut seen = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        if ["mod", "layers", "tests"].contains(&name) {
            continue;
        }
        let own = layer(name).unwrap_or_else(|| panic!("{name} is not in the picture"));
        let text = std::fs::read_to_string(&path).unwrap();
        for used in text.split("use super::").skip(1) {
            let used = used.split([':', ';']).next().unwrap();
            let Some(other) = layer(used) else { continue };
            assert!(other < own, "{name} uses {used}, which is not below it");
            seen += 1;
        }
    }
    assert!(seen > 50, "{seen} uses were found");
}
