//! Arithmetic on words, as WGSL defines it. A word holds the bits of a value of 4 or 8 bytes.

use std::rc::Rc;

use naga::{BinaryOperator as B, Literal, MathFunction as M, Scalar, ScalarKind};

use crate::invocations::Bits;

/// A literal's word; no address is made of 64-bit floats and halves.
pub fn word(literal: &Literal) -> u64 {
    match *literal {
        Literal::F32(v) => v.to_bits().into(),
        Literal::U32(v) => v.into(),
        Literal::I32(v) => v.cast_unsigned().into(),
        Literal::U16(v) => v.into(),
        Literal::I16(v) => i32::from(v).cast_unsigned().into(),
        Literal::U64(v) => v,
        Literal::I64(v) | Literal::AbstractInt(v) => v.cast_unsigned(),
        Literal::Bool(v) => v.into(),
        Literal::F64(_) | Literal::F16(_) | Literal::AbstractFloat(_) => 0,
    }
}

/// The bits that a value of so many bytes has.
fn cut(word: u64, width: u8) -> u64 {
    if width == 8 {
        word
    } else {
        word & u64::from(u32::MAX)
    }
}

/// The number that a word of a signed integer is.
fn signed(word: u64, width: u8) -> i64 {
    if width == 8 {
        word.cast_signed()
    } else {
        (word as u32).cast_signed().into()
    }
}

/// The number that a word of f32 is; what is computed of f64 is data alone.
fn float(word: u64) -> f32 {
    f32::from_bits(word as u32)
}

/// A conversion of values to a kind of so many bytes.
pub fn converted(w: u64, from: Scalar, to: ScalarKind, width: u8) -> u64 {
    use ScalarKind::{Bool, Float, Sint, Uint};
    let of = |value: f32| u64::from(value.to_bits());
    match (from.kind, to) {
        (Float, Uint) => cut(float(w) as u64, width),
        (Float, Sint) => cut((float(w) as i64).cast_unsigned(), width),
        (Uint | Bool, Float) => of(w as f32),
        (Sint, Float) => of(signed(w, from.width) as f32),
        (_, Bool) => u64::from(w != 0),
        (Sint, _) => cut(signed(w, from.width).cast_unsigned(), width),
        _ => cut(w, width),
    }
}

/// Two words of each invocation; one word is that of all.
pub fn pairs(a: &[u64], b: &[u64]) -> impl Iterator<Item = (u64, u64)> {
    let mask = |words: &[u64]| if words.len() == 1 { 0 } else { usize::MAX };
    let (of_a, of_b) = (mask(a), mask(b));
    (0..a.len().max(b.len())).map(move |k| (a[k & of_a], b[k & of_b]))
}

/// An operator on two words of each invocation. What is computed of floats is data, so 0.
pub fn binary(op: B, of: Scalar, a: &[u64], b: &[u64]) -> Bits {
    let width = if of.kind == ScalarKind::Bool {
        4
    } else {
        of.width
    };
    let is_signed = of.kind == ScalarKind::Sint;
    macro_rules! each {
        (|$a:ident, $b:ident| $value:expr) => {
            pairs(a, b).map(|($a, $b)| cut($value, width)).collect()
        };
        (signed |$a:ident, $b:ident| $value:expr) => {
            pairs(a, b)
                .map(|(a, b)| {
                    let ($a, $b) = (signed(a, width), signed(b, width));
                    cut($value, width)
                })
                .collect()
        };
        ($compare:ident) => {
            match is_signed {
                true => each!(signed | a, b | u64::from(a.cmp(&b).$compare())),
                false => each!(|a, b| u64::from(a.cmp(&b).$compare())),
            }
        };
    }
    let shift = |b: u64| b as u32 & (u32::from(width) * 8 - 1);
    if of.kind == ScalarKind::Float {
        // Comparisons are of what is known: constants of overrides.
        return floats(op, a, b);
    }
    match op {
        B::Add => each!(|a, b| a.wrapping_add(b)),
        B::Subtract => each!(|a, b| a.wrapping_sub(b)),
        B::Multiply => each!(|a, b| a.wrapping_mul(b)),
        B::Divide if is_signed => each!(
            signed | a,
            b | a.checked_div(b).unwrap_or(a).cast_unsigned()
        ),
        B::Modulo if is_signed => each!(
            signed | a,
            b | a.checked_rem(b).unwrap_or(0).cast_unsigned()
        ),
        B::Divide => each!(|a, b| a.checked_div(b).unwrap_or(a)),
        B::Modulo => each!(|a, b| a.checked_rem(b).unwrap_or(0)),
        B::Equal => each!(is_eq),
        B::NotEqual => each!(is_ne),
        B::Less => each!(is_lt),
        B::LessEqual => each!(is_le),
        B::Greater => each!(is_gt),
        B::GreaterEqual => each!(is_ge),
        B::And | B::LogicalAnd => each!(|a, b| a & b),
        B::InclusiveOr | B::LogicalOr => each!(|a, b| a | b),
        B::ExclusiveOr => each!(|a, b| a ^ b),
        B::ShiftLeft => each!(|a, b| a << shift(b)),
        B::ShiftRight if is_signed => {
            let shifted = |(a, b)| cut((signed(a, width) >> shift(b)).cast_unsigned(), width);
            pairs(a, b).map(shifted).collect()
        }
        B::ShiftRight => each!(|a, b| a >> shift(b)),
    }
}

/// Comparisons of floats; all else of them is data.
fn floats(op: B, a: &[u64], b: &[u64]) -> Bits {
    let holds = |a: f32, b: f32| match op {
        B::Equal => a == b,
        B::NotEqual => a != b,
        B::Less => a < b,
        B::LessEqual => a <= b,
        B::Greater => a > b,
        B::GreaterEqual => a >= b,
        _ => false,
    };
    pairs(a, b)
        .map(|(a, b)| u64::from(holds(float(a), float(b))))
        .collect()
}

/// The functions that places are computed with, on one component of each operand; `None` for those
/// of data.
pub fn math(fun: M, of: Scalar, args: &[&[u64]]) -> Option<Bits> {
    if of.kind == ScalarKind::Float {
        return None;
    }
    let width = of.width;
    let order = |x: u64, y: u64| match of.kind {
        ScalarKind::Sint => signed(x, width).cmp(&signed(y, width)),
        _ => x.cmp(&y),
    };
    let least = |x: u64, y: u64| if order(x, y).is_le() { x } else { y };
    let most = |x: u64, y: u64| if order(x, y).is_ge() { x } else { y };
    let a = args[0];
    let one = |f: &dyn Fn(u64) -> u64| Some(a.iter().map(|&w| f(w)).collect::<Rc<[u64]>>());
    let two =
        |f: &dyn Fn(u64, u64) -> u64| Some(pairs(a, args.get(1)?).map(|(x, y)| f(x, y)).collect());
    // Zeros above the bits of a value.
    let above = 64 - 8 * u32::from(width);
    match fun {
        M::Min => two(&least),
        M::Max => two(&most),
        M::Clamp => {
            let above: Vec<u64> = pairs(a, args.get(1)?).map(|(a, b)| most(a, b)).collect();
            Some(
                pairs(&above, args.get(2)?)
                    .map(|(a, c)| least(a, c))
                    .collect(),
            )
        }
        M::Abs if of.kind == ScalarKind::Sint => {
            one(&|w| cut(signed(w, width).wrapping_abs().cast_unsigned(), width))
        }
        M::Abs => one(&|w| w),
        M::ReverseBits => one(&|w| w.reverse_bits() >> above),
        M::CountOneBits => one(&|w| w.count_ones().into()),
        M::CountLeadingZeros => one(&|w| (w.leading_zeros() - above).into()),
        M::CountTrailingZeros => one(&|w| w.trailing_zeros().min(8 * u32::from(width)).into()),
        _ => None,
    }
}
