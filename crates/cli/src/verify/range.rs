//! Ranges of values: the reference's, and the lowest and highest of any adapter.

use zerostride::{DType, HostTensor, Layout};

use super::place::{Place, bits, ends, place, unplace};
use crate::failure::Failure;

/// Results of a step: the reference's, and the lowest and highest of any adapter.
pub struct Range {
    pub value: HostTensor,
    /// The lowest and the highest; `None` if both always equal the value. Two NaN ends mean NaN
    /// only; the whole range of the type includes NaN.
    pub ends: Option<Box<(HostTensor, HostTensor)>>,
}

/// Views the elements through another layout.
pub fn through(host: &HostTensor, layout: &Layout) -> HostTensor {
    let mut view = host.clone();
    view.layout = layout.clone();
    view
}

impl Range {
    /// The range of elements that are the same on every adapter.
    pub fn exact(host: &HostTensor) -> Self {
        Self {
            value: host.clone(),
            ends: None,
        }
    }

    /// Applies a function that moves elements.
    pub fn moved(
        &self,
        to: impl Fn(&HostTensor) -> Result<HostTensor, Failure>,
    ) -> Result<Self, Failure> {
        Ok(Self {
            value: to(&self.value)?,
            ends: match &self.ends {
                Some(ends) => Some(Box::new((to(&ends.0)?, to(&ends.1)?))),
                None => None,
            },
        })
    }

    pub fn through(&self, layout: &Layout) -> Result<Self, Failure> {
        self.moved(|host| Ok(through(host, layout)))
    }

    /// Puts the axes in another order.
    pub fn turned(&self, order: &[usize]) -> Result<Self, Failure> {
        self.moved(|host| {
            let layout = &host.layout;
            let extents: Vec<usize> = order.iter().map(|&a| layout.shape().extents()[a]).collect();
            let strides = order.iter().map(|&a| layout.strides()[a]).collect();
            Ok(through(
                host,
                &Layout::new(extents, strides, layout.offset())?,
            ))
        })
    }

    pub fn low(&self) -> &HostTensor {
        self.ends.as_ref().map_or(&self.value, |e| &e.0)
    }

    pub fn high(&self) -> &HostTensor {
        self.ends.as_ref().map_or(&self.value, |e| &e.1)
    }

    /// The places of both ends of each element; `None` for NaN.
    pub fn places(&self) -> impl Iterator<Item = Option<(i64, i64)>> + '_ {
        let dtype = self.value.dtype;
        bits(self.low())
            .zip(bits(self.high()))
            .map(
                move |(low, high)| match (place(dtype, low), place(dtype, high)) {
                    (Place::At(low), Place::At(high)) => Some((low, high)),
                    _ => None,
                },
            )
    }

    /// How far below and above the reference each element may be. Infinite without a bound.
    pub fn reach(&self) -> Vec<(f64, f64)> {
        let dtype = self.value.dtype;
        let reach = |(ends, value): (Option<(i64, i64)>, u64)| match (ends, place(dtype, value)) {
            (None, _) => (0.0, 0.0),
            (Some(ends), Place::At(value)) if !is_everything(dtype, ends) => {
                (value.abs_diff(ends.0) as f64, ends.1.abs_diff(value) as f64)
            }
            _ => (f64::INFINITY, f64::INFINITY),
        };
        self.places().zip(bits(&self.value)).map(reach).collect()
    }
}

/// The whole range of a type.
pub fn everything(dtype: DType) -> (i64, i64) {
    let width = 8 * dtype.size() as u32;
    match ends(dtype) {
        Some((infinity, _)) => (-infinity, infinity),
        None if dtype == DType::Bool => (0, 1),
        None if dtype.is_signed() || width == 64 => {
            (i64::MIN >> (64 - width), i64::MAX >> (64 - width))
        }
        None => (0, (1 << width) - 1),
    }
}

pub fn is_everything(dtype: DType, found: (i64, i64)) -> bool {
    found == everything(dtype)
}

/// Extends the range to 0 if a driver may flush a subnormal number to 0. f16 is not affected: its
/// subnormal numbers are normal in f32.
pub fn flushed(range: Range) -> Result<Range, Failure> {
    let dtype = range.value.dtype;
    let Some((_, normal)) = ends(dtype).filter(|_| dtype != DType::F16) else {
        return Ok(range);
    };
    let zeroed = |ends| with_zero(ends, normal);
    if range.places().flatten().all(|ends| zeroed(ends) == ends) {
        return Ok(range);
    }
    let places: Vec<_> = range.places().map(|p| p.map(zeroed)).collect();
    with_ends(range.value, &places)
}

/// Extends a range's ends to 0 if one is subnormal. `normal`: the place of the smallest normal
/// number.
pub fn with_zero((low, high): (i64, i64), normal: i64) -> (i64, i64) {
    let is_small = |x: i64| x.abs() < normal;
    (
        if is_small(low) { low.min(0) } else { low },
        if is_small(high) { high.max(0) } else { high },
    )
}

/// A range with these ends; `None` for a value that is NaN on every adapter.
pub fn with_ends(value: HostTensor, places: &[Option<(i64, i64)>]) -> Result<Range, Failure> {
    let dtype = value.dtype;
    let is_exact = bits(&value)
        .zip(places)
        .all(|(b, p)| p.is_none_or(|(low, high)| low == high && place(dtype, b) == Place::At(low)));
    if is_exact {
        return Ok(Range { value, ends: None });
    }
    let pack = |end: fn((i64, i64)) -> i64| {
        let found = bits(&value)
            .zip(places)
            .map(|(b, p)| p.map_or(b, |p| unplace(dtype, end(p))));
        let bytes = found
            .flat_map(|b| b.to_le_bytes().into_iter().take(dtype.size()))
            .collect();
        HostTensor::new(dtype, value.layout.shape(), bytes)
    };
    let ends = Some(Box::new((pack(|p| p.0)?, pack(|p| p.1)?)));
    Ok(Range { value, ends })
}
