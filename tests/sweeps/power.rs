//! `pow` on pairs of f32: the special cases of C99, and random pairs.

use zerostride::{DType, Op};

use crate::format::F32;
use crate::run::{Tally, Verdict, evaluate, flushes, report, tensor};
use crate::{CHUNK, requested_step, seed};

/// In ULP.
const BOUND: f64 = 2.0;

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

/// Judges the result for a pair.
fn judge(x: u32, y: u32, found: u32) -> Verdict {
    let (x, y) = (F32.value(x), F32.value(y));
    let power = exact(x, y);
    let error = F32.error(power, found);
    let flush = |x: f64| {
        if F32.is_flushable(x) {
            0f64.copysign(x)
        } else {
            x
        }
    };
    let pairs = [(flush(x), y), (x, flush(y)), (flush(x), flush(y))];
    let near = |(x, y): (f64, f64)| F32.error(exact(x, y), found) <= BOUND;
    let flushed = flushes()
        && ((error > 0.5 && F32.is_flushed(power, found))
            || (error > BOUND && pairs.into_iter().any(near)));
    Verdict {
        error,
        nearest: found == F32.nearest(power) || (power.is_nan() && error == 0.0),
        flushed,
    }
}

/// Runs pairs on the adapter.
fn count(xs: &[u32], ys: &[u32]) -> Tally {
    let operands = [xs, ys].map(|bits| tensor(DType::F32, bits).expr());
    let found = evaluate(&zerostride::Expr::step(Op::POW, operands));
    Tally::of(xs.len(), |range| {
        let mut part = Tally::default();
        for i in range {
            part.add(
                &[xs[i], ys[i]],
                found[i],
                &judge(xs[i], ys[i], found[i]),
                BOUND,
            );
        }
        part
    })
}

fn finish(title: &str, tally: &Tally) {
    report(
        title,
        &[(tally.row("pow", "f32"), tally.failure("pow", "f32", BOUND))],
    );
}

#[test]
fn special_cases_of_pow_are_those_of_c99() {
    let magnitudes = [
        0.0,
        f32::from_bits(1),
        f32::from_bits(0x007f_ffff),
        f32::MIN_POSITIVE,
        1e-20,
        0.25,
        1.0 / 3.0,
        0.5,
        f32::from_bits(0x3f7f_ffff),
        1.0,
        f32::from_bits(0x3f80_0001),
        1.5,
        2.0,
        2.5,
        3.0,
        4.0,
        5.0,
        127.0,
        128.0,
        149.0,
        150.0,
        1023.0,
        // The last fractions, the last odd whole numbers, and numbers that are all even.
        4_194_303.5,
        8_388_607.5,
        8_388_609.0,
        16_777_215.0,
        16_777_216.0,
        16_777_218.0,
        4_294_967_296.0,
        1e20,
        f32::MAX,
        f32::INFINITY,
        f32::NAN,
    ];
    let values: Vec<u32> = magnitudes
        .iter()
        .flat_map(|x| [x.to_bits(), (-x).to_bits()])
        .collect();
    let xs: Vec<u32> = values
        .iter()
        .flat_map(|&x| std::iter::repeat_n(x, values.len()))
        .collect();
    let ys = values.repeat(values.len());
    finish("all pairs of special f32", &count(&xs, &ys));
}

/// xorshift64*
struct Random(u64);

impl Random {
    fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// In [-1, 1).
    fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

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
fn powers_of_random_pairs_are_within_two_ulp() {
    let seed = seed();
    let mut random = Random(seed | 1);
    let mut left = if requested_step().is_some() {
        10_000_000
    } else {
        1 << 18
    };
    let mut tally = Tally::default();
    while left > 0 {
        let pairs: Vec<(f32, f32)> = (0..left.min(CHUNK)).map(|_| random.pair()).collect();
        let xs: Vec<u32> = pairs.iter().map(|(x, _)| x.to_bits()).collect();
        let ys: Vec<u32> = pairs.iter().map(|(_, y)| y.to_bits()).collect();
        tally.join(count(&xs, &ys));
        left -= pairs.len();
    }
    finish(&format!("random pairs (ZEROSTRIDE_SEED={seed})"), &tally);
}
