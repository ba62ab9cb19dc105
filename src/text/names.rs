//! The names of functions and constants.

use std::f64::consts;

use crate::expr::Literal;
use crate::op::Op;

/// NumPy's and Python's names of rows that have another name here.
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
const KEYWORDS: &str = "\
and: `and` does not work element by element; write & and brackets: (a > 0) & (b > 0)
or: `or` does not work element by element; write | and brackets: (a > 0) | (b > 0)
not: `not` does not work element by element; write ~ and brackets: ~(a > 0)
if: `if` is not supported; write where(condition, a, b)
else: `else` is not supported; write where(condition, a, b)
in: `in` is not supported; compare with ==
is: `is` is not supported; compare with == or isnan(x)
for: loops are not supported; an expression works on whole arrays
lambda: functions cannot be defined here
assert: `assert` is not supported; write all(x > 0) as a result
class: classes cannot be defined here
def: functions cannot be defined here; a value is given a name: d = x - 1
del: `del` is not supported: leave it out
from: `from` is not supported: leave it out; functions work alone or after np.
import: `import` is not supported: leave it out; functions work alone or after np.
return: the last statement is the result, without `return`
while: loops are not supported; an expression works on whole arrays
with: `with` is not supported; give a value a name: d = x - 1
None: None is allowed only as an index for a new axis, for all axes, and for a parameter whose default it is";

/// The row of a function name.
pub(super) fn function(name: &str) -> Option<Op> {
    Op::named(name)
        .filter(|op| !op.takes_dtype())
        .or_else(|| of_row(ALIASES, name))
}

/// The other names of rows.
pub(super) fn aliases() -> impl Iterator<Item = (&'static str, Op)> {
    ALIASES.iter().copied()
}

/// The names of constants.
pub(super) fn constants<'a>() -> impl Iterator<Item = &'a str> {
    CONSTANTS.iter().map(|(name, _)| *name)
}

/// The value of a constant.
pub(super) fn constant(name: &str) -> Option<Literal> {
    of_row(CONSTANTS, name)
}

/// The entry of a table for a name.
pub(super) fn of_row<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    let row = table.iter().find(|(of, _)| *of == name);
    row.map(|(_, found)| *found)
}

/// What to write instead of a keyword.
pub(super) fn keyword(name: &str) -> Option<&'static str> {
    let hint = |line: &'static str| line.strip_prefix(name)?.strip_prefix(": ");
    KEYWORDS.lines().find_map(hint)
}
