//! Operators of ONNX that move, gather, multiply, normalise or make arrays.

use super::super::call::Standard;
use super::super::name::{Name, Other, Typed};
use super::super::quantize;
use super::build::{F3, N11, N12};
use super::{ANY, ANY12, F4, OLD};
use super::{attention, create, gather, loss, moves, norm, pad, product};
use zerostride::{DType, DTypes, Op, Reduction};

use DType::{F32, F64, I8, I16, I32, I64, U8, U32, U64};

/// An operator of `fewest` to `most` operands, whose element types apply to the first.
const fn row(
    name: &'static str,
    fewest: usize,
    most: usize,
    versions: &'static [(u32, DTypes)],
) -> Name {
    Name::step(Standard::Onnx, name, Op::IDENTITY, (fewest, most), versions).typed(Typed::First)
}

const MOVES: &[(u32, DTypes)] = &[(13, ANY), (1, ANY12)];
const FLOATS: &[(u32, DTypes)] = &[(13, F4), (1, F3)];
const NORMS: &[(u32, DTypes)] = &[(13, F4), (1, F3)];
const LOSSES: &[(u32, DTypes)] = &[(12, F4)];
const PRODUCTS: &[(u32, DTypes)] = &[
    (13, F4.or(DTypes::of(&[U32, U64, I32, I64]))),
    (9, F3.or(DTypes::of(&[U32, U64, I32, I64]))),
    (1, F3),
];
const RANGES: &[(u32, DTypes)] = &[
    (27, F4.or(DTypes::of(&[I16, I32, I64]))),
    (11, DTypes::of(&[F32, F64, I16, I32, I64])),
];
const BYTES: DTypes = DTypes::of(&[U8, I8]);
const INDEX: Other = Other::Of(DTypes::of(&[I32, I64]));
const WHOLE: Other = Other::Of(DTypes::of(&[I64]));
const FLOAT: Other = Other::Of(F4);
/// Operands that have the type of x: a scale and a bias.
const SCALED: &[(usize, Other)] = &[(1, Other::Same), (2, Other::Same)];
/// Classes, and weights of x's type.
const CLASSES: &[(usize, Other)] = &[(1, INDEX), (2, Other::Same)];
const WINDOW: &[(&str, &str)] = &[
    ("output_datatype", "1 (default): f32"),
    ("periodic", "1 (default): periodic; 0: symmetric"),
];
const AXIS: (&str, &str) = ("axis", "the axis, counted from the last if it is negative");
const STASH: (&str, &str) = ("stash_type", "the type to compute in, f32 by default");

/// The operators.
pub(crate) static TABLE: &[Name] = &[
    row("Constant", 0, 0, &[(1, ANY)])
        .attrs(create::CONSTANT)
        .host(create::constant),
    row("Shape", 1, 1, &[(1, ANY)])
        .attrs(&[("start", "0"), ("end", "the rank")])
        .host(create::shape),
    row("Size", 1, 1, &[(1, ANY)]).host(create::size),
    row("ConstantOfShape", 1, 1, &[(9, DTypes::of(&[I64]))])
        .shapes(&[0])
        .attrs(&[("value", "an array of one element, by default 0 of f32")])
        .with(create::constant_of_shape),
    row("Range", 3, 3, RANGES)
        .typed(Typed::All)
        .shapes(&[0, 1, 2])
        .attrs(&[STASH])
        .with(create::range),
    row("EyeLike", 1, 1, &[(22, ANY), (9, ANY12)])
        .attrs(&[
            ("dtype", "the result's type, by default that of x"),
            ("k", "the diagonal, 0 by default"),
        ])
        .with(create::eye_like),
    row("OneHot", 3, 3, &[(9, N12)])
        .shapes(&[1])
        .attrs(&[AXIS])
        .with(create::one_hot),
    row("BlackmanWindow", 1, 1, &[(17, DTypes::of(&[I32, I64]))])
        .shapes(&[0])
        .attrs(WINDOW)
        .with(|call| create::window(call, &[0.42, -0.5, 0.08])),
    row("HammingWindow", 1, 1, &[(17, DTypes::of(&[I32, I64]))])
        .shapes(&[0])
        .attrs(WINDOW)
        .with(|call| create::window(call, &[25.0 / 46.0, -21.0 / 46.0])),
    row("HannWindow", 1, 1, &[(17, DTypes::of(&[I32, I64]))])
        .shapes(&[0])
        .attrs(WINDOW)
        .with(|call| create::window(call, &[0.5, -0.5])),
    row("AffineGrid", 2, 2, &[(20, F4)])
        .shapes(&[1])
        .attrs(&[(
            "align_corners",
            "0 (default): -1 and 1 are the ends of elements; 1: their middles",
        )])
        .with(create::affine_grid),
    row("Dropout", 1, 3, FLOATS)
        .shapes(&[1, 2])
        .attrs(&[
            (
                "ratio",
                "before opset 12: the share that is dropped in training",
            ),
            ("is_test", "before opset 7: 1 to drop nothing"),
            ("seed", "the seed of random numbers"),
            OLD,
        ])
        .many(create::dropout),
    row("Compress", 2, 2, &[(28, ANY), (9, ANY12)])
        .others(&[(1, Other::Of(DTypes::BOOL))])
        .shapes(&[1])
        .attrs(&[AXIS])
        .with(create::compress),
    row("Reshape", 1, 2, &[(13, ANY), (1, ANY12)])
        .shapes(&[1])
        .attrs(&[
            ("shape", "before opset 5: the shape"),
            OLD,
            (
                "allowzero",
                "1: an extent of 0 stays 0; 0 (default): it is copied from x",
            ),
        ])
        .with(moves::reshape),
    row("Flatten", 1, 1, MOVES)
        .attrs(&[AXIS])
        .with(moves::flatten),
    row("Transpose", 1, 1, MOVES)
        .attrs(&[("perm", "the order of the axes, by default reversed")])
        .with(moves::transpose),
    row("Squeeze", 1, 2, MOVES)
        .shapes(&[1])
        .attrs(&[("axes", "before opset 13: the axes")])
        .with(moves::squeeze),
    row("Unsqueeze", 1, 2, MOVES)
        .shapes(&[1])
        .attrs(&[("axes", "before opset 13: the axes")])
        .with(moves::unsqueeze),
    row("Slice", 1, 5, MOVES)
        .shapes(&[1, 2, 3, 4])
        .attrs(&[
            ("starts", "before opset 10: the first indices"),
            ("ends", "before opset 10: the ends"),
            ("axes", "before opset 10: the axes"),
        ])
        .with(moves::slice),
    row("Concat", 1, usize::MAX, MOVES)
        .typed(Typed::All)
        .attrs(&[AXIS])
        .with(moves::concat),
    row("Split", 1, 2, MOVES)
        .shapes(&[1])
        .attrs(&[
            AXIS,
            ("split", "before opset 13: the extents"),
            ("num_outputs", "number of parts; the last may be smaller"),
        ])
        .many(moves::split),
    row("Tile", 2, 2, &[(13, ANY), (6, ANY12)])
        .shapes(&[1])
        .with(moves::tile),
    row("Pad", 1, 4, MOVES)
        .others(&[(2, Other::Same), (3, INDEX)])
        .shapes(&[1, 3])
        .attrs(&[
            ("mode", "constant (default), edge, reflect or wrap"),
            ("pads", "before opset 11: the numbers of elements"),
            ("paddings", "before opset 2: the numbers of elements"),
            ("value", "before opset 11: the padding value"),
        ])
        .with(pad::pad),
    row("CenterCropPad", 2, 2, &[(18, ANY)])
        .others(&[(1, INDEX)])
        .shapes(&[1])
        .attrs(&[("axes", "the axes, by default all")])
        .with(pad::center),
    row("Trilu", 1, 2, &[(14, ANY)])
        .others(&[(1, WHOLE)])
        .shapes(&[1])
        .attrs(&[("upper", "1 (default): the upper triangle")])
        .with(moves::trilu),
    row("DepthToSpace", 1, 1, MOVES)
        .attrs(&[
            ("blocksize", "the side of a block"),
            ("mode", "DCR (default) or CRD"),
        ])
        .with(|call| moves::depth_space(call, true)),
    row("SpaceToDepth", 1, 1, MOVES)
        .attrs(&[
            ("blocksize", "the side of a block"),
            ("mode", "DCR (default) or CRD"),
        ])
        .with(|call| moves::depth_space(call, false)),
    row("Gather", 2, 2, MOVES)
        .others(&[(1, INDEX)])
        .attrs(&[AXIS])
        .with(gather::gather),
    row("GatherElements", 2, 2, &[(13, ANY), (11, ANY12)])
        .others(&[(1, INDEX)])
        .attrs(&[AXIS])
        .with(gather::gather_elements),
    row("GatherND", 2, 2, &[(13, ANY), (11, ANY12)])
        .others(&[(1, WHOLE)])
        .attrs(&[("batch_dims", "the number of shared axes, 0 by default")])
        .with(gather::gather_nd),
    row("ScatterElements", 3, 3, &[(13, ANY), (11, ANY12)])
        .others(&[(1, INDEX), (2, Other::Same)])
        .attrs(&[AXIS, ("reduction", "none, add, mul, min or max")])
        .with(gather::scatter_elements),
    row("Scatter", 3, 3, &[(9, ANY12)])
        .others(&[(1, INDEX), (2, Other::Same)])
        .attrs(&[AXIS])
        .with(gather::scatter_elements),
    row("ScatterND", 3, 3, &[(13, ANY), (11, ANY12)])
        .others(&[(1, WHOLE), (2, Other::Same)])
        .attrs(&[("reduction", "none, add, mul, min or max")])
        .with(gather::scatter_nd),
    row("TensorScatter", 2, 3, &[(24, ANY)])
        .others(&[(2, WHOLE)])
        .typed(Typed::Firsts(2))
        .attrs(&[AXIS, ("mode", "linear (default) or circular")])
        .with(gather::tensor_scatter),
    row("ReverseSequence", 2, 2, &[(28, ANY), (10, ANY12)])
        .others(&[(1, WHOLE)])
        .attrs(&[("batch_axis", "1"), ("time_axis", "0")])
        .with(gather::reverse_sequence),
    row("TopK", 1, 2, &[(24, N12), (11, N11), (1, F3)])
        .shapes(&[1])
        .attrs(&[
            AXIS,
            ("k", "before opset 10: the number of elements"),
            ("largest", "1 (default): the largest; 0: the smallest"),
            ("sorted", "ignored: the elements are always in order"),
        ])
        .many(gather::top_k),
    row("MatMul", 2, 2, PRODUCTS)
        .typed(Typed::All)
        .with(product::matmul),
    row("MatMulInteger", 2, 4, &[(10, BYTES)])
        .typed(Typed::Firsts(1))
        .with(product::matmul_integer),
    row("QLinearMatMul", 8, 8, &[(10, BYTES)]).with(product::quantised_matmul),
    row("Einsum", 1, usize::MAX, &[(12, N12)])
        .typed(Typed::All)
        .attrs(&[(
            "equation",
            "the axes of operands and result, as in ij,jk->ik",
        )])
        .with(product::einsum),
    row("LayerNormalization", 2, 3, &[(17, F4)])
        .others(SCALED)
        .attrs(&[AXIS, norm::EPSILON, STASH])
        .many(norm::layer),
    row("RMSNormalization", 2, 2, &[(23, F4)])
        .attrs(&[AXIS, norm::EPSILON, STASH])
        .with(norm::rms),
    row("InstanceNormalization", 3, 3, &[(22, F4), (1, F3)])
        .others(SCALED)
        .attrs(&[norm::EPSILON, OLD])
        .with(norm::instance),
    row("GroupNormalization", 3, 3, &[(18, F4)])
        .others(SCALED)
        .attrs(&[("num_groups", "number of groups"), norm::EPSILON, STASH])
        .with(norm::group),
    row("BatchNormalization", 5, 5, &[(14, F4), (1, F3)])
        .others(&[(1, FLOAT), (2, FLOAT), (3, FLOAT), (4, FLOAT)])
        .attrs(&[
            norm::EPSILON,
            (
                "momentum",
                "the share of running statistics that stays, by default 0.9",
            ),
            ("training_mode", "1: uses the batch's own statistics"),
            ("is_test", "before opset 7: 1 for the given statistics"),
            ("spatial", "before opset 9: 1 for statistics of channels"),
            OLD,
        ])
        .many(norm::batch),
    row("MeanVarianceNormalization", 1, 1, &[(13, F4), (9, F3)])
        .attrs(&[("axes", "by default 0, 2 and 3")])
        .with(norm::mean_variance),
    row("LpNormalization", 1, 1, NORMS)
        .attrs(&[AXIS, ("p", "1 or 2 (default)")])
        .with(norm::lp),
    row("LRN", 1, 1, NORMS)
        .attrs(&[
            ("size", "the number of channels in each sum"),
            ("alpha", "0.0001"),
            ("beta", "0.75"),
            ("bias", "1"),
        ])
        .with(norm::local_response),
    row("GlobalAveragePool", 1, 1, &[(22, F4), (1, F3)])
        .with(|call| norm::pool(call, Reduction::Mean)),
    row("GlobalMaxPool", 1, 1, &[(22, F4), (1, F3)]).with(|call| norm::pool(call, Reduction::Max)),
    row("GlobalLpPool", 1, 1, &[(22, F4), (2, F3)])
        .attrs(&[("p", "1 or 2 (default)")])
        .with(norm::lp_pool),
    row("DynamicQuantizeLinear", 1, 1, &[(11, DTypes::of(&[F32]))]).many(quantize::dynamic),
    row("Attention", 3, 7, &[(23, F4)])
        .others(&[
            (1, Other::Same),
            (2, FLOAT),
            (4, Other::Same),
            (5, FLOAT),
            (6, WHOLE),
        ])
        .attrs(attention::ATTRS)
        .many(attention::attention),
    row("RotaryEmbedding", 3, 4, &[(23, F4)])
        .others(&[(3, WHOLE)])
        .typed(Typed::Firsts(3))
        .attrs(&[
            (
                "interleaved",
                "1: a pair is two neighbours; 0 (default): it is half the elements apart",
            ),
            ("num_heads", "the number of heads of x of three axes"),
            ("rotary_embedding_dim", "elements to rotate, by default all"),
        ])
        .with(attention::rotary),
    row("NegativeLogLikelihoodLoss", 2, 3, LOSSES)
        .others(CLASSES)
        .attrs(loss::ATTRS)
        .with(loss::negative_log_likelihood),
    row("SoftmaxCrossEntropyLoss", 2, 3, LOSSES)
        .others(CLASSES)
        .attrs(loss::ATTRS)
        .many(loss::softmax_cross_entropy),
];
