//! The expression language: Python's operators and precedence, NumPy's function names.
//!
//! ```text
//! (x - mean) / sqrt(var + 1e-5) * gamma + beta
//! where(x > 0, x, x * slope[:, None])
//! add(x, b, axis=1)          x.astype(f16)          broadcast_to(row, (4, 3))
//! ```
//!
//! [`parse`] gives nodes with their columns, [`Parsed::bind`] an
//! [`Expr`](crate::expr::Expr) over numbered slots. All operators and functions promote as NumPy
//! does, except that `/` and functions of floats turn integers into f32, unless
//! [`Promotion::Numpy`](crate::expr::Promotion::Numpy) asks for f64. Errors carry the column,
//! counted in characters from 1.
//!
//! - Operators, tightest first: `x[..]` `x.T` and calls; `**` (from the right); unary `-` `+` `~`;
//!   `*` `/` `//` `%`; `+` `-`; `<<` `>>`; `&`; `^`; `|`; comparisons, which do not chain.
//! - Statements: `d = x - x.mean(0); d / d.std(0)` or on separate lines; each name once. The last
//!   is the result; [`parse_all`] takes several, separated by commas. Text after `#` is ignored.
//! - Functions: every operator by its name or NumPy's, and functions that are made of operators:
//!   `isclose`, `round(x, 2)`, `diff`, `concatenate`, `interp`, `arange`. [`language`] lists all;
//!   each is a method of [`Expr`](crate::expr::Expr) too.
//! - Reductions, as functions, after `np.` or as methods: `sum(x, axis=(0, 1))`, `x.max(-1,
//!   keepdims=True)`, `x.std(ddof=1)`; `prod`, `mean`, `average`, `min`, `amax`, `amin`, `ptp`,
//!   `any`, `all`, `argmax`, `argmin`, `count_nonzero`, `var`, `logsumexp`, `nansum`, `nanprod`,
//!   `nanmean`, `np.linalg.norm` and `vector_norm`. Their second operand is an axis, several in
//!   brackets, or `None` for all; element by element use `maximum(a, b)`, `max_n(a, b, c)`.
//! - Shapes are whole numbers: `x.sum(0) / len(x)`, `x.reshape(x.shape[0], -1)`, `x.size`, `x.ndim`,
//!   where the inputs are known, as in [`Parsed::bind_to`].
//! - A rule for one call: `add(x, b, axis=1)` (PDPD), `mul(x, y, rule='none')`; `broadcast_to(x,
//!   (2, 3))` broadcasts to exactly that shape, `expand(x, (2, 3))` is ONNX's Expand.
//! - Views, as functions, after `np.` or as methods, with NumPy's names of their parameters: `x[0,
//!   1:-1, ::-1, None, ...]`, `.T`, `.mT`, `transpose`, `permute_dims`, `matrix_transpose`,
//!   `swapaxes`, `moveaxis`, `flip`, `fliplr`, `flipud`, `rot90`, `expand_dims`, `squeeze`,
//!   `broadcast_to`; and `reshape`, `ravel`, `flatten`, which read an input in place if its strides
//!   allow; otherwise a separate pass computes the value first.
//! - Parameters by name, or left out for their default: `leaky_relu(x)`, `elu(x, alpha=0.5)`.
//! - Types: `x.astype(f16)`, `f16(x)`; `x.view(u32)`, `bit_cast(x, u32)` for the bits; this crate's
//!   names or NumPy's; in quotes NumPy's codes too, whose digits are bytes: `'i8'` is int64.
//! - Numbers take the type of the operands beside them, and so do operators and functions of
//!   numbers alone: `x + minimum(1, 2)`. These are computed in f64, or exactly if all numbers are
//!   whole, and so are their comparisons: `0.1 + 0.2 == 0.3` is false.
//! - Custom operators ([`CustomOp`](crate::CustomOp)) are functions of a [`Language`] with them.
//! - Constants: `pi`, `e`, `euler_gamma`, `inf`, `nan`, `True`, `False`, unless an input has the name.

mod advice;
mod arguments;
mod ast;
mod axes;
mod call;
pub(crate) mod calls;
mod composed;
mod function;
mod functions;
mod hints;
mod index;
mod language;
mod lexer;
mod lower;
mod mistakes;
mod names;
mod operators;
mod own;
mod parameters;
mod parser;
mod program;
mod rounding;
mod shapes;
mod statements;
#[cfg(test)]
mod tests;
mod value;

pub use advice::{Advice, advise};
pub use language::{Entry, ReductionInfo, language, reductions};
pub use own::Language;
pub use program::{Parsed, Program};
pub use rounding::{rounded, rounding};
pub use value::dtype;

use lexer::syntax;
use program::Known;

use crate::dtype::DType;
use crate::error::{Error, Result};
use crate::op::Op;

/// Parses the text of an expression, which may give values names first: `d = x - 1; d * d`.
///
/// ```
/// use zerostride::{Rule, text};
///
/// let parsed = text::parse("(x - mean) / std")?;
/// assert_eq!(parsed.names(), ["x", "mean", "std"]);
/// let expr = parsed.bind(parsed.names(), &Rule::Numpy)?;
/// # Ok::<(), zerostride::Error>(())
/// ```
///
/// # Errors
/// [`Error::Syntax`] with the column, [`Error::UnknownName`] for a function that does not exist,
/// [`Error::Arity`] (within [`Error::At`]) for a wrong number of operands.
pub fn parse(source: &str) -> Result<Parsed> {
    only(read(source, &[], None)?)
}

/// The one result of a text.
fn only((program, columns): (Program, Vec<usize>)) -> Result<Parsed> {
    match *columns {
        [_, second, ..] => {
            let reason = format!(
                "the expression has {} results, but only one is supported here",
                columns.len()
            );
            Err(syntax(second, reason))
        }
        _ => Ok(Parsed(program)),
    }
}

/// Parses a text of one result or several.
///
/// Lines or semicolons separate statements. `name = value` gives a value a name, each name once;
/// the last statement is the result, or several results separated by commas. Text after `#` is
/// ignored.
///
/// ```
/// use zerostride::{Rule, text};
///
/// let program = text::parse_all("d = x - x.mean(axis=0)  # deviations\nd / d.std(axis=0), d.max()")?;
/// assert_eq!((program.names(), program.results()), (&["x".to_owned()][..], 2));
/// let exprs = program.bind(program.names(), &Rule::Numpy)?;
/// assert_eq!(exprs.len(), 2);
/// # Ok::<(), zerostride::Error>(())
/// ```
///
/// # Errors
/// Those of [`parse`], but several results are allowed.
pub fn parse_all(source: &str) -> Result<Program> {
    read(source, &[], None).map(|(program, _)| program)
}

/// Stand-ins for extents while the inputs are not known: a text may be wrong for one, as
/// `zeros(10 - len(x))`, and right for another.
const EXTENTS: [usize; 4] = [256, 4, 2, 1];

/// Whether a text may ask for shapes.
fn may_ask(source: &str) -> bool {
    let words = ["shape", "len", "size", "ndim"];
    words.iter().any(|word| source.contains(word))
}

/// The program of a text, and the columns of its results. `own` are operators beside the table's.
fn read(source: &str, own: &[Op], known: Option<Known>) -> Result<(Program, Vec<usize>)> {
    let [first, others @ ..] = EXTENTS;
    let is_known = known.is_some();
    match parser::parse(source, own, known, first) {
        Err(error) if !is_known && may_ask(source) => others
            .into_iter()
            .find_map(|extent| parser::parse(source, own, None, extent).ok())
            .ok_or(error),
        parsed => parsed,
    }
}

/// An error of an expression that came from a text, with a hint if the cause is likely a habit
/// from Python: `^` for a power, or `&` and `|` without brackets around comparisons. Other errors
/// are returned as they are.
#[doc(hidden)]
pub fn with_hint(error: Error) -> Error {
    let Error::At { column, source } = &error else {
        return error;
    };
    let Error::DType { op, dtype, .. } = source.as_ref() else {
        return error;
    };
    let of_bool = match op.as_str() {
        "neg" => Some("the opposite of a bool is written ~"),
        "sub" => Some("whether two bools differ is written a ^ b"),
        _ => None,
    };
    if let (Some(hint), DType::Bool) = (of_bool, dtype) {
        let reason = format!("{op} takes no bool; {hint}, or cast with x.astype(i32)");
        return syntax(*column, reason);
    }
    let (symbol, hint) = match op.as_str() {
        "bit_xor" => ("^", "a power is written **"),
        "bit_and" => ("&", "comparisons bind less than &: write (a > 0) & (b > 0)"),
        "bit_or" => ("|", "comparisons bind less than |: write (a > 0) | (b > 0)"),
        "bit_not" => ("~", "a negative is written -"),
        _ => return error,
    };
    if !DType::is_float(*dtype) {
        return error;
    }
    let reason = format!("`{symbol}` takes bool or whole numbers, not {dtype}; {hint}");
    syntax(*column, reason)
}
