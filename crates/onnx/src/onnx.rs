//! The operators of ONNX. Their element types by opset are those of its operator schemas.

mod arrays;
mod attention;
mod build;
mod create;
mod gather;
mod loss;
mod moves;
mod norm;
mod pad;
mod product;
mod refused;

use super::call::Standard;
use super::name::{Name, Typed};
use super::{quantize, reduce};
pub(super) use arrays::TABLE as ARRAYS;
use build::{
    F3, N11, N12, bit_cast, bit_shift, cast, clip, expand, gelu, gemm, modulo, parameters, pow,
    prelu, selu, shrink, swiglu,
};
pub(super) use build::{cast_like, is_inf};
pub(super) use refused::REFUSED;
use zerostride::Op;
use zerostride::{DType, DTypes};
use zerostride::{Reduction, Scan};

use DType::{F32, F64, I8, I32, I64, U8, U32, U64};

/// Numeric types without integers of 1 and 2 bytes.
const N8: DTypes = N7.or(DTypes::FLOATS);
const N7: DTypes = DTypes::of(&[U32, U64, I32, I64]).or(F3);
/// Numeric types without f16, bf16 and integers of 1 and 2 bytes.
const N6: DTypes = DTypes::of(&[U32, U64, I32, I64, F32, F64]);
const F4: DTypes = DTypes::FLOATS;
const ANY: DTypes = DTypes::ANY;
const ANY12: DTypes = N11.or(DTypes::BOOL);

const ARITHMETIC: &[(u32, DTypes)] = &[(14, N12), (13, N8), (7, N7)];
const LARGEST: &[(u32, DTypes)] = &[(13, N12), (12, N11), (8, F3)];
const MEANS: &[(u32, DTypes)] = &[(13, F4), (8, F3)];
const ORDER: &[(u32, DTypes)] = &[(13, N12), (9, N11), (7, F3)];
const OR_EQUAL: &[(u32, DTypes)] = &[(16, N12), (12, N11)];
const LOGIC: &[(u32, DTypes)] = &[(7, DTypes::BOOL)];
const BITS: &[(u32, DTypes)] = &[(18, DTypes::INTS)];
const FLOATS: &[(u32, DTypes)] = &[(13, F4), (6, F3)];
const TRIG: &[(u32, DTypes)] = &[(22, F4), (7, F3)];
const HYPERBOLIC: &[(u32, DTypes)] = &[(22, F4), (9, F3)];
const ACTIVATION: &[(u32, DTypes)] = &[(22, F4), (1, F3)];
const MOVES: &[(u32, DTypes)] = &[(13, ANY), (6, ANY12)];
const SUMS: &[(u32, DTypes)] = &[(13, N8), (1, N7)];
const LOG_SUMS: &[(u32, DTypes)] = &[(28, F4), (13, N8), (1, N7)];
const BYTES: DTypes = DTypes::of(&[U8, I8]);
const EXTREMES: &[(u32, DTypes)] = &[
    (20, N8.or(BYTES).or(DTypes::BOOL)),
    (13, N8.or(BYTES)),
    (12, N7.or(BYTES)),
    (1, N7),
];
const SOFTMAX: &[(u32, DTypes)] = &[(13, F4), (1, F3)];

const fn step(
    name: &'static str,
    op: Op,
    operands: usize,
    versions: &'static [(u32, DTypes)],
) -> Name {
    Name::step(Standard::Onnx, name, op, (operands, operands), versions)
}

const fn variadic(name: &'static str, op: Op, versions: &'static [(u32, DTypes)]) -> Name {
    Name::step(Standard::Onnx, name, op, (1, usize::MAX), versions)
}

/// A reduction whose axes are operand 1 in the newest operation set.
const fn reduction(name: &'static str, versions: &'static [(u32, DTypes)]) -> Name {
    Name::step(Standard::Onnx, name, Op::ADD, (1, 2), versions)
        .typed(Typed::First)
        .shapes(&[1])
        .attrs(reduce::ATTRS)
}

/// An attribute without an effect.
const OLD: (&str, &str) = ("consumed_inputs", "ignored; old operation sets have it");
const TO: (&str, &str) = (
    "to",
    "the element type, as a number of TensorProto.DataType or a name",
);
const FLOAT8: &[(&str, &str)] = &[
    TO,
    ("saturate", "float8 only"),
    ("round_mode", "float8 only"),
];

/// The operators except those of [`ARRAYS`].
pub(super) static TABLE: &[Name] = &[
    step("Add", Op::ADD, 2, ARITHMETIC),
    step("Sub", Op::SUB, 2, ARITHMETIC),
    step("Mul", Op::MUL, 2, ARITHMETIC),
    step("Div", Op::DIV, 2, ARITHMETIC),
    step("Mod", Op::MOD, 2, &[(13, N12), (10, N11)])
        .attrs(&[(
            "fmod",
            "0 (default): the sign of the divisor; 1: the sign of the dividend",
        )])
        .with(modulo),
    step(
        "Pow",
        Op::POW,
        2,
        &[(13, F4.or(POW_INTS)), (12, F3.or(POW_INTS)), (7, F3)],
    )
    .typed(Typed::First)
    .with(pow),
    variadic("Max", Op::MAX_N, LARGEST),
    variadic("Min", Op::MIN_N, LARGEST),
    variadic("Sum", Op::ADD_N, MEANS),
    variadic("Mean", Op::MEAN_N, MEANS),
    step(
        "Equal",
        Op::EQUAL,
        2,
        &[
            (13, ANY),
            (11, ANY12),
            (7, DTypes::of(&[DType::Bool, I32, I64])),
        ],
    ),
    step("Greater", Op::GREATER, 2, ORDER),
    step("Less", Op::LESS, 2, ORDER),
    step("GreaterOrEqual", Op::GREATER_OR_EQUAL, 2, OR_EQUAL),
    step("LessOrEqual", Op::LESS_OR_EQUAL, 2, OR_EQUAL),
    step("And", Op::AND, 2, LOGIC),
    step("Or", Op::OR, 2, LOGIC),
    step("Xor", Op::XOR, 2, LOGIC),
    step("Not", Op::NOT, 1, &[(1, DTypes::BOOL)]),
    step("BitwiseAnd", Op::BIT_AND, 2, BITS),
    step("BitwiseOr", Op::BIT_OR, 2, BITS),
    step("BitwiseXor", Op::BIT_XOR, 2, BITS),
    step("BitwiseNot", Op::BIT_NOT, 1, BITS),
    step(
        "BitShift",
        Op::SHL,
        2,
        &[(28, DTypes::INTS), (11, DTypes::UNSIGNED_INTS)],
    )
    .attrs(&[("direction", "LEFT or RIGHT")])
    .with(bit_shift),
    step("Where", Op::WHERE, 3, &[(16, ANY), (9, ANY12)]).typed(Typed::Select),
    step(
        "PRelu",
        Op::PRELU,
        2,
        &[(16, F4.or(WIDE_INTS)), (9, N7), (7, F3)],
    )
    .with(prelu),
    Name::step(
        Standard::Onnx,
        "Gemm",
        Op::MUL,
        (2, 3),
        &[(13, F4.or(WIDE_INTS)), (9, N7), (7, F3)],
    )
    .attrs(&[
        ("alpha", "1"),
        ("beta", "1"),
        ("transA", "0"),
        ("transB", "0"),
    ])
    .with(gemm),
    step(
        "Neg",
        Op::NEG,
        1,
        &[
            (13, F4.or(DTypes::SIGNED_INTS)),
            (6, F3.or(DTypes::SIGNED_INTS)),
        ],
    ),
    step("Abs", Op::ABS, 1, &[(13, N12), (6, N11)]),
    step("Sign", Op::SIGN, 1, &[(13, N12), (9, N11)]),
    step("Sqrt", Op::SQRT, 1, FLOATS),
    step("Exp", Op::EXP, 1, FLOATS),
    step("Log", Op::LOG, 1, FLOATS),
    step("Tanh", Op::TANH, 1, FLOATS),
    step("Sigmoid", Op::SIGMOID, 1, FLOATS),
    step("Sin", Op::SIN, 1, TRIG),
    step("Cos", Op::COS, 1, TRIG),
    step("Tan", Op::TAN, 1, TRIG),
    step("Asin", Op::ASIN, 1, TRIG),
    step("Acos", Op::ACOS, 1, TRIG),
    step("Atan", Op::ATAN, 1, TRIG),
    step("Sinh", Op::SINH, 1, HYPERBOLIC),
    step("Cosh", Op::COSH, 1, HYPERBOLIC),
    step("Asinh", Op::ASINH, 1, HYPERBOLIC),
    step("Acosh", Op::ACOSH, 1, HYPERBOLIC),
    step("Atanh", Op::ATANH, 1, HYPERBOLIC),
    step("Erf", Op::ERF, 1, &[(13, F4), (9, F3)]),
    step("Softplus", Op::SOFTPLUS, 1, ACTIVATION),
    step("Softsign", Op::SOFTSIGN, 1, ACTIVATION),
    step("Mish", Op::MISH, 1, &[(22, F4), (18, F3)]),
    step("HardSwish", Op::HARD_SWISH, 1, &[(22, F4), (14, F3)]),
    step("Gelu", Op::GELU, 1, &[(20, F4)])
        .attrs(&[("approximate", "none (default), which uses erf, or tanh")])
        .with(gelu),
    step("LeakyRelu", Op::LEAKY_RELU, 1, &[(16, F4), (6, F3)])
        .attrs(&[("alpha", "0.01")])
        .with(|call| parameters(call, Op::LEAKY_RELU)),
    step(
        "ThresholdedRelu",
        Op::THRESHOLDED_RELU,
        1,
        &[(22, F4), (10, F3)],
    )
    .attrs(&[("alpha", "1")])
    .with(|call| parameters(call, Op::THRESHOLDED_RELU)),
    step("Elu", Op::ELU, 1, ACTIVATION)
        .attrs(&[("alpha", "1"), OLD])
        .with(|call| parameters(call, Op::ELU)),
    step("Celu", Op::CELU, 1, &[(28, F4), (12, DTypes::of(&[F32]))])
        .attrs(&[("alpha", "1")])
        .with(|call| parameters(call, Op::CELU)),
    step("Selu", Op::SELU, 1, ACTIVATION)
        .attrs(&[("alpha", "1.6732632"), ("gamma", "1.050701"), OLD])
        .with(selu),
    step("HardSigmoid", Op::HARD_SIGMOID, 1, ACTIVATION)
        .attrs(&[("alpha", "0.2"), ("beta", "0.5"), OLD])
        .with(|call| parameters(call, Op::HARD_SIGMOID)),
    step("Swish", Op::SWISH, 1, &[(24, F4)])
        .attrs(&[("alpha", "1")])
        .with(|call| parameters(call, Op::SWISH)),
    step("SwiGLU", Op::SWISH, 2, &[(28, F4)])
        .attrs(&[("alpha", "1")])
        .with(swiglu),
    step("Shrink", Op::WHERE, 1, &[(9, N11)])
        .attrs(&[("lambd", "0.5"), ("bias", "0")])
        .with(shrink),
    step("Reciprocal", Op::RECIPROCAL, 1, FLOATS),
    step(
        "Relu",
        Op::RELU,
        1,
        &[(14, F4.or(DTypes::SIGNED_INTS)), (13, F4), (6, F3)],
    ),
    step("Floor", Op::FLOOR, 1, FLOATS),
    step("Ceil", Op::CEIL, 1, FLOATS),
    step("Round", Op::ROUND, 1, &[(22, F4), (11, F3)]),
    step("IsNaN", Op::IS_NAN, 1, &[(13, F4), (9, F3)]),
    step(
        "IsInf",
        Op::IS_INF,
        1,
        &[(20, F4), (10, DTypes::of(&[F32, F64]))],
    )
    .attrs(&[
        ("detect_negative", "1 (default): true for -inf too"),
        ("detect_positive", "1 (default): true for +inf too"),
    ])
    .with(is_inf),
    Name::step(
        Standard::Onnx,
        "Clip",
        Op::CLIP,
        (1, 3),
        &[(13, N12), (12, N11), (6, F3)],
    )
    .attrs(&[
        ("min", "before opset 11: the lower bound"),
        ("max", "before opset 11: the upper bound"),
    ])
    .with(clip),
    Name::step(
        Standard::Onnx,
        "QuantizeLinear",
        Op::CAST,
        (2, 3),
        &[(10, F4.or(DTypes::of(&[I32])))],
    )
    .typed(Typed::First)
    .attrs(quantize::ATTRS)
    .with(quantize::quantize),
    Name::step(
        Standard::Onnx,
        "DequantizeLinear",
        Op::CAST,
        (2, 3),
        &[(10, quantize::QUANTISED.or(DTypes::of(&[I32])))],
    )
    .typed(Typed::First)
    .attrs(quantize::ATTRS)
    .with(quantize::dequantize),
    step("Identity", Op::IDENTITY, 1, &[(13, ANY), (1, ANY12)]),
    step("Cast", Op::CAST, 1, MOVES).attrs(FLOAT8).with(cast),
    step("BitCast", Op::BIT_CAST, 1, &[(26, ANY)])
        .attrs(&[TO])
        .with(bit_cast),
    step("CastLike", Op::CAST, 2, &[(15, ANY)])
        .typed(Typed::First)
        .attrs(FLOAT8)
        .with(cast_like),
    Name::step(
        Standard::Onnx,
        "Expand",
        Op::IDENTITY,
        (1, 2),
        &[(13, ANY), (8, ANY12)],
    )
    .typed(Typed::First)
    .shapes(&[1])
    .attrs(&[("shape", "the target shape, in place of operand 1")])
    .with(expand),
    reduction("ReduceSum", SUMS).with(|call| reduce::onnx(call, Reduction::Sum, 13)),
    reduction("ReduceMean", SUMS).with(|call| reduce::onnx(call, Reduction::Mean, 18)),
    reduction("ReduceProd", SUMS).with(|call| reduce::onnx(call, Reduction::Prod, 18)),
    reduction("ReduceMax", EXTREMES).with(|call| reduce::onnx(call, Reduction::Max, 18)),
    reduction("ReduceMin", EXTREMES).with(|call| reduce::onnx(call, Reduction::Min, 18)),
    reduction("ReduceL1", SUMS).with(|call| reduce::onnx(call, Reduction::L1, 18)),
    reduction("ReduceL2", SUMS).with(|call| reduce::onnx(call, Reduction::L2, 18)),
    reduction("ReduceLogSum", LOG_SUMS).with(|call| reduce::onnx(call, Reduction::LogSum, 18)),
    reduction("ReduceLogSumExp", LOG_SUMS)
        .with(|call| reduce::onnx(call, Reduction::LogSumExp, 18)),
    reduction("ReduceSumSquare", SUMS).with(|call| reduce::onnx(call, Reduction::SumSquare, 18)),
    step("ArgMax", Op::ADD, 1, &[(13, N12), (1, N11)])
        .attrs(reduce::ARG_ATTRS)
        .with(|call| reduce::arg(call, |last| Reduction::ArgMax { last })),
    step("ArgMin", Op::ADD, 1, &[(13, N12), (1, N11)])
        .attrs(reduce::ARG_ATTRS)
        .with(|call| reduce::arg(call, |last| Reduction::ArgMin { last })),
    step("CumSum", Op::ADD, 2, &[(14, N8), (11, N6)])
        .typed(Typed::First)
        .shapes(&[1])
        .attrs(reduce::SCAN_ATTRS)
        .with(|call| reduce::scan(call, Scan::Sum)),
    step("CumProd", Op::MUL, 2, &[(26, N8)])
        .typed(Typed::First)
        .shapes(&[1])
        .attrs(reduce::SCAN_ATTRS)
        .with(|call| reduce::scan(call, Scan::Prod)),
    step("Hardmax", Op::EQUAL, 1, SOFTMAX)
        .attrs(&[("axis", "-1 by default; before opset 13 all axes from 1 on")])
        .with(reduce::hardmax),
    step("Softmax", Op::EXP, 1, SOFTMAX)
        .attrs(&[("axis", "-1 by default; before opset 13 all axes from 1 on")])
        .with(|call| reduce::softmax(call, false)),
    step("LogSoftmax", Op::EXP, 1, SOFTMAX)
        .attrs(&[("axis", "-1 by default; before opset 13 all axes from 1 on")])
        .with(|call| reduce::softmax(call, true)),
];

const POW_INTS: DTypes = DTypes::of(&[I32, I64]);
const WIDE_INTS: DTypes = DTypes::of(&[U32, U64, I32, I64]);
