//! The whole language as a list with examples.

use super::function::{Function, Parameter, Takes};
use super::{functions, names};
use crate::dtype::{DType, DTypes};
use crate::op::Op;

/// A part of the expression language.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The part of the language that it belongs to.
    pub chapter: &'static str,
    /// The syntax, with the names of operands and parameters; parameters with `=` may be left out.
    pub form: String,
    /// Its meaning; empty for functions and views without the feature `complete`.
    pub doc: String,
    /// A text that works where x and y are f32 of shape `[3, 4]`, v is f32 of shape `[4]`, i is i32
    /// and m is bool of shape `[3, 4]`.
    pub example: String,
}

/// The parts that no table has, one on each line: chapter, form, meaning and example.
const LANGUAGE: &str = "\
statements :: expression :: The last statement is the result. :: x + 1
statements :: name = value :: Names a value, each name once; statements end with the line or with `;`. :: d = x - x.mean(0); d / d.std(0)
statements :: a, b = values :: Names of several values. :: q, r = divmod(x, y); q * y + r
statements :: a, b :: Several results, where supported. :: x.min(), x.max()
statements :: # remark :: Text after # is ignored. :: x + 1  # one more
operators :: x ** y :: Power; grouped from the right, before unary minus. :: -x ** 2
operators :: -x, +x, ~x :: Negative; unchanged; inverts a bool or all bits of integers. :: ~m
operators :: x * y, x / y :: Product; quotient, a float even for integers. :: x * y / 2
operators :: x @ y :: Matrix product of [.., M, K] and [.., K, N], whose batches are broadcast; of vectors [K]. :: x @ x.T
operators :: x // y, x % y :: Quotient rounded down, and its remainder with the sign of y. :: i // 3 + i % 3
operators :: x + y, x - y :: Sum, difference. :: x + y - 1
operators :: i << n, i >> n :: Bits shifted left and right. :: i << 2
operators :: a & b :: And: of bools, or of the bits of integers. :: (x > 0) & (y > 0)
operators :: a ^ b :: Exclusive or: of bools, or of the bits of integers. :: i ^ 3
operators :: a | b :: Or: of bools, or of the bits of integers. :: m | (x > 0)
operators :: x < y, x <= y, x == y, x != y, x >= y, x > y :: Comparisons; they do not chain and bind less than & and |. :: x >= 0
indexing :: x[0], x[-1] :: One index along the first axis, counted from the last if negative. :: x[-1]
indexing :: x[a:b:step] :: A slice; each part may be left out. :: x[1:, ::-1]
indexing :: x[..., 0] :: All axes before the last. :: x[..., 0]
indexing :: x[:, None] :: A new axis of extent 1; np.newaxis too. :: v[:, None] - v
indexing :: x.T, x.mT :: All axes in reverse order; the last two exchanged. :: x.T
indexing :: where(mask, a, b) :: In place of x[mask], which has no known shape. :: where(x > 0, x, 0)
constants :: 1, 1_000, 0xff :: Whole numbers; they take the type of the operands beside them. :: x + 0xff
constants :: 0.5, 1e-5 :: Fractions; they turn integers into floats. :: i * 0.5
constants :: pi, e, euler_gamma :: As np.pi and so on, unless an input has the name. :: x * pi
constants :: inf, nan :: Infinity, and not a number. :: where(m, x, nan)
constants :: True, False :: Truth values. :: where(m, True, x > 0)
constants :: [1, 2, 3] :: An array of at most 64 numbers, or of arrays. :: x * [1, 2, 3, 4]
types :: x.astype(f16) :: Another element type: bool, u8 to u64, i8 to i64, f16, bf16, f32, f64; NumPy's names, int and float too. :: x.astype(np.float16)
types :: x.astype('f4') :: NumPy's codes in quotes, whose digits are bytes: 'i8' is int64. :: x.astype('<i4')
types :: f16(x) :: A cast as a function. :: f16(x)
types :: x.view(u32) :: The bits as another type of the same size. :: x.view(np.uint32)";

/// The parts of the language, one chapter after another.
///
/// ```
/// let chapters: std::collections::BTreeSet<_> = zerostride::text::language().map(|e| e.chapter).collect();
/// assert!(chapters.contains("operators"));
/// ```
pub fn language() -> impl Iterator<Item = Entry> {
    let lines = LANGUAGE.lines().map(|line| {
        let mut columns = line.split(" :: ");
        let mut next = || columns.next().unwrap_or_default();
        Entry {
            chapter: next(),
            form: next().into(),
            doc: next().into(),
            example: next().into(),
        }
    });
    let composed = functions::all().filter(|function| !function.doc.is_empty());
    let mut functions: Vec<Entry> = rows().chain(composed.map(composed_entry)).collect();
    // Functions, then reductions, then views.
    functions.sort_unstable_by(|a, b| (a.chapter, &a.form).cmp(&(b.chapter, &b.form)));
    let aliases = names::aliases().map(|(name, op)| Entry {
        chapter: "other names",
        form: name.into(),
        doc: format!("{op}"),
        example: call_of(name, op),
    });
    lines.chain(functions).chain(aliases)
}

fn called(name: &str, parameters: impl Iterator<Item = String>) -> String {
    format!("{name}({})", parameters.collect::<Vec<_>>().join(", "))
}

/// The rows of the op table that are functions under their own names.
fn rows() -> impl Iterator<Item = Entry> {
    let is_own = |op: &Op| !op.takes_dtype() && functions::named(op.name()).is_none();
    Op::listed().filter(is_own).map(|op| {
        let first = op.operands().len() - op.defaults().len();
        let parameter = |(i, name): (usize, &&str)| match i < first {
            true => (*name).to_owned(),
            false => format!("{name}="),
        };
        Entry {
            chapter: "functions",
            form: called(op.name(), op.operands().iter().enumerate().map(parameter)),
            doc: op.doc().trim().replace('\n', ""),
            example: call_of(op.name(), op),
        }
    })
}

/// A call of a row by one of its names.
fn call_of(name: &str, op: Op) -> String {
    let accepts = op.accepts();
    let operands: &[&str] = match op.operands().len() {
        _ if op.fold_step().is_some() => &["x", "y", "v"],
        _ if accepts == DTypes::of(&[DType::U64]) => {
            return format!("{name}(i.astype(u64), i.astype(u64))");
        }
        3 if op.is_select() => &["m", "x", "y"],
        n if accepts == DTypes::BOOL => &["m", "m"][..n],
        n if !accepts.contains(DType::F32) => &["i", "i"][..n],
        n => &["x", "y", "y"][..n - op.defaults().len().min(n - 1)],
    };
    called(name, operands.iter().map(|o| (*o).to_owned()))
}

fn composed_entry(function: &Function) -> Entry {
    let is_there = |p: &&Parameter| p.takes != Takes::Absent;
    let parameter = |p: &Parameter| match p.default {
        None => p.name.to_owned(),
        Some(_) => format!("{}=", p.name),
    };
    Entry {
        chapter: match function.first() {
            Some(Takes::Reduced) => "reductions",
            Some(Takes::Viewed) => "views",
            _ => "functions",
        },
        form: called(
            function.name,
            function.parameters.iter().filter(is_there).map(parameter),
        ),
        doc: function.doc.into(),
        example: function.example.into(),
    }
}

/// A reduction or scan of the expression language, as lists of functions show it.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReductionInfo {
    /// Its name, as a function and as a method.
    pub name: &'static str,
    /// Its parameters after the array, all optional.
    pub parameters: Vec<&'static str>,
    /// What it computes, in sentences.
    pub doc: &'static str,
}

/// The reductions and scans of the expression language in alphabetical order.
///
/// ```
/// use zerostride::text;
///
/// let argmax = text::reductions().find(|r| r.name == "argmax").unwrap();
/// assert_eq!(argmax.parameters, ["axis", "keepdims"]);
/// ```
#[doc(hidden)]
pub fn reductions() -> impl Iterator<Item = ReductionInfo> {
    let reductions = functions::all().filter(|function| function.reduces());
    reductions.map(|function| ReductionInfo {
        name: function.name,
        parameters: function
            .parameters
            .iter()
            .flat_map(Parameter::shown)
            .collect(),
        doc: function.doc,
    })
}
