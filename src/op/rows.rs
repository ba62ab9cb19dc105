//! The table that the lists of rows make.

use std::cmp::Ordering::{Equal, Greater, Less};
use std::f64::consts::{FRAC_2_SQRT_PI, LN_2, LN_10};

use super::derivative::{
    Derivative::{self, Binary, Flat, Ternary, Unary, Variadic},
    OF_INTEGERS, Term, WITHOUT,
};
use super::facts::{
    Algebra::{Difference, Negation, Other, Product, Sum},
    Bound::{self, Exact, Function, Fusable, Ulps},
    Cost::{Cheap, Costliest, Costly},
    Curve::{self, Dips, Jumps, Monotone, Ordered, Periodic, Pole, Ties},
    Facts,
    Numbers::{self, AsFloats, Choice, Never, One, Three, Two},
    Promote::{Bools, BoolsAs, Refuse, ToFloats, TrueDivision, Unchanged},
    bits, comparison, exact, float_test, function, logic, rounding,
};
use super::floats::{clip_f, floor_div_d, floor_div_f, floor_mod_d, floor_mod_f};
use super::functions::{
    elu, elu_d, gelu, gelu_tanh, hard_swish, mish, sigmoid, sigmoid_d, sign, softplus, softsign,
    swish, swish_d,
};
use super::integers::{pow_i, pow_u64, whole_floor_div, whole_floor_mod, wide_amount};
use super::row::{Arity, Fold, Form, OnCpu, Operands, Row, Types};
use super::slopes::{self, halves, shares};
use super::value::{Scalar, Value};
use super::{Op, arith_ops, compare_ops, fold_ops, inner_ops, math_ops};
use crate::dtype::{Class, DType, DTypes};
use crate::message::shown;

/// Entries of a row's forms. A form is the class of its values (`bool:`, `u32:`, `i32:`, `f32:`;
/// `u64:`, `i64:` and `f64:` on pairs of words, the last without arithmetic; `native:` doubles;
/// `float_bits:`, the f32 bits of floats; `any:`, the storage bits of every class), the WGSL
/// expression, and the expression on the CPU. Optional between the two: the expression by WGSL's
/// built-in functions (`fast`), and the expression on whole words of narrow elements (`packed`).
macro_rules! forms {
    ($args:tt any: $wgsl:literal packed $packed:literal = $cpu:expr;) => {
        forms!(@any $args, $wgsl, $packed, $cpu, Bool U32 I32 F32 U64 I64 F64)
    };
    (@any $args:tt, $wgsl:literal, $packed:literal, $cpu:expr, $($class:ident)+) => {
        &[$((Class::$class, forms!(@form Class::$class, $args, Operands::Storage, Value::as_bits, $wgsl, None, Some($packed), Value::from, $cpu))),+]
    };
    ($args:tt $($of:ident: $wgsl:literal $(fast $fast:literal)? $(packed $packed:literal)? = $cpu:expr;)*) => {
        &[$(forms!(@one $of, $args, $wgsl, forms!(@text $($fast)?), forms!(@text $($packed)?), $cpu)),*]
    };
    (@text) => { None };
    (@text $text:literal) => { Some($text) };
    (@one native, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::F64, forms!(@form Class::F64, $args, Operands::Native, Value::as_f64, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@one float_bits, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (Class::F32, forms!(@form Class::F32, $args, Operands::FloatBits, Value::as_u32, $wgsl, $fast, $packed, Value::of_float_bits, $cpu))
    };
    (@one $t:ident, $args:tt, $wgsl:literal, $fast:expr, $packed:expr, $cpu:expr) => {
        (<$t as Scalar>::CLASS, forms!(@form <$t as Scalar>::CLASS, $args, Operands::Values, <$t as Scalar>::of, $wgsl, $fast, $packed, Value::from, $cpu))
    };
    (@form $class:expr, ($($x:ident),+), $read:expr, $get:expr, $wgsl:literal, $fast:expr, $packed:expr, $make:path, $cpu:expr) => {
        Form {
            read: $read,
            wgsl: $wgsl,
            fast: $fast,
            packed: $packed,
            functions: "",
            cpu: on_cpu($class, &|values| {
                let mut values = values.iter().copied();
                $(let $x = $get(values.next().unwrap_or(Value::U32(0)));)+
                $make($cpu)
            }),
        }
    };
}

/// The function of a form on the CPU. Builds without the reference keep only the functions of bools
/// and doubles, which compute numbers.
const fn on_cpu(class: Class, cpu: &'static OnCpu) -> &'static OnCpu {
    match class {
        Class::Bool | Class::F64 => cpu,
        _ if cfg!(feature = "complete") => cpu,
        _ => &|_| Value::Bits(0),
    }
}

/// A row's facts; without gradients it has no derivative.
const fn kept(facts: Facts) -> Facts {
    match cfg!(feature = "complete") {
        true => facts,
        false => Facts {
            derivative: WITHOUT,
            ..facts
        },
    }
}

/// Makes a module's rows: `NAME method "text" (operands) types(SET) [facts] { forms }`.
macro_rules! rows {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal ($($x:ident $(= $default:literal)?),+)
       $types:ident($set:expr) [$facts:expr] { $($forms:tt)* })+) => {
        $(static $NAME: Row = Row {
            name: $text,
            doc: shown(concat!($($doc, "\n"),+)),
            operands: &[$(stringify!($x)),+],
            defaults: &[$($($default,)?)+],
            arity: Arity::Exactly([$(stringify!($x)),+].len()),
            types: Types::$types($set),
            facts: kept($facts),
            fold: None,
            forms: forms!(($($x),+) $($forms)*),
        };)+
    };
}

/// Names a module's rows.
macro_rules! constants {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $operands:tt
       $types:ident($set:expr) $facts:tt { $($forms:tt)* })+) => {
        impl Op {
            $($(#[doc = $doc])+ pub const $NAME: Self = Self(&$NAME);)+
        }
    };
}

/// Makes the variadic rows: `NAME method "text" types(SET) [promotion, derivative] = STEP, finish;`. The other
/// facts are those of the binary row.
macro_rules! folds {
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr)
       [$promotion:expr, $derivative:expr] = $step:ident, $finish:expr;)+) => {
        $(static $NAME: Row = Row {
            name: $text,
            doc: shown(concat!($($doc, "\n"),+)),
            operands: &["x..."],
            defaults: &[],
            arity: Arity::Variadic,
            types: Types::$types($set),
            facts: kept(Facts { promotion: $promotion, numbers: Numbers::Fold, derivative: $derivative, ..$step.facts }),
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
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $operands:tt
       $types:ident($set:expr) $facts:tt { $($forms:tt)* })+) => {
        &[$(&$NAME),+]
    };
    ($($(#[doc = $doc:literal])+ $NAME:ident $method:ident $text:literal $types:ident($set:expr)
       $facts:tt = $step:ident, $finish:expr;)+) => {
        &[$(&$NAME),+]
    };
}

arith_ops!(rows);
arith_ops!(constants);
inner_ops!(rows);
compare_ops!(rows);
compare_ops!(constants);
math_ops!(rows);
math_ops!(constants);
fold_ops!(folds);

/// A row of one operand whose result's type is the step's parameter.
const fn to_type(
    name: &'static str,
    doc: &'static str,
    types: Types,
    accuracy: Bound,
    curve: Curve,
    derivative: Derivative,
) -> Row {
    Row {
        name,
        doc: shown(doc),
        operands: &["x"],
        defaults: &[],
        arity: Arity::Exactly(1),
        types,
        facts: Facts {
            accuracy,
            ..exact(curve, Refuse, Never, derivative)
        },
        fold: None,
        forms: &[],
    }
}

static CAST: Row = to_type(
    "cast",
    concat!(
        " The operand as another element type. Floats are truncated towards zero and kept within the",
        " target's range, NaN\n becomes 0; integers keep their low bits; everything that is not 0 is",
        " true.\n"
    ),
    Types::Cast,
    Bound::Conversion,
    Curve::Conversion,
    Unary(|g, _, _| g.clone()),
);
static BIT_CAST: Row = to_type(
    "bit_cast",
    " The operand's bits as another element type of the same size.\n",
    Types::BitCast,
    Bound::Exact,
    Curve::Jumps,
    Derivative::Never("the bits of a float are not differentiable"),
);
impl Op {
    #[doc(hidden)]
    pub const CONCAT_WORDS: Self = Self(&CONCAT_WORDS);
    /// The operand as another element type, which is the step's parameter.
    pub const CAST: Self = Self(&CAST);
    /// The operand's bits as another element type of the same size, which is the step's parameter.
    pub const BIT_CAST: Self = Self(&BIT_CAST);
}

/// The rows that other operators are lowered to.
pub(super) static INNER: &[&Row] = inner_ops!(addresses);

/// All rows.
pub(super) static TABLE: &[&[&Row]] = &[
    arith_ops!(addresses),
    INNER,
    compare_ops!(addresses),
    math_ops!(addresses),
    fold_ops!(addresses),
    &[&CAST, &BIT_CAST],
];
