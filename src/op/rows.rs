//! The table that the lists of rows make.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use super::arith::{
    clip_f, floor_div_d, floor_div_f, floor_div_i, floor_mod_d, floor_mod_f, floor_mod_i, pow_i,
    pow_u64, wide_amount,
};
use super::math::{
    elu, elu_d, gelu, gelu_tanh, hard_swish, mish, sigmoid, sigmoid_d, sign, softplus, softsign,
    swish, swish_d,
};
use super::value::Value;
use super::{Arity, Fold, Form, Operands, Row, Types, arith_ops, compare_ops, fold_ops, math_ops};
use crate::dtype::{Class, DTypes};

/// An operator: a row of the op table.
#[derive(Clone, Copy)]
pub struct Op(&'static Row);

impl Op {
    /// All operators, in the order of the table.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().copied().flatten().map(|&row| Self(row))
    }

    /// The operator of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::all().find(|op| op.name == name)
    }
}

impl Deref for Op {
    type Target = Row;

    fn deref(&self) -> &Row {
        self.0
    }
}

impl PartialEq for Op {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Op {}

impl Hash for Op {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::ptr::from_ref(self.0).hash(state);
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Entries of a row's forms. A form is a letter (`b`, `u`, `i`, `f`, and for 64 bits `p`, `q`, `d`:
/// values of that class; `n`: native doubles; `x`: the f32 bits of floats; `any`: storage bits of
/// every class), the WGSL expression, and the expression on the CPU. Between the two may stand what
/// the adapter's builtins make of it (`fast`), and the expression on whole words (`packed`).
macro_rules! forms {
    ($args:tt any $wgsl:literal packed $packed:literal = $cpu:expr;) => {
        &[
            (Class::Bool, forms!(@form $args, Operands::Storage, bits, $wgsl, None, Some($packed), Value::from, $cpu)),
            (Class::U32, forms!(@form $args, Operands::Storage, bits, $wgsl, None, Some($packed), Value::from, $cpu)),
            (Class::I32, forms!(@form $args, Operands::Storage, bits, $wgsl, None, Some($packed), Value::from, $cpu)),
            (Class::F32, forms!(@form $args, Operands::Storage, bits, $wgsl, None, Some($packed), Value::from, $cpu)),
            (Class::U64, forms!(@form $args, Operands::Storage, bits, $wgsl, None, Some($packed), Value::from, $cpu)),
            (Class::I64, forms!(@form $args, Operands::Storage, bits, $wgsl, None, Some($packed), Value::from, $cpu)),
            (Class::F64, forms!(@form $args, Operands::Storage, bits, $wgsl, None, Some($packed), Value::from, $cpu)),
        ]
    };
    ($args:tt $($class:ident $wgsl:literal $(fast $fast:literal)? $(packed $packed:literal)? = $cpu:expr;)*) => {
        &[$(forms!(@one $class, $args, $wgsl, forms!(@text $($fast)?), forms!(@text $($packed)?), $cpu)),*]
    };
    (@text) => { None };
    (@text $text:literal) => { Some($text) };
    (@one b, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::Bool, forms!(@form $args, Operands::Values, b, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one u, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::U32, forms!(@form $args, Operands::Values, u, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one i, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::I32, forms!(@form $args, Operands::Values, i, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one f, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::F32, forms!(@form $args, Operands::Values, f, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one p, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::U64, forms!(@form $args, Operands::Values, p, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one q, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::I64, forms!(@form $args, Operands::Values, q, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one d, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::F64, forms!(@form $args, Operands::Values, d, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one n, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::F64, forms!(@form $args, Operands::Native, d, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one x, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::F32, forms!(@form $args, Operands::FloatBits, u, $wgsl, $fast, $packed, Value::of_float_bits, $cpu))
    };
    (@form ($($x:ident),+), $read:expr, $get:ident, $wgsl:literal, $fast:expr, $packed:expr, $make:path, $cpu:expr) => {
        Form {
            read: $read,
            wgsl: $wgsl,
            fast: $fast,
            packed: $packed,
            cpu: |values| {
                let mut values = values.iter().copied();
                $(let $x = values.next().unwrap_or(Value::U32(0)).$get();)+
                $make($cpu)
            },
        }
    };
}

/// Makes a module's rows: `NAME method "text" (operands) types(SET) [flags] { forms }`.
macro_rules! rows {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal ($($x:ident $(= $default:literal)?),+)
       $types:ident($set:expr) [$($flag:ident)*] { $($forms:tt)* })+) => {
        $(static $NAME: Row = Row {
            name: $text,
            doc: concat!($($doc, "\n"),+),
            operands: &[$(stringify!($x)),+],
            defaults: &[$($($default,)?)+],
            arity: Arity::Exactly([$(stringify!($x)),+].len()),
            types: Types::$types($set),
            leaves: rows!(@flag leaves $($flag)*),
            heavy: rows!(@flag heavy $($flag)*),
            target: if rows!(@flag second $($flag)*) { 1 } else { 0 },
            fold: None,
            forms: forms!(($($x),+) $($forms)*),
        };)+
        impl Op {
            $($(#[doc = $doc])+ pub const $NAME: Self = Self(&$NAME);)+
        }
    };
    (@flag $wanted:ident) => { false };
    (@flag leaves leaves $($rest:ident)*) => { true };
    (@flag heavy heavy $($rest:ident)*) => { true };
    (@flag second second $($rest:ident)*) => { true };
    (@flag $wanted:ident $other:ident $($rest:ident)*) => { rows!(@flag $wanted $($rest)*) };
}

/// Makes the variadic rows: `NAME method "text" types(SET) = STEP, finish;`.
macro_rules! folds {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr) = $step:ident, $finish:expr;)+) => {
        $(static $NAME: Row = Row {
            name: $text,
            doc: concat!($($doc, "\n"),+),
            operands: &["x..."],
            defaults: &[],
            arity: Arity::Variadic,
            types: Types::$types($set),
            leaves: true,
            heavy: false,
            target: 0,
            fold: Some(Fold { step: Op(&$step), finish: $finish }),
            forms: &[],
        };)+
        impl Op {
            $($(#[doc = $doc])+ pub const $NAME: Self = Self(&$NAME);)+
        }
    };
}

/// The rows' addresses, in the order of the lists.
macro_rules! addresses {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal ($($x:ident $(= $default:literal)?),+)
       $types:ident($set:expr) [$($flag:ident)*] { $($forms:tt)* })+) => {
        &[$(&$NAME),+]
    };
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr) = $step:ident, $finish:expr;)+) => {
        &[$(&$NAME),+]
    };
}

arith_ops!(rows);
compare_ops!(rows);
math_ops!(rows);
fold_ops!(folds);

/// A row of one operand whose result's type is the step's parameter.
const fn to_type(name: &'static str, doc: &'static str, types: Types) -> Row {
    Row {
        name,
        doc,
        operands: &["x"],
        defaults: &[],
        arity: Arity::Exactly(1),
        types,
        target: 0,
        leaves: false,
        heavy: false,
        fold: None,
        forms: &[],
    }
}

static CAST: Row = to_type(
    "cast",
    " The operand as another element type. Floats are truncated towards zero and kept within the target's range, NaN\n becomes 0; integers keep their low bits; everything that is not 0 is true.\n",
    Types::Cast,
);
static BIT_CAST: Row = to_type(
    "bit_cast",
    " The operand's bits as another element type of the same size.\n",
    Types::BitCast,
);
impl Op {
    /// The operand as another element type, which is the step's parameter.
    pub const CAST: Self = Self(&CAST);
    /// The operand's bits as another element type of the same size, which is the step's parameter.
    pub const BIT_CAST: Self = Self(&BIT_CAST);
}

static TABLE: &[&[&Row]] = &[
    arith_ops!(addresses),
    compare_ops!(addresses),
    math_ops!(addresses),
    fold_ops!(addresses),
    &[&CAST, &BIT_CAST],
];
