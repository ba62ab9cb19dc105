//! Lists the public items of a crate out of rustdoc's JSON, one line an item with its signature:
//! `zerostride-api target/doc/zerostride.json`. `scripts/check-api.sh` calls it.
//!
//! An item stands under each of its public paths, its methods once. Of the impl of a trait there
//! is one line and none for its methods; the traits of `core` that need no words, as `Clone` and
//! `Send`, share a line for each type. Of the traits that the compiler implements by itself there
//! are only `Send` and `Sync`.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::process::ExitCode;

use public_api::{Builder, PublicItem};

/// Traits that the compiler implements, and that no user of the library names.
const UNNAMED: [&str; 6] = [
    "core::marker::Freeze for ",
    "core::marker::StructuralPartialEq for ",
    "core::marker::Unpin for ",
    "core::marker::UnsafeUnpin for ",
    "core::panic::unwind_safe::RefUnwindSafe for ",
    "core::panic::unwind_safe::UnwindSafe for ",
];

/// Traits that share a line.
const TOGETHER: [&str; 13] = [
    "core::clone::Clone",
    "core::cmp::Eq",
    "core::cmp::Ord",
    "core::cmp::PartialEq",
    "core::cmp::PartialOrd",
    "core::default::Default",
    "core::error::Error",
    "core::fmt::Debug",
    "core::fmt::Display",
    "core::hash::Hash",
    "core::marker::Copy",
    "core::marker::Send",
    "core::marker::Sync",
];

/// What an item is to the list.
enum Kind {
    ImplOfTrait,
    /// `impl Type`, which says nothing that its methods do not say.
    PlainImpl,
    Other,
}

impl Kind {
    fn of(line: &str) -> Self {
        match line.starts_with("impl") {
            true if line.contains(" for ") => Self::ImplOfTrait,
            true if line.starts_with("impl ") => Self::PlainImpl,
            _ => Self::Other,
        }
    }
}

fn list(json: &Path) -> Result<Vec<String>, public_api::Error> {
    let api = Builder::from_rustdoc_json(json)
        .omit_blanket_impls(true)
        .build()?;
    let items: Vec<(&PublicItem, String)> = api.items().map(|i| (i, i.to_string())).collect();
    let impls_of_traits: HashSet<_> = items
        .iter()
        .filter(|(_, line)| matches!(Kind::of(line), Kind::ImplOfTrait))
        .map(|(item, _)| item.id())
        .collect();
    let mut seen = HashSet::new();
    let wanted = |(item, line): &(&PublicItem, String)| {
        let in_impl_of_trait = item
            .parent_id()
            .is_some_and(|id| impls_of_traits.contains(&id));
        let named = match Kind::of(line) {
            Kind::ImplOfTrait => !UNNAMED.iter().any(|name| line.contains(name)),
            Kind::PlainImpl => false,
            Kind::Other => !in_impl_of_trait || line.starts_with("pub type "),
        };
        named && seen.insert(line.clone())
    };
    let lines = items.into_iter().filter(wanted).map(|(_, line)| line);
    Ok(together(lines))
}

/// The lines, with the traits of [`TOGETHER`] in the line of the first of each type.
fn together(lines: impl Iterator<Item = String>) -> Vec<String> {
    let mut list: Vec<String> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    for line in lines {
        let (generics, rest) = head(&line);
        let shared = rest.split_once(" for ");
        let shared = shared.filter(|(name, _)| TOGETHER.contains(&name.trim_start_matches('!')));
        let Some((name, of)) = shared else {
            list.push(line);
            continue;
        };
        let short = match name.strip_prefix('!') {
            Some(_) => format!("!{}", last(name)),
            None => last(name).to_owned(),
        };
        let key = format!("{generics} {of}");
        match places.get(&key) {
            Some(&place) => {
                let names = list[place].len() - " for ".len() - of.len();
                list[place].insert_str(names, &format!(", {short}"));
            }
            None => {
                places.insert(key, list.len());
                list.push(format!("{generics} {short} for {of}"));
            }
        }
    }
    list
}

/// `impl` with its generic parameters, and what stands behind them.
fn head(line: &str) -> (&str, &str) {
    let mut depth = 0;
    let end = line.char_indices().find(|&(_, c)| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        c == ' ' && depth == 0
    });
    end.map_or((line, ""), |(at, _)| (&line[..at], &line[at + 1..]))
}

/// The last part of a path.
fn last(path: &str) -> &str {
    path.rsplit("::").next().unwrap_or(path)
}

fn main() -> ExitCode {
    let Some(json) = std::env::args_os().nth(1) else {
        eprintln!("usage: zerostride-api FILE.json");
        return ExitCode::from(2);
    };
    match list(Path::new(&json)) {
        Ok(lines) => {
            for line in lines {
                println!("{line}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{}: {error}", Path::new(&json).display());
            ExitCode::FAILURE
        }
    }
}
