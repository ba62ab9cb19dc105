//! Division by an invariant divisor as a multiplication and a shift.

/// `n / d == mul_high(n, multiplier) >> shift` for every `n` below 2^31.
///
/// With `l = ceil(log2 d)` the multiplier is `floor(2^(31 + l) / d) + 1`. It exceeds `2^(31 + l) /
/// d` by at most 1, so the quotient is off by less than `n / 2^(31 + l)`, which is below `1 / d`
/// while `n < 2^31`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Magic {
    pub multiplier: u32,
    pub shift: u32,
}

impl Magic {
    /// The constants of a divisor from 2 to 2^31.
    pub fn new(divisor: u32) -> Self {
        debug_assert!((2..=1 << 31).contains(&divisor));
        let log = 32 - (divisor - 1).leading_zeros();
        let multiplier = ((1u64 << (31 + log)) / u64::from(divisor) + 1) as u32;
        Self {
            multiplier,
            shift: log - 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Magic {
        /// The quotient, as the kernel computes it.
        fn divide(self, n: u32) -> u32 {
            ((u64::from(n) * u64::from(self.multiplier)) >> 32) as u32 >> self.shift
        }
    }

    fn check(d: u32) {
        let magic = Magic::new(d);
        let top = (1u32 << 31) - 1;
        let last = top / d * d;
        for n in [
            0,
            1,
            d - 1,
            d,
            d.saturating_add(1),
            2 * (d / 2),
            last.saturating_sub(1),
            last,
            top - 1,
            top,
        ] {
            let n = n.min(top);
            assert_eq!(magic.divide(n), n / d, "{n} / {d}");
        }
    }

    #[test]
    fn exact_for_every_divisor_near_a_power_of_two() {
        for log in 1..=31u32 {
            let power = 1i64 << log;
            for d in power - 300..=power + 300 {
                if (2..=1 << 31).contains(&d) {
                    check(d as u32);
                }
            }
        }
    }

    #[test]
    fn exact_for_every_small_divisor_and_dividend() {
        for d in 2..300 {
            let magic = Magic::new(d);
            for n in (0..100_000).chain((1 << 31) - 100_000..1 << 31) {
                assert_eq!(magic.divide(n), n / d, "{n} / {d}");
            }
        }
    }

    #[test]
    fn exact_around_multiples_of_many_divisors() {
        let mut d = 2u32;
        while d < 1 << 30 {
            check(d);
            let magic = Magic::new(d);
            for k in 1..64 {
                let n = (u64::from(d) * k).min((1 << 31) - 2) as u32;
                for n in [n - 1, n, n + 1] {
                    assert_eq!(magic.divide(n), n / d, "{n} / {d}");
                }
            }
            d += d / 37 + 1;
        }
    }
}
