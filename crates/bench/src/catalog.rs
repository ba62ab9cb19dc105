//! The workloads.

use zerostride::{Accuracy, DType, Expr, Index, View};

use super::workload::{Case, Kernel, Kind, Operand, Workload};

/// The text of a hand-written kernel, with its name.
macro_rules! text {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../handwritten/", $name, ".wgsl")),
        )
    };
}

type Text = (&'static str, &'static str);

const POW_LIBRARIES: &[&str] = &[
    include_str!("../../../shaders/math_exp_log.wgsl"),
    include_str!("../../../shaders/math_pow.wgsl"),
];

/// Rows and columns of a table of `2^log2` elements.
fn table(log2: u32) -> [usize; 2] {
    let columns = 1 << (log2 / 2);
    [(1 << log2) / columns, columns]
}

/// Rows and columns, neither of them whole quads, of a table of nearly as many.
fn odd(log2: u32) -> [usize; 2] {
    let [rows, columns] = table(log2);
    [rows - 1, columns + 1]
}

/// Extents of `2^bits` each, their product brought to `2^log2` by axis `at` first and then by the
/// others.
fn scaled(log2: u32, bits: &[u32], at: usize) -> Vec<usize> {
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

fn x(i: usize) -> Expr<usize> {
    Expr::slot(i)
}

fn f32s(extents: &[usize]) -> Operand {
    Operand::new(DType::F32, extents)
}

fn stream(name: &str, about: &'static str, build: impl Fn(u32) -> Case + 'static) -> Workload {
    Workload {
        name: name.into(),
        about,
        kind: Kind::Stream,
        log2: None,
        build: Box::new(build),
    }
}

/// `a + b` of one type and shape; the kernel's quads are of `per` elements.
fn same(dtype: DType, (name, text): Text, per: usize) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        Case::new(vec![Operand::new(dtype, &[r, c]); 2], x(0).add(&x(1))).kernel(Kernel::flat(
            name,
            text,
            r * c / per,
        ))
    }
}

/// `[R,C] + [C]` of one type.
fn row(dtype: DType, (name, text): Text, per: usize) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        Case::new(
            vec![Operand::new(dtype, &[r, c]), Operand::new(dtype, &[c])],
            x(0).add(&x(1)),
        )
        .kernel(Kernel::fours(name, text, c / per, r))
    }
}

/// `a + b` of two f32 shapes, as functions of rows and columns.
fn pair(
    shapes: fn([usize; 2]) -> [Vec<usize>; 2],
    (name, text): Text,
    kernel: fn(&'static str, &'static str, usize, usize) -> Kernel,
) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        Case::new(
            shapes([r, c]).iter().map(|s| f32s(s)).collect(),
            x(0).add(&x(1)),
        )
        .kernel(kernel(name, text, c / 4, r))
    }
}

/// `[R,C] ** [C]` against one of the two kernels.
fn pow(
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
            ..Case::new(vec![f32s(&[r, c]), f32s(&[c])], x(0).pow(&x(1))).kernel(kernel)
        }
    }
}

/// A chain of `steps` steps on two inputs: `r = a + b`, then `r * b` and `r + a` in turn.
fn chain(steps: usize) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        let chained = (2..=steps).fold(x(0).add(&x(1)), |e, k| {
            if k % 2 == 0 {
                e.mul(&x(1))
            } else {
                e.add(&x(0))
            }
        });
        let case = Case::new(vec![f32s(&[r, c]); 2], chained);
        let (name, text) = text!("chain");
        match steps {
            2 | 8 | 32 => case.kernel(Kernel {
                constants: vec![("STEPS", steps as f64)],
                ..Kernel::flat(name, text, r * c / 4)
            }),
            _ => case,
        }
    }
}

/// The sum of `count` inputs of one shape.
fn sum(count: usize, kernel: Option<Text>) -> impl Fn(u32) -> Case {
    move |log2| {
        let [r, c] = table(log2);
        let all: Vec<_> = (0..count).map(x).collect();
        let case = Case::new(vec![f32s(&[r, c]); count], Expr::sum_of(&all));
        match kernel {
            Some((name, text)) => case.kernel(Kernel::flat(name, text, r * c / 4)),
            None => case,
        }
    }
}

/// Two inputs of this rank that are broadcast along every other axis in turn.
fn alternating(rank: usize) -> impl Fn(u32) -> Case {
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
        let case = Case::new(vec![f32s(&of(0)), f32s(&of(1))], x(0).add(&x(1)));
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

fn small(name: &str, about: &'static str, kind: Kind) -> Workload {
    let build = |_| {
        let (name, text) = text!("small_add");
        Case::new(vec![f32s(&[3, 4]), f32s(&[4])], x(0).add(&x(1))).kernel(Kernel::new(
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

/// All workloads, in the order they run.
pub fn all() -> Vec<Workload> {
    let mut all = floats();
    all.extend(others());
    all.extend([
        small(
            "small_sync",
            "[3,4] + [4]: one call, then a wait",
            Kind::Calls(1),
        ),
        small(
            "small_1000",
            "[3,4] + [4]: 1,000 calls, then one wait",
            Kind::Calls(1000),
        ),
        small(
            "cold_start",
            "f32[4] + f32[4]: a process from its start to the result",
            Kind::Cold,
        ),
        small(
            "small_run_1000",
            "[3,4] + [4]: 1,000 runs of a plan, then one wait",
            Kind::Runs(1000),
        ),
    ]);
    all
}

/// The f32 workloads with peers.
fn floats() -> Vec<Workload> {
    use Accuracy::{Fast, Precise};
    vec![
        stream(
            "same_add",
            "[R,C] + [R,C]",
            same(DType::F32, text!("same_add"), 4),
        ),
        stream(
            "row_add",
            "[R,C] + [C]",
            row(DType::F32, text!("row_add"), 4),
        ),
        stream(
            "col_add",
            "[R,C] + [R,1]",
            pair(
                |[r, c]| [vec![r, c], vec![r, 1]],
                text!("col_add"),
                Kernel::rows,
            ),
        ),
        stream("scalar_add", "[R,C] + []", |log2| {
            let [r, c] = table(log2);
            let (name, text) = text!("scalar_add");
            Case::new(vec![f32s(&[r, c]), f32s(&[])], x(0).add(&x(1))).kernel(Kernel::flat(
                name,
                text,
                r * c / 4,
            ))
        }),
        stream(
            "outer_add",
            "[R,1] + [1,C]",
            pair(
                |[r, c]| [vec![r, 1], vec![1, c]],
                text!("outer_add"),
                Kernel::fours,
            ),
        ),
        stream("nchw_bias", "[N,K,32,32] + [1,K,1,1]", |log2| {
            let e = scaled(log2, &[6, 8, 5, 5], 0);
            let (name, text) = text!("nchw_bias");
            Case::new(vec![f32s(&e), f32s(&[1, e[1], 1, 1])], x(0).add(&x(1)))
                .kernel(Kernel::rows(name, text, e[2] * e[3] / 4, e[0] * e[1]).param(2, e[1]))
        }),
        stream("both5d_mul", "[8,1,K,1,128] * [1,16,1,16,128]", |log2| {
            let e = scaled(log2, &[3, 4, 6, 4, 7], 2);
            let (name, text) = text!("both5d_mul");
            let (quads, rows) = (e[4] / 4, e[0] * e[1] * e[2]);
            let params = [quads as u32, e[3] as u32, e[2] as u32, e[1] as u32];
            let y = rows.min(65_535);
            let grid = [
                (e[3] / 4 * quads).div_ceil(64) as u32,
                y as u32,
                rows.div_ceil(y) as u32,
            ];
            let kernel = Kernel::new(name, text, 64, params, grid);
            Case::new(
                vec![
                    f32s(&[e[0], 1, e[2], 1, e[4]]),
                    f32s(&[1, e[1], 1, e[3], e[4]]),
                ],
                x(0).mul(&x(1)),
            )
            .kernel(kernel)
        }),
        stream("where", "where(bool [R,C], [R,1], [C])", |log2| {
            let [r, c] = table(log2);
            let operands = vec![
                Operand::new(DType::Bool, &[r, c]),
                f32s(&[r, 1]),
                f32s(&[c]),
            ];
            let (name, text) = text!("where");
            Case::new(operands, x(0).select_by(&x(1), &x(2))).kernel(Kernel::fours(
                name,
                text,
                c / 4,
                r,
            ))
        }),
        stream(
            "pow",
            "[R,C] ** [C], against a kernel with the same function",
            pow(Precise, text!("pow"), POW_LIBRARIES),
        ),
        stream(
            "pow_to_builtin",
            "[R,C] ** [C], against the adapter's function",
            pow(Precise, text!("pow_builtin"), &[]),
        ),
        stream(
            "pow_fast",
            "[R,C] ** [C], fast",
            pow(Fast, text!("pow_builtin"), &[]),
        ),
        stream(
            "norm",
            "(x - mean) * rstd * gamma + beta: [R,C], [R,1] twice, [C] twice",
            |log2| {
                let [r, c] = table(log2);
                let (name, text) = text!("norm");
                let operands = vec![
                    f32s(&[r, c]),
                    f32s(&[r, 1]),
                    f32s(&[r, 1]),
                    f32s(&[c]),
                    f32s(&[c]),
                ];
                Case::new(operands, x(0).sub(&x(1)).mul(&x(2)).mul(&x(3)).add(&x(4)))
                    .kernel(Kernel::fours(name, text, c / 4, r))
            },
        ),
        stream("transpose_add", "a.T + b", |log2| {
            let [r, c] = table(log2);
            let (name, text) = text!("transpose_add");
            let (across, down) = ((c / 4) as u32, (r / 4) as u32);
            let kernel = Kernel::new(
                name,
                text,
                4,
                [across, down, 0, 0],
                [across.div_ceil(4), down.div_ceil(64), 1],
            );
            Case::new(
                vec![f32s(&[c, r]).viewed(View::Transpose), f32s(&[r, c])],
                x(0).add(&x(1)),
            )
            .kernel(kernel)
        }),
    ]
}

/// Other types, awkward shapes, many inputs and chains.
fn others() -> Vec<Workload> {
    vec![
        stream(
            "u8_same_add",
            "u8 [R,C] + [R,C]",
            same(DType::U8, text!("u8_same_add"), 16),
        ),
        stream(
            "u8_row_add",
            "u8 [R,C] + [C]",
            row(DType::U8, text!("u8_row_add"), 16),
        ),
        stream(
            "f16_same_add",
            "f16 [R,C] + [R,C]",
            same(DType::F16, text!("f16_same_add"), 8),
        ),
        stream(
            "f16_row_add",
            "f16 [R,C] + [C]",
            row(DType::F16, text!("f16_row_add"), 8),
        ),
        stream(
            "i64_same_add",
            "i64 [R,C] + [R,C]",
            same(DType::I64, text!("i64_add"), 2),
        ),
        stream("odd_row_add", "[R-1,C+1] + [C+1]", |log2| {
            let [r, c] = odd(log2);
            let (name, text) = text!("odd_row_add");
            Case::new(vec![f32s(&[r, c]), f32s(&[c])], x(0).add(&x(1)))
                .kernel(Kernel::quarters(name, text, r, c))
        }),
        stream("odd_col_add", "[R-1,C+1] + [R-1,1]", |log2| {
            let [r, c] = odd(log2);
            let (name, text) = text!("odd_col_add");
            Case::new(vec![f32s(&[r, c]), f32s(&[r, 1])], x(0).add(&x(1)))
                .kernel(Kernel::quarters(name, text, r, c))
        }),
        stream("odd_bias", "[R/64,C/16,31,33] + [C/16,1,1]", |log2| {
            let [r, c] = table(log2);
            let (images, channels) = ((r / 64).max(1), (c / 16).max(1));
            let (name, text) = text!("odd_bias");
            let kernel = Kernel::quarters(name, text, images, channels * 1023)
                .param(1, 1023)
                .param(3, channels);
            Case::new(
                vec![f32s(&[images, channels, 31, 33]), f32s(&[channels, 1, 1])],
                x(0).add(&x(1)),
            )
            .kernel(kernel)
        }),
        stream("odd_transpose_add", "a.T + b, [R-1,C+1]", |log2| {
            let [r, c] = odd(log2);
            let (name, text) = text!("odd_transpose_add");
            let [across, down] = [c.div_ceil(16), r.div_ceil(256)].map(|n| n as u32);
            let params = [c, r, (r * c).div_ceil(4), 0].map(|n| n as u32);
            let kernel = Kernel::new(name, text, 16, params, [across, down, 1]);
            Case::new(
                vec![f32s(&[c, r]).viewed(View::Transpose), f32s(&[r, c])],
                x(0).add(&x(1)),
            )
            .kernel(kernel)
        }),
        stream("rgb_add", "[R/4,C/4,3] + [3]", |log2| {
            let [r, c] = table(log2).map(|e| e / 4);
            let (name, text) = text!("rgb_add");
            Case::new(vec![f32s(&[r, c, 3]), f32s(&[3])], x(0).add(&x(1))).kernel(Kernel::flat(
                name,
                text,
                r * c * 3 / 4,
            ))
        }),
        stream("shift_add", "x[1:] + y[:-1]", |log2| {
            let n = 1 << log2;
            let part = |start, stop| View::Slice(vec![Index::Range(start, stop, 1)]);
            let (name, text) = text!("shift_add");
            let operands = vec![
                f32s(&[n + 1]).viewed(part(Some(1), None)),
                f32s(&[n + 1]).viewed(part(None, Some(-1))),
            ];
            Case::new(operands, x(0).add(&x(1))).kernel(Kernel::flat(name, text, n / 4))
        }),
        stream(
            "seven_add",
            "the sum of 7 inputs",
            sum(7, Some(text!("seven_add"))),
        ),
        stream("sum_8", "the sum of 8 inputs", sum(8, Some(text!("sum_8")))),
        stream(
            "rank8_add",
            "[8,1,8,1,8,1,8,1] + [1,8,1,8,1,8,1,8]",
            alternating(8),
        ),
        stream("chain_2", "a chain of 2 steps on 2 inputs", chain(2)),
        stream("chain_8", "a chain of 8 steps on 2 inputs", chain(8)),
        stream("chain_32", "a chain of 32 steps on 2 inputs", chain(32)),
    ]
}

/// How cost grows with elements, inputs, steps and rank.
pub fn growth() -> Vec<Workload> {
    let mut all = Vec::new();
    for log2 in (10..=28).step_by(2) {
        let mut at = |mut w: Workload| {
            w.name = format!("{}/2^{log2}", w.name);
            w.log2 = Some(log2);
            all.push(w);
        };
        at(stream(
            "same_add",
            "[R,C] + [R,C]",
            same(DType::F32, text!("same_add"), 4),
        ));
        at(stream(
            "row_add",
            "[R,C] + [C]",
            row(DType::F32, text!("row_add"), 4),
        ));
    }
    for count in 1..=7 {
        let kernel = (count == 7).then_some(text!("seven_add"));
        all.push(stream(
            &format!("inputs/{count}"),
            "the sum of inputs of one shape",
            sum(count, kernel),
        ));
    }
    for steps in [1, 2, 4, 8, 16, 32] {
        all.push(stream(
            &format!("steps/{steps}"),
            "a chain of steps on 2 inputs",
            chain(steps),
        ));
    }
    for rank in 1..=8 {
        all.push(stream(
            &format!("rank/{rank}"),
            "two inputs broadcast along every other axis",
            alternating(rank),
        ));
    }
    all
}
