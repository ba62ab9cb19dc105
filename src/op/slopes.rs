//! Derivatives that several rows share, or that take a few lines.
//!
//! A derivative that vanishes far from 0 is computed from an operand clamped near 0, so that an
//! infinite operand gives no NaN.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::derivative::Term;

/// The gradients of the two operands of a minimum or maximum, given where each is beaten by the
/// other: half each where neither is, as beside a NaN.
pub(super) fn halves(g: &Term, a_beaten: &Term, b_beaten: &Term) -> [Term; 2] {
    let half = &(0.5 * g);
    [
        b_beaten.choose(g, half).unless(a_beaten),
        a_beaten.choose(g, half).unless(b_beaten),
    ]
}

/// The gradients of the operands of a minimum or maximum: equal shares for the operands that are
/// not beaten. Beside a NaN none is beaten.
pub(super) fn shares(g: &Term, x: &[Term], beaten: impl Fn(&Term) -> Term) -> Vec<Term> {
    let hit = |x: &Term| Term::Number(1.0).unless(&beaten(x));
    let Some(hits) = x.iter().map(hit).reduce(|sum, hit| sum + hit) else {
        return Vec::new();
    };
    let share = g / hits;
    x.iter().map(|x| share.unless(&beaten(x))).collect()
}

/// The gradients of the operands of `minimum(maximum(x, lo), hi)`.
pub(super) fn clip(g: &Term, [x, lo, hi]: [&Term; 3], _: &Term) -> [Term; 3] {
    let raised = &x.maximum(lo);
    let [g, of_hi] = halves(g, &hi.below(raised), &raised.below(hi));
    let [of_x, of_lo] = halves(&g, &x.below(lo), &lo.below(x));
    [of_x, of_lo, of_hi]
}

/// The derivative of gelu: the normal distribution function plus `x` times its density.
pub(super) fn gelu(x: &Term) -> Term {
    let below = 0.5 * ((x * FRAC_1_SQRT_2).erf() + 1.0);
    let near = x.within(40.0);
    let density = (-0.5 * near.square()).exp() * (FRAC_2_SQRT_PI * FRAC_1_SQRT_2 / 2.0);
    below + near * density
}

/// The derivative of `x * sigmoid(a x + b x^3)`.
pub(super) fn gelu_tanh(x: &Term) -> Term {
    let (a, b) = (1.595_769_121_605_730_8, 0.071_354_816_272_600_25);
    let x = x.within(30.0);
    let s = (&x * (a + b * x.square())).sigmoid();
    &s + x.clone() * &s * (1.0 - &s) * (a + 3.0 * b * x.square())
}

/// The derivative of `x * tanh(softplus(x))`.
pub(super) fn mish(x: &Term) -> Term {
    let x = x.within(800.0);
    let t = x.softplus().tanh();
    &t + &x * x.sigmoid() * (1.0 - t.square())
}

/// The gradients of the operands of `x * sigmoid(alpha * x)`.
pub(super) fn swish(g: &Term, x: &Term, alpha: &Term) -> [Term; 2] {
    let z = (alpha * x).within(800.0);
    let s = z.sigmoid();
    [
        g * (&s * (1.0 + z * (1.0 - &s))),
        g * (&s * (1.0 - &s) * x.square()),
    ]
}
