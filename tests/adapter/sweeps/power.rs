//! `pow` on pairs of f32: the special cases of C99, and random pairs.

use zerostride::Op;

use super::pairs::{OfPairs, Random};

const POW: OfPairs = OfPairs {
    op: Op::POW,
    exact,
    bound: 2.0,
};

fn is_whole(y: f64) -> bool {
    y.is_finite() && y.trunc() == y
}

fn is_odd(y: f64) -> bool {
    is_whole(y) && y % 2.0 != 0.0
}

/// C99's pow (F.10.4.4), its special cases as the standard lists them.
fn exact(x: f64, y: f64) -> f64 {
    let signed = |magnitude: f64| {
        if is_odd(y) {
            magnitude.copysign(x)
        } else {
            magnitude
        }
    };
    if y == 0.0 || x == 1.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f64::NAN;
    }
    if y.is_infinite() {
        return match x.abs() {
            1.0 => 1.0,
            a if (a > 1.0) == (y > 0.0) => f64::INFINITY,
            _ => 0.0,
        };
    }
    if x == 0.0 || x.is_infinite() {
        return signed(if (x == 0.0) == (y > 0.0) {
            0.0
        } else {
            f64::INFINITY
        });
    }
    if x < 0.0 && !is_whole(y) {
        return f64::NAN;
    }
    signed(x.abs().powf(y))
}

impl Random {
    /// A pair: any bits; or a base of any size and an exponent that keeps the power within the
    /// range and a little beyond; or a base near 1 with such an exponent; or a base of either sign
    /// with a whole exponent.
    fn pair(&mut self) -> (f32, f32) {
        let any = self.bits();
        let base = match any % 4 {
            0 => {
                return (
                    f32::from_bits((any >> 8) as u32),
                    f32::from_bits(self.bits() as u32),
                );
            }
            1 => f32::from_bits((any >> 8) as u32 & 0x7fff_ffff),
            2 => (1.0 + self.signed() * (self.signed() * 12.0 - 13.0).exp2()) as f32,
            _ => (self.signed() * 10.0).exp2() as f32,
        };
        let exponent = self.signed() * 155.0 / f64::from(base).log2().abs().clamp(1e-7, 1e3);
        match any % 4 {
            3 if any & 4 == 0 => (-base, exponent.round() as f32),
            3 => (base, exponent.round() as f32),
            _ => (base, exponent as f32),
        }
    }
}

#[test]
fn special_cases_of_pow_are_those_of_c99() {
    POW.check_special();
}

#[test]
fn powers_of_random_pairs_are_within_two_ulp() {
    POW.check_random(Random::pair);
}
