//! Arithmetic on words, as WGSL defines it. A word holds the bits of a value of 4 or 8 bytes.

use std::cell::RefCell;

use naga::{BinaryOperator as B, Literal, MathFunction as M, Scalar, ScalarKind};

use crate::warp::{LANES, Lanes, Value};

/// A word of each lane.
pub fn each(f: impl FnMut(usize) -> u64) -> Lanes {
    std::array::from_fn(f)
}

/// So many words that are 0, in every lane.
pub fn zeros(len: usize) -> Value {
    thread_local! {
        static MADE: RefCell<Vec<Option<Value>>> = const { RefCell::new(Vec::new()) };
    }
    MADE.with_borrow_mut(|made| {
        if made.len() <= len {
            made.resize(len + 1, None);
        }
        made[len]
            .get_or_insert_with(|| vec![[0; LANES]; len].into())
            .clone()
    })
}

/// The lanes whose word is not 0.
pub fn bits(lanes: &Lanes) -> u32 {
    (0..LANES).fold(0, |mask, lane| mask | u32::from(lanes[lane] != 0) << lane)
}

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

/// An operator on two words of a type.
pub fn binary(op: B, of: Scalar, a: u64, b: u64) -> u64 {
    match of.kind {
        ScalarKind::Float => floats(op, float(a), float(b)),
        _ => integers(op, of, a, b),
    }
}

fn floats(op: B, a: f32, b: f32) -> u64 {
    let value = match op {
        B::Add => a + b,
        B::Subtract => a - b,
        B::Multiply => a * b,
        B::Divide => a / b,
        B::Modulo => a % b,
        B::Equal => return u64::from(a == b),
        B::NotEqual => return u64::from(a != b),
        B::Less => return u64::from(a < b),
        B::LessEqual => return u64::from(a <= b),
        B::Greater => return u64::from(a > b),
        B::GreaterEqual => return u64::from(a >= b),
        other => panic!("{other:?} of floats"),
    };
    value.to_bits().into()
}

fn integers(op: B, of: Scalar, a: u64, b: u64) -> u64 {
    let width = if of.kind == ScalarKind::Bool {
        4
    } else {
        of.width
    };
    let is_signed = of.kind == ScalarKind::Sint;
    let (ia, ib) = (signed(a, width), signed(b, width));
    let order = if is_signed { ia.cmp(&ib) } else { a.cmp(&b) };
    let shift = b as u32 & (u32::from(width) * 8 - 1);
    let value = match op {
        B::Add => a.wrapping_add(b),
        B::Subtract => a.wrapping_sub(b),
        B::Multiply => a.wrapping_mul(b),
        B::Divide if is_signed => ia.checked_div(ib).unwrap_or(ia).cast_unsigned(),
        B::Modulo if is_signed => ia.checked_rem(ib).unwrap_or(0).cast_unsigned(),
        B::Divide => a.checked_div(b).unwrap_or(a),
        B::Modulo => a.checked_rem(b).unwrap_or(0),
        B::Equal => u64::from(a == b),
        B::NotEqual => u64::from(a != b),
        B::Less => u64::from(order.is_lt()),
        B::LessEqual => u64::from(order.is_le()),
        B::Greater => u64::from(order.is_gt()),
        B::GreaterEqual => u64::from(order.is_ge()),
        B::And | B::LogicalAnd => a & b,
        B::InclusiveOr | B::LogicalOr => a | b,
        B::ExclusiveOr => a ^ b,
        B::ShiftLeft => a << shift,
        B::ShiftRight if is_signed => (ia >> shift).cast_unsigned(),
        B::ShiftRight => a >> shift,
    };
    cut(value, width)
}

/// The functions that places are computed with; `None` for those of data.
pub fn math(fun: M, of: Scalar, a: &Value, b: Option<&Value>, c: Option<&Value>) -> Option<Value> {
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
    let one = |f: &dyn Fn(u64) -> u64| Some(a.iter().map(|lanes| lanes.map(f)).collect());
    let two = |f: &dyn Fn(u64, u64) -> u64| {
        let b = b?;
        let part = |k: usize| each(|lane| f(a[k][lane], b[k][lane]));
        Some((0..a.len()).map(part).collect())
    };
    // Zeros above the bits of a value.
    let above = 64 - 8 * u32::from(width);
    match fun {
        M::Min => two(&least),
        M::Max => two(&most),
        M::Clamp => {
            let (b, c) = (b?, c?);
            let part = |k: usize| each(|lane| least(most(a[k][lane], b[k][lane]), c[k][lane]));
            Some((0..a.len()).map(part).collect())
        }
        M::Abs if of.kind == ScalarKind::Sint => {
            one(&|w| cut(signed(w, width).wrapping_abs().cast_unsigned(), width))
        }
        M::Abs => one(&|w| w),
        M::CountOneBits => one(&|w| w.count_ones().into()),
        M::CountLeadingZeros => one(&|w| (w.leading_zeros() - above).into()),
        M::CountTrailingZeros => one(&|w| w.trailing_zeros().min(8 * u32::from(width)).into()),
        _ => None,
    }
}
