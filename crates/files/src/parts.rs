//! Files that are computed in parts and are not complete.

use std::path::Path;

use zerostride::Error;
use zerostride::message::{self, count};
use zerostride::stream::{MissingParts, missing_parts, parts_file};

use crate::errors::refused;

/// Refuses a file with missing parts.
///
/// # Errors
/// [`Error::Format`], with the numbers of the parts.
pub fn check(path: &Path) -> Result<(), Error> {
    if !parts_file(path).exists() {
        return Ok(());
    }
    match missing_parts(path)? {
        Some(found) if !found.missing.is_empty() => Err(refused(path, fault(&found))),
        _ => Ok(()),
    }
}

/// Says which parts of a file are missing, and what to do.
pub fn fault(found: &MissingParts) -> String {
    let file = message::path(&found.file);
    format!(
        "{} of {}, according to {file}; compute them, or remove {file} if it is wrong",
        are_missing(&found.missing),
        count(found.of, "part")
    )
}

/// `part 2 is missing`, `parts 1, 3 to 5 are missing`.
pub fn are_missing(missing: &[usize]) -> String {
    let (noun, verb) = match missing.len() {
        1 => ("part", "is"),
        _ => ("parts", "are"),
    };
    format!("{noun} {} {verb} missing", listed(&numbers(missing)))
}

/// The numbers of parts, from 1.
pub fn numbers(parts: &[usize]) -> Vec<usize> {
    parts.iter().map(|k| k + 1).collect()
}

/// Lists numbers, with neighbours as a range, up to twelve ranges.
fn listed(numbers: &[usize]) -> String {
    const SHOWN: usize = 12;
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for &n in numbers {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => ranges.push((n, n)),
        }
    }
    let one = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first}, {last}"),
        _ => format!("{first} to {last}"),
    };
    let shown: Vec<String> = ranges.iter().take(SHOWN).map(one).collect();
    let rest = if ranges.len() > SHOWN {
        " and others"
    } else {
        ""
    };
    shown.join(", ") + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_are_missing_are_listed_as_ranges() {
        assert_eq!(are_missing(&[2]), "part 3 is missing");
        assert_eq!(
            are_missing(&[0, 1, 3, 4, 5, 6, 8]),
            "parts 1, 2, 4 to 7, 9 are missing"
        );
        let odd: Vec<usize> = (0..40).map(|n| 2 * n).collect();
        assert!(listed(&odd).ends_with("20, 22 and others"));
    }
}
