//! Random numbers and elements for tests.

use zerostride::{DType, HostTensor, Scalar};

/// A small random number generator (xorshift64*), seeded from `ZEROSTRIDE_SEED` or the clock; the
/// seed is printed.
pub struct Random(u64);

impl Random {
    pub fn new(test: &str) -> Self {
        let seed = std::env::var("ZEROSTRIDE_SEED")
            .ok()
            .and_then(|s| s.parse().ok())
            .unwrap_or_else(|| {
                std::time::SystemTime::now()
                    .duration_since(std::time::UNIX_EPOCH)
                    .map_or(1, |d| d.as_nanos() as u64)
            });
        eprintln!("{test}: ZEROSTRIDE_SEED={seed}");
        Self(seed | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// Another sequence, which follows from this one.
    pub fn fork(&mut self) -> Self {
        Self(self.next() | 1)
    }

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Elements of a type: small values, and where asked the special ones. Floats are normal
    /// numbers, so that an adapter that flushes subnormals agrees with the reference.
    pub fn bytes(&mut self, dtype: DType, len: usize, special: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(len * dtype.size());
        for _ in 0..len {
            let r = self.next();
            let bits: u64 = match dtype {
                DType::Bool => r >> 63,
                DType::F32 if special && r.is_multiple_of(16) => [
                    0,
                    0x8000_0000,
                    0x7f80_0000,
                    0xff80_0000,
                    0x7fc0_0000,
                    0x3f80_0000,
                ][(r >> 8) as usize % 6],
                DType::F16 if special && r.is_multiple_of(16) => {
                    [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x3c00][(r >> 8) as usize % 6]
                }
                DType::Bf16 if special && r.is_multiple_of(16) => {
                    [0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x3f80][(r >> 8) as usize % 6]
                }
                DType::F32 => u64::from((((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits()),
                DType::F16 => u64::from(
                    half::f16::from_f32(((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits(),
                ),
                DType::Bf16 => u64::from(
                    half::bf16::from_f32(((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits(),
                ),
                _ if special && r.is_multiple_of(8) => [
                    0,
                    u64::MAX,
                    1,
                    1 << (8 * dtype.size() - 1),
                    (1 << (8 * dtype.size() - 1)) - 1,
                ][(r >> 8) as usize % 5],
                _ => r >> 20,
            };
            out.extend_from_slice(&bits.to_le_bytes()[..dtype.size()]);
        }
        out
    }

    /// Small whole numbers: sums of their products are exact in every type but the halves.
    pub fn whole(&mut self, dtype: DType, shape: &[usize]) -> HostTensor {
        let mut bytes = Vec::new();
        for _ in 0..shape.iter().product() {
            let x = self.below(9) as f64 - if dtype.is_signed() { 4.0 } else { 0.0 };
            bytes.extend_from_slice(&Scalar::of(dtype, x).bits.to_le_bytes()[..dtype.size()]);
        }
        HostTensor::new(dtype, shape, bytes).unwrap()
    }

    pub fn host(&mut self, dtype: DType, shape: &[usize], special: bool) -> HostTensor {
        let len = shape.iter().product();
        HostTensor::new(dtype, shape, self.bytes(dtype, len, special)).unwrap()
    }
}
