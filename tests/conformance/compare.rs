//! Comparing outputs with what a case asks for.

use half::{bf16, f16};
use zerostride::{DType, Error, HostTensor, Result};

use super::case::{Case, Spec, Tolerance, broken};
use super::run::Outputs;

/// Compares outputs under a tolerance; the text says what differs first.
pub fn compare(case: &Case, outputs: &Outputs, tolerance: Tolerance) -> Result<Result<(), String>> {
    let tensors = match outputs {
        Outputs::Shape(found) => {
            for spec in &case.outputs {
                let wanted = spec.shape()?;
                if wanted != *found {
                    return Ok(Err(format!("shape {found}, expected {wanted}")));
                }
            }
            return Ok(Ok(()));
        }
        Outputs::Tensors(tensors) => tensors,
    };
    if tensors.len() != case.outputs.len() {
        return Ok(Err(format!(
            "{} outputs, expected {}",
            tensors.len(),
            case.outputs.len()
        )));
    }
    let expected =
        |spec: &Spec| Ok::<_, Error>(case.tensor(spec)?.unwrap_or_else(|| tensors[0].clone()));
    for (k, (found, spec)) in tensors.iter().zip(&case.outputs).enumerate() {
        let mut wanted = vec![expected(spec)?];
        for alternative in case.alt_outputs.iter().flatten() {
            if let Some(spec) = alternative.get(k) {
                wanted.push(expected(spec)?);
            }
        }
        if let Err(difference) = same(found, &wanted, &tolerances(case, tolerance)?) {
            return Ok(Err(if tensors.len() > 1 {
                format!("output {k}: {difference}")
            } else {
                difference
            }));
        }
    }
    Ok(Ok(()))
}

/// The tolerance of each element: one for all, or as many as there are elements.
fn tolerances(case: &Case, tolerance: Tolerance) -> Result<Vec<Tolerance>> {
    let Tolerance::Bounds = tolerance else {
        return Ok(vec![tolerance]);
    };
    let missing = || broken("there is no bound for each element");
    let bounds = case.tensor(case.bounds.as_ref().ok_or_else(missing)?)?;
    let shape = case.outputs.first().ok_or_else(missing)?.shape()?;
    let bounds = bounds.filter(|b| b.dtype == DType::F64 && *b.layout.shape() == shape);
    let bound = |bytes: &[u8]| {
        let atol = f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        Tolerance::Close { rtol: 0.0, atol }
    };
    let bytes = bounds.ok_or_else(missing)?.bytes;
    Ok(bytes.chunks_exact(8).map(bound).collect())
}

/// Each element matches that of one of the alternatives, under one tolerance or one of its own.
fn same(found: &HostTensor, wanted: &[HostTensor], tolerances: &[Tolerance]) -> Result<(), String> {
    let first = &wanted[0];
    let (shape, dtype) = (found.layout.shape(), found.dtype);
    if shape != first.layout.shape() {
        return Err(format!("shape {shape}, expected {}", first.layout.shape()));
    }
    if dtype != first.dtype {
        return Err(format!("{dtype}, expected {}", first.dtype));
    }
    let size = dtype.size();
    for (i, bytes) in found.bytes.chunks(size).enumerate() {
        let expected = |t: &HostTensor| t.bytes.get(i * size..(i + 1) * size).map(<[u8]>::to_vec);
        let tolerance = match tolerances {
            [one] => *one,
            each => *each.get(i).ok_or("there are too few bounds")?,
        };
        let fits = |t: &HostTensor| {
            t.dtype == dtype && expected(t).is_some_and(|e| close(dtype, bytes, &e, tolerance))
        };
        if !wanted.iter().any(fits) {
            let wanted = expected(first).map_or_else(|| "nothing".into(), |e| show(dtype, &e));
            return Err(format!(
                "element {i} is {}, expected {wanted} ({tolerance:?})",
                show(dtype, bytes)
            ));
        }
    }
    Ok(())
}

fn show(dtype: DType, bytes: &[u8]) -> String {
    let bits = bytes
        .iter()
        .rev()
        .fold(String::from("0x"), |text, b| format!("{text}{b:02x}"));
    match number(dtype, bytes) {
        Number::Int(x) => x.to_string(),
        Number::Float(x) => format!("{x:?} ({bits})"),
    }
}

/// An element's value.
#[derive(Clone, Copy)]
enum Number {
    Int(i128),
    Float(f64),
}

fn number(dtype: DType, bytes: &[u8]) -> Number {
    let bits = bytes
        .iter()
        .rev()
        .fold(0u64, |bits, &b| bits << 8 | u64::from(b));
    match dtype {
        DType::F16 => Number::Float(f16::from_bits(bits as u16).to_f64()),
        DType::Bf16 => Number::Float(bf16::from_bits(bits as u16).to_f64()),
        DType::F32 => Number::Float(f32::from_bits(bits as u32).into()),
        DType::F64 => Number::Float(f64::from_bits(bits)),
        d if d.is_signed() => {
            let shift = 64 - 8 * d.size() as u32;
            Number::Int(i128::from((bits << shift).cast_signed() >> shift))
        }
        _ => Number::Int(bits.into()),
    }
}

fn close(dtype: DType, found: &[u8], wanted: &[u8], tolerance: Tolerance) -> bool {
    if let Tolerance::Bits = tolerance {
        return found == wanted;
    }
    let (a, r) = match (number(dtype, found), number(dtype, wanted)) {
        (Number::Int(a), Number::Int(r)) if a == r => return true,
        (Number::Int(a), Number::Int(r)) => (a as f64, r as f64),
        (Number::Float(a), Number::Float(r)) => (a, r),
        _ => return false,
    };
    if a == r && dtype.is_float() || a.is_nan() && r.is_nan() {
        return true;
    }
    let finite = a.is_finite() && r.is_finite();
    match tolerance {
        Tolerance::Bits | Tolerance::Exact | Tolerance::Bounds => false,
        Tolerance::Close { rtol, atol } => finite && (a - r).abs() <= atol + rtol * r.abs(),
        Tolerance::Ulp { n } => finite && (a - r).abs() <= n * ulp(dtype, r),
    }
}

/// The distance between neighbours around `r`.
fn ulp(dtype: DType, r: f64) -> f64 {
    let (mantissa, lowest) = match dtype {
        DType::F16 => (10, -14),
        DType::Bf16 => (7, -126),
        DType::F32 => (23, -126),
        DType::F64 => (52, -1022),
        _ => return 1.0,
    };
    let exponent = if r == 0.0 {
        lowest
    } else {
        (r.abs().to_bits() >> 52) as i32 - 1023
    };
    // powi of a negative exponent is a quotient, which is 0 if the power is subnormal.
    match exponent.max(lowest) - mantissa {
        normal @ -1022.. => f64::from_bits(((normal + 1023) as u64) << 52),
        small => f64::from_bits(1 << (small + 1074)),
    }
}
