//! What the adapter tests share: one context, random data, comparison with the reference.

use std::sync::OnceLock;

use zerostride::reference::{self, HostTensor};
use zerostride::{Context, DType, Error, Expr, Result, Tensor};

/// The context of all tests, on the adapter that `ZEROSTRIDE_ADAPTER` names. No adapter is a failure.
pub fn context() -> Context {
    static CONTEXT: OnceLock<Context> = OnceLock::new();
    CONTEXT
        .get_or_init(|| {
            let context =
                Context::builder().from_env().request_blocking().expect("an adapter is needed for these tests");
            eprintln!("adapter: {:?}", context.adapter_info());
            context
        })
        .clone()
}

/// A small random number generator (xorshift64*), seeded from `ZEROSTRIDE_SEED` or the clock; the seed is printed.
pub struct Random(u64);

impl Random {
    pub fn new(test: &str) -> Self {
        let seed = std::env::var("ZEROSTRIDE_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or_else(|| {
            std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).map_or(1, |d| d.as_nanos() as u64)
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

    /// Below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() >> 33) as usize % n
    }

    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    /// Elements of a type: small values, and where asked the special ones. Floats are normal numbers, so that an
    /// adapter that flushes subnormals agrees with the reference.
    pub fn bytes(&mut self, dtype: DType, len: usize, special: bool) -> Vec<u8> {
        let mut out = Vec::with_capacity(len * dtype.size());
        for _ in 0..len {
            let r = self.next();
            let bits: u64 = match dtype {
                DType::Bool => r >> 63,
                DType::F32 if special && r % 16 == 0 => {
                    [0, 0x8000_0000, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x3f80_0000][(r >> 8) as usize % 6]
                }
                DType::F16 if special && r % 16 == 0 => {
                    [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x3c00][(r >> 8) as usize % 6]
                }
                DType::Bf16 if special && r % 16 == 0 => {
                    [0, 0x8000, 0x7f80, 0xff80, 0x7fc0, 0x3f80][(r >> 8) as usize % 6]
                }
                DType::F32 => u64::from((((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits()),
                DType::F16 => u64::from(half::f16::from_f32(((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits()),
                DType::Bf16 => {
                    u64::from(half::bf16::from_f32(((r >> 40) as f32 / 16_777_216.0 - 0.5) * 20.0).to_bits())
                }
                _ if special && r % 8 == 0 => {
                    [0, u64::MAX, 1, 1 << (8 * dtype.size() - 1), (1 << (8 * dtype.size() - 1)) - 1]
                        [(r >> 8) as usize % 5]
                }
                _ => r >> 20,
            };
            out.extend_from_slice(&bits.to_le_bytes()[..dtype.size()]);
        }
        out
    }

    pub fn host(&mut self, dtype: DType, shape: &[usize], special: bool) -> HostTensor {
        let len = shape.iter().product();
        HostTensor::new(dtype, shape, self.bytes(dtype, len, special)).unwrap()
    }
}

/// Runs an expression on the context.
pub fn on_adapter(expr: &Expr<usize>, inputs: &[HostTensor]) -> Result<HostTensor> {
    let context = context();
    let tensors: Vec<Tensor> = inputs.iter().map(|t| context.tensor_from_host(t)).collect::<Result<_>>()?;
    let slots: Vec<_> = tensors.iter().map(Tensor::slot).collect();
    let plan = zerostride::Plan::new(expr, &slots, &context.options())?;
    let out = context.run(&plan, &tensors.iter().collect::<Vec<_>>())?;
    HostTensor::new(out[0].dtype(), out[0].shape(), out[0].read_bytes_blocking()?)
}

/// The distance of two floats of a type in units in the last place; 0 for two NaN, infinite for one.
pub fn ulps(dtype: DType, a: u64, b: u64) -> f64 {
    let (bits, infinity) = match dtype {
        DType::F16 => (16, 0x7c00u64),
        DType::Bf16 => (16, 0x7f80),
        _ => (32, 0x7f80_0000),
    };
    let sign = 1u64 << (bits - 1);
    let (ma, mb) = (a & (sign - 1), b & (sign - 1));
    if ma > infinity || mb > infinity {
        return if ma > infinity && mb > infinity { 0.0 } else { f64::INFINITY };
    }
    let line = |x: u64, m: u64| if x & sign != 0 { -(m as f64) } else { m as f64 };
    (line(a, ma) - line(b, mb)).abs()
}

fn elements(t: &HostTensor) -> Vec<u64> {
    let size = t.dtype.size();
    t.bytes.chunks_exact(size).map(|c| c.iter().rev().fold(0, |x, &b| x << 8 | u64::from(b))).collect()
}

/// Compares an adapter's result with the reference's: floats within `bound` ULP, everything else in bits.
pub fn compare(what: &str, found: &HostTensor, expected: &HostTensor, bound: f64) -> std::result::Result<(), String> {
    if found.dtype != expected.dtype || found.layout.shape() != expected.layout.shape() {
        return Err(format!(
            "{what}: {}{} instead of {}{}",
            found.dtype,
            found.layout.shape(),
            expected.dtype,
            expected.layout.shape()
        ));
    }
    for (i, (a, b)) in elements(found).into_iter().zip(elements(expected)).enumerate() {
        let off = if found.dtype.is_float() {
            ulps(found.dtype, a, b)
        } else if a == b {
            0.0
        } else {
            f64::INFINITY
        };
        if off > bound {
            return Err(format!(
                "{what}: element {i} is {a:#x}, the reference has {b:#x}, {off} ULP apart (bound {bound})"
            ));
        }
    }
    Ok(())
}

/// Runs both sides and compares them.
pub fn check(what: &str, expr: &Expr<usize>, inputs: &[HostTensor], bound: f64) -> std::result::Result<(), String> {
    let expected = reference::run(expr, inputs).map_err(|e| format!("{what}: reference: {e}"))?;
    let found = on_adapter(expr, inputs).map_err(|e: Error| format!("{what}: {e}"))?;
    compare(what, &found, &expected, bound)
}

/// Fails with every report of a table of cases.
pub fn all(reports: impl IntoIterator<Item = std::result::Result<(), String>>) {
    let failures: Vec<String> = reports.into_iter().filter_map(std::result::Result::err).collect();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
