//! What workloads are built of: operands, expressions and kernels by hand.

use zerostride::{Accuracy, DType, Expr, Rule, text};

use crate::workload::{Case, Kernel, Kind, Needs, Operand, Workload};

pub(super) type Text = (&'static str, &'static str);

pub(super) const POW_LIBRARIES: &[&str] = &[
    include_str!("../../../../shaders/math_exp_log.wgsl"),
    include_str!("../../../../shaders/math_pow.wgsl"),
];

/// Rows and columns of a table of `2^log2` elements.
pub(super) fn table(log2: u32) -> [usize; 2] {
    let columns = 1 << (log2 / 2);
    [(1 << log2) / columns, columns]
}

/// Rows and columns, neither of them whole quads, of a table of nearly as many.
pub(super) fn odd(log2: u32) -> [usize; 2] {
    let [rows, columns] = table(log2);
    [rows - 1, columns + 1]
}

/// Extents of `2^bits` each, their product brought to `2^log2` by axis `at` first and then by the
/// others.
pub(super) fn scaled(log2: u32, bits: &[u32], at: usize) -> Vec<usize> {
    let mut bits = bits.to_vec();
    let total: u32 = bits.iter().sum();
    bits[at] += log2.saturating_sub(total);
    let mut excess = total.saturating_sub(log2);
    for axis in std::iter::once(at).chain(0..bits.len()) {
        // The innermost axis keeps a quad.
        let least = if axis + 1 == bits.len() { 2 } else { 0 };
        let cut = excess.min(bits[axis].saturating_sub(least));
        bits[axis] -= cut;
        excess -= cut;
    }
    bits.iter().map(|b| 1 << b).collect()
}

pub(super) fn x(i: usize) -> Expr<usize> {
    Expr::slot(i)
}

/// The expression of a text over operands that are called x, y, z.
pub(super) fn parsed(expr: &str) -> Expr<usize> {
    let names: Vec<&str> = ["x", "y", "z"]
        .into_iter()
        .filter(|name| {
            expr.split(|c: char| !c.is_alphanumeric())
                .any(|w| w == *name)
        })
        .collect();
    text::parse(expr)
        .and_then(|parsed| parsed.bind(&names, &Rule::Numpy))
        .unwrap_or_else(|e| panic!("{expr}: {e}"))
}

/// The same over one operand, x, of a text that may ask for its shape.
pub(super) fn parsed_of(expr: &str, x: &Operand) -> Expr<usize> {
    let input = |_| (x.dtype, x.extents.as_slice().into());
    text::parse(expr)
        .and_then(|parsed| parsed.bind_to(&["x"], input, &Rule::Numpy))
        .unwrap_or_else(|e| panic!("{expr}: {e}"))
}

/// What elements need that are of rows of the first operands.
pub(super) const fn of_row(operands: usize) -> Needs {
    Needs::Row {
        operands,
        sampled: 64,
    }
}

/// A case whose elements need more than the elements at their place.
pub(super) fn needing(needs: Needs, operands: Vec<Operand>, expr: Expr<usize>) -> Case {
    Case {
        needs,
        ..Case::new(operands, expr)
    }
}

/// Rows of so many columns.
pub(super) fn rows_of(log2: u32, columns: usize) -> Vec<usize> {
    vec![((1 << log2) / columns).max(1), columns]
}

pub(super) fn f32s(extents: &[usize]) -> Operand {
    Operand::new(DType::F32, extents)
}

pub(super) fn stream(
    name: &str,
    about: &'static str,
    build: impl Fn(u32) -> Case + 'static,
) -> Workload {
    Workload {
        name: name.into(),
        about,
        kind: Kind::Stream,
        log2: None,
        build: Box::new(build),
    }
}

/// `a + b` of one type and shape; the kernel's quads are of `per` elements.
pub(super) fn same(dtype: DType, (name, text): Text, per: usize) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        Case::new(vec![Operand::new(dtype, &[r, c]); 2], x(0).add(x(1))).kernel(Kernel::flat(
            name,
            text,
            r * c / per,
        ))
    }
}

/// `[R,C] + [C]` of one type.
pub(super) fn row(dtype: DType, (name, text): Text, per: usize) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        Case::new(
            vec![Operand::new(dtype, &[r, c]), Operand::new(dtype, &[c])],
            x(0).add(x(1)),
        )
        .kernel(Kernel::fours(name, text, c / per, r))
    }
}

/// `a + b` of two f32 shapes, as functions of rows and columns.
pub(super) fn pair(
    shapes: fn([usize; 2]) -> [Vec<usize>; 2],
    (name, text): Text,
    kernel: fn(&'static str, &'static str, usize, usize) -> Kernel,
) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        Case::new(
            shapes([r, c]).iter().map(|s| f32s(s)).collect(),
            x(0).add(x(1)),
        )
        .kernel(kernel(name, text, c / 4, r))
    }
}

/// `[R,C] ** [C]` against one of the two kernels.
pub(super) fn pow(
    accuracy: Accuracy,
    (name, text): Text,
    libraries: &'static [&'static str],
) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        let kernel = Kernel {
            libraries,
            ..Kernel::fours(name, text, c / 4, r)
        };
        let tolerance = if accuracy == Accuracy::Fast {
            1e-3
        } else {
            1e-5
        };
        Case {
            accuracy,
            tolerance,
            ..Case::new(vec![f32s(&[r, c]), f32s(&[c])], x(0).pow(x(1))).kernel(kernel)
        }
    }
}

/// A chain of `steps` steps on two inputs: `r = a + b`, then `r * b` and `r + a` in turn.
pub(super) fn chain(steps: usize) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        let chained = (2..=steps).fold(x(0).add(x(1)), |e, k| {
            if k % 2 == 0 { e.mul(x(1)) } else { e.add(x(0)) }
        });
        let case = Case::new(vec![f32s(&[r, c]); 2], chained);
        let (name, text) = text!("chain");
        match steps {
            2 | 8 | 32 => {
                case.kernel(Kernel::flat(name, text, r * c / 4).constant("STEPS", steps as f64))
            }
            _ => case,
        }
    }
}

/// The sum of `count` inputs of one shape.
pub(super) fn sum(count: usize, kernel: Option<Text>) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        let all: Vec<_> = (0..count).map(x).collect();
        let case = Case::new(vec![f32s(&[r, c]); count], Expr::add_n(&all));
        match kernel {
            Some((name, text)) => case.kernel(Kernel::flat(name, text, r * c / 4)),
            None => case,
        }
    }
}

/// Two inputs of this rank that are broadcast along every other axis in turn.
pub(super) fn alternating(rank: usize) -> impl Fn(u32) -> Case {
    move |log2| {
        let bits: Vec<u32> = (0..rank as u32)
            .map(|axis| log2 / rank as u32 + u32::from(rank as u32 - axis <= log2 % rank as u32))
            .collect();
        let of = |parity: usize| -> Vec<usize> {
            bits.iter()
                .enumerate()
                .map(|(axis, b)| if axis % 2 == parity { 1 << b } else { 1 })
                .collect()
        };
        let case = Case::new(vec![f32s(&of(0)), f32s(&of(1))], x(0).add(x(1)));
        if rank != 8 || bits[6] + bits[7] < 4 || bits[7] < 2 {
            return case;
        }
        let (name, text) = text!("rank8_add");
        let packed = bits
            .iter()
            .enumerate()
            .map(|(axis, b)| (*b as usize) << (4 * axis))
            .sum();
        let quads = (1 << log2) / 4;
        case.kernel(
            Kernel::flat(name, text, quads)
                .param(0, packed)
                .param(1, quads),
        )
    }
}

pub(super) fn small(name: &str, about: &'static str, kind: Kind) -> Workload {
    let build = |_| {
        let (name, text) = text!("small_add");
        Case::new(vec![f32s(&[3, 4]), f32s(&[4])], x(0).add(x(1))).kernel(Kernel::new(
            name,
            text,
            64,
            [12, 4, 0, 0],
            [1; 3],
        ))
    };
    Workload {
        name: name.into(),
        about,
        kind,
        log2: None,
        build: Box::new(build),
    }
}
