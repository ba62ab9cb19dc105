//! No text panics, overflows the stack or takes long.

use proptest::prelude::*;

use super::*;
use crate::expr::Promotion;

#[test]
fn deep_nesting_is_an_error_not_an_overflow() {
    for (open, close) in [
        ("(", ")"),
        ("-", ""),
        ("exp(", ")"),
        ("x**", ""),
        ("x+(", ")"),
        ("x[", "]"),
        ("clip(", ")"),
        ("len(", ")"),
        ("x[len(", ")]"),
        ("sum(x, (", "))"),
        ("roll(x, (1, ", "))"),
        ("reshape(x, ", ")"),
    ] {
        let source = format!("{}x{}", open.repeat(100_000), close.repeat(100_000));
        assert!(
            matches!(parse(&source), Err(Error::Syntax { .. })),
            "{open}"
        );
    }
    let fine = format!("{}s{}", "(".repeat(150), ")".repeat(150));
    assert!(eval(&fine).is_ok());
}

#[test]
fn chains_of_ten_thousand_terms_work() {
    let sum = format!("s{}", " + s".repeat(10_000));
    assert_eq!(numbers(&eval(&sum).unwrap()), [20_002.0]);
    let views = format!("s{}", "[None][0]".repeat(5_000));
    assert_eq!(numbers(&eval(&views).unwrap()), [2.0]);
}

/// Parses, binds, promotes and types a source without running it.
fn try_all(source: &str) {
    if let Ok(expr) = lowered(source) {
        let tensors: Vec<_> = inputs().into_iter().map(|(_, t)| t).collect();
        if let Ok(typed) = expr.promoted(Promotion::F32, |&i| Ok(tensors[i].dtype)) {
            let slot = |i: usize| Ok((tensors[i].dtype, tensors[i].layout.shape().clone()));
            let _ = crate::expr::Graph::new(&[typed], slot);
        }
    }
}

const VALID: &[&str] = &[
    "(x - row) / sqrt(col + 1e-5) * s + 0x10",
    "where(b, i ** 2, -j % 3)[..., None, ::-1].astype(f16)",
    "add(x, two, axis=0) + broadcast_to(row, (2, 3)).T[1:, -1]",
    "clip(i, min=None, max=5) // 2 | ~i & 1_000 ^ 3",
    "max_n(x, row, rule='numpy') <= x.transpose((1, 0)).T",
    "(x - x.mean(axis=(0, 1), keepdims=True)) / np.std(x, 0, ddof=1) + sum(x, -1)[:, None] - x.max(axis=[0])",
    "norm(x, ord=1, axis=0) + nanmean(x, 0, dtype=f64).argmax() + ptp(i, axis=None) * count_nonzero(b, ())",
    "moveaxis(x, (0, 1), (-1, 0)).swapaxes(axis1=0, axis2=-1) + rot90(x.reshape(3, -1), k=3, axes=(0, 1))",
    "x.reshape(x.shape[0], -1) / len(row) + roll(x, -1, axis=x.ndim - 1) * pad(row, (1, 2), 'edge')[1:-2].mean(where=b)",
    "tile(x, (2, 1))[: x.shape[0]] + repeat(row, 2, 0)[::2] * diag(row).sum(0) - trace(x, 1) + kron(x, col).size",
    "np.flip(x.ravel(order='F'), axis=None).reshape(2, 3) * expand_dims(squeeze(x), (0, -1))[0, ..., (-1)]",
];

proptest! {
    #[test]
    fn no_text_panics(source in "\\PC{0,40}") {
        try_all(&source);
    }

    #[test]
    fn no_mixture_of_tokens_panics(
        parts in prop::collection::vec(prop::sample::select(vec![
            "x", "row", "s", "i", "b", "1", "-2", "0.5", "9999999999999", "+", "-", "*", "/", "//", "%", "**", "&", "|",
            "^", "~", "<", "==", "(", ")", "[", "]", ",", ":", "...", ".", "T", "None", "exp(", "where(", "max(", "clip(",
            ".astype(", "f16", "'u8'", "axis=", "rule=", "transpose(", "broadcast_to(", "squeeze(", "=", "pi", "and",
            "reshape(", ".reshape(", "ravel(", "flip(", "rot90(", "moveaxis(", ".swapaxes(", "axes=", "order='F'", "(-1)", "(0, 1)",
            "max(", ".max(", "np.", ".mT", "math.", "sum(", ".std(", ".argmax(", "norm(", "nanmean(", "keepdims=True", "ddof=",
            "dtype=", "ord=", "(0,)", "()", "max_n(", ".shape", ".size", "len(", "roll(", "pad(", "tile(", "diag(",
            "diagonal(", "kron(", "repeat(", "where=", "initial=", "weights=", "inf",
        ]), 0..24),
        gap: bool,
    ) {
        try_all(&parts.join(if gap { " " } else { "" }));
    }

    #[test]
    fn no_change_to_a_valid_text_panics(
        which in 0..VALID.len(), at in 0usize..60, drop in 0usize..4, insert in "[-x0-9.,:()\\[\\]*'=e_ ]{0,4}",
    ) {
        let chars: Vec<char> = VALID[which].chars().collect();
        let at = at.min(chars.len());
        let end = (at + drop).min(chars.len());
        let source: String = chars[..at].iter().copied().chain(insert.chars()).chain(chars[end..].iter().copied()).collect();
        try_all(&source);
    }
}

#[test]
fn valid_texts_stay_valid() {
    for source in VALID {
        let _ = lowered(source).unwrap();
    }
}
