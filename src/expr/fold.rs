//! Operators on numbers alone, computed on the host as Python does.

use super::Literal;
use crate::op::Op;

/// An operator on numbers alone, computed on the host in f64 or whole numbers, as Python does; `None` where it is
/// not one of the operators and functions that are usual on numbers.
pub(super) fn fold(op: Op, args: &[Literal]) -> Option<Literal> {
    let float = |l: &Literal| match *l {
        Literal::Bool(b) => f64::from(u8::from(b)),
        Literal::Int(i) => i as f64,
        Literal::Float(x) => x,
    };
    let int = |l: &Literal| match *l {
        Literal::Bool(b) => Some(i128::from(b)),
        Literal::Int(i) => Some(i),
        Literal::Float(_) => None,
    };
    let whole = args.iter().map(int).collect::<Option<Vec<_>>>();
    if let Some(v) = &whole {
        let exact = match (op.name, v.as_slice()) {
            ("add", [a, b]) => a.checked_add(*b),
            ("sub", [a, b]) => a.checked_sub(*b),
            ("mul", [a, b]) => a.checked_mul(*b),
            ("neg", [a]) => a.checked_neg(),
            ("abs", [a]) => a.checked_abs(),
            ("floor_div", [a, b]) if *b != 0 => {
                let q = a.checked_div(*b)?;
                Some(if a % b != 0 && (*a < 0) != (*b < 0) { q - 1 } else { q })
            }
            ("mod", [a, b]) if *b != 0 => {
                let r = a.checked_rem(*b)?;
                Some(if r != 0 && (r < 0) != (*b < 0) { r + b } else { r })
            }
            ("bit_and", [a, b]) => Some(a & b),
            ("bit_or", [a, b]) => Some(a | b),
            ("bit_xor", [a, b]) => Some(a ^ b),
            ("bit_not", [a]) => Some(!a),
            ("shl", [a, b]) if (0..64).contains(b) => a.checked_mul(1 << b),
            ("shr", [a, b]) if (0..127).contains(b) => Some(a >> b),
            ("sign", [a]) => Some(a.signum()),
            ("max", [_, ..]) => v.iter().max().copied(),
            ("min", [_, ..]) => v.iter().min().copied(),
            ("floor" | "ceil" | "round" | "trunc", [a]) => Some(*a),
            ("maximum", [a, b]) => Some(*a.max(b)),
            ("minimum", [a, b]) => Some(*a.min(b)),
            ("pow", [a, b]) if *b >= 0 => a.checked_pow(u32::try_from(*b).ok()?),
            _ => None,
        };
        if let Some(x) = exact {
            return Some(Literal::Int(x));
        }
    }
    let v: Vec<f64> = args.iter().map(float).collect();
    let x = match (op.name, v.as_slice()) {
        ("add", [a, b]) => a + b,
        ("sub", [a, b]) => a - b,
        ("mul", [a, b]) => a * b,
        ("div", [a, b]) => a / b,
        ("floor_div", [a, b]) if *b == 0.0 => a / b,
        ("floor_div", [a, b]) => (a / b).floor(),
        ("mod", [a, b]) => {
            let r = a % b;
            if r != 0.0 && (r < 0.0) != (*b < 0.0) { r + b } else { r }
        }
        ("fmod", [a, b]) => a % b,
        ("exp2", [a]) => a.exp2(),
        ("expm1", [a]) => a.exp_m1(),
        ("log2", [a]) => a.log2(),
        ("log10", [a]) => a.log10(),
        ("log1p", [a]) => a.ln_1p(),
        ("sin", [a]) => a.sin(),
        ("cos", [a]) => a.cos(),
        ("tan", [a]) => a.tan(),
        ("asin", [a]) => a.asin(),
        ("acos", [a]) => a.acos(),
        ("atan", [a]) => a.atan(),
        ("sinh", [a]) => a.sinh(),
        ("cosh", [a]) => a.cosh(),
        ("floor", [a]) => a.floor(),
        ("ceil", [a]) => a.ceil(),
        ("trunc", [a]) => a.trunc(),
        ("round", [a]) => a.round_ties_even(),
        ("maximum", [a, b]) if a >= b => *a,
        ("maximum", [a, b]) if a < b => *b,
        ("minimum", [a, b]) if a <= b => *a,
        ("minimum", [a, b]) if a > b => *b,
        ("pow", [a, b]) => a.powf(*b),
        ("neg", [a]) => -a,
        ("abs", [a]) => a.abs(),
        ("sqrt", [a]) => a.sqrt(),
        ("exp", [a]) => a.exp(),
        ("log", [a]) => a.ln(),
        ("tanh", [a]) => a.tanh(),
        _ => return None,
    };
    Some(Literal::Float(x))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_divided_as_python_does() {
        for (a, b, q) in [(7, 2, 3), (-7, 2, -4), (7, -2, -4), (-7, -2, 3), (6, -3, -2)] {
            assert_eq!(fold(Op::FLOOR_DIV, &[Literal::Int(a), Literal::Int(b)]), Some(Literal::Int(q)), "{a} // {b}");
        }
        for (a, b, r) in [(7, 2, 1), (-7, 2, 1), (7, -2, -1), (-7, -2, -1)] {
            assert_eq!(fold(Op::MOD, &[Literal::Int(a), Literal::Int(b)]), Some(Literal::Int(r)), "{a} % {b}");
        }
    }

    #[test]
    fn what_is_not_usual_on_numbers_is_left_alone() {
        assert_eq!(fold(Op::RELU, &[Literal::Int(1)]), None);
        assert_eq!(fold(Op::BIT_AND, &[Literal::Float(1.0), Literal::Int(1)]), None);
    }
}
