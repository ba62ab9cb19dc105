//! Doubles computed by integers, for shaders without 64-bit floats.

/// The 64-bit types that shaders support.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Native64 {
    pub integers: bool,
    pub floats: bool,
}

/// The factor by which doubles by integers lengthen a step's code.
pub(super) const SOFT_WEIGHT: usize = 8;

/// Turns of the loops in `shaders/soft_functions.wgsl` for four elements, of functions with a loop.
#[cfg(not(target_family = "wasm"))]
const SOFT_TURNS: &[(&str, usize)] = &[
    ("double_acos", 224),
    ("double_acosh", 152),
    ("double_add", 4),
    ("double_asin", 224),
    ("double_asinh", 176),
    ("double_atan", 64),
    ("double_atan2", 88),
    ("double_atanh", 68),
    ("double_cbrt", 116),
    ("double_celu", 56),
    ("double_cos", 36),
    ("double_cosh", 56),
    ("double_div", 28),
    ("double_elu", 32),
    ("double_erf", 196),
    ("double_exp", 32),
    ("double_exp2", 32),
    ("double_expm1", 32),
    ("double_floor_div", 248),
    ("double_floor_mod", 200),
    ("double_fmod", 200),
    ("double_gelu", 172),
    ("double_gelu_tanh", 56),
    ("double_hard_sigmoid", 4),
    ("double_hard_swish", 28),
    ("double_hypot", 112),
    ("double_leaky", 4),
    ("double_log", 44),
    ("double_log10", 44),
    ("double_log1p", 44),
    ("double_log2", 44),
    ("double_mish", 56),
    ("double_mul", 4),
    ("double_pow", 72),
    ("double_reciprocal", 28),
    ("double_round", 4),
    ("double_round_away", 4),
    ("double_selu", 32),
    ("double_sigmoid", 56),
    ("double_silu", 56),
    ("double_sin", 36),
    ("double_sinh", 76),
    ("double_softplus", 72),
    ("double_softsign", 28),
    ("double_sqrt", 112),
    ("double_sub", 4),
    ("double_tan", 84),
    ("double_tanh", 56),
];

/// Turns, for four elements, of the function that a row of doubles calls.
#[cfg(not(target_family = "wasm"))]
pub(super) fn soft_turns(wgsl: &str) -> usize {
    let name = wgsl.split('(').next().unwrap_or_default();
    let known = SOFT_TURNS.iter().find(|(of, _)| *of == name);
    known.map_or(0, |(_, turns)| *turns)
}

/// The same in browsers, which would have to fetch the table: an estimate for GPUs.
#[cfg(target_family = "wasm")]
pub(super) fn soft_turns(_: &str) -> usize {
    32
}
