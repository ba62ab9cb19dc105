//! The names of functions and constants.

use std::f64::consts;

use crate::expr::Literal;
use crate::op::Op;

/// NumPy's names, and Python's, of rows that have another.
const ALIASES: &[(&str, Op)] = &[
    ("absolute", Op::ABS),
    ("arccos", Op::ACOS),
    ("arccosh", Op::ACOSH),
    ("arcsin", Op::ASIN),
    ("arcsinh", Op::ASINH),
    ("arctan", Op::ATAN),
    ("arctan2", Op::ATAN2),
    ("arctanh", Op::ATANH),
    ("bitwise_and", Op::BIT_AND),
    ("bitwise_invert", Op::BIT_NOT),
    ("bitwise_left_shift", Op::SHL),
    ("bitwise_not", Op::BIT_NOT),
    ("bitwise_or", Op::BIT_OR),
    ("bitwise_right_shift", Op::SHR),
    ("bitwise_xor", Op::BIT_XOR),
    ("divide", Op::DIV),
    ("floor_divide", Op::FLOOR_DIV),
    ("invert", Op::BIT_NOT),
    ("left_shift", Op::SHL),
    ("multiply", Op::MUL),
    ("negative", Op::NEG),
    ("positive", Op::IDENTITY),
    ("power", Op::POW),
    ("remainder", Op::MOD),
    ("right_shift", Op::SHR),
    ("subtract", Op::SUB),
    ("true_divide", Op::DIV),
];

/// Functions that are neither rows nor views.
pub(super) const SPECIAL: &[&str] = &["astype", "bit_cast", "cast"];

/// Modules whose functions users of Python write behind their name.
const MODULES: &[&str] = &[
    "cmath", "cp", "cupy", "jnp", "linalg", "math", "mx", "scipy", "special", "torch",
];

/// Constants, which an input of the same name shadows.
const CONSTANTS: &[(&str, Literal)] = &[
    ("pi", Literal::Float(consts::PI)),
    ("e", Literal::Float(consts::E)),
    ("euler_gamma", Literal::Float(0.577_215_664_901_532_9)),
    ("inf", Literal::Float(f64::INFINITY)),
    ("nan", Literal::Float(f64::NAN)),
    ("True", Literal::Bool(true)),
    ("False", Literal::Bool(false)),
];

/// Python's words that cannot be names, each with what to write instead.
pub(super) const KEYWORDS: &[(&str, &str)] = &[
    (
        "and",
        "`and` does not work element by element; write & and brackets: (a > 0) & (b > 0)",
    ),
    (
        "or",
        "`or` does not work element by element; write | and brackets: (a > 0) | (b > 0)",
    ),
    (
        "not",
        "`not` does not work element by element; write ~ and brackets: ~(a > 0)",
    ),
    ("if", "there is no `if`; write where(condition, a, b)"),
    ("else", "there is no `else`; write where(condition, a, b)"),
    ("in", "there is no `in`; compare with =="),
    ("is", "there is no `is`; compare with == or isnan(x)"),
    (
        "for",
        "there are no loops; an expression works on whole arrays",
    ),
    ("lambda", "functions cannot be defined here"),
    ("assert", "nothing is asserted here; all(x > 0) is a result"),
    ("class", "classes cannot be defined here"),
    (
        "def",
        "functions cannot be defined here; a value is given a name: d = x - 1",
    ),
    (
        "del",
        "nothing is deleted; the last statement is the result",
    ),
    (
        "from",
        "modules are not imported: leave it out; functions stand alone or behind np.",
    ),
    (
        "import",
        "modules are not imported: leave it out; functions stand alone or behind np.",
    ),
    (
        "return",
        "the last statement is the result, without `return`",
    ),
    (
        "while",
        "there are no loops; an expression works on whole arrays",
    ),
    (
        "with",
        "there is no `with`; a value is given a name: d = x - 1",
    ),
    (
        "None",
        "None stands only in an index, for a new axis, for a bound of clip, and for all axes",
    ),
];

/// The row of a function name.
pub(super) fn function(name: &str) -> Option<Op> {
    Op::named(name).filter(|op| !op.takes_dtype()).or_else(|| {
        ALIASES
            .iter()
            .find(|(alias, _)| *alias == name)
            .map(|(_, op)| *op)
    })
}

/// The other names of rows.
pub(super) fn aliases() -> impl Iterator<Item = (&'static str, Op)> {
    ALIASES.iter().copied()
}

/// The value of a constant.
pub(super) fn constant(name: &str) -> Option<Literal> {
    CONSTANTS.iter().find(|(n, _)| *n == name).map(|(_, x)| *x)
}

/// What to write instead of a keyword.
pub(super) fn keyword(name: &str) -> Option<&'static str> {
    KEYWORDS
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, hint)| *hint)
}

/// Every name that can be called.
pub(super) fn functions() -> impl Iterator<Item = &'static str> {
    let aliases = ALIASES.iter().map(|(name, _)| *name);
    Op::all()
        .map(|op| op.name())
        .chain(aliases)
        .chain(SPECIAL.iter().copied())
        .chain(super::views::all())
        .chain(super::reductions::all())
        .chain(super::composed::all().map(|f| f.name))
}

/// The name of a function of the language as it stands in a table.
pub(super) fn spelled(name: &str) -> Option<&'static str> {
    functions().find(|function| *function == name)
}

/// The hint behind a `module` of Python's that stands in front of a function or constant.
pub(super) fn module_hint(module: &str, name: &str) -> Option<String> {
    let known = function(name).is_some()
        || super::views::named(name).is_some()
        || super::reductions::named(name).is_some()
        || super::composed::named(name).is_some()
        || constant(name).is_some();
    let hint = format!("; functions and constants stand alone or behind np.: write {name}");
    (MODULES.contains(&module) && known).then_some(hint)
}

/// The hint behind the unknown function `name`, given the operators beside the table's.
pub(super) fn function_hint(name: &str, own: &[Op]) -> String {
    if let Some(instead) = super::advice::instead(name) {
        return instead;
    }
    near(name, functions().chain(own.iter().map(|op| op.name())))
        .unwrap_or_else(|| "; it is not a function of the expression language".into())
}

/// The hint behind the unknown input `name`.
pub(super) fn input_hint(name: &str, inputs: &[&str]) -> String {
    let constants = CONSTANTS.iter().map(|(n, _)| *n);
    if let Some(hint) = near(name, inputs.iter().copied().chain(constants)) {
        return hint;
    }
    if functions().any(|f| f == name) {
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
    let mut close: Vec<(usize, &str)> = all
        .filter(|n| *n != name)
        .map(|n| {
            (
                distance(&wanted, &n.to_ascii_lowercase().chars().collect::<Vec<_>>()),
                n,
            )
        })
        .filter(|(d, n)| *d <= allowed && *d < n.chars().count())
        .collect();
    close.sort();
    close.dedup();
    let best = close.first()?.0;
    let names: Vec<_> = close
        .iter()
        .filter(|(d, _)| *d == best)
        .take(3)
        .map(|(_, n)| format!("`{n}`"))
        .collect();
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
