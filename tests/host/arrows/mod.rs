//! The arrows between modules, read from the `use` lines and paths of `src/` and of the other crates:
//! no circles, and in `src/` none that the picture in `ARCHITECTURE.md` does not allow.
//!
//! An arrow goes from the file that names an item to the file that defines it; a name imported
//! through a `mod.rs` that re-exports it leads to where it is re-exported from. Declarations and
//! re-exports are no arrows, and neither is what tests name.

mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use source::{Arrows, arrows, codes};

/// Modules and crates that still have circles among their files.
const WITH_CIRCLES: [&str; 2] = ["op", "tools/traffic"];

/// A file or folder of the repository.
fn path_of(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Arrows that lie on a circle.
fn circles(arrows: &Arrows) -> Vec<(String, String)> {
    let reaches = |from: &str, to: &str| {
        let (mut seen, mut open) = (BTreeSet::new(), vec![from.to_owned()]);
        while let Some(at) = open.pop() {
            if at == to {
                return true;
            }
            if seen.insert(at.clone()) {
                open.extend(arrows.get(&at).into_iter().flatten().cloned());
            }
        }
        false
    };
    let all = arrows
        .iter()
        .flat_map(|(from, tos)| tos.iter().map(move |to| (from.clone(), to.clone())));
    all.filter(|(from, to)| reaches(to, from)).collect()
}

/// The arrows between the parts of paths that `part` gives.
fn between(arrows: &Arrows, part: impl Fn(&str) -> Option<String>) -> Arrows {
    let mut found = Arrows::new();
    for (from, tos) in arrows {
        let Some(from) = part(from) else { continue };
        let to = tos
            .iter()
            .filter_map(|to| part(to))
            .filter(|to| *to != from);
        found.entry(from.clone()).or_default().extend(to);
    }
    found
}

/// Fails with the arrows that lie on a circle.
fn check_circles(what: &str, arrows: &Arrows) {
    let found: Vec<String> = circles(arrows)
        .into_iter()
        .map(|(from, to)| format!("{from} -> {to}"))
        .collect();
    assert!(found.is_empty(), "{what} has circles: {found:#?}");
}

fn top(path: &str) -> Option<String> {
    path.split('/')
        .next()
        .filter(|p| !p.is_empty())
        .map(str::to_owned)
}

#[test]
fn top_modules_form_no_circle() {
    check_circles("src", &between(&arrows(&path_of("src")), top));
}

#[test]
fn files_of_a_module_form_no_circle() {
    let arrows = arrows(&path_of("src"));
    let modules: BTreeSet<String> = arrows.keys().filter_map(|path| top(path)).collect();
    for module in modules {
        if WITH_CIRCLES.contains(&module.as_str()) {
            continue;
        }
        let inside = |path: &str| (top(path).as_ref() == Some(&module)).then(|| path.to_owned());
        check_circles(&module, &between(&arrows, inside));
    }
}

#[test]
fn files_of_the_other_crates_form_no_circle() {
    for folder in ["crates", "tools"] {
        for entry in fs::read_dir(path_of(folder)).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            let name = format!("{folder}/{name}");
            let root = path_of(&format!("{name}/src"));
            if root.is_dir() && !WITH_CIRCLES.contains(&name.as_str()) {
                check_circles(&name, &arrows(&root));
            }
        }
    }
}

/// The picture's lines: `module -> what it uses`.
fn picture() -> Arrows {
    let text = fs::read_to_string(path_of("ARCHITECTURE.md")).unwrap();
    let lines = text
        .lines()
        .filter(|line| !line.contains(|c: char| c.is_uppercase()))
        .filter_map(|line| line.split_once(" ->"));
    let names = |list: &str| {
        let names = list.split(',').map(|name| name.trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    lines
        .map(|(from, tos)| (from.to_owned(), names(tos)))
        .collect()
}

#[test]
fn the_picture_shows_the_arrows_that_are_there() {
    let mut tops = between(&arrows(&path_of("src")), top);
    tops.retain(|module, _| module != "lib");
    let shown = |arrows: &Arrows| -> Vec<String> {
        let list = |tos: &BTreeSet<String>| tos.iter().cloned().collect::<Vec<_>>().join(", ");
        let line = |(from, tos): (&String, &BTreeSet<String>)| format!("{from} -> {}", list(tos));
        arrows.iter().map(line).collect()
    };
    let (found, drawn) = (shown(&tops), shown(&picture()));
    let missing: Vec<_> = found.iter().filter(|line| !drawn.contains(line)).collect();
    let wrong: Vec<_> = drawn.iter().filter(|line| !found.contains(line)).collect();
    assert!(
        missing.is_empty() && wrong.is_empty(),
        "ARCHITECTURE.md lacks {missing:#?}\nand has {wrong:#?}"
    );
}

/// Whether a file may name single schedules: what they are called, and what makes them.
fn may_name_schedules(path: &str) -> bool {
    path == "plan/schedule/name.rs"
        || path.starts_with("plan/schedule/candidates")
        || path == "plan/fold/candidates.rs"
}

#[test]
fn a_schedule_is_named_where_it_is_made_and_nowhere_else() {
    let names_one = |code: &str| {
        let mut named = code.split("ScheduleName::").skip(1);
        named.any(|rest| rest.starts_with(char::is_uppercase) && !rest.starts_with("ALL"))
    };
    let found: Vec<String> = codes()
        .into_iter()
        .filter(|(_, code)| names_one(code))
        .map(|(path, _)| path)
        .collect();
    let (allowed, others): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|path| may_name_schedules(path));
    assert!(others.is_empty(), "schedules are named in {others:?}");
    assert!(allowed.len() > 1, "only {allowed:?} name schedules");
}
