//! The functions of `functions.txt`: made of others by their lines, or by Rust.

mod create;
mod diagonal;
mod folds;
mod join;
mod pad;
mod place;
mod products;
mod shape;
mod view;
mod windows;

use std::sync::LazyLock;

use super::ast::Ast;
use super::function::{At, Function, Passed, read};
use super::names::of_row;
use crate::error::Result;
use crate::expr::{Composed, Results};
use crate::op::Op;
use crate::rule::Rule;
use crate::view::View;

/// By their names.
static ALL: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let mut all: Vec<Function> = Vec::new();
    for function in read(TABLE) {
        let place = all.partition_point(|other| other.name < function.name);
        all.insert(place, function);
    }
    all
});

const TABLE: &str = match cfg!(feature = "complete") {
    true => include_str!("functions.txt"),
    false => match str::from_utf8(SHORT.0.split_at(SHORT.1).0) {
        Ok(text) => text,
        Err(_) => "",
    },
};
const SHORT: ([u8; include_bytes!("functions.txt").len()], usize) =
    without_docs(include_bytes!("functions.txt"));

/// A table without remarks, examples and docs, and its length.
const fn without_docs<const N: usize>(table: &[u8; N]) -> ([u8; N], usize) {
    let (mut kept, mut count) = ([0; N], 0);
    let (mut i, mut is_kept) = (0, true);
    while i < N {
        match table[i] {
            b'\n' => is_kept = true,
            b'#' => is_kept = false,
            b':' if table[i - 1] == b' ' && table[i + 1] == b':' => is_kept = false,
            _ => {}
        }
        if is_kept {
            kept[count] = table[i];
            count += 1;
        }
        i += 1;
    }
    (kept, count)
}

/// All functions.
pub(super) fn all() -> impl Iterator<Item = &'static Function> {
    ALL.iter().filter(|f| !is_private(f.name))
}

/// The function of this name.
pub(super) fn named(name: &str) -> Option<&'static Function> {
    found(name).filter(|f| !is_private(f.name))
}

/// The function of a name that only the lines of others call.
pub(super) fn private(name: &str) -> Option<&'static Function> {
    found(name).filter(|f| is_private(f.name))
}

fn found(name: &str) -> Option<&'static Function> {
    let place = ALL.binary_search_by_key(&name, |function| function.name);
    place.ok().map(|place| &ALL[place])
}

fn is_private(name: &str) -> bool {
    name.as_bytes().first() == Some(&b'_')
}

/// Functions that promotion expands, by the names that lines call.
pub(super) const PROMOTED: &[(&str, Composed)] = &[
    ("_called", Composed::Called),
    ("_common", Composed::Common),
    ("_float", Composed::ToFloat),
    ("_full", Composed::Full),
    ("_ldexp", Composed::Ldexp),
    ("_narrow", Composed::Narrow),
    ("_next", Composed::NextAfter),
    ("_reciprocal", Composed::Reciprocal),
    ("_sign", Composed::SignBit),
    ("_typed", Composed::Typed),
    ("_where_float", Composed::WhereFloat),
    ("_widest", Composed::Widest),
];

/// How Rust makes a function's nodes.
#[derive(Clone, Copy)]
pub(super) enum Make {
    /// A view of its first operand.
    View(fn(&Passed) -> Result<View>),
    /// From all arguments.
    Given(fn(&mut At<'_>, &Passed) -> Result<usize>),
}

/// The functions that have no lines, one in each row.
macro_rules! table {
    ($($name:literal $make:ident $by:expr;)+) => {
        const MADE: &[(&str, Make)] = &[$(($name, Make::$make($by))),+];
    };
}

table! {
    "_above" Given |at, given| create::beside(at, given, Op::GREATER_OR_EQUAL);
    "_below" Given |at, given| create::beside(at, given, Op::LESS_OR_EQUAL);
    "_begun" Given folds::begun;
    "_edges" Given windows::edges;
    "_first" Given place::first;
    "_flat" Given folds::flat;
    "_fold" Given |at, given| folds::fold(at, given, Results::Numpy);
    "_join" Given join::join;
    "_kept" Given shape::kept;
    "_along" Given place::taken_along;
    "_nanfold" Given |at, given| folds::fold(at, given, Results::WithoutNan);
    "_neutral" Given folds::neutral;
    "_norm" Given folds::norm;
    "_place" Given create::place;
    "_scan" Given folds::scan;
    "_share" Given create::share;
    "_weights" Given folds::weights;
    "arange" Given create::arange;
    "argsort" Given |at, given| join::sorted(at, given, true);
    "array" Given create::array;
    "astype" Given |at, given| create::cast(at, given, Ast::Cast);
    "atleast_1d" Given place::at_least;
    "atleast_2d" Given place::at_least;
    "atleast_3d" Given place::at_least;
    "bit_cast" Given |at, given| create::cast(at, given, Ast::BitCast);
    "broadcast_to" Given |at, given| view::broadcast(at, given, |target| Rule::To { target });
    "cast" Given |at, given| create::cast(at, given, Ast::Cast);
    "convolve" Given |at, given| windows::correlate(at, given, true);
    "correlate" Given |at, given| windows::correlate(at, given, false);
    "cross" Given products::cross;
    "diag" Given diagonal::diag;
    "diagonal" Given diagonal::diagonal;
    "diff" Given join::diff;
    "dot" Given products::dot;
    "expand" Given |at, given| view::broadcast(at, given, |target| Rule::Bidirectional { target });
    "expand_dims" View |given| Ok(View::Unsqueeze(given.wholes(1).to_vec()));
    "eye" Given create::eye;
    "flip" View |given| Ok(View::Flip(given.ints(1).map(Into::into)));
    "full" Given create::full;
    "identity" Given create::identity;
    "inner" Given products::inner;
    "kron" Given products::kron;
    "len" Given shape::asked;
    "linspace" Given create::linspace;
    "moveaxis" View view::moved;
    "ndim" Given shape::asked;
    "norm" Given folds::norm;
    "pad" Given pad::pad;
    "permute_dims" View view::transposed;
    "repeat" Given shape::repeat;
    "reshape" Given view::reshape;
    "roll" Given place::roll;
    "rot90" View view::turned;
    "round" Given create::round;
    "searchsorted" Given join::searchsorted;
    "select" Given create::select;
    "shape" Given shape::asked;
    "size" Given shape::asked;
    "sliding_window_view" Given windows::sliding_window_view;
    "sort" Given |at, given| join::sorted(at, given, false);
    "squeeze" View |given| Ok(View::Squeeze(given.ints(1).map(Into::into)));
    "swapaxes" View view::swapped;
    "take" Given join::take;
    "tile" Given place::tile;
    "transpose" View view::transposed;
    "view" Given |at, given| create::cast(at, given, Ast::BitCast);
}

/// How Rust makes the function of a name, if it has no lines.
pub(super) fn make(name: &str) -> Option<Make> {
    of_row(MADE, name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dtype::DType;

    #[test]
    fn a_function_has_lines_or_rust_makes_it() {
        for function in ALL.iter() {
            let name = function.name;
            assert_eq!(function.lines.is_empty(), make(name).is_some(), "{name}");
            let last = function.lines.last();
            assert!(last.is_none_or(|line| line.target.is_none()), "{name}");
            let is_listed = !function.doc.is_empty() && !function.example.is_empty();
            let is_cast = ["astype", "bit_cast", "cast", "view"].contains(&name);
            assert_eq!(is_listed, !is_private(name) && !is_cast, "{name}");
        }
        for (name, _) in MADE {
            assert!(ALL.iter().any(|f| f.name == *name), "{name}");
        }
    }

    #[test]
    fn names_in_lines_are_their_own() {
        for (source, names) in [
            ("near = isclose(x, y); found = near; found", ["x", "y"]),
            ("b = x; a = copysign(b, y); a", ["x", "y"]),
            ("isclose(b, near) & (nan_to_num(b) == near)", ["b", "near"]),
            ("spacing(inf) + isposinf(x1)", ["inf", "x1"]),
        ] {
            let found = crate::text::parse(source).unwrap();
            let found = found.bind_to(&names, |_| (DType::F32, [3].into()), &Rule::Numpy);
            assert!(found.is_ok(), "{source}: {found:?}");
        }
        // What a text names `pi` or `x` is not what lines mean.
        for source in [
            "pi = x; degrees(y)",
            "x = z * 2; y.logaddexp(1)",
            "inf = x; isposinf(y)",
        ] {
            assert_eq!(
                crate::text::parse(source).unwrap().names(),
                ["y"],
                "{source}"
            );
        }
        // Lines are no brackets of the text's.
        let deep = format!("{}isclose(x, y){}", "(".repeat(198), ")".repeat(198));
        assert!(crate::text::parse(&deep).is_ok());
    }

    #[test]
    fn without_docs_the_functions_are_the_same() {
        let (short, count) = SHORT;
        let short = str::from_utf8(&short[..count]).unwrap();
        assert!(!short.contains("::") && !short.contains('#'));
        let leaked: &'static str = Box::leak(short.to_owned().into_boxed_str());
        let shown = |f: &Function| {
            let parameters: Vec<_> = f.parameters.iter().map(|p| (p.name, p.default)).collect();
            let lines: Vec<_> = f
                .lines
                .iter()
                .map(|l| (l.only_if, l.target, &l.value))
                .collect();
            format!("{} {parameters:?} {lines:?}", f.name)
        };
        let found: Vec<_> = read(leaked).iter().map(shown).collect();
        assert_eq!(found, read(TABLE).iter().map(shown).collect::<Vec<_>>());
    }
}
