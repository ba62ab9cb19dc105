//! All names that can be called, and hints for unknown names.

use std::collections::BTreeSet;

use super::{advice, functions, names};
use crate::op::Op;

/// Modules that users of Python write before the names of functions.
const MODULES: &[&str] = &[
    "cmath", "cp", "cupy", "jnp", "linalg", "math", "mx", "scipy", "special", "torch",
];

/// Every name that can be called.
pub(super) fn callable() -> impl Iterator<Item = &'static str> {
    Op::listed()
        .map(|op| op.name())
        .chain(names::aliases().map(|(name, _)| name))
        .chain(functions::all().map(|f| f.name))
}

/// The name of a function of the language as it stands in a table.
pub(super) fn spelled(name: &str) -> Option<&'static str> {
    callable().find(|function| *function == name)
}

/// The hint behind a `module` of Python's that stands in front of a function or constant.
pub(super) fn module_hint(module: &str, name: &str) -> Option<String> {
    let known = names::function(name).is_some()
        || functions::named(name).is_some()
        || names::constant(name).is_some();
    let hint = format!("; write {name}, alone or after np.");
    (MODULES.contains(&module) && known).then_some(hint)
}

/// The hint behind the unknown function `name`, given the operators beside the table's.
pub(super) fn function_hint(name: &str, own: &[Op]) -> String {
    if let Some(instead) = advice::instead(name) {
        return instead;
    }
    near(name, callable().chain(own.iter().map(|op| op.name())))
        .unwrap_or_else(|| "; it is not a function of the expression language".into())
}

/// The hint behind the unknown input `name`.
pub(super) fn input_hint(name: &str, inputs: &[&str]) -> String {
    if let Some(hint) = near(name, inputs.iter().copied().chain(names::constants())) {
        return hint;
    }
    if spelled(name).is_some() {
        return format!("; it is a function and needs operands: {name}(...)");
    }
    match inputs {
        [] => String::new(),
        _ => format!("; the inputs are {}", inputs.join(", ")),
    }
}

/// `; did you mean ...?` with the names that are close.
fn near<'a>(name: &str, all: impl Iterator<Item = &'a str>) -> Option<String> {
    let wanted: Vec<char> = name.to_ascii_lowercase().chars().take(64).collect();
    let allowed = if wanted.len() < 5 { 1 } else { 2 };
    let far = |n: &str| distance(&wanted, &n.to_ascii_lowercase().chars().collect::<Vec<_>>());
    let others = all.filter(|n| *n != name).map(|n| (far(n), n));
    let mut close = BTreeSet::new();
    close.extend(others.filter(|(d, n)| *d <= allowed && *d < n.chars().count()));
    let (best, _) = *close.first()?;
    let nearest = close.iter().take_while(|(d, _)| *d == best).take(3);
    let names: Vec<_> = nearest.map(|(_, n)| format!("`{n}`")).collect();
    Some(format!("; did you mean {}?", names.join(" or ")))
}

/// The number of characters to insert, delete or replace.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
