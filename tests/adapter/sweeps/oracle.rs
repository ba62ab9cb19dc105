//! What each row of the op table is to give: the function in f64, and how far an f32 result may be
//! from it.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_PI};

use zerostride::{Arity, DType, Expr, Op};

/// What a result is compared with.
#[derive(Clone, Copy)]
pub enum Oracle {
    /// These bits, from the argument's bits and the sign bit: nothing is rounded or flushed, a NaN
    /// keeps its payload.
    Bits(fn(u32, u32) -> u32),
    /// A truth value.
    Test(fn(f64) -> bool),
    /// A number that is computed from the argument and the parameters, and the f32 result's bound
    /// in ULP.
    Number {
        bound: f64,
        exact: fn(f64, &[f64]) -> f64,
    },
}

/// A row of the op table with its customary parameters.
pub struct Row {
    pub name: &'static str,
    pub parameters: &'static [f64],
    pub oracle: Oracle,
    /// Where the error of an f32 is not counted in the last place of the result: the number whose
    /// last place it is.
    pub scale: Option<f64>,
    /// Whether an adapter that flushes subnormals may give the argument where it is one.
    pub keeps: bool,
}

/// Results that are the nearest f32.
const NEAREST: f64 = 0.5;
/// Functions with a polynomial of their own.
const BASIC: f64 = 2.0;
/// Functions composed of others.
const COMPOSED: f64 = 4.0;

const fn number(name: &'static str, bound: f64, exact: fn(f64, &[f64]) -> f64) -> Row {
    Row {
        name,
        parameters: &[],
        oracle: Oracle::Number { bound, exact },
        scale: None,
        keeps: false,
    }
}

const fn with(parameters: &'static [f64], row: Row) -> Row {
    Row { parameters, ..row }
}

const fn bits(name: &'static str, expected: fn(u32, u32) -> u32) -> Row {
    Row {
        name,
        parameters: &[],
        oracle: Oracle::Bits(expected),
        scale: None,
        keeps: false,
    }
}

const fn test(name: &'static str, expected: fn(f64) -> bool) -> Row {
    Row {
        name,
        parameters: &[],
        oracle: Oracle::Test(expected),
        scale: None,
        keeps: false,
    }
}

/// The oracles. Infinite arguments that f64 arithmetic makes NaN of have the limit.
pub const ROWS: &[Row] = &[
    bits("identity", |x, _| x),
    bits("neg", |x, sign| x ^ sign),
    bits("abs", |x, sign| x & !sign),
    test("isnan", f64::is_nan),
    test("isinf", f64::is_infinite),
    number("relu", NEAREST, |x, _| if x <= 0.0 { 0.0 } else { x }),
    number("floor", NEAREST, |x, _| x.floor()),
    number("ceil", NEAREST, |x, _| x.ceil()),
    number("round", NEAREST, |x, _| x.round_ties_even()),
    number("round_away", NEAREST, |x, _| x.round()),
    number("trunc", NEAREST, |x, _| x.trunc()),
    number(
        "sign",
        NEAREST,
        |x, _| if x == 0.0 { 0.0 } else { x.signum() },
    ),
    number("sqrt", BASIC, |x, _| x.sqrt()),
    number("reciprocal", NEAREST, |x, _| 1.0 / x),
    number("exp", BASIC, |x, _| x.exp()),
    number("exp2", BASIC, |x, _| x.exp2()),
    number("expm1", BASIC, |x, _| x.exp_m1()),
    number("log", BASIC, |x, _| x.ln()),
    number("log2", BASIC, |x, _| x.log2()),
    number("log10", BASIC, |x, _| x.log10()),
    number("log1p", BASIC, |x, _| x.ln_1p()),
    number("sin", BASIC, |x, _| x.sin()),
    number("cos", BASIC, |x, _| x.cos()),
    number("tan", BASIC, |x, _| x.tan()),
    number("asin", BASIC, |x, _| x.asin()),
    number("acos", BASIC, |x, _| x.acos()),
    number("atan", BASIC, |x, _| x.atan()),
    number("cbrt", COMPOSED, |x, _| x.cbrt()),
    number("sinh", COMPOSED, |x, _| x.sinh()),
    number("cosh", COMPOSED, |x, _| x.cosh()),
    number("tanh", COMPOSED, |x, _| x.tanh()),
    number("asinh", COMPOSED, |x, _| asinh(x)),
    number("acosh", COMPOSED, |x, _| acosh(x)),
    number("atanh", COMPOSED, |x, _| atanh(x)),
    number("erf", COMPOSED, |x, _| libm::erf(x)),
    number("sigmoid", COMPOSED, |x, _| 1.0 / (1.0 + (-x).exp())),
    number("softplus", COMPOSED, |x, _| softplus(x)),
    number("softsign", COMPOSED, |x, _| {
        if x.is_infinite() {
            x.signum()
        } else {
            x / (1.0 + x.abs())
        }
    }),
    number("gelu", COMPOSED, |x, _| {
        weighted(x, 0.5 * libm::erfc(-x * FRAC_1_SQRT_2))
    }),
    number("gelu_tanh", COMPOSED, |x, _| {
        weighted(x, gelu_tanh_weight(x))
    }),
    number("mish", COMPOSED, |x, _| weighted(x, softplus(x).tanh())),
    number("hard_swish", COMPOSED, |x, _| {
        weighted(x, ((x + 3.0) / 6.0).clamp(0.0, 1.0))
    }),
    Row {
        // The product is rounded before beta is added, and that is all that is left where the sum
        // cancels.
        scale: Some(0.5),
        ..with(
            &[0.2, 0.5],
            number("hard_sigmoid", BASIC, |x, p| {
                (p[0] * x + p[1]).clamp(0.0, 1.0)
            }),
        )
    },
    Row {
        // The comparison takes a negative subnormal for a zero, and the selection moves its bits.
        keeps: true,
        ..with(
            &[0.01],
            number(
                "leaky_relu",
                NEAREST,
                |x, p| if x < 0.0 { p[0] * x } else { x },
            ),
        )
    },
    with(
        &[1.0],
        number(
            "thresholded_relu",
            NEAREST,
            |x, p| if x <= p[0] { 0.0 } else { x },
        ),
    ),
    with(
        &[1.0],
        number(
            "elu",
            COMPOSED,
            |x, p| if x < 0.0 { p[0] * x.exp_m1() } else { x },
        ),
    ),
    with(
        &[1.0],
        number("celu", COMPOSED, |x, p| {
            if x < 0.0 {
                p[0] * (x / p[0]).exp_m1()
            } else {
                x
            }
        }),
    ),
    with(
        &[1.673_263_192_176_818_8, 1.050_701_022_148_132_3],
        number("selu", COMPOSED, |x, p| {
            p[1] * if x < 0.0 { p[0] * x.exp_m1() } else { x }
        }),
    ),
    with(
        &[1.0],
        number("swish", COMPOSED, |x, p| {
            weighted(x, 1.0 / (1.0 + (-p[0] * x).exp()))
        }),
    ),
];

/// A number times a weight that vanishes faster than it grows.
fn weighted(x: f64, weight: f64) -> f64 {
    if x == f64::NEG_INFINITY {
        -0.0
    } else {
        x * weight
    }
}

fn asinh(x: f64) -> f64 {
    let a = x.abs();
    if a.is_infinite() {
        x
    } else {
        (a + a * a / (1.0 + a.hypot(1.0))).ln_1p().copysign(x)
    }
}

fn acosh(x: f64) -> f64 {
    let t = x - 1.0;
    if t < 0.0 {
        f64::NAN
    } else {
        (t + (t * (t + 2.0)).sqrt()).ln_1p()
    }
}

fn atanh(x: f64) -> f64 {
    let a = x.abs();
    (0.5 * (2.0 * a / (1.0 - a)).ln_1p()).copysign(x)
}

fn softplus(x: f64) -> f64 {
    x.clamp(0.0, f64::INFINITY) + (-x.abs()).exp().ln_1p()
}

/// (1 + tanh(u)) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3).
fn gelu_tanh_weight(x: f64) -> f64 {
    1.0 / (1.0 + (-2.0 * FRAC_2_PI.sqrt() * (x + 0.044_715 * x * x * x)).exp())
}

/// The operands that are numbers rather than tensors.
const PARAMETERS: &[&str] = &["alpha", "beta", "gamma"];

/// The operators that are functions of one float, with their parameters.
pub fn functions() -> impl Iterator<Item = Op> {
    Op::table().filter(|op| {
        let moves = op.takes_dtype() || op.is_select();
        let floats = !moves && op.accepts().contains(DType::F32);
        let unary = matches!(op.arity(), Arity::Exactly(_));
        floats
            && unary
            && op.operands()[1..]
                .iter()
                .all(|name| PARAMETERS.contains(name))
    })
}

impl Row {
    /// The operator.
    pub fn op(&self) -> Op {
        Op::named(self.name)
            .unwrap_or_else(|| panic!("there is an oracle for {}, which is no operator", self.name))
    }

    /// The operator on an argument of this type.
    pub fn expr<L>(&self, dtype: DType, argument: Expr<L>) -> Expr<L> {
        let parameters = self
            .parameters
            .iter()
            .map(|&p| Expr::scalar(zerostride::Scalar::of(dtype, p)));
        Expr::step(
            self.op(),
            std::iter::once(argument)
                .chain(parameters)
                .collect::<Vec<_>>(),
        )
    }
}

#[test]
fn every_function_of_one_float_has_an_oracle() {
    for op in functions() {
        let row = ROWS.iter().find(|row| row.name == op.name());
        let row = row.unwrap_or_else(|| {
            panic!("{op} has no oracle: add one to ROWS in tests/sweeps/oracle.rs")
        });
        assert_eq!(
            row.parameters.len() + 1,
            op.operands().len(),
            "{op}: parameters of its oracle"
        );
    }
    for row in ROWS {
        assert!(
            functions().any(|op| op == row.op()),
            "{} is no function of one float",
            row.name
        );
    }
    assert_eq!(functions().count(), ROWS.len());
}
