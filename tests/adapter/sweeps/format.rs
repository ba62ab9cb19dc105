//! The float formats: values of bits, rounding of doubles, and errors in units in the last place.

use zerostride::DType;

/// A binary format with a sign bit, at most 32 bits wide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub dtype: DType,
    /// Bits of a significand, the leading one included.
    digits: i32,
    /// The exponent of the least subnormal.
    least: i32,
    /// The exponent of the first power of two that is too large.
    top: i32,
}

pub const F16: Format = Format {
    dtype: DType::F16,
    digits: 11,
    least: -24,
    top: 16,
};
pub const BF16: Format = Format {
    dtype: DType::Bf16,
    digits: 8,
    least: -133,
    top: 128,
};
pub const F32: Format = Format {
    dtype: DType::F32,
    digits: 24,
    least: -149,
    top: 128,
};

/// 2 to a power that a normal double has.
fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023) as u64) << 52)
}

impl Format {
    /// The sign bit.
    pub fn sign(self) -> u32 {
        1 << (8 * self.dtype.size() - 1)
    }

    /// The bits of infinity.
    pub fn infinity(self) -> u32 {
        ((self.top - self.least - self.digits + 2) as u32) << (self.digits - 1)
    }

    pub fn is_nan(self, bits: u32) -> bool {
        bits & (self.sign() - 1) > self.infinity()
    }

    /// The value of these bits.
    pub fn value(self, bits: u32) -> f64 {
        if self == F32 {
            f64::from(f32::from_bits(bits))
        } else {
            self.value_of_fields(bits)
        }
    }

    /// [`value`](Self::value) of any format.
    fn value_of_fields(self, bits: u32) -> f64 {
        let magnitude = bits & (self.sign() - 1);
        let fraction = magnitude & ((1 << (self.digits - 1)) - 1);
        let field = (magnitude >> (self.digits - 1)) as i32;
        let value = match magnitude {
            m if m > self.infinity() => f64::NAN,
            m if m == self.infinity() => f64::INFINITY,
            _ if field == 0 => f64::from(fraction) * power_of_two(self.least),
            _ => {
                f64::from(fraction | 1 << (self.digits - 1)) * power_of_two(self.least + field - 1)
            }
        };
        if bits & self.sign() != 0 {
            -value
        } else {
            value
        }
    }

    /// The exponent of the last place of this number.
    fn last_place(self, x: f64) -> i32 {
        let exponent = (x.to_bits() >> 52 & 0x7ff) as i32 - 1023;
        (exponent - self.digits + 1).max(self.least)
    }

    /// The bits of a number, rounded once to the nearest, ties to even.
    pub fn nearest(self, x: f64) -> u32 {
        let sign = if x.is_sign_negative() { self.sign() } else { 0 };
        if x.is_nan() {
            return self.infinity() | 1 << (self.digits - 2);
        }
        if x.is_infinite() {
            return sign | self.infinity();
        }
        if self == F32 {
            (x as f32).to_bits()
        } else {
            sign | self.nearest_magnitude(x)
        }
    }

    /// The bits of a finite number's magnitude in any format.
    fn nearest_magnitude(self, x: f64) -> u32 {
        let place = self.last_place(x);
        let units = (x.abs() * power_of_two(-place)).round_ties_even() as u64;
        let magnitude = ((place - self.least) as u64) << (self.digits - 1);
        (magnitude + units).min(self.infinity().into()) as u32
    }

    /// How far these bits are from a number, in units in its last place. NaN, zeros with their
    /// signs and infinities of the number are found as they are or not at all.
    pub fn error(self, x: f64, found: u32) -> f64 {
        self.error_in(x, x, found)
    }

    /// [`error`](Self::error) in units in the last place of another number.
    pub fn error_in(self, scale: f64, x: f64, found: u32) -> f64 {
        let y = self.value(found);
        let wrong_zero = (x == 0.0 || y == 0.0) && x.is_sign_negative() != y.is_sign_negative();
        if x.is_nan() || y.is_nan() || x.is_infinite() || x == 0.0 || wrong_zero {
            let same = (x.is_nan() && y.is_nan()) || (x == y && !wrong_zero);
            return if same { 0.0 } else { f64::INFINITY };
        }
        if y.is_infinite() && found == self.nearest(x) {
            return 0.0;
        }
        // Elsewhere an infinity stands for the power of two that is too large.
        let bound = power_of_two(self.top);
        (x - y.clamp(-bound, bound)).abs() * power_of_two(-self.last_place(scale))
    }

    /// Whether an adapter that flushes subnormal f32 takes this number of this format for a zero.
    pub fn is_flushable(self, x: f64) -> bool {
        // f32 has every f16 as a normal number.
        self != F16 && x != 0.0 && x.abs() < f64::from(f32::MIN_POSITIVE)
    }

    /// Whether these bits are the zero that an adapter which flushes subnormal f32 gives for this
    /// number, some ULP of error before it allowed for.
    pub fn is_flushed(self, x: f64, found: u32) -> bool {
        let zero = if x.is_sign_negative() { self.sign() } else { 0 };
        found == zero && self.is_flushable(x * (1.0 - 4.0 * f64::from(f32::EPSILON)))
    }
}

#[test]
fn formats_agree_with_the_types_of_rust() {
    for bits in 0..=u16::MAX {
        let half = half::f16::from_bits(bits);
        let brain = half::bf16::from_bits(bits);
        for (format, value) in [(F16, half.to_f64()), (BF16, brain.to_f64())] {
            let found = format.value(bits.into());
            assert!(
                found == value || (found.is_nan() && value.is_nan()),
                "{format:?} {bits:#x}: {found}"
            );
            assert!(
                format.nearest(found) == u32::from(bits) || format.is_nan(bits.into()),
                "{format:?} {bits:#x}"
            );
        }
    }
    for x in [
        1.0,
        -1.0 / 3.0,
        1e-40,
        -1e-46,
        0.7e-45,
        3.402_823_5e38,
        3.5e38,
        f64::INFINITY,
        -0.0,
        1e-300,
        1e300,
    ] {
        assert_eq!(F32.nearest(x), (x as f32).to_bits(), "{x}");
        assert!(
            x.is_infinite() || F32.nearest_magnitude(x) == (x.abs() as f32).to_bits(),
            "{x}"
        );
        assert_eq!(
            F32.value_of_fields((x as f32).to_bits()),
            f64::from(x as f32),
            "{x}"
        );
    }
    // Halfway between two f16 and beyond: one double rounding through f32 would lose what is
    // beyond.
    assert_eq!(F16.nearest(1.0 + power_of_two(-11)), 0x3c00);
    assert_eq!(
        F16.nearest(1.0 + power_of_two(-11) + power_of_two(-50)),
        0x3c01
    );
    assert_eq!(BF16.nearest(-1.0 - 3.0 * power_of_two(-8)), 0xbf82);
    assert_eq!(
        (F16.nearest(65519.9), F16.nearest(65520.0)),
        (0x7bff, 0x7c00)
    );
}

#[test]
fn errors_are_counted_in_the_last_place() {
    let one = 1f32.to_bits();
    assert_eq!(F32.error(1.0, one + 1), 1.0);
    assert_eq!(F32.error(1.0, one - 1), 0.5);
    assert_eq!(F32.error(1.0 + power_of_two(-25), one), 0.25);
    assert_eq!(F32.error(-0.0, 0), f64::INFINITY);
    assert_eq!(F32.error(-1e-50, 0), f64::INFINITY);
    assert_eq!(F32.error(0.0, 1), f64::INFINITY);
    assert_eq!(F32.error(power_of_two(-150), 1), 0.5);
    assert_eq!(F32.error(f64::NAN, 0xffc0_0001), 0.0);
    assert_eq!(F32.error(f64::NAN, one), f64::INFINITY);
    assert_eq!(F32.error(f64::INFINITY, f32::MAX.to_bits()), f64::INFINITY);
    assert_eq!(F32.error(1e39, f32::INFINITY.to_bits()), 0.0);
    assert_eq!(F32.error(f32::MAX.into(), f32::INFINITY.to_bits()), 1.0);
}
