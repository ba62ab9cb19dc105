//! The order in which a reduction folds elements. It depends on their number alone, so that every
//! schedule, window, part and adapter gives the same bits.
//!
//! Element `i` belongs to lane `i % LANES`. Each lane folds its elements in sequence, [`GROUP`] of
//! them at a time, then those results [`GROUP`] at a time, and so on until one is left. The lanes
//! are folded in halves: lane `j` with lane `j + w / 2`, for `w` from the smallest power of two
//! that holds them all down to 2. Missing elements are left out.

use super::Op;
use crate::dtype::DType;

/// The number of lanes.
pub(crate) const LANES: usize = 256;

/// The number of a lane's values that are folded in sequence.
pub(crate) const GROUP: usize = 16;

/// The operator of a reduction: a row of two operands that has a neutral element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Folding {
    Sum,
    Prod,
    Max,
    Min,
    /// The largest i64. Upper words order the elements and lower words decrease from each to the
    /// next, so it is the first of the largest.
    First,
    /// Bitwise or.
    Or,
    And,
}

impl Folding {
    /// The row.
    pub fn row(self) -> Op {
        match self {
            Self::Sum => Op::ADD,
            Self::Prod => Op::MUL,
            Self::Max | Self::First => Op::MAXIMUM,
            Self::Min => Op::MINIMUM,
            Self::Or => Op::BIT_OR,
            Self::And => Op::BIT_AND,
        }
    }

    /// Its name in errors and plans.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Max | Self::First => "max",
            Self::Min => "min",
            Self::Or => "any",
            Self::And => "all",
        }
    }

    /// The storage bits of a fold of no elements: a sum is 0, not -0.
    pub fn of_nothing(self, dtype: DType) -> u64 {
        match self {
            Self::Sum => 0,
            _ => self.neutral(dtype),
        }
    }

    /// The storage bits of the neutral element in f32, f64 or an integer type of 32 or 64 bits.
    pub fn neutral(self, dtype: DType) -> u64 {
        let all = u64::MAX >> (64 - 8 * dtype.size());
        let top = (all >> 1) + 1;
        let (is_float, is_signed) = (dtype.is_float(), dtype.is_signed());
        let infinity = match dtype {
            DType::F64 => f64::INFINITY.to_bits(),
            _ => u64::from(f32::INFINITY.to_bits()),
        };
        match self {
            Self::Sum if is_float => top,
            Self::Sum | Self::Or => 0,
            Self::And => all,
            Self::Prod => match dtype {
                DType::F32 => u64::from(1f32.to_bits()),
                DType::F64 => 1f64.to_bits(),
                _ => 1,
            },
            Self::Max if is_float => infinity | top,
            // If the least upper word is the largest, all elements have it, and the first is found.
            Self::First => top | u64::from(u32::MAX),
            Self::Max if is_signed => top,
            Self::Max => 0,
            Self::Min if is_float => infinity,
            Self::Min if is_signed => all >> 1,
            Self::Min => all,
        }
    }
}

/// Folds elements in the order of this module.
pub(crate) fn fold_in_order(
    elements: &[u64],
    mut fold: impl FnMut(u64, u64) -> u64,
) -> Option<u64> {
    let mut lanes: Vec<u64> = Vec::new();
    for lane in 0..elements.len().min(LANES) {
        let mut values: Vec<u64> = elements[lane..].iter().step_by(LANES).copied().collect();
        while values.len() > 1 {
            let groups = values.chunks(GROUP);
            values = groups
                .filter_map(|group| group.iter().copied().reduce(&mut fold))
                .collect();
        }
        lanes.extend(values);
    }
    let mut width = lanes.len().next_power_of_two();
    while width > 1 {
        width /= 2;
        for lane in width..lanes.len() {
            lanes[lane - width] = fold(lanes[lane - width], lanes[lane]);
        }
        lanes.truncate(width);
    }
    lanes.first().copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::Value;

    #[test]
    fn what_is_neutral_leaves_every_value_as_it_is() {
        use Folding::{And, Max, Min, Or, Prod, Sum};
        let dtypes = [
            DType::U32,
            DType::I32,
            DType::F32,
            DType::U64,
            DType::I64,
            DType::F64,
        ];
        for (op, dtype) in [Sum, Prod, Max, Min, Or, And]
            .into_iter()
            .flat_map(|op| dtypes.map(|d| (op, d)))
        {
            let Some(form) = op.row().form(dtype) else {
                continue;
            };
            let neutral = op.neutral(dtype);
            let top = 1u64 << (8 * dtype.size() - 1);
            for bits in [
                0,
                1,
                top,
                top | 1,
                top - 1,
                top | (top - 1),
                0x7f80_0000,
                0x3f80_0000,
            ] {
                let bits = bits & (top | (top - 1));
                let value = |bits| match form.read {
                    crate::op::Operands::Storage => Value::Bits(bits),
                    _ => Value::decode(dtype, bits),
                };
                let is_nan = matches!(Value::decode(dtype, bits), Value::F32(x) if x.is_nan())
                    || matches!(Value::decode(dtype, bits), Value::F64(x) if x.is_nan());
                let folded = (form.cpu)(&[value(neutral), value(bits)]).encode(dtype);
                assert!(
                    folded == bits || is_nan,
                    "{op:?} {dtype}: {folded:x} of {bits:x}"
                );
            }
        }
    }

    #[test]
    fn elements_are_folded_in_the_order_that_is_stated() {
        // Three in two lanes' distance: the last joins the first.
        let text = |elements: usize| {
            let mut made: Vec<String> = (0..elements).map(|i| i.to_string()).collect();
            let ids: Vec<u64> = (0..elements as u64).collect();
            let last = fold_in_order(&ids, |a, b| {
                made.push(format!("({}+{})", made[a as usize], made[b as usize]));
                made.len() as u64 - 1
            });
            last.map(|at| made[at as usize].clone())
        };
        assert_eq!(text(0), None);
        assert_eq!(text(3).unwrap(), "((0+2)+1)");
        assert_eq!(text(6).unwrap(), "(((0+4)+2)+((1+5)+3))");
        let long = text(LANES * 17 + 1).unwrap();
        let sequence: Vec<String> = (0..16).map(|s| (s * LANES).to_string()).collect();
        let first = sequence[1..]
            .iter()
            .fold(sequence[0].clone(), |sum, x| format!("({sum}+{x})"));
        assert!(long.starts_with(&"(".repeat(8)));
        assert!(
            long.contains(&format!("({first}+({}+{}))", 16 * LANES, 17 * LANES)),
            "{long}"
        );
    }

    /// The most additions that an element takes part in.
    fn additions(count: usize) -> f64 {
        let steps = count.div_ceil(LANES) as f64;
        let groups = (steps.ln() / (GROUP as f64).ln() - 1e-9).ceil().max(0.0);
        GROUP as f64 * groups + 8.0
    }

    fn sum(elements: &[f32]) -> f64 {
        let bits: Vec<u64> = elements.iter().map(|x| u64::from(x.to_bits())).collect();
        let float = |bits: u64| f32::from_bits(bits as u32);
        let folded = fold_in_order(&bits, |a, b| u64::from((float(a) + float(b)).to_bits()));
        f64::from(float(folded.unwrap()))
    }

    #[test]
    fn sums_keep_to_their_stated_error() {
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut random = || {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 40) as f32 / 16_777_216.0
        };
        let mut hard: Vec<Vec<f32>> = vec![
            vec![1.0; (1 << 24) + 1],
            // What is large cancels, what is left is small.
            (0..100_001).map(|i| [1e8f32, 1.0, -1e8][i % 3]).collect(),
            (0..4097)
                .map(|i| if i == 0 { 16_777_216.0 } else { 1.0 })
                .collect(),
            vec![f32::from_bits(1); 70_000],
            (0..5000).map(|i| 10f32.powi(i % 60 - 30)).collect(),
        ];
        for count in [1, 2, 255, 257, 4096, 4097, 65_537, 300_000] {
            hard.push((0..count).map(|_| random() - 0.5).collect());
            hard.push((0..count).map(|_| random() * 1e6).collect());
        }
        for elements in &hard {
            let exact: f64 = elements.iter().map(|&x| f64::from(x)).sum();
            let all: f64 = elements.iter().map(|&x| f64::from(x.abs())).sum();
            let unit = 2f64.powi(-24);
            let most = additions(elements.len()) * unit;
            let bound = most / (1.0 - most) * all;
            let error = (sum(elements) - exact).abs();
            assert!(
                error <= bound,
                "{} elements: {error:e} beyond {bound:e}",
                elements.len()
            );
        }
        // A sum in sequence stays at 2^24.
        assert_eq!(sum(&hard[0]), 16_777_216.0);
        assert_eq!(sum(&hard[3]), f64::from(f32::from_bits(70_000)));
    }
}
