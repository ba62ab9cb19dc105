use zerostride::{DType, Index, View};

use super::cases::*;
use crate::workload::{Case, Kernel, Operand, Workload};

/// Other types, awkward shapes, many inputs and chains.
pub(super) fn others() -> Vec<Workload> {
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
        doubles("f64_same_add", "f64 a + b", 2, "x + y"),
        doubles("f64_mul_add", "f64 a * b + c", 3, "x * y + z"),
        doubles("f64_exp", "f64 exp(a)", 1, "exp(x)"),
        stream("odd_row_add", "[R-1,C+1] + [C+1]", |log2| {
            let [r, c] = odd(log2);
            let (name, text) = text!("odd_row_add");
            Case::new(vec![f32s(&[r, c]), f32s(&[c])], x(0).add(x(1)))
                .kernel(Kernel::quarters(name, text, r, c))
        }),
        stream("odd_col_add", "[R-1,C+1] + [R-1,1]", |log2| {
            let [r, c] = odd(log2);
            let (name, text) = text!("odd_col_add");
            Case::new(vec![f32s(&[r, c]), f32s(&[r, 1])], x(0).add(x(1)))
                .kernel(Kernel::quarters(name, text, r, c))
        }),
        stream("odd_bias", "[R/64,C/16,31,33] + [C/16,1,1]", odd_bias),
        stream("odd_transpose_add", "a.T + b, [R-1,C+1]", odd_transpose_add),
        stream("rgb_add", "[R/4,C/4,3] + [3]", |log2| {
            let [r, c] = table(log2).map(|e| e / 4);
            let (name, text) = text!("rgb_add");
            Case::new(vec![f32s(&[r, c, 3]), f32s(&[3])], x(0).add(x(1))).kernel(Kernel::flat(
                name,
                text,
                r * c * 3 / 4,
            ))
        }),
        stream("shift_add", "x[1:] + y[:-1]", shift_add),
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

/// Elements of f64, which no kernel by hand computes: adapters without 64-bit floats have none.
fn doubles(name: &str, about: &'static str, operands: usize, expr: &'static str) -> Workload {
    stream(name, about, move |log2| {
        let operand = Operand::new(DType::F64, &table(log2));
        Case::new(vec![operand; operands], parsed(expr))
    })
}

fn odd_bias(log2: u32) -> Case {
    let [r, c] = table(log2);
    let (images, channels) = ((r / 64).max(1), (c / 16).max(1));
    let (name, text) = text!("odd_bias");
    let kernel = Kernel::quarters(name, text, images, channels * 1023)
        .param(1, 1023)
        .param(3, channels);
    let operands = vec![f32s(&[images, channels, 31, 33]), f32s(&[channels, 1, 1])];
    Case::new(operands, x(0).add(x(1))).kernel(kernel)
}

fn odd_transpose_add(log2: u32) -> Case {
    let [r, c] = odd(log2);
    let (name, text) = text!("odd_transpose_add");
    let [across, down] = [c.div_ceil(16), r.div_ceil(256)].map(|n| n as u32);
    let params = [c, r, (r * c).div_ceil(4), 0].map(|n| n as u32);
    let operands = vec![f32s(&[c, r]).viewed(View::Transpose), f32s(&[r, c])];
    Case::new(operands, x(0).add(x(1))).kernel(Kernel::new(
        name,
        text,
        16,
        params,
        [across, down, 1],
    ))
}

fn shift_add(log2: u32) -> Case {
    let n = 1 << log2;
    let part = |start, stop| View::Slice(vec![Index::Range(start, stop, 1)]);
    let (name, text) = text!("shift_add");
    let operands = vec![
        f32s(&[n + 1]).viewed(part(Some(1), None)),
        f32s(&[n + 1]).viewed(part(None, Some(-1))),
    ];
    Case::new(operands, x(0).add(x(1))).kernel(Kernel::flat(name, text, n / 4))
}
