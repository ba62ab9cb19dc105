//! Rounds f64 to another type while it is loaded.

use std::ops::Range;

use zerostride::stream::Input;
use zerostride::{DType, Element, Error, HostTensor, Layout, Scalar};

/// Elements cast at a time.
const CAST: usize = 8192;

/// Rounds an array of f64.
pub fn narrow(array: HostTensor, to: DType) -> Result<HostTensor, Error> {
    let mut bytes = vec![0; array.bytes.len() / 8 * to.size()];
    cast(&array.bytes, to, &mut bytes);
    HostTensor::with_layout(to, array.layout, bytes)
}

fn cast(wide: &[u8], to: DType, out: &mut [u8]) {
    let size = to.size();
    for (value, out) in f64::from_bytes(wide)
        .into_iter()
        .zip(out.chunks_exact_mut(size))
    {
        out.copy_from_slice(&Scalar::of(to, value).bits.to_le_bytes()[..size]);
    }
}

/// An input of f64 whose elements are rounded while they are read.
pub struct Narrowed(Box<dyn Input>, DType);

impl Narrowed {
    pub fn new(wide: Box<dyn Input>, to: DType) -> Self {
        Self(wide, to)
    }
}

impl Input for Narrowed {
    fn name(&self) -> String {
        self.0.name()
    }

    fn dtype(&self) -> DType {
        self.1
    }

    fn layout(&self) -> Result<Layout, Error> {
        self.0.layout()
    }

    fn read(&self, positions: Range<usize>, out: &mut [u8]) -> Result<(), Error> {
        let size = self.1.size();
        let mut wide = vec![0; positions.len().min(CAST) * 8];
        for (n, out) in out.chunks_mut(CAST * size).enumerate() {
            let start = positions.start + n * CAST;
            let count = out.len() / size;
            let wide = &mut wide[..count * 8];
            self.0.read(start..start + count, wide)?;
            cast(wide, self.1, out);
        }
        Ok(())
    }
}
