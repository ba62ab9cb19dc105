//! 64-bit types: every op and every cast against the reference, bit for bit.

use zerostride::op::{Arity, Op, Types};
use zerostride::{DType, Expr};

use crate::common::{Random, all, check};

const WIDE: [DType; 3] = [DType::U64, DType::I64, DType::F64];

/// Whole numbers of every size, with their neighbours, as the bits of a type.
fn bits(random: &mut Random, dtype: DType, len: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for _ in 0..len {
        let r = random.next();
        let shape = random.next() % 8;
        let around = (1u64 << (random.next() % 64)).wrapping_add(r % 3).wrapping_sub(1);
        let x = match shape {
            0 => around,
            1 => around.wrapping_neg(),
            2 => r % 7,
            3 => (r % 7).wrapping_neg(),
            4 => r >> (random.next() % 64),
            _ => r,
        };
        // A double is a whole number, a fraction of one, or any bits but a subnormal's.
        let x = match (dtype, shape) {
            (DType::F64, 0..=3) => (x.cast_signed() as f64).to_bits(),
            (DType::F64, 4) => (x.cast_signed() as f64 / 1024.0).to_bits(),
            (DType::F64, 5) => ((x.cast_signed() as f32) as f64 * 1e-30).to_bits(),
            _ => x,
        };
        out.extend_from_slice(&x.to_le_bytes());
    }
    out
}

fn host(random: &mut Random, dtype: DType, len: usize) -> zerostride::reference::HostTensor {
    let bytes = if WIDE.contains(&dtype) { bits(random, dtype, len) } else { random.bytes(dtype, len, true) };
    zerostride::reference::HostTensor::new(dtype, [len], bytes).unwrap()
}

#[test]
fn every_op_on_64_bits_is_exact() {
    let mut random = Random::new("64-bit ops");
    let mut reports = Vec::new();
    for op in Op::all().filter(|o| *o != Op::CAST) {
        let set = match op.types {
            Types::Same(set) | Types::Test(set) | Types::Select(set) => set,
            Types::Cast => continue,
        };
        let count = if op.arity == Arity::Variadic { 3 } else { op.operands.len() };
        let exists =
            |d: DType| op.fold.map_or(op, |f| f.step).form(d).is_some() && op.fold.and_then(|f| f.finish).is_none();
        for dtype in WIDE.into_iter().filter(|d| set.contains(*d) && exists(*d)) {
            let operand = |i: usize| if i == 0 && matches!(op.types, Types::Select(_)) { DType::Bool } else { dtype };
            let inputs: Vec<_> = (0..count).map(|i| host(&mut random, operand(i), 1003)).collect();
            let expr = Expr::step(op, (0..count).map(Expr::slot).collect::<Vec<_>>());
            reports.push(check(&format!("{op} {dtype}"), &expr, &inputs, 0.0));
        }
    }
    assert!(reports.len() > 45, "only {} combinations", reports.len());
    all(reports);
}

#[test]
fn every_cast_with_64_bits_is_exact() {
    let mut random = Random::new("64-bit casts");
    let mut reports = Vec::new();
    for from in DType::ALL {
        for to in DType::ALL {
            if WIDE.contains(&from) || WIDE.contains(&to) {
                let input = host(&mut random, from, 1003);
                reports.push(check(&format!("{from} to {to}"), &Expr::slot(0).cast(to), &[input], 0.0));
            }
        }
    }
    all(reports);
}

#[test]
fn views_and_broadcasts_of_64_bits_keep_their_bits() {
    let mut random = Random::new("64-bit views");
    let mut reports = Vec::new();
    for dtype in WIDE {
        for (a, b) in [
            (vec![4, 8], vec![8]),
            (vec![5, 7], vec![7]),
            (vec![5, 7], vec![5, 1]),
            (vec![3, 1, 5], vec![4, 1]),
            (vec![9], vec![]),
        ] {
            let make = |random: &mut Random, shape: &[usize]| {
                let len = shape.iter().product();
                let bytes = bits(random, dtype, len);
                zerostride::reference::HostTensor::new(dtype, shape, bytes).unwrap()
            };
            let inputs = [make(&mut random, &a), make(&mut random, &b)];
            let expr = Expr::slot(0).less(&Expr::slot(1)).select_by(&Expr::slot(1), &Expr::slot(0)).transpose();
            reports.push(check(&format!("{dtype} {a:?} {b:?}"), &expr, &inputs, 0.0));
        }
    }
    all(reports);
}
