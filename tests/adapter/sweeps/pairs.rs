//! Functions of two f32 on pairs: special values, and random ones.

use zerostride::{DType, Expr, Op};

use super::format::F32;
use super::run::{Tally, Verdict, evaluate, flushes, report, tensor};
use super::{CHUNK, requested_step, seed};

/// A function of two operands, in f64, and the bound of an f32 result in ULP.
#[derive(Clone, Copy)]
pub struct OfPairs {
    pub op: Op,
    pub exact: fn(f64, f64) -> f64,
    pub bound: f64,
}

/// The angle of a point: two polynomials and a division, as WGSL allows it.
const ATAN2: OfPairs = OfPairs {
    op: Op::ATAN2,
    exact: f64::atan2,
    bound: 4.0,
};
const HYPOT: OfPairs = OfPairs {
    op: Op::HYPOT,
    exact: f64::hypot,
    bound: 2.0,
};

impl OfPairs {
    /// Judges the result for a pair.
    fn judge(self, x: u32, y: u32, found: u32) -> Verdict {
        let (x, y) = (F32.value(x), F32.value(y));
        let exact = (self.exact)(x, y);
        let error = F32.error(exact, found);
        let flush = |x: f64| {
            if F32.is_flushable(x) {
                0f64.copysign(x)
            } else {
                x
            }
        };
        let pairs = [(flush(x), y), (x, flush(y)), (flush(x), flush(y))];
        let near = |(x, y): (f64, f64)| F32.error((self.exact)(x, y), found) <= self.bound;
        let flushed = flushes()
            && ((error > 0.5 && F32.is_flushed(exact, found))
                || (error > self.bound && pairs.into_iter().any(near)));
        Verdict {
            error,
            nearest: found == F32.nearest(exact) || (exact.is_nan() && error == 0.0),
            flushed,
        }
    }

    /// Runs pairs on the adapter.
    fn count(self, xs: &[u32], ys: &[u32]) -> Tally {
        let operands = [xs, ys].map(|bits| tensor(DType::F32, bits).expr());
        let found = evaluate(&Expr::step(self.op, operands));
        Tally::of(xs.len(), |range| {
            let mut part = Tally::default();
            for i in range {
                let verdict = self.judge(xs[i], ys[i], found[i]);
                part.add(&[xs[i], ys[i]], found[i], &verdict, self.bound);
            }
            part
        })
    }

    fn finish(self, title: &str, tally: &Tally) {
        let name = self.op.name();
        report(
            title,
            &[(
                tally.row(name, "f32"),
                tally.failure(name, "f32", self.bound),
            )],
        );
    }

    /// All pairs of special values are within the bound.
    pub fn check_special(self) {
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
        self.finish("all pairs of special f32", &self.count(&xs, &ys));
    }

    /// Random pairs are within the bound.
    pub fn check_random(self, pair: fn(&mut Random) -> (f32, f32)) {
        let seed = seed();
        let mut random = Random(seed | 1);
        let mut left = if requested_step().is_some() {
            10_000_000
        } else {
            1 << 18
        };
        let mut tally = Tally::default();
        while left > 0 {
            let pairs: Vec<(f32, f32)> = (0..left.min(CHUNK)).map(|_| pair(&mut random)).collect();
            let xs: Vec<u32> = pairs.iter().map(|(x, _)| x.to_bits()).collect();
            let ys: Vec<u32> = pairs.iter().map(|(_, y)| y.to_bits()).collect();
            tally.join(self.count(&xs, &ys));
            left -= pairs.len();
        }
        self.finish(&format!("random pairs (ZEROSTRIDE_SEED={seed})"), &tally);
    }
}

/// xorshift64*
pub struct Random(u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// In [-1, 1).
    pub fn signed(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * 2f64.powi(-52) - 1.0
    }

    /// Any bits, or two numbers of either sign of about one size.
    fn sides(&mut self) -> (f32, f32) {
        let any = self.bits();
        if any.is_multiple_of(2) {
            return (
                f32::from_bits((any >> 8) as u32),
                f32::from_bits(self.bits() as u32),
            );
        }
        let size = (self.signed() * 150.0).exp2();
        let mut side = || (self.signed() * (self.signed() * 20.0).exp2() * size) as f32;
        (side(), side())
    }
}

#[test]
fn angles_of_special_and_random_points_are_within_four_ulp() {
    ATAN2.check_special();
    ATAN2.check_random(Random::sides);
}

#[test]
fn roots_of_sums_of_squares_are_within_two_ulp() {
    HYPOT.check_special();
    HYPOT.check_random(Random::sides);
}
