//! The arrows between files, read from their text.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// What each module uses.
pub type Arrows = BTreeMap<String, BTreeSet<String>>;

/// The source files of a folder but those of tests, as paths below `src`.
fn sources(folder: &Path, root: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_test = name == "tests" || name == "tests.rs" || name.starts_with("audit");
        if path.is_dir() && !is_test {
            sources(&path, root, found);
        } else if name.ends_with(".rs") && !is_test {
            found.push(path.strip_prefix(root).unwrap().to_owned());
        }
    }
}

/// The code of a file: no comments, no strings, no test module.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let mut code = String::new();
    let mut is_test = false;
    for line in text.lines() {
        is_test |= line.starts_with("#[cfg(test)]") || line.starts_with("#[cfg(doctest)]");
        if is_test {
            // A declaration ends with its line, a module or function with its bracket.
            is_test = !(line.ends_with(';') && !line.starts_with(' ') || line == "}");
            continue;
        }
        let line = line.split("//").next().unwrap_or_default();
        let outside = line.split('"').step_by(2);
        code.push_str(&outside.collect::<Vec<_>>().join("\"\""));
        code.push('\n');
    }
    code
}

/// Splits at commas that are in no braces.
fn items(list: &str) -> Vec<String> {
    let (mut depth, mut item, mut found) = (0, String::new(), Vec::new());
    for c in list.chars() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(std::mem::take(&mut item));
                continue;
            }
            _ => {}
        }
        item.push(c);
    }
    found.push(item);
    found
        .iter()
        .map(|i| i.trim().to_owned())
        .filter(|i| !i.is_empty())
        .collect()
}

/// The paths that a tree of imports stands for, each with the name behind `as`, if it has one.
fn expand(tree: &str, prefix: &str, found: &mut Vec<(String, String)>) {
    match tree.split_once('{') {
        Some((head, rest)) => {
            let list = &rest[..rest.rfind('}').unwrap_or(rest.len())];
            items(list)
                .iter()
                .for_each(|item| expand(item, &format!("{prefix}{}", head.trim()), found));
        }
        None => {
            let (path, name) = tree.split_once(" as ").unwrap_or((tree, ""));
            let path = format!("{prefix}{}", path.trim());
            let path = path.trim_end_matches("::self").to_owned();
            found.push((path, name.trim().to_owned()));
        }
    }
}

/// A file of the crate: its module path, the paths that it names, and what it re-exports.
struct File {
    module: Vec<String>,
    names: Vec<Vec<String>>,
    exports: BTreeMap<String, Vec<String>>,
}

fn segments(path: &str) -> Vec<String> {
    path.split("::").map(|s| s.trim().to_owned()).collect()
}

/// The absolute path (without `crate`) of one that a module names; `None` for other crates.
fn absolute(
    path: &[String],
    module: &[String],
    children: &BTreeSet<String>,
) -> Option<Vec<String>> {
    let mut at = module.to_vec();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (at, rest) = (Vec::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {
            while rest.first().is_some_and(|s| s == "super") {
                at.pop()?;
                rest = &rest[1..];
            }
        }
        name if children.contains(name) => {}
        _ => return None,
    }
    at.extend_from_slice(rest);
    Some(at)
}

fn read(root: &Path, path: &Path) -> File {
    let mut module: Vec<String> = path
        .with_extension("")
        .components()
        .map(|c| c.as_os_str().to_string_lossy().into_owned())
        .collect();
    let is_root = |m: &String| matches!(m.as_str(), "mod" | "lib" | "main");
    if module.last().is_some_and(is_root) {
        module.pop();
    }
    let text = code(&root.join(path));
    let children: BTreeSet<String> = text
        .lines()
        .filter_map(|l| {
            l.trim_start_matches("pub ")
                .trim_start_matches("pub(crate) ")
                .strip_prefix("mod ")
        })
        .map(|l| l.trim_end_matches(';').to_owned())
        .collect();
    let mut names = Vec::new();
    let mut exports = BTreeMap::new();
    let mut rest = String::new();
    let mut statements = text.split_inclusive(';');
    for statement in statements.by_ref() {
        let from = statement.lines().position(|l| {
            let l = l.trim_start();
            l.starts_with("use ")
                || l.starts_with("pub use ")
                || l.starts_with("pub(crate) use ")
                || l.starts_with("pub(super) use ")
        });
        let Some(from) = from else {
            rest.push_str(statement);
            continue;
        };
        let lines: Vec<&str> = statement.lines().collect();
        rest.push_str(&lines[..from].join("\n"));
        let import = lines[from..].join(" ");
        let (visible, tree) = import.trim_end_matches(';').split_once("use ").unwrap();
        let mut paths = Vec::new();
        expand(tree, "", &mut paths);
        for (path, name) in paths {
            let path = segments(&path);
            match (
                visible.trim().is_empty(),
                absolute(&path, &module, &children),
            ) {
                (true, Some(path)) => names.push(path),
                (false, Some(path)) => {
                    let own = path.last().unwrap();
                    let name = if name.is_empty() { own } else { &name };
                    exports.insert(name.clone(), path);
                }
                _ => {}
            }
        }
    }
    // Paths in code.
    for word in rest.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == ':')) {
        let path = segments(word.trim_end_matches(':'));
        if path.len() > 1
            && let Some(path) = absolute(&path, &module, &children)
        {
            names.push(path);
        }
    }
    File {
        module,
        names,
        exports,
    }
}

/// The code of every file but those of tests, by its path below `src`.
pub fn codes() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    sources(&root, &root, &mut paths);
    let one = |path: PathBuf| {
        let name = path.to_string_lossy().replace('\\', "/");
        (name, code(&root.join(path)))
    };
    paths.into_iter().map(one).collect()
}

/// Every file of a crate with the files that define what it names. `root` is its folder of sources.
pub fn arrows(root: &Path) -> Arrows {
    let mut paths = Vec::new();
    sources(root, root, &mut paths);
    let mut files: BTreeMap<Vec<String>, File> = BTreeMap::new();
    for file in paths.iter().map(|path| read(root, path)) {
        // A library and a program may stand in one folder.
        match files.get_mut(&file.module) {
            Some(other) => {
                other.names.extend(file.names);
                other.exports.extend(file.exports);
            }
            None => _ = files.insert(file.module.clone(), file),
        }
    }
    // The file that defines a path, through re-exports.
    let defines = |path: &[String]| {
        let mut path = path.to_vec();
        for _ in 0..8 {
            let module = (0..=path.len())
                .rev()
                .map(|n| &path[..n])
                .find(|m| files.contains_key(*m))?;
            let file = &files[module];
            match path
                .get(module.len())
                .and_then(|name| file.exports.get(name))
            {
                Some(next) => path = next.clone(),
                None => return Some(file.module.join("/")),
            }
        }
        None
    };
    let mut found = Arrows::new();
    for file in files.values() {
        let from = file.module.join("/");
        let to = found.entry(from.clone()).or_default();
        to.extend(
            file.names
                .iter()
                .filter_map(|path| defines(path))
                .filter(|to| *to != from),
        );
    }
    found
}
