//! The range of elements that are moved: taken by their positions, or joined.

use zerostride::inspect::StepInfo;
use zerostride::{DType, Expr, HostTensor, Layout, reference};

use super::place::bits;
use super::range::{Range, everything, with_ends};
use crate::failure::Failure;

/// The range of the elements taken from the first operand along an axis.
pub fn taken(step: &StepInfo, axis: usize, operands: &[Range]) -> Result<Range, Failure> {
    let [x, positions] = operands else {
        return Err(Failure::Failed("take has two operands".into()));
    };
    let expr = Expr::slot(0).take(Expr::slot(1), axis.cast_signed());
    let taken = |x: &HostTensor| -> Result<HostTensor, Failure> {
        Ok(reference::run(
            &expr,
            &[x.clone(), positions.value.clone()],
        )?)
    };
    let range = x.moved(taken)?;
    if positions.ends.is_none() {
        return Ok(range);
    }
    // An element at an uncertain position may have any value.
    let is_known: Vec<bool> = positions
        .places()
        .map(|ends| ends.is_none_or(|(low, high)| low == high))
        .collect();
    let within: usize = x.value.layout.shape().extents()[axis + 1..]
        .iter()
        .product();
    let known = |at: usize| is_known[at / within % is_known.len()];
    let each = range.places().enumerate();
    let ends: Vec<_> = each
        .map(|(at, ends)| match known(at) {
            true => ends,
            false => Some(everything(step.dtype)),
        })
        .collect();
    with_ends(range.value, &ends)
}

/// The range of `searchsorted` positions in the first operand: smaller elements in it, or larger
/// values, give later positions.
pub fn searched(right: bool, operands: &[Range]) -> Result<Range, Failure> {
    let [row, values] = operands else {
        return Err(Failure::Failed("a search has two operands".into()));
    };
    let expr = Expr::slot(0)
        .searchsorted(Expr::slot(1), right)
        .cast(DType::U32);
    let found = |row: &HostTensor, values: &HostTensor| -> Result<HostTensor, Failure> {
        Ok(reference::run(&expr, &[row.clone(), values.clone()])?)
    };
    let value = found(&row.value, &values.value)?;
    let [first, last] = [
        found(row.high(), values.low())?,
        found(row.low(), values.high())?,
    ];
    let ends = bits(&first).zip(bits(&last));
    let ends: Vec<_> = ends
        .map(|(first, last)| Some((first.cast_signed(), last.cast_signed())))
        .collect();
    with_ends(value, &ends)
}

/// The range of operands joined at their places.
pub fn joined(step: &StepInfo, places: &[Layout], operands: &[Range]) -> Result<Range, Failure> {
    let join = |elements: fn(&Range) -> &HostTensor| -> Result<HostTensor, Failure> {
        let mut all = vec![0; step.shape.extents().iter().product()];
        for (place, operand) in places.iter().zip(operands) {
            let elements = bits(elements(operand));
            place
                .offsets()
                .zip(elements)
                .for_each(|(at, x)| all[at] = x);
        }
        let size = step.dtype.size();
        let bytes = all
            .iter()
            .flat_map(|x: &u64| x.to_le_bytes().into_iter().take(size));
        Ok(HostTensor::new(
            step.dtype,
            step.shape.clone(),
            bytes.collect(),
        )?)
    };
    let ends = match operands.iter().all(|x| x.ends.is_none()) {
        true => None,
        false => Some(Box::new((join(Range::low)?, join(Range::high)?))),
    };
    Ok(Range {
        value: join(|x| &x.value)?,
        ends,
    })
}
