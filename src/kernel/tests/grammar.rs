//! WGSL asks for parentheses that naga does without: around `+` beside `&`, around what is shifted.

use std::collections::BTreeSet;

const BITWISE: [&str; 3] = ["&", "|", "^"];
const SHIFTS: [&str; 2] = ["<<", ">>"];
const ARITHMETIC: [&str; 5] = ["+", "-", "*", "/", "%"];
const LOGICAL: [&str; 2] = ["&&", "||"];
const COMPARISONS: [&str; 6] = ["==", "!=", "<", "<=", ">", ">="];

/// The first line of a kernel that mixes operators as WGSL does not allow, with the two. Kernels
/// have spaces around binary operators, and nowhere else around these.
pub(super) fn mixed(text: &str) -> Option<String> {
    let mut levels: Vec<BTreeSet<String>> = vec![BTreeSet::new()];
    for (number, line) in text.lines().enumerate() {
        let code = format!("{} ", line.split("//").next().unwrap_or_default());
        for word in code.split_inclusive(['(', ')', '[', ']', '{', '}', ',', ';', ' ']) {
            let (name, end) =
                word.split_at(word.len() - word.chars().last().map_or(0, char::len_utf8));
            let level = levels.last_mut().expect("parentheses are balanced");
            let known: [&[&str]; 5] = [&BITWISE, &SHIFTS, &ARITHMETIC, &LOGICAL, &COMPARISONS];
            if end == " " && known.iter().any(|all| all.contains(&name)) {
                if let Some(other) = level.iter().find(|other| !may_stand_beside(other, name)) {
                    let at = number + 1;
                    return Some(format!(
                        "line {at} mixes {other} and {name}: {}",
                        line.trim()
                    ));
                }
                level.insert(name.to_owned());
            }
            match end {
                "(" | "[" => levels.push(BTreeSet::new()),
                ")" | "]" => {
                    levels.pop();
                }
                "{" | "}" | "," | ";" => level.clear(),
                _ if name.ends_with('=') && !COMPARISONS.contains(&name) => level.clear(),
                _ => {}
            }
        }
    }
    None
}

fn may_stand_beside(a: &str, b: &str) -> bool {
    let either = |all: &[&str]| all.contains(&a) || all.contains(&b);
    if either(&BITWISE) {
        return a == b;
    }
    if either(&SHIFTS) {
        let both = SHIFTS.contains(&a) && SHIFTS.contains(&b);
        return !either(&ARITHMETIC) && !both;
    }
    !(LOGICAL.contains(&a) && LOGICAL.contains(&b) && a != b)
}

#[test]
fn missing_parentheses_are_found() {
    for bad in [
        "let a = x + 1u & 3u;",
        "let a = f(x, y << 1u + 2u);",
        "let a = b[x >> 1u << 1u];",
        "let a = x & y == z;",
        "let a = x & y | z;",
        "let a = p && q || r;",
        "let a = x &\n    (y + z) + 1u;",
    ] {
        assert!(mixed(bad).is_some(), "{bad}");
    }
    for good in [
        "let a = (x + 1u) & 3u;",
        "let a = f(x + 1u, y & 2u);",
        "let a = x & y & z;",
        "let a = vec4<u32>(x + y) << vec4<u32>(3u);",
        "let a = x + y < z && u * v >= w;",
        "x += y;\nlet b = x & y;",
        "for (var k = a & b; k < c + d; k++) {",
    ] {
        assert_eq!(mixed(good), None, "{good}");
    }
}
